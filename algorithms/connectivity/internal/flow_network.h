// FlowNetwork: what lies between two nodes, as arcs with whole capacities.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/aligned_array.h"
#include "engine/types.h"

namespace plexus::connectivity::internal {

// Every pair of neighbours is an arc each way; capacities may be 0.
struct FlowNetwork {
  std::vector<std::uint32_t> offsets;     // by node of the network; one more at the end
  AlignedArray<std::uint32_t> targets;    // by arc, ascending in a row
  AlignedArray<std::uint32_t> reverse;    // by arc: the one the other way
  AlignedArray<std::int64_t> capacities;  // by arc
  std::uint32_t source = 0, sink = 0;
};

// Leaves of the capacities what a maximum flow does not use, and returns the flow. False: the
// budget ran out. Boost's boykov_kolmogorov_max_flow, whose exceptions do not leave this.
bool AugmentPaths(FlowNetwork& network, const Budget& budget, std::int64_t& flow);

}  // namespace plexus::connectivity::internal
