// Levels pushed from a list while small, else pulled by nodes that some search has not
// seen; a level is settled by one pass over what it found.
#include "algorithms/centrality/internal/batched_distance_sums.h"

#include <bit>

namespace plexus::centrality::internal {

namespace {

constexpr std::uint64_t kPullShare = 32;  // pulled when a level has more than n / 32 nodes
constexpr std::uint64_t kCheckEvery = 16384;  // nodes and arcs between two polls of the budget

}  // namespace

BatchedDistanceSums::BatchedDistanceSums(const CsrView& forth, const CsrView& back)
    : forth_(forth),
      back_(back),
      seen_(forth.node_count(), 0),
      now_(forth.node_count(), 0),
      next_(forth.node_count(), 0),
      sums_(forth.node_count(), DistanceSums{}),
      own_(forth.node_count(), DistanceSums{}) {
  level_.reserve(forth.node_count());
  found_.reserve(forth.node_count());
}

std::optional<std::uint32_t> BatchedDistanceSums::Search(std::span<const NodeId> sources,
                                                         std::uint32_t max_depth,
                                                         const Budget& budget) {
  level_.clear();
  std::uint64_t all = 0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const std::uint64_t lane = std::uint64_t{1} << s;
    now_[sources[s]] = seen_[sources[s]] = lane;
    all |= lane;
    level_.push_back(sources[s]);
  }
  std::uint32_t depth = 0;
  bool whole = true;
  while (!level_.empty() && depth < max_depth) {
    found_.clear();
    whole = level_.size() * kPullShare > forth_.node_count() ? Pull(all, budget) : Push(budget);
    for (const NodeId u : level_) now_[u] = 0;
    if (!whole)
      for (const NodeId v : found_) next_[v] = 0;
    if (!whole || found_.empty()) {
      level_.clear();
      break;
    }
    Settle(++depth);
    level_.swap(found_);
  }
  for (const NodeId u : level_) now_[u] = 0;
  Clear(whole);
  return whole ? std::optional(depth) : std::nullopt;
}

// What `next_` holds at the nodes found has been reached at this depth.
void BatchedDistanceSums::Settle(std::uint32_t depth) {
  const unsigned __int128 inverse = (static_cast<unsigned __int128>(1) << 64) / depth;
  for (const NodeId v : found_) {
    const std::uint64_t lanes = next_[v];
    next_[v] = 0;
    now_[v] = lanes;
    seen_[v] |= lanes;
    const auto count = static_cast<std::uint64_t>(std::popcount(lanes));
    DistanceSums& sums = own_[v];
    sums.reached += count;
    sums.distances += count * depth;
    sums.inverse += inverse * count;
  }
}

// The search is over: its sums count, or do not.
void BatchedDistanceSums::Clear(bool keep) {
  const NodeId n = forth_.node_count();
  for (NodeId v = 0; v < n; ++v) {
    if (seen_[v] == 0) continue;
    seen_[v] = 0;
    if (keep) sums_[v].Add(own_[v]);
    own_[v] = {};
  }
}

bool BatchedDistanceSums::Stopped(std::uint64_t steps, const Budget& budget) {
  steps_ += steps;
  if (steps_ < kCheckEvery) return false;
  steps_ = 0;
  return budget.Interrupted();
}

bool BatchedDistanceSums::Push(const Budget& budget) {
  for (const NodeId u : level_) {
    for (std::uint32_t a = forth_.offsets[u]; a < forth_.offsets[u + 1]; ++a) {
      const NodeId v = forth_.neighbors[a];
      const std::uint64_t lanes = now_[u] & ~seen_[v];
      if (lanes == 0) continue;
      if (next_[v] == 0) found_.push_back(v);
      next_[v] |= lanes;
    }
    if (Stopped(forth_.degree(u) + 1, budget)) return false;
  }
  return true;
}

bool BatchedDistanceSums::Pull(std::uint64_t all, const Budget& budget) {
  const NodeId n = back_.node_count();
  for (NodeId v = 0; v < n; ++v) {
    const std::uint64_t wanted = all & ~seen_[v];
    if (wanted == 0) continue;
    std::uint64_t lanes = 0;
    const std::uint32_t first = back_.offsets[v], past = back_.offsets[v + 1];
    std::uint32_t a = first;
    for (; a < past && (lanes & wanted) != wanted; ++a) lanes |= now_[back_.neighbors[a]];
    lanes &= wanted;
    if (lanes != 0) {
      next_[v] = lanes;
      found_.push_back(v);
    }
    if (Stopped(a - first + 1, budget)) return false;
  }
  return true;
}

}  // namespace plexus::centrality::internal
