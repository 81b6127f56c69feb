// Recall of hostile graphs and with hostile options: hubs under a budget, cycles, self-conflicts,
// purged sides, numbers that are none; reopened and of the past.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "algorithms/memory/recall/recall.h"
#include "algorithms/retrieval/plan.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "storage/database.h"
#include "tests/support/store_test_util.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
using namespace retrieval;
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string ErrorOf(const Result<RecallResult>& result) {
  return result ? "" : result.error().message;
}

// "m0" ... in a chain of supports, each with term "x"; m0 first.
std::unique_ptr<Graph> Chain(int count) {
  auto graph = Graph::InMemory();
  WriteBatch b(10);
  for (int i = 0; i < count; ++i) {
    const NodeRef node = b.UpsertNode("m" + std::to_string(i), NodeKindRef(kMemory));
    b.Link(node, kHasTerm, b.IndexNode(kTerm, "x"));
    if (i > 0) b.Link(b.Node("m" + std::to_string(i - 1)), kSupports, node, 1);
  }
  EXPECT_TRUE(graph->Apply(b));
  return graph;
}

class RecallHostile : public ::testing::Test {
 protected:
  RecallHostile() { question_.terms = terms_; }
  const std::vector<std::string> terms_ = {"x"};
  RecallQuery question_;
};

TEST_F(RecallHostile, OptionsOutOfRangeAreRefused) {
  const auto graph = Chain(3);
  const Snapshot s = graph->snapshot();
  const auto with = [&](auto&& change) {
    RecallOptions options;
    change(options);
    return ErrorOf(Recall(s, question_, options));
  };
  const auto planned = [&](auto&& change) {
    RetrievalPlan plan = FindPlan(kListsPlan)->plan;
    plan.fuse = Fusion::kSum;
    change(plan.score);
    return with([&](RecallOptions& o) { o.plan = &plan; });
  };
  for (const double bad : {kNaN, -1.0, std::numeric_limits<double>::infinity(), 1e10})
    EXPECT_EQ(planned([&](PlanScore& score) { score[PlanTerm::kRecency] = bad; }),
              "score.recency: it must be a number from 0 to 1,000,000,000");
  EXPECT_NE(planned([](PlanScore& score) { score.weights = {}; }), "");
  EXPECT_NE(planned([](PlanScore& score) { score.half_life_ms = 0; }), "");
  EXPECT_NE(planned([](PlanScore& score) { score.full_count = 0; }), "");
  EXPECT_NE(with([](RecallOptions& o) { o.related_hops = 9; }), "");
  EXPECT_NE(with([](RecallOptions& o) { o.related_hops = -1; }), "");
  EXPECT_NE(with([](RecallOptions& o) { o.related_top = 0; }), "");
  EXPECT_NE(with([](RecallOptions& o) { o.near_duplicate = kNaN; }), "");
  EXPECT_NE(with([](RecallOptions& o) { o.near_duplicate = 0; }), "");
  const ColumnId no_numbers[] = {kCreatedAt};
  EXPECT_NE(with([&](RecallOptions& o) { o.salience.columns = no_numbers; }), "");
  const NodeId no_tag[] = {0};
  EXPECT_NE(with([&](RecallOptions& o) { o.preferred.tags = no_tag; }), "");
  EXPECT_EQ(with([](RecallOptions&) {}), "");
  const NodeWeight gone[] = {{99, 1}}, bad_weight[] = {{0, kNaN}};
  RecallQuery keys;
  keys.keys = gone;
  EXPECT_FALSE(Recall(s, keys));
  keys.keys = bad_weight;
  EXPECT_FALSE(Recall(s, keys));
}

TEST_F(RecallHostile, AHubIsCutAndSaysSo) {
  constexpr int kLeaves = 100'000;
  auto graph = Graph::InMemory();
  WriteBatch b(10);
  const NodeRef hub = b.UpsertNode("hub", NodeKindRef(kMemory));
  b.Link(hub, kHasTerm, b.IndexNode(kTerm, "x"));
  const NodeRef near = b.UpsertNode("near", NodeKindRef(kMemory));
  b.Link(near, kHasTerm, b.IndexNode(kTerm, "x"));
  b.Link(near, kSupports, hub, 1);
  for (int i = 0; i < kLeaves; ++i) {
    const NodeRef leaf = b.UpsertNode("l" + std::to_string(i), NodeKindRef(kMemory));
    b.Link(hub, i % 2 ? kCauses : kContradicts, leaf, 1);
  }
  ASSERT_TRUE(graph->Apply(b));
  const Snapshot s = graph->snapshot();
  RecallOptions options;
  options.related_hops = 2;
  const RecallResult result = Recall(s, question_, options).value();
  ASSERT_EQ(result.hits.size(), 2u);
  for (const RecallHit& hit : result.hits) {
    EXPECT_EQ(hit.related.size(), 20u);
    EXPECT_TRUE(hit.related_truncated);
  }
  EXPECT_EQ(result.hits[1].related[0].text, "near supports hub");
  EXPECT_TRUE(result.conflicts_truncated);
  EXPECT_EQ(result.hits[0].contradicted_by.size(), 1'000u);
  RelatedOptions related;
  related.hops = 8;
  related.max_edges = 500;
  EXPECT_LE(RelatedTo(s, 0, related).value().edges, 500u);
  // Its own use looks at some of its edges alone.
  const NodeId nodes[] = {*s.Find("hub"), *s.Find("near")};
  EXPECT_TRUE(ProposeReinforcement(s, nodes, {.now_ms = 20, .max_edges = 10}).value().truncated);
  // As a start node: what the budget reaches.
  const NodeWeight from[] = {{0, 1}};
  RecallQuery keys;
  keys.keys = from;
  RetrievalPlan plan = FindPlan(kListsPlan)->plan;
  plan.expand.max_arcs = 1'000;
  plan.top = 5;
  options.plan = &plan;
  const RecallResult around = Recall(s, keys, options).value();
  EXPECT_TRUE(around.truncated);
  EXPECT_LE(around.hits.size(), 5u);
}

TEST_F(RecallHostile, CyclesAndSelfConflicts) {
  auto graph = Chain(4);
  WriteBatch b(20);
  const auto node = [&](int i) { return b.Node("m" + std::to_string(i)); };
  b.Link(node(3), kSupports, node(0), 1);
  b.Link(node(2), kLink, node(2), 1);
  b.Link(node(0), kSupersedes, node(1), 1);
  b.Link(node(1), kSupersedes, node(2), 1);
  b.Link(node(2), kSupersedes, node(0), 1);
  ASSERT_TRUE(graph->Apply(b));
  WriteBatch self(30);
  self.Link(self.Node("m1"), kContradicts, self.Node("m1"), 1);
  EXPECT_FALSE(graph->Apply(self));  // refused at the door
  const Snapshot s = graph->snapshot();
  RecallOptions options;
  options.related_hops = kMaxRelatedHops;
  const RecallResult one = Recall(s, question_, options).value();
  EXPECT_EQ(one.hits.size(), 2u);  // one of the cycle, and m3
  EXPECT_TRUE(one.conflicts.empty());
  options.include_superseded = true;
  const RecallResult all = Recall(s, question_, options).value();
  ASSERT_EQ(all.hits.size(), 4u);
  std::set<NodeId> heads;
  for (const RecallHit& hit : all.hits) {
    if (hit.superseded_by) heads.insert(*hit.superseded_by);
    for (const Relation& r : hit.related) EXPECT_NE(r.node, r.from);
    EXPECT_TRUE(hit.contradicted_by.empty());
  }
  EXPECT_EQ(heads.size(), 1u);
}

TEST_F(RecallHostile, APurgedSideIsNoConflict) {
  auto graph = Chain(3);
  WriteBatch b(20);
  b.Link(b.Node("m0"), kContradicts, b.Node("m1"), 1);
  ASSERT_TRUE(graph->Apply(b));
  RecallOptions options;
  options.exclude_contradicted = true;
  const RecallResult before = Recall(graph->snapshot(), question_, options).value();
  EXPECT_EQ(before.hits.size(), 1u);
  EXPECT_EQ(before.excluded, 2u);
  EXPECT_EQ(before.conflicts.size(), 1u);
  WriteBatch purge(30);
  purge.PurgeNode(purge.Node("m1"));
  ASSERT_TRUE(graph->Apply(purge));
  const RecallResult after = Recall(graph->snapshot(), question_, options).value();
  EXPECT_EQ(after.hits.size(), 2u);
  EXPECT_TRUE(after.conflicts.empty());
}

TEST_F(RecallHostile, TimesAtTheEndsOfTheirRange) {
  auto graph = Chain(2);
  WriteBatch b(20);
  b.SetI64(b.Node("m0"), kAccessedAt, kMaxTimeMs);
  b.SetI64(b.Node("m1"), kAccessedAt, -kMaxTimeMs);
  b.SetI64(b.Node("m1"), kAccessCount, std::numeric_limits<std::int64_t>::max());
  b.SetF64(b.Node("m0"), kRetention, 1e300);
  b.SetF64(b.Node("m1"), kRetention, -1e300);
  ASSERT_TRUE(graph->Apply(b));
  RecallOptions options;
  options.now_ms = 1'700'000'000'000;
  RetrievalPlan plan = FindPlan(kListsPlan)->plan;
  plan.fuse = Fusion::kSum;
  plan.score[PlanTerm::kRecency] = plan.score[PlanTerm::kSalience] = 1;
  plan.score[PlanTerm::kFrequency] = plan.score[PlanTerm::kScope] = 1;
  options.plan = &plan;
  const RecallResult result = Recall(graph->snapshot(), question_, options).value();
  for (const RecallHit& hit : result.hits)
    for (const ScoreTerm& term : hit.terms) EXPECT_TRUE(term.value >= 0 && term.value <= 1);
}

TEST_F(RecallHostile, ReopenedAndOfThePast) {
  const storage_internal::testing::ScratchDirectory dir;
  OpenOptions open;
  open.create = true;
  auto database = Database::Open(dir.path(), open);
  ASSERT_TRUE(database) << database.error().ToString();
  RecallOptions options;
  options.related_hops = 2;
  options.include_superseded = true;
  RetrievalPlan plan = FindPlan(kListsPlan)->plan;
  plan.fuse = Fusion::kSum;
  plan.score[PlanTerm::kRecency] = plan.score[PlanTerm::kFrequency] = 1;
  plan.score[PlanTerm::kSalience] = 1;
  options.plan = &plan;
  const auto shown = [&](const Snapshot& s) {
    std::string text;
    const RecallResult result = Recall(s, question_, options).value();
    for (const RecallHit& hit : result.hits) {
      text += std::string(s.key(hit.node)) + " " + std::to_string(hit.score) + " " + hit.why + "\n";
      for (const Relation& r : hit.related) text += "  " + r.text + "\n";
    }
    return text;
  };
  std::vector<std::pair<Sequence, std::string>> asked;
  for (int step = 0; step < 6; ++step) {
    WriteBatch b(10 + step);
    const NodeRef node = b.UpsertNode("m" + std::to_string(step), NodeKindRef(kMemory));
    b.Link(node, kHasTerm, b.IndexNode(kTerm, "x"), static_cast<float>(1 + step));
    if (step > 0)
      b.Link(node, step % 2 ? kSupersedes : kSupports, b.Node("m" + std::to_string(step - 1)),
             0.5f);
    ASSERT_TRUE((*database)->graph().Apply(b));
    const Snapshot s = (*database)->snapshot();
    asked.emplace_back(s.sequence(), shown(s));
    std::vector<NodeId> nodes;
    for (NodeId v = 0; v < s.node_count(); ++v)
      if (s.is_fact(v)) nodes.push_back(v);
    ASSERT_TRUE((*database)->graph().Apply(
        ProposeReinforcement(s, nodes, {.now_ms = 10 + step}).value().batch));
    if (step == 3) {
      const std::string before = shown((*database)->snapshot());
      ASSERT_TRUE((*database)->Close());
      database = Database::Open(dir.path(), open);
      ASSERT_TRUE(database) << database.error().ToString();
      EXPECT_EQ(shown((*database)->snapshot()), before);
    }
  }
  for (const auto& [sequence, text] : asked) {
    const auto past = (*database)->AsOf(sequence);
    ASSERT_TRUE(past) << past.error().ToString();
    EXPECT_EQ(shown(*past), text);
  }
  ASSERT_TRUE((*database)->Close());
}

}  // namespace
}  // namespace plexus::testing
