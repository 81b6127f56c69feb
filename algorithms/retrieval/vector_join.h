// JoinVectors: the nearest vectors of every node of a set, or all pairs above a threshold, exactly.
//
// Every pair is measured; rows are compared in tiles that stay in the cache. The measure is the
// cosine, whatever the space's own is. Precision and instruction levels: vector_distance.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "algorithms/common/simd_level.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct VectorJoinOptions {
  std::size_t top = 10;                // Of each node, ties by smaller id. 0: all above.
  double above = 0;                    // Cosines above it count.
  const NodeSubset* subset = nullptr;  // Of the alive fact nodes. Null: all of them.
  SimdLevel level = SimdLevel::kBest;
  RunOptions run = {};  // budget: only deadline and cancel flag.
};

struct VectorJoinPair {
  NodeId a = kNoNode, b = kNoNode;
  double cosine = 0;
  bool operator==(const VectorJoinPair&) const = default;
};

struct VectorJoinReport {
  std::uint64_t measured = 0;  // Nodes with a vector, each compared with all others.
  bool truncated = false;      // The budget ran out, or `take` said stop; pairs are missing.
};

// Gets the pairs of some nodes a, ascending; with a top each a's nearest first, else b > a by id.
// False: stop.
using TakeVectorPairs = std::function<Result<bool>(std::span<const VectorJoinPair>)>;

// Computes: the pairs.
// Complexity: O(nodes^2 * dimensions); memory O(pairs of 512 nodes) plus what `take`
//   keeps.
// Errors: kInvalidArgument: no such space, a threshold that is not finite. kCorruption and
//   kFailedPrecondition: Snapshot::vectors. kResourceExhausted. The errors of `take`.
// Threads: thread-safe; `take` is called in the caller's thread. The bits are the same at any
//   thread count.
Result<VectorJoinReport> JoinVectors(const Snapshot& snapshot, SpaceId space,
                                     const VectorJoinOptions& options, const TakeVectorPairs& take);

// Computes: out[i] = Cosine(query, rows[i]), bit for bit, with what the query needs made once.
// Complexity: O(rows * dimensions).
// Errors: none. REQUIRES rows of the query's length, finite values, out.size() == rows.size().
// Threads: pure, thread-safe. Throws std::bad_alloc.
void Cosines(std::span<const float> query, std::span<const std::span<const float>> rows,
             std::span<double> out, SimdLevel level = SimdLevel::kBest);

}  // namespace plexus
