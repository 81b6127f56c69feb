// The arcs of a base as kernels read them: with a float an arc, or none when all weights are 1.
//
// A base may hold its weights as codes (engine/arrays/weight_column.h). Kernels that read every
// weight are given floats, which are made once and kept with the base.
#pragma once

#include <memory>

#include "engine/adjacency/csr.h"

namespace plexus::common_internal {

// Valid as long as the base and `weights`, which is set when floats had to be made. Without
// `weighted` rows have no weights. O(1) when nothing has to be made, else O(arcs) and 4 bytes an
// arc the first time. May throw std::bad_alloc. REQUIRES an executor that runs every block or
// throws: what is made is kept.
CsrView BaseRowsOf(const Csr& base, Direction direction, bool weighted, Executor& executor,
                   std::shared_ptr<const void>& weights);

}  // namespace plexus::common_internal
