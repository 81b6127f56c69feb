// The index of terms: texts of facts, and of events when that is switched on, as arcs to term
// nodes.
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

// The graph has terms, so its texts were indexed once. O(1).
bool HasTerms(const Snapshot& snapshot);

struct IndexTermsOptions {
  TermOptions terms = {};              // Others than the graph keeps: of all nodes at once.
  std::int64_t now_ms = kNoTime;       // Time of the batches, as of a WriteBatch.
  const NodeSubset* subset = nullptr;  // Only these nodes. Null: all facts and events.
  // An earlier snapshot of the same graph: only nodes whose text was written since, or that have
  // no terms yet.
  const Snapshot* since = nullptr;
  std::size_t batch_ops = 262'144;  // Operations of one batch, about.
  // Bytes of texts that are compared before their batch is filled, about.
  std::size_t wave_bytes = std::size_t{32} << 20;
  // budget: only the deadline and the cancel flag. They are checked every 1,024 nodes.
  RunOptions run = {};
  Progress* progress = nullptr;  // Counts nodes.
};

struct IndexTermsReport {
  std::uint64_t texts = 0;     // Texts read.
  std::uint64_t changed = 0;   // Nodes whose terms were not up to date.
  std::uint64_t linked = 0;    // Occurrences that are new or of another frequency.
  std::uint64_t unlinked = 0;  // Occurrences that are gone.
  // The budget ran out. Later nodes keep their terms. A repeated call compares the earlier ones
  // again, so it needs more time.
  bool truncated = false;
  // Of AddTerms where properties or all keys are indexed: nodes compared of which nothing is.
  std::uint64_t without = 0;
  bool operator==(const IndexTermsReport&) const = default;
};

// Computes: the difference between the terms of every alive fact's text and its has_term arcs, as
//   batches in order of node id. A node without a text loses its terms; so does an event without
//   TermOptions::event_queries. A second call without changes makes no batch. A batch expects the
//   texts and the has_term arcs that its nodes had in `snapshot`: kConflict when another writer was
//   faster with one of them; then call again with a newer snapshot, which compares what is left. An
//   error of `apply` ends the work. Options other than those kept are recorded by the first batch,
//   which expects that nothing was applied since `snapshot`. Where all of it was done, the last
//   batch records the options, and that all texts are indexed (term_record.h). Who writes the
//   batches through a LinkWriter (engine/bulk/link_writer.h) loads a large index at once.
// Complexity: O(bytes of texts + has_term arcs).
// Memory: the texts of a wave (wave_bytes), and a batch.
// Errors: those of TermSplitter and `apply`. kFailedPrecondition: for a part of the nodes, other
//   options than the graph keeps. kCorruption: from the payload store. kCancelled: the progress was
//   cancelled. kResourceExhausted: no memory.
// Threads: parallel over texts. Batches do not depend on the thread count.
Result<IndexTermsReport> IndexTerms(const Snapshot& snapshot, const IndexTermsOptions& options,
                                    const std::function<Status(const WriteBatch&)>& apply);

// Computes: the has_term edges that keep the index up to date when `batch` is applied to a graph in
//   the state `snapshot`, and adds them to it: for every fact (with TermOptions::event_queries
//   every event, too) whose text the batch writes or clears, the terms of its last text. Text and
//   terms become visible and durable together. A text that is written as it is stored keeps its
//   terms, except for term nodes that the batch removes. A removed term node loses the occurrences
//   in texts that the batch does not write; IndexTerms restores them. has_term edges that the batch
//   itself writes for those nodes are replaced. `texts` of the report counts new texts. The batch
//   expects the has_term arcs that those nodes had in `snapshot`: when another writer changes them
//   in between Apply says kConflict, and the batch is made again with a newer snapshot. It must not
//   be completed twice.
//   Texts become terms with the options that the graph keeps (term_record.h). A graph that keeps
//   none yet keeps from this batch on those of the call, or TermOptions::Recommended(); one that
//   was indexed before they were kept, those of the call, or TermOptions(). The batch expects them
//   not to change.
// Complexity: O(operations of the batch + bytes of its texts + has_term arcs of their nodes).
// Errors: those of TermSplitter and WriteBatch::CheckRefs. kFailedPrecondition: other options than
//   the graph keeps; the message names the first. kCorruption: from the payload store.
//   kResourceExhausted: no memory. The batch is unchanged then.
// Threads: parallel over texts. The batch does not depend on the thread count.
Result<IndexTermsReport> AddTerms(const Snapshot& snapshot, WriteBatch& batch,
                                  Executor* executor = nullptr);
Result<IndexTermsReport> AddTerms(const Snapshot& snapshot, const TermOptions& terms,
                                  WriteBatch& batch, Executor* executor = nullptr);

}  // namespace plexus
