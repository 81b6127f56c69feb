// Arcs of a few kinds are searched in a long row, not walked to: the same arcs in the same order as
// plain scanning gives, in the base, the delta and both, with any filter. And what a Snapshot or a
// Schema does when it is asked for what it does not have.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus {
using namespace builtin;
namespace {

constexpr EdgeKindId kPool[] = {kLink,    kCauses,  kSupports,    kDependsOn,
                                kRefines, kSimilar, kContradicts, kRelatesTo};
using Seen = std::vector<std::tuple<NodeId, EdgeKindId, float>>;

Seen ByFilter(const Snapshot& s, Direction direction, NodeId node, const ArcFilter& filter) {
  Seen seen;
  s.ForEachArc(direction, node, filter,
               [&](const Arc& a) { seen.emplace_back(a.neighbor, a.kind, a.weight); });
  return seen;
}

// All arcs of the row, those that pass picked by hand.
Seen ByScan(const Snapshot& s, Direction direction, NodeId node, const ArcFilter& filter) {
  Seen seen;
  s.ForEachArc(direction, node, ArcFilter::All(), [&](const Arc& a) {
    if (filter.allows(a.kind) && (!filter.checks_time() || s.PassesTime(a.ref, filter.valid_at())))
      seen.emplace_back(a.neighbor, a.kind, a.weight);
  });
  return seen;
}

void ExpectSame(const Snapshot& s, std::mt19937& random) {
  for (int round = 0; round < 40; ++round) {
    EdgeKinds kinds;
    for (std::size_t i = 0, n = random() % 5; i < n; ++i)
      kinds.push_back(kPool[random() % std::size(kPool)]);
    ArcFilter filter = ArcFilter::Kinds(s.schema(), kinds);
    if (round % 3 == 0) filter = filter.ValidAt(50);
    for (const NodeId node : {NodeId{0}, NodeId{1}, NodeId{7}})
      for (const Direction d : {Direction::kOut, Direction::kIn, Direction::kBoth}) {
        const Seen want = ByScan(s, d, node, filter);
        ASSERT_EQ(ByFilter(s, d, node, filter), want);
        ASSERT_EQ(s.Degree(d, node, filter), want.size());
        std::size_t count = 0;  // stopped half way
        s.ForEachArc(d, node, filter, [&](const Arc&) { return ++count <= want.size() / 2; });
        ASSERT_EQ(count, want.empty() ? 0 : want.size() / 2 + 1);
      }
  }
}

TEST(KindRanges, GiveWhatScanningGives) {
  std::mt19937 random(7);
  GraphOptions options;
  options.maintenance = Maintenance::kManual;
  const auto graph = Graph::InMemory(options);
  const auto grow = [&](int edges) {
    WriteBatch batch(1);
    for (int i = 0; i < edges; ++i) {
      const std::string end = std::to_string(random() % 300);
      const EdgeKindId kind = kPool[random() % std::size(kPool)];
      const std::string hub_key = random() % 4 ? "hub" : "1";
      if (hub_key == end) continue;
      const NodeRef hub = batch.Node(hub_key), other = batch.Node(end);
      if (random() % 9 == 0) {
        batch.Unlink(hub, kind, other);
        continue;
      }
      WriteBatch::EdgeInput edge{.source = hub, .target = other, .kind = kind};
      edge.weight = static_cast<float>(random() % 8);
      if (random() % 3 == 0) edge.valid_until = 10 + random() % 80;
      if (random() % 5 == 0) edge.label = "x";
      if (random() % 4 == 0) std::swap(edge.source, edge.target);
      batch.Link(edge);
    }
    ASSERT_TRUE(graph->Apply(batch));
  };
  {
    WriteBatch first(1);
    first.UpsertNode("hub");
    first.UpsertNode("1");
    ASSERT_TRUE(graph->Apply(first));
  }
  for (const int edges : {20, 900, 40}) {
    grow(edges);  // all in the delta, then beside a base
    ExpectSame(graph->snapshot(), random);
    ASSERT_TRUE(graph->Compact());
    ExpectSame(graph->snapshot(), random);
  }
  grow(100);
  grow(100);
  ExpectSame(graph->snapshot(), random);
}

// A list that came out empty was every kind.
TEST(KindRanges, AnEmptyListIsNoKind) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.UpsertNode("a");
  batch.Link(batch.Node("a"), kSupports, batch.Node("b"));
  batch.Link(batch.Node("a"), kHasTag, batch.IndexNode(kTag, "t"));
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  const auto degree = [&](const EdgeKinds& kinds) {
    return s.Degree(Direction::kOut, 0, ArcFilter::Kinds(s.schema(), kinds));
  };
  const std::vector<EdgeKindId> none;
  EXPECT_EQ(degree(none), 0u);
  EXPECT_EQ(degree({}), 1u) << "no list: the facts";
  EXPECT_EQ(degree({kHasTag}), 1u);
  EXPECT_EQ(degree({kHasTag, kSupports}), 2u);
}

TEST(Snapshot, FindAliveFindsNoRemovedNode) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.UpsertNode("a");
  batch.UpsertNode("b");
  ASSERT_TRUE(graph->Apply(batch));
  WriteBatch gone(2);
  gone.RemoveNode(gone.Node("a"));
  ASSERT_TRUE(graph->Apply(gone));
  const Snapshot s = graph->snapshot();
  EXPECT_TRUE(s.Find("a"));
  EXPECT_FALSE(s.FindAlive("a"));
  EXPECT_EQ(s.FindAlive("b"), 1u);
  EXPECT_FALSE(s.FindAlive("c"));
}

// It had no state at all.
TEST(Snapshot, ADefaultOneIsOfAnEmptyGraph) {
  const Snapshot s;
  EXPECT_EQ(s.node_count(), 0u);
  EXPECT_EQ(s.sequence(), 0u);
  EXPECT_FALSE(s.Find("a"));
  EXPECT_EQ(s.CountEdges(Plane::kFact), 0u);
  EXPECT_EQ(s.schema().node_kind(kMemory).name, "memory");
}

TEST(SnapshotDeathTest, WhatIsNotThereIsAMessage) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.SetI64(batch.UpsertNode("a"), kAccessCount, 3);
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  EXPECT_DEATH((void)s.f64(ColumnId{9999}, 0), "a column is one of the schema's");
  EXPECT_DEATH((void)s.f64(kAccessCount, 0), "a column is read as what it holds");
  EXPECT_DEATH((void)s.i64(kTrust, 0), "a column is read as what it holds");
  EXPECT_DEATH((void)s.string_column(kTrust, 0), "a column is read as what it holds");
  EXPECT_DEATH((void)s.schema().edge_kind(EdgeKindId{9999}), "an edge kind is one of the schema's");
  EXPECT_DEATH((void)s.schema().node_kind(NodeKindId{9999}), "a node kind is one of the schema's");
}

}  // namespace
}  // namespace plexus
