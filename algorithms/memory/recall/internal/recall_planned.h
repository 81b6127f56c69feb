// A recall's hits by a retrieval plan, and what is known of each.
//
// Private to algorithms/memory.
#pragma once

#include <vector>

#include "algorithms/memory/recall/recall.h"

namespace plexus::memory::internal {

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
