// MeasureBytes: the sum is the sum, the budget per edge and node is kept, every
// part shows up when it is used.
#include "engine/monitoring/monitoring.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/vocabulary.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

std::uint64_t Sum(const metrics::GraphBytes& b) {
  return b.csr + b.sparse + b.delta + b.nodes + b.keys + b.strings + b.columns + b.payload_refs +
         b.vectors + b.derived;
}

TEST(Stats, EmptyGraph) {
  WriterHarness live;
  metrics::GraphBytes b = metrics::MeasureBytes(live.snapshot());
  EXPECT_EQ(b.total, Sum(b));
  EXPECT_EQ(b.per_edge, 0);
  EXPECT_EQ(b.per_node, 0);
  EXPECT_EQ(b.columns, 0u);
  EXPECT_EQ(b.vectors, 0u);
}

TEST(Stats, TheBudgetOfDesignSection3) {
  WriterHarness live;
  constexpr int kNodes = 20'000, kArcs = 100'000;
  ASSERT_TRUE(live.Do([](WriteBatch& b) {
    std::vector<NodeRef> nodes;
    for (int i = 0; i < kNodes; ++i) nodes.push_back(b.Node("n" + std::to_string(i)));
    for (int i = 0; i < kArcs; ++i)
      b.Link(nodes[i % kNodes], kLink, nodes[(i * 7 + i / kNodes) % kNodes]);
  }));
  EXPECT_GT(metrics::MeasureBytes(live.snapshot()).delta, 0u);
  const std::uint64_t edges = live.snapshot().CountEdges(Plane::kFact);
  live.Compact();
  metrics::GraphBytes b = metrics::MeasureBytes(live.snapshot());
  EXPECT_EQ(b.total, Sum(b));
  EXPECT_LE(b.per_edge, 20);
  EXPECT_LE(b.per_node, 16);
  const std::uint64_t times = live.snapshot().base().out_created_at.size_bytes();
  EXPECT_LE(times, edges / 4);  // one time: bits, not values
  constexpr std::uint64_t kOneWeight = 2 * sizeof(float);
  EXPECT_EQ(b.csr, edges * 11 + times + kOneWeight + 8 * (live.snapshot().node_count() + 1u));
  EXPECT_EQ(b.sparse, 0u);
  EXPECT_EQ(b.columns, 0u) << "no column was written";
}

TEST(Stats, EveryPartCounts) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](WriteBatch& b) {
    b.DefineSpace({"s", 100, Metric::kL2});
    NodeRef x = b.UpsertNode("x");
    b.SetF64(x, kTrust, 1);
    b.SetPayload(x, NodeField::kText, "t");
    b.SetVector(x, b.SpaceNamed("s"), std::vector<float>(100, 1.0f));
    b.Link({.source = x, .target = b.Node("y"), .kind = kLink, .label = "label"});
  }));
  live.Compact();
  metrics::GraphBytes b = metrics::MeasureBytes(live.snapshot());
  EXPECT_GT(b.sparse, 0u);
  EXPECT_GT(b.columns, 0u);
  EXPECT_GT(b.payload_refs, 0u);
  EXPECT_GE(b.vectors, 400u);
  EXPECT_GT(b.keys, 0u);
  EXPECT_GT(b.strings, 0u);
  EXPECT_EQ(b.total, Sum(b));
}

}  // namespace
}  // namespace plexus
