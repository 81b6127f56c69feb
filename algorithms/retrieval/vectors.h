// Exact search by vectors: nearest neighbours, rerank of candidates, near pairs, and vectors of
// texts that need no model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus::retrieval {

// --- Inner product, squared distance and cosine of two f32 vectors, as f64.
//
// Three instruction levels compute the same formula: scalar f64 loops, and AVX2 and AVX-512 through
// Highway. The wide levels sum stretches of at most 512 products in f32 and fold them into f64, so
// every level is within 1e-6 of the exact value, relative to |a||b| (to |a - b|^2 for the
// distance). A stretch makes at most 14 roundings of 2^-24 (Higham, Accuracy and Stability, 2nd
// ed., section 4.2). Products that overflow f32 are computed again in f64. Differences below 1e-22,
// and products below its square, may count as zero.
//
// Threads: pure functions, thread-safe. No alignment is needed. REQUIRES a.size() == b.size() and
//   finite values.

// A level that the machine lacks is replaced by its best one. O(dimensions) each.
double InnerProduct(std::span<const float> a, std::span<const float> b,
                    SimdLevel level = SimdLevel::kBest);
double SquaredDistance(std::span<const float> a, std::span<const float> b,
                       SimdLevel level = SimdLevel::kBest);
// In [-1, 1]. 0 when either vector is zero. Exactly 1 for a vector and itself.
double Cosine(std::span<const float> a, std::span<const float> b,
              SimdLevel level = SimdLevel::kBest);

// --- Nearest: the vectors of a space that are nearest to a query, exactly.
//
// Every vector is measured; there is no index. One query is bound by memory bandwidth. A subset of
// less than a quarter of the rows is gathered node by node. A pre-filter reads a narrow copy of the
// rows first and measures only those that its proven bounds cannot exclude: the same answer, bit by
// bit, from a quarter of the bytes. Measures, by the space's metric or the caller's:
//   cosine          a.b / (|a||b|), 0 when either is zero     similarity = cosine
//   inner product   a.b                                       similarity = a.b
//   L2              |a - b|                                   similarity = 1 / (1 + |a - b|)
// Precision and instruction levels: as of InnerProduct.

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
  std::vector<NearestHit> hits;  // Nearest first by the measure, ties by smaller id.
  std::uint64_t measured = 0;    // Vectors read, dead rows of a scan included.
  std::uint64_t exact = 0;       // Of those, vectors that a pre-filter could not exclude; or all.
  bool truncated = false;        // The budget ran out. The nearest of the measured vectors.
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

// --- Rerank: candidates for a query, ordered by similarity and by the edges among them.
//
//   score  = (1 - boost) * similarity + boost * graph
//   graph  = weighted degree inside the candidate set / the largest such degree
//
// The degree of a candidate is the sum of the weights of the edges that join it to other
// candidates: both directions, parallel edges each, symmetric ones once, loops never. All graph
// terms are 0 when no two candidates are joined. `similarity` is that of nearest neighbours.
// Candidates are named nodes or the k nearest.

struct RerankOptions {
  std::size_t k = 30;                 // Candidates when none are named: the k nearest. 0: all.
  std::size_t top = 0;                // Results returned. 0: every candidate.
  double boost = 0.3;                 // Share of the graph term, in [0, 1].
  bool unit_similarity = false;       // Maps a cosine c to (1 + c) / 2. Refused for inner products.
  std::optional<Metric> metric = {};  // Absent: the space's own.
  // kinds: edges that join candidates. subset: candidates outside are left out.
  GraphFilter filter = {};
  NodeId skip = kNoNode;  // Never among the k nearest: the node of the query vector.
  // budget: nodes are vectors measured, edges arcs read in candidates' rows.
  RunOptions run = {};
  SimdLevel level = SimdLevel::kBest;
  std::optional<Prefilter> prefilter = {};  // Of the k nearest, as in NearestOptions.
};

struct RerankHit {
  NodeId node = kNoNode;
  double score = 0;
  double similarity = 0;  // As used in the score.
  double graph = 0;
  double measure = 0;  // The cosine, the product or the distance.
  double degree = 0;   // Weighted, inside the candidate set.
  bool operator==(const RerankHit&) const = default;
};

struct RerankResult {
  std::vector<RerankHit> hits;       // Best score first, ties by smaller id.
  std::uint64_t candidates = 0;      // Ranked candidates.
  std::uint64_t without_vector = 0;  // Named nodes left out because they have no vector.
  std::uint64_t outside = 0;  // Named nodes that are removed, index nodes or outside the subset.
  // The budget ended the measuring (unmeasured nodes are no candidates) or the walk over rows
  // (later candidates in order of similarity have no graph term).
  bool truncated = false;
};

// Computes: a ranking of the k nearest.
// Complexity: that of Nearest, and the rows of the candidates.
// Errors: those of Nearest. kInvalidArgument: a boost outside [0, 1], a kind out of range, or
//   unit_similarity with an inner product.
// Threads: thread-safe. The bits are the same at any thread count.
Result<RerankResult> Rerank(const Snapshot& snapshot, SpaceId space, std::span<const float> query,
                            const RerankOptions& options = {});

// Computes: a ranking of exactly these candidates. Duplicates count once.
// Errors: those of Rerank. kInvalidArgument: an id that the snapshot does not have.
// Complexity and threads: as Rerank.
Result<RerankResult> RerankCandidates(const Snapshot& snapshot, SpaceId space,
                                      std::span<const float> query,
                                      std::span<const NodeId> candidates,
                                      const RerankOptions& options = {});

// --- JoinVectors: the nearest vectors of every node of a set, or all pairs above a threshold,
// exactly.
//
// Every pair is measured; rows are compared in tiles that stay in the cache. The measure is the
// cosine, whatever the space's own is. Precision and instruction levels: as of InnerProduct.

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

struct VectorJoinResult {
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
Result<VectorJoinResult> JoinVectors(const Snapshot& snapshot, SpaceId space,
                                     const VectorJoinOptions& options, const TakeVectorPairs& take);

// Computes: out[i] = Cosine(query, rows[i]), bit for bit, with what the query needs made once.
// Complexity: O(rows * dimensions).
// Errors: none. REQUIRES rows of the query's length, finite values, out.size() == rows.size().
// Threads: pure, thread-safe. Throws std::bad_alloc.
void Cosines(std::span<const float> query, std::span<const std::span<const float>> rows,
             std::span<double> out, SimdLevel level = SimdLevel::kBest);

// --- Text vectors: a short dense vector for every text, made of its terms.
//
//   w(d, t) = ln(1 + tf) * ln(1 + N / df(t))
//   v(d)    = sum over t of  w(d, t) * r(t),   kept as v / |v|
//
// tf is the weight of the arc d -> t (terms.h), df(t) the number of facts with t, N the number
// of facts with terms. r(t) is +1 or -1, each with probability 1/2, in every dimension. The cosine
// of two vectors estimates the cosine c of two rows of w without bias; its standard deviation is at
// most (1 - c^2) / sqrt(dimensions), about 0.09 at 128 for texts that share nothing.
//
// Bit j of word j / 64 is r(t); the words come from SplitMix64, started at FNV-1a(seed as 8
// little-endian bytes, key). Sums run in order of key. So a vector does not depend on ids, import
// order or threads. It depends on N and df: make the vectors again after many new texts.
//
// Sources: Salton, Buckley, 1988 (tf-idf, unit length); Dumais, 1991 (ln(1 + tf)); Achlioptas,
// "Database-friendly random projections", 2003 (signs); Li, Hastie, Church, 2006 (least variance).

struct TextVectorOptions {
  std::string space = "text";                 // Made when it is absent, with the cosine metric.
  std::optional<Prefilter> prefilter = {};    // Absent: what the space has, none for a new one.
  std::optional<VectorElement> element = {};  // Absent: what the space has, f32 for a new one.
  std::uint32_t dimensions = 128;             // 1 to Limits::kMaxDimensions.
  std::uint64_t seed = 1;                     // Of the projection. Compared vectors need one seed.
  std::int64_t now_ms = kNoTime;              // Time of the batches, as of a WriteBatch.
  const NodeSubset* subset = nullptr;         // Nodes that get vectors. N and df count all facts.
  std::size_t batch_floats = std::size_t{1} << 20;  // Values of one batch, about.
  // budget: only the deadline and the cancel flag. They are checked between batches.
  RunOptions run = {};
  Progress* progress = nullptr;  // Counts nodes compared.
};

struct TextVectorReport {
  std::uint64_t documents = 0;  // N.
  std::uint64_t terms = 0;      // Terms with df > 0.
  std::uint64_t added = 0, changed = 0, same = 0;
  std::uint64_t removed = 0;  // Of texts that have no terms any more.
  // Facts without a vector: no terms, or terms that cancel to the last bit.
  std::uint64_t without = 0;
  // The budget ran out. Later facts keep their vectors. A repeated call compares the earlier facts
  // again, so it needs more time.
  bool truncated = false;
  bool operator==(const TextVectorReport&) const = default;
};

// Computes: the difference between the vectors of all alive facts and those in the space, as
//   batches in order of node id. The space belongs to these vectors: others in it are replaced or
//   removed. A second call without changes makes no batch. A batch expects its nodes to be there
//   still (kConflict); terms that another writer changes meanwhile count in the next call. An error
//   of `apply` ends the work.
// Complexity: O(nodes + terms log terms + has_term arcs * dimensions).
// Memory: 28 bytes a node, and a batch.
// Errors: kInvalidArgument: dimensions out of range, or a space of other dimensions or with
//   another pre-filter. kCancelled:
//   the progress was cancelled. kResourceExhausted: no memory. Those of `apply`.
// Threads: parallel over facts. Batches do not depend on the thread count.
Result<TextVectorReport> MakeTextVectors(const Snapshot& snapshot, const TextVectorOptions& options,
                                         const std::function<Status(const WriteBatch&)>& apply);

// The vector of a query, of unit length.
struct QueryVector {
  std::vector<float> values = {};  // Empty when no term is known.
  std::uint64_t known = 0;         // Terms that a fact has. Others do not count.
  bool truncated = false;          // The budget ran out before N and df were counted. No values.
};
// Computes: the vector that a text of these terms (TermSplitter::Count) gets.
// Complexity: O(nodes + has_term arcs + terms * dimensions).
// Errors: those of MakeTextVectors.
// Threads: thread-safe.
Result<QueryVector> TextVector(const Snapshot& snapshot, std::span<const TermCount> terms,
                               const TextVectorOptions& options = {});

// --- VectorIndex: the vectors nearest to a query by a graph of near neighbours, for a space that
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

}  // namespace plexus::retrieval
