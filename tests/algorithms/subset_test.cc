// NodeSubset: by plane, by scope, by list; meeting and equality.
#include <gtest/gtest.h>

#include "algorithms/node_subset.h"
#include "tests/algorithms/case_graph.h"

namespace plexus::testing {
namespace {

std::vector<NodeId> List(const NodeSubset& s) { return s.ToList(); }

class SubsetTest : public ::testing::Test {
 protected:
  SubsetTest() {
    g.AddNodes(3);    // 0 1 2
    g.AddNode(kTag);  // 3
    g.AddNodes(100);  // 4 ...
    g.SetScope(1, "project");
    g.SetScope(2, "user");
    g.Commit();
    g.Remove(0);
    g.SetScope(50, "project");
    g.Commit();
  }
  CaseGraph g;
};

TEST_F(SubsetTest, PlanesAndRemovedNodes) {
  const Snapshot s = g.snapshot();
  const NodeSubset facts = NodeSubset::Facts(s), alive = NodeSubset::Alive(s);
  EXPECT_EQ(facts.count(), 102u);
  EXPECT_EQ(alive.count(), 103u);
  EXPECT_FALSE(alive.contains(0));
  EXPECT_TRUE(alive.contains(3));
  EXPECT_FALSE(facts.contains(3));
  EXPECT_FALSE(facts.contains(s.node_count()));
  EXPECT_FALSE(facts.contains(kNoNode));
  EXPECT_EQ(alive.Intersect(facts), facts);
  EXPECT_EQ(facts.Unite(alive), alive);
  EXPECT_EQ(alive.Unite(NodeSubset()), alive);
  EXPECT_EQ(NodeSubset().Unite(alive).count(), 0u);  // nothing below its capacity
}

TEST_F(SubsetTest, Scopes) {
  const Snapshot s = g.snapshot();
  EXPECT_EQ(List(NodeSubset::InScopes(s, std::vector<std::string_view>{"project"})),
            (std::vector<NodeId>{1, 50}));
  EXPECT_EQ(NodeSubset::InScopes(s, std::vector<std::string_view>{"user"}).count(), 100u);
  EXPECT_EQ(NodeSubset::InScopes(s, std::vector<std::string_view>{"user", "project"}),
            NodeSubset::Facts(s));
  EXPECT_EQ(NodeSubset::InScopes(s, std::vector<std::string_view>{"nobody"}).count(), 0u);
}

TEST_F(SubsetTest, Lists) {
  const Snapshot s = g.snapshot();
  const auto some = NodeSubset::Of(s, std::vector<NodeId>{70, 2, 70, 63, 64});
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(List(*some), (std::vector<NodeId>{2, 63, 64, 70}));
  EXPECT_EQ(some->count(), 4u);
  const auto bad = NodeSubset::Of(s, std::vector<NodeId>{104});
  ASSERT_FALSE(bad.has_value());
  EXPECT_NE(bad.error().message.find("104"), std::string::npos);
}

TEST(NodeSubset, ClearsBitsPastItsCapacity) {
  const NodeSubset s(66, {~0ull, ~0ull});
  EXPECT_EQ(s.count(), 66u);
  EXPECT_FALSE(s.contains(66));
  EXPECT_EQ(NodeSubset(), NodeSubset());
  EXPECT_EQ(s.Intersect(NodeSubset(3, {5})).ToList(), (std::vector<NodeId>{0, 2}));
}

}  // namespace
}  // namespace plexus::testing
