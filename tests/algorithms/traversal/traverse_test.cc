// Traverse against enumerated walks; its paths as proofs; budgets and errors.
#include "algorithms/traversal/traversal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <set>

#include "tests/algorithms/traversal/traverse_query.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace traversal;
namespace {

using reference::Fold;

// The path is made of stored edges, leads from the seed to the node, and its
// product is the score (max, min) or part of it.
void CheckPath(const Snapshot& s, const TraverseHit& hit, double seed_weight,
               const TraverseOptions& options) {
  ASSERT_EQ(hit.path.size(), static_cast<std::size_t>(hit.hops));
  NodeId at = hit.seed;
  double product = seed_weight;
  for (const PathEdge& step : hit.path) {
    const auto edge = s.FindEdge(step.source, step.kind, step.target, step.label);
    ASSERT_TRUE(edge.has_value());
    ASSERT_EQ(edge->weight, step.weight);
    const bool symmetric = s.schema().edge_kind(step.kind).symmetric;
    const bool forward = step.source == at, backward = step.target == at;
    const bool may_forward = symmetric || options.direction != Direction::kIn;
    const bool may_backward = symmetric || options.direction != Direction::kOut;
    ASSERT_TRUE((forward && may_forward) || (backward && may_backward));
    at = forward ? step.target : step.source;
    product *= static_cast<double>(step.weight) * options.decay;
  }
  ASSERT_EQ(at, hit.node);
  const double slack = 1e-12 * std::max(1.0, product);
  if (options.aggregate == Aggregate::kMax || options.aggregate == Aggregate::kMin) {
    ASSERT_NEAR(hit.score, product, slack);
  } else {
    ASSERT_GE(hit.score, product - slack);
  }
}

void Compare(const CaseGraph& g, const std::vector<NodeWeight>& seeds,
             const TraverseOptions& options, const std::vector<std::optional<double>>& want) {
  const TraverseResult got = Query(g.snapshot(), seeds, options);
  EXPECT_FALSE(got.truncated);
  std::vector<double> weight(want.size(), 0.0);
  for (const NodeWeight& s : seeds) weight[s.node] = s.weight;
  std::set<NodeId> listed;
  for (std::size_t i = 0; i < got.hits.size(); ++i) {
    const TraverseHit& hit = got.hits[i];
    ASSERT_TRUE(listed.insert(hit.node).second);
    ASSERT_TRUE(want[hit.node].has_value()) << "node " << hit.node;
    ASSERT_NEAR(hit.score, *want[hit.node], 1e-12 * std::max(1.0, hit.score)) << hit.node;
    if (i > 0) {
      const TraverseHit& before = got.hits[i - 1];
      ASSERT_TRUE(before.score > hit.score ||
                  (before.score == hit.score && before.node < hit.node));
    }
    CheckPath(g.snapshot(), hit, weight[hit.seed], options);
    if (::testing::Test::HasFatalFailure()) return;
  }
  for (NodeId v = 0; v < want.size(); ++v)
    EXPECT_EQ(listed.contains(v), want[v].has_value() && weight[v] == 0) << "node " << v;
}

constexpr std::pair<Aggregate, Fold> kFolds[] = {{Aggregate::kMax, Fold::kMax},
                                                 {Aggregate::kMin, Fold::kMin},
                                                 {Aggregate::kSum, Fold::kSum},
                                                 {Aggregate::kNoisyOr, Fold::kNoisyOr}};

TEST(Traverse, EqualsEnumeratedWalks) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const auto flat = g.Flat();
    std::vector<double> weights(flat.node_count(), 0.0);
    std::vector<NodeWeight> seeds;
    for (NodeId v = 0; v < flat.node_count() && seeds.size() < 2; v += 3)
      if (flat.selected[v]) {
        seeds.push_back({v, seeds.empty() ? 1.0 : 0.625});
        weights[v] = seeds.back().weight;
      }
    for (auto [aggregate, fold] : kFolds)
      for (Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth})
        for (int hops : {0, 1, 3})
          for (double decay : {1.0, 0.5}) {
            TraverseOptions options;
            options.aggregate = aggregate;
            options.direction = direction;
            options.hops = hops;
            options.decay = decay;
            options.top = 0;
            Compare(g, seeds, options,
                    reference::Traverse(flat, weights, hops, decay, direction, fold));
            if (::testing::Test::HasFailure()) {
              ADD_FAILURE() << "aggregate " << static_cast<int>(aggregate) << " direction "
                            << static_cast<int>(direction) << " hops " << hops << " decay "
                            << decay;
              return;
            }
          }
  });
}

// With weights in (0, 1] the best simple path, the best walk and a
// max-product Bellman-Ford of h rounds agree.
TEST(Traverse, BestWalkIsTheBestSimplePath) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const auto flat = g.Flat();
    if (flat.node_count() == 0 || !flat.selected[0]) return;
    std::vector<double> weights(flat.node_count(), 0.0);
    weights[0] = 1.0;
    for (int hops : {1, 2, 4, 6}) {
      TraverseOptions options;
      options.hops = hops;
      options.top = 0;
      Compare(g, {{0, 1.0}}, options, reference::BestSimplePath(flat, 0, hops, Direction::kOut));
      Compare(g, {{0, 1.0}}, options,
              reference::BestProduct(flat, weights, hops, 1.0, Direction::kOut));
    }
  });
}

// Big frontiers: the pulled layers.
TEST(Traverse, EqualsBellmanFordOnLargeGraphs) {
  ForEachLarge([](const CaseGraph& g, Shape shape) {
    const auto flat = g.Flat();
    std::vector<double> weights(flat.node_count(), 0.0);
    std::vector<NodeWeight> seeds;
    for (NodeId v = 0; v < flat.node_count() && seeds.size() < 20; v += 7)
      if (flat.selected[v]) {
        seeds.push_back({v, 1.0});
        weights[v] = 1.0;
      }
    TraverseOptions options;
    options.hops = 5;
    options.top = 0;
    options.direction = shape == Shape::kRuns    ? Direction::kBoth
                        : shape == Shape::kDelta ? Direction::kIn
                                                 : Direction::kOut;
    Compare(g, seeds, options,
            reference::BestProduct(flat, weights, options.hops, 1.0, options.direction));
    options.aggregate = Aggregate::kNoisyOr;
    options.decay = 0.5;
    options.paths = shape != Shape::kRuns;
    if (!options.paths) return;
    Compare(
        g, seeds, options,
        reference::Traverse(flat, weights, options.hops, 0.5, options.direction, Fold::kNoisyOr));
  });
}

TEST(Traverse, KindsSubsetsAndIndexNodes) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const Snapshot s = g.snapshot();
    std::vector<NodeId> most;
    for (NodeId v = 0; v < s.node_count(); ++v)
      if (v % 5 != 4) most.push_back(v);
    const NodeSubset subset = *NodeSubset::Of(s, most);
    for (const EdgeKinds& kinds :
         {EdgeKinds{kLink}, {kHasTag, kSupports}}) {
      const auto flat = g.Flat(kinds, &subset);
      std::vector<double> weights(flat.node_count(), 0.0);
      if (flat.node_count() == 0 || !flat.selected[0]) return;
      weights[0] = 1.0;
      TraverseOptions options;
      options.filter.kinds = kinds;
      options.filter.subset = &subset;
      options.direction = Direction::kBoth;
      options.top = 0;
      Compare(g, {{0, 1.0}}, options,
              reference::Traverse(flat, weights, 3, 1.0, Direction::kBoth, Fold::kMax));
    }
  });
}

TEST(Traverse, TopCutsTheSameListAndIncludesSeedsWhenAsked) {
  const CaseGraph& g = Large(0, Shape::kDelta);
  TraverseOptions options;
  options.top = 0;
  const TraverseResult all = Query(g.snapshot(), {{0, 1.0}, {1, 0.5}}, options);
  options.top = 10;
  const TraverseResult ten = Query(g.snapshot(), {{0, 1.0}, {1, 0.5}}, options);
  ASSERT_EQ(ten.hits.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(ten.hits[i].node, all.hits[i].node);
  options.include_seeds = true;
  const TraverseResult seeded = Query(g.snapshot(), {{0, 1.0}, {1, 0.5}}, options);
  EXPECT_EQ(seeded.hits[0].node, 0u);
  EXPECT_EQ(seeded.hits[0].score, 1.0);
  EXPECT_TRUE(seeded.hits[0].path.empty());
}

TEST(Traverse, ManyEqualScoresAreCutById) {
  CaseGraph g;
  g.AddNodes(3000);
  for (std::size_t v = 2999; v > 0; --v) g.Link(v > 1500 ? 0 : v + 1499, kLink, v, 1.0f);
  g.Commit();
  TraverseOptions options;
  options.top = 10;
  const TraverseResult got = Query(g.snapshot(), {{0, 1.0}}, options);
  ASSERT_EQ(got.hits.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(got.hits[i].node, i + 1);
}

TEST(Traverse, ValidTimeFiltersEdges) {
  CaseGraph g;
  g.AddNodes(3);
  g.LinkValid(0, kLink, 1, 100, 200);
  g.Link(0, kLink, 2);
  g.Commit();
  for (bool compact : {false, true}) {
    if (compact) g.Compact();
    for (auto [now, reached] : {std::pair{99, 1u}, {100, 2u}, {199, 2u}, {200, 1u}}) {
      TraverseOptions options;
      options.filter.valid_at = now;
      EXPECT_EQ(Query(g.snapshot(), {{0, 1.0}}, options).hits.size(), reached) << now;
    }
    EXPECT_EQ(Query(g.snapshot(), {{0, 1.0}}, {}).hits.size(), 2u);
  }
}

TEST(Traverse, WeightsAboveOneGiveTheBestWalk) {
  CaseGraph g;
  g.AddNodes(2);
  g.Link(0, kLink, 1, 2.0f);
  g.Link(1, kLink, 0, 2.0f);
  g.Commit();
  TraverseOptions options;
  options.hops = 3;
  const TraverseResult got = Query(g.snapshot(), {{0, 1.0}}, options);
  ASSERT_EQ(got.hits.size(), 1u);
  EXPECT_EQ(got.hits[0].score, 8.0);
  EXPECT_EQ(got.hits[0].hops, 3);
}

TEST(Traverse, HugeWeightsSaturate) {
  CaseGraph g;
  g.AddNodes(2);
  g.Link(0, kLink, 1, 3e38f);
  g.Link(1, kLink, 0, 3e38f);
  g.Link(1, kLink, 1, 0.0f);
  g.Commit();
  TraverseOptions options;
  options.hops = kMaxHops;
  for (auto [aggregate, fold] : kFolds) {
    options.aggregate = aggregate;
    for (const TraverseHit& hit : Query(g.snapshot(), {{0, 1.0}}, options).hits)
      EXPECT_TRUE(std::isfinite(hit.score));
  }
}

TEST(Traverse, ABudgetOfNodesAndADeadline) {
  const CaseGraph& g = Large(0, Shape::kDelta);
  TraverseOptions options;
  options.hops = 4;
  options.top = 0;
  options.run.budget.nodes = 50;
  const TraverseResult cut = Query(g.snapshot(), {{0, 1.0}}, options);
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.nodes, 50u);
  options.run.budget = {};
  options.run.budget.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_TRUE(Query(g.snapshot(), {{0, 1.0}}, options).truncated);
}

TEST(Traverse, ResumedSearchesEqualUnbudgetedOnes) {
  for (Shape shape : {Shape::kClean, Shape::kRuns})
    for (std::size_t top : {0, 20})
      for (auto [aggregate, fold] : kFolds) {
        const Snapshot s = Large(0, shape).snapshot();
        TraverseOptions options;
        options.aggregate = aggregate;
        options.hops = 4;
        options.top = top;
        const TraverseResult whole = Query(s, {{0, 1.0}}, options);
        EXPECT_TRUE(whole.resume.empty());
        options.run.budget.edges = whole.edges / 4 + 1;
        TraverseResult part = Query(s, {{0, 1.0}}, options);
        EXPECT_EQ(part.edges, options.run.budget.edges);
        int calls = 1;
        for (; part.truncated && calls < 20; ++calls) {
          ASSERT_EQ(part.resume.size(), 84u);
          options.resume = part.resume;
          part = Query(s, {{0, 1.0}}, options);
        }
        EXPECT_GE(calls, 4);
        EXPECT_FALSE(part.truncated);
        ExpectPrefix(part, whole, whole.hits.size());
      }
}

TEST(Traverse, SmallQueryTouchesLittle) {
  const CaseGraph& g = Large(2, Shape::kClean);  // the star
  TraverseOptions options;
  options.hops = 1;
  const TraverseResult got = Query(g.snapshot(), {{5, 1.0}}, options);
  EXPECT_EQ(got.edges, 1u);
  EXPECT_EQ(got.nodes, 2u);
}

TEST(Traverse, RefusesWhatMakesNoSense) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1);
  g.Commit();
  g.Remove(2);
  g.Commit();
  auto code = [&](std::vector<NodeWeight> seeds, auto change) {
    TraverseOptions options;
    change(options);
    auto result = Traverse(g.snapshot(), seeds, options);
    return result ? ErrorCode::kInternal : result.error().code;
  };
  using O = TraverseOptions;
  constexpr auto bad = ErrorCode::kInvalidArgument;
  EXPECT_EQ(code({{0, 1.0}}, [](O& o) { o.hops = 17; }), bad);
  EXPECT_EQ(code({{0, 1.0}}, [](O& o) { o.hops = -1; }), bad);
  EXPECT_EQ(code({{0, 1.0}}, [](O& o) { o.decay = 0; }), bad);
  EXPECT_EQ(code({{0, 1.0}}, [](O& o) { o.decay = std::nan(""); }), bad);
  EXPECT_EQ(code({{9, 1.0}}, [](O&) {}), bad);
  EXPECT_EQ(code({{2, 1.0}}, [](O&) {}), ErrorCode::kNotFound);
  EXPECT_EQ(code({{0, 0.0}}, [](O&) {}), bad);
  EXPECT_EQ(code({{0, INFINITY}}, [](O&) {}), bad);
  EXPECT_EQ(code({{0, 1.5}}, [](O& o) { o.aggregate = Aggregate::kNoisyOr; }), bad);
}

}  // namespace
}  // namespace plexus::testing
