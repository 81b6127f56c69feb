// What a recall asks for: its parameters, and their reading into the kernel's question and options.
#pragma once

#include <string>
#include <vector>

#include "algorithms/memory/recall.h"
#include "engine/error.h"
#include "tools/operations/operation.h"
#include "tools/operations/request.h"
#include "tools/operations/retrieve/plan_source.h"
#include "tools/operations/retrieve/word_query.h"
#include "tools/operations/workspace.h"

namespace plexus::tools {

// Question and options point into the other members: a recall is read in place.
struct AskedRecall {
  NodeSubset visible;
  WordQuery words;
  std::vector<Bm25Phrase> phrases;
  std::vector<float> vector;
  std::vector<NodeWeight> keys;
  std::vector<std::string> scopes;
  std::vector<NodeId> tags;
  AskedPlan plan;
  RecallQuestion question;
  RecallOptions options;

  AskedRecall() = default;
  AskedRecall(const AskedRecall&) = delete;
  AskedRecall& operator=(const AskedRecall&) = delete;
};

// Those of the question, not those of what it writes.
Parameters RecallParameters();
// Errors: kInvalidArgument, kNotFound, kFailedPrecondition: what cannot be asked, in words.
Status ReadRecall(Workspace& workspace, const Request& request, AskedRecall& asked);

}  // namespace plexus::tools
