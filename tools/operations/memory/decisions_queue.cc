// decisions queue: what to look at next.
#include "algorithms/memory/decisions/decisions.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/decision_scope.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

// A column of times. The default one need not be there.
Status CheckDueColumn(const Schema& schema, const Request& request, const std::string& name) {
  const auto column = name.empty() ? std::nullopt : schema.FindColumn(name);
  if (column && schema.columns()[*column].type == ColumnType::kI64) return {};
  std::string why = request.Name("due_column") + ": ";
  why += column ? "column '" + name + "' holds no whole numbers" : "no column '" + name + "'";
  std::string names;
  for (const Column& known : schema.columns())
    if (!known.name.empty() && known.type == ColumnType::kI64)
      names += (names.empty() ? "" : ", ") + known.name;
  return Invalid(why, "; columns of whole numbers: ", names);
}

// REQUIRES one of WorkNames.
memory::WorkKind WorkNamed(const std::string& name) {
  std::size_t kind = 0;
  while (memory::WorkName(static_cast<memory::WorkKind>(kind)) != name) ++kind;
  return static_cast<memory::WorkKind>(kind);
}

std::vector<std::string> WorkNames() {
  std::vector<std::string> names;
  for (std::size_t kind = 0; kind < memory::kWorkKinds; ++kind)
    names.emplace_back(memory::WorkName(static_cast<memory::WorkKind>(kind)));
  return names;
}

Parameter WorkParameter() {
  Parameter work = List("work", "A,B", "only of these kinds (default: all)");
  work.choices = WorkNames();
  return work;
}

Result<Reply> RunQueue(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  NodeSubset decisions;
  memory::WorkQueueOptions options;
  PLEXUS_ASSIGN(options.decisions, ReadDecisionOptions(workspace, request, decisions));
  options.top = request.Count("top");
  options.each = request.Count("each");
  for (const std::string& name : request.List("work"))
    options.kinds.push_back(WorkNamed(name));
  options.due_column = request.Text("due_column");
  if (request.Given("due_column"))
    PLEXUS_TRY(CheckDueColumn(snapshot.schema(), request, options.due_column));
  options.period_ms = static_cast<std::int64_t>(request.Number("period_days") * 86'400'000.0);
  options.frontier = request.Count("frontier");
  PLEXUS_ASSIGN(memory::WorkQueueResult result, memory::WorkQueue(snapshot, options));
  std::string closing =
      Truncated(result.truncated, "salience, conflicts or the frontier are not all there");
  if (result.items.size() < result.total)
    closing += "... " + Grouped(result.total - result.items.size()) + " more\n";
  Reply reply([snapshot, result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Field("total", result.total);
    json.Objects("items", result.items, [&](const memory::WorkItem& item) {
      json.Field("score", item.score);
      json.Field("work", memory::WorkName(item.kind));
      json.Node("key", snapshot, item.node);
      if (item.other != kNoNode) json.Node("other", snapshot, item.other);
      json.Field("reason", item.reason);
      json.Field("value", item.value);
      json.Field("weight", item.weight);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddDecisionsQueue(Rows& rows) {
  rows.push_back(
      {.name = "decisions_queue",
       .group = "Ask",
       .title = "Work queue of decisions",
       .summary = "List decisions to review next: conflicts, roots, overdue, stale, frontier, "
                  "clusters of low salience",
       .parameters =
           Parameters{
               Text("due_column", "NAME", "a column of times in ms when a decision is due")
                   .Default("review_at"),
               Number("period_days", "D",
                      "days until one without that value is due, and until a salient one is stale")
                   .Default(30.0)
                   .Between(0.001, 1e6),
               Count("frontier", "N",
                     "at most N pairs of decisions that were never composed and have no edge; 0: "
                     "none")
                   .Default(std::uint64_t{5})
                   .Between(0, 1000),
               WorkParameter(),
               Count("each", "N", "at most N of a kind, the best; 0 = no limit")
                   .Default(std::uint64_t{0}),
               Top(20)},
       .reply =
           "truncated:b, total:n, items:[{score:x, work:s, key:k, other?:k, reason:s, value:x, "
           "weight:x}]",
       .tables = "items: score.3, work, key, other = and, reason = why",
       .examples = {{"plexus decisions queue --db g", "the next twenty items"},
                    {"plexus decisions queue --db g --work blocked_root,overdue --each 5",
                     "five items of each of two kinds"},
                    {"plexus decisions queue --db g --period-days 7 --json",
                     "with a period of seven days"}},
       .run = RunQueue});
}

}  // namespace plexus::tools
