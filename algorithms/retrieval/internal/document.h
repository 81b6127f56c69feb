// What of a node its terms are made of: its text, the properties that the index names, and words
// of its key.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::retrieval::internal {

// More than texts and their keys are indexed.
inline bool IndexesMore(const TermOptions& terms) {
  return terms.all_keys || !terms.properties.empty();
}

// A fact, or with TermOptions::event_queries an event.
bool IsIndexed(const Snapshot& snapshot, NodeId node, const TermOptions& terms);

// The newest batch that wrote the node's text or, of a fact, properties if some are indexed; 0: it
// has neither. No payload is read.
Sequence NewestPart(const Snapshot& snapshot, NodeId node, bool properties);

// Whether a key has three letters in a run without a digit, as keys of words have. O(bytes).
bool KeyMayHaveWords(std::string_view key);

// The node's text, if it has one, then the strings of each of the named properties. Purged ones are
// left out. Errors: the payload store's; kCorruption.
Result<std::vector<std::string>> DocumentParts(const Snapshot& snapshot, NodeId node,
                                               const TermOptions& terms);

struct Document {
  std::vector<TermCount> terms;
  std::size_t bytes = 0;     // of its parts
  bool has_content = false;  // a part, or a word of the key
};
// REQUIRES a node that is indexed. Errors: those of DocumentParts and TermSplitter.
Result<Document> DocumentOf(const Snapshot& snapshot, NodeId node, const TermOptions& terms,
                            TermSplitter& splitter);

}  // namespace plexus::retrieval::internal
