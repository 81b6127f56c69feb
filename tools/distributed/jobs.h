// The jobs, on matrices that the ranks hold together: CombBLAS behind plain types.
//
// Definitions are Plexus's own: algorithms/pagerank/pagerank.h, connectivity/connectivity.h,
// traversal/traversal.h, similarity/similarity.h (kCommon). Every function is collective; what it
// returns is each rank's part of the array by node, and an error is the same at every rank.
// kResourceExhausted: a rank would hold more than its int32 indices can count: take more ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/types.h"
#include "tools/distributed/parts.h"
#include "tools/distributed/ranks.h"

namespace plexus::distributed {

// What is under way, said by rank 0.
using Say = std::function<void(const std::string&)>;

struct RankOptions {
  double damping = 0.85;
  double tolerance = 1e-9;
  int iterations = 0;  // above 0: exactly so many
  int max_iterations = 1000;
};

struct RankResult {
  std::vector<Local<double>> scores;  // one for each restart; NaN where a node is not selected
  int iterations = 0;                 // the most of them
  double error = 0;                   // the largest bound
};
// No restart: one array, of the whole graph.
Result<RankResult> PageRank(Parts& parts, const std::vector<std::vector<Seed>>& restarts,
                            const RankOptions& options, const Say& say);

// The smallest id of the component, of the node's part; kNoValue where it is not selected.
Result<Local<std::uint32_t>> Components(Parts& parts, const Say& say);

// The number of hops from the nearest seed; kNoValue where it is not reached.
Result<Local<std::uint32_t>> KHop(Parts& parts, const std::vector<Seed>& seeds, Direction direction,
                                  std::uint64_t hops, const Say& say);

// How many neighbours each pair has in common, leaving out those that are neighbours of more than
// max_degree nodes; at rank 0, in the order of the pairs.
Result<std::vector<std::uint64_t>> Common(
    Parts& parts, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs,
    Direction direction, std::uint64_t max_degree, const Say& say);

}  // namespace plexus::distributed
