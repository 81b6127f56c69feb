// The edges of a load and those that were there before. Private to the engine.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/adjacency/csr.h"
#include "engine/error.h"
#include "engine/parallel.h"

namespace plexus::engine_internal {

// A csr with the edges of `base` and of `added` (whose in arrays are not read), which has at least
// as many nodes; where both have an edge, that of `added`. Takes O(edges) time, and next to the
// result `memory` bytes or 4 bytes an arc, whichever is more. kResourceExhausted above
// Limits::kMaxArcs; kFailedPrecondition where an edge of `added` replaces one with properties or a
// created_by, which a load cannot state.
Result<std::shared_ptr<Csr>> MergeRows(const Csr& base, const Csr& added, std::uint64_t memory,
                                       Executor& executor);

}  // namespace plexus::engine_internal
