// Label propagation against counting. Graphalytics' own examples: graphalytics_test.cc.
#include "algorithms/community/community.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <vector>

#include "tests/reference/oracles.h"
#include "tests/support/cancelling_executor.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace community;
namespace {

// By counting, over the arcs of both directions as they are stored.
std::vector<NodeId> Counted(const reference::FlatGraph& flat, int iterations) {
  std::vector<NodeId> labels(flat.node_count(), kNoNode);
  for (NodeId v = 0; v < labels.size(); ++v)
    if (flat.selected[v]) labels[v] = v;
  for (int i = 0; i < iterations; ++i) {
    std::vector<std::map<NodeId, int>> counts(labels.size());
    for (const auto& arc : flat.arcs) {
      ++counts[arc.from][labels[arc.to]];
      ++counts[arc.to][labels[arc.from]];
    }
    std::vector<NodeId> next = labels;
    for (NodeId v = 0; v < labels.size(); ++v) {
      int most = 0;
      for (const auto& [label, count] : counts[v])
        if (count > most) {
          most = count;
          next[v] = label;
        }
    }
    labels = next;
  }
  return labels;
}

void CheckLabels(const CaseGraph& g, int iterations, const EdgeKinds& kinds = {}) {
  LabelPropagationOptions options;
  options.iterations = iterations;
  options.filter.kinds = kinds;
  options.run.executor = NextExecutor();
  const auto got = LabelPropagation(g.snapshot(), options);
  ASSERT_TRUE(got.has_value());
  ASSERT_EQ(got->labels, Counted(g.Flat(kinds), iterations));
  EXPECT_TRUE(got->converged || got->iterations == iterations);
}

TEST(LabelPropagation, EqualsCountingAtAnyThreadCount) {
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    for (int iterations : {0, 1, 2, 5}) CheckLabels(g, iterations);
    CheckLabels(g, 3, {kHasTag, kLink});
  });
  for (std::size_t which = 0; which < kLargeCases; ++which)
    CheckLabels(Large(which, Shape::kDelta), 1);
}

// A round that is stopped within does not count.
TEST(LabelPropagation, StopsWithinARound) {
  CaseGraph g;
  g.AddNodes(5000);
  for (NodeId v = 0; v + 1 < 5000; ++v) g.Link(v, kLink, v + 1);
  g.Commit();
  LabelPropagationOptions options;
  options.iterations = 1;
  CancelsBeforeBlock whole(-1);
  options.run.executor = &whole;
  EXPECT_EQ(LabelPropagation(g.snapshot(), options)->iterations, 1);
  CancelsBeforeBlock stops(whole.count - 1);
  options.run.executor = &stops;
  options.run.budget.cancel = &stops.cancel;
  const auto cut = LabelPropagation(g.snapshot(), options);
  EXPECT_TRUE(cut->truncated);
  EXPECT_EQ(cut->iterations, 0);
  for (NodeId v = 0; v < 5000; ++v) ASSERT_EQ(cut->labels[v], v);
}

TEST(LabelPropagation, StopsAndRefuses) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(0, kLink, 1);
  g.LinkValid(2, kLink, 3, 10, 20);
  g.Commit();
  EXPECT_EQ(LabelPropagation(g.snapshot(), {.iterations = 1, .filter = {.valid_at = 5}})->labels,
            (std::vector<NodeId>{1, 0, 2, 3}));
  const auto swings = LabelPropagation(g.snapshot(), {.iterations = 7});
  EXPECT_EQ(swings->labels, (std::vector<NodeId>{1, 0, 3, 2}));
  EXPECT_FALSE(swings->converged);
  std::atomic<bool> stop = true;
  LabelPropagationOptions options;
  options.run.budget.cancel = &stop;
  const auto cut = LabelPropagation(g.snapshot(), options);
  EXPECT_TRUE(cut->truncated);
  EXPECT_EQ(cut->labels, (std::vector<NodeId>{0, 1, 2, 3}));
  EXPECT_FALSE(LabelPropagation(g.snapshot(), {.iterations = -1}).has_value());
}

}  // namespace
}  // namespace plexus::testing
