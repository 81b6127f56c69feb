// The same words for all operations that have a parameter.
#include "tools/operations/kernel_options.h"

#include "algorithms/memory/visibility/visibility.h"
#include "engine/vocabulary.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {

Parameter KindsParameter(std::string help) {
  return List("kinds", "A,B", std::move(help)).Named(Means::kEdgeKind);
}
Parameter ValidAtParameter() {
  return Text("valid_at", "TIME", "only edges valid then, or now (default: all)")
      .Named(Means::kTime);
}
Parameters EdgeParameters() { return {KindsParameter(), ValidAtParameter()}; }
Parameter MaxNodes(std::string help) {
  return Count("max_nodes", "N", std::move(help) + " (default: no limit)");
}
Parameter MaxEdges(std::string help) {
  return Count("max_edges", "N", std::move(help) + " (default: no limit)");
}
Parameter ResumeParameter() {
  return Text("resume", "TOKEN", "continue a truncated reply of the same question").MayBeEmpty();
}
Parameter Top(std::uint64_t count, std::string help) {
  return Count("top", "K", std::move(help)).Default(count);
}
Parameter TopForPeople(std::string help) {
  return Count("top", "K", std::move(help)).Default(std::uint64_t{0}).ForPeople(100);
}
Parameter DirectionParameter(std::vector<std::string> choices, std::string help) {
  return Choice("direction", std::move(choices), std::move(help));
}
Parameter TauParameter() {
  return Text("tau", "DURATION", "arousal falls to 1/e in that time, such as 12h").Default("1d");
}

Parameter IncludeSuperseded() {
  return Flag("include_superseded", "do not hide what was superseded");
}
Parameters ShownParameters() {
  return {List("show_kinds", "A,B",
               "list only nodes of these kinds; the others still take part (--node-kinds selects "
               "those that do)")
              .Named(Means::kNodeKind),
          Text("show_where", "EXPRESSION",
               "list only nodes of which this is true; the others still take part (--where selects "
               "those that do)")};
}
Parameters RankedParameters(const char* rows) {
  return EdgeParameters() + ShownParameters() +
         Parameters{Top(20, std::string("list the K first; 0 = all") + rows)};
}

Parameter PrefilterParameter(std::string help) {
  std::vector<std::string> names;
  for (const Prefilter prefilter : kPrefilters) names.emplace_back(PrefilterName(prefilter));
  return MaybeChoice("prefilter", std::move(names), std::move(help));
}

std::optional<Prefilter> ReadPrefilter(const Request& request) {
  return request.Given("prefilter") ? FindPrefilter(request.Text("prefilter")) : std::nullopt;
}

Parameter ElementParameter(std::string help) {
  std::vector<std::string> names;
  for (const VectorElement element : kVectorElements)
    names.emplace_back(VectorElementName(element));
  return MaybeChoice("element", std::move(names), std::move(help));
}

std::optional<VectorElement> ReadElement(const Request& request) {
  return request.Given("element") ? FindVectorElement(request.Text("element")) : std::nullopt;
}

Parameter QuestionPrefilter() {
  return PrefilterParameter(
      "a small copy of the vectors that is read first; the answers are the same (default: the "
      "space's own)");
}

Result<SpaceId> FindSpace(const Schema& schema, const Request& request) {
  const auto name = request.MaybeText("space");
  std::vector<std::string> names;
  for (const VectorSpace& space : schema.spaces()) names.push_back(space.name);
  if (names.empty()) return NotFound("this graph has no vectors; import some");
  if (const auto id = schema.FindSpace(name.value_or("default"))) return *id;
  if (!name && names.size() == 1) return SpaceId{0};
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
  if (!name) return Invalid("which space? ", request.Name("space"), " is one of ", list);
  return NotFound("no vector space ", Quoted(*name), "; there are ", list,
                  DidYouMean(*name, names));
}

Result<Direction> AskedDirection(const Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(const Direction asked, ParseDirection(request.Text("direction")));
  return AsStored(workspace.schema(), request.List("kinds"), asked);
}

Result<Budget> MakeBudget(const Request& request) {
  Budget budget;
  budget.cancel = request.cancel();
  // One clock for all parts of a request, the selection by --where among them.
  PLEXUS_ASSIGN(budget.deadline,
                DeadlineAfter(request.begun(), request.MaybeNumber("max_seconds")));
  if (request.Has("max_nodes"))
    budget.nodes = request.MaybeCount("max_nodes").value_or(Budget::kUnlimited);
  if (request.Has("max_edges"))
    budget.edges = request.MaybeCount("max_edges").value_or(Budget::kUnlimited);
  return budget;
}

Result<NodeSubset> VisibleInScope(const Workspace& workspace, const Request& request,
                                  std::int64_t at) {
  memory::VisibleOptions visible;
  visible.include_superseded = request.Flag("include_superseded");
  visible.run.executor = &workspace.executor();
  PLEXUS_ASSIGN(visible.run.budget, MakeBudget(request));
  PLEXUS_ASSIGN(memory::Visible shown,
                memory::VisibleIn(workspace.snapshot(), at == kNoTime ? workspace.now_ms() : at,
                                  workspace.scope(), visible));
  return std::move(shown.nodes);
}

Result<NodeSubset> MemoriesInScope(const Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(NodeSubset shown, VisibleInScope(workspace, request));
  if (request.Has("node_kinds") && request.Given("node_kinds")) return shown;
  constexpr NodeKindId kNoMemories[] = {builtin::kTurn, builtin::kEpisode};
  return shown.Except(
      NodeSubset::OfKinds(workspace.snapshot(), kNoMemories, workspace.keeps_orders()));
}

Result<Ranked> BestOf(const Workspace& workspace, const std::vector<double>& scores,
                      const NodeSubset& among, std::uint64_t top) {
  const NodeSubset listed = workspace.shown() ? among.Intersect(*workspace.shown()) : among;
  PLEXUS_ASSIGN(std::vector<ScoredNode> nodes, TopScores(scores, listed, top));
  return Ranked{std::move(nodes), listed.count()};
}

Result<Ranked> Best(const Workspace& workspace, const std::vector<double>& scores,
                    std::uint64_t top) {
  return Best(workspace, scores, top, [&](NodeId v) { return scores[v] > 0; });
}

}  // namespace plexus::tools
