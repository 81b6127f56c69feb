// A refresh in several parts from scores and hints that do not belong together.
#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <vector>

#include "algorithms/pagerank/internal/csr_spmv.h"
#include "algorithms/pagerank/internal/refresh.h"
#include "algorithms/pagerank/pagerank.h"
#include "tests/algorithms/pagerank/base_rows.h"
#include "tests/algorithms/pagerank/pagerank_query.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
namespace {

// Scores that are not of the earlier state, in several parts: what they sum to may be lost, or
// turn negative, on the way. The bound holds, and the scores are those of the graph.
TEST(PageRankRefresh, ErrorBoundHoldsInPartsFromArbitraryStartWithAHint) {
  constexpr NodeId kNodes = 6'000;  // six parts
  const Case c{"lost mass", 1, [](CaseGraph& g, int) {
                 g.AddNodes(kNodes);
                 g.Link(1, kLink, 5'501);
                 g.Link(5'501, kLink, 2);
                 g.Link(2, kLink, 5'501);
                 g.Link(3'000, kLink, 5'500);
                 g.Link(5'500, kLink, 3);
                 g.Link(3, kLink, 5'500);
               }};
  CaseGraph g = Build(c, Shape::kCompacted);
  const Snapshot first = g.snapshot();
  g.Link(10, kLink, 11);
  g.Commit();
  const Snapshot second = g.snapshot();
  g.Unlink(1, kLink, 5'501);
  g.Link(1, kLink, 3'000);
  g.Commit();
  const Snapshot third = g.snapshot();
  std::vector<double> start(kNodes);
  start[1] = 1;
  const std::vector<pagerank::internal::SeedShare> seed = {{5'500, 1.0}};
  for (const Snapshot* now : {&second, &third})
    for (const Snapshot* earlier : {&first, now})
      for (const double damping : {0.85, 0.99})
        for (const bool seeded : {false, true}) {
          const pagerank::internal::LiveCsr rows{OutRows(*now), InRows(*now), now, kNodes};
          PageRankOptions full;
          full.damping = damping;
          full.tolerance = 1e-10;
          full.max_iterations = 10'000;
          if (seeded) full.seeds = {{5'500, 1.0}};
          const std::vector<double> want = Rank(*now, full).scores;
          for (const int most : {3, 2'000}) {
            const auto got = pagerank::internal::RefreshPageRank(
                rows, start,
                seeded ? std::span<const pagerank::internal::SeedShare>(seed)
                       : std::span<const pagerank::internal::SeedShare>(),
                {.damping = damping,
                 .tolerance = 1e-7,
                 .max_iterations = most,
                 .earlier = earlier,
                 .budget = {},
                 .part_work = 1'024},
                SerialExecutor());
            EXPECT_GE(got.error, 0);
            EXPECT_LE(got.error, 2);
            EXPECT_LE(Distance(got.scores, want), got.error + 1e-9)
                << (now == &third) << (earlier == now) << ' ' << damping << seeded << ' ' << most;
            EXPECT_NEAR(std::accumulate(got.scores.begin(), got.scores.end(), 0.0), 1.0, 1e-11);
            if (most > 3) {
              EXPECT_LE(got.error, 1e-7) << damping << seeded;
            }
          }
        }
}

// Telling the neighbours of changed rows all at once spends arcs of the budget as sweeps do: of
// three sweeps' worth two are left.
TEST(PageRankRefresh, ArcsPropagatedAtOnceCountAgainstTheBudget) {
  constexpr NodeId kNodes = 2'000;
  const Case c{"even", 1, [](CaseGraph& g, int) {
                 g.AddNodes(kNodes);
                 for (std::uint32_t v = 0; v < kNodes; ++v)
                   for (std::uint32_t i = 1; i <= 16; ++i)
                     g.Link(v, kLink, (v * 31u + i * i * 97u + i) % kNodes);
               }};
  CaseGraph g = Build(c, Shape::kCompacted);
  const Snapshot first = g.snapshot();
  for (std::uint32_t i = 1; i <= 16; ++i) g.Link(7, kLink, 100 * i);
  g.Commit();
  const Snapshot now = g.snapshot();
  PageRankOptions full;
  full.tolerance = 1e-10;
  full.max_iterations = 10'000;
  const std::vector<double> start = Rank(first, full).scores;
  const pagerank::internal::LiveCsr rows{OutRows(now), InRows(now), &now, kNodes};
  pagerank::internal::PageRankRefreshOptions options;
  options.tolerance = 1e-10;
  options.earlier = &first;
  const auto whole =
      pagerank::internal::RefreshPageRank(rows, start, {}, options, SerialExecutor());
  EXPECT_FALSE(whole.truncated);
  EXPECT_GT(whole.iterations, 3);
  for (const std::uint64_t sweeps : {2u, 3u, 4u}) {
    options.budget.edges = whole.arcs * sweeps;
    const auto cut =
        pagerank::internal::RefreshPageRank(rows, start, {}, options, SerialExecutor());
    EXPECT_TRUE(cut.truncated);
    EXPECT_EQ(cut.iterations, static_cast<int>(sweeps) - 1);
  }
}

}  // namespace
}  // namespace plexus::testing
