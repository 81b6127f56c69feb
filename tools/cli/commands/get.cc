// get and neighbors: one node, and what stands next to it.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"
#include "tools/cli/arguments.h"
#include "tools/cli/cli.h"
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

// Edges of one kind at a node.
struct KindCount {
  EdgeKindId kind{};
  std::uint64_t out = 0, in = 0;
};

// A member of an event, or an outcome of it.
struct EventEnd {
  NodeId node = kNoNode;
  StringId role = 0;  // of a member
};

struct NodeView {
  NodeId node = kNoNode;
  std::optional<std::string> text;
  std::string properties = "{}";  // JSON
  std::vector<std::string> tags;
  std::uint64_t out = 0, in = 0;  // facts
  std::vector<KindCount> index_edges;
  std::vector<EventEnd> members, outcomes;  // of an event
};

// Edges of the index plane by kind, those without edges left out. O(edges of the node).
std::vector<KindCount> CountIndexEdges(const Snapshot& snapshot, NodeId node) {
  std::vector<KindCount> counts;
  const auto count = [&](Direction direction, std::uint64_t KindCount::* which) {
    snapshot.ForEachArc(direction, node, ArcFilter::All(), [&](const Arc& arc) {
      if (snapshot.schema().edge_kind(arc.kind).plane != Plane::kIndex) return;
      auto at = std::ranges::find(counts, arc.kind, &KindCount::kind);
      if (at == counts.end()) at = counts.insert(at, KindCount{.kind = arc.kind});
      ++((*at).*which);
    });
  };
  count(Direction::kOut, &KindCount::out);
  count(Direction::kIn, &KindCount::in);
  std::ranges::sort(counts, {}, &KindCount::kind);
  return counts;
}

std::uint64_t Sum(const std::vector<KindCount>& counts, std::uint64_t KindCount::* which) {
  std::uint64_t sum = 0;
  for (const KindCount& count : counts) sum += count.*which;
  return sum;
}

void WriteIndexEdges(JsonWriter& json, const Snapshot& snapshot,
                     const std::vector<KindCount>& counts) {
  json.BeginArray("index_edges");
  for (const KindCount& count : counts) {
    json.BeginObject();
    json.Field("kind", snapshot.schema().edge_kind(count.kind).name);
    json.Field("out", count.out);
    json.Field("in", count.in);
    json.EndObject();
  }
  json.EndArray();
}

// "has_tag 2, in_session 1"
std::string KindsWithCounts(const Snapshot& snapshot, const std::vector<KindCount>& counts) {
  std::string text;
  for (const KindCount& count : counts)
    text += (text.empty() ? "" : ", ") + snapshot.schema().edge_kind(count.kind).name + " " +
            Grouped(count.out + count.in);
  return text;
}

std::vector<EventEnd> EventEnds(const Snapshot& snapshot, NodeId event, Direction direction,
                                EdgeKindId kind) {
  std::vector<EventEnd> ends;
  const EdgeKindId kinds[] = {kind};
  snapshot.ForEachArc(
      direction, event, ArcFilter::Kinds(snapshot.schema(), kinds),
      [&](const Arc& arc) { ends.push_back({arc.neighbor, snapshot.edge(arc, event).label}); });
  return ends;
}

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
  const EdgeKindId has_tag[] = {kHasTag};
  snapshot.ForEachArc(
      Direction::kOut, node, ArcFilter::Kinds(snapshot.schema(), has_tag),
      [&](const Arc& arc) { view.tags.emplace_back(DisplayName(snapshot.key(arc.neighbor))); });
  const ArcFilter facts = ArcFilter::Kinds(snapshot.schema(), {});
  view.out = snapshot.Degree(Direction::kOut, node, facts);
  view.in = snapshot.Degree(Direction::kIn, node, facts);
  view.index_edges = CountIndexEdges(snapshot, node);
  if (snapshot.node_kind(node) == kEvent) {
    view.members = EventEnds(snapshot, node, Direction::kOut, kMember);
    view.outcomes = EventEnds(snapshot, node, Direction::kIn, kLabels);
  }
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
  json.Field("index_out_degree", Sum(view.index_edges, &KindCount::out));
  json.Field("index_in_degree", Sum(view.index_edges, &KindCount::in));
  WriteIndexEdges(json, snapshot, view.index_edges);
  if (snapshot.node_kind(view.node) == kEvent) {
    json.BeginArray("members");
    for (const EventEnd& member : view.members) {
      json.BeginObject();
      json.Field("key", snapshot.key(member.node));
      json.Field("role", snapshot.string(member.role));
      json.EndObject();
    }
    json.EndArray();
    json.BeginArray("outcomes");
    for (const EventEnd& outcome : view.outcomes) json.Value(snapshot.key(outcome.node));
    json.EndArray();
  }
  json.EndObject();
  Out() << '\n';
}

// The first of them, one a line.
void ListEnds(Table& table, const Snapshot& snapshot, const char* name,
              const std::vector<EventEnd>& ends) {
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(ends.size(), kShown); ++i) {
    std::string line = ShownKey(snapshot, ends[i].node);
    if (ends[i].role) line += " (" + std::string(snapshot.string(ends[i].role)) + ")";
    table.Row({i == 0 ? name : "", std::move(line)});
  }
  if (ends.size() > kShown)
    table.Row({"", "... of " + Grouped(ends.size()) + "; --json lists all"});
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
  if (snapshot.is_fact(view.node))
    table.Row({"edges", Grouped(view.out) + " out, " + Grouped(view.in) + " in"});
  if (!snapshot.is_fact(view.node) || !view.index_edges.empty()) {
    std::string edges = Grouped(Sum(view.index_edges, &KindCount::out)) + " out, " +
                        Grouped(Sum(view.index_edges, &KindCount::in)) + " in";
    if (!view.index_edges.empty()) edges += ": " + KindsWithCounts(snapshot, view.index_edges);
    table.Row({"index edges", std::move(edges)});
  }
  ListEnds(table, snapshot, "members", view.members);
  ListEnds(table, snapshot, "outcomes", view.outcomes);
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

void NoteIndexEdges(const Snapshot& snapshot, NodeId node, const std::vector<KindCount>& counts) {
  std::string names;
  for (const KindCount& count : counts)
    names += (names.empty() ? "" : ",") + snapshot.schema().edge_kind(count.kind).name;
  PrintNote("no edge of '" + ShownKey(snapshot, node) + "' between facts to list; it has " +
            Grouped(Sum(counts, &KindCount::out) + Sum(counts, &KindCount::in)) +
            " of the index plane (" + KindsWithCounts(snapshot, counts) + "): --kinds " + names +
            " lists them");
}

Result<int> RunNeighbors(const Globals& globals, const NeighborsArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, given.key));
  PLEXUS_ASSIGN(const Direction direction, ParseDirection(given.direction));
  PLEXUS_ASSIGN(const auto kinds, FindEdgeKinds(snapshot.schema(), given.kinds));
  // An index node has index edges only: show them unasked, but an event's words.
  const bool all = kinds.empty() && !snapshot.is_fact(node);
  const ArcFilter filter = all ? ArcFilter::All() : ArcFilter::Kinds(snapshot.schema(), kinds);
  std::vector<std::pair<NodeId, Edge>> found;
  bool more = false;
  const std::uint64_t limit = given.top.value_or(0);
  snapshot.ForEachArc(direction, node, filter, [&](const Arc& arc) {
    if (session->scope() && !session->scope()->contains(arc.neighbor)) return true;
    if (all && arc.kind == kHasTerm && snapshot.node_kind(node) == kEvent) return true;
    if (limit > 0 && found.size() == limit) {
      more = true;
      return false;
    }
    found.emplace_back(arc.neighbor, snapshot.edge(arc, node));
    return true;
  });

  // Facts list edges between facts unless kinds are named: say what was not asked for.
  const bool facts_only = kinds.empty() && snapshot.is_fact(node);
  const std::vector<KindCount> left_out =
      facts_only ? CountIndexEdges(snapshot, node) : std::vector<KindCount>();
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("key", snapshot.key(node));
    json.Field("truncated", more);
    if (facts_only) WriteIndexEdges(json, snapshot, left_out);
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
    std::vector<std::string> row = {way == "out"  ? "-->"
                                    : way == "in" ? "<--"
                                                  : "---",
                                    kind, Number(edge.weight)};
    AddNodeCells(row, globals, snapshot, neighbor);
    table.Row(row);
  }
  table.Print(Out());
  if (more) Out() << "... and more; --top 0 shows all\n";
  if (found.empty() && !left_out.empty() && !globals.quiet)
    NoteIndexEdges(snapshot, node, left_out);
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
      .Choice("--direction", neighbors.direction, {"out", "in", "both"},
              "which edges (default both)")
      .List("--kinds", "A,B", neighbors.kinds, "only these edge kinds (default: all facts)")
      .Option("--top", "K", neighbors.top, "at most K edges; 0 = all (default)")
      .Example("plexus neighbors --db g alice", "who alice is linked to, both ways")
      .Example("plexus neighbors --db g alice --direction in --kinds supports,causes --json",
               "the evidence that arrives at alice, for a script");
}

}  // namespace plexus::tools
