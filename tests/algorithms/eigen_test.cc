// The adjacency matrix and the maps of vectors are the graph's own numbers.
#include "algorithms/eigen.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <map>

#include "algorithms/pagerank/pagerank.h"
#include "algorithms/retrieval/vectors.h"
#include "tests/algorithms/retrieval/vector_cases.h"
#include "tests/support/for_each_case.h"
#include "tests/support/vector_values.h"

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
using namespace retrieval;
namespace {

TEST(Eigen, AdjacencyHoldsEveryArcOnce) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    for (const EdgeKinds& kinds : {EdgeKinds{}, {kHasTag}, {kSupports, kSimilar}}) {
      for (bool weights : {true, false}) {
        DenseViewOptions options;
        options.filter.kinds = kinds;
        options.weights = weights;
        const auto view = DenseView::Make(g.snapshot(), options);
        ASSERT_TRUE(view.has_value());
        const auto matrix = AdjacencyMatrix(*view);
        ASSERT_TRUE(matrix.has_value());
        ASSERT_EQ(matrix->rows(), static_cast<Eigen::Index>(view->node_count()));
        ASSERT_EQ(matrix->cols(), matrix->rows());
        std::map<std::pair<NodeId, NodeId>, double> want;
        for (const auto& a : g.Flat(kinds).arcs)
          want[{view->dense(a.from), view->dense(a.to)}] +=
              weights ? static_cast<double>(a.weight) : 1;
        ASSERT_EQ(matrix->nonZeros(), static_cast<Eigen::Index>(want.size()));
        auto next = want.begin();  // row by row, columns ascending: the map's own order
        for (Eigen::Index row = 0; row < matrix->outerSize(); ++row)
          for (EigenAdjacency::InnerIterator it(*matrix, row); it; ++it, ++next) {
            ASSERT_EQ(static_cast<NodeId>(it.row()), next->first.first);
            ASSERT_EQ(static_cast<NodeId>(it.col()), next->first.second);
            ASSERT_EQ(it.value(), next->second);  // sums of 64ths are exact
          }
      }
    }
  });
}

// A use: PageRank's fixed point as a linear system, solved densely.
TEST(Eigen, SolvesPageRank) {
  CaseGraph g = Build({"five", 1,
                       [](CaseGraph& c, int) {
                         c.AddNodes(5);
                         c.Link(0, kLink, 1, 0.5f);
                         c.Link(1, kLink, 2, 1.0f);
                         c.Link(2, kLink, 0, 0.25f);
                         c.Link(2, kLink, 3, 0.75f);
                         c.Link(4, kRelatesTo, 0, 1.0f);
                         c.Link(3, kLink, 4, 0.5f);
                       }},
                      Shape::kDelta);
  const auto view = DenseView::Make(g.snapshot());
  const auto matrix = AdjacencyMatrix(*view);
  ASSERT_TRUE(matrix.has_value());
  Eigen::MatrixXd walk = Eigen::MatrixXd(*matrix);
  for (Eigen::Index row = 0; row < 5; ++row) walk.row(row) /= walk.row(row).sum();
  const Eigen::VectorXd teleport = Eigen::VectorXd::Constant(5, 0.15 / 5);
  const Eigen::VectorXd solved =
      (Eigen::MatrixXd::Identity(5, 5) - 0.85 * walk.transpose()).partialPivLu().solve(teleport);
  PageRankOptions options;
  options.tolerance = 1e-14;
  options.max_iterations = 1000;
  const auto ours = PageRank(g.snapshot(), options);
  ASSERT_TRUE(ours.has_value()) << ours.error().ToString();
  for (NodeId v = 0; v < 5; ++v) EXPECT_NEAR(ours->scores[view->node(v)], solved[v], 1e-12);
}

TEST(Eigen, MapsOfVectorsAreTheRowsThemselves) {
  const VectorCase made =
      WithVectors({"many", 1, [](CaseGraph& c, int) { c.AddNodes(9000); }}, Shape::kClean, 19);
  const Snapshot s = made.graph.snapshot();
  const VectorView& vectors = *s.space(made.space());
  std::uint32_t rows = 0, maps = 0;
  ForEachVectorMap(vectors, [&](std::uint32_t first, const EigenVectorMap& map) {
    ASSERT_EQ(first, rows);
    ASSERT_EQ(map.cols(), 19);
    ASSERT_EQ(static_cast<const void*>(map.data()), vectors.rows_from(first).first);  // no copy
    for (Eigen::Index i = 0; i < map.rows(); ++i)
      for (Eigen::Index k = 0; k < 19; ++k)
        ASSERT_EQ(
            map(i, k),
            RowOf(vectors, first + static_cast<std::uint32_t>(i))[static_cast<std::size_t>(k)]);
    rows += static_cast<std::uint32_t>(map.rows());
    ++maps;
  });
  EXPECT_EQ(rows, vectors.row_count());
  EXPECT_GT(maps, 1u);

  // A batch of products through Eigen gives the best of Nearest.
  std::vector<NodeId> nodes;
  for (NodeId v = 0; v < s.node_count(); ++v)
    if (s.alive(v) && vectors.has(v)) nodes.push_back(v);
  const EigenVectors all = GatherVectors(vectors, nodes);
  const NodeId asked[] = {nodes[5], nodes[700]};
  const EigenVectors queries = GatherVectors(vectors, asked);
  const Eigen::MatrixXf products = all * queries.transpose();
  for (Eigen::Index q = 0; q < 2; ++q) {
    Eigen::Index best = 0;
    products.col(q).maxCoeff(&best);
    NearestOptions options;
    options.metric = Metric::kInnerProduct;
    options.top = 1;
    const auto nearest = Nearest(s, made.space(), VectorOf(vectors, asked[q]), options);
    ASSERT_TRUE(nearest.has_value());
    EXPECT_EQ(nearest->hits[0].measure, static_cast<double>(products(best, q)));
    EXPECT_EQ(nearest->hits[0].node, nodes[static_cast<std::size_t>(best)]);
  }
}

TEST(Eigen, NodesWithoutAVectorAreZeros) {
  CaseGraph g = Build({"two", 1, [](CaseGraph& c, int) { c.AddNodes(2); }}, Shape::kClean);
  g.SetVector(1, kSpace, {1, 2, 3});
  g.Commit();
  const Snapshot s = g.snapshot();
  const NodeId nodes[] = {0, 1, 1};
  const EigenVectors rows = GatherVectors(*s.space(SpaceId{}), nodes);
  EXPECT_EQ(rows.rows(), 3);
  EXPECT_EQ(rows.row(0).squaredNorm(), 0);
  EXPECT_EQ(rows(2, 2), 3);
  EXPECT_EQ(GatherVectors(*s.space(SpaceId{}), {}).rows(), 0);
}

}  // namespace
}  // namespace plexus::testing
