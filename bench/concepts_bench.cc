// Concept recall over 1,000,000 nodes (seven of eight are concepts, the others episodes) and
// 3,000,000 relations. One end of every relation is drawn evenly, the other, with `skew`, by Zipf's
// law over the concepts: a few of them have tens of thousands of relations.
//
// Timed: one question each, from the names of its seed to the propositions and the batch; 3 hops.
// With skew a budget is given: without one, three hops around hubs are a large part of the graph.
// Verified: propositions and raised levels of some questions without a budget, by levels over maps.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/memory/concepts/concepts.h"
#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr EdgeKindId kKinds[] = {builtin::kIsA, builtin::kPartOf, builtin::kEvokes};
constexpr std::int64_t kNow = kBenchTime + 6 * 3'600'000;
constexpr NodeId kStep = 1 << 15;

bool IsEpisode(NodeId node) { return node % 8 == 7; }

// Nodes are numbered as they are made.
void AddConcepts(Graph& graph, NodeId nodes) {
  for (NodeId first = 0; first < nodes; first += kStep) {
    WriteBatch batch(kBenchTime);
    for (NodeId v = first; v < std::min(nodes, first + kStep); ++v) {
      if (IsEpisode(v)) {
        const NodeRef node = batch.UpsertNode("episode " + std::to_string(v), builtin::kEpisode);
        batch.SetPayload(node, NodeField::kText, "what happened on day " + std::to_string(v));
        batch.SetF64(node, builtin::kValence, 0.25);
        continue;
      }
      const NodeRef node = batch.UpsertNode("concept " + std::to_string(v), builtin::kConcept);
      batch.SetF64(node, builtin::kArousalLevel, static_cast<double>(1 + v % 16) / 16);
      batch.SetI64(node, builtin::kAccessedAt, kBenchTime);
    }
    Must(graph.Apply(batch), "adding concepts");
  }
}

void AddRelations(Graph& graph, NodeId nodes, bool skewed) {
  std::mt19937_64 random(3);
  std::vector<double> cumulative;
  double sum = 0;
  for (NodeId rank = 0; skewed && rank < nodes; ++rank)
    cumulative.push_back(sum += 1.0 / static_cast<double>(rank + 1));
  const auto draw = [&] {
    if (!skewed || random() % 2 == 0) return static_cast<NodeId>(random() % nodes);
    const double at = static_cast<double>(random() >> 11) * 0x1p-53 * sum;
    const auto rank = std::upper_bound(cumulative.begin(), cumulative.end(), at);
    return static_cast<NodeId>(static_cast<std::uint64_t>(rank - cumulative.begin()) * 48271 %
                               nodes);
  };
  const std::uint64_t edges = std::uint64_t{3} * nodes;
  for (std::uint64_t done = 0; done < edges;) {
    WriteBatch batch(kBenchTime);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(edges - done, 1 << 18);) {
      const auto source = static_cast<NodeId>(random() % nodes);
      const NodeId target = draw();
      if (source == target || IsEpisode(source)) continue;
      const EdgeKindId kind = IsEpisode(target) ? builtin::kEvokes : kKinds[random() % 3];
      batch.Link(NodeRef::Id(source), kind, NodeRef::Id(target),
                 static_cast<float>(1 + random() % 4) / 4);
      ++i;
    }
    done += std::min<std::uint64_t>(edges - done, 1 << 18);
    Must(graph.Apply(batch), "adding relations");
  }
  Must(graph.Compact(), "compacting");
}

const Snapshot& TheConcepts(bool skewed) {
  static std::unique_ptr<Graph> graphs[2];
  static Snapshot snapshots[2];
  if (!graphs[skewed]) {
    const auto nodes = static_cast<NodeId>(Size("PLEXUS_BENCH_CONCEPTS", 1'000'000, 20'000));
    graphs[skewed] = Graph::InMemory();
    AddConcepts(*graphs[skewed], nodes);
    AddRelations(*graphs[skewed], nodes, skewed);
    snapshots[skewed] = graphs[skewed]->snapshot();
  }
  return snapshots[skewed];
}

// Best score a relation and highest rise a concept, level by level over maps.
void Check(const Snapshot& s, NodeId seed, const memory::RecallConceptsOptions& options,
           const memory::RecallConceptsResult& result) {
  std::map<NodeId, int> hops = {{seed, 0}};
  std::vector<NodeId> level = {seed};
  std::map<std::tuple<NodeId, EdgeKindId, NodeId>, double> scores;
  std::map<NodeId, double> rises;
  for (int hop = 1; hop <= options.hops; ++hop) {
    std::vector<NodeId> next;
    for (const NodeId at : level)
      for (const bool forward : {true, false})
        s.ForEachArc(forward ? Direction::kOut : Direction::kIn, at, ArcFilter::All(),
                     [&](const Arc& arc) {
                       const bool episode = IsEpisode(arc.neighbor);
                       const double decay = std::pow(0.5, hop - 1) * (forward ? 1 : 0.5);
                       const double score =
                           memory::Arousal(s, episode ? at : arc.neighbor, kNow) * decay;
                       const auto key = forward ? std::tuple(at, arc.kind, arc.neighbor)
                                                : std::tuple(arc.neighbor, arc.kind, at);
                       double& best = scores.emplace(key, score).first->second;
                       best = std::max(best, score);
                       if (episode) return;
                       double& rise = rises.emplace(arc.neighbor, decay).first->second;
                       rise = std::max(rise, decay);
                       if (hops.emplace(arc.neighbor, hop).second) next.push_back(arc.neighbor);
                     });
    level = next;
  }
  Require(result.propositions.size() == scores.size(), "recall: number of propositions");
  for (const memory::Proposition& p : result.propositions)
    Require(scores[{p.from, p.kind, p.to}] == p.score, "recall: score of " + p.text);
  for (std::size_t i = 1; i < result.propositions.size(); ++i)
    Require(result.propositions[i - 1].score >= result.propositions[i].score, "recall: order");
  std::size_t raised = 0;
  for (const auto& [node, rise] : rises) raised += rise >= memory::Arousal(s, node, kNow);
  Require(result.raised.size() == raised, "recall: number of raised concepts");
  for (const memory::RaisedConcept& one : result.raised)
    Require(rises[one.node] == one.level, "recall: a raised level");
}

// Counters are those of single questions; an iteration is a pass over 2,000 evenly spaced seeds.
void RecallConceptsStarts(benchmark::State& state) {
  const Snapshot& snapshot = TheConcepts(state.range(0) != 0);
  memory::RecallConceptsOptions options;
  options.hops = 3;
  options.top = static_cast<std::size_t>(state.range(1));
  if (state.range(2) != 0) options.run.budget.edges = static_cast<std::uint64_t>(state.range(2));
  std::vector<NodeId> seeds;
  for (NodeId i = 0; i < 2000; ++i) {
    const auto v = static_cast<NodeId>(std::uint64_t{i} * 7919 * 131 % snapshot.node_count());
    if (!IsEpisode(v)) seeds.push_back(v);
  }
  QuestionTimes times;
  std::uint64_t edges = 0, propositions = 0, truncated = 0;
  for (auto _ : state)
    for (const NodeId seed : seeds) {
      const std::vector<std::string> names = {std::string(snapshot.key(seed))};
      const auto result = times.Time(
          [&] { return Must(memory::RecallConcepts(snapshot, names, kNow, options), "recall"); });
      edges += result.edges;
      propositions += result.propositions.size();
      truncated += result.truncated;
    }
  times.Print(state.counters);
  state.counters["query_worst"] = std::ranges::max(times.clock);
  state.counters["edges"] = times.PerQuestion(edges);
  state.counters["propositions"] = times.PerQuestion(propositions);
  state.counters["truncated"] = times.PerQuestion(truncated);
  if (options.top != 0 || state.range(2) != 0) return;
  for (std::size_t i = 0; i < seeds.size(); i += 100) {
    const std::vector<std::string> names = {std::string(snapshot.key(seeds[i]))};
    Check(snapshot, seeds[i], options,
          Must(memory::RecallConcepts(snapshot, names, kNow, options), "recall"));
  }
}
BENCHMARK(RecallConceptsStarts)
    ->ArgNames({"skewed", "top", "max_edges"})
    ->Args({0, 0, 0})
    ->Args({0, 20, 0})
    ->Args({1, 0, 2000})
    ->Args({1, 20, 2000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plexus::bench
