// Core numbers, triangles and Leiden of bare rows: what the kernels of community.h run, for them,
// tests and benches.
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

// Triangles of bare rows. REQUIRES symmetric rows, ascending, without doubles and loops.
Result<std::uint64_t> TrianglesCsr(const CsrView& simple, Executor* executor = nullptr);

// Leiden on bare rows, each pair in the rows of both its ends; entries of one pair add up, an
// entry (v, v) is A_vv itself. Kinds, valid_at and subset do not count. kInvalidArgument
// also: a negative, infinite or NaN weight, naming its arc.
Result<LeidenResult> LeidenCsr(const CsrView& symmetric, const LeidenOptions& options = {});

}  // namespace plexus::community
