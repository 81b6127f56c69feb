// Recall: memories that answer words, a vector, or both; and the event that says which did.
//
//   words    BM25 (retrieval/bm25.h); the score is its score
//   vector   nearest vectors (retrieval/nearest_neighbors.h); the score is the similarity
//   both     reciprocal rank fusion of the two lists (retrieval/rank_fusion.h)
//            Of each list the first max(100, 4 top) are fused, all for top = 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "algorithms/memory/ledger.h"
#include "algorithms/retrieval/bm25.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct RecallQuestion {
  std::span<const std::string> terms = {};   // As TermSplitter::Split gives them. None: no words.
  std::span<const Bm25Phrase> phrases = {};  // Each counts as one more term.
  std::span<const float> vector = {};        // None: no vector.
  SpaceId space{};
};

struct RecallOptions {
  std::size_t top = 10;                // 0: all.
  const NodeSubset* subset = nullptr;  // Nodes that may be found. Null: all facts.
  // budget: as Bm25 and Nearest, each by itself.
  RunOptions run = {};
};

struct RecallHit {
  NodeId node = kNoNode;
  double score = 0;
  std::optional<double> words = {}, similarity = {};  // Of the lists that have it.
  bool operator==(const RecallHit&) const = default;
};

struct RecallResult {
  std::vector<RecallHit> hits;  // Best first, ties by smaller id.
  bool truncated = false;
};

// Computes: the best memories for a question.
// Complexity: that of Bm25, and of Nearest.
// Errors: kInvalidArgument: neither terms nor a vector. Those of Bm25 and Nearest.
// Threads: thread-safe. The same bits at any thread count.
Result<RecallResult> Recall(const Snapshot& snapshot, const RecallQuestion& question,
                            const RecallOptions& options = {});

// Computes: the event that records hits as evidence: tool "recall", the first member primary, the
//   others supporting, with rank, score, trust and preview. For RecordEvent; without hits it has no
//   members, so nothing is recorded. At most kMaxEventMembers hits become members.
// Errors: kCorruption: from the payload store.
// Threads: thread-safe.
Result<NewEvent> EventOfRecall(const Snapshot& snapshot, std::span<const RecallHit> hits,
                               std::string_view query, std::int64_t now_ms);

// The first 160 bytes of a text, cut at a character, with "..." if there is more; line ends become
// blanks.
std::string PreviewOf(std::string_view text);

}  // namespace plexus
