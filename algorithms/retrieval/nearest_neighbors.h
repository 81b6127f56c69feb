// Nearest: the vectors of a space that are most like a query, exactly.
//
// Every vector is measured (no index, nothing is missed); for one query that is bound
// by memory: about bytes of the space / memory bandwidth. A subset of less than a
// quarter of the rows is gathered node by node instead, so a search inside a
// neighbourhood costs what the neighbourhood costs.
//
// Measures, by the space's metric or the caller's:
//   cosine          a.b / (|a||b|), 0 when either is zero     similarity = cosine
//   inner product   a.b                                       similarity = a.b
//   L2              |a - b|                                   similarity = 1 / (1 + |a - b|)
// Precision and instruction levels: vector_distance.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "algorithms/retrieval/vector_distance.h"
#include "engine/error.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct NearestOptions {
  std::size_t top = 10;                // 0 = all
  std::optional<Metric> metric = {};   // absent: the space's own
  const NodeSubset* subset = nullptr;  // of the alive fact nodes; null = all of them
  NodeId skip = kNoNode;               // left out: the node that the query was taken from
  SimdLevel level = SimdLevel::kBest;
  // budget: nodes are vectors measured, in order of row (of a small subset: of id).
  RunOptions run = {};
};

struct NearestHit {
  NodeId node = kNoNode;
  double similarity = 0;  // larger is nearer, see above
  double measure = 0;     // the cosine, the product or the distance itself
  bool operator==(const NearestHit&) const = default;
};

struct NearestResult {
  std::vector<NearestHit> nodes;  // nearest first by the measure, ties by smaller id
  std::uint64_t measured = 0;     // vectors read, dead rows of a scan included
  bool truncated = false;         // the budget ran out: the nearest of those that were measured
};

// O(rows * dimensions), or O(subset * dimensions). The same bits at any thread count.
// Thread-safe. kInvalidArgument: no such space, a query of another length or with a
// value that is not finite.
Result<NearestResult> Nearest(const Snapshot& snapshot, SpaceId space, std::span<const float> query,
                              const NearestOptions& options = {});

}  // namespace plexus
