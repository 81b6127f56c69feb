// Text vectors: a short dense vector for every text, made of its terms.
//
//   w(d, t) = ln(1 + tf) * ln(1 + N / df(t))
//   v(d)    = sum over t of  w(d, t) * r(t),   kept as v / |v|
//
// tf is the weight of the arc d -> t (term_index.h), df(t) the number of facts with t, N the number
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
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "algorithms/retrieval/tokenizer.h"
#include "engine/error.h"
#include "engine/monitoring/progress.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus {

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
  std::uint64_t known = 0;    // Terms that a fact has. Others do not count.
  bool truncated = false;     // The budget ran out before N and df were counted. No values.
};
// Computes: the vector that a text of these terms (TermSplitter::Count) gets.
// Complexity: O(nodes + has_term arcs + terms * dimensions).
// Errors: those of MakeTextVectors.
// Threads: thread-safe.
Result<QueryVector> TextVector(const Snapshot& snapshot, std::span<const TermCount> terms,
                               const TextVectorOptions& options = {});

}  // namespace plexus
