// How much a command may spend: --max-seconds, and --max-nodes and --max-edges where nodes
// or edges are what the kernel counts. The same words for all commands that have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "algorithms/common/budget.h"
#include "engine/error.h"
#include "tools/cli/arguments.h"
#include "tools/cli/cli.h"
#include "tools/cli/output.h"

namespace plexus::tools {

// Arguments of a command may derive from it.
struct BudgetOption {
  std::optional<double> max_seconds;
  std::optional<std::uint64_t> max_nodes, max_edges;
};

// The seconds count from now. kInvalidArgument: they are negative.
inline Result<Budget> MakeBudget(const BudgetOption& given) {
  Budget budget;
  PLEXUS_ASSIGN(budget.deadline, DeadlineAfter(given.max_seconds));
  budget.nodes = given.max_nodes.value_or(Budget::kUnlimited);
  budget.edges = given.max_edges.value_or(Budget::kUnlimited);
  return budget;
}

inline Command& AddMaxSeconds(Command& command, BudgetOption& given) {
  return command.Option("--max-seconds", "S", given.max_seconds,
                        "stop after S seconds and say truncated (default: no limit)");
}
inline Command& AddMaxNodes(Command& command, BudgetOption& given) {
  return command.Option("--max-nodes", "N", given.max_nodes,
                        "stop after N nodes and say truncated (default: no limit)");
}
inline Command& AddMaxEdges(Command& command, BudgetOption& given) {
  return command.Option("--max-edges", "N", given.max_edges,
                        "stop after N edges and say truncated (default: no limit)");
}

// The line of a table that was cut short: what it shows then, and that it is a part.
inline void PrintTruncated(bool truncated, std::string_view what) {
  if (truncated) Out() << "truncated: the budget ran out; " << what << '\n';
}

}  // namespace plexus::tools
