// Nearest: the vectors of a space that are nearest to a query, exactly.
//
// Every vector is measured; there is no index. One query is bound by memory bandwidth. A subset of
// less than a quarter of the rows is gathered node by node. A pre-filter reads a narrow copy of the
// rows first and measures only those that its proven bounds cannot exclude: the same answer, bit by
// bit, from a quarter of the bytes. Measures, by the space's metric or the caller's:
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
  std::size_t top = 10;                // 0: all.
  std::optional<Metric> metric = {};   // Absent: the space's own.
  const NodeSubset* subset = nullptr;  // Of the alive fact nodes. Null: all of them.
  NodeId skip = kNoNode;               // Left out: the node of the query vector.
  SimdLevel level = SimdLevel::kBest;
  // budget: nodes are vectors measured, in order of row (of a small subset: of id).
  RunOptions run = {};
  // Of scans with top > 0. Absent: the space's own. The copy of the rows that it reads is made at
  // the first question, O(rows * dimensions), then kept with the graph's state and carried by what
  // a batch changes. kInt8 takes 12 bytes a row plus its values and changes no bit of the
  // answer.
  std::optional<Prefilter> prefilter = {};
};

struct NearestHit {
  NodeId node = kNoNode;
  double similarity = 0;  // Larger is nearer.
  double measure = 0;     // The cosine, the product or the distance.
  bool operator==(const NearestHit&) const = default;
};

struct NearestResult {
  std::vector<NearestHit> nodes;  // Nearest first by the measure, ties by smaller id.
  std::uint64_t measured = 0;     // Vectors read, dead rows of a scan included.
  std::uint64_t exact = 0;        // Of those, vectors that a pre-filter could not exclude; or all.
  bool truncated = false;         // The budget ran out. The nearest of the measured vectors.
};

// Computes: the `top` nearest vectors of a space.
// Complexity: O(rows * dimensions), or O(subset * dimensions).
// Errors: kInvalidArgument: no such space, or a query of another length or with a value that is not
//   finite. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<NearestResult> Nearest(const Snapshot& snapshot, SpaceId space, std::span<const float> query,
                              const NearestOptions& options = {});

// Computes: Nearest of each query, bit by bit. A scan reads the rows once for 16 queries; subsets
//   that are gathered and pre-filtered scans are answered one by one.
// Complexity: O(queries * rows * dimensions); a sixteenth of the memory traffic.
// Errors: those of Nearest.
// Threads: as Nearest.
Result<std::vector<NearestResult>> NearestMany(const Snapshot& snapshot, SpaceId space,
                                               std::span<const std::span<const float>> queries,
                                               const NearestOptions& options = {});

}  // namespace plexus
