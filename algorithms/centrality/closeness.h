// Closeness and harmonic centrality: how near a node is to all others.
//
// Over the R other nodes that v reaches, at distances d (hops) that add up to D, n nodes
// in all:
//   closeness  R / D (Bavelas, 1950); `scaled`: times R / (n - 1), so that a node of a small
//              component is not near everything (Wasserman, Faust, 1994; networkx's default)
//   harmonic   the sum of 1 / d (Marchiori, Latora, 2000; Rochat, 2009); what is not
//              reached adds nothing, so it needs no correction
// Searches run 64 to a word (multi_bfs.h) from sources against the direction, so that one
// population count a node and level adds 64 distances; sums are integers (of 1 / d in
// units of 2^-64) and so do not depend on any order. There is never anything n by n.
//
// On large graphs distances are taken to a sample of the nodes (Eppstein, Wang, "Fast
// approximation of centrality", 2004), scaled up, with a bound of the error.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct ClosenessOptions {
  // Distances from v to the others (kOut; igraph's "out"), from the others to v (kIn;
  // networkx on directed graphs), or either way.
  Direction direction = Direction::kBoth;
  bool scaled = true;
  std::uint32_t max_hops = 0xFFFFFFFFu;  // nodes farther away count as not reached
  // Only these nodes, exactly, each once; the others get 0. `samples` does not count then.
  std::vector<NodeId> of = {};
  // Nodes to measure distances to, drawn without replacement; 0 = all up to kAllUpTo
  // selected nodes, kSampled above. At least as many as there are nodes: all, exact.
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  static constexpr std::uint64_t kAllUpTo = 20000, kSampled = 1024;

  GraphFilter filter = {};
  // budget: deadline and cancel flag alone, looked at between 64 searches.
  RunOptions run = {};
};

struct ClosenessResult {
  // By NodeId; 0 for nodes that are not selected or reach nothing.
  std::vector<double> closeness, harmonic;
  std::vector<double> reached;  // R; a whole number when exact
  std::uint64_t nodes = 0;      // n, selected
  std::uint64_t sources = 0;    // searched from
  bool exact = false;
  // 0 when exact. With probability 0.9, for all nodes at once: harmonic / (n - 1) and
  // reached / (n - 1) are off by at most `bound`, the mean distance D / (n - 1) by at most
  // bound * longest, and so closeness by at most `closeness_bound` (Hoeffding over the
  // sample, union over the nodes and the three sums). 1 when nothing is promised.
  double bound = 0, closeness_bound = 0;
  // No distance is longer: max_hops, twice the depth of the deepest search (either way,
  // when every node was reached by one), else n - 1.
  std::uint64_t longest = 0;
  // The budget ran out. With `of`, only the first `sources` of them were measured, the later are 0;
  // with a sample, it is a smaller one; with all nodes, an estimate without a bound.
  bool truncated = false;
};

// O(n / 64 * (n + arcs)) on graphs of few levels; on deep ones (chains, grids) up to 64
// times that, as searches share little. Memory: 8 bytes an arc when edges are followed either
// way (28 while that is made), and 56 a node and thread. Thread-safe, the same bits at any
// thread count. kInvalidArgument: a kind out of range, a node of `of` that is not selected;
// kNotFound: one that was removed.
Result<ClosenessResult> Closeness(const Snapshot& snapshot, const ClosenessOptions& options = {});

}  // namespace plexus
