// The index of terms: texts of facts as arcs to term nodes.
//
// A term is a node of kind `term` (index plane). An occurrence is an edge of kind has_term from the
// fact to the term, with the term frequency as weight. So a posting list is the in-row of a term,
// its length is the document frequency, and facts that share terms have common neighbours. Callers
// apply the batches made here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "algorithms/retrieval/tokenizer.h"
#include "engine/error.h"
#include "engine/monitoring/progress.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus {

struct IndexTermsOptions {
  TermOptions terms;
  std::int64_t now_ms = 0;             // Time of the batches.
  const NodeSubset* subset = nullptr;  // Only these nodes. Null: all facts.
  // An earlier snapshot of the graph. Only nodes with a text written since, or without terms, are
  // compared. Null: all.
  const Snapshot* since = nullptr;
  std::size_t batch_ops = 262'144;  // Operations of one batch, about.
  // Bytes of texts that are compared and held before their batch is filled, about.
  std::size_t wave_bytes = std::size_t{32} << 20;
  // budget: only the deadline and the cancel flag. They are checked every 1,024 nodes.
  RunOptions run = {};
  Progress* progress = nullptr;  // Counts nodes compared.
};

struct IndexTermsReport {
  std::uint64_t texts = 0;     // Texts read.
  std::uint64_t changed = 0;   // Nodes with terms out of date.
  std::uint64_t linked = 0;    // Occurrences that are new or have another frequency.
  std::uint64_t unlinked = 0;  // Occurrences that are gone.
  // The budget ran out. Later nodes keep their terms. A repeated call compares the earlier nodes
  // again, so it needs more time.
  bool truncated = false;
  bool operator==(const IndexTermsReport&) const = default;
};

// Computes: the difference between the texts of alive facts and their has_term arcs, as batches in
//   order of node id. A node without a text loses its terms. A second call without changes makes no
//   batch. An error of `apply` ends the work.
// Complexity: O(bytes of texts + has_term arcs).
// Errors: those of TermSplitter and of `apply`. kCorruption: from the payload store. kCancelled:
//   the progress was cancelled. kResourceExhausted: no memory.
// Threads: parallel over texts. Batches do not depend on the thread count.
Result<IndexTermsReport> IndexTerms(const Snapshot& snapshot, const IndexTermsOptions& options,
                                    const std::function<Status(const WriteBatch&)>& apply);

// Computes: has_term edges, added to `batch`, for every fact whose text the batch sets or clears on
//   `snapshot`. So readers and crashes see text and terms together. Texts equal to the stored ones
//   are skipped. A term node that the batch removes takes its occurrences in other texts with it;
//   IndexTerms restores them. The terms of a text replace has_term edges that the batch itself
//   writes for it. `texts` of the report counts texts set anew.
// Complexity: O(operations of the batch + bytes of its texts + has_term arcs of their nodes).
// Errors: those of TermSplitter and WriteBatch::CheckRefs. kCorruption: from the payload store.
//   kResourceExhausted: no memory. An error leaves the batch unchanged.
// Threads: parallel over texts. The batch does not depend on the thread count.
Result<IndexTermsReport> AddTerms(const Snapshot& snapshot, const TermOptions& terms,
                                  WriteBatch& batch, Executor* executor = nullptr);

}  // namespace plexus
