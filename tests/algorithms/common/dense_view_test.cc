// DenseView: the selected nodes and arcs, in order, with maps both ways.
#include "algorithms/common/common.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
namespace {

using Row = std::vector<std::tuple<EdgeKindId, NodeId, float>>;

void Check(const CaseGraph& g, const EdgeKinds& kinds, const NodeSubset* subset) {
  const auto flat = g.Flat(kinds, subset);
  DenseViewOptions options;
  options.filter.kinds = kinds;
  options.filter.subset = subset;
  const auto view = DenseView::Make(g.snapshot(), options);
  ASSERT_TRUE(view.has_value());
  std::vector<NodeId> nodes;
  for (NodeId v = 0; v < flat.node_count(); ++v) {
    ASSERT_EQ(view->dense(v), flat.selected[v] ? nodes.size() : kNoNode);
    if (flat.selected[v]) nodes.push_back(v);
  }
  ASSERT_EQ(view->node_count(), nodes.size());
  ASSERT_EQ(view->nodes().ToList(), nodes);
  for (NodeId d = 0; d < nodes.size(); ++d) ASSERT_EQ(view->node(d), nodes[d]);
  for (Direction direction : {Direction::kOut, Direction::kIn}) {
    std::vector<Row> want(nodes.size());
    for (const auto& a : flat.arcs) {
      const NodeId row = direction == Direction::kOut ? a.from : a.to;
      const NodeId other = direction == Direction::kOut ? a.to : a.from;
      want[view->dense(row)].push_back({a.kind, view->dense(other), a.weight});
    }
    const CsrView rows = direction == Direction::kOut ? view->out() : view->in();
    ASSERT_EQ(rows.node_count(), nodes.size());
    for (NodeId d = 0; d < nodes.size(); ++d) {
      // Labels break the ties of parallel edges: compare those as multisets.
      std::sort(want[d].begin(), want[d].end());
      ASSERT_EQ(rows.degree(d), want[d].size());
      std::vector<std::pair<NodeId, float>> got_arcs, want_arcs;
      for (std::size_t i = 0; i < want[d].size(); ++i) {
        const auto at = static_cast<std::uint32_t>(rows.offsets[d] + i);
        ASSERT_EQ(rows.neighbors[at], std::get<1>(want[d][i]));
        got_arcs.push_back({rows.neighbors[at], rows.weight(at)});
        want_arcs.push_back({std::get<1>(want[d][i]), std::get<2>(want[d][i])});
      }
      std::sort(got_arcs.begin(), got_arcs.end());
      std::sort(want_arcs.begin(), want_arcs.end());
      ASSERT_EQ(got_arcs, want_arcs);
    }
  }
}

TEST(DenseView, HoldsTheSelectionInOrder) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const Snapshot s = g.snapshot();
    const NodeSubset subset = SubsetOf(s, [](NodeId v) { return v % 3 != 1; });
    for (const EdgeKinds& kinds :
         {EdgeKinds{}, {kLink}, {kHasTag, kLink}}) {
      Check(g, kinds, nullptr);
      Check(g, kinds, &subset);
    }
  });
}

TEST(DenseView, PointsAtTheBaseWhenItCan) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1);
  g.Commit();
  EXPECT_TRUE(DenseView::Make(g.snapshot())->packed());
  g.Compact();
  const Snapshot s = g.snapshot();
  const DenseView view = *DenseView::Make(s);
  EXPECT_FALSE(view.packed());
  EXPECT_EQ(view.out().neighbors.data(), s.base_rows(Direction::kOut).neighbors.data());
}

}  // namespace
}  // namespace plexus::testing
