// topo: nodes in an order that every edge follows, or the cycles that forbid it.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/connectivity/topological_order.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/edge_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"

namespace plexus::tools {
namespace {

struct TopoArguments : EdgeSelection, BudgetOption {
  std::optional<std::uint64_t> top;
  bool reverse = false;
};

void WriteOrder(const Snapshot& snapshot, const TopologicalOrderResult& result, std::size_t shown) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("truncated", result.truncated);
  if (!result.truncated || !result.cycles.empty()) json.Field("acyclic", result.cycles.empty());
  json.Field("count", result.order.size());
  json.BeginArray("nodes");
  for (std::size_t i = 0; i < shown; ++i) {
    json.BeginObject();
    json.Field("key", snapshot.key(result.order[i].node));
    json.Field("level", result.order[i].level);
    json.EndObject();
  }
  json.EndArray();
  json.BeginArray("cycles");
  for (const OrderCycle& cycle : result.cycles) {
    json.BeginObject();
    json.Field("size", cycle.size);
    json.BeginArray("nodes");
    for (NodeId node : cycle.nodes) json.Value(snapshot.key(node));
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

void PrintOrder(const Globals& globals, const Snapshot& snapshot,
                const TopologicalOrderResult& result, std::size_t shown) {
  Table table;
  table.Column("level", Table::Align::kRight);
  AddNodeColumns(table, globals, 60);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> row = {std::to_string(result.order[i].level)};
    AddNodeCells(row, globals, snapshot, result.order[i].node);
    table.Row(row);
  }
  table.Print(Out());
  if (result.order.empty() && !result.truncated) Out() << "no edges to order by\n";
  if (shown < result.order.size())
    Out() << "... " << Grouped(result.order.size() - shown) << " more\n";
  constexpr std::size_t kShownCycles = 20, kShownNodes = 12;
  for (std::size_t i = 0; i < std::min(kShownCycles, result.cycles.size()); ++i) {
    const OrderCycle& cycle = result.cycles[i];
    Out() << "cycle: ";
    for (std::size_t k = 0; k < std::min(kShownNodes, cycle.nodes.size()); ++k)
      Out() << Escaped(ShownKey(snapshot, cycle.nodes[k])) << " -> ";
    if (cycle.nodes.size() > kShownNodes) Out() << "... -> ";
    Out() << Escaped(ShownKey(snapshot, cycle.nodes[0]));
    if (cycle.size > cycle.nodes.size())
      Out() << "  (one of " << Grouped(cycle.size) << " nodes that reach each other)";
    Out() << '\n';
  }
  if (result.cycles.size() > kShownCycles)
    Out() << "... " << Grouped(result.cycles.size() - kShownCycles) << " more cycles\n";
  PrintTruncated(result.truncated,
                 "this is how the order begins; what follows, and its cycles, are not known");
}

Result<int> RunTopo(const Globals& globals, const TopoArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  TopologicalOrderOptions options;
  PLEXUS_TRY(Select(*session, given, options));
  options.reverse = given.reverse;
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_ASSIGN(const TopologicalOrderResult result, TopologicalOrder(snapshot, options));
  const std::uint64_t top = given.top.value_or(globals.json ? 0 : 100);
  const std::size_t shown =
      top == 0 ? result.order.size() : std::min<std::size_t>(top, result.order.size());
  if (globals.json)
    WriteOrder(snapshot, result, shown);
  else
    PrintOrder(globals, snapshot, result, shown);
  return result.cycles.empty() ? kDone : kFailed;
}

}  // namespace

void AddTopo(Cli& cli) {
  static TopoArguments given;
  Command& command = cli.Add(
      "Ask", "topo", "Order nodes so that every edge points forward; name the cycles (exit code 1)",
      [](const Globals& globals) { return RunTopo(globals, given); });
  command
      .List("--kinds", "A,B", given.kinds,
            "order by these edge kinds (default: those declared acyclic)")
      .Flag("--reverse", given.reverse,
            "what is pointed to first: dependencies before their dependents")
      .Option("--valid-at", "TIME", given.valid_at, "only edges valid then, or now (default: all)");
  AddMaxSeconds(command, given)
      .Option("--top", "K", given.top, "list the first K; 0 = all (default 100, with --json all)")
      .Example("plexus topo --db g --reverse", "in which order to do what depends_on each other")
      .Example("plexus topo --db g --kinds supersedes --json",
               "versions, newest first; cycles, if there are any");
}

}  // namespace plexus::tools
