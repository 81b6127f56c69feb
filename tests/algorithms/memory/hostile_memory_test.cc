// Graphs that somebody bends on purpose: cycles of every kind through the same nodes, hubs of a
// hundred thousand edges, sides that went away. Every question ends, and says what the definitions
// say.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/decisions/decisions.h"
#include "engine/graph.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

constexpr std::int64_t kNow = 1000;
constexpr NodeId kHub = 100'000;  // edges

DecisionOptions Now() { return {.now_ms = kNow}; }

// Each decision depends on, blocks, refines, causes, supports, supersedes and contradicts each.
TEST(HostileDecisions, CyclesEverywhere) {
  constexpr std::size_t kNodes = 24;
  for (const bool superseding : {false, true}) {
    CaseGraph g;
    g.AddNodes(kNodes, kDecision);
    std::int64_t made = 0;
    for (std::size_t a = 0; a < kNodes; ++a)
      for (std::size_t b = 0; b < kNodes; ++b) {
        if (a == b) continue;
        for (const EdgeKindId kind : {kDependsOn, kBlocks, kRefines, kCauses, kSupports})
          g.Link(a, kind, b, 1, "", ++made);
        if (superseding) g.Link(a, kSupersedes, b, 1, "", ++made);
        if (a < b) g.Link(a, kContradicts, b, 1, "", ++made);
      }
    g.Commit();
    const Snapshot s = g.snapshot();
    const SalienceResult salience = Salience(s, {.decisions = Now()}).value();
    ASSERT_EQ(salience.cycles.size(), 1u);
    EXPECT_EQ(salience.cycles[0].size(), kNodes);
    for (NodeId v = 0; v < kNodes; ++v) {
      EXPECT_NEAR(salience.scores[v], 1.0 / kNodes, 1e-12);
      EXPECT_EQ(salience.percentiles[v], 0.5);
    }
    // In a cycle of replacements one node stands, which is then held up by nobody.
    const SupersessionHeads heads = AllHeads(s, kNow).value();
    const NodeId standing = superseding ? NodeId{kNodes - 1} : kNoNode;
    for (NodeId v = 0; v < kNodes; ++v) EXPECT_EQ(heads.HeadOf(v), superseding ? standing : v) << v;
    const BlockedChainsResult blocked = BlockedChains(s, {.decisions = Now()}).value();
    EXPECT_EQ(blocked.blocked.size(), superseding ? 0u : kNodes);
    EXPECT_TRUE(blocked.roots.empty());
    for (const BlockedDecision& b : blocked.blocked) {
      EXPECT_TRUE(b.in_cycle);
      EXPECT_EQ(b.root, kNoNode);
      EXPECT_TRUE(ChainOf(s, blocked, b.node, kNow, 100).value().empty());
    }
    EXPECT_EQ(DecisionContradictions(s, Now()).value().conflicts.size(),
              superseding ? 0u : kNodes * (kNodes - 1) / 2);
    const SupersessionWalk walk = WalkSupersession(s, 3, kNow).value();
    EXPECT_EQ(walk.newer.size(), superseding ? kNodes * (kNodes - 1) : 0u);
    for (const SupersessionStep& step : walk.newer) EXPECT_TRUE(step.in_cycle);
    const CompactionResult tiers = CompactionTiers(s, {.salience = {.decisions = Now()}}).value();
    for (const CompactionEntry& e : tiers.entries)
      EXPECT_EQ(e.into, superseding && e.node != standing ? standing : kNoNode);
    EXPECT_TRUE(WorkQueue(s, {.decisions = Now()}));
    // A proposal that closes one more cycle is judged like any other.
    WriteBatch batch(kNow);
    const NodeRef added = batch.UpsertNode("new", kDecision);
    batch.Link(added, kDependsOn, NodeRef::Id(0));
    batch.Link(NodeRef::Id(0), kDependsOn, added);
    const GuardrailRule rules[] = {{.name = "r",
                                    .kinds = {kDependsOn},
                                    .side = TargetSide::kEither,
                                    .target = {.blocked = true},
                                    .message = "{target}"}};
    const auto result =
        CheckGuardrails(s, Preview(s, batch).value(), rules, {.decisions = Now()}).value();
    EXPECT_EQ(result.allowed, superseding);
  }
}

// One decision with a hundred thousand edges.
class Hub : public ::testing::Test {
 protected:
  // decision "hub", and leaves with an edge to it or from it
  Snapshot Make(EdgeKindId kind, bool to_hub) {
    WriteBatch batch(1);
    const NodeRef hub = batch.UpsertNode("hub", kDecision);
    for (NodeId i = 0; i < kHub; ++i) {
      const NodeRef leaf = batch.UpsertNode("leaf " + std::to_string(i), kDecision);
      batch.Link(to_hub ? leaf : hub, kind, to_hub ? hub : leaf);
    }
    EXPECT_TRUE(graph_->Apply(batch));
    return graph_->snapshot();
  }
  const std::unique_ptr<Graph> graph_ = Graph::InMemory();
};

TEST_F(Hub, OfConflictsUnderABudget) {
  const Snapshot s = Make(kContradicts, true);
  EXPECT_EQ(OpenConflicts(s, {.now_ms = kNow}).value().conflicts.size(), kHub);
  for (const NodeId of : {kNoNode, NodeId{0}}) {
    OpenConflictsOptions options{.now_ms = kNow, .of = of};
    options.run.budget.edges = 1000;
    const OpenConflictsResult cut = OpenConflicts(s, options).value();
    EXPECT_TRUE(cut.truncated);
    EXPECT_EQ(cut.conflicts.size(), 1000u);
    options.run.budget = {};
    const std::atomic<bool> cancel = true;
    options.run.budget.cancel = &cancel;
    const OpenConflictsResult none = OpenConflicts(s, options).value();
    EXPECT_TRUE(none.truncated);
    EXPECT_TRUE(none.conflicts.empty());
  }
}

TEST_F(Hub, OfWaitingDecisions) {
  const Snapshot s = Make(kDependsOn, true);
  const BlockedChainsResult r = BlockedChains(s, {.decisions = Now()}).value();
  EXPECT_EQ(r.blocked.size(), kHub);
  ASSERT_EQ(r.roots.size(), 1u);
  EXPECT_EQ(r.roots[0].blocked_count, kHub);
  const SalienceResult salience = Salience(s, {.decisions = Now()}).value();
  EXPECT_EQ(salience.percentiles[0], 1);
  EXPECT_EQ(salience.in_arcs[0], kHub);
}

TEST_F(Hub, OfRoots) {
  const Snapshot s = Make(kDependsOn, false);
  const BlockedChainsResult r = BlockedChains(s, {.decisions = Now()}).value();
  ASSERT_EQ(r.blocked.size(), 1u);
  EXPECT_EQ(r.blocked[0].root_count, 16u);
  EXPECT_TRUE(r.blocked[0].more_roots);
  EXPECT_EQ(BlockersOf(s, 0, Now()).value().size(), kHub);
}

TEST_F(Hub, OfReplacements) {
  const Snapshot s = Make(kSupersedes, true);
  const SupersessionWalk walk = WalkSupersession(s, 0, kNow, 100).value();
  EXPECT_TRUE(walk.truncated);
  EXPECT_EQ(walk.newer.size(), 100u);
  EXPECT_EQ(walk.head, 1u);  // all of one time: the smallest id
  Budget budget;
  const std::atomic<bool> cancel = true;
  budget.cancel = &cancel;
  const SupersessionWalk none = WalkSupersession(s, 0, kNow, 100, budget).value();
  EXPECT_TRUE(none.truncated);
  EXPECT_TRUE(none.newer.empty());
  EXPECT_EQ(none.head, 1u);
}

// Sides that were removed or purged, before the verdict and between verdict and batch.
TEST(HostileConflicts, ASideThatWentAway) {
  for (const bool purge : {false, true}) {
    const auto graph = Graph::InMemory();
    WriteBatch batch(1);
    const NodeRef a = batch.UpsertNode("a", kMemory), b = batch.UpsertNode("b", kMemory);
    batch.Link(a, kContradicts, b);
    ASSERT_TRUE(graph->Apply(batch));
    const Snapshot before = graph->snapshot();
    WriteBatch removal(2);
    if (purge)
      removal.PurgeNode(removal.Node("b"));
    else
      removal.RemoveNode(removal.Node("b"));
    ASSERT_TRUE(graph->Apply(removal));
    for (const VerdictKind kind : {VerdictKind::kSupersede, VerdictKind::kDrop,
                                   VerdictKind::kKeepBoth, VerdictKind::kAgrees})
      for (const NodeId goes : {NodeId{0}, NodeId{1}}) {
        const Verdict verdicts[] = {{0, 1, kind, goes, ""}};
        const auto late = Resolve(graph->snapshot(), verdicts, {.now_ms = kNow});
        ASSERT_FALSE(late);
        EXPECT_EQ(late.error().code, ErrorCode::kNotFound);
        EXPECT_NE(late.error().message.find(purge ? "purged" : "removed"), std::string::npos)
            << late.error().message;
        // Judged before, written after.
        const auto early = Resolve(before, verdicts, {.now_ms = kNow});
        ASSERT_TRUE(early) << early.error().message;
        const Sequence sequence = graph->snapshot().sequence();
        const auto applied = graph->Apply(early->batch);
        ASSERT_FALSE(applied);
        EXPECT_EQ(applied.error().code, ErrorCode::kConflict);
        EXPECT_EQ(graph->snapshot().sequence(), sequence);
      }
  }
}

// A memory never contradicts itself: no edge can say so, no verdict either.
TEST(HostileConflicts, Itself) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.UpsertNode("a", kMemory);
  ASSERT_TRUE(graph->Apply(batch));
  WriteBatch loop(2);
  loop.Link(loop.Node("a"), kContradicts, loop.Node("a"));
  EXPECT_FALSE(graph->Apply(loop));
  for (const VerdictKind kind : {VerdictKind::kContradicts, VerdictKind::kSupersede}) {
    const Verdict verdicts[] = {{0, 0, kind, 0, ""}};
    const auto result = Resolve(graph->snapshot(), verdicts, {.now_ms = kNow});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(OpenConflicts(graph->snapshot(), {.now_ms = kNow}).value().conflicts.empty());
}

}  // namespace
}  // namespace plexus::testing
