// Phrases: texts that hold words side by side, as a query in double quotes asks.
//
// The index has no places of words. So postings of the phrase's terms are intersected, and the
// texts of the few nodes left are read and cut again.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "algorithms/retrieval/tokenizer.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus {

// snow "large cat" -> phrases {large cat}; `words` is all of it without the quotes. A quote without
// an end is no quote.
struct PhraseQuery {
  std::string words;
  std::vector<std::string> phrases;
};
PhraseQuery ParsePhrases(std::string_view query);

struct PhraseOptions {
  TermOptions terms;                   // those of the index
  const NodeSubset* subset = nullptr;  // what may be found; null: all alive nodes
  // Above so many nodes that have the phrases' terms no text is read, and none is found.
  std::uint64_t max_texts = std::numeric_limits<std::uint64_t>::max();
  RunOptions run = {};  // budget: deadline and cancel flag alone
};

struct PhraseResult {
  NodeSubset nodes;         // that hold every phrase
  std::uint64_t texts = 0;  // read
  bool too_many = false;    // above max_texts
  bool truncated = false;   // the budget ran out: nodes that hold it may be missing
};

// Alive nodes of the subset whose text holds the words of each phrase side by side
// (TermSplitter::Words). A phrase of stop words alone narrows nothing: all texts of the subset are
// read. O(postings of the phrases' terms + bytes of the texts left). Parallel; the same set at any
// thread count unless truncated. Thread-safe. kInvalidArgument: a phrase without a word, no
// phrase; TermSplitter's; kCorruption from the payload store.
Result<PhraseResult> NodesWithPhrases(const Snapshot& snapshot,
                                      std::span<const std::string> phrases,
                                      const PhraseOptions& options);

}  // namespace plexus
