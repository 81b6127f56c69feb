// components and bfs: what hangs together, and what can be reached.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/score_ranking.h"
#include "algorithms/connectivity/components.h"
#include "algorithms/traversal/bfs.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands/multi_bfs.h"
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

struct ComponentsArguments : EdgeSelection, BudgetOption {
  bool strong = false;
  std::optional<std::uint64_t> top, members;
};

struct Component {
  NodeId first;  // its smallest id
  std::uint64_t size;
  std::vector<NodeId> shown;  // what a table or reply lists of it: the first ones, ascending
};

// Largest first, ties by smaller id.
std::vector<Component> BySize(const ComponentsResult& result) {
  std::vector<std::uint64_t> sizes(result.labels.size());
  for (NodeId label : result.labels)
    if (label != kNoNode) ++sizes[label];
  std::vector<Component> components;
  for (std::size_t node = 0; node < sizes.size(); ++node)
    if (sizes[node] > 0)
      components.push_back({static_cast<NodeId>(node), sizes[node], {static_cast<NodeId>(node)}});
  std::stable_sort(components.begin(), components.end(),
                   [](const Component& a, const Component& b) { return a.size > b.size; });
  return components;
}

// The first `most` members of each that is listed; 0 = all.
void ListMembers(const ComponentsResult& result, std::uint64_t most,
                 std::vector<Component>& components) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> places(result.labels.size(), kNone);
  for (std::size_t i = 0; i < components.size(); ++i) {
    places[components[i].first] = i;
    components[i].shown.clear();
  }
  for (NodeId v = 0; v < result.labels.size(); ++v) {
    const std::size_t place = result.labels[v] == kNoNode ? kNone : places[result.labels[v]];
    if (place != kNone && (most == 0 || components[place].shown.size() < most))
      components[place].shown.push_back(v);
  }
}

Result<int> RunComponents(const Globals& globals, const ComponentsArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  ComponentsOptions options;
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_ASSIGN(const ComponentsResult result,
                given.strong ? StrongComponents(snapshot, options) : Components(snapshot, options));
  std::vector<Component> components = BySize(result);
  const std::uint64_t top = given.top.value_or(20);
  if (top > 0 && components.size() > top) components.resize(top);
  if (given.members) ListMembers(result, *given.members, components);

  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", result.truncated);
    json.Field("count", result.count);
    json.Field("largest", result.largest);
    json.BeginArray("components");
    for (const Component& component : components) {
      json.BeginObject();
      json.Field("key", snapshot.key(component.first));
      json.Field("size", component.size);
      if (given.members) {
        json.BeginArray("members");
        for (const NodeId member : component.shown) json.Value(snapshot.key(member));
        json.EndArray();
      }
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  if (result.truncated) {
    PrintTruncated(true, "no component is known");
    return kDone;
  }
  Out() << Grouped(result.count) << (given.strong ? " strong" : "")
        << " components, the largest has " << Grouped(result.largest) << " nodes\n";
  Table table;
  table.Column("nodes", Table::Align::kRight);
  AddNodeColumns(table, globals, 60);
  for (const Component& component : components)
    for (const NodeId member : component.shown) {
      std::vector<std::string> row = {member == component.first ? Grouped(component.size) : ""};
      AddNodeCells(row, globals, snapshot, member);
      table.Row(row);
    }
  table.Print(Out());
  return kDone;
}

struct BfsArguments : EdgeSelection, BudgetOption {
  std::vector<std::string> from;
  std::optional<std::uint64_t> depth, top;
  std::optional<std::string> resume;
  std::string direction = "out";
  bool each = false;
};

void WriteBfs(const Snapshot& snapshot, const BfsResult& result,
              const std::vector<std::uint64_t>& levels, std::size_t shown) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("truncated", result.truncated);
  if (result.truncated) json.Field("resume", result.resume);
  json.Field("reached", result.nodes.size());
  json.BeginArray("levels");
  for (std::uint64_t count : levels) json.Value(count);
  json.EndArray();
  json.BeginArray("nodes");
  for (std::size_t i = 0; i < shown; ++i) {
    const BfsNode& node = result.nodes[i];
    json.BeginObject();
    json.Field("key", snapshot.key(node.node));
    json.Field("depth", node.depth);
    if (node.parent != kNoNode) json.Field("parent", snapshot.key(node.parent));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

Result<int> RunBfs(const Globals& globals, const BfsArguments& given) {
  PLEXUS_TRY(NotTogether(given.each, "--each", given.top.has_value(), "--top"));
  PLEXUS_TRY(NotTogether(given.each, "--each", given.resume.has_value(), "--resume"));
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  std::vector<NodeId> sources;
  for (const std::string& key : given.from) {
    PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, key));
    sources.push_back(node);
  }
  BfsOptions options;
  if (given.depth && *given.depth < kUnreached)
    options.max_depth = static_cast<std::uint32_t>(*given.depth);
  PLEXUS_ASSIGN(options.direction, ParseDirection(given.direction));
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  options.resume = given.resume.value_or("");
  if (given.each) {
    MultiBfsOptions each;
    each.max_depth = options.max_depth;
    each.direction = options.direction;
    each.run.budget = options.run.budget;
    PLEXUS_TRY(Select(*session, given, each));
    NoteIndexNodes(globals, snapshot, sources, options.filter.kinds);
    return RunBfsEach(globals, *session, sources, each);
  }
  PLEXUS_ASSIGN(const BfsResult result, Bfs(snapshot, sources, options));
  NoteIndexNodes(globals, snapshot, sources, options.filter.kinds);
  std::vector<std::uint64_t> levels;
  for (const BfsNode& node : result.nodes) {
    if (node.depth >= levels.size()) levels.resize(node.depth + 1);
    ++levels[node.depth];
  }
  const std::uint64_t top = given.top.value_or(100);
  const std::size_t shown =
      top == 0 ? result.nodes.size() : std::min<std::size_t>(top, result.nodes.size());
  if (globals.json) {
    WriteBfs(snapshot, result, levels, shown);
    return kDone;
  }
  Out() << Grouped(result.nodes.size()) << " nodes reached; by depth:";
  for (std::uint64_t count : levels) Out() << ' ' << Grouped(count);
  Out() << '\n';
  PrintByDepth(globals, snapshot, "depth", std::span(result.nodes).first(shown));
  PrintTruncated(result.truncated, "these are the nearest, there may be more");
  if (result.truncated) Out() << "go on with --resume " << result.resume << '\n';
  return kDone;
}

}  // namespace

void AddComponents(Cli& cli) {
  static ComponentsArguments components;
  Command& joined = AddSelection(
      cli.Add("Ask", "components", "Tell which nodes hang together",
              [](const Globals& globals) { return RunComponents(globals, components); })
          .Flag("--strong", components.strong,
                "along directions: nodes that reach each other (default: directions ignored)"),
      components);
  AddMaxSeconds(joined, components)
      .Option("--top", "K", components.top, "list the K largest; 0 = all (default 20)")
      .Option("--members", "M", components.members,
              "show the first M nodes of each; 0 = all (default: the first alone)")
      .Example("plexus components --db g", "how many parts, and the largest")
      .Example("plexus components --db g --kinds supersedes --top 0 --members 0 --json",
               "all chains of versions, every version")
      .Example("plexus components --db g --strong --kinds depends_on",
               "what depends on itself in a cycle");

  static BfsArguments bfs;
  Command& reached = AddSelection(
      cli.Add("Ask", "bfs", "List what can be reached, nearest first",
              [](const Globals& globals) { return RunBfs(globals, bfs); })
          .Repeated("--from", "KEY", bfs.from, "start here; repeatable")
          .Required()
          .Flag("--each", bfs.each,
                "a search from each --from by itself, 64 at once (limits hold for each 64): how "
                "many it reaches at which depth")
          .Option("--depth", "D", bfs.depth, "at most D edges away (default: no limit)")
          .Choice("--direction", bfs.direction, {"out", "in", "both"},
                  "which way to walk (default out)"),
      bfs);
  AddMaxSeconds(AddMaxEdges(AddMaxNodes(reached, bfs), bfs), bfs)
      .Option("--resume", "TOKEN", bfs.resume,
              "go on where a truncated reply of the same question stopped")
      .Option("--top", "K", bfs.top, "list the first K; 0 = all (default 100)")
      .Example("plexus bfs --db g --from alice --depth 2", "everything two edges from alice")
      .Example("plexus bfs --db g --from alice --from bob --each", "how far each of them gets")
      .Example("plexus bfs --db g --from m1 --direction in --kinds depends_on --top 0 --json",
               "all that depends on m1, directly or not");
}

}  // namespace plexus::tools
