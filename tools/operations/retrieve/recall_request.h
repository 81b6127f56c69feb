// What a recall asks for: its parameters, and their reading into the kernel's question and options.
#pragma once

#include <string>
#include <vector>

#include "algorithms/memory/recall/recall.h"
#include "engine/error.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/retrieve/plan_source.h"
#include "tools/operations/retrieve/word_query.h"

namespace plexus::tools {

// Question and options point into the other members: a recall is read in place.
struct AskedRecall {
  NodeSubset visible;
  WordQuery words;
  std::vector<retrieval::Bm25Phrase> phrases;
  std::vector<float> vector;
  std::vector<NodeWeight> keys;
  std::vector<std::string> scopes;
  std::vector<NodeId> tags;
  AskedPlan plan;
  memory::RecallQuery question;
  memory::RecallOptions options;

  AskedRecall() = default;
  AskedRecall(const AskedRecall&) = delete;
  AskedRecall& operator=(const AskedRecall&) = delete;
};

// Those of the question, not those of what it writes.
Parameters RecallParameters();
// Errors: kInvalidArgument, kNotFound, kFailedPrecondition: what cannot be asked, in words.
Status ReadRecall(Workspace& workspace, const Request& request, AskedRecall& asked);

}  // namespace plexus::tools
