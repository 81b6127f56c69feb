// The rows that may make a good pair with one row: what a change of one member asks.
// Private to algorithms/memory.
#pragma once

#include <vector>

#include "algorithms/memory/frontier/internal/surface/surface_pool.h"
#include "algorithms/memory/frontier/internal/surface/surface_score.h"
#include "engine/parallel.h"

namespace plexus::memory::internal {

// The rows whose pair with `row` may be worth `need`, ascending; `row` is none. O(rows).
std::vector<Row> PartnersOf(const SurfacePool& pool, const WorthBound& bound, Row row, float need,
                            Executor& executor);

}  // namespace plexus::memory::internal
