// traverse: what lies within a few hops of seeds, best product of weights first,
// with the path as proof.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/memory/visibility.h"
#include "algorithms/traversal/traverse.h"
#include "engine/vocabulary.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/session.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"

namespace plexus::tools {
namespace {

struct TraverseArguments : BudgetOption {
  std::vector<std::string> from, kinds;
  std::optional<std::uint64_t> hops, top;
  std::optional<std::string> resume;
  std::optional<double> decay;
  std::string direction = "out", aggregate = "max";
  bool paths = false, include_superseded = false;
};

Aggregate AggregateNamed(const std::string& name) {  // names are checked by the parser
  return name == "sum"        ? Aggregate::kSum
         : name == "min"      ? Aggregate::kMin
         : name == "noisy-or" ? Aggregate::kNoisyOr
                              : Aggregate::kMax;
}

Result<TraverseOptions> Options(Session& session, const TraverseArguments& given) {
  TraverseOptions options;
  const std::uint64_t hops = given.hops.value_or(3);
  if (hops > kMaxHops)
    return Fail(ErrorCode::kInvalidArgument, "--hops is 0 to " + std::to_string(kMaxHops));
  options.hops = static_cast<int>(hops);
  PLEXUS_ASSIGN(options.direction, ParseDirection(given.direction));
  options.aggregate = AggregateNamed(given.aggregate);
  if (given.decay) options.decay = *given.decay;
  options.top = given.top.value_or(100);
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_ASSIGN(options.filter.kinds, FindEdgeKinds(session.schema(), given.kinds));
  options.filter.valid_at = session.now_ms();
  options.run.executor = &session.executor();
  return options;
}

// Events, outcomes, tags ... are neither superseded nor expired: when kinds that lead to
// them are named they are met, as in a traversal without visibility.
// With a scope given, none whose own scope is another one.
void AddIndexNodes(const Snapshot& snapshot, std::span<const EdgeKindId> kinds,
                   const std::vector<std::string>& scopes, NodeSubset& subset) {
  const auto& traits = snapshot.schema().edge_kinds();
  if (std::ranges::none_of(kinds,
                           [&](EdgeKindId kind) { return traits[kind].plane == Plane::kIndex; }))
    return;
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < snapshot.node_count(); ++node)
    if (snapshot.alive(node) && !snapshot.is_fact(node) &&
        (scopes.empty() || !snapshot.string_column(kScope, node) ||
         std::ranges::find(scopes, snapshot.scope(node)) != scopes.end()))
      nodes.push_back(node);
  subset = NodeSubset::Of(snapshot, nodes)->Unite(subset);
}

// A token of ours is "NOW.TOKEN": what is visible depends on the time that was asked for.
Result<std::string> SplitResume(const std::string& text, Globals& globals) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || !ParseCount(text.substr(0, dot)))
    return Fail(ErrorCode::kInvalidArgument,
                "--resume: '" + text.substr(0, 100) + "' is not what an earlier traverse printed");
  if (globals.now.empty()) globals.now = text.substr(0, dot);
  return text.substr(dot + 1);
}

Result<int> RunTraverse(Globals globals, const TraverseArguments& given) {
  std::string resume;
  if (given.resume) {
    PLEXUS_ASSIGN(resume, SplitResume(*given.resume, globals));
  }
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(TraverseOptions options, Options(*session, given));
  PLEXUS_ASSIGN(const std::vector<NodeWeight> seeds, FindSeeds<NodeWeight>(snapshot, given.from));
  // Superseded, expired and not yet valid memories are left out unless asked for.
  VisibleOptions visible;
  visible.include_superseded = given.include_superseded;
  visible.executor = &session->executor();
  PLEXUS_ASSIGN(const auto shown, VisibleNodes(snapshot, session->now_ms(), visible));
  NodeSubset subset = *shown;
  if (session->scope()) subset = subset.Intersect(*session->scope());
  AddIndexNodes(snapshot, options.filter.kinds, globals.scopes, subset);
  options.filter.subset = &subset;
  options.resume = resume;

  PLEXUS_ASSIGN(TraverseResult result, Traverse(snapshot, seeds, options));
  std::vector<NodeId> starts;
  for (const NodeWeight& seed : seeds) starts.push_back(seed.node);
  NoteIndexNodes(globals, snapshot, starts, options.filter.kinds);
  if (result.truncated) result.resume = std::to_string(session->now_ms()) + "." + result.resume;
  if (globals.json)
    WriteHits(snapshot, result);
  else
    PrintHits(globals, snapshot, result, given.paths);
  return kDone;
}

}  // namespace

void AddTraverse(Cli& cli) {
  static TraverseArguments given;
  Command& command =
      cli.Add("Ask", "traverse", "Find what lies within a few hops, best product of weights first",
              [](const Globals& globals) { return RunTraverse(globals, given); });
  command
      .Repeated("--from", "KEY[=W]", given.from,
                "start here, with weight W (default 1); repeatable")
      .Required()
      .Option("--hops", "H", given.hops, "at most H edges away, 0 to 16 (default 3)")
      .List("--kinds", "A,B", given.kinds, "only these edge kinds (default: all facts)")
      .Choice("--direction", given.direction, {"out", "in", "both"},
              "which way to walk (default out)")
      .Choice("--aggregate", given.aggregate, {"max", "sum", "min", "noisy-or"},
              "how several ways to a node become one score (default max)")
      .Option("--decay", "D", given.decay, "factor for every hop, in (0, 1] (default 1)")
      .Option("--top", "K", given.top, "the K best; 0 = all (default 100)")
      .Flag("--paths", given.paths, "show the path behind each score (--json always has it)");
  AddMaxSeconds(AddMaxEdges(AddMaxNodes(command, given), given), given)
      .Option("--resume", "TOKEN", given.resume,
              "go on where a truncated reply of the same question stopped")
      .Flag("--include-superseded", given.include_superseded, "do not hide what was superseded")
      .Example("plexus traverse --db g --from alice --hops 3 --paths",
               "alice's surroundings and why")
      .Example(
          "plexus traverse --db g --from m1=2 --from m2 --hops 2 --kinds supports,causes "
          "--direction both --decay 0.5 --json",
          "evidence around two memories, both ways, halved at every hop");
}

}  // namespace plexus::tools
