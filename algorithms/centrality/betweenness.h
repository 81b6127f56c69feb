// Betweenness centrality: the share of shortest paths that pass a node.
//
//   b(v) = sum over s != v != t of sigma(s, t, v) / sigma(s, t)
//
// sigma(s, t) counts the shortest paths from s to t by hops, sigma(s, t, v) those through v
// (Freeman, 1977). The method is Brandes' accumulation (2001). Large graphs use a sample of the
// sources (Brandes, Pich, 2007), scaled up, with an error bound. The graph is simple: kinds and
// parallel edges collapse, and self-loops do not count.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct BetweennessOptions {
  // Sources, drawn without replacement. 0: all up to kAllUpTo selected nodes, kSampled above. As
  // many as there are nodes, or more: all of them, and the result is exact.
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  static constexpr std::uint64_t kAllUpTo = 100000, kSampled = 1024;

  std::uint32_t max_hops = 0xFFFFFFFFu;  // Longer paths do not count.
  bool undirected = true;                // False: paths follow the direction of the edges.
  GraphFilter filter = {};
  // budget: edges count each arc once a source; nodes are not counted. The deadline and the cancel
  // flag are checked at each source, and of 16 that go together at each level.
  RunOptions run = {};
};

struct BetweennessResult {
  // By NodeId. 0 for unselected nodes. Undirected: a pair counts once.
  std::vector<double> scores;
  // scores / pairs of other nodes, in [0, 1].
  std::vector<double> shares;
  std::uint64_t nodes = 0;    // Selected nodes.
  std::uint64_t sources = 0;  // Sources searched.
  bool exact = false;         // True when every selected node was a source.
  // With probability 0.9 no share of any node is off by more (Hoeffding over the sources, union
  // over the nodes). 0 when exact, 1 when nothing was searched.
  double bound = 0;
  // The budget ran out. The result is then a sample of the searched sources.
  bool truncated = false;
};

// Computes: the betweenness of every selected node.
// Complexity: O(sources * (nodes + arcs)).
// Memory: 4 to 8 bytes an arc, and 16 more an arc at the start. A pass of 16 sources takes 272
//   bytes a node, 2 more a level (up to 64 levels) and 8 a node of a frontier. Single sources take
//   72 bytes a node and 13 a node and thread. Paths of more than 254 hops, or more paths than f64
//   holds, take 16 more a node and thread.
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: more arcs than a csr holds, or
//   no memory.
// Threads: thread-safe. The bits are the same at any thread count. Only the graph decides whether
//   16 sources share a pass.
Result<BetweennessResult> Betweenness(const Snapshot& snapshot,
                                      const BetweennessOptions& options = {});

}  // namespace plexus
