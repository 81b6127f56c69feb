// Breadth-first by hops, Dijkstra by cost, a row at a time.
#include "algorithms/paths/internal/reverse_tree.h"

namespace plexus::paths::internal {

ReverseTree::ReverseTree(PathWalk& walk) : walk_(walk) { Restart(nullptr, 0); }

void ReverseTree::Restart(const common_internal::NodeMap* index, std::uint32_t last) {
  index_ = index;
  last_ = last;
  reached_.Begin(walk_.snapshot().node_count(), walk_.to(), {}, walk_.by_hops());
  heap_.clear();
  cursor_ = 0;
  arcs_ = 0;
  finished_ = false;
  if (!walk_.by_hops()) heap_.Push({{}, walk_.to(), 0});
}

ReverseTree::Bound ReverseTree::LowerBound(NodeId node) const {
  const std::uint32_t place = reached_.places.get(node);
  if (place != ReachedNodes::kNone && reached_[place].settled)
    return {reached_[place].length, place, false};
  if (finished_) return {{}, ReachedNodes::kNone, true};
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
    const std::uint32_t place = heap_.Pop().place;
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
        const std::uint32_t known = reached_.Offer(arc, place, whole, walk_.by_hops());
        if (known != ReachedNodes::kNone && !walk_.by_hops())
          heap_.Push({whole, arc.neighbor, known});
        return true;
      });
}

}  // namespace plexus::paths::internal
