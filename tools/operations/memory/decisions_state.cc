// decisions status, ancestors, descendants: the state of decisions, and what depends on what.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/decisions/decisions.h"
#include "algorithms/traversal/traversal.h"
#include "engine/vocabulary.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/memory/decision_scope.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

Result<Reply> RunStatus(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  NodeSubset decisions;
  PLEXUS_ASSIGN(const memory::DecisionOptions options,
                ReadDecisionOptions(workspace, request, decisions));
  PLEXUS_ASSIGN(std::vector<NodeId> nodes, FindAliveNodes(snapshot, request.List("keys")));
  PLEXUS_TRY(CheckDecisions(snapshot, decisions, nodes));
  if (nodes.empty()) nodes = decisions.ToList();
  const std::size_t count = nodes.size();
  const std::uint64_t top = request.Count("top");
  nodes.resize(First(nodes, top).size());
  PLEXUS_ASSIGN(std::vector<memory::DecisionStatus> states,
                memory::StatusOf(snapshot, nodes, workspace.now_ms()));
  PLEXUS_ASSIGN(std::vector<memory::EdgeQuality> quality,
                memory::QualityOf(snapshot, nodes, workspace.now_ms(), workspace.scope()));
  std::vector<std::vector<memory::ChainStep>> waits;  // what takes most of the time
  for (const NodeId node : nodes) {
    if (waits.size() % 64 == 0 && options.run.budget.Interrupted()) break;
    PLEXUS_ASSIGN(std::vector<memory::ChainStep> steps,
                  memory::BlockersOf(snapshot, node, options));
    waits.push_back(std::move(steps));
  }
  const bool truncated = waits.size() < nodes.size();
  states.resize(waits.size());
  std::vector<NodeId> heads;  // that may be named
  for (const memory::DecisionStatus& state : states) {
    const bool shown = !options.inside || options.inside->contains(state.superseded_by);
    heads.push_back(shown ? state.superseded_by : kNoNode);
  }
  std::string closing = truncated ? "" : More(count, top);
  closing += Truncated(truncated, "these are " + Grouped(states.size()) + " of " + Grouped(count));
  Reply reply([snapshot, count, truncated, states = std::move(states), quality = std::move(quality),
               waits = std::move(waits), heads = std::move(heads)](ReplyWriter& json) {
    json.Field("truncated", truncated);
    json.Field("total", count);
    std::size_t at = 0;
    json.Objects("results", states, [&](const memory::DecisionStatus& state) {
      const memory::EdgeQuality& tied = quality[at];
      const NodeId head = heads[at];
      const std::vector<memory::ChainStep>& steps = waits[at++];
      json.Node("key", snapshot, state.node);
      const std::string_view is = state.superseded_by != kNoNode ? "superseded"
                                  : state.recorded               ? "recorded"
                                  : !steps.empty()               ? "blocked"
                                                                 : "open";
      json.Field("state", is);
      if (!state.outcome.empty()) json.Field("outcome", state.outcome);
      json.Field("active", state.active);
      json.Field("resolved", state.resolved);
      if (head != kNoNode) json.Node("superseded_by", snapshot, head);
      json.Objects("waits_for", steps, [&](const memory::ChainStep& step) {
        json.Node("key", snapshot, step.next);
        json.Field("by", std::string_view(snapshot.schema().edge_kind(step.kind).name));
      });
      json.Field("edges", tied.edges);
      json.Field("edge_kinds", tied.kinds);
      json.Field("diversity", tied.diversity);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

// Along the edges by which one decision needs another, or against them.
Result<Reply> Needed(Workspace& workspace, const Request& request, Direction direction) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId start, FindAliveNode(snapshot, request.Text("key")));
  NodeSubset decisions;
  PLEXUS_ASSIGN(const memory::DecisionOptions asked,
                ReadDecisionOptions(workspace, request, decisions));
  PLEXUS_TRY(CheckDecisions(snapshot, decisions, {&start, 1}));
  traversal::BfsOptions options;
  PLEXUS_ASSIGN(options.filter.kinds, FindEdgeKinds(snapshot.schema(), request.List("kinds")));
  if (!options.filter.kinds.given()) options.filter.kinds = {builtin::kDependsOn};
  options.filter.valid_at = workspace.now_ms();
  options.filter.subset = asked.subset;
  PLEXUS_ASSIGN(options.direction, AsStored(snapshot.schema(), request.List("kinds"), direction));
  options.run = asked.run;
  if (const auto depth = request.MaybeCount("depth"))
    options.max_depth =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(*depth, traversal::kUnreached));
  Budget& budget = options.run.budget;  // the start is none of its own
  if (budget.nodes < Budget::kUnlimited - 1) ++budget.nodes;
  PLEXUS_ASSIGN(traversal::BfsResult result, traversal::Bfs(snapshot, {&start, 1}, options));
  result.nodes.erase(result.nodes.begin());
  std::vector<NodeId> nodes;
  for (const traversal::BfsNode& node : result.nodes) nodes.push_back(node.node);
  PLEXUS_ASSIGN(std::vector<memory::DecisionStatus> states,
                memory::StatusOf(snapshot, nodes, workspace.now_ms()));
  const std::uint64_t top = request.Count("top");
  std::string means = options.direction == Direction::kOut
                          ? "what '" + ShownKey(snapshot, start) + "' depends on"
                          : "what depends on '" + ShownKey(snapshot, start) + "'";
  std::string closing = More(result.nodes.size(), top);
  closing += Truncated(result.truncated, "these are the nearest, there may be more");
  std::string headline = Escaped(means) + ": " + Grouped(result.nodes.size()) +
                         (result.nodes.size() == 1 ? " decision\n" : " decisions\n");
  Reply reply([snapshot, top, means = std::move(means), states = std::move(states),
               result = std::move(result)](ReplyWriter& json) {
    json.Field("means", means);
    json.Field("truncated", result.truncated);
    json.Field("total", result.nodes.size());
    std::size_t at = 0;
    json.Objects("results", First(result.nodes, top), [&](const traversal::BfsNode& node) {
      const memory::DecisionStatus& state = states[at++];
      json.Node("key", snapshot, node.node);
      json.Field("distance", node.depth);
      json.Node("via", snapshot, node.parent);
      if (!state.outcome.empty()) json.Field("outcome", state.outcome);
      json.Field("active", state.active);
    });
  });
  reply.headline = std::move(headline);
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunAncestors(Workspace& workspace, const Request& request) {
  return Needed(workspace, request, Direction::kOut);
}
Result<Reply> RunDescendants(Workspace& workspace, const Request& request) {
  return Needed(workspace, request, Direction::kIn);
}

Operation NeededRow(const char* name, const char* title, const char* summary, const char* first,
                    const char* second, Result<Reply> (*run)(Workspace&, const Request&)) {
  const std::string command = "plexus decisions " + std::string(name);
  return {.name = "decisions_" + std::string(name),
          .group = "Ask",
          .title = title,
          .summary = summary,
          .parameters =
              Parameters{Text("key", "KEY", "the decision").Named(Means::kKey).Positional(),
                         Count("depth", "D", "at most D steps away (default: no limit)"),
                         List("kinds", "A,B",
                              "edges by which a source needs its target (default: depends_on)")
                             .Named(Means::kEdgeKind),
                         MaxNodes(), MaxEdges(), TopForPeople()},
          .reply =
              "means:s, truncated:b, total:n, "
              "results:[{key:k, distance:n, via:k, outcome?:s, active:b}]",
          .tables = "results: distance, outcome, active, key",
          .examples = {{command + " --db g d4", first},
                       {command + " --db g d4 --depth 1 --json", second}},
          .run = run};
}

}  // namespace

void AddDecisionsState(Rows& rows) {
  rows.push_back(
      {.name = "decisions_status",
       .group = "Ask",
       .title = "State of decisions",
       .summary = "List the state of decisions: open, recorded, blocked or superseded",
       .parameters =
           Parameters{
               Optional(
                   Repeated("keys", "KEY", "these (default: all)").Named(Means::kKey).Positional()),
               TopForPeople()},
       .reply = "truncated:b, total:n, results:[{key:k, state:s, outcome?:s, active:b, resolved:b, "
                "superseded_by?:k, waits_for:[{key:k, by:s}], edges:n, edge_kinds:n, diversity:x}]",
       .tables = "results: state, outcome, superseded_by = by, edges, diversity.2, key",
       .examples = {{"plexus decisions status --db g d4 d5", "the state of both"},
                    {"plexus decisions status --db g --json", "of all decisions"}},
       .run = RunStatus});
  rows.push_back(NeededRow("ancestors", "What a decision depends on",
                           "List what a decision depends on, directly or not, nearest first",
                           "what d4 depends on", "what it depends on directly", RunAncestors));
  rows.push_back(NeededRow("descendants", "What depends on a decision",
                           "List what depends on a decision, directly or not, nearest first",
                           "what depends on d4", "what depends on it directly", RunDescendants));
}

}  // namespace plexus::tools
