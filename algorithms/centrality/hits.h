// HITS: hubs point at good authorities, authorities are pointed at by good hubs.
//
// authority(v) = sum over arcs u->v of w(u,v) * hub(u), hub(u) = sum over arcs u->v of
// w(u,v) * authority(v), each scaled to the sum 1 in turn (Kleinberg, "Authoritative
// sources in a hyperlinked environment", 1999; networkx's scaling, igraph divides by the
// largest). By power iteration from equal hubs: where the largest singular value belongs to
// several components, the start decides between them, as in networkx; igraph's solver
// may find another mixture.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct HitsOptions {
  // Stop when hubs and authorities both changed by at most this, L1. What is left of the
  // error is larger where the second singular value is near the first.
  double tolerance = 1e-9;  // 2^-50 or more
  int max_iterations = 1000;
  bool weighted = true;
  GraphFilter filter = {};
  // budget: edges are 2 x arcs x iterations. Looked at once an iteration.
  RunOptions run = {};
};

struct HitsResult {
  std::vector<double> hubs, authorities;  // by NodeId; each sums to 1, or 0 without edges
  double step = 0;                        // L1 norm of the last change, the larger of the two
  int iterations = 0;
  bool converged = false;
  bool truncated = false;  // by the budget or max_iterations
};

// O(iterations * (arcs + nodes)); memory: 40 bytes a node, 16 an arc more when rows have to
// be packed. Symmetric edges are arcs both ways. Thread-safe, the same bits at any thread
// count. kInvalidArgument: tolerance, max_iterations or a kind out of range, weights whose
// sums leave f64.
Result<HitsResult> Hits(const Snapshot& snapshot, const HitsOptions& options = {});

}  // namespace plexus
