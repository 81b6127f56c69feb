// Csr: building from edges equals a map; the in arrays are the exact transpose.
#include "engine/adjacency/csr.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/edge_model.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

Row CsrRow(const Csr& csr, Direction direction, NodeId v) {
  const StoredCsrView view = csr.view(direction);
  Row row;
  for (std::uint32_t i = view.offsets[v]; i < view.offsets[v + 1]; ++i) {
    EdgeSlot slot = csr.SlotAt(direction, i);
    row.push_back({view.kind(i),
                   view.neighbors[i],
                   csr.labels.Get(slot, 0),
                   {view.weight(i), csr.out_created_at[slot], csr.created_by.Get(slot, 0),
                    csr.valid_from.Get(slot, kNoTime), csr.valid_until.Get(slot, kNoTime),
                    csr.properties.Get(slot, 0)}});
  }
  return row;
}

void CheckCsr(const Csr& csr, const EdgeMap& map, const Schema& schema, NodeId nodes) {
  ASSERT_EQ(csr.node_count, nodes);
  ASSERT_EQ(csr.out_offsets.size(), nodes + 1u);
  ASSERT_EQ(csr.in_offsets.size(), nodes + 1u);
  ASSERT_EQ(csr.out_offsets[0], 0u);
  ASSERT_EQ(csr.in_offsets[0], 0u);
  ASSERT_EQ(csr.out_offsets[nodes], csr.arc_count());
  ASSERT_EQ(csr.in_offsets[nodes], csr.arc_count());
  ASSERT_EQ(csr.in_neighbors.size(), csr.arc_count());
  for (Direction d : {Direction::kOut, Direction::kIn}) {
    auto rows = ModelRows(map, schema, d, nodes);
    for (NodeId v = 0; v < nodes; ++v) ASSERT_EQ(CsrRow(csr, d, v), rows[v]) << "node " << v;
  }
  // Every in arc points at its out arc, each slot once.
  std::vector<bool> seen(csr.arc_count());
  for (NodeId v = 0; v < nodes; ++v)
    for (std::uint32_t i = csr.in_offsets[v]; i < csr.in_offsets[v + 1]; ++i) {
      EdgeSlot slot = csr.OutSlot(i);
      ASSERT_LT(slot, csr.arc_count());
      ASSERT_EQ(csr.SearchOutSlot(i), slot);
      ASSERT_EQ(csr.in_places[i], csr.PlaceOf(csr.in_neighbors[i], slot));
      ASSERT_FALSE(seen[slot]);
      seen[slot] = true;
      ASSERT_EQ(csr.out_neighbors[slot], v);
      NodeId source = csr.in_neighbors[i];
      ASSERT_TRUE(csr.out_offsets[source] <= slot && slot < csr.out_offsets[source + 1]);
    }
  std::uint64_t dense = csr.arc_count() * 11 + (nodes + 1u) * 8u + csr.out_created_at.size_bytes() +
                        csr.out_weights.size_bytes() + csr.in_weights.size_bytes();
  if (!csr.out_kinds_high.empty()) dense += 2 * csr.arc_count();
  EXPECT_EQ(csr.dense_bytes(), dense) << "11 bytes an arc, the times, the weights, 8 a node";
}

TEST(Csr, Empty) {
  Schema schema;
  for (NodeId nodes : {0u, 1u, 5u}) {
    auto csr = BuildCsr(nodes, {}, {}, schema, 9, SerialExecutor());
    ASSERT_TRUE(csr);
    EXPECT_EQ((*csr)->sequence, 9u);
    CheckCsr(**csr, {}, schema, nodes);
    EXPECT_TRUE(ListEdges(**csr, schema).edges.empty());
  }
}

TEST(Csr, OnlyTombstonesGiveNothing) {
  Schema schema;
  EdgeChange e{.source = 0, .target = 1};
  EdgeChange gone = e;
  gone.flags = EdgeChange::kTombstone;
  std::vector<EdgeChange> edges = {gone, e, gone};
  auto csr = BuildCsr(2, edges, {}, schema, 1, SerialExecutor());
  EXPECT_EQ((*csr)->arc_count(), 0u);
  edges.push_back(e);
  csr = BuildCsr(2, edges, {}, schema, 1, SerialExecutor());
  EXPECT_EQ((*csr)->arc_count(), 1u) << "the last change wins";
}

TEST(Csr, EqualsAMapForRandomEdges) {
  Schema schema;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const NodeId node_choices[] = {1, 2, 13, 700, 5000, 40'000};
    ChangeOptions o{.nodes = node_choices[seed % 6], .count = rng() % 2000};
    Changes changes = RandomChanges(rng, schema, o);
    EdgeMap map;
    ApplyChanges(map, changes);
    auto csr = BuildCsr(o.nodes, changes.edges, changes.extras, schema, 1, DefaultExecutor());
    ASSERT_TRUE(csr);
    CheckCsr(**csr, map, schema, o.nodes);
    EXPECT_EQ((*csr)->out_kinds_high.size(), 0u);
  }
}

TEST(Csr, HubRowsAndManyBlocks) {
  Schema schema;
  std::mt19937_64 rng(3);
  const NodeId nodes = 50'000;
  Changes changes = RandomChanges(rng, schema, {.nodes = nodes, .count = 300'000, .extras = 0.01});
  for (std::uint32_t i = 0; i < 100'000; ++i)
    changes.edges.push_back(
        {.source = 7, .target = static_cast<NodeId>(rng() % nodes), .weight = 2});
  for (std::uint32_t i = 0; i < 100'000; ++i)
    changes.edges.push_back(
        {.source = static_cast<NodeId>(rng() % nodes), .target = 9, .weight = 3});
  EdgeMap map;
  ApplyChanges(map, changes);
  auto csr = BuildCsr(nodes, changes.edges, changes.extras, schema, 1, DefaultExecutor());
  ASSERT_TRUE(csr);
  CheckCsr(**csr, map, schema, nodes);
  // The same bytes at any number of threads.
  auto bytes = CsrBytes(**csr);
  auto two = MakeThreadExecutor(2), three = MakeThreadExecutor(3);
  for (Executor* executor : {&SerialExecutor(), two.get(), three.get()}) {
    auto again = BuildCsr(nodes, changes.edges, changes.extras, schema, 1, *executor);
    ASSERT_TRUE(again);
    EXPECT_TRUE(CsrBytes(**again) == bytes);
  }
}

TEST(Csr, MoreThan256Kinds) {
  Schema schema;
  std::vector<EdgeKindId> kinds = {kLink, kContradicts};
  for (int i = 0; i < 400; ++i)
    kinds.push_back(*schema.Define(
        EdgeKind{.name = "k" + std::to_string(i), .inverse = "", .symmetric = i % 7 == 0}));
  ASSERT_GT(schema.edge_kinds().size(), 300u);
  std::mt19937_64 rng(4);
  ChangeOptions o{.nodes = 60, .kinds = kinds, .count = 4000};
  Changes changes = RandomChanges(rng, schema, o);
  EdgeMap map;
  ApplyChanges(map, changes);
  auto csr = BuildCsr(o.nodes, changes.edges, changes.extras, schema, 1, DefaultExecutor());
  ASSERT_TRUE(csr);
  EXPECT_EQ((*csr)->out_kinds_high.size(), (*csr)->arc_count());
  EXPECT_EQ((*csr)->in_kinds_high.size(), (*csr)->arc_count());
  CheckCsr(**csr, map, schema, o.nodes);
}

// Listing the edges and building again gives the same csr, byte for byte.
TEST(Csr, ListEdgesRoundTrip) {
  Schema schema;
  std::mt19937_64 rng(8);
  Changes changes = RandomChanges(rng, schema, {.nodes = 300, .count = 3000});
  auto csr = BuildCsr(300, changes.edges, changes.extras, schema, 1, SerialExecutor());
  ASSERT_TRUE(csr);
  EdgeList list = ListEdges(**csr, schema);
  EdgeMap map, listed;
  ApplyChanges(map, changes);
  ApplyChanges(listed, {list.edges, list.extras});
  EXPECT_TRUE(map == listed);
  ASSERT_EQ(list.edges.size(), map.size()) << "symmetric edges once";
  for (std::size_t i = 1; i < list.edges.size(); ++i)
    ASSERT_LT(IdentityOf(list.edges[i - 1]), IdentityOf(list.edges[i]));
  auto again = BuildCsr(300, list.edges, list.extras, schema, 1, SerialExecutor());
  ASSERT_TRUE(again);
  EXPECT_TRUE(CsrBytes(**again) == CsrBytes(**csr));
}

// -0 equals 0 and is another weight: Verify compares bits.
TEST(Csr, InArraysKeepTheSignOfZero) {
  std::vector<EdgeChange> edges;
  for (NodeId target = 1; target < 5; ++target)
    edges.push_back({0, target, 0, target % 2 ? 0.0f : -0.0f, 7, kLink, EdgeChange::kIsNew, 0});
  const auto csr = BuildCsr(5, edges, {}, Schema(), 1, SerialExecutor());
  ASSERT_TRUE(csr);
  for (NodeId target = 1; target < 5; ++target)
    EXPECT_EQ(std::signbit((*csr)->in().weight((*csr)->in_offsets[target])), target % 2 == 0)
        << target;
}

TEST(Csr, ViewDefaults) {
  CsrView none;
  EXPECT_EQ(none.node_count(), 0u);
  EXPECT_EQ(none.arc_count(), 0u);
  const std::uint32_t offsets[] = {0, 2, 2};
  const NodeId neighbors[] = {0, 1};
  CsrView bare{
      .offsets = offsets, .neighbors = neighbors, .weights = {}, .kinds = {}, .kinds_high = {}};
  EXPECT_EQ(bare.node_count(), 2u);
  EXPECT_EQ(bare.degree(0), 2u);
  EXPECT_EQ(bare.weight(1), 1.0f);
  EXPECT_EQ(bare.kind(1), 0);
}

}  // namespace
}  // namespace plexus
