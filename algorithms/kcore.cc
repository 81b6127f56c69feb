// Nodes stand sorted by what is left of their degree; taking the first one away moves
// each neighbour to the front of its bucket and the bucket's border past it.
#include "algorithms/kcore.h"

#include <algorithm>

#include "algorithms/internal/simple_graph.h"
#include "algorithms/internal/view_options.h"

namespace plexus {

namespace {

constexpr NodeId kLookEvery = 4096;  // nodes between two looks at the clock

}  // namespace

std::vector<std::uint32_t> KCoreCsr(const CsrView& simple, const Budget& budget, bool* truncated) {
  const NodeId n = simple.node_count();
  std::vector<std::uint32_t> left(n);  // of the degree; at the end the core number
  std::uint32_t most = 0;
  for (NodeId v = 0; v < n; ++v) most = std::max(most, left[v] = simple.degree(v));
  std::vector<NodeId> first(std::size_t{most} + 2, 0);  // place of the first node with that much left
  for (NodeId v = 0; v < n; ++v) ++first[left[v] + 1];
  for (std::size_t d = 1; d < first.size(); ++d) first[d] += first[d - 1];
  std::vector<NodeId> sorted(n), place(n);
  std::vector<NodeId> next(first.begin(), first.end() - 1);
  for (NodeId v = 0; v < n; ++v) sorted[place[v] = next[left[v]]++] = v;
  std::uint64_t arcs = 0;
  NodeId i = 0;
  for (; i < n && i < budget.nodes && arcs < budget.edges; ++i) {
    if (i % kLookEvery == 0 && budget.Interrupted()) break;
    const NodeId v = sorted[i];
    arcs += simple.degree(v);
    for (std::uint32_t a = simple.offsets[v]; a < simple.offsets[v + 1]; ++a) {
      const NodeId w = simple.neighbors[a];
      if (left[w] <= left[v]) continue;
      const NodeId front = first[left[w]];  // past i: w has more left than v
      const NodeId other = sorted[front];
      std::swap(sorted[front], sorted[place[w]]);
      place[other] = place[w];
      place[w] = front;
      first[left[w]] = front + 1;
      --left[w];
    }
  }
  // What is left belongs to the core that peeling has come to, at least.
  const std::uint32_t reached = i < n ? left[sorted[i]] : 0;
  if (truncated) *truncated = i < n;
  for (; i < n; ++i) left[sorted[i]] = reached;
  return left;
}

Result<KCoreResult> KCore(const Snapshot& snapshot, const KCoreOptions& options) {
  DenseViewOptions wanted = internal::ViewOptions(options);
  PLEXUS_ASSIGN(const internal::SimpleGraph graph, internal::MakeSimpleGraph(snapshot, wanted));
  KCoreResult result;
  const std::vector<std::uint32_t> cores = KCoreCsr(graph.edges.out(), options.budget, &result.truncated);
  result.cores.assign(snapshot.node_count(), KCoreResult::kNotSelected);
  for (NodeId v = 0; v < graph.view.node_count(); ++v) {
    result.cores[graph.view.node(v)] = cores[v];
    result.degeneracy = std::max(result.degeneracy, cores[v]);
  }
  result.sizes.assign(std::size_t{result.degeneracy} + 1, 0);
  for (std::uint32_t core : cores) ++result.sizes[core];
  return result;
}

}  // namespace plexus
