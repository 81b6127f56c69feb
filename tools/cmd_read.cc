// get and neighbors: one node, and what stands next to it.
#include <optional>
#include <string>
#include <vector>

#include "engine/vocabulary.h"
#include "storage/text/properties.h"
#include "tools/arguments.h"
#include "tools/cli.h"
#include "tools/exit_code.h"
#include "tools/format.h"
#include "tools/json_writer.h"
#include "tools/naming.h"
#include "tools/output.h"
#include "tools/reply.h"
#include "tools/session.h"
#include "tools/table.h"

namespace plexus::tools {
namespace {

struct NodeView {
  NodeId node = kNoNode;
  std::optional<std::string> text;
  std::string properties = "{}";  // JSON
  std::vector<std::string> tags;
  std::uint64_t out = 0, in = 0;  // facts
};

Result<NodeView> ViewNode(const Snapshot& snapshot, NodeId node) {
  NodeView view;
  view.node = node;
  if (snapshot.payload_ref(node, NodeField::kText)) {
    PLEXUS_ASSIGN(view.text, snapshot.Payload(node, NodeField::kText));
  }
  if (snapshot.payload_ref(node, NodeField::kProperties)) {
    PLEXUS_ASSIGN(const std::string bytes, snapshot.Payload(node, NodeField::kProperties));
    PLEXUS_ASSIGN(view.properties, text::JsonFromProperties(bytes));
  }
  const KindId has_tag[] = {kHasTag};
  snapshot.ForEachArc(Direction::kOut, node, ArcFilter::Kinds(snapshot.schema(), has_tag),
                      [&](const Arc& arc) {
                        view.tags.emplace_back(DisplayName(snapshot.key(arc.neighbor)));
                      });
  const ArcFilter facts = ArcFilter::Kinds(snapshot.schema(), {});
  view.out = snapshot.Degree(Direction::kOut, node, facts);
  view.in = snapshot.Degree(Direction::kIn, node, facts);
  return view;
}

void WriteNode(const Snapshot& snapshot, const NodeView& view) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("key", snapshot.key(view.node));
  json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(view.node)).name);
  if (view.text) json.Field("text", *view.text);
  json.BeginArray("tags");
  for (const std::string& tag : view.tags) json.Value(tag);
  json.EndArray();
  WriteColumns(json, snapshot, view.node);
  json.Key("props");
  json.Raw(view.properties);
  json.Field("out_degree", view.out);
  json.Field("in_degree", view.in);
  json.EndObject();
  Out() << '\n';
}

void PrintNode(const Snapshot& snapshot, const NodeView& view) {
  Table table;
  table.Column("").Column("");
  table.Row({"key", ShownKey(snapshot, view.node)});
  table.Row({"kind", snapshot.schema().node_kind(snapshot.node_kind(view.node)).name});
  if (view.text) {
    std::string_view rest = *view.text;
    for (const char* name = "text"; !rest.empty(); name = "") {
      const std::size_t end = rest.find('\n');
      table.Row({name, std::string(rest.substr(0, end))});
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  std::string tags;
  for (const std::string& tag : view.tags) tags += (tags.empty() ? "" : ", ") + tag;
  if (!tags.empty()) table.Row({"tags", tags});
  for (const auto& [name, value] : ShownColumns(snapshot, view.node)) table.Row({name, value});
  if (view.properties != "{}") table.Row({"props", view.properties});
  table.Row({"edges", Grouped(view.out) + " out, " + Grouped(view.in) + " in"});
  table.Print(Out());
}

Result<int> RunGet(const Globals& globals, const std::string& key) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, key));
  PLEXUS_ASSIGN(const NodeView view, ViewNode(snapshot, node));
  if (globals.json)
    WriteNode(snapshot, view);
  else
    PrintNode(snapshot, view);
  return kDone;
}

struct NeighborsArguments {
  std::string key;
  std::string direction = "both";
  std::vector<std::string> kinds;
  std::optional<std::uint64_t> top;
};

// Which way an edge points, seen from `node`; a loop points as it was asked for.
const char* Way(const Snapshot& snapshot, const Edge& edge, NodeId node, Direction asked) {
  if (snapshot.schema().edge_kind(edge.kind).symmetric) return "both";
  const bool loop = edge.source == edge.target;
  return edge.source == node && !(loop && asked == Direction::kIn) ? "out" : "in";
}

Result<int> RunNeighbors(const Globals& globals, const NeighborsArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, given.key));
  PLEXUS_ASSIGN(const Direction direction, ParseDirection(given.direction));
  PLEXUS_ASSIGN(const auto kinds, FindEdgeKinds(snapshot.schema(), given.kinds));
  // An index node has index edges only: show them unasked.
  const bool all = kinds.empty() && !snapshot.is_fact(node);
  const ArcFilter filter = all ? ArcFilter::All() : ArcFilter::Kinds(snapshot.schema(), kinds);
  std::vector<std::pair<NodeId, Edge>> found;
  bool more = false;
  const std::uint64_t limit = given.top.value_or(0);
  snapshot.ForEachArc(direction, node, filter, [&](const Arc& arc) {
    if (session->scope() && !session->scope()->contains(arc.neighbor)) return true;
    if (limit > 0 && found.size() == limit) {
      more = true;
      return false;
    }
    found.emplace_back(arc.neighbor, snapshot.edge(arc, node));
    return true;
  });

  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("key", snapshot.key(node));
    json.Field("truncated", more);
    json.BeginArray("neighbors");
    for (const auto& [neighbor, edge] : found) {
      json.BeginObject();
      json.Field("key", snapshot.key(neighbor));
      json.Field("direction", Way(snapshot, edge, node, direction));
      WriteEdgeAttributes(json, snapshot, edge);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Table table;
  table.Column("").Column("kind").Column("weight", Table::Align::kRight);
  AddNodeColumns(table, globals, 60);
  for (const auto& [neighbor, edge] : found) {
    const std::string_view way = Way(snapshot, edge, node, direction);
    std::string kind = snapshot.schema().edge_kind(edge.kind).name;
    if (edge.label) kind += ":" + std::string(snapshot.string(edge.label));
    std::vector<std::string> row = {way == "out" ? "-->" : way == "in" ? "<--" : "---", kind,
                                    Number(edge.weight)};
    AddNodeCells(row, globals, snapshot, neighbor);
    table.Row(row);
  }
  table.Print(Out());
  if (more) Out() << "... and more; --top 0 shows all\n";
  return kDone;
}

}  // namespace

void AddRead(Cli& cli) {
  static std::string get_key;
  cli.Add("Look", "get", "Show one node: kind, text, tags, columns, properties",
          [](const Globals& globals) { return RunGet(globals, get_key); })
      .Positional("KEY", get_key, "the node's key")
      .Example("plexus get --db g alice", "everything stored about the node alice")
      .Example("plexus get --db g tag:rust --json", "the index node that stands for the tag rust");

  static NeighborsArguments neighbors;
  cli.Add("Look", "neighbors", "List a node's edges and their other ends",
          [](const Globals& globals) { return RunNeighbors(globals, neighbors); })
      .Positional("KEY", neighbors.key, "the node's key")
      .Choice("--direction", neighbors.direction, {"out", "in", "both"}, "which edges (default both)")
      .List("--kinds", "A,B", neighbors.kinds, "only these edge kinds (default: all facts)")
      .Option("--top", "K", neighbors.top, "at most K edges; 0 = all (default)")
      .Example("plexus neighbors --db g alice", "who alice is linked to, both ways")
      .Example("plexus neighbors --db g alice --direction in --kinds supports,causes --json",
               "the evidence that arrives at alice, for a script");
}

}  // namespace plexus::tools
