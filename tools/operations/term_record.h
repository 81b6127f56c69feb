// What the graph remembers of its index of terms, and what the index does not cover.
//
// The record is the index node inscription:plexus.terms; its properties say with which stop
// words and switches (TermOptions) the index was made, and the sequence of these properties how far
// it reaches: every text of an earlier sequence is indexed. Exports carry it beside the has_term
// edges. A graph without one, indexed by an earlier version, has the default stop words and no
// switches; a record names the switches that are on.
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/common/node_subset.h"
#include "algorithms/retrieval/tokenizer.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"
#include "tools/operations/graph_record.h"

namespace plexus::tools {

struct TermRecord {
  // What the index was made with; of a graph without terms, what one is made with.
  TermOptions terms;
  std::optional<GraphRecord> stored;
  // Texts of this sequence and earlier are indexed; 0: nobody knows.
  Sequence covers() const { return stored ? stored->covers : 0; }
};

// Errors: kCorruption, a record that is none; the payload store's.
Result<TermRecord> ReadTermRecord(const Snapshot& snapshot);
struct NotIndexed {
  std::uint64_t facts = 0;  // their terms are not those of their text
  std::uint64_t not_compared =
      0;  // they have terms, but nobody knows whether of the text they have now
  bool none() const { return facts == 0 && not_compared == 0; }
};
// Of the facts, of `subset` if it is given, and without one of indexed events. In doubt are those
// whose text is newer than the record, those with a text and no terms (only they where there is no
// record), and those with terms and no text. Up to 4,096 in doubt are read and compared, which is
// exact. Of more, nothing is read: those that have one without the other count as not indexed (also
// a text without a word), the rest as not compared. O(nodes). Errors: the payload store's.
Result<NotIndexed> CountNotIndexed(const Snapshot& snapshot, const TermRecord& record,
                                   const NodeSubset* subset);
// True when both make the same terms of every text.
bool SameOptions(const TermOptions& a, const TermOptions& b);
// Says in `batch` that all texts of the graph it is applied to are indexed with `terms`.
Status WriteTermRecord(WriteBatch& batch, const TermRecord& before, const TermOptions& terms);

}  // namespace plexus::tools
