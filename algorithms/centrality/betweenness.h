// Betweenness: how many shortest paths lead over a node.
//
// b(v) = sum over s != v != t of the share of the shortest paths (by hops) from s to t
// that pass v (Freeman, 1977). Brandes' accumulation (2001), one search a source and
// thread, 8 sources a pass; over the simple graph: kinds and parallel edges
// collapse, self-loops do not count. On large graphs from a sample of the sources
// (Brandes, Pich, 2007), scaled up, with a bound of the error.
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
  // Sources drawn without replacement; 0 = all up to kAllUpTo selected nodes, kSampled
  // above. At least as many as there are nodes: all of them, exact.
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  static constexpr std::uint64_t kAllUpTo = 100000, kSampled = 1024;

  std::uint32_t max_hops = 0xFFFFFFFFu;
  bool undirected = true;  // false: paths follow the edges' directions
  GraphFilter filter = {};
  // budget: deadline and cancel flag alone, looked at between passes of 8 or 16 sources.
  RunOptions run = {};
};

struct BetweennessResult {
  // By NodeId; 0 for nodes not selected. Undirected: every pair counts once.
  std::vector<double> scores;
  // scores / number of pairs: the share of all pairs of other nodes, in [0, 1].
  std::vector<double> shares;
  std::uint64_t nodes = 0;    // selected
  std::uint64_t sources = 0;  // searched from
  bool exact = false;         // sources == nodes
  // With probability 0.9 no node's share is off by more than this (Hoeffding over the
  // sources, union over the nodes); 0 when exact, 1 when nothing was searched.
  double bound = 0;
  bool truncated = false;  // the budget ran out; then a sample of what was searched
};

// O(sources * (nodes + arcs)). Memory: 4 to 8 bytes an arc (16 more while it begins), and in
// lanes 280 bytes a node, else 64 a node and 13 more a thread, 16 more where paths are longer than
// 254 hops or so many that they leave f64. Thread-safe, same bits at any thread count: lanes are
// chosen by the graph. kInvalidArgument: a kind out of range. kResourceExhausted: more arcs than a
// csr holds.
Result<BetweennessResult> Betweenness(const Snapshot& snapshot,
                                      const BetweennessOptions& options = {});

}  // namespace plexus
