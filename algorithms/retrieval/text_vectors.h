// Text vectors: a short dense vector for every text, made of its terms alone.
//
// Over the postings of term_index.h. With tf the weight of the arc d -> t, df(t) the
// facts that have t and N the facts that have any term,
//   w(d, t) = ln(1 + tf) * ln(1 + N / df(t))
//   v(d)    = sum over t of  w(d, t) * r(t),   kept as v / |v|
// r(t) holds +1 or -1, each with probability 1/2, in every dimension. So the cosine of
// two vectors estimates the cosine of the two rows of w without bias; where c is that
// cosine its standard deviation is (1 - c^2) / sqrt(dimensions) at most, about 0.09 at
// 128 for texts that share nothing.
//
// r(t) comes from the seed and the term's key alone: bit j of word j / 64, words from
// SplitMix64 started at FNV-1a(seed as 8 little-endian bytes, key). Sums are taken in
// order of key. So a text's vector does not depend on ids, on the order of imports or on
// threads; it does depend on N and df: after many new texts make the vectors again.
//
// Sources: Salton and Buckley, "Term-weighting approaches in automatic text retrieval",
// 1988 (tf times idf, unit length); Dumais, "Improving the retrieval of information from
// external sources", 1991 (ln(1 + tf)); Achlioptas, "Database-friendly random
// projections", 2003 (signs); Li, Hastie and Church, "Very sparse random projections",
// 2006: their variance grows with the share of zeros, so signs estimate best, and as a
// row is two words of bits here, zeros would save nothing.
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
  std::string space = "text";          // made when it is not there, measured by cosine
  std::uint32_t dimensions = 128;      // 1 to Limits::kMaxDimensions
  std::uint64_t seed = 1;              // of the projection; one for all that is compared
  std::int64_t now_ms = 0;             // time of the batches
  const NodeSubset* subset = nullptr;  // whose vectors are made; N and df are of all facts
  std::size_t batch_floats = std::size_t{1} << 20;  // values of one batch, about
  // budget: deadline and cancel flag alone, looked at between batches.
  RunOptions run = {};
  Progress* progress = nullptr;  // nodes looked at
};

struct TextVectorReport {
  std::uint64_t documents = 0;  // N
  std::uint64_t terms = 0;      // with df > 0
  std::uint64_t added = 0, changed = 0, same = 0;
  std::uint64_t removed = 0;  // of texts that have no terms any more
  // Facts without a vector: no terms, or they cancel to the last bit.
  std::uint64_t without = 0;
  // The budget ran out: the vectors of later facts are as they were. The same call goes on behind
  // them, but looks at the earlier ones again: give it more time.
  bool truncated = false;
  bool operator==(const TextVectorReport&) const = default;
};

// Compares the vector of every alive fact with the one in the space and hands batches
// that make them agree to `apply`, in order of node id; an Error from it ends the work.
// The space belongs to these vectors: others in it are replaced or removed. Run again
// without a change in between, it hands out nothing. Parallel over facts; batches do not
// depend on the number of threads.
// O(nodes + terms log terms + has_term arcs * dimensions); memory: 28 bytes a node, and a batch.
// Errors: kInvalidArgument for dimensions out of range and for a space that exists with
// other dimensions; kCancelled.
Result<TextVectorReport> MakeTextVectors(const Snapshot& snapshot, const TextVectorOptions& options,
                                         const std::function<Status(const WriteBatch&)>& apply);

// The vector that a text of these terms (TermSplitter::Count) would get, to ask with.
struct QueryVector {
  std::vector<float> values;  // of unit length; empty when no term is known
  std::uint64_t known = 0;    // terms that a fact has; others do not count
  bool truncated = false;     // the budget ran out before N and df were known: no values
};
// Thread-safe, O(nodes + has_term arcs + terms * dimensions). Errors as above.
Result<QueryVector> TextVector(const Snapshot& snapshot, std::span<const TermCount> terms,
                               const TextVectorOptions& options = {});

}  // namespace plexus
