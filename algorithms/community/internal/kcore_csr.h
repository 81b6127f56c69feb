// Core numbers of bare rows: what the kernel of community.h runs, for it, tests and benches.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/community/community.h"
#include "engine/arrays/views.h"

namespace plexus::community {

// Core numbers of bare rows. REQUIRES symmetric rows without doubles and loops.
// `truncated`, when given, is set to whether the budget ran out (see KCoreResult).
Result<std::vector<std::uint32_t>> KCoreCsr(const CsrView& simple, const Budget& budget = {},
                                            bool* truncated = nullptr);

}  // namespace plexus::community
