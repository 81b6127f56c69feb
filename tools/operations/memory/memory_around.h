// The surroundings of a memory that was just written: what it may contradict, what it repeats, and
// edges that it may be missing. Suggestions: nothing of it is written.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/decisions/decisions.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

struct MemoryAround {
  struct Repeated {
    NodeId node = kNoNode;
    NodeId superseded_by = kNoNode;  // Of what was superseded.
    double jaccard = 0;
    std::optional<double> cosine = {};
  };
  // Visible memories that share a fifth or more of tags and terms, or that evidence speaks for.
  std::vector<memory::ConflictCandidate> may_contradict;
  std::vector<Repeated> near_duplicates;  // Half or more, visible or superseded.
  std::vector<memory::SuggestedEdge> suggested;
  bool truncated = false;
};

// Of the memory in this snapshot, the request's "top" of each.
Result<MemoryAround> LookAround(const Workspace& workspace, const Request& request,
                                const Snapshot& snapshot, NodeId memory);
void WriteAround(ReplyWriter& json, const Snapshot& snapshot, const MemoryAround& around);

extern const char* const kAroundShape;
extern const char* const kAroundTables;

}  // namespace plexus::tools
