// decisions: salience, blocked chains, contradictions, compaction tiers.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/memory/decisions/decisions.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/conflict_reply.h"
#include "tools/operations/memory/decision_scope.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

void WriteCycles(ReplyWriter& json, const Snapshot& snapshot,
                 const std::vector<std::vector<NodeId>>& cycles) {
  json.BeginArray("cycles");
  for (const std::vector<NodeId>& cycle : cycles) {
    json.BeginArray();
    for (const NodeId node : cycle) json.Node(snapshot, node);
    json.EndArray();
  }
  json.EndArray();
}

std::string CyclesLine(std::size_t cycles) {
  return cycles == 0 ? "" : Grouped(cycles) + (cycles == 1 ? " cycle\n" : " cycles\n");
}

// The percentiles as the column `salience`, which recall and plans weigh: what is stored otherwise.
struct StoredSalience {
  WriteBatch batch;
  std::uint64_t stale = 0;  // Decisions whose column is not this.
};
// Decisions that the answer leaves out keep no value of an earlier one. Not those of other scopes,
// which have answers of their own; a value of what is no decision was never of an answer.
Status ClearOthers(const Workspace& workspace, const Request& request,
                   const memory::SalienceResult& result, ColumnId column, StoredSalience& stored) {
  const Snapshot& snapshot = workspace.snapshot();
  std::optional<NodeSubset> scopes;
  if (request.Given("scope")) {
    const std::vector<std::string>& given = request.List("scope");
    PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
    PLEXUS_ASSIGN(scopes,
                  NodeSubset::InScopes(
                      snapshot, std::vector<std::string_view>(given.begin(), given.end()), false,
                      budget));
  }
  PLEXUS_ASSIGN(const NodeSubset decisions,
                memory::Decisions(snapshot, scopes ? &*scopes : nullptr));
  for (const NodeId node : decisions.ToList()) {
    if (result.nodes.contains(node) || !snapshot.f64(column, node)) continue;
    ++stored.stale;
    stored.batch.ClearColumn(NodeRef::Id(node), stored.batch.ColumnNamed("salience"));
  }
  return {};
}

Result<StoredSalience> StoreSalience(const Workspace& workspace, const Request& request,
                                     const memory::SalienceResult& result) {
  constexpr const char* kColumn = "salience";
  const Snapshot& snapshot = workspace.snapshot();
  StoredSalience stored{WriteBatch(workspace.now_ms())};
  stored.batch.ExpectSequence(snapshot.sequence());  // of which graph the values are
  auto column = snapshot.schema().FindColumn(kColumn);
  if (column && snapshot.schema().columns()[*column].type != ColumnType::kF64) {
    if (request.Flag("apply"))
      return FailedPrecondition("the graph has a column salience that holds no numbers");
    column.reset();
  }
  if (!column) stored.batch.DefineColumn({kColumn, ColumnType::kF64});
  for (const NodeId node : result.nodes.ToList()) {
    if (column && snapshot.f64(*column, node) == result.percentiles[node]) continue;
    ++stored.stale;
    stored.batch.SetF64(NodeRef::Id(node), stored.batch.ColumnNamed(kColumn),
                        result.percentiles[node]);
  }
  if (column) PLEXUS_TRY(ClearOthers(workspace, request, result, *column, stored));
  if (stored.stale == 0) stored.batch = WriteBatch(workspace.now_ms());
  return stored;
}

Result<Reply> RunSalience(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  NodeSubset decisions;
  memory::SalienceOptions options;
  PLEXUS_ASSIGN(options.decisions, ReadDecisionOptions(workspace, request, decisions));
  options.damping = request.Number("damping");
  PLEXUS_ASSIGN(memory::SalienceResult result, memory::Salience(snapshot, options));
  PLEXUS_ASSIGN(const StoredSalience stored, StoreSalience(workspace, request, result));
  const bool apply = request.Flag("apply");
  PLEXUS_ASSIGN(const Sequence sequence,
                ApplyIf(apply, result.truncated, workspace, request, stored.batch));
  PLEXUS_ASSIGN(const std::vector<ScoredNode> top,
                TopScores(result.scores, result.nodes, request.Count("top")));
  std::vector<NodeId> nodes;
  for (const ScoredNode& scored : top) nodes.push_back(scored.node);
  PLEXUS_ASSIGN(std::vector<memory::EdgeQuality> quality,
                memory::QualityOf(snapshot, nodes, workspace.now_ms(), workspace.scope()));
  std::string closing =
      Truncated(result.truncated, "the scores are not exact") + CyclesLine(result.cycles.size());
  if (apply) closing += Grouped(stored.stale) + " written as column salience\n";
  Reply reply([snapshot, sequence, apply, stale = stored.stale, nodes = std::move(nodes),
               quality = std::move(quality), result = std::move(result)](ReplyWriter& json) {
    json.Field("sequence", sequence);
    json.Field("applied", apply);
    json.Field("stale", apply ? 0 : stale);
    json.Field("truncated", result.truncated);
    json.Field("total", result.nodes.count());
    std::size_t at = 0;
    json.Objects("nodes", nodes, [&](NodeId node) {
      const memory::EdgeQuality& tied = quality[at++];
      json.Node("key", snapshot, node);
      json.Field("score", result.scores[node]);
      json.Field("scaled", result.scaled[node]);
      json.Field("percentile", result.percentiles[node]);
      json.Field("arriving", result.in_arcs[node]);
      json.Field("edges", tied.edges);
      json.Field("edge_kinds", tied.kinds);
      json.Field("diversity", tied.diversity);
    });
    WriteCycles(json, snapshot, result.cycles);
  });
  reply.closing = std::move(closing);
  return reply;
}

// By which kind a root holds a decision that waits for it directly; else how it holds others.
std::string_view HeldBy(const Snapshot& snapshot, const std::vector<memory::ChainStep>& direct,
                        NodeId root, const std::unordered_map<NodeId, EdgeKindId>& kinds) {
  for (const memory::ChainStep& step : direct)
    if (step.next == root) return snapshot.schema().edge_kind(step.kind).name;
  const auto at = kinds.find(root);
  return at == kinds.end() ? std::string_view() : snapshot.schema().edge_kind(at->second).name;
}

struct ShownBlocked {
  memory::BlockedDecision decision;
  std::vector<memory::ChainStep> direct, chain;
};

void WriteBlocked(ReplyWriter& json, const Snapshot& snapshot,
                  const memory::BlockedChainsResult& result,
                  const std::unordered_map<NodeId, EdgeKindId>& kinds, const ShownBlocked& shown) {
  const auto kind_of = [&](const memory::ChainStep& step) {
    return std::string_view(snapshot.schema().edge_kind(step.kind).name);
  };
  json.Node("key", snapshot, shown.decision.node);
  if (shown.decision.root != kNoNode) {
    json.Node("root", snapshot, shown.decision.root);
    json.Field("hops", shown.decision.hops);
  }
  json.Field("in_cycle", shown.decision.in_cycle);
  json.Field("more_roots", shown.decision.more_roots);
  json.Objects("roots", result.RootsOf(shown.decision), [&](NodeId root) {
    json.Node("key", snapshot, root);
    json.Field("by", HeldBy(snapshot, shown.direct, root, kinds));
  });
  json.Objects("waits_for", shown.direct, [&](const memory::ChainStep& step) {
    json.Node("key", snapshot, step.next);
    json.Field("by", kind_of(step));
  });
  json.Objects("chain", shown.chain, [&](const memory::ChainStep& step) {
    const bool forward = step.kind == builtin::kDependsOn;
    json.Node("source", snapshot, forward ? step.node : step.next);
    json.Field("kind", kind_of(step));
    json.Node("target", snapshot, forward ? step.next : step.node);
  });
}

// What is said of these decisions: how they are held up, and their roots.
void KeepOnly(const std::vector<NodeId>& keys, memory::BlockedChainsResult& result) {
  std::erase_if(result.blocked, [&](const memory::BlockedDecision& decision) {
    return std::ranges::find(keys, decision.node) == keys.end();
  });
  const auto holds = [&](NodeId root) {
    return std::ranges::any_of(result.blocked, [&](const memory::BlockedDecision& decision) {
      return std::ranges::find(result.RootsOf(decision), root) != result.RootsOf(decision).end();
    });
  };
  std::erase_if(result.roots, [&](const memory::BlockingRoot& root) { return !holds(root.node); });
  std::erase_if(result.cycles, [&](const auto& cycle) {
    return std::ranges::none_of(
        cycle, [&](NodeId node) { return std::ranges::find(keys, node) != keys.end(); });
  });
}

Result<Reply> RunBlocked(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  NodeSubset decisions;
  memory::BlockedChainsOptions options;
  PLEXUS_ASSIGN(options.decisions, ReadDecisionOptions(workspace, request, decisions));
  options.max_roots = static_cast<std::uint32_t>(request.Count("max_roots"));
  PLEXUS_ASSIGN(const std::vector<NodeId> keys, FindAliveNodes(snapshot, request.List("keys")));
  PLEXUS_TRY(CheckDecisions(snapshot, decisions, keys));
  PLEXUS_ASSIGN(memory::BlockedChainsResult result, memory::BlockedChains(snapshot, options));
  if (!keys.empty()) KeepOnly(keys, result);
  const std::uint64_t top = request.Count("top");
  std::vector<ShownBlocked> list;
  const auto asked = First(result.blocked, top);
  for (const memory::BlockedDecision& decision : asked) {
    if (list.size() % 64 == 0 && options.decisions.run.budget.Interrupted()) break;
    ShownBlocked shown{decision, {}, {}};
    PLEXUS_ASSIGN(shown.direct, memory::BlockersOf(snapshot, decision.node, options.decisions));
    PLEXUS_ASSIGN(shown.chain, memory::ChainOf(snapshot, result, decision.node, workspace.now_ms(),
                                               request.Count("max_steps")));
    list.push_back(std::move(shown));
  }
  std::unordered_map<NodeId, EdgeKindId> kinds;
  for (const memory::BlockingRoot& root : result.roots) kinds[root.node] = root.kind;
  const bool truncated = list.size() < asked.size();
  std::string closing = truncated ? "" : More(result.blocked.size(), top);
  closing += Truncated(
      truncated, "these are " + Grouped(list.size()) + " of " + Grouped(result.blocked.size()));
  closing += CyclesLine(result.cycles.size());
  Reply reply([snapshot, top, truncated, list = std::move(list), kinds = std::move(kinds),
               result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", truncated);
    json.Field("total", result.blocked.size());
    json.Objects("blocked", list, [&](const ShownBlocked& shown) {
      WriteBlocked(json, snapshot, result, kinds, shown);
    });
    json.Objects("roots", First(result.roots, top), [&](const memory::BlockingRoot& root) {
      json.Node("key", snapshot, root.node);
      json.Field("holds", root.blocked_count);
      json.Field("by", snapshot.schema().edge_kind(root.kind).name);
    });
    WriteCycles(json, snapshot, result.cycles);
  });
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunContradictions(Workspace& workspace, const Request& request) {
  NodeSubset decisions;
  PLEXUS_ASSIGN(const memory::DecisionOptions options,
                ReadDecisionOptions(workspace, request, decisions));
  PLEXUS_ASSIGN(memory::OpenConflictsResult result,
                memory::DecisionContradictions(workspace.snapshot(), options));
  return ConflictsReply(workspace, request, std::move(result));
}

Result<Reply> RunCompaction(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  NodeSubset decisions;
  memory::CompactionOptions options;
  PLEXUS_ASSIGN(options.salience.decisions, ReadDecisionOptions(workspace, request, decisions));
  options.keep_percentile = request.Number("keep");
  constexpr double kDayMs = 86'400'000;
  options.digest_age_ms = static_cast<std::int64_t>(request.Number("digest_days") * kDayMs);
  options.summary_age_ms = static_cast<std::int64_t>(request.Number("summary_days") * kDayMs);
  PLEXUS_ASSIGN(memory::CompactionResult result, memory::CompactionTiers(snapshot, options));
  const bool apply = request.Flag("apply");
  PLEXUS_ASSIGN(const Sequence sequence,
                ApplyIf(apply, result.truncated, workspace, request, result.batch));
  const std::uint64_t top = request.Count("top");
  std::string closing = Truncated(result.truncated, "salience is not exact");
  closing += More(result.entries.size(), top);
  Reply reply([snapshot, sequence, apply, top, entries = std::move(result.entries),
               truncated = result.truncated](ReplyWriter& json) {
    json.Field("sequence", sequence);
    json.Field("applied", apply);
    json.Field("truncated", truncated);
    json.Field("total", entries.size());
    json.Objects("nodes", First(entries, top), [&](const memory::CompactionEntry& entry) {
      json.Node("key", snapshot, entry.node);
      json.Field("tier", memory::TierName(entry.tier));
      if (entry.into != kNoNode) json.Node("into", snapshot, entry.into);
      json.Field("percentile", entry.percentile);
      if (entry.age_ms) json.Field("age_days", static_cast<double>(*entry.age_ms) / 86'400'000.0);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

void AddRanked(Rows& rows) {
  rows.push_back(
      {.name = "decisions_salience",
       .group = "Ask",
       .title = "Salience of decisions",
       .summary = "Rank decisions by how much depends on them, and list cycles",
       .effect = Effect::kWrite,
       .parameters =
           Parameters{Number("damping", "D", "of PageRank").Default(0.85).Between(0, 0.999),
                      Flag("apply",
                           "write the percentiles as the column salience, which recall and plans "
                           "weigh; 'stale' counts those that are stored otherwise"),
                      Top(20)},
       .reply = "sequence:n, applied:b, stale:n, truncated:b, total:n, nodes:[{key:k, score:x, "
                "scaled:x, percentile:x, arriving:n, "
                "edges:n, edge_kinds:n, diversity:x}], cycles:[[k]]",
       .tables = "nodes: score.4, scaled.3 = of most, percentile percent, arriving, "
                 "edges, diversity.2, key",
       .examples = {{"plexus decisions salience --db g", "the decisions that others depend on"},
                    {"plexus decisions salience --db g --top 0 --json", "all decisions"}},
       .run = RunSalience,
       .access = WritesWhenApplied});
  rows.push_back(
      {.name = "decisions_blocked",
       .group = "Ask",
       .title = "Blocked decisions",
       .summary = "Find decisions that wait for others, the roots that they wait for, and cycles",
       .parameters =
           Parameters{
               Optional(
                   Repeated("keys", "KEY", "these (default: all)").Named(Means::kKey).Positional()),
               Count("max_roots", "N", "at most N roots of a decision, by smallest id")
                   .Default(std::uint64_t{16})
                   .Between(1, 1024),
               Count("max_steps", "N", "of the chain to the nearest root")
                   .Default(std::uint64_t{20}),
               Top(100)},
       .reply =
           "truncated:b, total:n, blocked:[{key:k, root?:k, hops?:n, in_cycle:b, more_roots:b, "
           "roots:[{key:k, by:s}], waits_for:[{key:k, by:s}], "
           "chain:[{source:k, kind:s, target:k}]}], roots:[{key:k, holds:n, by:s}], "
           "cycles:[[k]]",
       .tables = "blocked: key, hops, root, in_cycle = cycle; roots: key, holds = holds up, by",
       .examples = {{"plexus decisions blocked --db g", "which decisions wait for which"},
                    {"plexus decisions blocked --db g d4", "whether d4 waits, and for what"},
                    {"plexus decisions blocked --db g --max-steps 1000 --json",
                     "with the chains to the roots"}},
       .run = RunBlocked});
}

}  // namespace

void AddDecisions(Rows& rows) {
  AddDecisionsState(rows);
  AddRanked(rows);
  rows.push_back({.name = "decisions_contradictions",
                  .group = "Ask",
                  .title = "Contradictions among decisions",
                  .summary = "List pairs of active decisions that contradict each other",
                  .parameters = Parameters{TopForPeople()},
                  .reply = kConflictsShape,
                  .tables = kConflictsTable,
                  .examples = {{"plexus decisions contradictions --db g", "what cannot both hold"},
                               {"plexus decisions contradictions --db g --as-of 100 --json",
                                "what could not both hold at sequence 100"}},
                  .run = RunContradictions});
  rows.push_back(
      {.name = "decisions_compaction",
       .group = "Ask",
       .title = "Compaction tiers of decisions",
       .summary = "Propose how far each decision may be compacted, by salience and age",
       .effect = Effect::kWrite,
       .parameters =
           Parameters{Number("keep", "P", "keep decisions from this percentile of salience on")
                          .Default(0.8)
                          .Between(0, 1),
                      Number("digest_days", "D", "age at which a decision becomes a digest")
                          .Default(14.0)
                          .Between(0, 1e6),
                      Number("summary_days", "D", "age at which a decision becomes a summary")
                          .Default(30.0)
                          .Between(0, 1e6),
                      Flag("apply", "write the tiers into the column compaction_tier"),
                      TopForPeople()},
       .reply = "sequence:n, applied:b, truncated:b, total:n, "
                "nodes:[{key:k, tier:s, into?:k, percentile:x, age_days?:x}]",
       .tables = "nodes: tier, into, percentile percent, age_days.4 = days, key",
       .examples = {{"plexus decisions compaction --db g",
                     "which decisions may be folded or shortened"},
                    {"plexus decisions compaction --db g --apply --json",
                     "write the tiers into the graph"}},
       .run = RunCompaction,
       .access = WritesWhenApplied});
  AddDecisionsCheck(rows);
  AddDecisionsFold(rows);
  AddDecisionsQueue(rows);
}

}  // namespace plexus::tools
