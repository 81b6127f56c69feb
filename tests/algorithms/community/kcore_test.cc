// Core numbers against taking nodes away one by one.
#include "algorithms/community/community.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"
#include "tests/support/oracle_cache.h"

namespace plexus::testing {
using namespace builtin;
using namespace community;
namespace {

using WantedCores = OracleCache<int, std::vector<std::uint32_t>>;

// One reference for shapes that share `wanted`.
void CheckCores(const CaseGraph& g, KCoreOptions options, WantedCores& wanted) {
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
  const auto& want = wanted.Of(flat, 0, [&] { return reference::Cores(flat); });
  options.run.executor = NextExecutor();
  const auto got = KCore(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  std::vector<std::uint64_t> sizes(1, 0);
  for (NodeId v = 0; v < want.size(); ++v) {
    ASSERT_EQ(got->cores[v], flat.selected[v] ? want[v] : KCoreResult::kNotSelected) << v;
    if (!flat.selected[v]) continue;
    if (want[v] >= sizes.size()) sizes.resize(want[v] + 1, 0);
    ++sizes[want[v]];
  }
  EXPECT_EQ(got->sizes, sizes);
  EXPECT_EQ(got->degeneracy + 1, sizes.size());
}

TEST(KCore, EqualsTakingNodesAwayAtAnyThreadCount) {
  WantedCores wanted[4];
  ForEachGraph([&](const CaseGraph& g, Shape) {
    CheckCores(g, {}, wanted[0]);
    if (::testing::Test::HasFatalFailure()) return;
    CheckCores(g, {.filter = {.kinds = {kSupports, kSimilar}}}, wanted[1]);
    CheckCores(g, {.filter = {.kinds = {kHasTag, kLink}}}, wanted[2]);
    const NodeSubset subset = SubsetOf(g.snapshot(), [](NodeId v) { return v % 3 != 1; });
    CheckCores(g, {.filter = {.subset = &subset}}, wanted[3]);
  });
}

// Rows as they lie: once where both directions hold the same, added up where one ends before the
// other begins, counted where a neighbour is in both.
TEST(KCore, RowsOfAnyLikeness) {
  std::mt19937 random(9);
  for (const int likeness : {0, 1, 2, 3}) {
    CaseGraph g;
    g.AddNodes(60);
    for (int i = 0; i < 300; ++i) {
      const std::size_t a = random() % 60, b = random() % 60;
      if (a == b) {
        if (likeness == 3) g.Link(a, kLink, a);
        continue;
      }
      if (likeness == 0) {  // every edge both ways
        g.Link(a, kLink, b);
        g.Link(b, kLink, a);
      } else if (likeness == 1) {  // from the smaller id
        g.Link(std::min(a, b), kLink, std::max(a, b));
      } else {
        g.Link(a, kLink, b);
        if (likeness == 3) g.Link(b, kLink, a);
      }
    }
    g.Commit();
    WantedCores wanted;
    CheckCores(g, {}, wanted);
  }
  // Of 0 and 1, joined both ways, each row is the one neighbour: in both.
  CaseGraph pair;
  pair.AddNodes(3);
  pair.Link(0, kLink, 1);
  pair.Link(1, kLink, 0);
  pair.Link(1, kLink, 2);
  pair.Commit();
  WantedCores wanted;
  CheckCores(pair, {}, wanted);
}

TEST(KCore, ABudgetLeavesLowerBounds) {
  const CaseGraph& g = Large(0, Shape::kClean);
  const auto all = KCore(g.snapshot());
  ASSERT_FALSE(all->truncated);
  const std::atomic<bool> stop = true;
  int cut = 0;
  for (std::uint64_t nodes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{g.size() / 2},
                              std::uint64_t{g.size()}, Budget::kUnlimited})
    for (std::uint64_t edges : {std::uint64_t{0}, std::uint64_t{1000}, Budget::kUnlimited})
      for (const std::atomic<bool>* cancel :
           {static_cast<const std::atomic<bool>*>(nullptr), &stop}) {
        KCoreOptions options;
        options.run.budget.nodes = nodes;
        options.run.budget.edges = edges;
        options.run.budget.cancel = cancel;
        const auto got = KCore(g.snapshot(), options);
        ASSERT_TRUE(got.has_value());
        EXPECT_EQ(got->truncated, cancel || nodes < g.size() || edges != Budget::kUnlimited);
        for (NodeId v = 0; v < g.size(); ++v) {
          if (!got->truncated || got->cores[v] < got->degeneracy)
            ASSERT_EQ(got->cores[v], all->cores[v]) << v;
          else
            ASSERT_LE(got->cores[v], all->cores[v]) << v;
        }
        cut += got->truncated && got->degeneracy > 0;
      }
  EXPECT_GT(cut, 0);
}

TEST(KCore, OnlyWhatIsValid) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1);
  g.Link(1, kLink, 2);
  g.LinkValid(2, kLink, 0, 10, 20);
  g.Commit();
  for (std::int64_t at : {5, 15}) {
    WantedCores wanted;
    CheckCores(g, {.filter = {.valid_at = at}}, wanted);
  }
  EXPECT_EQ(KCore(g.snapshot(), {.filter = {.valid_at = 15}})->degeneracy, 2u);
}

}  // namespace
}  // namespace plexus::testing
