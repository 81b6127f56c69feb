// The use of memories as a batch: counted, dated, edges among them reinforced; and what makes it
// fail whole.
#include "algorithms/memory/recall/recall.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <set>

#include "engine/graph.h"
#include "tests/algorithms/memory/recall_world.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

ReinforcementOptions At(std::int64_t now, double reinforce = 0.2) {
  return {.now_ms = now, .reinforce = reinforce};
}

class Used : public ::testing::Test {
 protected:
  void SetUp() override {
    WriteBatch b(10);
    for (const char* key : {"a", "b", "c"}) b.UpsertNode(key, NodeKindRef(kMemory));
    b.Link(b.Node("a"), kSupports, b.Node("b"), 0.5f);
    b.Link(b.Node("b"), kRelatesTo, b.Node("a"), 0.25f);
    b.Link(b.Node("a"), kContradicts, b.Node("b"), 0.5f);
    b.Link(b.Node("b"), kSupersedes, b.Node("a"), 0.5f);
    b.Link(b.Node("a"), kSupports, b.Node("c"), 0.5f);
    b.Link(b.Node("a"), kLink, b.Node("a"), 0.5f);
    b.Link(b.Node("b"), kCauses, b.Node("a"), 1.5f);
    ASSERT_TRUE(graph_->Apply(b));
  }
  float Weight(NodeId a, EdgeKindId kind, NodeId b) const {
    return graph_->snapshot().FindEdge(a, kind, b)->weight;
  }
  std::unique_ptr<Graph> graph_ = Graph::InMemory();
};

TEST_F(Used, CountsDatesAndReinforces) {
  const NodeId memories[] = {1, 0, 1};
  const ReinforcementResult use =
      ProposeReinforcement(graph_->snapshot(), memories, At(500)).value();
  EXPECT_EQ(use.memories, 2u);
  EXPECT_EQ(use.edges, 2u);
  ASSERT_TRUE(graph_->Apply(use.batch));
  const Snapshot s = graph_->snapshot();
  for (const NodeId node : {0u, 1u}) {
    EXPECT_EQ(s.i64(kAccessCount, node), 1);
    EXPECT_EQ(s.i64(kAccessedAt, node), 500);
  }
  EXPECT_FALSE(s.i64(kAccessCount, 2));
  EXPECT_FLOAT_EQ(Weight(0, kSupports, 1), 0.6f);
  EXPECT_FLOAT_EQ(Weight(0, kRelatesTo, 1), 0.4f);
  // Not those that set memories against each other, nor what leaves the list, nor weights beyond 1.
  EXPECT_EQ(Weight(0, kContradicts, 1), 0.5f);
  EXPECT_EQ(Weight(1, kSupersedes, 0), 0.5f);
  EXPECT_EQ(Weight(0, kSupports, 2), 0.5f);
  EXPECT_EQ(Weight(0, kLink, 0), 0.5f);
  EXPECT_EQ(Weight(1, kCauses, 0), 1.5f);
  // Another use: one more, and an earlier moment does not turn the date back.
  ASSERT_TRUE(graph_->Apply(ProposeReinforcement(s, memories, At(400, 0)).value().batch));
  EXPECT_EQ(graph_->snapshot().i64(kAccessCount, 0), 2);
  EXPECT_EQ(graph_->snapshot().i64(kAccessedAt, 0), 500);
  EXPECT_FLOAT_EQ(Weight(0, kSupports, 1), 0.6f);
  // a = 1 makes it whole; nothing is left to change then.
  ASSERT_TRUE(
      graph_->Apply(ProposeReinforcement(graph_->snapshot(), memories, At(600, 1)).value().batch));
  EXPECT_EQ(Weight(0, kSupports, 1), 1.0f);
  EXPECT_EQ(ProposeReinforcement(graph_->snapshot(), memories, At(600, 1)).value().edges, 0u);
}

TEST_F(Used, ACancelledUseSaysThatItIsNotAll) {
  const NodeId memories[] = {0, 1};
  const std::atomic<bool> cancelled = true;
  ReinforcementOptions options = At(500);
  options.run.budget.cancel = &cancelled;
  const ReinforcementResult use =
      ProposeReinforcement(graph_->snapshot(), memories, options).value();
  EXPECT_TRUE(use.stopped);
  EXPECT_EQ(use.memories, 0u);
  EXPECT_TRUE(use.batch.empty());
  EXPECT_FALSE(ProposeReinforcement(graph_->snapshot(), memories, At(500)).value().stopped);
}

TEST_F(Used, UsesOfManyWritersAddUp) {
  const NodeId memories[] = {0, 2};
  const Snapshot s = graph_->snapshot();
  const WriteBatch one = ProposeReinforcement(s, memories, At(500)).value().batch,
                   two = ProposeReinforcement(s, memories, At(501)).value().batch;
  ASSERT_TRUE(graph_->Apply(one));
  ASSERT_TRUE(graph_->Apply(two));
  EXPECT_EQ(graph_->snapshot().i64(kAccessCount, 0), 2);
}

TEST_F(Used, FailsWholeAndSaysWhy) {
  const NodeId memories[] = {0, 1};
  const WriteBatch use = ProposeReinforcement(graph_->snapshot(), memories, At(500)).value().batch;
  WriteBatch gone(20);
  gone.Unlink(gone.Node("a"), kSupports, gone.Node("b"));
  ASSERT_TRUE(graph_->Apply(gone));
  const auto refused = graph_->Apply(use);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_NE(refused.error().message.find("supports"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(graph_->snapshot().i64(kAccessCount, 0));
  // A purged memory is not brought back.
  const WriteBatch again =
      ProposeReinforcement(graph_->snapshot(), memories, At(500)).value().batch;
  WriteBatch purge(30);
  purge.PurgeNode(purge.Node("b"));
  ASSERT_TRUE(graph_->Apply(purge));
  EXPECT_EQ(graph_->Apply(again).error().code, ErrorCode::kConflict);
  EXPECT_FALSE(graph_->snapshot().i64(kAccessCount, 0));
  // A count that is full.
  WriteBatch full(40);
  full.SetI64(full.Node("a"), kAccessCount, std::numeric_limits<std::int64_t>::max());
  ASSERT_TRUE(graph_->Apply(full));
  const NodeId a[] = {0};
  EXPECT_FALSE(graph_->Apply(ProposeReinforcement(graph_->snapshot(), a, At(500)).value().batch));
}

TEST_F(Used, BadInput) {
  const NodeId none[] = {99}, good[] = {0};
  const Snapshot s = graph_->snapshot();
  EXPECT_EQ(ProposeReinforcement(s, none, At(1)).error().code, ErrorCode::kInvalidArgument);
  for (const double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(ProposeReinforcement(s, good, At(1, bad)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(ProposeReinforcement(s, {}, At(1)).value().batch.empty());
  WriteBatch remove(20);
  remove.RemoveNode(remove.Node("a"));
  ASSERT_TRUE(graph_->Apply(remove));
  EXPECT_EQ(ProposeReinforcement(graph_->snapshot(), good, At(1)).error().code,
            ErrorCode::kInvalidArgument);
}

// Every edge between two used memories, and no other one, by the record.
TEST(RecallUseReference, ReinforcesEveryEdgeAmongTheMemories) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RecallRecord record;
    ForEachCase({RecallCase(seed, record)}, [&](const CaseGraph& g, Shape) {
      const std::int64_t now = 15 * kRecallHour;
      const Snapshot s = g.snapshot();
      std::vector<NodeId> used;
      for (NodeId v = 0; v < kRecallFacts; ++v)
        if (g.alive(v) && (v + seed) % 3 != 0) used.push_back(v);
      const ReinforcementResult use = ProposeReinforcement(s, used, At(now)).value();
      const auto after = Preview(s, use.batch);
      ASSERT_TRUE(after) << after.error().ToString();
      std::uint64_t changed = 0;
      const auto world = WorldOf(g, now, {});
      for (const reference::RelatedEdge& e : world.edges) {
        const auto kind = s.schema().FindEdgeKind(e.kind)->kind;
        const auto find = [&](const Snapshot& in) {
          for (StringId label = 0;; ++label)
            if (in.string(label) == e.label) return *in.FindEdge(e.source, kind, e.target, label);
        };
        const float before = find(s).weight, now_weight = find(after->snapshot).weight;
        const bool both = std::ranges::binary_search(used, e.source) &&
                          std::ranges::binary_search(used, e.target) && e.source != e.target;
        float wanted = before;
        if (both && !e.suppresses && kind != kContradicts && before >= 0 && before < 1)
          wanted = static_cast<float>(1 - (1 - static_cast<double>(before)) * 0.8);
        EXPECT_EQ(now_weight, wanted);
        changed += wanted != before;
      }
      EXPECT_EQ(use.edges, changed);
      for (NodeId v = 0; v < kRecallFacts; ++v)
        EXPECT_EQ(after->snapshot.i64(kAccessCount, v).value_or(0),
                  s.i64(kAccessCount, v).value_or(0) + std::ranges::binary_search(used, v));
    });
  }
}

}  // namespace
}  // namespace plexus::testing
