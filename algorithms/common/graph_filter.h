// GraphFilter: the part of a graph that a kernel looks at. Every kernel's options hold one.
//
//   plexus::PageRank(snapshot, {.filter = {.kinds = {causes}, .subset = &visible}});
//
// Where a kernel reads a field otherwise than said here, its own options say so.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "engine/types.h"

namespace plexus {

struct GraphFilter {
  std::vector<EdgeKindId> kinds = {};  // edges of these kinds; none = the fact plane
  std::int64_t valid_at = kNoTime;     // edges valid then, in milliseconds; kNoTime = of any time
  const NodeSubset* subset = nullptr;  // these nodes, and edges between them; null = all
};

}  // namespace plexus
