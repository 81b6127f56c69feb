// Leiden: communities of high modularity, every one of them connected.
//
// Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing well-connected
// communities" (2019): nodes move to the neighbouring community that gains most,
// communities are refined into well connected parts, the parts become the nodes of a
// smaller graph, and so on; a further iteration begins again with single nodes. Parts
// join the best part instead of a drawn one, as in GVE-Leiden (Sahu, 2023), and moves
// are decided in classes of nodes, so the answer is one at any number of threads. At a
// resolution of at most 1 a node with a single neighbour, no loop and at most 8 parallel
// arcs follows it, which is always best.
//
// The graph is read as undirected. A_uv, for u != v, is the sum of the weights of all
// selected edges between u and v: of either direction, of every kind and label; an edge
// of a symmetric kind is one edge and counts once. A_vv is twice the weight of v's
// self-loops. With k_u = sum over v of A_uv and 2m = sum over u of k_u the quality is
//   Q = 1/2m * sum over pairs (u, v) of one community of (A_uv - resolution k_u k_v / 2m)
// (Newman, Girvan, 2004; the resolution is Reichardt and Bornholdt's, 2006).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct LeidenOptions {
  double resolution = 1;  // >= 0; larger means more and smaller communities
  // Rounds from single nodes up, each from the partition of the one before; stops sooner
  // when nothing moves. At least 1.
  int iterations = 2;
  // A level is left when a sweep over its nodes raised Q by less, and an iteration ends at
  // a level that raised it by no more. 0: when no move gains.
  double tolerance = 1e-4;
  std::uint64_t seed = 0;  // of the order in which nodes move
  bool weighted = true;    // false: every edge counts 1
  GraphFilter filter = {};
  // budget: edges are arcs looked at while nodes move; they cut at the same place at any thread
  // count. Nodes do not count.
  RunOptions run = {};
};

struct LeidenResult {
  static constexpr std::uint32_t kNotSelected = 0xFFFFFFFFu;
  // By NodeId: 0, 1, ... in the order of each community's smallest member; kNotSelected.
  // Nodes joined by a path of positive weights inside the community, always; a node
  // without such edges is a community of its own.
  std::vector<std::uint32_t> communities;
  std::vector<std::uint64_t> sizes;  // by community
  std::uint32_t count = 0;
  // Q of `communities`, computed from the graph; 0 without edges, and when the deadline or the
  // cancel flag came before the undirected rows were made: then every node is alone. Where
  // nodes follow their neighbour (see above), Modularity() of them adds in another order:
  // the last bits may differ.
  double modularity = 0;
  int levels = 0;           // graphs that nodes moved in, the largest number of an iteration
  int iterations = 0;       // begun; 0 without edges, and when the rows were not made
  std::uint64_t moves = 0;  // of nodes that had a choice, and of merged ones
  // The budget ran out: a partition as good as it was by then, connected all the same.
  bool truncated = false;
};

// About 10 to 20 passes over the arcs; no bound better than O(sweeps * arcs) is known, so
// sweeps and levels are capped (100 a level, 64 levels). Memory: 12 bytes an arc and 32 a
// node of the undirected graph and of at most two smaller ones, about 100 a node beside,
// and for every thread and one more 12 a node (weights all alike: 8 once the rows are made,
// and 8 a node of the smaller ones). Deadline and cancel flag are looked at before every block of
// rows and class of moves, now and then within a stretch, and on the way through refining and
// aggregating. Thread-safe, same bits at any thread count. kInvalidArgument: a resolution or
// tolerance that is negative or not finite, iterations below 1, a kind out of range.
Result<LeidenResult> Leiden(const Snapshot& snapshot, const LeidenOptions& options = {});

// Q of any partition of the selected nodes: `communities` by NodeId, any numbers, those of
// nodes not selected do not count. Of `options` it reads what says which graph, and the
// resolution. O(nodes + arcs). kInvalidArgument as above, and when `communities` has
// another length than the snapshot has nodes.
Result<double> Modularity(const Snapshot& snapshot, std::span<const std::uint32_t> communities,
                          const LeidenOptions& options = {});

}  // namespace plexus
