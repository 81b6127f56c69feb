// components: connected components.
#include "algorithms/connectivity/connectivity.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

struct Component {
  NodeId first;  // its smallest id
  NodeId shown;  // its smallest id that is shown
  std::uint64_t size;
  std::vector<NodeId> members;  // the first ones, ascending, where they are asked for
};

// Those with a node that is shown, largest first, ties by smaller id.
std::vector<Component> BySize(const Workspace& workspace,
                              const connectivity::ComponentsResult& result) {
  std::vector<std::uint64_t> sizes(result.labels.size());
  std::vector<NodeId> shown(result.labels.size(), kNoNode);
  for (NodeId v = 0; v < result.labels.size(); ++v) {
    const NodeId label = result.labels[v];
    if (label == kNoNode) continue;
    ++sizes[label];
    if (shown[label] == kNoNode && workspace.Shows(v)) shown[label] = v;
  }
  std::vector<Component> components;
  for (NodeId v = 0; v < sizes.size(); ++v)
    if (shown[v] != kNoNode) components.push_back({v, shown[v], sizes[v], {}});
  std::stable_sort(components.begin(), components.end(),
                   [](const Component& a, const Component& b) { return a.size > b.size; });
  return components;
}

// The first `most` members of each that is listed; 0 = all.
void ListMembers(const Workspace& workspace, const connectivity::ComponentsResult& result,
                 std::uint64_t most, std::vector<Component>& components) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> places(result.labels.size(), kNone);
  for (std::size_t i = 0; i < components.size(); ++i) places[components[i].first] = i;
  for (NodeId v = 0; v < result.labels.size(); ++v) {
    const std::size_t place = result.labels[v] == kNoNode ? kNone : places[result.labels[v]];
    if (place != kNone && workspace.Shows(v) &&
        (most == 0 || components[place].members.size() < most))
      components[place].members.push_back(v);
  }
}

Result<Reply> RunComponents(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  connectivity::ComponentsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  const bool strong = request.Flag("strong");
  if (strong)  // The components are the same backward.
    PLEXUS_TRY(IsBackward(workspace.schema(), request.List("kinds")));
  PLEXUS_ASSIGN(const connectivity::ComponentsResult result,
                strong ? connectivity::StrongComponents(snapshot, options)
                       : connectivity::Components(snapshot, options));
  std::vector<Component> components = BySize(workspace, result);
  const std::size_t total = components.size();
  const std::uint64_t top = request.Count("top");
  if (top > 0 && components.size() > top) components.resize(top);
  const auto members = request.MaybeCount("members");
  if (members) ListMembers(workspace, result, *members, components);
  Reply reply([snapshot, components = std::move(components), listed = members.has_value(),
               truncated = result.truncated, total, largest = result.largest](ReplyWriter& json) {
    json.Field("truncated", truncated);
    json.Field("total", total);
    json.Field("largest", largest);
    json.Objects("results", components, [&](const Component& component) {
      json.Node("key", snapshot, component.shown);
      json.Field("size", component.size);
      if (listed) json.Nodes("members", snapshot, component.members);
    });
  });
  reply.closing = Truncated(result.truncated, "no component is known");
  if (!result.truncated)
    reply.headline = Grouped(result.count) + (strong ? " strong" : "") +
                     " components, the largest has " + Grouped(result.largest) + " nodes\n";
  return reply;
}

}  // namespace

void AddComponents(Rows& rows) {
  rows.push_back(
      {.name = "components",
       .group = "Ask",
       .title = "Connected components",
       .summary = "List connected components",
       .parameters =
           Parameters{Flag("strong",
                           "along directions: nodes that reach each other (default: directions "
                           "ignored)")} +
           EdgeParameters() +
           Parameters{Top(20, "list the K largest; 0 = all"),
                      Count("members", "M",
                            "show the first M nodes of each; 0 = all (default: only the first)")} +
           ShownParameters(),
       .reply = "truncated:b, total:n, largest:n, results:[{key:k, size:n, members?:[k]}]",
       .tables = "results: size = nodes, key|members nodes",
       .examples = {{"plexus components --db g", "how many parts, and the largest"},
                    {"plexus components --db g --kinds supersedes --top 0 --members 0 --json",
                     "all chains of versions, with every member"},
                    {"plexus components --db g --strong --kinds depends_on",
                     "cycles of dependencies"}},
       .run = RunComponents});
}

}  // namespace plexus::tools
