// Core numbers against taking nodes away one by one.
#include "algorithms/kcore.h"

#include <gtest/gtest.h>

#include "tests/algorithms/each_case.h"
#include "tests/reference/oracles.h"

namespace plexus::testing {
namespace {

// One reference for all executors.
void Check(const CaseGraph& g, KCoreOptions options, const std::vector<Executor*>& executors = {nullptr}) {
  const auto flat = g.Flat(options.kinds, options.subset, options.valid_at);
  const auto want = reference::Cores(flat);
  for (Executor* executor : executors) {
    options.executor = executor;
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
}

TEST(KCore, EqualsTakingNodesAwayAtAnyThreadCount) {
  const auto executors = Executors();
  std::vector<Executor*> all;
  for (const auto& e : executors) all.push_back(e.executor.get());
  ForEachGraph([&](const CaseGraph& g, Shape) {
    Check(g, {}, all);
    if (::testing::Test::HasFatalFailure()) return;
    Check(g, {.kinds = {kSupports, kSimilar}});
    Check(g, {.kinds = {kHasTag, kLink}});
    const Snapshot s = g.snapshot();
    std::vector<NodeId> some;
    for (NodeId v = 0; v < s.node_count(); ++v)
      if (v % 3 != 1) some.push_back(v);
    const NodeSubset subset = *NodeSubset::Of(s, some);
    Check(g, {.subset = &subset});
  });
}

TEST(KCore, ABudgetLeavesLowerBounds) {
  const CaseGraph& g = Large(0, Shape::kClean);
  const auto all = KCore(g.snapshot());
  ASSERT_FALSE(all->truncated);
  const std::atomic<bool> stop = true;
  int cut = 0;
  for (std::uint64_t nodes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{g.size() / 2}, std::uint64_t{g.size()}, Budget::kUnlimited})
    for (std::uint64_t edges : {std::uint64_t{0}, std::uint64_t{1000}, Budget::kUnlimited})
      for (const std::atomic<bool>* cancel : {static_cast<const std::atomic<bool>*>(nullptr), &stop}) {
        KCoreOptions options;
        options.budget.nodes = nodes;
        options.budget.edges = edges;
        options.budget.cancel = cancel;
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

TEST(KCore, OnlyWhatIsValidAndNoUnknownKinds) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1);
  g.Link(1, kLink, 2);
  g.LinkValid(2, kLink, 0, 10, 20);
  g.Commit();
  for (std::int64_t at : {5, 15}) Check(g, {.valid_at = at});
  EXPECT_EQ(KCore(g.snapshot(), {.valid_at = 15})->degeneracy, 2u);
  EXPECT_FALSE(KCore(g.snapshot(), {.kinds = {63}}).has_value());
}

}  // namespace
}  // namespace plexus::testing
