// Names and JSON to plans; the parts of a reply that say what a plan did.
#include "tools/operations/retrieve/plan_source.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/recall/recall.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/retrieve/plan_json.h"
#include "tools/operations/text_vectors.h"

namespace plexus::tools {
namespace {

std::vector<std::string> PlanNames() {
  std::vector<std::string> names;
  for (const retrieval::NamedPlan& plan : retrieval::NamedPlans()) names.emplace_back(plan.name);
  return names;
}

}  // namespace

Parameters AskedParameters() {
  return {Optional(Text("words", "WORDS", "words, as for search").Positional().MayBeEmpty()),
          Text("vector", "FILE",
               "the query as a vector: numbers, a JSON array, .npy, .fvecs or .f32; - is stdin")
              .Named(Means::kContent)
              .MayBeEmpty(),
          Text("space", "NAME", "the vector space (default: default, or the only one)")};
}

Parameter PlanParameter(const std::string& more) {
  std::string names;
  const std::span<const retrieval::NamedPlan> plans = retrieval::NamedPlans();
  for (std::size_t i = 0; i < plans.size(); ++i)
    names += (i == 0 ? "" : i + 1 == plans.size() ? " or " : ", ") + std::string(plans[i].name);
  return Text("plan", "NAME|FILE",
              names + ", or a plan as JSON, in a file or as it is; - is stdin" +
                  (more.empty() ? "" : "; " + more))
      .Named(Means::kContent)
      .Literally(PlanNames());
}

Status ReadPlan(const Workspace& workspace, const Request& request, AskedPlan& asked) {
  return ReadPlan(workspace, request, request.Text("plan"), asked);
}

Status ReadPlan(const Workspace& workspace, const Request& request, std::string_view text,
                AskedPlan& asked) {
  const std::vector<std::string>& kinds = request.List("kinds");
  PLEXUS_TRY(FindEdgeKinds(workspace.schema(), kinds));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') {
    const retrieval::NamedPlan* named = retrieval::FindPlan(text);
    if (!named)
      return Invalid(request.Name("plan"), ": '", text.substr(0, 64),
                     "' is neither a plan in JSON nor the name of one",
                     DidYouMean(std::string(text.substr(0, 64)), PlanNames()));
    asked.plan = named->plan;
    asked.name = named->name;
    if (!kinds.empty()) PLEXUS_TRY(FollowKinds(workspace.schema(), kinds, asked.plan.expand));
  } else {
    asked.name = request.Source("plan").empty() ? request.Name("plan") : request.Source("plan");
    Result<retrieval::RetrievalPlan> plan =
        PlanFromJson(text, workspace.schema(), workspace.now_ms(), kinds);
    if (!plan) return Fail(plan.error().code, asked.name + ": " + plan.error().message);
    asked.plan = *std::move(plan);
  }
  if (request.Given("top")) asked.plan.top = static_cast<std::size_t>(request.Count("top"));
  return {};
}

Status ReadPlanValues(const Workspace& workspace, AskedPlan& asked) {
  asked.salience_columns = memory::SalienceColumns(workspace.schema());
  asked.salience.columns = asked.salience_columns;
  constexpr auto kOutcome = static_cast<std::size_t>(retrieval::PlanTerm::kOutcomes);
  if (asked.plan.score.weights[kOutcome] == 0 && !asked.plan.score.required[kOutcome] &&
      !asked.plan.score.shown[kOutcome])
    return {};
  PLEXUS_ASSIGN(asked.outcomes, memory::OutcomeValues(workspace.snapshot(), &workspace.executor(),
                                                      workspace.scope()));
  asked.outcome.list = asked.outcomes;
  asked.outcome.otherwise = memory::kNoOutcomeValue;
  return {};
}

Result<SpaceId> SpaceOfPlan(const Workspace& workspace, const Request& request,
                            const retrieval::RetrievalPlan& plan) {
  if (!request.Given("space"))
    for (const retrieval::PlanSeeds& seeds : plan.seeds)
      if (seeds.by == retrieval::SeedBy::kVector && seeds.space) return *seeds.space;
  return FindSpace(workspace.schema(), request);
}

Result<std::vector<float>> WordsAsVector(const Workspace& workspace, const Request& request,
                                         std::span<const std::string> terms,
                                         retrieval::RetrievalPlan& plan, SpaceId& space) {
  const auto has = [&](retrieval::SeedBy by) {
    return std::ranges::find(plan.seeds, by, &retrieval::PlanSeeds::by) != plan.seeds.end();
  };
  if (terms.empty() || !has(retrieval::SeedBy::kVector) || has(retrieval::SeedBy::kWords) ||
      plan.fuse == retrieval::Fusion::kLists)
    return std::vector<float>();
  const auto named =
      workspace.schema().FindSpace(request.Given("space") ? request.Text("space") : "text");
  if (!named) return std::vector<float>();
  PLEXUS_ASSIGN(std::optional<std::vector<float>> vector,
                VectorOfTerms(workspace, request, *named, terms));
  if (!vector) return std::vector<float>();
  if (vector->empty() && !(has(retrieval::SeedBy::kKeys) && request.Given("from")))
    return NotFound("no text that has a vector in space ",
                    Quoted(workspace.schema().spaces()[*named].name), " has a word of ",
                    Quoted(request.Text("words")));
  if (vector->empty()) return *std::move(vector);
  space = *named;
  for (retrieval::PlanSeeds& seeds : plan.seeds)
    if (seeds.by == retrieval::SeedBy::kVector) seeds.by = retrieval::SeedBy::kWords;
  return *std::move(vector);
}

void NoteLeftOut(Workspace& workspace, const retrieval::RetrieveResult& result) {
  if (result.left_out > 0)
    workspace.notes().push_back(
        {Grouped(result.left_out) +
             " candidates lack a term that the plan requires, and are left out",
         Note::kForPeople});
}

void WriteFoundBy(ReplyWriter& json, const retrieval::RetrievalPlan& plan,
                  const retrieval::RetrieveHit& hit) {
  std::vector<std::string_view> found_by;
  for (std::size_t i = 0; i < plan.seeds.size(); ++i)
    if (hit.found_by >> i & 1) found_by.push_back(retrieval::SeedByName(plan.seeds[i].by));
  json.Values("found_by", found_by);
}

void WriteStages(ReplyWriter& json, const retrieval::RetrieveResult& result) {
  json.Objects("stages", result.stages, [&](const retrieval::RetrieveStage& stage) {
    json.Field("stage", stage.name);
    json.Field("read", stage.read);
    json.Field("kept", stage.kept);
    json.Field("skipped", stage.skipped);
    json.Field("truncated", stage.truncated);
  });
  json.Values("stage_ms", result.stats.stage_ms);
}

}  // namespace plexus::tools
