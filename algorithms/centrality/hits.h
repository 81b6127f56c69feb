// HITS: hubs point at good authorities, good hubs point at authorities (Kleinberg, "Authoritative
// sources in a hyperlinked environment", 1999).
//
//   authority(v) = sum over arcs u->v of w(u,v) * hub(u)
//   hub(u)       = sum over arcs u->v of w(u,v) * authority(v)
//
// Each vector is scaled to the sum 1 in turn, as networkx does; igraph divides by the largest. The
// method is power iteration from equal hubs. Where the largest singular value belongs to several
// components, the start decides between them, as in networkx. igraph's solver may find another
// mixture.
#pragma once

#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct HitsOptions {
  // The iteration stops when hubs and authorities both changed by at most this (L1). The remaining
  // error is larger where the second singular value is near the first. 2^-50 or more.
  double tolerance = 1e-9;
  int max_iterations = 1000;
  bool weighted = true;  // False: every arc counts 1.
  GraphFilter filter = {};
  // budget: edges are 2 * arcs * iterations. It is checked once an iteration.
  RunOptions run = {};
};

struct HitsResult {
  std::vector<double> hubs, authorities;  // By NodeId. Each sums to 1, or to 0 without edges.
  double step = 0;                        // L1 norm of the last change, the larger of the two.
  int iterations = 0;
  bool converged = false;  // step <= tolerance.
  bool truncated = false;  // The budget or max_iterations ended the iteration.
};

// Computes: hub and authority scores. A symmetric edge is an arc in both directions.
// Complexity: O(iterations * (nodes + arcs)).
// Memory: 40 bytes a node, and 16 an arc when rows have to be packed.
// Errors: kInvalidArgument: tolerance, max_iterations or a kind out of range, or weights whose sums
//   leave f64. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<HitsResult> Hits(const Snapshot& snapshot, const HitsOptions& options = {});

}  // namespace plexus
