// Breadth-first search of bare rows: what the kernel of traversal.h runs, for tests and benches.
#pragma once

#include <cstdint>

#include "algorithms/traversal/traversal.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"

namespace plexus::traversal {

struct BfsCsrOptions {
  bool depths = true;  // false: parents only, half the memory to write
  Executor* executor = nullptr;
};

struct BfsCsrResult {
  AlignedArray<NodeId> parents;        // by node; the source's own is itself, kNoNode = unreached
  AlignedArray<std::uint32_t> depths;  // by node; kUnreached; empty when not asked for
  std::uint64_t reached = 0;           // nodes, the source included
};

// `in` is the transpose of `out` (the same view for a symmetric graph).
// O(nodes + arcs), deterministic. REQUIRES source < out.node_count().
Result<BfsCsrResult> BfsCsr(const CsrView& out, const CsrView& in, NodeId source,
                            const BfsCsrOptions& options = {});

}  // namespace plexus::traversal
