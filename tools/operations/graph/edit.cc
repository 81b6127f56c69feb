// link, unlink, remove, purge: one change at a time, durable when the graph is closed.
//
// Many changes at once are files for import; these are for hands and small scripts.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/times.h"
#include "engine/vocabulary.h"
#include "storage/database.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/given_values.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/memory/kept_rules.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

// The node that `key` means, or a new one: an index node ("tag:rust") where the edge's kind is
// of the index plane, else a fact. kInvalidArgument: an index node under a kind of facts.
Result<NodeRef> Endpoint(WriteBatch& batch, const Snapshot& snapshot, std::string_view key,
                         const std::string& kind_name, bool index) {
  const Schema& schema = snapshot.schema();
  if (const auto node = MeantNode(snapshot, key); node && snapshot.alive(*node)) {
    if (index || snapshot.is_fact(*node)) return NodeRef::Id(*node);
    std::string why = Quoted(key) + " is an index node of kind " +
                      schema.node_kind(snapshot.node_kind(*node)).name + ", and " +
                      Quoted(kind_name) + " joins facts";
    std::string kinds;
    for (const EdgeKind& kind : schema.edge_kinds())
      if (kind.plane == Plane::kIndex && (kind.source_kind == snapshot.node_kind(*node) ||
                                          kind.target_kind == snapshot.node_kind(*node)))
        kinds += (kinds.empty() ? "" : ", ") + kind.name;
    if (!kinds.empty()) why += "; edges to it are of kind " + kinds;
    return Invalid(why);
  }
  if (!index) return batch.Node(key);
  const std::string stored = StoredKey(schema, key);
  const std::size_t at = stored.find(kIndexSeparator);
  if (at == std::string::npos) return batch.Node(key);
  const auto kind = schema.FindNodeKind(std::string_view(stored).substr(0, at));
  return kind ? batch.IndexNode(*kind, std::string_view(stored).substr(at + 1)) : batch.Node(key);
}

// What is taken away has to be meant: a name that was an index node's ("tag:rust") does not fall
// through to a fact of that very key once the index node is gone.
Status CheckMeant(const Snapshot& snapshot, std::string_view key) {
  const std::string stored = StoredKey(snapshot.schema(), key);
  if (stored == key) return {};
  const auto meant = MeantNode(snapshot, key);
  const auto index = snapshot.Find(stored);
  if (!meant || !index || *meant == *index || !snapshot.is_fact(*meant)) return {};
  return Invalid(Quoted(key),
                 " was an index node, which is gone; the fact of that key is 'key:", key, "'");
}

// The kind comes between the nodes: not "link a b supports", which would make a kind and a node.
Status CheckOrder(const Workspace& workspace, const Request& request) {
  const std::string &kind = request.Text("kind"), &target = request.Text("target");
  const Snapshot& snapshot = workspace.snapshot();
  if (workspace.schema().FindEdgeKind(kind) || !workspace.schema().FindEdgeKind(target) ||
      !MeantNode(snapshot, kind) || MeantNode(snapshot, target))
    return {};
  return Invalid(Quoted(target), " is an edge kind and ", Quoted(kind),
                 " a node; the kind stands between the nodes: link ", request.Text("source"), " ",
                 target, " ", kind);
}

// Stands for every kind, unless the graph has one of that name.
constexpr std::string_view kAnyKind = "any";

// The edges from one node to the other: one, by kind and label; all of a kind; all there are. Ends
// of symmetric kinds are in no order.
struct EdgesMeant {
  NodeId source = kNoNode, target = kNoNode;
  std::optional<EdgeKindId> kind;    // nullopt: of any
  std::optional<std::string> label;  // nullopt: with any
};

Result<EdgesMeant> ReadEdgesMeant(const Snapshot& snapshot, const Request& request) {
  const std::string &kind = request.Text("kind"), &label = request.Text("label");
  EdgesMeant meant;
  PLEXUS_ASSIGN(meant.source, FindAliveNode(snapshot, request.Text("source")));
  PLEXUS_ASSIGN(meant.target, FindAliveNode(snapshot, request.Text("target")));
  const bool any = kind == kAnyKind && !snapshot.schema().FindEdgeKind(kind);
  if (!any) {
    PLEXUS_ASSIGN(const auto match, FindEdgeKind(snapshot.schema(), kind));
    meant.kind = match.kind;
    if (match.reversed) std::swap(meant.source, meant.target);
  }
  if (request.Given("label") && request.Flag("all_labels"))
    return Invalid(request.Name("label"), " means one edge, ", request.Name("all_labels"),
                   " all of a kind");
  if (request.Given("label") || (!any && !request.Flag("all_labels"))) meant.label = label;
  return meant;
}

// In the order of kind and label. Cost: the shorter of the two rows.
std::vector<Edge> FindEdgesMeant(const Snapshot& snapshot, const EdgesMeant& meant) {
  std::vector<Edge> edges;
  if (meant.kind && meant.label) {
    const auto label =
        meant.label->empty() ? std::optional<StringId>(0) : snapshot.FindString(*meant.label);
    if (!label) return edges;
    if (auto edge = snapshot.FindEdge(meant.source, *meant.kind, meant.target, *label))
      edges.push_back(*edge);
    return edges;
  }
  const ArcFilter filter = meant.kind
                               ? ArcFilter::Kinds(snapshot.schema(), std::span(&*meant.kind, 1))
                               : ArcFilter::All();
  const bool out = snapshot.Degree(Direction::kOut, meant.source, filter) <=
                   snapshot.Degree(Direction::kIn, meant.target, filter);
  const NodeId row = out ? meant.source : meant.target, other = out ? meant.target : meant.source;
  snapshot.ForEachArc(out ? Direction::kOut : Direction::kIn, row, filter, [&](const Arc& arc) {
    if (arc.neighbor != other) return;
    const Edge edge = snapshot.edge(arc, row);
    if (!meant.label || snapshot.string(edge.label) == *meant.label) edges.push_back(edge);
  });
  return edges;
}

// What the change did, and the edge as it is then; none where another writer took it back.
Result<Reply> LinkReply(const Request& request, const PreviewResult& changed) {
  const Snapshot& now = changed.snapshot;
  Reply change = ChangeReply(request, changed.report);
  EdgesMeant meant;
  meant.source = MeantNode(now, request.Text("source")).value_or(kNoNode);
  meant.target = MeantNode(now, request.Text("target")).value_or(kNoNode);
  meant.label = request.Text("label");
  PLEXUS_ASSIGN(const auto match, FindEdgeKind(now.schema(), request.Text("kind")));
  meant.kind = match.kind;
  if (match.reversed) std::swap(meant.source, meant.target);
  std::vector<Edge> edges;
  EdgeProperties properties;
  if (meant.source != kNoNode && meant.target != kNoNode) edges = FindEdgesMeant(now, meant);
  for (const Edge& edge : edges) PLEXUS_TRY(properties.Read(now, edge));
  Reply reply([now, edges = std::move(edges), properties = std::move(properties),
               members = std::move(change.members)](ReplyWriter& json) mutable {
    members(json);
    if (edges.empty()) return;
    json.BeginObject("edge");
    WriteEdge(json, now, edges.front(), properties);
    json.EndObject();
  });
  reply.page = std::move(change.page);
  return reply;
}

Result<Reply> RunLink(Workspace& workspace, const Request& request) {
  WriteBatch::EdgeInput edge;
  if (request.Given("weight")) {
    const std::string& given = request.Text("weight");
    const auto weight = formats::internal::ReadF32(given);  // as the formats read it
    if (!weight || formats::internal::IsBelowZero(given))
      return Invalid(request.Name("weight"), " ", Quoted(given),
                     ": a weight is a finite number >= 0");
    edge.weight = *weight + 0.0f;  // -0 becomes 0
  }
  edge.label = request.Text("label");
  PLEXUS_ASSIGN(edge.created_at, GivenTime(workspace, request, "created_at"));
  PLEXUS_ASSIGN(edge.valid_from, GivenTime(workspace, request, "valid_from"));
  PLEXUS_ASSIGN(edge.valid_until, GivenTime(workspace, request, "valid_until"));
  PLEXUS_TRY(
      CheckValidTimes(request, edge.valid_from, edge.valid_until, "the edge would never be valid"));
  if (request.Given("created_by")) edge.created_by = request.Text("created_by");
  std::string properties;
  if (request.Given("props")) {
    PLEXUS_ASSIGN(properties, formats::internal::PropertiesFromJson(request.Text("props")));
    edge.properties = properties;
  }
  const std::string& kind = request.Text("kind");
  PLEXUS_TRY(CheckOrder(workspace, request));
  NoteNewEdgeKind(workspace, kind);
  const auto match = workspace.schema().FindEdgeKind(kind);
  const bool index = match && workspace.schema().edge_kind(match->kind).plane == Plane::kIndex;
  WriteBatch batch = MakeBatch(workspace, request);
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(edge.source, Endpoint(batch, snapshot, request.Text("source"), kind, index));
  PLEXUS_ASSIGN(edge.target, Endpoint(batch, snapshot, request.Text("target"), kind, index));
  edge.kind = batch.EdgeKindNamed(kind);
  batch.Link(edge);
  PLEXUS_TRY(KeepTerms(workspace, batch));
  PLEXUS_ASSIGN(const PreviewResult changed, ApplyOrPreview(workspace, request, batch));
  return LinkReply(request, changed);
}

Result<Reply> RunUnlink(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const EdgesMeant meant, ReadEdgesMeant(snapshot, request));
  const std::vector<Edge> edges = FindEdgesMeant(snapshot, meant);
  const std::string& label = request.Text("label");
  if (edges.empty())
    return NotFound("no edge ", request.Text("source"), " ", request.Text("kind"), " ",
                    Quoted(request.Text("target")),
                    (label.empty() ? "" : " with label " + Quoted(label)));
  WriteBatch batch = MakeBatch(workspace, request);
  std::vector<std::pair<std::string, std::uint64_t>> kinds;  // and how many edges of each
  for (const Edge& edge : edges) {
    const std::string& kind = snapshot.schema().edge_kind(edge.kind).name;
    batch.Unlink(NodeRef::Id(edge.source), batch.EdgeKindNamed(kind), NodeRef::Id(edge.target),
                 snapshot.string(edge.label));
    if (kinds.empty() || kinds.back().first != kind) kinds.emplace_back(kind, 0);
    ++kinds.back().second;
  }
  const std::size_t count = edges.size();
  PLEXUS_ASSIGN(Reply change, Change(workspace, request, batch));
  std::string shown;  // behind what the change did
  for (const auto& [kind, n] : kinds)
    shown += (shown.empty() ? ": " : ", ") + std::to_string(n) + " " + kind;
  change.page.insert(change.page.find('\n'), shown);
  Reply reply([count, kinds = std::move(kinds),
               members = std::move(change.members)](ReplyWriter& json) mutable {
    json.Field("unlinked", count);
    json.BeginArray("kinds");
    for (const auto& [kind, n] : kinds) {
      json.BeginObject();
      json.Field("kind", kind);
      json.Field("edges", n);
      json.EndObject();
    }
    json.EndArray();
    members(json);
  });
  reply.page = std::move(change.page);
  return reply;
}

Result<Reply> RunRemove(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(CheckMeant(workspace.snapshot(), request.Text("key")));
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(workspace.snapshot(), request.Text("key")));
  WriteBatch batch = MakeBatch(workspace, request);
  batch.RemoveNode(NodeRef::Id(node));
  return Change(workspace, request, batch);
}

Result<Reply> RunPurge(Workspace& workspace, const Request& request) {
  Database& database = workspace.database();
  std::unordered_set<NodeId> named;
  std::vector<NodeId> nodes;
  std::vector<std::string_view> stored;
  for (const std::string& key : request.List("key")) {
    PLEXUS_TRY(CheckMeant(workspace.snapshot(), key));
    PLEXUS_ASSIGN(const NodeId node, FindNode(workspace.snapshot(), key));
    if (!named.insert(node).second) continue;
    nodes.push_back(node);
    stored.push_back(workspace.snapshot().key(node));
  }
  if (!IsDryRun(request)) PLEXUS_TRY(CheckTime(request));  // a purge that began is finished
  if (!IsDryRun(request) && !request.Flag("hard")) {
    PLEXUS_ASSIGN(const ApplyReport report,
                  database.Purge(stored, workspace.now_ms(), workspace.progress()));
    return ChangeReply(request, report);
  }
  PLEXUS_ASSIGN(const WriteBatch batch,
                PurgeBatch(workspace.snapshot(), stored, workspace.now_ms()));
  if (IsDryRun(request)) return Change(workspace, request, batch);
  // A hard purge begins with that batch, and says nothing of it.
  PLEXUS_ASSIGN(PreviewResult purged, Preview(workspace.snapshot(), batch));
  PLEXUS_TRY(database.HardPurge(nodes, workspace.progress()));
  purged.report.sequence = workspace.graph().snapshot().sequence();
  return ChangeReply(request, purged.report);
}

Parameter Key() { return Text("key", "KEY", "the node's key").Named(Means::kKey).Positional(); }

}  // namespace

void AddEdit(Rows& rows) {
  rows.push_back(
      {.name = "link",
       .group = "Change",
       .title = "Add an edge",
       .summary = "Add or update one edge",
       .effect = Effect::kWrite,
       .parameters =
           {Text("source", "A", "the source's key; a new node when there is none")
                .Named(Means::kKey)
                .Positional(),
            Text("kind", "KIND", "the edge's kind; an inverse name swaps the ends")
                .Named(Means::kEdgeKind)
                .Positional(),
            Text("target", "B", "the target's key").Named(Means::kKey).Positional(),
            Text("weight", "W", "finite, >= 0 (default: keep, or 1 when new)")
                .Named(Means::kNumeral)
                .MayBeEmpty(),
            Text("label", "L", "a name that distinguishes parallel edges").MayBeEmpty(),
            Text("created_at", "TIME", "default: now").Named(Means::kTime),
            Text("created_by", "NAME", "who says so").MayBeEmpty(),
            Text("valid_from", "TIME", "valid from then on").Named(Means::kTime),
            Text("valid_until", "TIME", "valid until just before then").Named(Means::kTime),
            Text("props", "JSON", "an object of properties"), CheckParameter(),
            ExpectSequenceParameter(), DryRunParameter()},
       .reply = std::string(kChangeShape) + ", edge?:E",
       .examples = {{"plexus link --db g alice knows bob --weight 0.8",
                     "one edge, durable when it returns"},
                    {"plexus link --db g m2 supersedes m1",
                     "m2 hides m1 from recall and traverse"}},
       .run = RunLink,
       .access = MakesGraph});
  rows.push_back(
      {.name = "unlink",
       .group = "Change",
       .title = "Remove edges",
       .summary = "Remove edges between two nodes, in one batch; the past keeps them",
       .effect = Effect::kWrite,
       .parameters =
           {Text("source", "A", "the source's key").Named(Means::kKey).Positional(),
            Text("kind", "KIND", "the edge's kind; any: edges of every kind and label")
                .Named(Means::kEdgeKind)
                .Positional(),
            Text("target", "B", "the target's key").Named(Means::kKey).Positional(),
            Text("label", "L", "the label of the edge (default: the empty one)").MayBeEmpty(),
            Flag("all_labels", "every edge of the kind between them"), CheckParameter(),
            ExpectSequenceParameter(), DryRunParameter()},
       .reply = std::string("unlinked:n, kinds:[{kind:s, edges:n}], ") + kChangeShape,
       .examples = {{"plexus unlink --db g alice knows bob", "the edge is gone from now on"},
                    {"plexus unlink --db g alice any bob",
                     "all edges from alice to bob, and how many of which kind there were"},
                    {"plexus unlink --db g m2 supersedes m1 --json", "m1 shows again"}},
       .run = RunUnlink,
       .access = ChangesGraph});
  rows.push_back(
      {.name = "remove",
       .group = "Change",
       .title = "Remove a node",
       .summary = "Remove a node with its edges; the past keeps them",
       .effect = Effect::kWrite,
       .parameters = {Key(), CheckParameter(), ExpectSequenceParameter(), DryRunParameter()},
       .reply = kChangeShape,
       .examples = {{"plexus remove --db g alice", "alice and her edges are gone from now on"},
                    {"plexus remove --db g m1 --json",
                     "many at once: {\"remove\":\"m1\"} lines for import"}},
       .run = RunRemove,
       .access = ChangesGraph});
  rows.push_back(
      {.name = "purge",
       .group = "Change",
       .title = "Erase nodes",
       .summary = "Erase texts, words, tags, properties and vectors of nodes, from the past too "
                  "(reads the log once; rewrites it if one was the last user of a word or tag)",
       .effect = Effect::kDestroy,
       .parameters = {Repeated("key", "KEY", "the node's key; of several keys a list")
                          .Named(Means::kKey)
                          .Positional(),
                      Flag("hard",
                           "also rewrite the log without their keys, their edges, the events "
                           "that they were members of, and scopes, labels and authors that "
                           "nothing else has"),
                      DryRunParameter()},
       .reply = kChangeShape,
       .examples = {{"plexus purge --db g m1",
                     "text, words, tags and vectors of m1, at every point in time"},
                    {"plexus purge --db g m1 m2 m3",
                     "several at once: the log is read once for all"},
                    {"plexus purge --db g m1 --hard",
                     "the key and the edges too; slow, rewrites the log"}},
       .run = RunPurge,
       .access = ChangesGraph,
       .reach = Reach::kDirectory});
}

}  // namespace plexus::tools
