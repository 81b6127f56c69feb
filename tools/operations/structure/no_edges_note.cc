// Which rows are looked at, and what is named besides what is selected.
#include "tools/operations/structure/no_edges_note.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

// Beside the rows that list nodes.
bool WalksEdges(const Operation& operation) {
  static constexpr std::string_view kRows[] = {"flow",         "forest", "match",
                                               "neighborhood", "path",   "traverse"};
  return std::ranges::find(kRows, operation.name) != std::end(kRows);
}

// Nodes that the request names by their keys.
std::vector<NodeId> NamedNodes(const Snapshot& snapshot, const Request& request) {
  std::vector<NodeId> named;
  const auto add = [&](const Parameter& parameter, const std::string& text) {
    std::optional<NodeId> node = MeantNode(snapshot, text);
    if (!node && parameter.means == Means::kWeightedKey)
      node = MeantNode(snapshot, text.substr(0, text.rfind('=')));
    if (node) named.push_back(*node);
  };
  for (const Parameter& parameter : request.operation().parameters) {
    if (parameter.means != Means::kKey && parameter.means != Means::kWeightedKey) continue;
    if (!request.Given(parameter.name)) continue;
    if (parameter.type == Type::kText) add(parameter, request.Text(parameter.name));
    if (parameter.type == Type::kList)
      for (const std::string& text : request.List(parameter.name)) add(parameter, text);
  }
  std::ranges::sort(named);
  return named;
}

}  // namespace

void NoteNoEdges(Workspace& workspace, const Request& request, const Budget& budget) {
  const NodeSubset* scope = workspace.scope();
  if (!request.Has("show_kinds") && !(WalksEdges(request.operation()) && scope)) return;
  const Snapshot& snapshot = workspace.snapshot();
  const Schema& schema = workspace.schema();
  if (scope && scope->count() == 0) return;
  const auto given = [&](const char* name) { return request.Has(name) && request.Given(name); };
  EdgeKinds asked;
  if (given("kinds")) {
    const Result<EdgeKinds> kinds = FindEdgeKinds(schema, request.List("kinds"));
    if (!kinds) return;  // the operation says so
    asked = *kinds;
  }
  ArcFilter filter = ArcFilter::Kinds(schema, asked);
  if (given("valid_at")) {
    const Result<std::int64_t> valid_at = workspace.ValidAt(request.Text("valid_at"));
    if (valid_at && *valid_at != kNoTime) filter = filter.ValidAt(*valid_at);
  }
  // Nodes that are named take part in any case.
  const std::vector<NodeId> named = NamedNodes(snapshot, request);
  const auto takes_part = [&](NodeId v) {
    return !scope || scope->contains(v) || std::ranges::binary_search(named, v);
  };
  bool met = false;
  TimeLimit limit(budget);
  for (NodeId v = 0; v < snapshot.node_count() && !met && !limit.Up(); ++v)
    if (takes_part(v))
      snapshot.ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
        met = takes_part(arc.neighbor);
        return !met;
      });
  if (met || limit.was_up()) return;
  std::string text = "no edge", cut, list;
  if (given("kinds")) text += " of these kinds";
  if (given("valid_at")) text += " that is valid then";
  for (const auto& [selects, shows] :
       {std::pair("scope", ""), std::pair("node_kinds", "show_kinds"),
        std::pair("where", "show_where")}) {
    if (!request.Given(selects)) continue;
    cut += (cut.empty() ? "" : ", ") + request.Name(selects);
    if (*shows && request.Has(shows)) list += (list.empty() ? "" : ", ") + request.Name(shows);
  }
  text += cut.empty() ? " is in the graph" : " joins two of the nodes that " + cut + " selects";
  if (!list.empty()) text += "; to ask the whole graph and list such nodes: " + list;
  workspace.notes().push_back({std::move(text)});
}

}  // namespace plexus::tools
