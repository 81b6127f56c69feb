// traverse, match: what walks from seeds lead to, with the path as proof.
#include "algorithms/traversal/traversal.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

traversal::Aggregate AggregateNamed(const std::string& name) {
  return name == "sum"        ? traversal::Aggregate::kSum
         : name == "min"      ? traversal::Aggregate::kMin
         : name == "noisy-or" ? traversal::Aggregate::kNoisyOr
                              : traversal::Aggregate::kMax;
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
        (scopes.empty() || !snapshot.string_column(builtin::kScope, node) ||
         std::ranges::find(scopes, snapshot.scope(node)) != scopes.end()))
      nodes.push_back(node);
  subset = NodeSubset::Of(snapshot, nodes)->Unite(subset);
}

// A token of ours is "NOW.TOKEN": what is visible depends on the time that was asked for.
Result<std::string> TakeResume(Workspace& workspace, const Request& request) {
  const auto text = request.MaybeText("resume");
  if (!text) return std::string();
  const std::size_t dot = text->find('.');
  const auto now = dot == std::string::npos ? std::nullopt : ParseCount(text->substr(0, dot));
  if (!now)
    return Invalid(request.Name("resume"), ": ", Quoted(*text),
                   " is not what an earlier traverse printed");
  if (!request.Given("now")) workspace.SetNow(static_cast<std::int64_t>(*now));
  return text->substr(dot + 1);
}

Result<Reply> HitsReply(const Workspace& workspace, const Request& request,
                        traversal::TraverseResult result) {
  std::string closing;
  if (result.hits.empty()) closing = "nothing within reach\n";
  if (result.paths_left_out != 0)
    closing += "the walks to " + std::to_string(result.paths_left_out) +
               " of these were left out: too many steps in all; ask for fewer with " +
               request.Name("top") + "\n";
  closing += Truncated(result.truncated, "go on with " + request.Name("resume", result.resume));
  EdgeProperties properties;
  for (const traversal::TraverseHit& hit : result.hits)
    PLEXUS_TRY(properties.Read(workspace.snapshot(), hit.path));
  Reply reply([snapshot = workspace.snapshot(), result = std::move(result),
               properties = std::move(properties)](ReplyWriter& json) {
    WriteHits(json, snapshot, result, properties);
  });
  reply.closing = std::move(closing);
  return reply;
}

std::vector<NodeId> NodesOf(std::span<const NodeWeight> seeds) {
  std::vector<NodeId> nodes;
  for (const NodeWeight& seed : seeds) nodes.push_back(seed.node);
  return nodes;
}

Result<Reply> RunTraverse(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(const std::string resume, TakeResume(workspace, request));
  const Snapshot& snapshot = workspace.snapshot();
  traversal::TraverseOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.hops = static_cast<int>(request.Count("hops"));
  PLEXUS_ASSIGN(options.direction, AskedDirection(workspace, request));
  options.aggregate = AggregateNamed(request.Text("aggregate"));
  options.decay = request.Number("decay");
  options.top = request.Count("top");
  options.resume = resume;
  options.filter.valid_at = workspace.now_ms();
  PLEXUS_ASSIGN(const std::vector<NodeWeight> seeds, FindSeeds(snapshot, request.List("from")));
  // Superseded, expired and not yet valid memories are left out unless asked for.
  PLEXUS_ASSIGN(NodeSubset subset, VisibleInScope(workspace, request));
  AddIndexNodes(snapshot, options.filter.kinds, request.List("scope"), subset);
  options.filter.subset = &subset;
  PLEXUS_ASSIGN(traversal::TraverseResult result, traversal::Traverse(snapshot, seeds, options));
  NoteIndexNodes(workspace.notes(), snapshot, NodesOf(seeds), options.filter.kinds);
  if (result.truncated) result.resume = std::to_string(workspace.now_ms()) + "." + result.resume;
  return HitsReply(workspace, request, std::move(result));
}

Result<Reply> RunMatch(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const traversal::PathPattern pattern,
                traversal::PathPattern::Parse(request.Text("pattern"), snapshot.schema()));
  traversal::PatternOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  if (request.Flag("best")) options.order = traversal::PatternOrder::kBestProduct;
  if (const auto hops = request.MaybeCount("hops"))
    options.hops = static_cast<std::uint32_t>(*hops);
  options.top = request.Count("top");
  options.resume = request.Text("resume");
  PLEXUS_ASSIGN(const std::vector<NodeWeight> starts, FindSeeds(snapshot, request.List("from")));
  PLEXUS_ASSIGN(traversal::TraverseResult result,
                traversal::MatchPattern(snapshot, pattern, starts, options));
  std::vector<EdgeKindId> kinds;
  for (const traversal::PathPattern::Step& step : pattern.steps())
    if (step.kind != kNoEdgeKind) kinds.push_back(step.kind);
  NoteIndexNodes(workspace.notes(), snapshot, NodesOf(starts), kinds);
  return HitsReply(workspace, request, std::move(result));
}

const char* const kHits =
    "truncated:b, resume?:s, paths_left_out?:n, "
    "nodes:[{key:k, score:x, hops:n, from?:k, path:[E]}]";

const char* const kHitsTable = "nodes: score.4, hops, key, path path ?paths";

}  // namespace

void AddTraverse(Rows& rows) {
  rows.push_back(
      {.name = "traverse",
       .group = "Ask",
       .title = "Best products over a few hops",
       .summary = "Find nodes within a few hops, the best product of weights first",
       .parameters =
           Parameters{
               Repeated("from", "KEY[=W]", "start here, with weight W (default 1); repeatable")
                   .Named(Means::kWeightedKey)
                   .OrPositional(),
               Count("hops", "H", "at most H edges away, 0 to 16")
                   .Between(0, traversal::kMaxHops)
                   .Default(std::uint64_t{3}),
               KindsParameter(), DirectionParameter({"out", "in", "both"}, "which way to walk"),
               Choice("aggregate", {"max", "sum", "min", "noisy-or"},
                      "how several walks to a node become one score"),
               Number("decay", "D", "factor for every hop, in (0, 1]").Default(1.0),
               Top(100, "the K best; 0 = all"),
               Flag("paths", "show the path behind each score in tables; a reply always has it"),
               MaxNodes(), MaxEdges(), ResumeParameter(), IncludeSuperseded()},
       .reply = kHits,
       .tables = kHitsTable,
       .examples = {{"plexus traverse --db g --from alice --hops 3 --paths",
                     "what is near alice, with the paths"},
                    {"plexus traverse --db g --from m1=2 --from m2 --hops 2 --kinds "
                     "supports,causes --direction both --decay 0.5 --json",
                     "evidence around two memories, both ways, halved at every hop"}},
       .run = RunTraverse});
  rows.push_back(
      {.name = "match",
       .group = "Ask",
       .title = "Walks that match a pattern",
       .summary = "Find the nodes that are reached by walks whose edge kinds match a pattern",
       .parameters =
           Parameters{
               Text("pattern", "PATTERN",
                    "kinds in a row, with | * + ? {m,n} ( ), . for any kind, ^ for against the "
                    "edge")
                   .Positional(),
               Repeated("from", "KEY[=W]", "start here, with weight W (default 1); repeatable")
                   .Named(Means::kWeightedKey)
                   .OrPositional(),
               Flag("best", "best product of weights first, not fewest edges"),
               Count("hops", "H",
                     "at most H edges away (default: no limit; with best 16, at most 64)")
                   .Between(0, traversal::PatternOptions::kNoLimit - 1.0),
               ValidAtParameter(), Top(100, "the first K; 0 = all"), MaxNodes(), MaxEdges(),
               ResumeParameter(),
               Flag("paths", "show a walk to each node in tables; a reply always has it")},
       .reply = kHits,
       .tables = kHitsTable,
       .examples = {{"plexus match --db g 'depends_on+ contradicts' --from m1 --paths",
                     "what contradicts something that m1 depends on, directly or not"},
                    {"plexus match --db g '(supports|causes){1,3} ^refines' --from m1 --best "
                     "--json",
                     "refinements of what m1 supports or causes, the strongest first"}},
       .run = RunMatch});
}

}  // namespace plexus::tools
