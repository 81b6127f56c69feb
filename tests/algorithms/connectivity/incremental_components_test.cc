// Union-find fed with appended edges against components made anew.
#include "algorithms/connectivity/incremental_components.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/for_each_case.h"

namespace plexus::testing {
namespace {

void ExpectSame(const IncrementalComponents& kept, const ComponentsResult& made) {
  ASSERT_EQ(kept.node_count(), made.labels.size());
  EXPECT_EQ(kept.count(), made.count);
  std::vector<std::uint64_t> sizes(made.labels.size(), 0);
  for (NodeId label : made.labels)
    if (label != kNoNode) ++sizes[label];
  for (NodeId v = 0; v < made.labels.size(); ++v) {
    ASSERT_EQ(kept.Label(v), made.labels[v]) << v;
    ASSERT_EQ(kept.Size(v), made.labels[v] == kNoNode ? 0 : sizes[made.labels[v]]);
  }
}

TEST(IncrementalComponents, FollowsAppends) {
  std::mt19937_64 random(9);
  CaseGraph g;
  g.AddNodes(300);
  g.AddNode(kTag);  // takes no part
  for (int i = 0; i < 60; ++i) g.Link(random() % 300, kLink, random() % 300);
  g.Commit();
  IncrementalComponents kept(Components(g.snapshot())->labels);
  ExpectSame(kept, *Components(g.snapshot()));
  EXPECT_EQ(kept.Label(300), kNoNode);
  EXPECT_FALSE(kept.Connected(300, 300));
  for (int round = 0; round < 20; ++round) {
    const std::size_t first = g.AddNodes(5);
    kept.AddNodes(static_cast<NodeId>(g.size()));
    std::vector<NodePair> pairs;
    for (int i = 0; i < 12; ++i) {
      std::size_t a = random() % g.size(), b = i == 0 ? first : random() % 300;
      if (a == 300) a = 0;
      g.Link(a, kLink, b);
      pairs.push_back({static_cast<NodeId>(a), static_cast<NodeId>(b)});
    }
    g.Commit();
    ASSERT_TRUE(kept.AddEdges(pairs).has_value());
    ExpectSame(kept, *Components(g.snapshot()));
    EXPECT_TRUE(kept.Connected(pairs[0].source, pairs[0].target));
  }
}

// All or nothing, and the first bad pair is named.
TEST(IncrementalComponents, RefusesNodesThatTakeNoPart) {
  const std::vector<NodeId> labels = {0, 1, kNoNode};
  IncrementalComponents kept(labels);
  const auto done = kept.AddEdges(std::vector<NodePair>{{0, 1}, {1, 2}});
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().message.find("1 to 2"), std::string::npos);
  EXPECT_FALSE(kept.AddEdges(std::vector<NodePair>{{0, 3}}).has_value());
  EXPECT_FALSE(kept.Connected(0, 1));
  EXPECT_EQ(kept.count(), 2u);
}

// Removals are not seen: "together" grows stale, as the header says.
TEST(IncrementalComponents, RemovalsMakeItStale) {
  CaseGraph g;
  g.AddNodes(2);
  g.Link(0, kLink, 1);
  g.Commit();
  const IncrementalComponents kept(Components(g.snapshot())->labels);
  g.Unlink(0, kLink, 1);
  g.Commit();
  EXPECT_TRUE(kept.Connected(0, 1));
  EXPECT_FALSE(IncrementalComponents(Components(g.snapshot())->labels).Connected(0, 1));
}

}  // namespace
}  // namespace plexus::testing
