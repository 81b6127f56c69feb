// Triangles and clustering against sets of neighbours; bit rows against loops.
#include "algorithms/community/community.h"
#include "algorithms/community/internal/community_csr.h"

#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <random>

#include "algorithms/community/internal/bitset_intersection.h"
#include "algorithms/community/internal/oriented_graph.h"
#include "engine/bulk/topology.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"
#include "tests/support/oracle_cache.h"

namespace plexus::testing {
using namespace builtin;
using namespace community;
namespace {

struct Selected {
  EdgeKinds kinds;
  const NodeSubset* subset = nullptr;
  std::int64_t valid_at = kNoTime;
};

void CheckOn(const CaseGraph& g, const Selected& selected, const reference::FlatGraph& flat,
             const std::vector<reference::NodeClustering>& want) {
  TrianglesOptions options{{selected.kinds, selected.valid_at, selected.subset},
                           {{}, NextExecutor()}};
  const auto total = Triangles(g.snapshot(), options);
  ASSERT_TRUE(total.has_value()) << total.error().ToString();
  std::uint64_t corners = 0, degrees = 0, wedges = 0, nodes = 0;
  for (NodeId v = 0; v < want.size(); ++v) {
    corners += want[v].triangles;
    degrees += want[v].degree;
    if (want[v].degree > 1) wedges += want[v].degree * (want[v].degree - 1) / 2;
    nodes += flat.selected[v];
  }
  EXPECT_EQ(total->triangles, corners / 3);
  EXPECT_EQ(total->edges, degrees / 2);
  EXPECT_EQ(total->wedges, wedges);
  EXPECT_EQ(total->nodes, nodes);
  EXPECT_DOUBLE_EQ(total->transitivity,
                   wedges == 0 ? 0.0 : static_cast<double>(corners) / static_cast<double>(wedges));
  for (bool directed : {false, true}) {
    ClusteringOptions c;
    c.directed = directed;
    c.filter.kinds = selected.kinds;
    c.filter.subset = selected.subset;
    c.filter.valid_at = selected.valid_at;
    c.run.executor = NextExecutor();
    const auto got = Clustering(g.snapshot(), c);
    ASSERT_TRUE(got.has_value()) << got.error().ToString();
    EXPECT_EQ(got->total, corners / 3);
    for (NodeId v = 0; v < want.size(); ++v) {
      ASSERT_EQ(got->triangles[v], want[v].triangles) << v;
      ASSERT_EQ(got->degrees[v], flat.selected[v] ? want[v].degree : kNoNode) << v;
      ASSERT_EQ(got->coefficients[v], directed ? want[v].directed : want[v].undirected) << v;
    }
  }
}

using WantedTriangles = OracleCache<int, std::vector<reference::NodeClustering>>;

// The reference, which takes its time, is asked once for all shapes that share `wanted`.
void CheckTriangles(const CaseGraph& g, const Selected& selected, WantedTriangles& wanted) {
  const auto flat = g.Flat(selected.kinds, selected.subset, selected.valid_at);
  const auto& want = wanted.Of(flat, 0, [&] { return reference::Clusterings(flat); });
  CheckOn(g, selected, flat, want);
}

void CheckTriangles(const CaseGraph& g, const Selected& selected) {
  WantedTriangles wanted;
  CheckTriangles(g, selected, wanted);
}

TEST(Triangles, EqualSetsOfNeighboursAtAnyThreadCount) {
  WantedTriangles wanted[4];
  ForEachGraph([&](const CaseGraph& g, Shape) {
    CheckTriangles(g, {}, wanted[0]);
    if (::testing::Test::HasFatalFailure()) return;
    CheckTriangles(g, {{kSupports, kSimilar}}, wanted[1]);
    CheckTriangles(g, {{kLink, kHasTag}}, wanted[2]);
    const NodeSubset subset = SubsetOf(g.snapshot(), [](NodeId v) { return v % 5 != 0; });
    CheckTriangles(g, {{}, &subset}, wanted[3]);
  });
}

// Dense and skewed: nodes are renumbered, hubs have bit rows.
TEST(Triangles, DenseCore) {
  const Case c{"core", 2, [](CaseGraph& g, int step) {
                 std::mt19937_64 random(5 + static_cast<std::uint64_t>(step));
                 if (step == 0) g.AddNodes(3000);
                 for (std::size_t u = 0; u < 200; ++u)
                   for (std::size_t v = 0; v < u; ++v)
                     if (random() % 4 == 0) g.Link(7 * u, kLink, 7 * v);
                 for (int i = 0; i < 3000; ++i) {
                   const std::size_t a = random() % 3000, b = 7 * (random() % 200);
                   if (a != b) g.Link(a, kCauses, b);
                 }
               }};
  for (Shape shape : {Shape::kClean, Shape::kDelta}) CheckTriangles(Build(c, shape), {});
}

TEST(Triangles, OnlyWhatIsValid) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1);
  g.Link(1, kLink, 2);
  g.LinkValid(2, kLink, 0, 10, 20);
  g.Commit();
  for (std::int64_t at : {5, 10, 19, 20}) CheckTriangles(g, {{}, nullptr, at});
  EXPECT_EQ(Triangles(g.snapshot(), {.filter = {.valid_at = 15}})->triangles, 1u);
  EXPECT_EQ(Triangles(g.snapshot(), {.filter = {.valid_at = 25}})->triangles, 0u);
}

TEST(Triangles, ABudgetLeavesLowerBoundsTheSameAtAnyThreadCount) {
  const CaseGraph& g = Large(0, Shape::kClean);
  const auto all = Triangles(g.snapshot());
  const auto nodes = Clustering(g.snapshot());
  ASSERT_FALSE(all->truncated);
  ASSERT_GT(all->triangles, 0u);
  std::uint64_t before = 0;
  for (std::uint64_t edges : {std::uint64_t{0}, all->edges / 3, all->edges - 1, all->edges}) {
    std::uint64_t first = Budget::kUnlimited;
    for (const auto& e : Executors()) {
      Budget budget;
      budget.edges = edges;
      TrianglesOptions options{.run = {.budget = budget, .executor = e.executor.get()}};
      const auto got = Triangles(g.snapshot(), options);
      EXPECT_EQ(got->truncated, edges < all->edges);
      if (first == Budget::kUnlimited) first = got->triangles;
      EXPECT_EQ(got->triangles, first);
      ClusteringOptions each{.run = {.budget = budget, .executor = e.executor.get()}};
      const auto per_node = Clustering(g.snapshot(), each);
      EXPECT_EQ(per_node->truncated, got->truncated);
      for (NodeId v = 0; v < g.size(); ++v) ASSERT_LE(per_node->triangles[v], nodes->triangles[v]);
    }
    EXPECT_GE(first, before);
    before = first;
  }
  EXPECT_EQ(before, all->triangles);
  const std::atomic<bool> stop = true;
  TrianglesOptions stopped;
  stopped.run.budget.cancel = &stop;
  const auto none = Triangles(g.snapshot(), stopped);
  EXPECT_TRUE(none->truncated);
  EXPECT_EQ(none->triangles, 0u);
}

// Both layouts, whatever the shape asks for, on a graph of known count.
TEST(TrianglesCsr, CompleteGraphs) {
  for (NodeId n : {0u, 1u, 2u, 3u, 64u, 65u, 130u}) {
    std::vector<NodePair> pairs;
    for (NodeId u = 0; u < n; ++u)
      for (NodeId v = 0; v < u; ++v) pairs.push_back({u, v});
    TopologyOptions options;
    options.symmetrize = true;
    const Topology graph = BuildTopology(n, pairs, options).value();
    const std::uint64_t want = std::uint64_t{n} * (n - 1) * (n - 2) / 6;
    EXPECT_EQ(TrianglesCsr(graph.out()).value(), want) << n;
    for (auto numbering :
         {community::internal::Numbering::kKept, community::internal::Numbering::kByDegree}) {
      const community::internal::OrientedGraph oriented =
          community::internal::Orient(graph.out(), DefaultExecutor(), numbering);
      EXPECT_EQ(oriented.hubs > 0, numbering == community::internal::Numbering::kByDegree && n > 0);
      EXPECT_EQ(community::internal::CountOriented(oriented, {}, DefaultExecutor()).triangles, want)
          << n;
    }
    EXPECT_EQ(community::internal::CountSimple(graph.out(), {}, DefaultExecutor()).triangles, want)
        << n;
  }
}

// More nodes than hubs, hubs' rows full and not, members of a row on both sides of them: by words,
// looked up, one by one where arcs stand for different numbers, all the same; and a budget cuts it
// at the same place.
TEST(TrianglesCsr, CornersAreCreditedTheSameInEveryWay) {
  constexpr NodeId n = 12'000;
  std::mt19937_64 random(17);
  std::vector<NodePair> pairs;
  for (int i = 0; i < 60'000; ++i) {
    const double x = static_cast<double>(random() % n) / n,
                 y = static_cast<double>(random() % n) / n;
    const auto u = static_cast<NodeId>(x * x * x * n),
               v = static_cast<NodeId>(y * (i % 2 ? y * y * y : 1) * n);
    if (u != v) pairs.push_back({u * 7 % n, v * 7 % n});
  }
  TopologyOptions options;
  options.symmetrize = true;
  const Topology graph = BuildTopology(n, pairs, options).value();
  const community::internal::OrientedGraph kept = community::internal::Orient(
      graph.out(), DefaultExecutor(), community::internal::Numbering::kKept);
  const community::internal::OrientedGraph sorted = community::internal::Orient(
      graph.out(), DefaultExecutor(), community::internal::Numbering::kByDegree);
  ASSERT_LT(sorted.hubs, n);
  const auto want = community::internal::CountPerNode(kept, {}, {}, SerialExecutor());
  std::uint64_t corners = 0;
  for (const std::uint64_t count : want.triangles) corners += count;
  EXPECT_EQ(corners,
            3 * community::internal::CountSimple(graph.out(), {}, DefaultExecutor()).triangles);
  ASSERT_GT(corners, 30'000u);
  const std::vector<std::uint8_t> twos(sorted.neighbors.size(), 2);
  std::vector<std::uint8_t> mixed(sorted.neighbors.size(), 1);
  mixed[0] = 2;
  Budget some;
  some.edges = sorted.neighbors.size() / 2;
  const auto cut = community::internal::CountPerNode(sorted, {}, some, SerialExecutor());
  EXPECT_TRUE(cut.truncated);
  for (const auto& e : Executors()) {
    const auto got = community::internal::CountPerNode(sorted, {}, {}, *e.executor);
    EXPECT_TRUE(got.triangles == want.triangles && got.arcs == want.triangles) << e.name;
    EXPECT_FALSE(got.truncated);
    const auto doubled = community::internal::CountPerNode(sorted, twos, {}, *e.executor);
    EXPECT_TRUE(doubled.triangles == want.triangles) << e.name;
    for (NodeId v = 0; v < n; ++v) ASSERT_EQ(doubled.arcs[v], 2 * want.triangles[v]) << v;
    EXPECT_TRUE(community::internal::CountPerNode(sorted, mixed, {}, *e.executor).triangles ==
                want.triangles)
        << e.name;
    EXPECT_TRUE(community::internal::CountPerNode(sorted, {}, some, *e.executor).triangles ==
                cut.triangles)
        << e.name;
    EXPECT_TRUE(community::internal::CountPerNode(kept, {}, {}, *e.executor).triangles ==
                want.triangles)
        << e.name;
  }
}

TEST(BitKernels, EveryLevelCountsAsALoopDoes) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> a(300), b(300);
  for (auto& word : a) word = random();
  for (auto& word : b) word = random() & random();
  for (SimdLevel level :
       {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512, SimdLevel::kBest}) {
    const community::internal::CountCommonFn count = community::internal::FindCountCommon(level);
    if (!count) {
      EXPECT_FALSE(HasSimdLevel(level));
      continue;
    }
    for (std::size_t from : {0u, 1u, 3u})
      for (std::size_t words = 0; words <= 130; ++words) {
        std::uint64_t want = 0;
        for (std::size_t i = 0; i < words; ++i)
          want += static_cast<std::uint64_t>(std::popcount(a[from + i] & b[i]));
        ASSERT_EQ(count(a.data() + from, b.data(), words), want)
            << SimdLevelName(level) << ", " << words;
      }
  }
}

}  // namespace
}  // namespace plexus::testing
