// CommunityLayout: places in the plane for a drawing, communities first, then their members.
//
// Each community of Leiden has a disc, whose area follows its number of nodes. The largest is in
// the middle, the others in rings around it, by size; in a ring each is turned towards those
// further in that it shares edges with. No two discs overlap. Inside a disc the node with most
// edges there is the centre, and a breadth-first tree from it spreads outwards: a subtree has a
// sector that follows its number of leaves (Eades, "Drawing Free Trees", 1992), a depth a ring of
// the disc whose area follows its number of nodes. Within its ring a node's radius goes by the
// golden ratio, so that neighbours in angle are not neighbours in radius (a Kronecker sequence).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "algorithms/common/options.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

struct CommunityLayoutOptions {
  double spacing = 10;     // A disc of n nodes has the radius spacing * sqrt(n). Finite, > 0.
  std::uint64_t seed = 0;  // LeidenOptions::seed
  GraphFilter filter = {};
  // budget: edges are those that Leiden reads. Deadline and cancel flag as for Leiden, and before
  // every community.
  RunOptions run = {};
};

struct CommunityLayoutResult {
  struct Place {
    float x = std::numeric_limits<float>::quiet_NaN(), y = x;
  };
  struct Disc {
    float x = 0, y = 0, radius = 0;
  };
  std::vector<Place> places;               // By NodeId; not numbers: not selected.
  std::vector<std::uint32_t> communities;  // LeidenResult::communities
  std::vector<Disc> discs;                 // By community.
  // The budget ran out. In Leiden: the communities are those that it had. Later: there are no
  // places, communities and discs.
  bool truncated = false;
};

// Computes: a place for each selected node. Edges count once between two nodes, whatever their
//   direction, kind and weight, but for Leiden, which reads weights.
// Complexity: Leiden's, and O(nodes log nodes + arcs).
// Memory: Leiden's, then 12 bytes an arc and about 60 a node.
// Errors: those of Leiden. kInvalidArgument: a spacing that is not finite or not above 0.
// Threads: thread-safe. The bits are the same at any thread count.
Result<CommunityLayoutResult> CommunityLayout(const Snapshot& snapshot,
                                              const CommunityLayoutOptions& options = {});

}  // namespace plexus
