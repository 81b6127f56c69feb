// The index of terms: texts of facts, and of events if they are asked for, as arcs to term nodes.
//
// A term is a node of kind `term` (index plane), an occurrence an edge of kind
// has_term from the fact or event to the term whose weight is the term frequency. So a posting
// list is the in-row of a term, its length the document frequency df, and "shares rare
// terms" a question about common neighbours. Kernels that read never write: the index
// is brought up to date by a caller who applies the batches made here.
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
  std::int64_t now_ms = 0;             // time of the batches
  const NodeSubset* subset = nullptr;  // only these nodes; null = all facts and events
  // Only nodes whose text was written since, or has no terms yet: an earlier snapshot
  // of the same graph.
  const Snapshot* since = nullptr;
  std::size_t batch_ops = 262'144;  // operations of one batch, about
  // Texts compared before their batch is filled, about: what is held of them.
  std::size_t wave_bytes = std::size_t{32} << 20;
  // budget: deadline and cancel flag alone, looked at every 1,024 nodes.
  RunOptions run = {};
  Progress* progress = nullptr;  // nodes looked at
};

struct IndexTermsReport {
  std::uint64_t texts = 0;     // texts read
  std::uint64_t changed = 0;   // nodes whose terms were not up to date
  std::uint64_t linked = 0;    // occurrences that are new or of another frequency
  std::uint64_t unlinked = 0;  // occurrences that are no more
  // The budget ran out: texts of later nodes are as they were. The same call goes on behind
  // them, but looks at the earlier ones again: give it more time.
  bool truncated = false;
  bool operator==(const IndexTermsReport&) const = default;
};

// Compares the terms of every alive fact's text (and of events', which have none unless
// TermOptions::event_queries) with its has_term arcs and hands
// batches that make them agree to `apply`, in order of node id; an Error from it ends
// the work. A node without a text loses its terms. Run again without a change in
// between, it hands out nothing. Parallel over texts; batches do not depend on the
// number of threads. O(bytes of texts + has_term arcs). Errors: TermSplitter's,
// kCorruption from the payload store, kCancelled.
Result<IndexTermsReport> IndexTerms(const Snapshot& snapshot, const IndexTermsOptions& options,
                                    const std::function<Status(const WriteBatch&)>& apply);

// Adds to `batch` what keeps the index up to date when it is applied to a graph in the state
// `snapshot`: of every fact (with TermOptions::event_queries every event, too) whose text the batch
// sets anew or clears, has_term edges to the terms
// of the text it has in the end. So text and terms come at once: no reader sees one without the
// other, and no crash parts them. Texts that are stored as they are given are left alone: their
// terms are taken for right, but for term nodes that the batch removes. Such a node takes the
// occurrences in texts that the batch does not write with it; IndexTerms puts them back. has_term
// edges that the batch itself writes for those facts give way to the terms of the text. Removed
// nodes lose their terms with their edges, as ever. `texts` of the report: set anew. Parallel over
// texts; the batch does not depend on the number of threads. O(operations of the batch + bytes of
// its texts + has_term arcs of their nodes). Errors: TermSplitter's, WriteBatch::CheckRefs's,
// kCorruption from the payload store; the batch is as it was then.
Result<IndexTermsReport> AddTerms(const Snapshot& snapshot, const TermOptions& terms,
                                  WriteBatch& batch, Executor* executor = nullptr);

}  // namespace plexus
