// Never-composed sets by looking at every set of the pool: the definition of every lens.
//
// Formulas: algorithms/memory/frontier/frontier.h and the lenses' own headers. Never use it in
// production.
#pragma once

#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "engine/snapshot.h"

namespace plexus::reference {

// Every set that a lens lists, best first, ties by ids. `top` and `cursor` cut nothing;
// of kDivergent's unmeasured pairs `top` says how many are sampled. Reason and question stay empty.
std::vector<memory::NeverComposedSet> NeverComposed(const Snapshot& snapshot,
                                                    const memory::NeverComposedOptions& options);

}  // namespace plexus::reference
