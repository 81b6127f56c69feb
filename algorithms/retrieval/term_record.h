// What a graph remembers of its index of terms, and what the index does not cover.
//
// The record is the index node inscription:plexus.terms; its properties say with which stop words
// and switches (TermOptions) the index was made, and the sequence of these properties how far it
// reaches: every text (and property that is indexed) of an earlier sequence is indexed, unless they
// say `partial`. That holds
// where every writer of texts during the first AddTerms or IndexTerms uses AddTerms, too. Exports
// carry it with the has_term edges. A graph without one, indexed by an earlier version, has the
// default stop words and no switches; a record names the switches that are on. AddTerms and
// IndexTerms (term_index.h) keep it.
#pragma once

#include <cstdint>

#include "algorithms/common/node_subset.h"
#include "algorithms/retrieval/tokenizer.h"
#include "engine/error.h"
#include "engine/payload.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus {

struct TermRecord {
  // What the index was made with; of a graph without terms, what one is made with.
  TermOptions terms = {};
  PayloadRef stored = {};  // None: there is no record.
  bool partial = false;    // Texts from before it may not be indexed.
  std::int64_t runs = 0;   // Times that it was written.
  // Texts of this sequence and earlier are indexed; 0: not known.
  Sequence covers() const { return partial || !stored ? 0 : stored.sequence(); }
};

// Complexity: O(bytes of the record). Errors: kCorruption, a record that is none; the payload
// store's. Threads: thread-safe, as all below.
Result<TermRecord> ReadTermRecord(const Snapshot& snapshot);
// Says in `batch` that all texts of the graph it is applied to (unless `partial`) are indexed with
// `terms`. The batch expects the record to be `before` still. Errors: kResourceExhausted.
Status WriteTermRecord(WriteBatch& batch, const TermRecord& before, const TermOptions& terms,
                       bool partial = false);

NodeRef TermRecordNode(WriteBatch& batch);  // Named, not made.

// True when both make the same terms of every text.
bool SameOptions(const TermOptions& a, const TermOptions& b);
// Errors: kFailedPrecondition: the record has other options; the first of them by name.
Status CheckOptions(const TermRecord& record, const TermOptions& terms);

struct NotIndexed {
  std::uint64_t facts = 0;         // Their terms are not those of their text.
  std::uint64_t not_compared = 0;  // Nobody knows whether their terms are those of their text.
  bool none() const { return facts == 0 && not_compared == 0; }
};
// Of the facts, of `subset` if it is given, and without one of indexed events. In doubt are those
// whose text is newer than the record, those with a text and no terms (only they where there is no
// record), and those with terms and no text. Up to 4,096 in doubt are read and compared, which is
// exact. Of more, nothing is read: those that have one without the other count as not indexed (also
// a text without a word), the rest as not compared, and so do properties without terms.
// O(nodes in doubt), the first time O(nodes).
// Errors: the payload store's.
Result<NotIndexed> CountNotIndexed(const Snapshot& snapshot, const TermRecord& record,
                                   const NodeSubset* subset);
// Facts, of `subset` if it is given, whose text is newer than `covers`, or whose properties are
// where `terms` index some. As above; of 0: O(nodes). No text is read.
std::uint64_t CountNewerTexts(const Snapshot& snapshot, Sequence covers,
                              const NodeSubset* subset = nullptr, const TermOptions& terms = {});
// The newest batch that wrote the text of a fact, or its properties where `terms` index some; 0: it
// has neither. No payload is read.
Sequence NewestText(const Snapshot& snapshot, NodeId node, const TermOptions& terms);

}  // namespace plexus
