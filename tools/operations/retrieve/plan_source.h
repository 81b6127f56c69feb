// A retrieval plan as a request names it, with what its terms are of: for all who run plans.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/plan.h"
#include "engine/error.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

struct AskedPlan {
  retrieval::RetrievalPlan plan;
  std::string name;  // Or the source of its JSON.
  retrieval::NodeValues salience = {}, outcome = {};

  AskedPlan() = default;
  AskedPlan(const AskedPlan&) = delete;
  AskedPlan& operator=(const AskedPlan&) = delete;

  // What the values look into.
  std::vector<ColumnId> salience_columns;
  std::vector<NodeWeight> outcomes;
};

// "words", "vector" and "space": what is asked.
Parameters AskedParameters();
// "plan": a name, or JSON; `more` ends its help.
Parameter PlanParameter(const std::string& more = "");
// The plan, of the request or of `text`, with the request's `top` and `kinds` in place of its own
// where they are given; not checked. kInvalidArgument: no such name, or JSON that is no plan (the
// message names the place).
Status ReadPlan(const Workspace& workspace, const Request& request, AskedPlan& asked);
Status ReadPlan(const Workspace& workspace, const Request& request, std::string_view text,
                AskedPlan& asked);
// Salience: a column of that name, else retention, else trust. Outcome: the ledger's.
Status ReadPlanValues(const Workspace& workspace, AskedPlan& asked);
// The request's space, else that of the plan's first seeds by vector that name one.
Result<SpaceId> SpaceOfPlan(const Workspace& workspace, const Request& request,
                            const retrieval::RetrievalPlan& plan);

// A plan that begins with a vector, asked in words: where the space (the request's, else "text") is
// `embed`'s, the words become its vector, and begin in the vector's place. So a vector that knows
// only words ranks, and adds nothing that matches none of them. Empty: left as it is, as are plans
// of lists and those that begin with words, too.
Result<std::vector<float>> WordsAsVector(const Workspace& workspace, const Request& request,
                                         std::span<const std::string> terms,
                                         retrieval::RetrievalPlan& plan, SpaceId& space);

void NoteLeftOut(Workspace& workspace, const retrieval::RetrieveResult& result);

void WriteFoundBy(ReplyWriter& json, const retrieval::RetrievalPlan& plan,
                  const retrieval::RetrieveHit& hit);
constexpr const char* kStagesTable = "; stages: stage, read, kept, skipped, truncated";
// "stages" and "stage_ms".
void WriteStages(ReplyWriter& json, const retrieval::RetrieveResult& result);

}  // namespace plexus::tools
