// The best never-composed pairs of a pool, exactly.
//
// A threshold is guessed from the best pairs of a sample of the rows, the join finds all pairs
// above it, and while these are too few it falls. Within a guess the k-th best pair so far is the
// threshold of the next round.
// Private to algorithms/memory.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/memory/internal/surface_score.h"
#include "algorithms/memory/never_composed.h"
#include "engine/parallel.h"

namespace plexus::memory_internal {

// Rows ascend; nodes do, too, so rows decide ties.
struct RankedRows {
  double score = 0;
  std::vector<Row> rows;
};
bool RanksBefore(const RankedRows& a, const RankedRows& b);

struct ListQuery {
  std::size_t k = 10;
  const RankedRows* after = nullptr;  // only what ranks behind it; null: all
};

struct RankedList {
  std::vector<RankedRows> sets;  // best first
  bool truncated = false;
  bool more = false;  // There may be further ones.
  std::uint64_t compared = 0, scored = 0;
};

RankedList TopPairs(const SurfaceScore& score, const ListQuery& query, Executor& executor);

}  // namespace plexus::memory_internal
