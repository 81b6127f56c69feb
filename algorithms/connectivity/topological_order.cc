// Kahn's algorithm: over the nodes themselves while there is no cycle; if there is one, again over
// the condensation, whose nodes are strong components.
#include "algorithms/connectivity/connectivity.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/connectivity/internal/bitmap_min_queue.h"
#include "algorithms/connectivity/internal/tarjan.h"
#include "engine/out_of_memory.h"

namespace plexus::connectivity {

namespace {

constexpr std::uint64_t kLookEvery = 65536;  // steps between two looks at the budget

Result<EdgeKinds> DirectedKinds(const Schema& schema, EdgeKinds kinds) {
  const auto& known = schema.edge_kinds();
  if (!kinds.given()) {
    for (std::size_t kind = 0; kind < known.size(); ++kind)
      if (known[kind].acyclic && !known[kind].symmetric)
        kinds.push_back(static_cast<EdgeKindId>(kind));
    if (kinds.empty())
      return FailedPrecondition("no kind is declared acyclic; name the kinds to order by");
  }
  for (EdgeKindId kind : kinds)
    if (kind < known.size() && known[kind].symmetric)
      return Invalid("edges of kind '", known[kind].name, "' are symmetric, so they order nothing");
  return kinds;
}

// Dense ids grouped by component, ascending inside each.
struct Groups {
  std::vector<std::uint32_t> component;  // of a dense id
  std::vector<std::uint32_t> begins;     // of a component, into members; one more at the end
  std::vector<NodeId> members;

  explicit Groups(std::vector<std::uint32_t> components)
      : component(std::move(components)), members(component.size()) {
    std::uint32_t count = 0;
    for (std::uint32_t c : component) count = std::max(count, c + 1);
    begins.assign(count + std::size_t{1}, 0);
    for (std::uint32_t c : component) ++begins[c + std::size_t{1}];
    for (std::size_t c = 0; c < count; ++c) begins[c + 1] += begins[c];
    std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
    for (NodeId v = 0; v < component.size(); ++v) members[next[component[v]]++] = v;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(begins.size() - 1); }
  std::span<const NodeId> of(std::uint32_t c) const {
    return std::span(members).subspan(begins[c], begins[c + std::size_t{1}] - begins[c]);
  }
};

// A shortest cycle through `start`, by breadth-first search inside its component; empty
// when none exists. `parents` is all kNoNode before and after.
std::vector<NodeId> CycleThrough(const CsrView& rows, const Groups& groups, NodeId start,
                                 std::vector<NodeId>& parents) {
  std::vector<NodeId> queue = {start}, cycle;
  for (std::size_t head = 0; head < queue.size() && cycle.empty(); ++head) {
    const NodeId v = queue[head];
    for (std::uint32_t arc = rows.offsets[v]; arc < rows.offsets[v + 1]; ++arc) {
      const NodeId w = rows.neighbors[arc];
      if (w == start) {
        for (NodeId at = v; at != start; at = parents[at]) cycle.push_back(at);
        cycle.push_back(start);
        std::reverse(cycle.begin(), cycle.end());
        break;
      }
      if (groups.component[w] != groups.component[start] || parents[w] != kNoNode) continue;
      parents[w] = v;
      queue.push_back(w);
    }
  }
  for (NodeId v : queue) parents[v] = kNoNode;
  return cycle;
}

// Which dense ids an arc touches.
std::vector<bool> Touched(const CsrView& rows) {
  std::vector<bool> touched(rows.node_count());
  for (NodeId v = 0; v < rows.node_count(); ++v) {
    if (rows.degree(v) > 0) touched[v] = true;
    for (std::uint32_t arc = rows.offsets[v]; arc < rows.offsets[v + 1]; ++arc)
      touched[rows.neighbors[arc]] = true;
  }
  return touched;
}

enum class Ordered { kAll, kUpToCycles, kStopped };

Ordered OrderNodes(const CsrView& rows, const DenseView& view, const Budget& budget,
                   std::vector<OrderedNode>& order) {
  if (budget.Interrupted()) return Ordered::kStopped;
  const NodeId n = rows.node_count();
  std::vector<std::uint32_t> waits(n), levels(n);
  for (NodeId v = 0; v < n; ++v)
    for (std::uint32_t arc = rows.offsets[v]; arc < rows.offsets[v + 1]; ++arc)
      ++waits[rows.neighbors[arc]];
  internal::BitmapMinQueue ready(n);
  std::size_t touched = 0;
  for (NodeId v = 0; v < n; ++v) {
    if (waits[v] == 0 && rows.degree(v) == 0) continue;
    ++touched;
    if (waits[v] == 0) ready.Insert(v);
  }
  order.reserve(touched);
  std::uint64_t steps = 0, next_look = 0;  // nodes and arcs passed
  while (!ready.empty()) {
    const NodeId v = ready.PopMin();
    steps += 1 + rows.degree(v);
    if (steps >= next_look) {
      if (budget.Interrupted()) return Ordered::kStopped;
      next_look = steps + kLookEvery;
    }
    const std::uint32_t level = levels[v];
    order.push_back({view.node(v), level});
    for (std::uint32_t arc = rows.offsets[v]; arc < rows.offsets[v + 1]; ++arc) {
      const NodeId w = rows.neighbors[arc];
      levels[w] = std::max(levels[w], level + 1);
      if (--waits[w] == 0) ready.Insert(w);
    }
  }
  return order.size() == touched ? Ordered::kAll : Ordered::kUpToCycles;
}

}  // namespace

Result<TopologicalOrderResult> TopologicalOrder(const Snapshot& snapshot,
                                                const TopologicalOrderOptions& options) try {
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  PLEXUS_ASSIGN(wanted.filter.kinds, DirectedKinds(snapshot.schema(), options.filter.kinds));
  wanted.out = !options.reverse;
  wanted.in = options.reverse;
  wanted.weights = false;
  PLEXUS_ASSIGN(const auto made, common_internal::ViewInTime(snapshot, wanted, options.run));
  TopologicalOrderResult result;
  result.truncated = !made;
  if (!made) return result;
  const DenseView& view = *made;
  const CsrView rows = options.reverse ? view.in() : view.out();
  const Ordered ordered = OrderNodes(rows, view, options.run.budget, result.order);
  if (ordered == Ordered::kAll) return result;
  result.order.clear();  // with a cycle it may begin in another way
  auto components =
      ordered == Ordered::kStopped
          ? std::nullopt
          : internal::StrongComponents(rows.offsets, rows.neighbors, options.run.budget);
  result.truncated = !components;
  if (!components) return result;
  const Groups groups(*std::move(components));
  const std::vector<bool> touched = Touched(rows);

  std::vector<std::uint32_t> waits(groups.count()), levels(groups.count());
  const auto for_each_next = [&](std::uint32_t c, auto&& visit) {
    for (NodeId v : groups.of(c))
      for (std::uint32_t arc = rows.offsets[v]; arc < rows.offsets[v + 1]; ++arc)
        if (const std::uint32_t to = groups.component[rows.neighbors[arc]]; to != c) visit(to);
  };
  for (std::uint32_t c = 0; c < groups.count(); ++c)
    for_each_next(c, [&](std::uint32_t to) { ++waits[to]; });

  using Ready = std::pair<NodeId, std::uint32_t>;  // smallest member, component
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (std::uint32_t c = 0; c < groups.count(); ++c)
    if (waits[c] == 0 && touched[groups.of(c)[0]]) ready.push({groups.of(c)[0], c});
  std::vector<NodeId> parents(view.node_count(), kNoNode);
  std::uint64_t steps = 0, next_look = 0;  // nodes and arcs passed
  while (!ready.empty()) {
    const std::uint32_t c = ready.top().second;
    if (++steps >= next_look) {
      if (options.run.budget.Interrupted()) {
        result.truncated = true;
        break;
      }
      next_look = steps + kLookEvery;
    }
    ready.pop();
    for (NodeId v : groups.of(c)) result.order.push_back({view.node(v), levels[c]});
    OrderCycle cycle{CycleThrough(rows, groups, groups.of(c)[0], parents), groups.of(c).size()};
    if (!cycle.nodes.empty()) {
      // The walk went along the rows: against the edges when reversed.
      if (options.reverse) std::reverse(cycle.nodes.begin() + 1, cycle.nodes.end());
      for (NodeId& v : cycle.nodes) v = view.node(v);
      result.cycles.push_back(std::move(cycle));
    }
    for (const NodeId v : groups.of(c)) steps += rows.degree(v);
    for_each_next(c, [&](std::uint32_t to) {
      levels[to] = std::max(levels[to], levels[c] + 1);
      if (--waits[to] == 0) ready.push({groups.of(to)[0], to});
    });
  }
  std::sort(result.cycles.begin(), result.cycles.end(),
            [](const OrderCycle& a, const OrderCycle& b) { return a.nodes[0] < b.nodes[0]; });
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::connectivity
