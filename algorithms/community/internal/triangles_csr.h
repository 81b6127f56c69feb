// Triangles of bare rows: what the kernel of community.h runs, for it, tests and benches.
#pragma once

#include <cstdint>

#include "algorithms/community/community.h"
#include "engine/arrays/views.h"

namespace plexus::community {

// Triangles of bare rows. REQUIRES symmetric rows, ascending, without doubles and loops.
Result<std::uint64_t> TrianglesCsr(const CsrView& simple, Executor* executor = nullptr);

}  // namespace plexus::community
