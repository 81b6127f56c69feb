// get, neighbors: one node, and what stands next to it.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/arguments.h"
#include "tools/operations/human_format.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/registry.h"
#include "tools/operations/reply_parts.h"
#include "tools/operations/text_table.h"

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

void WriteIndexEdges(ReplyWriter& json, const Snapshot& snapshot,
                     const std::vector<KindCount>& counts) {
  json.Objects("index_edges", counts, [&](const KindCount& count) {
    json.Field("kind", snapshot.schema().edge_kind(count.kind).name);
    json.Field("out", count.out);
    json.Field("in", count.in);
  });
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
    PLEXUS_ASSIGN(view.properties, formats_internal::JsonFromProperties(bytes));
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

void WriteNode(ReplyWriter& json, const Snapshot& snapshot, const NodeView& view) {
  json.Node("key", snapshot, view.node);
  json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(view.node)).name);
  if (view.text) json.Field("text", *view.text);
  json.Values("tags", view.tags);
  WriteColumns(json, snapshot, view.node);
  json.Key("props");
  json.Raw(view.properties);
  json.Field("out_degree", view.out);
  json.Field("in_degree", view.in);
  json.Field("index_out_degree", Sum(view.index_edges, &KindCount::out));
  json.Field("index_in_degree", Sum(view.index_edges, &KindCount::in));
  WriteIndexEdges(json, snapshot, view.index_edges);
  if (snapshot.node_kind(view.node) != kEvent) return;
  json.Objects("members", view.members, [&](const EventEnd& member) {
    json.Node("key", snapshot, member.node);
    json.Field("role", snapshot.string(member.role));
  });
  json.BeginArray("outcomes");
  for (const EventEnd& outcome : view.outcomes) json.Node(snapshot, outcome.node);
  json.EndArray();
}

// The first of them, one a line.
void ListEnds(TextTable& table, const Snapshot& snapshot, const char* name,
              const std::vector<EventEnd>& ends) {
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(ends.size(), kShown); ++i) {
    std::string line = ShownKey(snapshot, ends[i].node);
    if (ends[i].role) line += " (" + std::string(snapshot.string(ends[i].role)) + ")";
    table.Row({i == 0 ? name : "", std::move(line)});
  }
  if (ends.size() > kShown) table.Row({"", "... of " + Grouped(ends.size()) + "; JSON lists all"});
}

std::string Page(const Snapshot& snapshot, const NodeView& view) {
  TextTable table;
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
  std::ostringstream page;
  table.Print(page);
  return std::move(page).str();
}

Result<Reply> RunGet(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, request.Text("key")));
  PLEXUS_ASSIGN(NodeView view, ViewNode(snapshot, node));
  std::string page = Page(snapshot, view);
  Reply reply(
      [snapshot, view = std::move(view)](ReplyWriter& json) { WriteNode(json, snapshot, view); });
  reply.page = std::move(page);
  return reply;
}

// Which way an edge points, seen from `node`; a loop points as it was asked for.
const char* Way(const Snapshot& snapshot, const Edge& edge, NodeId node, Direction asked) {
  if (snapshot.schema().edge_kind(edge.kind).symmetric) return "both";
  const bool loop = edge.source == edge.target;
  return edge.source == node && !(loop && asked == Direction::kIn) ? "out" : "in";
}

void NoteIndexEdges(Workspace& workspace, const Request& request, NodeId node,
                    const std::vector<KindCount>& counts) {
  const Snapshot& snapshot = workspace.snapshot();
  std::string names;
  for (const KindCount& count : counts)
    names += (names.empty() ? "" : ",") + snapshot.schema().edge_kind(count.kind).name;
  workspace.notes().push_back(
      {"no edge of '" + ShownKey(snapshot, node) + "' between facts to list; it has " +
           Grouped(Sum(counts, &KindCount::out) + Sum(counts, &KindCount::in)) +
           " of the index plane (" + KindsWithCounts(snapshot, counts) +
           "): " + request.Name("kinds", names) + " lists them",
       Note::kForPeople});
}

Result<Reply> RunNeighbors(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, request.Text("key")));
  PLEXUS_ASSIGN(const Direction direction, ParseDirection(request.Text("direction")));
  PLEXUS_ASSIGN(const auto kinds, FindEdgeKinds(snapshot.schema(), request.List("kinds")));
  // An index node has index edges only: show them unasked, but an event's words.
  const bool all = kinds.empty() && !snapshot.is_fact(node);
  const ArcFilter filter = all ? ArcFilter::All() : ArcFilter::Kinds(snapshot.schema(), kinds);
  std::vector<std::pair<NodeId, Edge>> found;
  bool more = false;
  const std::uint64_t limit = request.Count("top");
  snapshot.ForEachArc(direction, node, filter, [&](const Arc& arc) {
    if (workspace.scope() && !workspace.scope()->contains(arc.neighbor)) return true;
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
  std::vector<KindCount> left_out =
      facts_only ? CountIndexEdges(snapshot, node) : std::vector<KindCount>();
  if (found.empty() && !left_out.empty()) NoteIndexEdges(workspace, request, node, left_out);
  Reply reply([snapshot, node, direction, more, facts_only, found = std::move(found),
               left_out = std::move(left_out)](ReplyWriter& json) {
    json.Node("key", snapshot, node);
    json.Field("truncated", more);
    if (facts_only) WriteIndexEdges(json, snapshot, left_out);
    json.Objects("neighbors", found, [&](const std::pair<NodeId, Edge>& end) {
      json.Node("key", snapshot, end.first);
      json.Field("direction", Way(snapshot, end.second, node, direction));
      WriteEdgeAttributes(json, snapshot, end.second);
    });
  });
  if (more) reply.closing = "... and more; " + request.Name("top", "0") + " shows all\n";
  return reply;
}

}  // namespace

void AddGet(Rows& rows) {
  rows.push_back(
      {.name = "get",
       .group = "Look",
       .title = "One node",
       .summary = "Show one node: kind, text, tags, columns, properties",
       .parameters = {Text("key", "KEY", "the node's key").Named(Means::kKey).Positional()},
       .reply = "key:k, kind:s, text?:s, tags:[s], props:j, scope:s, out_degree:n, in_degree:n, "
                "index_out_degree:n, index_in_degree:n, index_edges:[{kind:s, out:n, in:n}], "
                "members?:[{key:k, role:s}], outcomes?:[k], *:j",
       .examples = {{"plexus get --db g alice", "everything stored about the node alice"},
                    {"plexus get --db g tag:rust --json",
                     "the index node that stands for the tag rust"}},
       .run = RunGet});
  rows.push_back(
      {.name = "neighbors",
       .group = "Look",
       .title = "Edges of a node",
       .summary = "List a node's edges and their other ends",
       .parameters = {Text("key", "KEY", "the node's key").Named(Means::kKey).Positional(),
                      DirectionParameter({"both", "out", "in"}, "which edges"), KindsParameter(),
                      Top(0, "at most K edges; 0 = all")},
       .reply = "key:k, truncated:b, index_edges?:[{kind:s, out:n, in:n}], "
                "neighbors:[{key:k, direction:s, kind:s, weight:x, label?:s, created_at:i, "
                "created_by?:s, valid_from?:i, valid_until?:i}]",
       .tables = {{"neighbors",
                   {{"direction", "", As::kArrow},
                    {"kind", "kind"},
                    {"label", "label"},
                    {"weight", "weight"},
                    {"key", "", As::kNode}}}},
       .examples = {{"plexus neighbors --db g alice", "who alice is linked to, both ways"},
                    {"plexus neighbors --db g alice --direction in --kinds supports,causes --json",
                     "the evidence that arrives at alice, for a script"}},
       .run = RunNeighbors});
}

}  // namespace plexus::tools
