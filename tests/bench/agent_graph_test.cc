// The agent graph: its counts are those of the memory-edge table, its edges are what
// their kinds say, and the same options give the same graph.
#include "bench/graphs/agent_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/vocabulary.h"

namespace plexus::bench {
using namespace builtin;
namespace {

const AgentGraph& Whole() {
  static const AgentGraph graph = MakeAgentGraph();
  return graph;
}

TEST(AgentGraph, CountsOfTheEdgeTable) {
  std::map<EdgeKindId, std::size_t> count;
  for (const AgentEdge& edge : Whole().edges) ++count[edge.kind];
  EXPECT_EQ(count.size(), 5u);
  EXPECT_EQ(count[kTemporal], Whole().turns - Whole().sessions);
  EXPECT_NEAR(static_cast<double>(count[kTemporal]), 266'000, 2'000);
  EXPECT_EQ(count[kReferential], 50'000u);
  EXPECT_EQ(count[kCausal], 5'000u);
  EXPECT_EQ(count[kCategorical], 20'000u);
  EXPECT_EQ(count[kTrajectory], 121u);
}

TEST(AgentGraph, EdgesAreWhatTheirKindsSay) {
  const AgentGraph& graph = Whole();
  std::set<std::tuple<NodeId, EdgeKindId, NodeId>> seen;
  for (const AgentEdge& e : graph.edges) {
    ASSERT_LT(std::max(e.source, e.target), graph.turns);
    ASSERT_NE(e.source, e.target);
    ASSERT_TRUE(e.weight > 0 && e.weight <= 1) << e.weight;
    ASSERT_TRUE(seen.emplace(e.source, e.kind, e.target).second);
    if (e.kind == kTemporal || e.kind == kTrajectory) {
      ASSERT_LT(e.source, e.target);
      ASSERT_EQ(graph.session[e.source], graph.session[e.target]);
    } else if (e.kind == kReferential) {
      ASSERT_GT(e.source, e.target);
      ASSERT_NE(graph.session[e.source], graph.session[e.target]);
    } else if (e.kind == kCausal) {
      ASSERT_GT(e.source, e.target);
    } else {
      ASSERT_LT(e.source, e.target);
    }
  }
  EXPECT_TRUE(std::is_sorted(graph.created_at.begin(), graph.created_at.end()));
}

TEST(AgentGraph, FilesAreZipfAndTurnsHaveHubs) {
  std::vector<std::size_t> readers(Whole().files), mentions(Whole().turns);
  for (const auto& mention : Whole().mentions) {
    ++readers.at(mention.file);
    ++mentions.at(mention.turn);
  }
  EXPECT_GT(readers[0], 50 * readers[500]);
  EXPECT_GT(*std::max_element(mentions.begin(), mentions.end()), 1000u);
}

TEST(AgentGraph, SameOptionsSameGraph) {
  AgentGraphOptions options;
  options.turns = 2'000;
  const AgentGraph a = MakeAgentGraph(options), b = MakeAgentGraph(options);
  ASSERT_EQ(a.edges.size(), b.edges.size());
  for (std::size_t i = 0; i < a.edges.size(); ++i) {
    EXPECT_EQ(a.edges[i].source, b.edges[i].source);
    EXPECT_EQ(a.edges[i].target, b.edges[i].target);
    EXPECT_EQ(a.edges[i].weight, b.edges[i].weight);
  }
  options.seed = 6;
  EXPECT_NE(MakeAgentGraph(options).edges.front().weight, a.edges.front().weight);
}

TEST(AgentGraph, StartsAreStratified) {
  const std::vector<NodeId> starts = StratifiedStarts(Whole());
  EXPECT_EQ(starts.size(), 1000u);
  EXPECT_EQ(std::set<NodeId>(starts.begin(), starts.end()).size(), 1000u);
  std::vector<std::uint32_t> degree(Whole().turns);
  for (const AgentEdge& edge : Whole().edges) {
    ++degree[edge.source];
    if (edge.kind == kCategorical) ++degree[edge.target];
  }
  const auto hubs =
      std::count_if(starts.begin(), starts.end(), [&](NodeId v) { return degree[v] >= 64; });
  EXPECT_GT(hubs, 20);
  EXPECT_TRUE(std::all_of(starts.begin(), starts.end(), [&](NodeId v) { return degree[v] > 0; }));
}

}  // namespace
}  // namespace plexus::bench
