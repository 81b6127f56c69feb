// Graph::Load believes nothing: what is wrong in a load is refused by name, and nothing is changed;
// what is right is the graph that the same batches make. (The file importers' loads, the log and
// crashes: tests/storage.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/graph.h"
#include "tests/engine/bulk/edge_loads.h"
#include "tests/support/dump.h"

namespace plexus::testing {
using namespace builtin;
namespace {

TEST(EdgeLoad, IsTheGraphOfItsBatchesOrRefusedByName) {
  for (const LoadCase& c : LoadCases()) {
    SCOPED_TRACE(c.name);
    const auto graph = Graph::InMemory();
    const auto report = graph->Load(c.make());
    if (!c.error.empty()) {
      ASSERT_FALSE(report);
      EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
      EXPECT_NE(report.error().message.find(c.error), std::string::npos) << report.error().message;
      EXPECT_EQ(graph->snapshot().sequence(), 0u);
      EXPECT_FALSE(graph->read_only());
      EXPECT_TRUE(graph->Load(LoadOf({"x"}, [] {
        std::vector<LoadBatch> batches;
        batches.push_back(BatchOf({{0, 0}}, 1));
        return batches;
      }())));
      continue;
    }
    ASSERT_TRUE(report) << report.error().ToString();
    const auto applied = Graph::InMemory();
    EdgeLoad load = c.make();
    const StringTable::View keys = load.keys.Publish();
    for (const WriteBatch& batch : BatchesOf(load, keys)) {
      const auto ok = applied->Apply(batch);
      ASSERT_TRUE(ok) << ok.error().ToString();
    }
    EXPECT_TRUE(SameText(Dump(applied->snapshot()), Dump(graph->snapshot())));
  }
}

// Kinds, labels, times and weights, at any number of threads; then both go on the same way.
TEST(EdgeLoad, IsWhatRandomBatchesMake) {
  const auto three = MakeThreadExecutor(3);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t most = seed % 20 == 0 ? 60'000 : seed % 3 ? 300 : 20;
    GraphOptions options;
    options.executor = seed % 2 ? three.get() : &SerialExecutor();
    const auto loaded = Graph::InMemory(options), applied = Graph::InMemory(options);
    EdgeLoad load = RandomLoad(seed, most);
    const StringTable::View keys = load.keys.Publish();
    ChangeCounts nodes, edges;
    for (const WriteBatch& batch : BatchesOf(load, keys)) {
      const auto report = applied->Apply(batch);
      ASSERT_TRUE(report) << report.error().ToString();
      nodes.added += report->nodes.added;
      edges.added += report->edges.added;
      edges.changed += report->edges.changed;
      edges.same += report->edges.same;
    }
    const auto report = loaded->Load(std::move(load));
    ASSERT_TRUE(report) << report.error().ToString();
    EXPECT_EQ(report->nodes.added, nodes.added);
    EXPECT_EQ(report->edges.added, edges.added);
    EXPECT_EQ(report->edges.changed, edges.changed);
    EXPECT_EQ(report->edges.same, edges.same);
    ASSERT_TRUE(applied->Compact());
    ASSERT_TRUE(SameText(Dump(applied->snapshot()), Dump(loaded->snapshot())));
    const GraphState &a = applied->snapshot().state(), &b = loaded->snapshot().state();
    EXPECT_EQ(a.edges_by_kind, b.edges_by_kind);
    EXPECT_EQ(a.nodes_by_kind, b.nodes_by_kind);
    const EdgeList x = ListEdges(*a.base, *a.schema), y = ListEdges(*b.base, *b.schema);
    EXPECT_EQ(x.extras.size(), y.extras.size());
    const auto same = [](const auto& left, const auto& right) {
      return std::ranges::equal(left.span(), right.span());
    };
    EXPECT_TRUE(same(a.base->out_kinds_high, b.base->out_kinds_high));
    EXPECT_TRUE(same(a.base->in_places, b.base->in_places));
    EXPECT_TRUE(same(a.base->in_kinds, b.base->in_kinds));
    EXPECT_EQ(a.base->labels.slots, b.base->labels.slots);
    for (const auto& graph : {loaded.get(), applied.get()}) {
      WriteBatch more(2'000'000);
      WriteBatch::EdgeInput edge;
      edge.source = more.Node("key 0");
      edge.target = more.Node("new");
      edge.kind = more.EdgeKindNamed("later");
      edge.label = "l later";
      more.Link(edge);
      more.RemoveNode(more.Node("key 1"));
      ASSERT_TRUE(graph->Apply(more));
    }
    ASSERT_TRUE(SameText(Dump(applied->snapshot()), Dump(loaded->snapshot())));
  }
}

// -0 is 0, also where the sign says that an edge was changed.
TEST(EdgeLoad, AWeightOfMinusZeroIsZero) {
  const auto graph = Graph::InMemory();
  std::vector<LoadBatch> batches;
  batches.push_back(BatchOf({{0, 1}}, 2, {-0.0f}));
  const auto report = graph->Load(LoadOf({"a", "b"}, std::move(batches)));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->edges.added, 1u);
  EXPECT_FALSE(std::signbit(graph->snapshot().FindEdge(0, kLink, 1)->weight));
}

}  // namespace
}  // namespace plexus::testing
