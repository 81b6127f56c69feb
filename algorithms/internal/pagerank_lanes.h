// One iteration of 16 PageRanks at once over the same arcs.
//
// What one PageRank wastes is most of every cache line it fetches: a line holds 16
// values of f32 and one is used. Here node v's line holds the contributions of v to 16
// rankings, so each line fetched is used whole, and the arcs are read once for all.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "algorithms/internal/pagerank_tiles.h"
#include "engine/parallel.h"

namespace plexus::internal {

inline constexpr std::uint32_t kLanes = 16;

struct alignas(64) Lanes {
  std::array<float, kLanes> at{};
};

// Where a lane's teleport goes; sorted by (position, lane).
struct LaneSeed {
  std::uint32_t position, lane;
  float share;
};

struct LanesPartial {
  std::array<double, kLanes> step{};      // sum of |new - old|
  std::array<double, kLanes> dangling{};  // mass on nodes without arcs
};
LanesPartial Add(LanesPartial a, const LanesPartial& b);

// Arrays by position.
struct LanesStep {
  float damping = 0;
  std::array<float, kLanes> base{};  // mass that teleports, by lane
  const std::vector<LaneSeed>* seeds = nullptr;
  const float* reciprocal = nullptr;
  const Lanes* contribution = nullptr;
  Lanes* next = nullptr;  // contributions to the next iteration
  Lanes* scores = nullptr;
};

// `sums` is scratch, one entry a row.
LanesPartial StepLanes(const PageRankTiles& tiles, const LanesStep& step, Lanes* sums,
                       Executor& executor);

}  // namespace plexus::internal
