// The generated shapes are what they say, the same every time, and both programs' files.
#include "bench/graphs/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/connectivity_csr.h"
#include "engine/bulk/topology.h"

namespace plexus::bench {
namespace {

bool SamePairs(const PairList& a, const PairList& b) {
  return std::ranges::equal(a.span(), b.span(), [](const NodePair& x, const NodePair& y) {
    return x.source == y.source && x.target == y.target;
  });
}

TEST(Shapes, AWebHasHubsAndStaysInItsHosts) {
  const PairList web = WebPairs(14);
  EXPECT_EQ(web.node_count, 1u << 14);
  EXPECT_TRUE(SamePairs(web, WebPairs(14)));
  EXPECT_FALSE(SamePairs(web, WebPairs(14, 9)));
  const Topology graph = BuildTopology(web.node_count, web.span(), {}).value();
  NodeId most = 0;
  for (NodeId v = 0; v < graph.node_count; ++v) most = std::max(most, graph.in().degree(v));
  EXPECT_GT(most, 200u);
  const auto near = std::ranges::count_if(web.span(), [](const NodePair& p) {
    return std::max(p.source, p.target) - std::min(p.source, p.target) < 8192;
  });
  EXPECT_GT(near * 4, static_cast<std::ptrdiff_t>(web.span().size()) * 3);
}

TEST(Shapes, AGridIsRoads) {
  const PairList grid = GridPairs(12);
  EXPECT_EQ(grid.node_count, 1u << 12);
  EXPECT_TRUE(SamePairs(grid, GridPairs(12)));
  for (const NodePair& p : grid.span()) {
    const NodeId step = std::max(p.source, p.target) - std::min(p.source, p.target);
    ASSERT_TRUE(step == 1 || step == 64 || step == 65) << p.source << ' ' << p.target;
  }
  TopologyOptions options;
  options.symmetrize = true;
  const Topology graph = BuildTopology(grid.node_count, grid.span(), options).value();
  EXPECT_EQ(graph.arc_count(), grid.span().size());  // both directions were there, nothing twice
  const AlignedArray<NodeId> labels = connectivity::ComponentsCsr(graph.out(), graph.in()).value();
  std::vector<std::uint32_t> sizes(grid.node_count, 0);
  for (NodeId label : labels) ++sizes[label];
  EXPECT_GT(*std::ranges::max_element(sizes), grid.node_count * 9 / 10);
}

TEST(Shapes, TheAgentGraphsEdges) {
  const PairList agent = AgentPairs();
  EXPECT_EQ(agent.node_count, 332'000u);
  EXPECT_GT(agent.span().size(), 340'000u);
}

TEST(Shapes, WeightedFilesComeBack) {
  TopologyOptions options;
  options.symmetrize = true;
  const PairList grid = GridPairs(6);
  const Topology graph = BuildTopology(grid.node_count, grid.span(), options).value();
  const auto path = [](const char* name) {
    return (std::filesystem::path(testing::TempDir()) / name).string();
  };
  const std::string wsg = path("plexus_shape.wsg"), wel = path("plexus_shape.wel");
  ASSERT_TRUE(WriteSerialized(graph, wsg, &ArcWeight));
  AlignedArray<float> weights;
  const auto back = ReadSerialized(wsg, &weights);
  ASSERT_TRUE(back) << back.error().ToString();
  EXPECT_TRUE(std::ranges::equal(back->out_neighbors, graph.out_neighbors));
  ASSERT_EQ(weights.size(), graph.arc_count());
  for (NodeId v = 0; v < graph.node_count; ++v)
    for (std::uint32_t a = graph.out_offsets[v]; a < graph.out_offsets[v + 1]; ++a) {
      ASSERT_EQ(weights[a],
                static_cast<float>(ArcWeight(graph.out_neighbors[a], v)));  // in both directions
      ASSERT_TRUE(weights[a] >= 1 && weights[a] <= 255);
    }
  ASSERT_TRUE(WritePairs(grid.span(), wel, &ArcWeight));
  const auto read = ReadPairs(wel);
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_TRUE(SamePairs(*read, grid));
  std::filesystem::remove(wsg);
  std::filesystem::remove(wel);
}

}  // namespace
}  // namespace plexus::bench
