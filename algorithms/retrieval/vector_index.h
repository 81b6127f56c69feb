// VectorIndex: the vectors nearest to a query by a graph of near neighbours, for a space that
// outgrows the scan. Approximate: a question measures some hundred vectors and may miss some.
//
// An object that the host owns, next to its graph; nothing makes one by itself. Update brings it to
// a snapshot, usually on a thread of the host; questions go on meanwhile. An answer is right for
// its own snapshot, whatever the index knows: rows that are not indexed yet are scanned, rows that
// the snapshot does not see are passed over, and hits carry exact measures. A snapshot of which the
// index knows nothing (older than it, or after rows were compacted) is scanned as by Nearest.
//
// Hierarchical navigable small worlds: Malkov, Yashunin, "Efficient and robust approximate nearest
// neighbor search", PAMI 2020; the graph is hnswlib's. The same updates give the same index, bit by
// bit, at one instruction level. It lives in RAM, holds copies of vectors that were replaced or
// purged until it begins again, and is built by each process for itself.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/options.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

struct VectorIndexOptions {
  std::optional<Metric> metric = {};  // Absent: the space's own.
  std::uint32_t links = 16;           // 2 to 128. More: better recall, more memory.
  std::uint32_t build_width = 200;    // Candidates while a row is added, `links` to 10,000.
  std::uint64_t seed = 1;             // Of the levels.
  SimdLevel level = SimdLevel::kBest;
};

struct IndexUpdate {
  std::uint64_t added = 0;    // Rows that this call brought in.
  std::uint64_t pending = 0;  // Rows of the snapshot that are still scanned.
  bool rebuilt = false;       // It began again: rows were compacted, or a quarter of them is dead.
  bool truncated = false;     // The budget ran out; the next call continues.
};

struct IndexNearestOptions {
  std::size_t top = 10;                // 0: all, by a scan.
  std::size_t width = 100;             // Candidates of the search, 1 to 1,000,000; at least `top`.
  const NodeSubset* subset = nullptr;  // As in NearestOptions.
  NodeId skip = kNoNode;
  RunOptions run = {};
};

struct IndexNearestResult {
  std::vector<NearestHit> hits;  // Nearest first, ties by smaller id.
  std::uint64_t measured = 0;    // Vectors whose exact measure was computed.
  std::uint64_t scanned = 0;     // Of those, in rows that are not indexed yet.
  std::size_t width = 0;         // Candidates that the search came to. 0: the space was scanned.
  bool truncated = false;
};

struct IndexRecallOptions {
  std::size_t top = 10, width = 100;
  std::size_t sample = 100;  // Queries: vectors of the space, drawn by the seed. At most 100,000.
  std::uint64_t seed = 1;
  RunOptions run = {};
};

struct IndexRecall {
  double recall = 0;        // Share of the exact answers that the index found, ties counted.
  double least = 0;         // Of the worst query.
  std::size_t queries = 0;  // Fewer than the sample where the space has fewer.
};

class VectorIndex {
 public:
  // Computes: an empty index of a space. Errors: kInvalidArgument: no such space, an option outside
  //   its range; kResourceExhausted.
  static Result<std::unique_ptr<VectorIndex>> Make(const Snapshot& snapshot, SpaceId space,
                                                   const VectorIndexOptions& options = {});
  ~VectorIndex();

  // Computes: the rows of a snapshot that are not indexed yet, added in order of row. budget.nodes
  //   limits them. An older snapshot than the last one changes nothing.
  // Complexity: about O(rows * build_width * dimensions * log rows), and O(all rows) of 4 bytes.
  // Errors: those of Snapshot::vectors; kResourceExhausted: no memory, and the index is empty then.
  // Threads: thread-safe, one at a time; one thread works. Questions wait for 16 rows at most.
  Result<IndexUpdate> Update(const Snapshot& snapshot, const RunOptions& run = {});

  // Computes: about the `top` nearest vectors. The search is widened until `top` candidates are
  //   seen by the snapshot and lie in the subset; where that would come to an eighth of the rows,
  //   and for subsets of less than a quarter of them, the answer is that of Nearest.
  // Complexity: about O(width * links * dimensions * log rows), and the rows not indexed.
  // Errors: those of Nearest; a width outside its range.
  // Threads: thread-safe, one thread; a scan is parallel.
  Result<IndexNearestResult> Nearest(const Snapshot& snapshot, std::span<const float> query,
                                     const IndexNearestOptions& options = {}) const;

  // Computes: what the index finds of the exact answers to some of the space's own vectors, each
  //   without itself. Complexity: O(sample * rows * dimensions).
  Result<IndexRecall> MeasureRecall(const Snapshot& snapshot,
                                    const IndexRecallOptions& options = {}) const;

  std::uint64_t rows() const;        // In the graph, dead ones included.
  std::uint64_t size_bytes() const;  // A copy of the vectors, f32 always, and the links.

 private:
  struct Built;
  VectorIndex(SpaceId space, Metric metric, const VectorIndexOptions& options);
  std::shared_ptr<Built> built() const;

  const SpaceId space_;
  const Metric metric_;
  const VectorIndexOptions options_;
  std::mutex updating_;
  mutable std::mutex built_mutex_;
  std::shared_ptr<Built> built_;
};

}  // namespace plexus
