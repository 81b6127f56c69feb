// remember, correct: a memory by its text. What is missing is made: a key, terms, vectors;
// and what the memory may contradict or repeat is in the reply.
#include <optional>
#include <string>
#include <utility>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/given_values.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/kept_rules.h"
#include "tools/operations/memory/memory_around.h"
#include "tools/operations/memory/memory_key.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/text_vectors.h"

namespace plexus::tools {
namespace {

Status SetTimes(Workspace& workspace, const Request& request, WriteBatch& batch, NodeRef node) {
  PLEXUS_ASSIGN(const auto created, GivenTime(workspace, request, "time"));
  PLEXUS_ASSIGN(const auto from, GivenTime(workspace, request, "valid_from"));
  PLEXUS_ASSIGN(const auto until, GivenTime(workspace, request, "valid_until"));
  PLEXUS_TRY(CheckValidTimes(request, from, until, "the memory would never be visible"));
  if (created) batch.SetI64(node, ColumnRef(builtin::kCreatedAt), *created);
  if (from) batch.SetI64(node, ColumnRef(builtin::kValidFrom), *from);
  if (until) batch.SetI64(node, ColumnRef(builtin::kValidUntil), *until);
  return {};
}

// "KIND=KEY": an edge from the memory, or to it under an inverse name.
Status Relate(Workspace& workspace, const Request& request, WriteBatch& batch, NodeRef node) {
  for (const std::string& given : request.List("relate")) {
    const std::size_t equal = given.find('=');
    if (equal == 0 || equal == std::string::npos)
      return Invalid(request.Name("relate"), ": ", Quoted(given),
                     " is not KIND=KEY, such as supports=m3");
    const std::string kind = given.substr(0, equal);
    const auto known = workspace.schema().FindEdgeKind(kind);
    if (known && workspace.schema().edge_kind(known->kind).plane == Plane::kIndex)
      return Invalid(request.Name("relate"), ": ", Quoted(kind), " is no kind between memories");
    NoteNewEdgeKind(workspace, kind);
    PLEXUS_ASSIGN(const NodeId other,
                  FindAliveNode(workspace.snapshot(), given.substr(equal + 1)));
    if (!workspace.snapshot().is_fact(other))
      return Invalid(request.Name("relate"), ": ", Quoted(given), " names an index node");
    batch.ExpectNode(NodeRef::Id(other));
    batch.Link(node, batch.EdgeKindNamed(kind), NodeRef::Id(other));
  }
  return {};
}

// Laid over those of a memory that is known.
Status SetProperties(const Snapshot& snapshot, const Request& request, const MemoryKey& key,
                     WriteBatch& batch, NodeRef node) {
  std::string bytes;
  if (request.Given("props"))
    PLEXUS_SET(bytes, formats::internal::PropertiesFromJson(request.Text("props")));
  if (request.Given("source")) {
    PropertyMapBuilder map;
    map.String("source", request.Text("source"));
    PLEXUS_ASSIGN(const std::string source, map.Finish());
    PLEXUS_ASSIGN(bytes, formats::internal::MergeProperties(bytes, source));
  }
  if (bytes.empty()) return {};
  if (const auto there = key.known ? snapshot.Find(key.key) : std::nullopt) {
    const PayloadRef ref = snapshot.payload_ref(*there, NodeField::kProperties);
    const Result<std::string> stored = ref ? snapshot.Payload(ref) : std::string();
    if (!stored && stored.error().code != ErrorCode::kNotFound)
      return std::unexpected(stored.error());
    if (stored) {  // else purged
      PLEXUS_ASSIGN(bytes, formats::internal::MergeProperties(*stored, bytes));
    }
    batch.ExpectPayload(node, NodeField::kProperties, ref);
  }
  batch.SetPayload(node, NodeField::kProperties, bytes);
  return {};
}

Status SetTags(const Request& request, WriteBatch& batch, NodeRef node) {
  PLEXUS_TRY(CheckTags(request));
  for (const std::string& tag : request.List("tags"))
    batch.Link(node, builtin::kHasTag, batch.IndexNode(builtin::kTag, tag));
  return {};
}

Status SetKind(Workspace& workspace, const Request& request, const std::string& kind,
               WriteBatch& batch, NodeRef node) {
  const auto known = workspace.schema().FindNodeKind(kind);
  if (known && workspace.schema().node_kind(*known).plane == Plane::kIndex)
    return Invalid("kind ", Quoted(kind), " is of index nodes; ",
                   request.Command("put", workspace.directory()), " makes them");
  NoteNewNodeKind(workspace, kind);
  batch.UpsertNode(node, batch.NodeKindNamed(kind));
  return {};
}

// All but what a correction adds. `key` is what the memory is called.
Result<WriteBatch> BatchOf(Workspace& workspace, const Request& request, const MemoryKey& key,
                           const std::string& kind, NodeRef& node) {
  WriteBatch batch = MakeBatch(workspace, request);
  node = batch.Node(key.key);
  if (key.known)
    batch.ExpectNode(node);
  else
    batch.ExpectNoNode(node);
  if (!key.known || request.Given("kind"))
    PLEXUS_TRY(SetKind(workspace, request, kind, batch, node));
  batch.SetPayload(node, NodeField::kText, request.Text("text"));
  PLEXUS_TRY(SetTimes(workspace, request, batch, node));
  PLEXUS_TRY(SetTags(request, batch, node));
  PLEXUS_TRY(SetProperties(workspace.snapshot(), request, key, batch, node));
  PLEXUS_TRY(Relate(workspace, request, batch, node));
  return batch;
}

Reply RememberReply(const Request& request, PreviewResult written, const std::string& key,
                    bool known, std::optional<NodeId> supersedes, MemoryAround around,
                    std::size_t vectors) {
  const Snapshot snapshot = written.snapshot;
  Reply change = ChangeReply(request, written.report);
  std::string headline = known               ? "known as "
                         : IsDryRun(request) ? "would be "
                                             : "remembered as ";
  headline += Escaped(key) + "\n";
  std::string closing = Truncated(around.truncated, "there may be more around it") + change.page;
  Reply reply([snapshot, key, known, supersedes, vectors, around = std::move(around),
               members = std::move(change.members)](ReplyWriter& json) mutable {
    json.Field("key", key);
    json.Field("known", known);
    if (supersedes) json.Node("supersedes", snapshot, *supersedes);
    json.Field("vectors", vectors);
    json.Field("truncated", around.truncated);
    WriteAround(json, snapshot, around);
    members(json);
  });
  reply.headline = std::move(headline);
  reply.closing = std::move(closing);
  return reply;
}

// Indexes, looks around, writes.
Result<Reply> Write(Workspace& workspace, const Request& request, WriteBatch batch, NodeRef node,
                    const MemoryKey& key, std::optional<NodeId> supersedes) {
  PLEXUS_TRY(KeepTerms(workspace, batch));
  PLEXUS_ASSIGN(const std::size_t vectors,
                AddTextVectors(workspace, request, batch, node, key.key));
  PLEXUS_ASSIGN(PreviewResult written, ApplyOrPreview(workspace, request, batch));
  const auto made = written.snapshot.Find(key.key);
  MemoryAround around;
  if (made) {
    Result<MemoryAround> found = LookAround(workspace, request, written.snapshot, *made);
    if (found)
      around = *std::move(found);
    else  // It is written all the same.
      workspace.notes().push_back(
          {"what is around it could not be read: " + found.error().message, Note::kWarning});
    around.truncated |= !found;
  }
  return RememberReply(request, std::move(written), key.key, key.known, supersedes,
                       std::move(around), vectors);
}

Result<Reply> RunRemember(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(const MemoryKey key, KeyOfMemory(workspace, request));
  NodeRef node;
  PLEXUS_ASSIGN(WriteBatch batch, BatchOf(workspace, request, key, request.Text("kind"), node));
  return Write(workspace, request, std::move(batch), node, key, std::nullopt);
}

// Tags and scope of what is corrected.
void Inherit(const Snapshot& snapshot, const Request& request, WriteBatch& batch, NodeRef node,
             NodeId old) {
  if (const auto scope = snapshot.string_column(builtin::kScope, old))
    batch.SetString(node, ColumnRef(builtin::kScope), snapshot.string(*scope));
  if (request.Given("tags")) return;
  snapshot.ForEachArc(
      Direction::kOut, old, ArcFilter::Kind(snapshot.schema(), builtin::kHasTag),
      [&](const Arc& arc) { batch.Link(node, builtin::kHasTag, NodeRef::Id(arc.neighbor)); });
}

Result<Reply> RunCorrect(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId old, FindAliveNode(snapshot, request.Text("old")));
  const std::string shown = Quoted(request.Text("old"));
  if (!snapshot.is_fact(old)) return Invalid(shown, " is an index node, and no memory");
  PLEXUS_ASSIGN(const memory::SupersessionWalk walk,
                memory::WalkSupersession(snapshot, old, workspace.now_ms(), 1000, {}));
  if (walk.head != old && walk.head != kNoNode)
    return FailedPrecondition(
        shown, " was superseded by ", Quoted(ShownKey(snapshot, walk.head)),
        ", which is what to correct: ",
        request.Command("correct", workspace.directory(), ShownKey(snapshot, walk.head)));
  PLEXUS_ASSIGN(const MemoryKey key, KeyOfMemory(workspace, request));
  if (key.known) {
    const bool itself = snapshot.Find(key.key) == old;
    return Fail(ErrorCode::kAlreadyExists,
                Quoted(key.key) + " says that already: " +
                    (itself ? ""
                            : request.Command("link", workspace.directory()) +
                                  " makes it supersede " + shown + ", ") +
                    request.Name("key") + " with a new key says it once more");
  }
  NodeRef node;
  const std::string kind = snapshot.schema().node_kind(snapshot.node_kind(old)).name;
  PLEXUS_ASSIGN(WriteBatch batch, BatchOf(workspace, request, key, kind, node));
  Inherit(snapshot, request, batch, node, old);
  WriteBatch::EdgeInput edge{
      .source = node, .target = NodeRef::Id(old), .kind = builtin::kSupersedes};
  // Until the correction holds, the old memory does.
  PLEXUS_ASSIGN(const auto from, GivenTime(workspace, request, "valid_from"));
  if (from) edge.valid_from = *from;
  std::string reason;
  if (request.Given("reason")) {
    PropertyMapBuilder map;
    map.String("reason", request.Text("reason"));
    PLEXUS_ASSIGN(reason, map.Finish());
    edge.properties = reason;
  }
  batch.ExpectNode(NodeRef::Id(old));
  batch.Link(edge);
  return Write(workspace, request, std::move(batch), node, key, old);
}

Parameters MemoryParameters() {
  return {
      Text("key", "KEY", "its key (default: made of its first words)").Named(Means::kText),
      List("tags", "A,B", "its tags"),
      Text("source", "NAME", "who said it, or where it is written: property source"),
      Text("time", "TIME", "when it was said or happened: created_at (default: now)")
          .Named(Means::kTime),
      Text("valid_from", "TIME", "valid from then on").Named(Means::kTime),
      Text("valid_until", "TIME", "valid until just before then").Named(Means::kTime),
      Repeated("relate", "KIND=KEY",
               "an edge to another memory, such as supports=m3; an inverse name swaps the ends"),
      Text("props", "JSON", "an object of properties"),
      Count("top", "K", "list at most K memories of each kind around it")
          .Default(std::uint64_t{5})
          .Between(1, 100),
      CheckParameter(),
      ExpectSequenceParameter(),
      DryRunParameter()};
}

std::string RememberShape() {
  return std::string("key:s, known:b, supersedes?:k, vectors:n, truncated:b, ") + kAroundShape +
         ", " + kChangeShape;
}

}  // namespace

void AddRemember(Rows& rows) {
  rows.push_back(
      {.name = "remember",
       .group = "Change",
       .title = "Remember a text",
       .summary = "Add a memory by its text, and list what it may contradict or repeat",
       .effect = Effect::kWrite,
       .parameters = Parameters{Text("text", "TEXT", "the text of the memory").Positional(),
                                Text("kind", "KIND", "its kind")
                                    .Named(Means::kNodeKind)
                                    .Default(std::string("memory"))} +
                     MemoryParameters(),
       .reply = RememberShape(),
       .tables = kAroundTables,
       .examples = {{"plexus remember --db g \"Deploys run every night from the release branch.\" "
                     "--tags deploy",
                     "a memory with a key of its own, found by its words at once"},
                    {"plexus remember --db g \"Payouts pause on Sundays.\" --source handbook "
                     "--valid-from 2026-01-01 --relate supports=m3 --json",
                     "with its source, its valid time and a memory that it supports"}},
       .run = RunRemember,
       .access = MakesGraph});
  rows.push_back(
      {.name = "correct",
       .group = "Change",
       .title = "Correct a memory",
       .summary = "Add a memory that supersedes an old one, which stays in the past",
       .effect = Effect::kWrite,
       .parameters = Parameters{Text("old", "OLD", "the memory that no longer holds")
                                    .Named(Means::kKey)
                                    .Positional(),
                                Text("text", "TEXT", "what holds instead").Positional(),
                                Text("reason", "TEXT", "why: a property of the edge supersedes")} +
                     MemoryParameters(),
       .reply = RememberShape(),
       .tables = kAroundTables,
       .examples =
           {{"plexus correct --db g m1 \"The gateway remembers keys for 48 hours.\"",
             "recall shows the new one from now on; --include-superseded shows the old one, too"},
            {"plexus correct --db g m1 \"Payouts run daily.\" --reason \"new contract\" "
             "--dry-run",
             "its key and what it may contradict, without writing it"}},
       .run = RunCorrect,
       .access = ChangesGraph});
}

}  // namespace plexus::tools
