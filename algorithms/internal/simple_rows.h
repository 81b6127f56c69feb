// SimpleRows: the neighbours of single nodes, each once, straight from a Snapshot.
//
// For questions that touch few rows and must not pay for a copy of the graph. Kinds and
// parallel edges collapse, loops do not count. One per thread: it holds scratch memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/internal/selection.h"
#include "engine/snapshot.h"

namespace plexus::internal {

class SimpleRows {
 public:
  explicit SimpleRows(const Selection& selection) : selection_(&selection) {}

  // fn(NodeId) for every arc to a selected node but `node` itself, doubles as they come;
  // false stops. Returns the arcs looked at.
  template <class Fn>
  std::uint64_t ForEach(NodeId node, Direction direction, Fn&& fn) const {
    std::uint64_t arcs = 0;
    selection_->snapshot->ForEachArc(direction, node, selection_->filter, [&](const Arc& arc) {
      ++arcs;
      return arc.neighbor == node || !selection_->contains(arc.neighbor) || fn(arc.neighbor);
    });
    return arcs;
  }

  // N(node), ascending; `also` counts as selected. Returns the arcs looked at.
  std::uint64_t Gather(NodeId node, Direction direction, NodeId also, std::vector<NodeId>& out) {
    std::uint64_t arcs = 0;
    out.clear();
    selection_->snapshot->ForEachArc(direction, node, selection_->filter, [&](const Arc& arc) {
      ++arcs;
      if (arc.neighbor != node && (arc.neighbor == also || selection_->contains(arc.neighbor)))
        out.push_back(arc.neighbor);
    });
    Unite(out);
    return arcs;
  }

  // Arcs of the row, loops and what is not selected included; stops soon after `limit`.
  std::uint64_t Length(NodeId node, Direction direction, std::uint64_t limit) const {
    if (direction == Direction::kBoth)
      return Length(node, Direction::kOut, limit) + Length(node, Direction::kIn, limit);
    const ArcFilter& filter = selection_->filter;
    if (filter.all_kinds() && !filter.checks_time()) return selection_->snapshot->Degree(direction, node, filter);
    std::uint64_t arcs = 0;
    selection_->snapshot->ForEachArc(direction, node, filter, [&](const Arc&) { return ++arcs <= limit; });
    return arcs;
  }

 private:
  // A row is a few ascending stretches, one a kind and direction: merged, not sorted.
  void Unite(std::vector<NodeId>& row) {
    begins_.assign(1, 0);
    for (std::size_t i = 1; i < row.size(); ++i)
      if (row[i] < row[i - 1]) begins_.push_back(i);
    begins_.push_back(row.size());
    const auto at = [&](std::size_t i) { return row.begin() + static_cast<std::ptrdiff_t>(begins_[i]); };
    while (begins_.size() > 2) {
      std::size_t kept = 1;
      for (std::size_t i = 0; i + 2 < begins_.size(); i += 2) {
        std::inplace_merge(at(i), at(i + 1), at(i + 2));
        begins_[kept++] = begins_[i + 2];
      }
      if (begins_[kept - 1] != row.size()) begins_[kept++] = row.size();
      begins_.resize(kept);
    }
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }

  const Selection* selection_;
  std::vector<std::size_t> begins_;
};

}  // namespace plexus::internal
