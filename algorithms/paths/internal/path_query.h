// PathWalk: what the searches of one path query share: where they may go, what a step
// costs, and what is left of the budget.
//
// Costs are compared as (cost, hops), so edges of cost 0 are harmless and no cheapest path has a
// cycle. Single-threaded; a query has one.
#pragma once

#include <compare>
#include <cstdint>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/paths/paths.h"

namespace plexus::paths::internal {

struct Length {
  double cost = 0;
  std::uint32_t hops = 0;
  auto operator<=>(const Length&) const = default;
  Length operator+(const Length& o) const { return {cost + o.cost, hops + o.hops}; }
};

class PathWalk {
 public:
  // Keeps pointers to its arguments.
  PathWalk(const common_internal::Selection& selection, const ShortestPathOptions& options,
           NodeId from, NodeId to);

  const Snapshot& snapshot() const { return *selection_.snapshot; }
  const ShortestPathOptions& options() const { return options_; }
  NodeId from() const { return from_; }
  NodeId to() const { return to_; }
  bool by_hops() const { return options_.cost == PathCost::kHops; }

  std::uint64_t edges() const { return edges_; }  // arcs looked at so far
  bool truncated() const { return truncated_; }
  // Polls the budget now; for searches that may be too short for the next poll.
  bool Interrupted();

  // Calls step(const Arc&, Length of the step) for every arc that may be walked from
  // `node` (backward: to it), until it returns false. `reached` returns how many nodes the search
  // holds. Stops when the budget runs out (`truncated`). kInvalidArgument: what ShortestPath
  // refuses.
  template <class Reached, class Step>
  Status ForEachStep(bool backward, NodeId node, Reached&& reached, Step&& step);

  // As ForEachStep, every arc as it lies: step(const Arc&), costs and nodes unasked.
  template <class Reached, class Step>
  bool ForEachArc(bool backward, NodeId node, Reached&& reached, Step&& step);

  bool MayEnter(NodeId node) const {
    return node == from_ || node == to_ || selection_.contains(node);
  }
  // Of an edge of this weight into `to`. Negative: closed. NaN: Refusal returns why.
  double Cost(float weight, NodeId to) const;
  Status Refusal(const Arc& arc, NodeId from, NodeId to) const;
  // The sum from the start, so that the same path always has the same bits.
  double CostOf(const FoundPath& path) const;

  // The arc as it is stored; it was seen in the row of `row`.
  PathEdge Stored(const Arc& arc, NodeId row) const;

 private:
  bool Poll();                      // polls the budget; before every arc, hidden ones too
  bool Spend(std::size_t reached);  // one arc; false when the budget is gone

  const common_internal::Selection& selection_;
  const ShortestPathOptions& options_;
  const NodeId from_, to_;
  Direction forward_, backward_;
  bool truncated_ = false;
  std::uint64_t edges_ = 0, polled_ = 0;
};

template <class Reached, class Step>
bool PathWalk::ForEachArc(bool backward, NodeId node, Reached&& reached, Step&& step) {
  return common_internal::ForEachArcInterruptible(
      snapshot(), backward ? backward_ : forward_, node, selection_.filter, [&] { return Poll(); },
      [&](const Arc& arc) { return Spend(reached()) && step(arc); });
}

template <class Reached, class Step>
Status PathWalk::ForEachStep(bool backward, NodeId node, Reached&& reached, Step&& step) {
  Status status;
  ForEachArc(backward, node, reached, [&](const Arc& arc) {
    if (!MayEnter(arc.neighbor)) return true;
    const NodeId to = backward ? node : arc.neighbor;
    const double cost = Cost(arc.weight, to);
    if (cost >= 0) return step(arc, Length{cost, 1});
    if (cost < 0) return true;
    status = Refusal(arc, backward ? arc.neighbor : node, to);
    return false;
  });
  return status;
}

}  // namespace plexus::paths::internal
