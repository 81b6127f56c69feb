// match: which nodes are joined to a start by walks whose edge kinds spell a pattern.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/traversal/pattern.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/session.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"

namespace plexus::tools {
namespace {

struct MatchArguments : BudgetOption {
  std::string pattern;
  std::vector<std::string> from;
  std::optional<std::uint64_t> hops, top;
  std::string valid_at;
  std::optional<std::string> resume;
  bool best = false, paths = false;
};

Result<int> RunMatch(const Globals& globals, const MatchArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const PathPattern pattern, PathPattern::Parse(given.pattern, snapshot.schema()));
  PatternOptions options;
  if (given.best) options.order = PatternOrder::kBestProduct;
  if (given.hops) {
    if (*given.hops >= PatternOptions::kNoLimit)
      return Fail(ErrorCode::kInvalidArgument, "--hops is too large");
    options.hops = static_cast<std::uint32_t>(*given.hops);
  }
  options.top = given.top.value_or(100);
  options.paths = given.paths || globals.json;
  PLEXUS_ASSIGN(options.valid_at, session->ValidAt(given.valid_at));
  options.subset = session->scope();
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  options.resume = given.resume.value_or("");
  PLEXUS_ASSIGN(const std::vector<NodeWeight> starts, FindSeeds<NodeWeight>(snapshot, given.from));
  PLEXUS_ASSIGN(const TraverseResult result, MatchPattern(snapshot, pattern, starts, options));
  std::vector<NodeId> nodes;
  for (const NodeWeight& start : starts) nodes.push_back(start.node);
  std::vector<EdgeKindId> kinds;
  for (const PathPattern::Step& step : pattern.steps())
    if (step.kind != kNoEdgeKind) kinds.push_back(step.kind);
  NoteIndexNodes(globals, snapshot, nodes, kinds);
  if (globals.json)
    WriteHits(snapshot, result);
  else
    PrintHits(globals, snapshot, result, given.paths);
  return kDone;
}

}  // namespace

void AddMatch(Cli& cli) {
  static MatchArguments given;
  Command& command =
      cli.Add("Ask", "match", "Find what walks lead to whose edge kinds spell a pattern",
              [](const Globals& globals) { return RunMatch(globals, given); });
  command
      .Positional("PATTERN", given.pattern,
                  "kinds in a row, with | * + ? {m,n} ( ), . for any kind, ^ for against the edge")
      .Repeated("--from", "KEY[=W]", given.from,
                "start here, with weight W (default 1); repeatable")
      .Required()
      .Flag("--best", given.best, "best product of weights first, not fewest edges")
      .Option("--hops", "H", given.hops,
              "at most H edges away (default: no limit; with --best 16, at most 64)")
      .Option("--valid-at", "TIME", given.valid_at, "only edges valid then, or now (default: all)")
      .Option("--top", "K", given.top, "the first K; 0 = all (default 100)");
  AddMaxSeconds(AddMaxEdges(AddMaxNodes(command, given), given), given)
      .Option("--resume", "TOKEN", given.resume,
              "go on where a truncated reply of the same question stopped")
      .Flag("--paths", given.paths, "show a walk to each node (--json always has it)")
      .Example("plexus match --db g 'depends_on+ contradicts' --from m1 --paths",
               "what contradicts something that m1 depends on, directly or not")
      .Example("plexus match --db g '(supports|causes){1,3} ^refines' --from m1 --best --json",
               "refinements of what m1 supports or causes, the strongest first");
}

}  // namespace plexus::tools
