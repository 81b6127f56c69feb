// Words, a vector, keys; weights by name; bounds.
#include "tools/operations/retrieve/recall_request.h"

#include <algorithm>
#include <cstdint>

#include "algorithms/traversal/traversal.h"
#include "engine/vocabulary.h"
#include "storage/formats/import.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/text_vectors.h"

namespace plexus::tools {
namespace {

Status ReadWords(Workspace& workspace, const Request& request, AskedRecall& asked) {
  PLEXUS_ASSIGN(asked.words, ReadIndexedWords(workspace, request, "words", asked.visible));
  asked.phrases.push_back(asked.words.phrase());
  asked.question.text = asked.words.parsed.words;
  asked.question.phrases = asked.phrases;
  asked.options.matching = &asked.words.subset;
  return {};
}

Status ReadSources(Workspace& workspace, const Request& request, AskedRecall& asked) {
  if (request.Given("words")) PLEXUS_TRY(ReadWords(workspace, request, asked));
  if (request.Given("vector")) {
    PLEXUS_ASSIGN(asked.question.space, SpaceOfPlan(workspace, request, asked.plan.plan));
    PLEXUS_ASSIGN(asked.vector,
                  formats::ReadVector({request.Source("vector"), request.Text("vector")}));
    asked.question.vector = asked.vector;
    PLEXUS_TRY(NoteOlderVectors(workspace, request, asked.question.space, &asked.visible));
  } else {
    PLEXUS_ASSIGN(asked.vector, WordsAsVector(workspace, request, asked.words.terms,
                                              asked.plan.plan, asked.question.space));
    asked.question.vector = asked.vector;
  }
  if (asked.vector.empty() && asked.plan.plan.fuse == retrieval::Fusion::kMmr)
    PLEXUS_SET(asked.question.space, SpaceOfPlan(workspace, request, asked.plan.plan));
  if (request.Given("from")) {
    PLEXUS_ASSIGN(asked.keys, FindSeeds(workspace.snapshot(), request.List("from")));
    asked.question.keys = asked.keys;
  }
  if (!asked.words.terms.empty() || !asked.vector.empty() || !asked.keys.empty()) return {};
  return Invalid("recall what? ", request.Name("words"), ", ", request.Name("vector"), " or ",
                 request.Name("from"), ", or several of them");
}

// "TERM=W" each: the sum of these terms in place of the plan's own fusion.
Status ReadWeights(const Request& request, retrieval::RetrievalPlan& plan) {
  if (!request.Given("weight")) return {};
  std::vector<std::string> names;
  for (std::size_t t = 0; t < retrieval::kPlanTerms; ++t)
    names.emplace_back(retrieval::PlanTermName(static_cast<retrieval::PlanTerm>(t)));
  plan.fuse = retrieval::Fusion::kSum;
  plan.score.weights = {};
  std::vector<bool> given(names.size());
  for (const std::string& text : request.List("weight")) {
    const auto refuse = [&](const std::string& why) {
      return Invalid(request.Name("weight"), ": '", text, "' ", why);
    };
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos) return refuse("is not TERM=W, such as words=0.5");
    std::string name = text.substr(0, equal);
    if (name == "text") name = "words";  // As Codewhale's #536 has it.
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      std::string list;
      for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
      return refuse("names no term; there are " + list + DidYouMean(name, names));
    }
    const auto value = ParseNumber(text.substr(equal + 1));
    if (!value || !(*value >= 0 && *value <= retrieval::PlanLimits::kMaxWeight))
      return refuse("has no weight from 0 to 1e9");
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (given[at]) return refuse("gives that term a second weight");
    given[at] = true;
    plan.score.weights[at] = *value;
  }
  if (std::ranges::count(plan.score.weights, 0) == std::ssize(plan.score.weights))
    return Invalid(request.Name("weight"), ": every weight is 0: no term makes up the score");
  return {};
}

// What the request has in place of the plan's own.
Status ReadOwnValues(Workspace& workspace, const Request& request, AskedRecall& asked) {
  retrieval::RetrievalPlan& plan = asked.plan.plan;
  // More than a plan ranks: all, of which recall takes the first.
  if (asked.plan.name == memory::kListsPlan && plan.top > retrieval::PlanLimits::kMaxTop)
    plan.top = 0;
  PLEXUS_TRY(ReadWeights(request, plan));
  if (request.Given("from_hops")) plan.expand.hops = static_cast<int>(request.Count("from_hops"));
  if (request.Given("decay")) {
    plan.expand.decay = request.Number("decay");
    if (plan.expand.decay == 0) return Invalid(request.Name("decay"), ": it must be above 0");
  }
  if (request.Given("half_life")) {
    PLEXUS_ASSIGN(const std::int64_t half_life, ParseDuration(request.Text("half_life")));
    constexpr double kMost = retrieval::PlanLimits::kMaxHalfLifeDays * 86'400'000;
    plan.score.half_life_ms = std::min(half_life, static_cast<std::int64_t>(kMost));
  }
  if (request.Given("full_count"))
    plan.score.full_count = static_cast<std::int64_t>(request.Count("full_count"));
  PLEXUS_TRY(retrieval::CheckPlan(plan));
  PLEXUS_TRY(ReadPlanValues(workspace, asked.plan));
  asked.options.outcome = asked.plan.outcome;
  const Snapshot& snapshot = workspace.snapshot();
  if (const auto name = request.MaybeText("salience")) {
    const auto column = snapshot.schema().FindColumn(*name);
    if (!column || snapshot.schema().columns()[*column].type != ColumnType::kF64)
      return NotFound("no column of numbers '", *name, "' to read salience from");
    asked.plan.salience_columns = {*column, builtin::kRetention, builtin::kTrust};
  }
  asked.plan.salience.columns = asked.plan.salience_columns;
  if (asked.plan.name == memory::kListsPlan) asked.plan.salience.otherwise = memory::kUnknownTrust;
  asked.options.salience = asked.plan.salience;
  asked.scopes = request.List("prefer_scopes");
  for (const std::string& name : request.List("prefer_tags")) {
    const auto tag = snapshot.Find(IndexKey(snapshot.schema().node_kind(builtin::kTag).name, name));
    if (!tag || !snapshot.alive(*tag))
      return NotFound(request.Name("prefer_tags"), ": no memory has the tag '", name, "'");
    asked.tags.push_back(*tag);
  }
  asked.options.preferred = {asked.scopes, asked.tags};
  return {};
}

// What only lists had: with one of them, and no plan named, they answer.
constexpr const char* kOfLists[] = {"weight",     "from_hops", "decay",         "half_life",
                                    "full_count", "salience",  "prefer_scopes", "prefer_tags"};

Status ReadRecallPlan(Workspace& workspace, const Request& request, AskedRecall& asked) {
  if (request.Given("plan")) return ReadPlan(workspace, request, asked.plan);
  const bool of_lists =
      std::ranges::any_of(kOfLists, [&](const char* other) { return request.Given(other); });
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  const bool recall =
      request.Given("words") && !of_lists &&
      memory::HasRecallPlan(workspace.snapshot(), static_cast<std::size_t>(request.Count("top")),
                            {.budget = budget, .executor = &workspace.executor()});
  return ReadPlan(workspace, request, recall ? memory::kRecallPlan : memory::kListsPlan,
                  asked.plan);
}

}  // namespace

Status ReadRecall(Workspace& workspace, const Request& request, AskedRecall& asked) {
  PLEXUS_TRY(Needs(request, "space", "vector"));
  PLEXUS_TRY(Needs(request, "from_hops", "from"));
  PLEXUS_TRY(Needs(request, "decay", "from"));
  PLEXUS_TRY(ReadRecallPlan(workspace, request, asked));
  PLEXUS_TRY(ReadOwnValues(workspace, request, asked));
  PLEXUS_ASSIGN(asked.options.filter.valid_at, workspace.ValidAt(request.Text("valid_at")));
  PLEXUS_ASSIGN(asked.visible, VisibleInScope(workspace, request, asked.options.filter.valid_at));
  PLEXUS_TRY(ReadSources(workspace, request, asked));
  memory::RecallOptions& options = asked.options;
  options.now_ms = workspace.now_ms();
  options.plan = &asked.plan.plan;
  options.top = static_cast<std::size_t>(request.Count("top"));
  options.filter.subset = workspace.scope();
  options.include_superseded = request.Flag("include_superseded");
  options.exclude_contradicted = request.Flag("exclude_contradicted");
  options.related_hops = static_cast<int>(request.Count("hops"));
  options.related_top = static_cast<std::size_t>(request.Count("related"));
  options.related_edges = request.Count("related_edges");
  options.near_duplicate = request.Number("near_duplicate");
  PLEXUS_ASSIGN(options.filter.kinds, FindEdgeKinds(workspace.schema(), request.List("kinds")));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  options.run.executor = &workspace.executor();
  return {};
}

Parameters RecallParameters() {
  return AskedParameters() +
         Parameters{
             Repeated("from", "KEY",
                      "rank nodes near this node higher; KEY=W gives it a weight; repeatable")
                 .Named(Means::kWeightedKey),
             PlanParameter("default: recall for words in a graph of 100 texts and more, else "
                           "lists, also with --weight"),
             Count("from_hops", "H", "at most H edges from there, instead of the plan's")
                 .Between(1, traversal::kMaxHops),
             Number("decay", "F",
                    "factor for each edge from there, in addition to its weight, instead of the "
                    "plan's")
                 .Between(0, 1),
             Top(10,
                 "at most K memories; 0 = all, in the order of --plan lists where no plan is "
                 "named"),
             List("weight", "TERM=W,...",
                  "rank by the sum of these terms of plans, such as words, similarity, path, "
                  "recency, salience, frequency, scope"),
             Text("half_life", "DURATION",
                  "recency and age halve in that time, instead of the plan's (30d)"),
             Count("full_count", "N", "uses for which frequency is 1, instead of the plan's (100)")
                 .Between(1, 1e12),
             Text("salience", "COLUMN",
                  "the column that salience is read from (default: salience, else retention or "
                  "trust)"),
             List("prefer_scopes", "A,B", "the term scope is 1 for memories of these scopes"),
             List("prefer_tags", "A,B",
                  "the term scope is 1 also for memories with one of these tags"),
             KindsParameter("edge kinds for relations and paths (default: all facts)"),
             Text("valid_at", "TIME", "what was valid then (default: now)").Named(Means::kTime),
             Count("hops", "H", "show relations at most H edges away; 0 = none")
                 .Between(0, memory::kMaxRelatedHops)
                 .Default(std::uint64_t{1}),
             Count("related", "N", "at most N relations of a memory")
                 .Between(1, memory::kMaxRelated)
                 .Default(std::uint64_t{20}),
             Count("related_edges", "N", "look at N edges around a memory, then say truncated")
                 .Between(1, 1e9)
                 .Default(std::uint64_t{1'000}),
             Number("near_duplicate", "X",
                    "flag hits that share at least this part of their tags and terms with a "
                    "superseded memory; above 1: none")
                 .Between(0, 2)
                 .Default(0.5),
             Flag("exclude_contradicted", "leave out both sides of open conflicts"),
             IncludeSuperseded(),
             MaxNodes("each list or stage stops after N nodes and says truncated"),
             MaxEdges("each list or stage stops after N edges and says truncated")};
}

}  // namespace plexus::tools
