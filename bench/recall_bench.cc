// Recall over 1,000,000 memories and 3,000,000 typed edges, with relations two edges deep.
//
// A memory has 8 words of 50,000 (word r with probability proportional to 1 / (r + 50), so that the
// commonest are in some 3 % of the memories), one of 2,000 tags, times and a count of uses. One end
// of every edge is drawn evenly, the other with `skew` every second time by Zipf's law: a few
// memories have tens of thousands of edges. One edge in 50 contradicts, one in 50 supersedes.
//
// Timed: one question each, from the terms to hits with terms, sentences, relations, conflicts and
// near-duplicates. A question is two words of an evenly drawn memory; `parts` 1: the words, 2: with
// weights, 3: the words and that memory as a key.
// Verified, on some questions: hits and scores are BM25's, relations are those of a search over
// maps where no bound cut them, and every term lies in [0, 1].
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/memory/recall/recall.h"
#include "algorithms/memory/visibility/visibility.h"
#include "bench/graphs/random_graph.h"
#include "bench/graphs/zipf.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kWords = 8, kVocabulary = 50'000, kTags = 2'000;
constexpr std::int64_t kDay = 86'400'000, kNow = kBenchTime + 400 * kDay;
constexpr NodeId kStep = 1 << 15;

std::string Word(std::size_t rank) { return "w" + std::to_string(rank); }

// The words of a memory, the same wherever they are asked for.
std::vector<std::string> WordsOf(NodeId memory, const Zipf& words) {
  std::mt19937_64 random(memory + 1);
  std::vector<std::string> list;
  for (const std::uint32_t rank : words.Draw(kWords, random)) list.push_back(Word(rank));
  return list;
}

// Memories have the ids below `memories`.
void AddMemories(Graph& graph, NodeId memories, const Zipf& zipf) {
  for (NodeId first = 0; first < memories; first += kStep) {
    WriteBatch batch(kBenchTime);
    for (NodeId v = first; v < std::min(memories, first + kStep); ++v) {
      const NodeRef node =
          batch.UpsertNode("memory " + std::to_string(v), NodeKindRef(builtin::kMemory));
      batch.SetF64(node, builtin::kRetention, static_cast<double>(v % 11) / 10);
      if (v % 3 == 0)
        batch.SetI64(node, builtin::kAccessedAt, kNow - static_cast<std::int64_t>(v % 90) * kDay);
      if (v % 3 == 0) batch.SetI64(node, builtin::kAccessCount, v % 50);
    }
    Must(graph.Apply(batch), "adding memories");
  }
  for (NodeId first = 0; first < memories; first += kStep) {
    WriteBatch batch(kBenchTime);
    for (NodeId v = first; v < std::min(memories, first + kStep); ++v) {
      for (const std::string& word : WordsOf(v, zipf))
        batch.Link(NodeRef::Id(v), builtin::kHasTerm, batch.IndexNode(builtin::kTerm, word), 1);
      batch.Link(NodeRef::Id(v), builtin::kHasTag,
                 batch.IndexNode(builtin::kTag, "t" + std::to_string(v * 7919ull % kTags)), 1);
    }
    Must(graph.Apply(batch), "adding words");
  }
}

void AddEdges(Graph& graph, NodeId memories, bool skewed) {
  std::mt19937_64 random(3);
  const Zipf ends(memories);
  const auto draw = [&] {
    if (!skewed || random() % 2 == 0) return static_cast<NodeId>(random() % memories);
    return static_cast<NodeId>(std::uint64_t{ends(random)} * 48271 % memories);
  };
  constexpr EdgeKindId kKinds[] = {builtin::kSupports, builtin::kCauses, builtin::kRelatesTo,
                                   builtin::kDependsOn};
  const std::uint64_t edges = std::uint64_t{3} * memories;
  for (std::uint64_t done = 0; done < edges;) {
    WriteBatch batch(kBenchTime);
    for (int i = 0; i < (1 << 18) && done < edges;) {
      const auto source = static_cast<NodeId>(random() % memories);
      const std::uint64_t which = random() % 50;
      // A replaced hub would take its neighbours' relations along: ends of those are drawn evenly.
      const NodeId target = which < 2 ? static_cast<NodeId>(random() % memories) : draw();
      if (source == target) continue;
      const EdgeKindId kind = which == 0   ? builtin::kContradicts
                              : which == 1 ? builtin::kSupersedes
                                           : kKinds[random() % 4];
      batch.Link(NodeRef::Id(source), kind, NodeRef::Id(target),
                 static_cast<float>(1 + random() % 4) / 4);
      ++i;
      ++done;
    }
    Must(graph.Apply(batch), "adding edges");
  }
  Must(graph.Compact(), "compacting");
}

struct World {
  std::unique_ptr<Graph> graph;
  Snapshot snapshot;
  NodeId memories = 0;
  Zipf words{kVocabulary, 50};
};

const World& TheMemories(bool skewed) {
  static World worlds[2];
  World& world = worlds[skewed];
  if (!world.graph) {
    worlds[!skewed] = {};  // one at a time in memory
    world.memories = static_cast<NodeId>(Size("PLEXUS_BENCH_MEMORIES", 1'000'000, 10'000));
    world.graph = Graph::InMemory();
    AddMemories(*world.graph, world.memories, world.words);
    AddEdges(*world.graph, world.memories, skewed);
    world.snapshot = world.graph->snapshot();
  }
  return world;
}

struct Asked {
  std::vector<std::string> words;
  NodeWeight key;
};

std::vector<Asked> Questions(const World& world, std::size_t count) {
  std::mt19937_64 random(11);
  const auto visible = Must(memory::VisibleNodes(world.snapshot, kNow), "visible nodes");
  std::vector<Asked> asked;
  while (asked.size() < count) {
    const auto memory = static_cast<NodeId>(random() % world.memories);
    if (!visible->contains(memory)) continue;
    const std::vector<std::string> words = WordsOf(memory, world.words);
    const std::size_t one = random() % kWords, two = (one + 1 + random() % (kWords - 1)) % kWords;
    asked.push_back({{words[one], words[two]}, {memory, 1}});
  }
  return asked;
}

// Edges within two hops by levels over maps: how many.
std::size_t CountRelated(const Snapshot& s, NodeId start, const NodeSubset& visible) {
  std::map<NodeId, int> hops = {{start, 0}};
  std::vector<NodeId> level = {start};
  const ArcFilter filter = ArcFilter::Kinds(s.schema(), {}).ValidAt(kNow);
  std::set<std::tuple<NodeId, EdgeKindId, NodeId>> edges;
  for (int hop = 0; hop < 2; ++hop) {
    std::vector<NodeId> next;
    for (const NodeId at : level)
      s.ForEachArc(Direction::kBoth, at, filter, [&](const Arc& arc) {
        const Edge e = s.edge(arc, at);
        const bool replaced = arc.kind == builtin::kSupersedes && e.source == at;
        if (visible.contains(arc.neighbor) || replaced) edges.emplace(e.source, e.kind, e.target);
        if (visible.contains(arc.neighbor) && hops.emplace(arc.neighbor, hop + 1).second)
          next.push_back(arc.neighbor);
      });
    level = next;
  }
  return edges.size();
}

void Check(const World& world, const Asked& asked, const memory::RecallOptions& options,
           const memory::RecallResult& result) {
  const Snapshot& s = world.snapshot;
  const auto visible = Must(memory::VisibleNodes(s, kNow), "visible nodes");
  retrieval::Bm25Options bm25;
  bm25.top = options.top;
  bm25.subset = visible.get();
  const retrieval::Bm25Result wanted = Must(retrieval::Bm25(s, asked.words, bm25), "bm25");
  Require(wanted.hits.size() == result.hits.size(), "recall: number of hits");
  for (std::size_t i = 0; i < result.hits.size(); ++i) {
    const memory::RecallHit& hit = result.hits[i];
    Require(hit.node == wanted.hits[i].node && hit.score == wanted.hits[i].score, "recall: a hit");
    for (const retrieval::ScoreTerm& term : hit.terms)
      Require(term.value >= 0 && term.value <= 1, "recall: a term");
    if (!hit.related_truncated)
      Require(hit.related.size() == CountRelated(s, hit.node, *visible), "recall: relations");
  }
}

// Counters are those of single questions; an iteration is a pass over all of them.
void RecallQuestions(benchmark::State& state) {
  const World& world = TheMemories(state.range(0) != 0);
  const auto parts = state.range(1);
  memory::RecallOptions options;
  options.now_ms = kNow;
  retrieval::RetrievalPlan plan = retrieval::FindPlan(memory::kListsPlan)->plan;
  options.plan = &plan;
  options.related_hops = 2;
  options.related_top = static_cast<std::size_t>(state.range(2));
  options.run.executor = &ExecutorOf(1);
  if (parts == 2) {
    plan.fuse = retrieval::Fusion::kSum;
    plan.score.weights = {};
    plan.score[retrieval::PlanTerm::kWords] = 0.5;
    plan.score[retrieval::PlanTerm::kRecency] = 0.2;
    plan.score[retrieval::PlanTerm::kSalience] = plan.score[retrieval::PlanTerm::kFrequency] = 0.1;
  }
  const std::vector<Asked> questions = Questions(world, Small() ? 100 : 2'000);
  QuestionTimes times;
  std::uint64_t relations = 0, truncated = 0, repeats = 0, conflicts = 0;
  for (auto _ : state)
    for (const Asked& asked : questions) {
      memory::RecallQuery question;
      question.terms = asked.words;
      if (parts == 3) question.keys = {&asked.key, 1};
      const memory::RecallResult result = times.Time(
          [&] { return Must(memory::Recall(world.snapshot, question, options), "recall"); });
      conflicts += result.conflicts.size();
      for (const memory::RecallHit& hit : result.hits) {
        relations += hit.related.size();
        truncated += hit.related_truncated;
        repeats += hit.near_duplicate_of.size();
      }
    }
  times.Print(state.counters);
  state.counters["relations"] = times.PerQuestion(relations);
  state.counters["cut_hits"] = times.PerQuestion(truncated);
  state.counters["repeats"] = times.PerQuestion(repeats);
  state.counters["conflicts"] = times.PerQuestion(conflicts);
  if (parts != 1) return;
  for (std::size_t i = 0; i < questions.size(); i += 50) {
    memory::RecallQuery question;
    question.terms = questions[i].words;
    Check(world, questions[i], options,
          Must(memory::Recall(world.snapshot, question, options), "recall"));
  }
}
BENCHMARK(RecallQuestions)
    ->ArgNames({"skewed", "parts", "related"})
    ->Args({0, 1, 20})
    ->Args({0, 1, 1000})
    ->Args({0, 2, 20})
    ->Args({0, 3, 20})
    ->Args({1, 1, 20})
    ->Args({1, 1, 1000})
    ->Args({1, 3, 20})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plexus::bench
