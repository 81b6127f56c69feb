// Weakly connected components against depth-first search.
#include "algorithms/components.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/algorithms/each_case.h"
#include "tests/reference/oracles.h"

namespace plexus::testing {
namespace {

void Check(const CaseGraph& g, const ComponentsOptions& options) {
  const auto want = reference::Components(g.Flat(options.kinds, options.subset));
  const auto got = Components(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  ASSERT_EQ(got->labels, want);
  std::map<NodeId, std::uint64_t> sizes;
  for (NodeId label : want)
    if (label != kNoNode) ++sizes[label];
  EXPECT_EQ(got->count, sizes.size());
  std::uint64_t largest = 0;
  NodeId label = kNoNode;
  for (auto [l, size] : sizes)
    if (size > largest) {
      largest = size;
      label = l;
    }
  EXPECT_EQ(got->largest, largest);
  EXPECT_EQ(got->largest_label, label);
}

TEST(Components, EqualsDepthFirstSearchAtAnyThreadCount) {
  const auto executors = Executors();
  ForEachGraph([&](const CaseGraph& g, Shape) {
    for (const auto& e : executors) {
      ComponentsOptions options;
      options.executor = e.executor.get();
      Check(g, options);
      options.kinds = {kSupports, kSimilar};
      Check(g, options);
      options.kinds = {kHasTag};
      Check(g, options);
      const Snapshot s = g.snapshot();
      std::vector<NodeId> some;
      for (NodeId v = 0; v < s.node_count(); ++v)
        if (v % 3 != 0) some.push_back(v);
      const NodeSubset subset = *NodeSubset::Of(s, some);
      options.kinds.clear();
      options.subset = &subset;
      Check(g, options);
    }
  });
}

// The base arrays as they are, index plane and removed nodes included.
TEST(ComponentsCsr, EqualsDepthFirstSearchAtAnyThreadCount) {
  const auto executors = Executors();
  ForEachGraph([&](const CaseGraph& g, Shape shape) {
    if (shape != Shape::kClean) return;
    std::vector<KindId> all = {kHasTag};
    for (const auto& [identity, edge] : g.edges()) all.push_back(std::get<1>(identity));
    const auto want = reference::Components(g.Flat(all));
    const Snapshot s = g.snapshot();
    for (const auto& e : executors) {
      const auto got = ComponentsCsr(s.base().out(), s.base().in(), e.executor.get());
      ASSERT_EQ(got.size(), want.size());
      for (NodeId v = 0; v < got.size(); ++v)
        ASSERT_EQ(got[v], want[v] == kNoNode ? v : want[v]) << e.name;
    }
  });
}

// Sparse enough for many components of middling size, where the sampled arcs do
// not suffice and the largest one is not the first.
TEST(Components, ManyOfMiddlingSize) {
  const Case c{"paths", 1, [](CaseGraph& g, int) {
                 g.AddNodes(20000);
                 for (std::size_t v = 0; v < 20000; ++v) {
                   const std::size_t w = (v * 7919 + 13) % 20000;
                   if (v % 97 > 40 && v != w) g.Link(v, kLink, w);
                 }
               }};
  for (Shape shape : {Shape::kClean, Shape::kRuns}) Check(Build(c, shape), {});
}

TEST(Components, RefusesUnknownKinds) {
  CaseGraph g;
  ComponentsOptions options;
  options.kinds = {63};
  EXPECT_FALSE(Components(g.snapshot(), options).has_value());
}

}  // namespace
}  // namespace plexus::testing
