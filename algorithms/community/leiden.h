// Leiden: communities of high modularity, every one of them connected (Traag, Waltman, van Eck,
// "From Louvain to Leiden: guaranteeing well-connected communities", 2019).
//
// The graph is undirected. A_uv, u != v, is the sum of the weights of all selected edges between u
// and v, of either direction, every kind and label. A symmetric edge counts once. A_vv is twice the
// weight of v's self-loops. With k_u = sum over v of A_uv and 2m = sum over u of k_u, the quality
// is
//   Q = 1/2m * sum over pairs (u, v) of one community of (A_uv - resolution k_u k_v / 2m)
// (Newman, Girvan, 2004; resolution: Reichardt, Bornholdt, 2006). Nodes move to the neighbouring
// community that gains most, communities are refined into well-connected parts, and parts become
// the nodes of a smaller graph. A part joins the best part, not a drawn one (GVE-Leiden: Sahu,
// 2023).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct LeidenOptions {
  double resolution = 1;  // >= 0. Larger values give more and smaller communities.
  // Rounds from single nodes up, each from the partition of the one before. It stops sooner when
  // nothing moves. At least 1.
  int iterations = 2;
  // A level ends when a sweep raised Q by less than this. An iteration ends at a level that raised
  // Q by less. 0: when no move gains.
  double tolerance = 1e-4;
  std::uint64_t seed = 0;  // Of the order in which nodes move.
  bool weighted = true;    // False: every edge counts 1.
  GraphFilter filter = {};
  // budget: edges are arcs read while nodes move. They stop at the same place at any thread count.
  // Nodes do not count. Deadline and cancel flag are checked before every block of rows and class
  // of moves, at times within a row, and during refinement and aggregation.
  RunOptions run = {};
};

struct LeidenResult {
  static constexpr std::uint32_t kNotSelected = 0xFFFFFFFFu;
  // By NodeId: 0, 1, ... in the order of each community's smallest member, or kNotSelected. Paths
  // of positive weights inside a community always join its nodes. A node without these edges is a
  // community of its own.
  std::vector<std::uint32_t> communities;
  std::vector<std::uint64_t> sizes;  // By community.
  std::uint32_t count = 0;           // Communities.
  // Q of `communities`. 0 without edges, and when the budget ended before the undirected rows were
  // made (then every node is its own community). Modularity() may differ in the last bits.
  double modularity = 0;
  int levels = 0;           // Graphs in which nodes moved, the most of one iteration.
  int iterations = 0;       // Iterations begun. 0 without edges or rows.
  std::uint64_t moves = 0;  // Moves of nodes with a choice, and of merged nodes.
  // The budget ran out. The partition is as good as it was then, and connected.
  bool truncated = false;
};

// Computes: a partition of the selected nodes of high Q.
// Complexity: about 10 to 20 passes over the arcs. No bound better than O(sweeps * arcs) is known,
//   so a level has at most 100 sweeps and an iteration at most 64 levels.
// Memory: 12 bytes an arc and 32 a node of the undirected graph and of at most two smaller ones,
//   about 100 more a node, and 12 a node for each thread and one more. With equal weights an arc
//   takes 8 once the rows are made, and a node of the smaller graphs 8.
// Errors: kInvalidArgument: a resolution or tolerance that is negative or not finite, iterations
//   below 1, or a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<LeidenResult> Leiden(const Snapshot& snapshot, const LeidenOptions& options = {});

// Computes: Q of any partition. `communities` is by NodeId and holds any numbers; those of
//   unselected nodes are not read. Of `options` it reads the filter, `weighted`, the resolution,
//   the executor, and the budget's deadline and cancel flag.
// Complexity: O(nodes + arcs).
// Errors: those of Leiden. kInvalidArgument: a length other than the node count of the snapshot.
//   kCancelled: the budget ended it.
// Threads: thread-safe.
Result<double> Modularity(const Snapshot& snapshot, std::span<const std::uint32_t> communities,
                          const LeidenOptions& options = {});

}  // namespace plexus
