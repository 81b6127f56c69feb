// Leiden on bare rows: what the kernel of community.h runs, for it, tests and benches.
#pragma once

#include "algorithms/community/community.h"
#include "engine/arrays/views.h"

namespace plexus::community {

// On bare rows, each pair in the rows of both its ends; entries of one pair add up, an
// entry (v, v) is A_vv itself. Kinds, valid_at and subset do not count. kInvalidArgument
// also: a negative, infinite or NaN weight, naming its arc.
Result<LeidenResult> LeidenCsr(const CsrView& symmetric, const LeidenOptions& options = {});

}  // namespace plexus::community
