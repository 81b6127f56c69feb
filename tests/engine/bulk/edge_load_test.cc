// Graph::Load believes nothing: what is wrong in a load is refused by name, and nothing is changed;
// what is right is the graph that the same batches make. (The file importers' loads, the log and
// crashes: tests/storage.)
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "engine/graph.h"
#include "tests/engine/bulk/edge_loads.h"
#include "tests/support/dump.h"

namespace plexus::testing {
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
