// Thousands of refreshes of random graphs stay within the error stated.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "algorithms/pagerank/internal/base_tile_spmv.h"
#include "algorithms/pagerank/internal/refresh.h"
#include "tests/algorithms/pagerank/base_rows.h"
#include "tests/algorithms/pagerank/pagerank_query.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
namespace {

// Random graphs that mix well, badly, with weights near each other or decades apart, changed a
// little or a lot, refreshed in one part or several, over rows or tiles, from the scores of the
// state before or some that have nothing to do with it.
TEST(PageRankRefresh, ErrorBoundHoldsOnRandomGraphs) {
  std::uint32_t state = 11;
  const auto draw = [&](std::uint32_t below) {
    return (state = state * 1664525u + 1013904223u) / 65536u % below;
  };
  int reached = 0;
  for (int round = 0; round < 3'000; ++round) {
    SCOPED_TRACE(round);
    CaseGraph g;
    const bool several = round % 50 == 0;
    const std::uint32_t nodes = several ? 2'100 + draw(2'000) : 2 + draw(80),
                        degree = 1 + draw(several ? 4 : 10), decades = draw(6);
    g.AddNodes(nodes);
    const auto link = [&] {
      const std::size_t from = draw(nodes), to = draw(8) == 0 ? draw(1 + nodes / 16) : draw(nodes);
      if (from != to)
        g.Link(from, kLink, to,
               std::pow(10.0f, static_cast<float>(draw(1 + decades))) * 0.125f *
                   static_cast<float>(1 + draw(8)));
    };
    for (std::uint32_t e = nodes * degree; e > 0; --e) link();
    g.Commit();
    g.Compact();
    const Snapshot before = g.snapshot();
    pagerank::internal::PageRankRefreshOptions options;
    options.damping = std::array{0.85, 0.1, 0.95, 0.5, 0.0}[draw(5)];
    options.tolerance = std::array{1e-4, 1e-6, 1e-8}[draw(3)];
    options.weighted = draw(2) != 0;
    options.part_work = 1'024;
    if (several && draw(2) != 0)
      options.tiles = std::make_shared<const pagerank::internal::PageRankTiles>(
          pagerank::internal::PageRankTiles::Make(
              options.weighted
                  ? InRows(before)
                  : CsrView{InRows(before).offsets, InRows(before).neighbors, {}, {}, {}},
              OutRows(before), SerialExecutor(), pagerank::internal::PageRankTiles::kEvenRows));
    std::vector<double> start =
        reference::PageRank(g.Flat(), options.damping, options.weighted, {}, 0);
    for (std::uint32_t e = draw(4) == 0 ? nodes / 2 : 1; e > 0; --e) link();
    g.Commit();
    if (draw(3) == 0) {
      double sum = 0;
      for (double& x : start) sum += x = draw(4) == 0 ? 1 + draw(1'000) : 0;
      for (double& x : start) x = sum > 0 ? x / sum : 1.0 / nodes;
    }
    const Snapshot now = g.snapshot();
    if (draw(2) != 0) options.earlier = &before;
    std::vector<pagerank::internal::SeedShare> seeds;
    std::vector<double> teleport;
    if (draw(3) == 0) {
      const NodeId seed = draw(nodes);
      seeds = {{seed, 1.0}};
      teleport.assign(nodes, 0.0);
      teleport[seed] = 1;
    }
    const pagerank::internal::LiveCsr rows{OutRows(now), InRows(now), &now, nodes};
    const auto want = reference::PageRank(g.Flat(), options.damping, options.weighted, teleport, 0);
    const auto got =
        pagerank::internal::RefreshPageRank(rows, start, seeds, options, SerialExecutor());
    EXPECT_LE(Distance(got.scores, want), got.error + 1e-13);
    EXPECT_LE(got.error, options.tolerance);
    reached += got.error <= options.tolerance;
    options.max_iterations = 1 + static_cast<int>(draw(6));
    const auto stopped =
        pagerank::internal::RefreshPageRank(rows, start, seeds, options, SerialExecutor());
    EXPECT_LE(Distance(stopped.scores, want), stopped.error + 1e-13);
    EXPECT_NEAR(std::accumulate(stopped.scores.begin(), stopped.scores.end(), 0.0), 1.0, 1e-6);
  }
  EXPECT_EQ(reached, 3'000);
}

}  // namespace
}  // namespace plexus::testing
