// Breadth-first by hops, Dijkstra by cost, a row at a time.
#include "algorithms/paths/internal/reverse_tree.h"

#include <algorithm>
#include <functional>

namespace plexus::paths::internal {

ReverseTree::ReverseTree(PathWalk& walk) : walk_(walk) { Restart(nullptr, 0); }

void ReverseTree::Restart(const common_internal::NodeMap* index, std::uint32_t last) {
  index_ = index;
  last_ = last;
  places_.Reset(walk_.snapshot().node_count());
  reached_.clear();
  heap_.clear();
  cursor_ = 0;
  arcs_ = 0;
  finished_ = false;
  places_.at(walk_.to()) = 0;
  reached_.push_back({walk_.to(), common_internal::NodeMap::kAbsent, {}, walk_.by_hops(), {}});
  if (!walk_.by_hops()) heap_.push_back({{}, walk_.to(), 0});
}

ReverseTree::Bound ReverseTree::LowerBound(NodeId node) const {
  const std::uint32_t place = places_.get(node);
  if (place != common_internal::NodeMap::kAbsent && reached_[place].settled)
    return {reached_[place].length, place, false};
  if (finished_) return {{}, common_internal::NodeMap::kAbsent, true};
  // By hops the row under way may still reach it, one step beyond.
  return {walk_.by_hops() ? reached_[cursor_].length + Length{1, 1} : heap_.front().length};
}

Status ReverseTree::Grow(std::uint64_t arcs) {
  while (!finished_ && arcs_ < arcs && !walk_.truncated()) {
    if (walk_.by_hops()) {
      PLEXUS_TRY(Expand(cursor_));
      if (++cursor_ == reached_.size()) finished_ = true;
      continue;
    }
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const std::uint32_t place = heap_.back().place;
    heap_.pop_back();
    if (!reached_[place].settled) {
      reached_[place].settled = true;
      PLEXUS_TRY(Expand(place));
    }
    if (heap_.empty()) finished_ = true;
  }
  return {};
}

Status ReverseTree::Expand(std::uint32_t place) {
  const NodeId node = reached_[place].node;
  const Length length = reached_[place].length;
  ++arcs_;  // rows without arcs are work, too
  if (node == walk_.from()) return {};
  return walk_.ForEachStep(
      true, node, [&] { return reached_.size(); },
      [&](const Arc& arc, Length step) {
        ++arcs_;
        if (index_ && index_->get(arc.neighbor) <= last_) return true;
        const Length whole = length + step;
        std::uint32_t& known = places_.at(arc.neighbor);
        if (known == common_internal::NodeMap::kAbsent) {
          known = static_cast<std::uint32_t>(reached_.size());
          reached_.push_back({arc.neighbor, place, whole, walk_.by_hops(), arc});
        } else {
          Reach& reach = reached_[known];
          if (reach.settled || whole >= reach.length) return true;
          reach.next = place;
          reach.length = whole;
          reach.arc = arc;
        }
        if (!walk_.by_hops()) {
          heap_.push_back({whole, arc.neighbor, known});
          std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        }
        return true;
      });
}

}  // namespace plexus::paths::internal
