// decisions rules: what is kept; and how a write asks it.
#include "tools/operations/memory/kept_rules.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>
#include <vector>

#include "algorithms/memory/decisions/decisions.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/graph_record.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/guardrail_rules.h"

namespace plexus::tools {
namespace {

constexpr const char* kRecord = "rules";
constexpr const char* kSource = "the rules of the graph";

const char* ActionName(memory::RuleAction action) {
  return action == memory::RuleAction::kBlock ? "block" : "warn";
}
const char* DoesName(memory::ProposalDoes does) {
  return does == memory::ProposalDoes::kLinks     ? "links"
         : does == memory::ProposalDoes::kUnlinks ? "unlinks"
         : does == memory::ProposalDoes::kCloses  ? "closes_cycle"
                                                  : "removes";
}

// One rule, a list or {"rules":[...]} as a list.
boost::json::array ListOf(const boost::json::value& given) {
  if (given.is_array()) return given.get_array();
  if (const auto* rules = given.as_object().if_contains("rules"); rules && rules->is_array())
    return rules->get_array();
  return {given};
}

Result<Reply> RulesReply(const Snapshot& snapshot, Sequence sequence, const Request& request) {
  PLEXUS_ASSIGN(const auto kept, KeptRules(snapshot));
  std::vector<memory::GuardrailRule> rules;
  if (kept) PLEXUS_SET(rules, ParseGuardrailRules(snapshot.schema(), kSource, *kept));
  std::string closing = rules.empty() ? "the graph keeps no rules\n" : "";
  Reply reply(
      [snapshot, sequence, dry = IsDryRun(request), rules = std::move(rules)](ReplyWriter& json) {
        json.Field("sequence", sequence);
        if (dry) json.Field("dry_run", true);
        json.Field("total", rules.size());
        json.Objects("results", rules, [&](const memory::GuardrailRule& rule) {
          json.Field("rule", rule.name);
          json.Field("does", DoesName(rule.does));
          json.BeginArray("kinds");
          for (const EdgeKindId kind : rule.kinds)
            json.Value(snapshot.schema().edge_kind(kind).name);
          json.EndArray();
          json.Field("action", ActionName(rule.action));
          json.Field("message", rule.message);
        });
      });
  reply.closing = std::move(closing) + DryRunClosing(request);
  return reply;
}

Result<Reply> RunKeptRules(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(NotTogether(request, "rules", "clear"));
  const Snapshot& before = workspace.snapshot();
  const bool clear = request.Flag("clear");
  if (!request.Given("rules") && !clear) return RulesReply(before, before.sequence(), request);
  if (!clear)
    PLEXUS_TRY(
        ParseGuardrailRules(before.schema(), request.Source("rules"), request.Text("rules")));
  WriteBatch batch = MakeBatch(workspace, request);
  PLEXUS_TRY(KeepRules(before, batch, clear ? std::string() : request.Text("rules")));
  PLEXUS_ASSIGN(const PreviewResult written, ApplyOrPreview(workspace, request, batch));
  return RulesReply(written.snapshot, written.report.sequence, request);
}

Access RulesAccess(const Request& request) {
  const bool writes = request.Given("rules") || request.Flag("clear");
  return writes ? ChangesGraph(request) : Access::kRead;
}

}  // namespace

Result<std::optional<std::string>> KeptRules(const Snapshot& snapshot) {
  PLEXUS_ASSIGN(const auto record, ReadRecord(snapshot, kRecord));
  if (!record) return std::nullopt;
  const auto* rules = record->properties.if_contains("rules");
  if (!rules || !rules->is_array() || rules->get_array().empty()) return std::nullopt;
  return boost::json::serialize(*rules);
}

Status KeepRules(const Snapshot& snapshot, WriteBatch& batch, const std::string& json) {
  PLEXUS_ASSIGN(const auto before, ReadRecord(snapshot, kRecord));
  boost::json::object properties;
  properties["rules"] = json.empty() ? boost::json::array() : ListOf(boost::json::parse(json));
  return WriteRecord(batch, kRecord, std::move(properties), before);
}

Parameter CheckParameter() {
  return Flag("check",
              "obey the rules that the graph keeps ('decisions rules'): what one of them blocks is "
              "not written");
}

bool IsChecked(const Request& request) { return request.Has("check") && request.Flag("check"); }

Status ObeyRules(Workspace& workspace, const Request& request, const PreviewResult& proposal) {
  const Snapshot& before = workspace.snapshot();
  PLEXUS_ASSIGN(const auto kept, KeptRules(before));
  if (!kept) {
    workspace.notes().push_back({"the graph keeps no rules to check: " +
                                 request.Command("decisions_rules", workspace.directory())});
    return {};
  }
  PLEXUS_ASSIGN(const std::vector<memory::GuardrailRule> rules,
                ParseGuardrailRules(proposal.snapshot.schema(), kSource, *kept));
  memory::GuardrailOptions options;
  options.decisions.now_ms = workspace.now_ms();
  PLEXUS_ASSIGN(options.decisions.run.budget, MakeBudget(request));
  options.decisions.run.executor = &workspace.executor();
  PLEXUS_ASSIGN(const memory::GuardrailResult result,
                memory::CheckGuardrails(before, proposal, rules, options));
  if (result.truncated)
    return FailedPrecondition("the rules were not checked in time, so nothing was written");
  constexpr std::uint64_t kShown = 3;  // of each; a message may have 4,096 bytes
  std::string blocked;
  std::uint64_t blocks = 0, warnings = 0;
  for (const memory::GuardrailHit& hit : result.hits) {
    const memory::GuardrailRule& rule = rules[hit.rule];
    std::string message = hit.message + " (rule " + rule.name + ")";
    if (rule.action != memory::RuleAction::kBlock) {
      if (warnings++ < kShown) workspace.notes().push_back({std::move(message), Note::kWarning});
    } else if (blocks++ < kShown) {
      blocked += message + "; ";
    }
  }
  if (warnings > kShown)
    workspace.notes().push_back(
        {"rules warn of " + std::to_string(warnings - kShown) + " more", Note::kWarning});
  if (result.allowed) return {};
  if (blocks == 0) blocked = "a rule blocks it; ";  // behind the hits that are kept
  if (blocks > kShown) blocked += std::to_string(blocks - kShown) + " more; ";
  return FailedPrecondition(blocked, "nothing was written");
}

void AddDecisionsRules(Rows& rows) {
  rows.push_back(
      {.name = "decisions_rules",
       .group = "Ask",
       .title = "Rules that the graph keeps",
       .summary = "Keep guardrail rules in the graph, for writes that ask with --check",
       .effect = Effect::kWrite,
       .parameters = {Optional(Text("rules", "FILE",
                                    "JSON rules as `decisions check` takes them, which replace the "
                                    "stored ones; without it the stored ones are listed")
                                   .Named(Means::kContent)
                                   .Positional()),
                      Flag("clear", "remove all rules"), ExpectSequenceParameter(),
                      DryRunParameter()},
       .reply = "sequence:n, dry_run?:b, total:n, results:[{rule:s, does:s, kinds:[s], action:s, "
                "message:s}]",
       .tables = "results: action, rule, does, kinds, message",
       .examples = {{"plexus decisions rules --db g rules.json", "writes with --check obey them"},
                    {"plexus decisions rules --db g --json", "what is kept"}},
       .run = RunKeptRules,
       .access = RulesAccess,
       .reach = Reach::kGraph});
}

}  // namespace plexus::tools
