// Words, a vector, keys; weights by name; bounds.
#include "tools/operations/retrieve/recall_request.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

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
    if (asked.options.plan.plan)
      PLEXUS_TRY(NoteOlderVectors(workspace, request, asked.question.space, &asked.visible));
  } else if (asked.options.plan.plan) {
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

// "TERM=W" each.
Status ReadWeights(const Request& request, memory::RecallOptions& options) {
  if (!request.Given("weight")) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < memory::kRecallTerms; ++i)
    names.emplace_back(memory::RecallTermName(static_cast<memory::RecallTerm>(i)));
  memory::RecallWeights weights{};
  std::vector<bool> given(memory::kRecallTerms);
  for (const std::string& text : request.List("weight")) {
    const auto refuse = [&](const std::string& why) {
      return Invalid(request.Name("weight"), ": '", text, "' ", why);
    };
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos) return refuse("is not TERM=W, such as text=0.5");
    const std::string name = text.substr(0, equal);
    const auto term = memory::RecallTermNamed(name);
    if (!term) {
      std::string list;
      for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
      return refuse("names no term; there are " + list + DidYouMean(name, names));
    }
    const auto value = ParseNumber(text.substr(equal + 1));
    if (!value || *value < 0 || *value > memory::kMaxRecallWeight)
      return refuse("has no weight from 0 to 1e9");
    const auto at = static_cast<std::size_t>(*term);
    if (given[at]) return refuse("gives that term a second weight");
    given[at] = true;
    weights[at] = *value;
  }
  if (const Status status = memory::CheckRecallWeights(weights); !status)
    return Fail(status.error().code, request.Name("weight") + ": " + status.error().message);
  options.weights = weights;
  return {};
}

Status ReadTerms(const Workspace& workspace, const Request& request, AskedRecall& asked) {
  memory::RecallTermOptions& terms = asked.options.terms;
  PLEXUS_ASSIGN(terms.half_life_ms, ParseDuration(request.Text("half_life")));
  terms.full_count = static_cast<std::int64_t>(request.Count("full_count"));
  if (const auto column = request.MaybeText("salience")) terms.salience_column = *column;
  asked.scopes = request.List("prefer_scopes");
  terms.scopes = asked.scopes;
  const Snapshot& snapshot = workspace.snapshot();
  for (const std::string& name : request.List("prefer_tags")) {
    const auto tag = snapshot.Find(IndexKey(snapshot.schema().node_kind(builtin::kTag).name, name));
    if (!tag || !snapshot.alive(*tag))
      return NotFound(request.Name("prefer_tags"), ": no memory has the tag '", name, "'");
    asked.tags.push_back(*tag);
  }
  terms.tags = asked.tags;
  return ReadWeights(request, asked.options);
}

constexpr const char* kOfLists[] = {"weight",     "from_hops", "decay",         "half_life",
                                    "full_count", "salience",  "prefer_scopes", "prefer_tags"};

// The name of the ranking that is no plan.
constexpr std::string_view kLists = "lists";

// Of a question that names no plan: it is in words, and asks for nothing that only lists have.
bool HasDefaultPlan(const Request& request) {
  const bool of_lists =
      std::ranges::any_of(kOfLists, [&](const char* other) { return request.Given(other); });
  return request.Given("words") && !of_lists;
}

// What ranks without a plan has no part in one.
Status ReadRecallPlan(Workspace& workspace, const Request& request, AskedRecall& asked) {
  const bool given = request.Given("plan");
  asked.options.lists = given ? request.Text("plan") == kLists : !HasDefaultPlan(request);
  if (asked.options.lists) return {};
  if (given) {
    for (const char* other : kOfLists) PLEXUS_TRY(NotTogether(request, other, "plan"));
    PLEXUS_TRY(ReadPlan(workspace, request, asked.plan));
  } else {
    PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
    if (!memory::HasRecallPlan(workspace.snapshot(),
                               {.budget = budget, .executor = &workspace.executor()}))
      return {};
    PLEXUS_TRY(ReadPlan(workspace, request, memory::kRecallPlan, asked.plan));
    if (!retrieval::CheckPlan(asked.plan.plan)) return {};  // more hits than a plan ranks
  }
  if (asked.plan.plan.top == 0)
    return Invalid(request.Name("top", "0"), " cannot go with ", request.Name("plan"),
                   ": a plan ranks 1 to ", retrieval::PlanLimits::kMaxTop);
  PLEXUS_TRY(retrieval::CheckPlan(asked.plan.plan));
  PLEXUS_TRY(ReadPlanValues(workspace, asked.plan));
  asked.options.plan = {&asked.plan.plan, asked.plan.salience, asked.plan.outcome};
  return {};
}

}  // namespace

Status ReadRecall(Workspace& workspace, const Request& request, AskedRecall& asked) {
  PLEXUS_TRY(Needs(request, "space", "vector"));
  PLEXUS_TRY(Needs(request, "from_hops", "from"));
  PLEXUS_TRY(Needs(request, "decay", "from"));
  PLEXUS_TRY(ReadRecallPlan(workspace, request, asked));
  PLEXUS_ASSIGN(asked.options.filter.valid_at, workspace.ValidAt(request.Text("valid_at")));
  PLEXUS_ASSIGN(asked.visible, VisibleInScope(workspace, request, asked.options.filter.valid_at));
  PLEXUS_TRY(ReadSources(workspace, request, asked));
  PLEXUS_TRY(ReadTerms(workspace, request, asked));
  memory::RecallOptions& options = asked.options;
  options.now_ms = workspace.now_ms();
  options.top = static_cast<std::size_t>(request.Count("top"));
  options.filter.subset = workspace.scope();
  options.include_superseded = request.Flag("include_superseded");
  options.exclude_contradicted = request.Flag("exclude_contradicted");
  options.paths.hops = static_cast<int>(request.Count("from_hops"));
  options.paths.decay = request.Number("decay");
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
             PlanParameter("lists: each list's own order, several fused by their ranks; default: "
                           "recall for words in a graph of 100 texts and more, else lists, also "
                           "with --weight",
                           {std::string(kLists)}),
             Count("from_hops", "H", "at most H edges from there")
                 .Between(1, 16)
                 .Default(std::uint64_t{2}),
             Number("decay", "F", "factor for each edge from there, in addition to its weight")
                 .Between(0, 1)
                 .Default(0.5),
             Top(10, "at most K memories; 0 = all, in the order of --plan lists"),
             List("weight", "TERM=W,...",
                  "rank by the sum of these terms: text, similarity, path, recency, salience, "
                  "frequency, "
                  "scope"),
             Text("half_life", "DURATION", "recency halves in that time since the last use")
                 .Default("30d"),
             Count("full_count", "N", "uses for which frequency is 1")
                 .Between(1, 1e12)
                 .Default(std::uint64_t{100}),
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
