// The lists of a recall's question, and what they know of each memory together; or its hits by a
// retrieval plan, and what is known of each.
//
// Private to algorithms/memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/memory/recall/recall.h"

namespace plexus::memory::internal {

// The time at which memories and relations have to be valid.
inline std::int64_t ValidTime(const Snapshot& snapshot, const RecallOptions& options) {
  return options.filter.valid_at != kNoTime ? options.filter.valid_at
                                            : snapshot.TimeOr(options.now_ms);
}

// A memory that some list has.
struct RecallCandidate {
  NodeId node = kNoNode;
  double score = 0;
  RecallEvidence evidence = {};
};

struct RecallLists {
  std::vector<std::vector<NodeId>> lists;   // Words, vector, keys: those asked for; best first.
  std::vector<RecallCandidate> candidates;  // Of any list, by id; score: of the last list.
  RecallSources asked;
  bool truncated = false;
};

// The terms of an answer that are words, not phrases; they stand first.
std::uint32_t WordsAmong(const retrieval::Bm25Result& found,
                         std::span<const retrieval::Bm25Phrase> phrases);
// What the words know of a match.
RecallEvidence EvidenceOf(const retrieval::Bm25Hit& match, std::uint32_t words, double bound);

// Of each list the first `length`, 0 = all, of `allowed`.
Result<RecallLists> ListsOf(const Snapshot& snapshot, const RecallQuery& question,
                            const RecallOptions& options, const NodeSubset& allowed,
                            std::size_t length);

struct RecallPlanned {
  retrieval::RetrieveResult found;
  std::vector<RecallEvidence> evidence;  // By hit.
  RecallSources asked;
  bool truncated = false;
};

// REQUIRES options.plan.plan.
Result<RecallPlanned> ByPlan(const Snapshot& snapshot, const RecallQuery& question,
                             const RecallOptions& options, const NodeSubset& allowed);

}  // namespace plexus::memory::internal
