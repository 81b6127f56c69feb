// RowPrefetch: prefetches the rows of nodes that will be visited soon.
//
// A small query spends its time waiting for rows that lie anywhere in memory. The
// list of nodes to visit is known ahead, so their offsets are fetched some places
// in front, and their arcs, found through the offsets, a few places behind that.
// Only a hint: any node may be passed, in the base or not. Of a graph whose rows fit the caches
// nothing is fetched.
#pragma once

#include "engine/arrays/views.h"
#include "engine/internal/prefetch.h"
#include "engine/snapshot.h"

namespace plexus::traversal::internal {

class RowPrefetch {
 public:
  static constexpr std::size_t kFar = 24;                           // places ahead: offsets
  static constexpr std::size_t kNear = 12;                          // places ahead: arcs
  static constexpr std::uint64_t kCached = std::uint64_t{1} << 20;  // arcs

  // Without kinds for searches that follow every kind, without weights for those that count hops.
  RowPrefetch(const Snapshot& snapshot, Direction direction, bool kinds = true, bool weights = true)
      : node_count_(snapshot.base_node_count()), kinds_(kinds), weights_(weights) {
    if (snapshot.base_rows(Direction::kOut).arc_count() <= kCached) return;
    if (direction != Direction::kIn) views_[count_++] = snapshot.base_rows(Direction::kOut);
    if (direction != Direction::kOut) views_[count_++] = snapshot.base_rows(Direction::kIn);
  }

  // The two halves: the first as soon as it is known that a
  // node will be visited, the second when what the first fetched has arrived.
  void Offsets(NodeId v) const {
    if (v >= node_count_) return;
    for (int k = 0; k < count_; ++k) Prefetch(&views_[k].offsets[v]);
  }
  void Arcs(NodeId v) const {
    if (v >= node_count_) return;
    for (int k = 0; k < count_; ++k) {
      const std::uint32_t begin = views_[k].offsets[v], end = views_[k].offsets[v + 1];
      if (begin == end) continue;
      const std::uint32_t last = end - begin > 16 ? begin + 16 : end - 1;
      Prefetch(&views_[k].neighbors[begin]);
      Prefetch(&views_[k].neighbors[last]);
      if (weights_) {
        Prefetch(views_[k].weights.at(begin));
        Prefetch(views_[k].weights.at(last));
      }
      if (kinds_) Prefetch(&views_[k].kinds[begin]);
    }
  }

 private:
  NodeId node_count_;
  bool kinds_, weights_;
  int count_ = 0;
  StoredCsrView views_[2];
};

}  // namespace plexus::traversal::internal
