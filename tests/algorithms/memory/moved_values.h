// A graph of memories that keeps changing, and every question whose answer is read from a value
// that is kept with a state; an answer is text, numbers by their bits.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/memory/conflicts.h"
#include "algorithms/memory/decisions_salience.h"
#include "algorithms/memory/ledger.h"
#include "algorithms/memory/outcome_values.h"
#include "algorithms/memory/recall.h"
#include "algorithms/memory/visibility.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/retrieval/bm25.h"
#include "algorithms/retrieval/nearest_neighbors.h"
#include "algorithms/retrieval/phrase.h"
#include "algorithms/retrieval/rerank.h"
#include "algorithms/retrieval/scan_nodes.h"
#include "algorithms/retrieval/term_index.h"
#include "algorithms/retrieval/where.h"
#include "algorithms/traversal/traverse.h"
#include "engine/compaction/run_compaction.h"
#include "engine/state_writer.h"

namespace plexus::testing {

inline constexpr std::int64_t kNow = 1'700'000'000'000;
inline constexpr std::uint32_t kDimensions = 16;
inline constexpr std::size_t kFacts = 400;
inline const char* const kSpaces[] = {"plain", "int8"};

// The same state without anything derived, of itself or of its base.
inline Snapshot Bare(const Snapshot& s) {
  auto state = std::make_shared<GraphState>(s.state());
  const auto base = CompactRuns(*state, 0, SerialExecutor());
  EXPECT_TRUE(base);
  state->base = *base;
  return Snapshot(std::move(state));
}

inline std::vector<float> SomeVector(std::mt19937_64& random) {
  std::vector<float> v(kDimensions);
  for (float& x : v) x = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return v;
}

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  std::size_t Below(std::size_t n) { return random_() % n; }
  std::string Key() { return "m" + std::to_string(Below(kFacts)); }
  std::string Text() {
    std::string text;
    for (std::size_t i = 3 + Below(8); i > 0; --i) text += "word" + std::to_string(Below(40)) + " ";
    return text;
  }

  void Begin(Graph& graph) {
    WriteBatch batch(kNow);
    batch.DefineSpace({"plain", kDimensions, Metric::kCosine});
    batch.DefineSpace({"int8", kDimensions, Metric::kCosine, Prefilter::kInt8});
    for (std::size_t i = 0; i < kFacts; ++i) Fact(batch, "m" + std::to_string(i));
    Apply(graph, batch);
    for (int i = 0; i < 10; ++i) Event(graph);
  }

  // Half of the vectors anew, and some of everything else.
  void Change(Graph& graph) {
    WriteBatch batch(kNow + ++steps_ * 1000);
    for (std::size_t i = 0; i < kFacts / 2; ++i) Embed(batch, Key());
    for (int i = 0; i < 20; ++i) Fact(batch, Key());
    for (int i = 0; i < 40; ++i) Link(batch);
    for (int i = 0; i < 3; ++i) batch.RemoveNode(batch.Node(Key()));
    Apply(graph, batch);
    Event(graph);
  }

 private:
  void Apply(Graph& graph, WriteBatch& batch) {
    ASSERT_TRUE(AddTerms(graph.snapshot(), {}, batch));
    const auto applied = graph.Apply(batch);
    ASSERT_TRUE(applied) << applied.error().ToString();
  }
  void Embed(WriteBatch& batch, const std::string& key) {
    const std::vector<float> vector = SomeVector(random_);
    for (const char* space : kSpaces)
      batch.SetVector(batch.Node(key), batch.SpaceNamed(space), vector);
  }
  void Fact(WriteBatch& batch, const std::string& key) {
    const NodeRef node = batch.UpsertNode(key, Below(4) == 0 ? kDecision : kMemory);
    batch.SetPayload(node, NodeField::kText, Text());
    batch.SetF64(node, kTrust, static_cast<double>(Below(100)) / 100);
    batch.SetI64(node, kCreatedAt, kNow - static_cast<std::int64_t>(Below(1'000'000)));
    if (Below(3) == 0) batch.SetI64(node, kValidUntil, kNow + static_cast<std::int64_t>(Below(9)));
    if (Below(2)) batch.SetString(node, kDecisionOutcome, Below(2) ? "success" : "failure");
    batch.Link(node, kHasTag, batch.IndexNode(kTag, "t" + std::to_string(Below(12))));
    Embed(batch, key);
    Link(batch);
  }
  void Link(WriteBatch& batch) {
    constexpr EdgeKindId kKinds[] = {kContradicts, kSupersedes, kDependsOn, kLink, kRelatesTo};
    const std::string a = Key(), b = Key();
    if (a == b) return;
    batch.Link(batch.UpsertNode(a), kKinds[Below(5)], batch.UpsertNode(b),
               static_cast<float>(1 + Below(9)) / 10);
  }
  void Event(Graph& graph) {
    NewEvent event;
    event.tool = Below(2) ? "recall" : "compose";
    event.mode = "mode" + std::to_string(Below(2));
    event.query = Text();
    event.created_at = kNow + ++steps_ * 1000;
    event.stubs = true;
    for (std::size_t i = 2 + Below(3); i > 0; --i) {
      NewMember member;
      member.key = "m" + std::to_string(i * 90 + Below(80));
      event.members.push_back(std::move(member));
    }
    const auto recorded = RecordEvent(graph.snapshot(), event);
    ASSERT_TRUE(recorded) << recorded.error().ToString();
    ASSERT_TRUE(graph.Apply(recorded->batch));
    const auto found = FindEvent(graph.snapshot(), recorded->id);
    ASSERT_TRUE(found);
    const auto label =
        LabelEvent(graph.snapshot(), *found,
                   {Below(2) ? "helpful" : "dead_end", "user", "", event.created_at});
    ASSERT_TRUE(label) << label.error().ToString();
    ASSERT_TRUE(graph.Apply(label->batch));
  }

  std::mt19937_64 random_;
  std::int64_t steps_ = 0;
};

class Answer {
 public:
  Answer& operator<<(double x) { return *this << std::bit_cast<std::uint64_t>(x); }
  template <class T>
  requires(!std::is_floating_point_v<T>) Answer& operator<<(const T& x) {
    out_ << x << ' ';
    return *this;
  }
  std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
};

using Question = std::pair<std::string, std::function<std::string(const Snapshot&)>>;

template <class T>
const T& Must(const Result<T>& result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return *result;
}

inline std::string NearestTo(const Snapshot& s, const char* space, Prefilter prefilter,
                             const std::vector<float>& query) {
  const auto found =
      Nearest(s, *s.schema().FindSpace(space), query, {.top = 7, .prefilter = prefilter});
  Answer answer;
  for (const NearestHit& hit : Must(found).nodes) answer << hit.node << hit.measure;
  return answer.text();
}

inline std::vector<Question> Questions() {
  std::mt19937_64 random(5);
  const std::vector<float> query = SomeVector(random);
  std::vector<Question> all;
  for (const char* space : kSpaces)
    for (const Prefilter prefilter : kPrefilters)
      all.emplace_back(
          "nearest in " + std::string(space) + " by " + std::string(PrefilterName(prefilter)),
          [=](const Snapshot& s) { return NearestTo(s, space, prefilter, query); });
  all.emplace_back("rerank", [=](const Snapshot& s) {
    Answer answer;
    const auto found = Rerank(s, *s.schema().FindSpace("int8"), query);
    for (const RerankHit& hit : Must(found).hits) answer << hit.node << hit.score;
    return answer.text();
  });
  all.emplace_back("bm25", [](const Snapshot& s) {
    Answer answer;
    const std::string terms[] = {"word3", "word7", "word11"};
    const auto found = Bm25(s, terms, {});
    answer << Must(found).documents << found->average_length;
    for (const Bm25Match& m : found->matches) answer << m.node << m.score << m.length;
    return answer.text();
  });
  all.emplace_back("bm25 of events", [](const Snapshot& s) {
    Answer answer;
    const std::string terms[] = {"word3"};
    Bm25Options options;
    options.events = true;
    const auto found = Bm25(s, terms, options);
    answer << Must(found).documents << found->average_length;
    return answer.text();
  });
  all.emplace_back("phrase", [](const Snapshot& s) {
    Answer answer;
    const std::string phrases[] = {"word3 word7"};
    const auto found = NodesWithPhrases(s, phrases, {});
    for (const NodeId v : Must(found).nodes.ToList()) answer << v;
    return answer.text();
  });
  for (const std::string where :
       {"trust > 0.5", "kind = 'decision'", "tag = 't3'", "text like '%word3 %'"})
    all.emplace_back("where " + where, [=](const Snapshot& s) {
      Answer answer;
      WhereOptions options;
      options.make_orders = true;
      const auto found = EvaluateWhere(s, where, options);
      for (const NodeId v : Must(found).nodes.ToList()) answer << v;
      return answer.text();
    });
  for (const ColumnId column : {kTrust, kCreatedAt})
    all.emplace_back("scan of a column", [=](const Snapshot& s) {
      Answer answer;
      NodeScan scan;
      scan.column = column;
      scan.limit = 1000;
      const auto page = ScanNodes(s, scan);
      for (const NodeId v : Must(page).nodes) answer << v;
      return answer.text();
    });
  all.emplace_back("scan of a kind", [](const Snapshot& s) {
    Answer answer;
    NodeScan scan;
    scan.kind = kDecision;
    scan.limit = 1000;
    const auto page = ScanNodes(s, scan);
    for (const NodeId v : Must(page).nodes) answer << v;
    return answer.text();
  });
  for (const int iterations : {0, 3})
    all.emplace_back("pagerank", [=](const Snapshot& s) {
      PageRankOptions options;
      options.iterations = iterations;
      Answer answer;
      const auto ranked = PageRank(s, options);
      for (const double score : Must(ranked).scores) answer << score;
      return answer.text();
    });
  for (const Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth})
    all.emplace_back("traverse", [=](const Snapshot& s) {
      TraverseOptions options;
      options.direction = direction;
      options.top = 50;
      std::vector<NodeWeight> seeds;
      for (NodeId v = 0; v < 30; ++v)
        if (s.alive(v) && s.is_fact(v)) seeds.push_back({v, 1.0});
      Answer answer;
      const auto found = Traverse(s, seeds, options);
      for (const TraverseHit& hit : Must(found).hits) answer << hit.node << hit.score << hit.hops;
      return answer.text();
    });
  all.emplace_back("conflicts", [](const Snapshot& s) {
    Answer answer;
    const auto open = OpenConflicts(s, {.now_ms = kNow});
    for (const Conflict& c : Must(open).conflicts) answer << c.a << c.b << c.since << c.edges;
    return answer.text();
  });
  for (const bool superseded : {false, true})
    all.emplace_back("visible", [=](const Snapshot& s) {
      Answer answer;
      const auto visible = VisibleNodes(s, kNow + 4, {.include_superseded = superseded});
      for (const NodeId v : Must(visible)->ToList()) answer << v;
      return answer.text();
    });
  for (const std::string tool : {"", "recall"})
    all.emplace_back("ledger " + tool, [=](const Snapshot& s) {
      Answer answer;
      EventListOptions options;
      options.limit = 100;
      options.filter.tool = tool;
      const auto page = RecentEvents(s, options);
      for (const LedgerEvent& e : Must(page).events) answer << e.node << e.id << e.outcomes;
      for (NodeId v = 0; v < 50; ++v) {
        const auto of = EventsOf(s, v, options);
        if (of)
          for (const LedgerEvent& e : of->events) answer << v << e.node;
      }
      return answer.text();
    });
  all.emplace_back("outcomes", [](const Snapshot& s) {
    Answer answer;
    const auto values = OutcomeValues(s);
    for (const NodeWeight& w : Must(values)) answer << w.node << w.weight;
    return answer.text();
  });
  all.emplace_back("salience", [](const Snapshot& s) {
    Answer answer;
    const auto salience = Salience(s, {.decisions = {.now_ms = kNow}});
    for (const double score : Must(salience).scores) answer << score;
    return answer.text();
  });
  all.emplace_back("recall", [=](const Snapshot& s) {
    Answer answer;
    const std::string terms[] = {"word3", "word7"};
    RecallQuestion question;
    question.terms = terms;
    question.vector = query;
    question.space = *s.schema().FindSpace("int8");
    const auto found = Recall(s, question, {.now_ms = kNow});
    for (const RecallHit& hit : Must(found).hits) answer << hit.node << hit.score << hit.why;
    return answer.text();
  });
  all.emplace_back("never composed", [](const Snapshot& s) {
    Answer answer;
    NeverComposedOptions options;
    options.band = CosineBand{.space = "int8", .least = 0.2, .below = 0.9};
    const auto page = NeverComposed(s, options);
    for (const NeverComposedSet& set : Must(page).sets) {
      for (const NodeId v : set.members) answer << v;
      answer << set.score;
    }
    return answer.text();
  });
  return all;
}

}  // namespace plexus::testing
