// link, unlink, remove, purge: one change at a time, durable when the graph is closed.
//
// Many changes at once are files for import; these are for hands and small scripts.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/times.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/arguments.h"
#include "tools/operations/change.h"
#include "tools/operations/human_format.h"
#include "tools/operations/names.h"
#include "tools/operations/registry.h"
#include "tools/operations/workspace.h"

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
    return Fail(ErrorCode::kInvalidArgument, why);
  }
  if (!index) return batch.Node(key);
  const std::string stored = StoredKey(schema, key);
  const std::size_t at = stored.find(kIndexSeparator);
  if (at == std::string::npos) return batch.Node(key);
  const auto kind = schema.FindNodeKind(std::string_view(stored).substr(0, at));
  return kind ? batch.IndexNode(*kind, std::string_view(stored).substr(at + 1)) : batch.Node(key);
}

// A misspelt kind would quietly become a new one: say so.
void NoteNewKind(Workspace& workspace, const std::string& kind) {
  if (workspace.schema().FindEdgeKind(kind)) return;
  workspace.notes().push_back({"note: " + Quoted(kind) + " is a new edge kind" +
                               DidYouMean(kind, EdgeKindNames(workspace.schema()))});
}

Status TakeTime(Workspace& workspace, const Request& request, const char* name,
                std::optional<std::int64_t>& value) {
  if (!request.Given(name)) return {};
  PLEXUS_ASSIGN(value, ParseTime(request.Text(name)));
  WarnOfSeconds(workspace, request.Name(name), *value);
  return {};
}

// An edge that ends before it begins is never valid: a slip of the hand.
Status CheckValidTimes(const Request& request, const WriteBatch::EdgeInput& edge) {
  if (!edge.valid_from || !edge.valid_until || *edge.valid_from < *edge.valid_until) return {};
  return Fail(ErrorCode::kInvalidArgument,
              request.Name("valid_from") + " " + IsoTime(*edge.valid_from) + " is not before " +
                  request.Name("valid_until") + " " + IsoTime(*edge.valid_until) +
                  ": the edge would never be valid");
}

// What is taken away has to be meant: a name that was an index node's ("tag:rust") does not fall
// through to a fact of that very key once the index node is gone.
Status CheckMeant(const Snapshot& snapshot, std::string_view key) {
  const std::string stored = StoredKey(snapshot.schema(), key);
  if (stored == key) return {};
  const auto meant = MeantNode(snapshot, key);
  const auto index = snapshot.Find(stored);
  if (!meant || !index || *meant == *index || !snapshot.is_fact(*meant)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              Quoted(key) + " was an index node, which is gone; the fact of that key is 'key:" +
                  std::string(key) + "'");
}

Result<Reply> RunLink(Workspace& workspace, const Request& request) {
  WriteBatch::EdgeInput edge;
  if (request.Given("weight")) {
    const std::string& given = request.Text("weight");
    const auto weight = formats_internal::ReadF32(given);  // as the formats read it
    if (!weight || formats_internal::IsBelowZero(given))
      return Fail(ErrorCode::kInvalidArgument, request.Name("weight") + " " + Quoted(given) +
                                                   ": a weight is a finite number >= 0");
    edge.weight = *weight + 0.0f;  // -0 becomes 0
  }
  edge.label = request.Text("label");
  PLEXUS_TRY(TakeTime(workspace, request, "created_at", edge.created_at));
  PLEXUS_TRY(TakeTime(workspace, request, "valid_from", edge.valid_from));
  PLEXUS_TRY(TakeTime(workspace, request, "valid_until", edge.valid_until));
  PLEXUS_TRY(CheckValidTimes(request, edge));
  if (request.Given("created_by")) edge.created_by = request.Text("created_by");
  std::string properties;
  if (request.Given("props")) {
    PLEXUS_ASSIGN(properties, formats_internal::PropertiesFromJson(request.Text("props")));
    edge.properties = properties;
  }
  const std::string& kind = request.Text("kind");
  NoteNewKind(workspace, kind);
  const auto match = workspace.schema().FindEdgeKind(kind);
  const bool index = match && workspace.schema().edge_kind(match->kind).plane == Plane::kIndex;
  WriteBatch batch = MakeBatch(workspace, request);
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(edge.source, Endpoint(batch, snapshot, request.Text("source"), kind, index));
  PLEXUS_ASSIGN(edge.target, Endpoint(batch, snapshot, request.Text("target"), kind, index));
  edge.kind = batch.EdgeKindNamed(kind);
  batch.Link(edge);
  return Change(workspace, request, batch);
}

Result<Reply> RunUnlink(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  const std::string &kind = request.Text("kind"), &label = request.Text("label");
  PLEXUS_ASSIGN(NodeId source, FindAliveNode(snapshot, request.Text("source")));
  PLEXUS_ASSIGN(NodeId target, FindAliveNode(snapshot, request.Text("target")));
  PLEXUS_ASSIGN(const auto match, FindEdgeKind(snapshot.schema(), kind));
  const auto stored = snapshot.state().strings.Find(label);
  const bool linked =
      (label.empty() || stored) &&
      snapshot.FindEdge(match.reversed ? target : source, match.kind,
                        match.reversed ? source : target, label.empty() ? 0 : *stored);
  if (!linked)
    return Fail(ErrorCode::kNotFound, "no edge " + request.Text("source") + " " + kind + " " +
                                          request.Text("target") +
                                          (label.empty() ? "" : " with label '" + label + "'"));
  WriteBatch batch = MakeBatch(workspace, request);
  batch.Unlink(NodeRef::Id(source), batch.EdgeKindNamed(kind), NodeRef::Id(target), label);
  return Change(workspace, request, batch);
}

Result<Reply> RunRemove(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(CheckMeant(workspace.snapshot(), request.Text("key")));
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(workspace.snapshot(), request.Text("key")));
  WriteBatch batch = MakeBatch(workspace, request);
  batch.RemoveNode(NodeRef::Id(node));
  return Change(workspace, request, batch);
}

Result<Reply> RunPurge(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(CheckMeant(workspace.snapshot(), request.Text("key")));
  PLEXUS_ASSIGN(const NodeId node, FindNode(workspace.snapshot(), request.Text("key")));
  ApplyReport report;
  if (request.Flag("hard")) {
    const NodeId nodes[] = {node};
    PLEXUS_TRY(workspace.database().HardPurge(nodes, workspace.progress()));
    report.sequence = workspace.graph().snapshot().sequence();
    report.nodes.removed = 1;
  } else {
    const std::string_view stored[] = {workspace.snapshot().key(node)};
    PLEXUS_ASSIGN(report,
                  workspace.database().Purge(stored, workspace.now_ms(), workspace.progress()));
  }
  return ChangeReply(request, report);
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
            Text("weight", "W", "finite, >= 0 (default: keep, or 1 when new)").MayBeEmpty(),
            Text("label", "L", "tells parallel edges apart").MayBeEmpty(),
            Text("created_at", "TIME", "default: now").Named(Means::kTime),
            Text("created_by", "NAME", "who says so").MayBeEmpty(),
            Text("valid_from", "TIME", "valid from then on").Named(Means::kTime),
            Text("valid_until", "TIME", "valid until just before then").Named(Means::kTime),
            Text("props", "JSON", "an object of properties"), ExpectSequenceParameter(),
            DryRunParameter()},
       .reply = kChangeShape,
       .examples = {{"plexus link --db g alice knows bob --weight 0.8",
                     "one edge, durable when it returns"},
                    {"plexus link --db g m2 supersedes m1",
                     "m2 hides m1 from recall and traverse"}},
       .run = RunLink,
       .access = MakesGraph});
  rows.push_back(
      {.name = "unlink",
       .group = "Change",
       .title = "Take an edge back",
       .summary = "Take one edge back; the past keeps it",
       .effect = Effect::kWrite,
       .parameters = {Text("source", "A", "the source's key").Named(Means::kKey).Positional(),
                      Text("kind", "KIND", "the edge's kind").Named(Means::kEdgeKind).Positional(),
                      Text("target", "B", "the target's key").Named(Means::kKey).Positional(),
                      Text("label", "L", "of the edge that is meant").MayBeEmpty(),
                      ExpectSequenceParameter(), DryRunParameter()},
       .reply = kChangeShape,
       .examples = {{"plexus unlink --db g alice knows bob", "the edge is gone from now on"},
                    {"plexus unlink --db g m2 supersedes m1 --json", "m1 shows again"}},
       .run = RunUnlink,
       .access = ChangesGraph});
  rows.push_back(
      {.name = "remove",
       .group = "Change",
       .title = "Remove a node",
       .summary = "Remove a node with its edges; the past keeps them",
       .effect = Effect::kWrite,
       .parameters = {Key(), ExpectSequenceParameter(), DryRunParameter()},
       .reply = kChangeShape,
       .examples = {{"plexus remove --db g alice", "alice and her edges are gone from now on"},
                    {"plexus remove --db g m1 --json",
                     "many at once: {\"remove\":\"m1\"} lines for import"}},
       .run = RunRemove,
       .access = ChangesGraph});
  rows.push_back(
      {.name = "purge",
       .group = "Change",
       .title = "Erase a node",
       .summary = "Erase what a node holds, from the past too (reads the log; rewrites it when "
                  "words or tags were its alone)",
       .effect = Effect::kDestroy,
       .parameters = {Key(), Flag("hard", "rewrite the log without its key and edges as well")},
       .reply = kChangeShape,
       .examples = {{"plexus purge --db g m1",
                     "text, words, tags and vectors of m1, at every point in time"},
                    {"plexus purge --db g m1 --hard",
                     "the key and the edges too; slow, rewrites the log"}},
       .run = RunPurge});
}

}  // namespace plexus::tools
