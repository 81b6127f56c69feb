// Levels pushed from a list while small, else pulled by nodes that some search has not
// seen; a level is settled by one pass over what it found.
#include "algorithms/centrality/internal/batched_distance_sums.h"

#include <algorithm>
#include <bit>

namespace plexus::centrality_internal {

namespace {

constexpr std::uint64_t kPullShare = 32;  // pulled when a level has more than n / 32 nodes

}  // namespace

BatchedDistanceSums::BatchedDistanceSums(const CsrView& forth, const CsrView& back)
    : forth_(forth),
      back_(back),
      seen_(forth.node_count(), 0),
      now_(forth.node_count(), 0),
      next_(forth.node_count(), 0),
      sums_(forth.node_count(), DistanceSums{}) {
  level_.reserve(forth.node_count());
  found_.reserve(forth.node_count());
}

std::uint32_t BatchedDistanceSums::Search(std::span<const NodeId> sources,
                                          std::uint32_t max_depth) {
  level_.clear();
  std::uint64_t all = 0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const std::uint64_t lane = std::uint64_t{1} << s;
    now_[sources[s]] = seen_[sources[s]] = lane;
    all |= lane;
    level_.push_back(sources[s]);
  }
  std::uint32_t depth = 0;
  while (!level_.empty() && depth < max_depth) {
    found_.clear();
    if (level_.size() * kPullShare > forth_.node_count())
      Pull(all);
    else
      Push();
    for (const NodeId u : level_) now_[u] = 0;
    if (found_.empty()) {
      level_.clear();
      break;
    }
    ++depth;
    const unsigned __int128 inverse = (static_cast<unsigned __int128>(1) << 64) / depth;
    for (const NodeId v : found_) {
      const std::uint64_t lanes = next_[v];
      next_[v] = 0;
      now_[v] = lanes;
      seen_[v] |= lanes;
      const auto count = static_cast<std::uint64_t>(std::popcount(lanes));
      DistanceSums& sums = sums_[v];
      sums.reached += count;
      sums.distances += count * depth;
      sums.inverse += inverse * count;
    }
    level_.swap(found_);
  }
  for (const NodeId u : level_) now_[u] = 0;
  std::fill(seen_.begin(), seen_.end(), 0);
  return depth;
}

void BatchedDistanceSums::Push() {
  for (const NodeId u : level_)
    for (std::uint32_t a = forth_.offsets[u]; a < forth_.offsets[u + 1]; ++a) {
      const NodeId v = forth_.neighbors[a];
      const std::uint64_t lanes = now_[u] & ~seen_[v];
      if (lanes == 0) continue;
      if (next_[v] == 0) found_.push_back(v);
      next_[v] |= lanes;
    }
}

void BatchedDistanceSums::Pull(std::uint64_t all) {
  const NodeId n = back_.node_count();
  for (NodeId v = 0; v < n; ++v) {
    const std::uint64_t wanted = all & ~seen_[v];
    if (wanted == 0) continue;
    std::uint64_t lanes = 0;
    for (std::uint32_t a = back_.offsets[v]; a < back_.offsets[v + 1] && (lanes & wanted) != wanted;
         ++a)
      lanes |= now_[back_.neighbors[a]];
    lanes &= wanted;
    if (lanes == 0) continue;
    next_[v] = lanes;
    found_.push_back(v);
  }
}

}  // namespace plexus::centrality_internal
