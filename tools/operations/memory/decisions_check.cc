// decisions check, suggest: what a proposal would break; which edges a decision may be missing.
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/memory/decisions/decisions.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/decision_scope.h"
#include "tools/operations/memory/guardrail_rules.h"
#include "tools/operations/names.h"
#include "tools/operations/proposal.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/node_list.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

Result<Reply> RunCheck(Workspace& workspace, const Request& request) {
  NodeSubset decisions;
  Result<PreviewResult> read =
      ReadProposal(workspace, request.Source("proposal"), request.Text("proposal"), false);
  const bool late = !read && read.error().code == ErrorCode::kCancelled && TimeIsUp(request);
  if (late) read = PreviewResult{.snapshot = workspace.snapshot(), .report = {}};
  PLEXUS_ASSIGN(const PreviewResult proposal, std::move(read));
  const Snapshot& preview = proposal.snapshot;
  PLEXUS_ASSIGN(
      std::vector<memory::GuardrailRule> rules,
      ParseGuardrailRules(preview.schema(), request.Source("rules"), request.Text("rules")));
  memory::GuardrailOptions options;
  PLEXUS_ASSIGN(options.decisions, ReadDecisionOptions(workspace, request, decisions));
  options.top = request.Count("top");
  memory::GuardrailResult result;
  result.allowed = !late;
  result.truncated = late;
  if (!late)
    PLEXUS_SET(result, memory::CheckGuardrails(workspace.snapshot(), proposal, rules, options));
  const bool allowed = result.allowed;
  const bool truncated = result.truncated;
  const std::string more = More(result.total, options.top);
  const ApplyReport& report = proposal.report;
  Reply reply(
      [preview, report, result = std::move(result), rules = std::move(rules)](ReplyWriter& json) {
        json.Field("allowed", result.allowed);
        json.Field("truncated", result.truncated);
        json.Field("total", result.total);
        json.Objects("hits", result.hits, [&](const memory::GuardrailHit& hit) {
          json.Field("rule", rules[hit.rule].name);
          json.Field("action",
                     rules[hit.rule].action == memory::RuleAction::kBlock ? "block" : "warn");
          json.Field("message", hit.message);
          json.Node("target", preview, hit.target);
          if (hit.other != kNoNode) {
            json.Node("other", preview, hit.other);
            json.Field("kind", preview.schema().edge_kind(hit.kind).name);
          }
          if (hit.salience) json.Field("salience", *hit.salience);
        });
        json.BeginObject("proposal");
        WriteCounts(json, "nodes", report.nodes);
        WriteCounts(json, "edges", report.edges);
        json.EndObject();
      });
  reply.headline = allowed ? "allowed\n" : "not allowed\n";
  reply.closing = Truncated(truncated, "what could not be judged is not allowed") + more;
  if (!allowed) reply.failure = Error{ErrorCode::kFailedPrecondition, ""};
  return reply;
}

// The space that is asked for, else "default", else the only one; a note where that is none.
std::string SpaceOf(Workspace& workspace, const Snapshot& snapshot, const Request& request) {
  const Schema& schema = snapshot.schema();
  if (!request.Given("space") && schema.spaces().empty()) return {};
  const Result<SpaceId> space = FindSpace(schema, request);
  if (space) return schema.spaces()[*space].name;
  workspace.notes().push_back({space.error().message + ": vectors do not count"});
  return {};
}

// What the decision itself does not have is compared with none.
Status NoteMissing(Workspace& workspace, const Snapshot& snapshot, NodeId node,
                   const Request& request) {
  for (const std::string& name : request.List("properties")) {
    PLEXUS_ASSIGN(const NodeColumn column, NodeColumn::Named(snapshot, name));
    PLEXUS_ASSIGN(const NodeValue value, column.Of(snapshot, node));
    if (!std::holds_alternative<std::string>(value))
      workspace.notes().push_back({request.Name("properties") + ": " +
                                   Quoted(ShownKey(snapshot, node)) + " has no text " +
                                   Quoted(name) + ", so none has the same" +
                                   DidYouMean(name, NamesOfValues(snapshot.schema()))});
  }
  return {};
}

Result<Reply> RunSuggest(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(NotTogether(request, "proposal", "apply"));
  Snapshot snapshot = workspace.snapshot();
  if (request.Given("proposal")) {
    PLEXUS_ASSIGN(const PreviewResult proposal, ReadProposal(workspace, request.Source("proposal"),
                                                             request.Text("proposal"), true));
    snapshot = proposal.snapshot;
  }
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, request.Text("key")));
  NodeSubset decisions;
  memory::SuggestOptions options;
  PLEXUS_ASSIGN(options.decisions, ReadDecisionOptions(workspace, request, decisions));
  if (request.Given("proposal")) {
    PLEXUS_ASSIGN(decisions, memory::Decisions(snapshot));
    options.decisions.subset = &decisions;
  }
  PLEXUS_TRY(CheckDecisions(snapshot, decisions, {&node, 1}));
  options.top = request.Count("top");
  options.min_shared = request.Number("least");
  options.space = SpaceOf(workspace, snapshot, request);
  options.min_cosine = request.Number("min_cosine");
  options.properties = request.List("properties");
  PLEXUS_TRY(NoteMissing(workspace, snapshot, node, request));
  PLEXUS_ASSIGN(memory::SuggestResult result, memory::SuggestEdges(snapshot, node, options));
  const bool apply = request.Flag("apply");
  PLEXUS_ASSIGN(const Sequence sequence,
                ApplyIf(apply, result.truncated, workspace, request, result.batch));
  std::string closing = Truncated(result.truncated, "there may be more");
  if (apply) closing += "sequence " + std::to_string(sequence) + "\n";
  Reply reply([snapshot, sequence, apply, edges = std::move(result.edges),
               truncated = result.truncated](ReplyWriter& json) {
    json.Field("sequence", sequence);
    json.Field("applied", apply);
    json.Field("truncated", truncated);
    json.Objects("edges", edges, [&](const memory::SuggestedEdge& edge) {
      json.Node("source", snapshot, edge.node);
      json.Field("kind", edge.relation);
      json.Node("target", snapshot, edge.other);
      json.Field("reason", edge.reason);
      json.BeginObject("evidence");
      for (const auto& [name, value] : edge.evidence) json.Field(name, value);
      json.EndObject();
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddDecisionsCheck(Rows& rows) {
  rows.push_back(
      {.name = "decisions_check",
       .group = "Ask",
       .title = "Guardrails",
       .summary = "Check a proposal against rules; exit code 1 when a rule blocks it",
       .parameters =
           Parameters{
               Text("rules", "FILE",
                    "JSON rules: {\"name\":N, \"does\":\"links\", \"edge\":KIND, "
                    "\"side\":\"target\", \"target\":{\"active\":true, \"salience_above\":0.7}, "
                    "\"action\":\"block\", \"message\":\"... {target} ...\"}; does is links, "
                    "unlinks, removes or closes_cycle (without a side; edge a list of kinds, or "
                    "\"acyclic\": each that is declared so)")
                   .Lines()
                   .Required(),
               Text("proposal", "FILE", "JSON lines that would be imported; nothing is written")
                   .Lines()
                   .Required(),
               Top(1000)},
       .reply = "allowed:b, truncated:b, total:n, hits:[{rule:s, action:s, message:s, target:k, "
                "other?:k, kind?:s, "
                "salience?:x}], proposal:{nodes:{new:n, changed:n, same:n, removed?:n}, "
                "edges:{new:n, changed:n, same:n, removed?:n}}",
       .tables = "hits: action, rule, target, message = why",
       .examples = {{"plexus decisions check --db g --rules rules.json --proposal new.jsonl",
                     "which rules it would break, and why"},
                    {"plexus decisions check --db g --rules rules.json --proposal - --json",
                     "a proposal on standard input"}},
       .run = RunCheck});
  rows.push_back(
      {.name = "decisions_suggest",
       .group = "Ask",
       .title = "Edges that a decision may be missing",
       .summary = "Suggest edges of a decision with reason and evidence",
       .effect = Effect::kWrite,
       .parameters =
           Parameters{
               Text("key", "KEY", "the decision").Named(Means::kKey).Positional(),
               Text("proposal", "FILE",
                    "JSON lines, read as if they were imported; KEY may be one of them")
                   .Named(Means::kContent),
               Count("top", "K", "at most K of each relation")
                   .Default(std::uint64_t{20})
                   .Between(1, 1000),
               Number("least", "X", "the least share of common tags and terms")
                   .Default(0.5)
                   .Between(0.001, 1),
               Text("space", "NAME", "the vector space (default: \"default\", or the only one)"),
               Number("min_cosine", "X", "vectors nearer than this count; above 1: none")
                   .Default(0.8)
                   .Between(0.001, 2),
               List("properties", "A,B",
                    "decisions with the same text in one of these properties or columns, such as "
                    "pattern, count, too"),
               Flag("apply", "write the suggested edges")},
       .reply = "sequence:n, applied:b, truncated:b, "
                "edges:[{source:k, kind:s, target:k, reason:s, evidence:{*:s}}]",
       .tables = "edges: kind, target node, reason = why",
       .examples = {{"plexus decisions suggest --db g d12", "what d12 may contradict or come from"},
                    {"plexus decisions suggest --db g d12 --properties pattern --space text",
                     "by its pattern and by the vectors of embed, too"},
                    {"plexus decisions suggest --db g d12 --apply --json", "and write it"}},
       .run = RunSuggest,
       .access = WritesWhenApplied});
}

}  // namespace plexus::tools
