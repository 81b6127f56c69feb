// Rank fusion: one list out of several, by the places that a node has in them.
//
//   score(v) = sum over the lists that have v of  weight / (k + rank),   rank from 1
//
// Source: Cormack, Clarke, Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual
// rank learning methods", SIGIR 2009, whose k is 60.
#pragma once

#include <span>
#include <vector>

#include "engine/types.h"

namespace plexus {

inline constexpr double kFusionRank = 60;

// A node and what the lists that have it, each best first, give it together.
struct FusedNode {
  NodeId node = kNoNode;
  double score = 0;
};

// Computes: the nodes of all lists by reciprocal rank, best first, ties by smaller id. Scores are
//   summed in the order of the lists. A list has no node twice. Without `weights` each list counts
//   1; else there are as many as lists.
// Complexity: O(nodes * log).
// Errors: none; throws std::bad_alloc.
// Threads: thread-safe.
std::vector<FusedNode> FuseRanks(std::span<const std::vector<NodeId>> lists, double k = kFusionRank,
                                 std::span<const double> weights = {});

}  // namespace plexus
