// A load that its memory does not hold: entries in runs in a scratch. Private to the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/bulk/load_plan.h"
#include "engine/bulk/load_rows.h"

namespace plexus::engine_internal {

// As BuildLoadedRows, with about `memory` bytes on top of the graph: at least what the edges of one
// batch and those of one part of the rows take. Batches lose their arrays.
template <class Entry>
Result<LoadedRows> BuildRuns(const LoadPlan& plan, std::vector<LoadBatch>& batches,
                             std::shared_ptr<LoadScratch> scratch, std::uint64_t memory);

}  // namespace plexus::engine_internal
