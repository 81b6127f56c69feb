// Closeness and harmonic centrality: how near a node is to all others.
//
// v reaches R other nodes at distances d (hops) with the sum D. n nodes are selected.
//   closeness  R / D (Bavelas, 1950). `scaled` multiplies by R / (n - 1), so that a node of a
//              small component does not score high (Wasserman, Faust, 1994; networkx's default).
//   harmonic   the sum of 1 / d (Marchiori, Latora, 2000; Rochat, 2009). Unreached nodes add 0.
// Large graphs take the distances to a sample of the nodes (Eppstein, Wang, "Fast approximation of
// centrality", 2004), scaled up, with an error bound. Sums are integers (1 / d in units of 2^-64),
// so they do not depend on an order.
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
  // kOut: distances from v to the others (igraph's "out"). kIn: from the others to v (networkx on
  // directed graphs). kBoth: edges are followed either way.
  Direction direction = Direction::kBoth;
  bool scaled = true;                    // closeness is multiplied by R / (n - 1).
  std::uint32_t max_hops = 0xFFFFFFFFu;  // Nodes farther away count as unreached.
  // Only these nodes are measured, each once and exactly. The others get 0, and `samples` is not
  // read.
  std::vector<NodeId> of = {};
  // Nodes to measure distances to, drawn without replacement. 0: all up to kAllUpTo selected nodes,
  // kSampled above. As many as there are nodes, or more: all of them, and the result is exact.
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  static constexpr std::uint64_t kAllUpTo = 20000, kSampled = 1024;

  GraphFilter filter = {};
  // budget: edges count each arc once for 64 searches, which go together; nodes are not counted.
  // The deadline and the cancel flag are checked within a search; the 64 under way when they say to
  // stop do not count.
  RunOptions run = {};
};

struct ClosenessResult {
  // By NodeId. 0 for nodes that are unselected or reach nothing.
  std::vector<double> closeness, harmonic;
  std::vector<double> reached;  // R by NodeId, a whole number when exact.
  std::uint64_t nodes = 0;      // n.
  std::uint64_t sources = 0;    // Sources searched.
  bool exact = false;
  // 0 when exact. With probability 0.9, for all nodes at once: harmonic / (n - 1) and reached / (n
  // - 1) are off by at most `bound`, the mean distance D / (n - 1) by at most bound * longest, and
  // closeness by at most `closeness_bound` (Hoeffding over the sample, union over the nodes and the
  // three sums). 1 when nothing is guaranteed.
  double bound = 0, closeness_bound = 0;
  // No distance is longer. It is max_hops, or twice the depth of the deepest search (either way,
  // when one search reached every node), or n - 1.
  std::uint64_t longest = 0;
  // The budget ran out. With `of`, only the first `sources` of them are measured and the later ones
  // are 0. With a sample, the sample is smaller. With all nodes, the result is an estimate without
  // a bound.
  bool truncated = false;
};

// Computes: closeness and harmonic centrality of all selected nodes, or of the nodes in `of`.
// Complexity: O(n / 64 * (n + arcs)) on graphs of few levels. Deep graphs (chains, grids) take up
//   to 64 times that, because searches share little.
// Memory: 88 bytes a node and thread. With kBoth also 8 bytes an arc, and 28 while they are made.
//   Nothing has the size n * n.
// Errors: kInvalidArgument: a kind out of range, or a node of `of` that is not selected. kNotFound:
//   a node of `of` that was removed. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<ClosenessResult> Closeness(const Snapshot& snapshot, const ClosenessOptions& options = {});

}  // namespace plexus
