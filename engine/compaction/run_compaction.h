// Folding runs into the base.
// Private to the library.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/state.h"

namespace plexus {

// Folds the first `run_count` runs of `state` into a new base. Pure.
Result<std::shared_ptr<const Csr>> CompactRuns(const GraphState& state, std::size_t run_count,
                                               Executor& executor);

}  // namespace plexus
