// Lanes against one plain search a source.
#include "algorithms/traversal/traversal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"
#include "tests/support/oracle_cache.h"

namespace plexus::testing {
using namespace builtin;
using namespace traversal;
namespace {

using WantedDepths = OracleCache<std::pair<NodeId, Direction>, std::vector<std::uint32_t>>;

void CheckMultiBfs(const CaseGraph& g, const reference::FlatGraph& flat,
                   const std::vector<NodeId>& sources, MultiBfsOptions options,
                   WantedDepths& wanted) {
  options.depths = true;
  const auto got = MultiBfs(g.snapshot(), sources, options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  ASSERT_EQ(got->sources, sources.size());
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const auto& want = wanted.Of(flat, {sources[s], options.direction}, [&] {
      return reference::Depths(flat, {sources[s]}, options.direction);
    });
    std::vector<std::uint64_t> levels;
    for (NodeId v = 0; v < want.size(); ++v) {
      const std::uint32_t depth = want[v] <= options.max_depth ? want[v] : kUnreached;
      if (got->depths[v * sources.size() + s] !=
          depth)  // a million of them: a macro each takes seconds
        FAIL() << v << " from " << sources[s] << ": " << got->depths[v * sources.size() + s]
               << ", not " << depth;
      if (depth == kUnreached) continue;
      if (depth >= levels.size()) levels.resize(depth + 1, 0);
      ++levels[depth];
    }
    ASSERT_EQ(got->levels[s], levels);
  }
  options.depths = false;
  EXPECT_EQ(MultiBfs(g.snapshot(), sources, options)->levels, got->levels);
}

std::vector<NodeId> Selected(const reference::FlatGraph& flat, std::size_t count) {
  std::vector<NodeId> nodes;
  for (NodeId v = flat.node_count(); v-- > 0 && nodes.size() < count;)
    if (flat.selected[v]) nodes.push_back(v);
  return nodes;
}

TEST(MultiBfs, EqualsOneSearchASourceAtAnyThreadCount) {
  const auto executors = Executors();
  WantedDepths facts, some;
  ForEachGraph([&](const CaseGraph& g, Shape) {
    const auto flat = g.Flat();
    const bool large = g.size() > 1000;
    for (Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth}) {
      MultiBfsOptions options;
      options.direction = direction;
      for (std::size_t count :
           large ? std::vector<std::size_t>{1, 9} : std::vector<std::size_t>{1, 7, 64}) {
        const auto sources = Selected(flat, count);
        if (sources.empty()) continue;
        options.run.executor =
            executors[(count + static_cast<std::size_t>(direction)) % executors.size()]
                .executor.get();
        CheckMultiBfs(g, flat, sources, options, facts);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
    MultiBfsOptions options;
    options.direction = Direction::kBoth;
    options.filter.kinds = {kLink, kHasTag};
    options.max_depth = 2;
    const auto linked = g.Flat(options.filter.kinds);
    const auto sources = Selected(linked, large ? 2 : 5);
    if (!sources.empty()) CheckMultiBfs(g, linked, sources, options, some);
  });
}

// A source outside of the subset is reached by its own search and by no other.
TEST(MultiBfs, SourcesOutsideOfTheSubsetAreNoWayForOthers) {
  const auto executors = Executors();
  ForEachGraph([&](const CaseGraph& g, Shape) {
    const auto flat = g.Flat();
    const auto sources = Selected(flat, 9);
    if (sources.empty() || g.size() > 1000) return;
    std::vector<NodeId> some;
    for (NodeId v = 0; v < g.snapshot().node_count(); ++v)
      if (v % 3 != 1) some.push_back(v);
    const NodeSubset subset = *NodeSubset::Of(g.snapshot(), some);
    for (const Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth}) {
      MultiBfsOptions options;
      options.direction = direction;
      options.depths = true;
      options.filter.subset = &subset;
      options.run.executor = executors[sources.size() % executors.size()].executor.get();
      const auto together = MultiBfs(g.snapshot(), sources, options);
      ASSERT_TRUE(together);
      for (std::size_t s = 0; s < sources.size(); ++s) {
        const auto single = MultiBfs(g.snapshot(), {&sources[s], 1}, options);
        ASSERT_EQ(together->levels[s], single->levels[0]);
        for (NodeId v = 0; v < g.snapshot().node_count(); ++v)
          ASSERT_EQ(together->depths[v * sources.size() + s], single->depths[v]) << v;
      }
    }
  });
}

TEST(MultiBfs, ABudgetLeavesDeeperLevelsOut) {
  const CaseGraph& g = Large(0, Shape::kClean);
  const auto sources = Selected(g.Flat(), 5);
  const auto all = MultiBfs(g.snapshot(), sources, {.direction = Direction::kBoth});
  ASSERT_FALSE(all->truncated);
  const std::atomic<bool> stop = true;
  std::vector<Budget> budgets(5);
  budgets[0].edges = 0;
  budgets[1].edges = 200;
  budgets[2].nodes = 40;
  budgets[3].cancel = &stop;
  for (const Budget& budget : budgets) {
    MultiBfsOptions options{.direction = Direction::kBoth};
    options.run.budget = budget;
    const auto got = MultiBfs(g.snapshot(), sources, options);
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->truncated, &budget != &budgets[4]);
    bool missing = false;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      ASSERT_LE(got->levels[s].size(), all->levels[s].size());
      EXPECT_TRUE(std::equal(got->levels[s].begin(), got->levels[s].end(), all->levels[s].begin()));
      missing |= got->levels[s].size() < all->levels[s].size();
    }
    EXPECT_EQ(missing, got->truncated);
  }
}

TEST(MultiBfs, TwiceTheSameSourceAndErrors) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1);
  g.Link(1, kLink, 2);
  g.Commit();
  WantedDepths wanted;
  CheckMultiBfs(g, g.Flat(), {1, 0, 1}, {}, wanted);
  EXPECT_FALSE(MultiBfs(g.snapshot(), {}, {}).has_value());
  EXPECT_FALSE(MultiBfs(g.snapshot(), std::vector<NodeId>(65, 0), {}).has_value());
  EXPECT_FALSE(MultiBfs(g.snapshot(), std::vector<NodeId>{3}, {}).has_value());
  EXPECT_FALSE(
      MultiBfs(g.snapshot(), std::vector<NodeId>{0}, {.filter = {.kinds = {EdgeKindId{63}}}})
          .has_value());
}

}  // namespace
}  // namespace plexus::testing
