// NodeSubset: by plane, by scope, by list; meeting and equality; what is said of nodes outside.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/centrality/centrality.h"
#include "algorithms/common/common.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/paths.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/traversal.h"
#include "engine/graph.h"
#include "engine/state.h"
#include "engine/vocabulary.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace centrality;
using namespace connectivity;
using namespace pagerank;
using namespace paths;
using namespace similarity;
using namespace traversal;
namespace {

template <class Options>
Options Within(const NodeSubset* subset) {
  Options options;
  if constexpr (requires { options.filter; })
    options.filter.subset = subset;
  else
    options.subset = subset;
  return options;
}

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
  EXPECT_EQ(List(*NodeSubset::InScopes(s, std::vector<std::string_view>{"project"})),
            (std::vector<NodeId>{1, 50}));
  EXPECT_EQ(NodeSubset::InScopes(s, std::vector<std::string_view>{"user"})->count(), 100u);
  EXPECT_EQ(*NodeSubset::InScopes(s, std::vector<std::string_view>{"user", "project"}),
            NodeSubset::Facts(s));
  EXPECT_EQ(NodeSubset::InScopes(s, std::vector<std::string_view>{"nobody"})->count(), 0u);
}

TEST_F(SubsetTest, Except) {
  const NodeSubset a(130, {0b1011, ~0ull, 0b11}), b(70, {0b0010, 0b1});
  EXPECT_EQ(a.Except(b), NodeSubset(130, {0b1001, ~0ull - 1, 0b11}));
  EXPECT_EQ(a.Except(a).count(), 0u);
  EXPECT_EQ(a.Except(NodeSubset()), a);
}

// From kept orders and by looking at all nodes, while batches change scopes, kinds and lives.
TEST(NodeSubset, ScopesAndKindsFromKeptOrders) {
  std::mt19937_64 random(3);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto graph = Graph::InMemory();
  const std::vector<std::vector<std::string_view>> asked = {
      {"a"}, {"b", "nobody"}, {"user"}, {"user", "c"}, {}};
  const std::vector<std::vector<NodeKindId>> kinds = {{kMemory}, {kTurn, kTag}, {}};
  for (int step = 0; step < 120; ++step) {
    WriteBatch batch(1);
    for (std::uint64_t i = 0; i < 6; ++i) {
      constexpr NodeKindId kSome[] = {kMemory, kTurn, kNode};
      const NodeRef node =
          batch.UpsertNode("n" + std::to_string(below(300)), NameRef(kSome[below(3)]));
      constexpr const char* kScopes[] = {"a", "b", "c", "user"};
      if (below(3)) batch.SetString(node, kScope, kScopes[below(4)]);
      if (!below(8))
        batch.RemoveNode(node);
      else if (!below(4))
        batch.Link(node, EdgeKindRef(kHasTag), batch.IndexNode(kTag, "of some"));
    }
    const auto applied = graph->Apply(batch);
    ASSERT_TRUE(applied) << applied.error().ToString();
    const Snapshot live = graph->snapshot();
    const Snapshot copy(std::make_shared<const FrozenState>(GraphState(live.state())));
    for (const auto& scopes : asked)
      EXPECT_EQ(*NodeSubset::InScopes(live, scopes, true), *NodeSubset::InScopes(copy, scopes));
    for (const auto& of : kinds)
      EXPECT_EQ(NodeSubset::OfKinds(live, of, true), NodeSubset::OfKinds(copy, of));
    EXPECT_EQ(*ScopesInUse(live), *ScopesInUse(copy));
    const std::vector<std::string_view> names = {"c", "nobody", "user", "a", "b", ""};
    EXPECT_EQ(*UnusedScopes(live, names), *UnusedScopes(copy, names));
  }
}

// What a question of a scope asks first looks at no node where the order is kept: it needs no time.
TEST_F(SubsetTest, UnusedScopesFromAKeptOrderLookAtNoNode) {
  const Snapshot s = g.snapshot();
  const std::vector<std::string_view> names = {"project", "nobody", "user", "projec"};
  const std::vector<std::string_view> unused = {"nobody", "projec"};
  EXPECT_EQ(*UnusedScopes(s, names), unused);
  std::atomic<bool> cancel = true;
  Budget none;
  none.cancel = &cancel;
  EXPECT_EQ(UnusedScopes(s, names, none).error().code, ErrorCode::kCancelled);
  (void)NodeSubset::InScopes(s, names, true);
  EXPECT_EQ(*UnusedScopes(s, names, none), unused);
  EXPECT_EQ(ScopesInUse(s, none).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(ScopesInUse(s)->size(), 2u);
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

// Whoever is named and cannot be used is told by key, with the reason, in the same words.
TEST_F(SubsetTest, NamedNodesThatAreNotSelected) {
  const Snapshot s = g.snapshot();
  const NodeSubset project = *NodeSubset::InScopes(s, std::vector<std::string_view>{"project"});
  using Ask = std::function<Result<void>(NodeId, const NodeSubset*)>;
  const auto told = [](const auto& result) {
    return result ? Result<void>() : Result<void>(std::unexpected(result.error()));
  };
  const Ask bfs = [&](NodeId v, auto* set) {
    return told(Bfs(s, std::vector{v}, Within<BfsOptions>(set)));
  };
  const Ask lanes = [&](NodeId v, auto* set) {
    return told(MultiBfs(s, std::vector{v}, Within<MultiBfsOptions>(set)));
  };
  const Ask distances = [&](NodeId v, auto* set) {
    return told(Distances(s, v, Within<DistancesOptions>(set)));
  };
  const Ask flow = [&](NodeId v, auto* set) {
    return told(MaxFlow(s, v, 5, Within<MaxFlowOptions>(set)));
  };
  const Ask sink = [&](NodeId v, auto* set) {
    return told(MaxFlow(s, 5, v, Within<MaxFlowOptions>(set)));
  };
  const Ask dominators = [&](NodeId v, auto* set) {
    return told(Dominators(s, v, Within<DominatorsOptions>(set)));
  };
  const auto starts = [](NodeId v) { return std::vector<NodeWeight>{{v, 1.0}}; };
  const Ask traverse = [&](NodeId v, auto* set) {
    return told(Traverse(s, starts(v), Within<TraverseOptions>(set)));
  };
  const PathPattern pattern = *PathPattern::Parse("supports", s.schema());
  const Ask match = [&](NodeId v, auto* set) {
    return told(MatchPattern(s, pattern, starts(v), Within<PatternOptions>(set)));
  };
  const Ask similar = [&](NodeId v, auto* set) {
    return told(SimilarNodes(s, v, Within<SimilarityOptions>(set)));
  };
  const Ask closeness = [&](NodeId v, auto* set) {
    auto options = Within<ClosenessOptions>(set);
    options.of = {v};
    return told(Closeness(s, options));
  };
  const auto seeded = [&](NodeId v, double weight, auto* set) {
    auto options = Within<PageRankOptions>(set);
    options.seeds = {{v, weight}};
    return PageRank(s, options);
  };
  const Ask rank = [&](NodeId v, auto* set) { return told(seeded(v, 1, set)); };
  const Ask batch = [&](NodeId v, auto* set) {
    auto options = Within<PageRankOptions>(set);
    options.precision = Precision::kF32;
    options.tolerance = 1e-5;
    const std::vector<std::vector<NodeWeight>> sets = {{{v, 1.0}}};
    return told(PageRankBatch(s, sets, options));
  };
  const Ask push = [&](NodeId v, auto* set) {
    return told(
        PageRankPush(s, std::vector<NodeWeight>{{v, 1.0}}, Within<PageRankPushOptions>(set)));
  };

  const auto says = [](const Result<void>& got, ErrorCode code, const std::string& name,
                       const std::string& why) {
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().code, code);
    for (const std::string& part : {name, why})
      EXPECT_NE(got.error().message.find(part), std::string::npos) << got.error().message;
  };
  const std::string removed = "'" + std::string(s.key(0)) + "'",
                    other = "'" + std::string(s.key(2)) + "'";
  for (const Ask& ask : {bfs, lanes, distances, flow, sink, dominators, traverse, match, similar,
                         closeness, rank, batch, push}) {
    says(ask(0, nullptr), ErrorCode::kNotFound, removed, "was removed");
    says(ask(9999, nullptr), ErrorCode::kInvalidArgument, "9999", "is not below");
    EXPECT_TRUE(ask(2, nullptr).has_value());
  }
  for (const Ask& ask : {bfs, lanes, distances, flow, sink, dominators, traverse, match})
    EXPECT_TRUE(ask(3, nullptr).has_value());
  for (const Ask& ask : {closeness, rank, batch, push})
    says(ask(3, nullptr), ErrorCode::kInvalidArgument, "'tag:", "index plane");
  for (const Ask& ask : {bfs, lanes, distances, flow, dominators, traverse})
    EXPECT_TRUE(ask(2, &project).has_value());
  for (const Ask& ask : {closeness, rank, batch, push})
    says(ask(2, &project), ErrorCode::kInvalidArgument, other, "outside");
  const auto negative = seeded(1, -1, &project);
  ASSERT_FALSE(negative.has_value());
  EXPECT_NE(negative.error().message.find("of seed node '" + std::string(s.key(1)) + "'"),
            std::string::npos)
      << negative.error().message;
}

// A search that starts at an index node and follows facts alone meets nothing: of a depth, a
// distance, a dominator there is the start's own.
TEST_F(SubsetTest, SearchesFromIndexNodesReachNothing) {
  const Snapshot s = g.snapshot();
  constexpr NodeId kTagged = 3;
  ASSERT_FALSE(s.is_fact(kTagged));
  const auto found = Bfs(s, std::vector{kTagged});
  EXPECT_EQ(found->nodes, (std::vector<BfsNode>{{kTagged, 0, kNoNode}}));
  const auto distances = Distances(s, kTagged);
  EXPECT_EQ(distances->reached, 1u);
  for (NodeId v = 0; v < s.node_count(); ++v)
    EXPECT_EQ(distances->distances[v], v == kTagged ? 0 : std::numeric_limits<double>::infinity());
  const auto dominators = Dominators(s, kTagged);
  EXPECT_EQ(dominators->reached, 1u);
  EXPECT_EQ(dominators->dominators, std::vector<NodeId>(s.node_count(), kNoNode));
  EXPECT_EQ(dominators->dominated, std::vector<std::uint32_t>(s.node_count(), 0));
  for (const auto& [from, to] :
       std::vector<std::pair<NodeId, NodeId>>{{kTagged, 5}, {5, kTagged}}) {
    const auto flow = MaxFlow(s, from, to);
    EXPECT_EQ(flow->flow, 0);
    EXPECT_TRUE(flow->cut.empty());
    EXPECT_FALSE(flow->truncated);
  }
  const auto lanes = MultiBfs(s, std::vector<NodeId>{5, kTagged}, {.depths = true});
  const auto alone = MultiBfs(s, std::vector<NodeId>{5}, {.depths = true});
  EXPECT_EQ(lanes->levels[0], alone->levels[0]);
  EXPECT_EQ(lanes->levels[1], std::vector<std::uint64_t>{1});
  for (NodeId v = 0; v < s.node_count(); ++v) {
    EXPECT_EQ(lanes->depths[2 * v], alone->depths[v]);
    EXPECT_EQ(lanes->depths[2 * v + 1], v == kTagged ? 0 : kUnreached);
  }
  const auto only = MultiBfs(s, std::vector<NodeId>{kTagged}, {.depths = true});
  EXPECT_EQ(only->levels, (std::vector<std::vector<std::uint64_t>>{{1}}));
  MultiBfsOptions nothing{.depths = true};
  nothing.run.budget.nodes = 0;
  const auto none = MultiBfs(s, std::vector<NodeId>{5, kTagged}, nothing);
  EXPECT_TRUE(none->truncated);
  EXPECT_TRUE(none->levels[0].empty() && none->levels[1].empty());
  EXPECT_EQ(none->depths, std::vector<std::uint32_t>(std::size_t{2} * s.node_count(), kUnreached));
}

// A kind where a node is meant does not compile.
template <class Node>
constexpr bool kContains = requires(const NodeSubset s, Node n) { s.contains(n); };
template <class Node>
constexpr bool kResizes = requires(const NodeSubset s, Node n) { s.With(n, {}); };
static_assert(kContains<NodeId> && kContains<int> && kResizes<NodeId>);
static_assert(!kContains<NodeKindId> && !kContains<ColumnId> && !kResizes<NodeKindId>);
static_assert(!std::is_constructible_v<NodeSubset, EdgeKindId, std::vector<std::uint64_t>>);

TEST(NodeSubset, ClearsBitsPastItsCapacity) {
  const NodeSubset s(66, {~0ull, ~0ull});
  EXPECT_EQ(s.count(), 66u);
  EXPECT_FALSE(s.contains(66));
  EXPECT_EQ(NodeSubset(), NodeSubset());
  EXPECT_EQ(s.Intersect(NodeSubset(3, {5})).ToList(), (std::vector<NodeId>{0, 2}));
}

}  // namespace
}  // namespace plexus::testing
