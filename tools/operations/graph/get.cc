// get, neighbors: one node, and what is next to it.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/memory/visibility/visibility.h"
#include "engine/times.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/shape.h"
#include "tools/operations/graph/event_view.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/reply/text_table.h"

namespace plexus::tools {
namespace {

constexpr std::string_view kNodeShape =
    "key?:k, kind?:s, text?:s, tags?:[s], superseded_by?:k, props?:j, scope?:s, columns?:{*:j}, "
    "out_degree?:n, in_degree?:n, index_out_degree?:n, index_in_degree?:n, "
    "index_edges?:[{kind:s, out:n, in:n}], "
    "members?:[{key:k, role:s, rank?:x, trust?:x, score?:x, preview?:s, tags?:[s], props?:j}], "
    "outcomes?:[{key:k, labeled_at?:t, notes?:s, type?:s, source?:s, confidence_delta?:x, "
    "props?:j}], total?:n, results?:[{*:j}], *:j";

// Names of a node's members that a column of the graph's own may have, too.
const std::vector<std::string>& TakenNames() {
  static const std::vector<std::string> taken = [] {
    std::vector<std::string> names = {"node_kind", "node_line",  "node_text",
                                      "truncated", "time_moved", "warnings"};
    for (const ShapeMember& member : ParseShape(kNodeShape).members) names.push_back(member.name);
    return names;
  }();
  return taken;
}

// Edges of one kind at a node.
struct KindCount {
  EdgeKindId kind{};
  std::uint64_t out = 0, in = 0;
};

struct NodeView {
  NodeId node = kNoNode;
  std::optional<std::string> text;
  std::string properties = "{}";  // JSON
  std::vector<std::string> tags;
  std::uint64_t out = 0, in = 0;  // facts
  std::vector<KindCount> index_edges;
  std::optional<EventView> event;
  std::optional<NodeId> superseded_by;
};

// Edges of the index plane by kind, those without edges left out. O(edges of the node).
std::vector<KindCount> CountIndexEdges(const Snapshot& snapshot, NodeId node) {
  std::vector<KindCount> counts;
  const auto count = [&](Direction direction, std::uint64_t KindCount::*which) {
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

std::uint64_t Sum(const std::vector<KindCount>& counts, std::uint64_t KindCount::*which) {
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

Result<NodeView> ViewNode(const Snapshot& snapshot, NodeId node) {
  NodeView view;
  view.node = node;
  if (snapshot.payload_ref(node, NodeField::kText))
    PLEXUS_SET(view.text, snapshot.Payload(node, NodeField::kText));
  if (snapshot.payload_ref(node, NodeField::kProperties)) {
    PLEXUS_ASSIGN(const std::string bytes, snapshot.Payload(node, NodeField::kProperties));
    PLEXUS_ASSIGN(view.properties, formats::internal::JsonFromProperties(bytes));
  }
  snapshot.ForEachArc(
      Direction::kOut, node, ArcFilter::Kind(snapshot.schema(), builtin::kHasTag),
      [&](const Arc& arc) { view.tags.emplace_back(DisplayName(snapshot.key(arc.neighbor))); });
  const ArcFilter facts = ArcFilter::Kinds(snapshot.schema(), {});
  view.out = snapshot.Degree(Direction::kOut, node, facts);
  view.in = snapshot.Degree(Direction::kIn, node, facts);
  view.index_edges = CountIndexEdges(snapshot, node);
  if (snapshot.node_kind(node) == builtin::kEvent)
    PLEXUS_SET(view.event, ViewEvent(snapshot, node));
  return view;
}

void WriteNode(ReplyWriter& json, const Snapshot& snapshot, const NodeView& view) {
  json.Node("key", snapshot, view.node);
  json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(view.node)).name);
  if (view.text) json.Field("text", *view.text);
  json.Values("tags", view.tags);
  if (view.superseded_by) json.Node("superseded_by", snapshot, *view.superseded_by);
  WriteColumns(json, snapshot, view.node, TakenNames());
  json.Key("props");
  json.Raw(view.properties);
  json.Field("out_degree", view.out);
  json.Field("in_degree", view.in);
  json.Field("index_out_degree", Sum(view.index_edges, &KindCount::out));
  json.Field("index_in_degree", Sum(view.index_edges, &KindCount::in));
  WriteIndexEdges(json, snapshot, view.index_edges);
  if (view.event) WriteEvent(json, snapshot, *view.event);
}

// The first of them, one a line.
template <class List, class Shown>
void ListEnds(TextTable& table, const char* name, const List& ends, Shown&& shown) {
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(ends.size(), kShown); ++i)
    table.Row({i == 0 ? name : "", shown(ends[i])});
  if (ends.size() > kShown) table.Row({"", "... of " + Grouped(ends.size()) + "; JSON lists all"});
}

void ListEvent(TextTable& table, const Snapshot& snapshot, const EventView& event) {
  const auto with = [](const engine_internal::JsonProperties& attributes, const char* name) {
    const auto at = attributes.find(name);
    return at == attributes.end() ? std::string() : ", " + std::string(name) + " " + at->second;
  };
  ListEnds(table, "members", event.members, [&](const EventMember& member) {
    std::string line = ShownKey(snapshot, member.node);
    if (member.role) line += " (" + std::string(snapshot.string(member.role)) + ")";
    for (const char* name : {"rank", "trust", "score"}) line += with(member.attributes, name);
    return line;
  });
  ListEnds(table, "outcomes", event.outcomes, [&](const EventOutcome& outcome) {
    const auto type = outcome.attributes.find("type");
    std::string line = type == outcome.attributes.end()
                           ? ShownKey(snapshot, outcome.node)
                           : type->second.substr(1, type->second.size() - 2);
    if (outcome.labeled_at) line += ", " + IsoTime(*outcome.labeled_at);
    line += with(outcome.attributes, "source");
    if (!outcome.notes.empty()) line += ": " + outcome.notes.substr(0, outcome.notes.find('\n'));
    return line;
  });
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
  if (view.superseded_by) table.Row({"superseded by", ShownKey(snapshot, *view.superseded_by)});
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
  if (view.event) ListEvent(table, snapshot, *view.event);
  return table.Text();
}

// What is there now, and was not at the time that is asked about, was not removed.
std::unexpected<Error> NotThere(Workspace& workspace, const Request& request,
                                std::span<const std::string> keys, Error error) {
  if (!request.Given("event_time") || error.code != ErrorCode::kNotFound)
    return std::unexpected(std::move(error));
  for (const std::string& key : keys) {
    const auto node = MeantNode(workspace.snapshot(), key);
    if (!node || workspace.snapshot().alive(*node)) continue;
    const Snapshot now = workspace.graph().snapshot();
    if (*node < now.node_count() && now.alive(*node))
      error.message = Quoted(key) + " is later than " + request.Name("event_time") + " (" +
                      request.Text("event_time") + ")";
    break;
  }
  return std::unexpected(std::move(error));
}

// One key shows its node, several a list of them.
Result<Reply> RunGet(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  const Result<std::vector<NodeId>> found = FindAliveNodes(snapshot, request.List("key"));
  if (!found) return NotThere(workspace, request, request.List("key"), found.error());
  const std::vector<NodeId>& nodes = *found;
  std::vector<NodeView> views;
  std::string page;
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  ReplyRoom room(request);
  for (const NodeId node : nodes) {
    if (!views.empty() && (room.Full() || budget.Interrupted())) break;
    PLEXUS_ASSIGN(NodeView view, ViewNode(snapshot, node));
    PLEXUS_ASSIGN(view.superseded_by, memory::SupersededBy(snapshot, node, workspace.now_ms()));
    page += (views.empty() ? "" : "\n") + Page(snapshot, view);
    room.Take(view.text.value_or("").size() + view.properties.size());
    views.push_back(std::move(view));
  }
  const std::size_t total = nodes.size();
  const bool truncated = views.size() < total;
  Reply reply([snapshot, total, views = std::move(views)](ReplyWriter& json) {
    if (total == 1) return WriteNode(json, snapshot, views[0]);
    json.Field("total", total);
    json.Objects("results", views, [&](const NodeView& view) { WriteNode(json, snapshot, view); });
  });
  reply.truncated = truncated;
  reply.page = std::move(page);
  return reply;
}

// Which way an edge points, seen from `node`; a loop points as it was asked for.
Direction Way(const Snapshot& snapshot, const Edge& edge, NodeId node, Direction asked) {
  if (snapshot.schema().edge_kind(edge.kind).symmetric) return Direction::kBoth;
  const bool loop = edge.source == edge.target;
  return edge.source == node && !(loop && asked == Direction::kIn) ? Direction::kOut
                                                                   : Direction::kIn;
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
  PLEXUS_ASSIGN(const Direction direction, AskedDirection(workspace, request));
  PLEXUS_ASSIGN(const auto kinds, FindEdgeKinds(snapshot.schema(), request.List("kinds")));
  // An index node has index edges only: show them unasked, but an event's words.
  const bool all = kinds.empty() && !snapshot.is_fact(node);
  const ArcFilter filter = all ? ArcFilter::All() : ArcFilter::Kinds(snapshot.schema(), kinds);
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  TimeLimit limit(budget);
  std::vector<std::pair<NodeId, Edge>> found;
  snapshot.ForEachArc(direction, node, filter, [&](const Arc& arc) {
    if (limit.Up()) return false;
    if (workspace.scope() && !workspace.scope()->contains(arc.neighbor)) return true;
    if (all && arc.kind == builtin::kHasTerm && snapshot.node_kind(node) == builtin::kEvent)
      return true;
    found.emplace_back(arc.neighbor, snapshot.edge(arc, node));
    return true;
  });
  // The strongest first, ties as they are stored.
  std::ranges::stable_sort(found, std::greater<>(),
                           [](const auto& end) { return end.second.weight; });
  const std::size_t total = found.size();
  const std::uint64_t top = request.Count("top");
  const bool more = top > 0 && total > top;
  if (more) found.resize(static_cast<std::size_t>(top));
  // Facts list edges between facts unless kinds are named: say what was not asked for.
  const bool facts_only = kinds.empty() && snapshot.is_fact(node);
  std::vector<KindCount> left_out =
      facts_only ? CountIndexEdges(snapshot, node) : std::vector<KindCount>();
  if (found.empty() && !left_out.empty()) NoteIndexEdges(workspace, request, node, left_out);
  EdgeProperties properties;
  std::size_t read = 0;
  for (; read < found.size() && !limit.Up(); ++read)
    PLEXUS_TRY(properties.Read(snapshot, found[read].second));
  found.resize(read);
  Reply reply([snapshot, node, direction, more, total, facts_only, found = std::move(found),
               properties = std::move(properties),
               left_out = std::move(left_out)](ReplyWriter& json) {
    json.Node("key", snapshot, node);
    json.Field("truncated", more);
    json.Field("total", total);
    if (facts_only) WriteIndexEdges(json, snapshot, left_out);
    json.Objects("neighbors", found, [&](const std::pair<NodeId, Edge>& end) {
      json.Node("key", snapshot, end.first);
      WriteDirection(json, snapshot.schema(), end.second.kind,
                     Way(snapshot, end.second, node, direction));
      WriteEdgeAttributes(json, snapshot, end.second, properties);
    });
  });
  reply.truncated = limit.was_up();
  if (more)
    reply.closing = "... of " + Grouped(total) + "; " + request.Name("top", "0") + " shows all\n";
  return reply;
}

}  // namespace

void AddGet(Rows& rows) {
  rows.push_back(
      {.name = "get",
       .group = "Look",
       .title = "One node, or several",
       .summary = "Show nodes: kind, text, tags, columns, properties; of an event its members",
       .parameters = {Repeated("key", "KEY", "the node's key; of several keys a list")
                          .Named(Means::kKey)
                          .Positional()},
       .reply = std::string(kNodeShape),
       .tables = "results:",
       .examples = {{"plexus get --db g alice", "everything stored about the node alice"},
                    {"plexus get --db g alice bob --json", "several: a list of results"},
                    {"plexus get --db g tag:rust --json", "the index node of the tag rust"}},
       .run = RunGet});
  rows.push_back(
      {.name = "neighbors",
       .group = "Look",
       .title = "Edges of a node",
       .summary = "List a node's edges and their other ends, the strongest first",
       .parameters = {Text("key", "KEY", "the node's key").Named(Means::kKey).Positional(),
                      DirectionParameter({"both", "out", "in"}, "which edges"), KindsParameter(),
                      Top(0, "the K strongest edges; 0 = all")},
       .reply = "key:k, truncated:b, total:n, index_edges?:[{kind:s, out:n, in:n}], "
                "neighbors:[{key:k, direction:s, kind:s, weight:x, label?:s, created_at:t, "
                "created_by?:s, valid_from?:t, valid_until?:t, props?:j, inverse?:s}]",
       .tables = "neighbors: direction arrow, kind|inverse = kind, label, weight, key, "
                 "props = properties, created_by = by, valid_from = from, "
                 "valid_until = until",
       .examples = {{"plexus neighbors --db g alice", "who alice is linked to, both ways"},
                    {"plexus neighbors --db g alice --direction in --kinds supports,causes --json",
                     "the edges that point at alice, for a script"}},
       .run = RunNeighbors});
}

}  // namespace plexus::tools
