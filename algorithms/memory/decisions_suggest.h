// Edges that a decision may be missing, each with its reason and evidence; nothing is written.
//
//   contradicts  an active decision of the same category has the opposing outcome
//   caused_by    the text names the key of a decision whose outcome is recorded
//   relates_to   it names one without; or an active decision shares tags and terms with it, has a
//                vector near its own, or the same value of a property that is asked for
//   refines      the same, but for the name, of an older active decision of its category
//
// Of a pair the first that holds is suggested, but contradicts and caused_by may stand together.
// A key is named by a word of the text between blanks, without the punctuation around it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/memory/decision_status.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus {

struct SuggestOptions {
  DecisionOptions decisions = {};
  std::size_t top = 20;       // Of each relation, 1 to 1000.
  double least_shared = 0.5;  // Jaccard over tags and terms, in (0, 1].
  std::string space = "default";
  double least_cosine = 0.8;  // Of vectors; above 1: they do not count.
  std::vector<std::string> properties = {};  // Of texts, such as "pattern"; or columns of texts.
  std::string created_by = "suggest";
};

struct SuggestedEdge {
  NodeId node = kNoNode, other = kNoNode;  // Read as "node relation other".
  std::string_view relation = {};          // The kind's name; caused_by is stored as causes.
  std::string reason = {};                 // A sentence.
  std::vector<std::pair<std::string, std::string>> evidence = {};  // What was found where.
};

struct SuggestResult {
  std::vector<SuggestedEdge> edges;  // By relation as above, then as found: newest or most shared.
  // Links them all, with the reason as a property. Expects their ends, and that they are not there
  // yet: else kConflict.
  WriteBatch batch;
  bool truncated = false;  // More than `top`, or the budget ran out.
};

// Computes: the edges that are not there yet.
// Complexity: O(nodes + the words of the text + arcs of its tags and terms), the vectors of the
//   space once, and the properties of all decisions where some are asked for.
// Errors: kInvalidArgument: no such node, not one of the decisions, an option out of range.
//   kNotFound: the node was removed. kCorruption: its text cannot be read. kResourceExhausted.
// Threads: thread-safe. The list is the same at any thread count.
Result<SuggestResult> SuggestEdges(const Snapshot& snapshot, NodeId node,
                                   const SuggestOptions& options = {});

}  // namespace plexus
