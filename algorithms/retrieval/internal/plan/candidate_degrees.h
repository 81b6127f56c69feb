// Degrees inside a set of candidates: the graph term of Rerank and of Retrieve.
#pragma once

#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::retrieval::internal {

struct CandidateDegrees {
  std::vector<double> degrees;  // Parallel to the candidates.
  std::uint64_t walked = 0;     // Candidates whose rows were read: the first ones.
  bool truncated = false;       // The edges ran out, or the time; degrees of later ones are 0.
};

// The weighted degree of each candidate among the candidates (vectors.h). A row is summed by one
// thread in its own order, so the bits do not depend on threads or storage. `candidates`: alive,
// each once; their order decides whose rows a budget of edges reads.
CandidateDegrees DegreesAmong(const Snapshot& snapshot, const ArcFilter& filter,
                              std::span<const NodeId> candidates, const RunOptions& run);

}  // namespace plexus::retrieval::internal
