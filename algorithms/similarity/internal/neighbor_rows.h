// NeighborRows: the neighbours of single nodes, each once, straight from a Snapshot.
//
// For queries that touch few rows and must not copy the graph. Kinds and
// parallel edges collapse, loops do not count. One per thread: it holds scratch memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/selection.h"
#include "engine/snapshot.h"

namespace plexus::similarity::internal {

class NeighborRows {
 public:
  // Looks at the budget's deadline and cancel flag every kPollInterval arcs; null: never.
  explicit NeighborRows(const common_internal::Selection& selection, const Budget* budget = nullptr)
      : selection_(&selection), budget_(budget) {}

  // The budget interrupted a row: that call returned a part of it.
  bool interrupted() const { return interrupted_; }
  // Length() reads the row, as kinds or times are to be looked at.
  bool length_reads() const {
    return !selection_->filter.all_kinds() || selection_->filter.checks_time();
  }

  // fn(NodeId) for every arc to a selected node but `node` itself, doubles as they come;
  // false stops. Returns the arcs looked at.
  template <class Fn>
  std::uint64_t ForEach(NodeId node, Direction direction, Fn&& fn) {
    return Walk(node, direction, Budget::kUnlimited, [&](const Arc& arc) {
      return arc.neighbor == node || !selection_->contains(arc.neighbor) || fn(arc.neighbor);
    });
  }

  // N(node), ascending; `also` counts as selected. Returns the arcs looked at; at most
  // `limit`, or limit + 1 when the row has more (then `out` is a part of it).
  std::uint64_t Gather(NodeId node, Direction direction, NodeId also, std::vector<NodeId>& out,
                       std::uint64_t limit = Budget::kUnlimited) {
    out.clear();
    const std::uint64_t arcs = Walk(node, direction, limit, [&](const Arc& arc) {
      if (arc.neighbor != node && (arc.neighbor == also || selection_->contains(arc.neighbor)))
        out.push_back(arc.neighbor);
      return true;
    });
    Unite(out);
    return arcs;
  }

  // Arcs of the row, loops and what is not selected included; limit + 1 for more than `limit`.
  // Under kBoth a loop, and a symmetric edge, counts twice: an upper bound then.
  std::uint64_t Length(NodeId node, Direction direction, std::uint64_t limit) {
    if (direction == Direction::kBoth) {
      const std::uint64_t out = Length(node, Direction::kOut, limit);
      return out > limit ? out : out + Length(node, Direction::kIn, limit - out);
    }
    if (!length_reads()) return selection_->snapshot->Degree(direction, node, selection_->filter);
    return Walk(node, direction, limit, [](const Arc&) { return true; });
  }

 private:
  static constexpr std::uint32_t kPollInterval = 1 << 16;

  template <class Fn>
  std::uint64_t Walk(NodeId node, Direction direction, std::uint64_t limit, Fn&& fn) {
    std::uint64_t arcs = 0;
    selection_->snapshot->ForEachArc(direction, node, selection_->filter, [&](const Arc& arc) {
      if (arcs++ == limit) return false;
      if (++since_poll_ >= kPollInterval) {
        since_poll_ = 0;
        interrupted_ = interrupted_ || (budget_ && budget_->Interrupted());
      }
      return !interrupted_ && fn(arc);
    });
    return arcs;
  }

  // A row is a few ascending stretches, one a kind and direction: merged, not sorted.
  void Unite(std::vector<NodeId>& row) {
    begins_.assign(1, 0);
    for (std::size_t i = 1; i < row.size(); ++i)
      if (row[i] < row[i - 1]) begins_.push_back(i);
    begins_.push_back(row.size());
    const auto at = [&](std::size_t i) {
      return row.begin() + static_cast<std::ptrdiff_t>(begins_[i]);
    };
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

  const common_internal::Selection* selection_;
  const Budget* budget_;
  std::uint32_t since_poll_ = 0;
  bool interrupted_ = false;
  std::vector<std::size_t> begins_;
};

}  // namespace plexus::similarity::internal
