// What the searches of one path query share. PathWalk: where they may go, what a step costs, and
// what is left of the budget. ReachedNodes, MinHeap: what they have come to.
//
// Costs are compared as (cost, hops), so edges of cost 0 are harmless and no cheapest path has a
// cycle. Single-threaded; a query has one.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/paths/paths.h"

namespace plexus::paths::internal {

struct Length {
  double cost = 0;
  std::uint32_t hops = 0;
  auto operator<=>(const Length&) const = default;
  Length operator+(const Length& o) const { return {cost + o.cost, hops + o.hops}; }
};

// The nodes that a search has reached, in one array, and where each is.
struct ReachedNodes {
  static constexpr std::uint32_t kNone = common_internal::NodeMap::kAbsent;
  struct Reach {
    NodeId node;
    std::uint32_t parent;  // place of the node that the arc was seen in the row of
    Length length;         // from where the search began
    bool settled;
    Arc arc;
  };

  void Begin(NodeId node_count, NodeId first, Length length, bool settled) {
    places.Reset(node_count);
    list.clear();
    places.at(first) = 0;
    list.push_back({first, kNone, length, settled, {}});
  }
  const Reach& operator[](std::uint32_t place) const { return list[place]; }
  Reach& operator[](std::uint32_t place) { return list[place]; }
  std::size_t size() const { return list.size(); }

  // The place of the arc's end, which is new (and settled or not) or nearer this way; kNone: it is
  // settled, or was as near.
  std::uint32_t Offer(const Arc& arc, std::uint32_t parent, Length length, bool settled = false) {
    std::uint32_t& place = places.at(arc.neighbor);
    if (place == kNone) {
      place = static_cast<std::uint32_t>(list.size());
      list.push_back({arc.neighbor, parent, length, settled, arc});
      return place;
    }
    Reach& reach = list[place];
    if (reach.settled || length >= reach.length) return kNone;
    reach.parent = parent;
    reach.length = length;
    reach.arc = arc;
    return place;
  }

  common_internal::NodeMap places;
  std::vector<Reach> list;
};

// A reached node that waits to be settled, the nearest first.
struct OpenNode {
  Length length;
  NodeId node;
  std::uint32_t place;
  bool operator>(const OpenNode& o) const {
    return length != o.length ? length > o.length : node > o.node;
  }
};

// A heap with the least in front, which keeps its memory.
template <class T, class Greater = std::greater<>>
class MinHeap {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const T& front() const { return heap_.front(); }
  void clear() { heap_.clear(); }
  void Push(const T& item) {
    heap_.push_back(item);
    std::push_heap(heap_.begin(), heap_.end(), Greater());
  }
  T Pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Greater());
    const T least = heap_.back();
    heap_.pop_back();
    return least;
  }

 private:
  std::vector<T> heap_;
};

class PathWalk {
 public:
  // Keeps pointers to its arguments.
  PathWalk(const common_internal::Selection& selection, const ShortestPathOptions& options,
           NodeId from, NodeId to)
      : selection_(selection), options_(options), from_(from), to_(to) {}

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

 private:
  bool Poll();                      // polls the budget; before every arc, hidden ones too
  bool Spend(std::size_t reached);  // one arc; false when the budget is gone

  const common_internal::Selection& selection_;
  const ShortestPathOptions& options_;
  const NodeId from_, to_;
  bool truncated_ = false;
  std::uint64_t edges_ = 0, polled_ = 0;
};

template <class Reached, class Step>
bool PathWalk::ForEachArc(bool backward, NodeId node, Reached&& reached, Step&& step) {
  return common_internal::ForEachArcInterruptible(
      snapshot(), backward ? Opposite(options_.direction) : options_.direction, node,
      selection_.filter, [&] { return Poll(); },
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
