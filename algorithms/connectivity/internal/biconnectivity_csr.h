// Cut points, bridges and blocks of bare rows: what the kernel of biconnectivity.h runs, for it,
// tests and benches.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/connectivity/biconnectivity.h"
#include "engine/adjacency/csr_view.h"

namespace plexus {

// On bare rows; `in` is the transpose of `out` (the same view when rows are symmetric).
struct CutPointsCsrResult {
  std::vector<bool> points;  // by node
  // (parent, child) in the search: a bridge unless more than one edge joins the two.
  struct Pair {
    NodeId parent, child;
  };
  std::vector<Pair> narrow;
  std::vector<std::uint64_t> block_begins;  // as above, unsorted; without list_blocks sizes alone
  std::vector<NodeId> block_nodes;
  bool truncated = false;
};

struct CutPointsCsrOptions {
  bool list_blocks = false;
  RunOptions run = {};
};

Result<CutPointsCsrResult> CutPointsCsr(const CsrView& out, const CsrView& in,
                                        const CutPointsCsrOptions& options = {});

}  // namespace plexus
