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

// snow "large cat" -> phrases {large cat}. `words` is the query without quotes. A quote without an
// end is no quote.
struct PhraseQuery {
  std::string words = {};
  std::vector<std::string> phrases = {};
};
PhraseQuery ParsePhrases(std::string_view query);

inline constexpr std::size_t kMaxPhrases = 16;  // of a query; equal ones count once

struct PhraseOptions {
  TermOptions terms = {};              // Those of the index.
  const NodeSubset* subset = nullptr;  // Nodes that may be found. Null: all alive nodes.
  // No text is read, and none found, when more nodes than this have the phrases' terms.
  std::uint64_t max_texts = std::numeric_limits<std::uint64_t>::max();
  RunOptions run = {};  // budget: only the deadline and the cancel flag.
};

struct PhraseResult {
  NodeSubset nodes;         // They hold every phrase.
  std::uint64_t texts = 0;  // Texts read.
  bool too_many = false;    // Above max_texts.
  bool truncated = false;   // The budget ran out: nodes may be missing.
};

// Computes: the alive nodes of the subset whose text, or one of whose indexed properties, holds the
//   words of each phrase side by side (TermSplitter::Words). Phrases of only stop words exclude no
//   node beforehand, so all texts of the subset are read.
// Complexity: O(postings of the phrases' terms + bytes of the texts read).
// Errors: kInvalidArgument: no phrase, more than kMaxPhrases, or one without a word. Those of
// TermSplitter. kCorruption:
//   from the payload store. kResourceExhausted: no memory.
// Threads: thread-safe, parallel over texts. The same set at any thread count unless truncated.
Result<PhraseResult> NodesWithPhrases(const Snapshot& snapshot,
                                      std::span<const std::string> phrases,
                                      const PhraseOptions& options);

}  // namespace plexus
