// undo: what one batch changed becomes what it was, by a new batch; the past keeps both.
//
// The states before and after the batch say what it changed. Each change is turned round if the
// graph still has what the batch left there; if one has not, nothing is written. Index nodes (tags,
// terms) that others use since stay. A value is written as it was: text, properties, columns,
// vectors, and of edges all they have.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/time_limit.h"
#include "tools/operations/graph/state_comparison.h"
#include "tools/operations/memory/kept_rules.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

class Undoing {
 public:
  Undoing(const Snapshot& before, const Snapshot& after, const Snapshot& now, WriteBatch& batch)
      : before_(before), after_(after), now_(now), batch_(batch), began_(batch.op_count()) {
    if (const auto record = retrieval::ReadTermRecord(now)) term_record_ = record->stored;
  }

  // Ends come and go before their edges, and what the index keeps of itself with others.
  Status Run(const std::vector<NodeId>& nodes, const Request& request) {
    for (const NodeId node : nodes) {
      PLEXUS_TRY(CheckTime(request));
      if (!IsTermRecord(node)) PLEXUS_TRY(TurnNode(node));
    }
    for (const NodeId node : nodes) {
      PLEXUS_TRY(CheckTime(request));
      std::vector<EdgeComparison> edges;
      CompareEdges(before_, after_, node,
                   [&](EdgeComparison edge) { edges.push_back(std::move(edge)); });
      for (const EdgeComparison& edge : edges) PLEXUS_TRY(TurnEdge(edge));
    }
    for (const NodeId node : nodes)
      if (IsTermRecord(node) && any()) PLEXUS_TRY(TurnNode(node));
    return {};
  }
  bool any() const { return batch_.op_count() > began_; }

 private:
  std::unexpected<Error> Changed(NodeId node) const {
    return Fail(ErrorCode::kConflict, "'" + ShownKey(now_, node) + "' was changed after batch " +
                                          std::to_string(after_.sequence()) +
                                          ": take back what came later first");
  }

  static NodeComparison Compare(const Snapshot& then, const Snapshot& later, NodeId node) {
    NodeComparison found = CompareNode(then, later, node);
    if (found.was && found.is) found.spaces = ChangedSpaces(then, later, node);
    return found;
  }
  bool IsTermRecord(NodeId node) const {
    return term_record_ && now_.payload_ref(node, NodeField::kProperties) == term_record_;
  }
  // How many edges it has but those to its words, which an index makes.
  static std::size_t EdgeCount(const Snapshot& snapshot, NodeId node) {
    return snapshot.Degree(Direction::kBoth, node, ArcFilter::All()) -
           snapshot.Degree(Direction::kOut, node,
                           ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm));
  }
  // Whether edges came to the node or left it, or others did so, after the batch.
  bool HasOtherEdges(NodeId node) const { return EdgeCount(now_, node) != EdgeCount(after_, node); }
  // Tags, terms and the like, which stay for others; an event or outcome is what was recorded.
  bool IsShared(NodeId node) const {
    const NodeKindId kind = after_.node_kind(node);
    return !after_.is_fact(node) && kind != builtin::kEvent && kind != builtin::kOutcome;
  }
  bool Lives(NodeId node) const { return IsAlive(now_, node) || restored_.contains(node); }

  Status TurnNode(NodeId node) {
    const NodeComparison made = Compare(before_, after_, node);
    if (made.same()) return {};
    const NodeComparison since = Compare(after_, now_, node);
    // What the index of terms keeps of itself is of every batch.
    if (IsTermRecord(node) && !since.same()) return {};
    const bool fact = after_.is_fact(node), shared = IsShared(node);
    if (!made.was) {
      // An index node that is gone, or in use by others, needs nothing.
      if (!fact && (!since.is || (shared && HasOtherEdges(node)))) return {};
      if (!since.same() || HasOtherEdges(node)) return Changed(node);
      batch_.RemoveNode(NodeRef::Id(node));
      removed_.insert(node);
      return {};
    }
    if (!made.is) {
      if (since.is) return fact ? Status(Changed(node)) : Status();
      return Restore(node);
    }
    if (!since.is || (made.kind && since.kind)) return Changed(node);
    const auto both = [](const auto& mine, const auto& others) {
      return std::ranges::any_of(
          mine, [&](const auto& one) { return std::ranges::find(others, one) != others.end(); });
    };
    if (both(made.columns, since.columns) || both(made.payloads, since.payloads) ||
        both(made.spaces, since.spaces))
      return Changed(node);
    const NodeRef ref = NodeRef::Id(node);
    if (made.kind) batch_.UpsertNode(ref, KindOf(node));
    for (const ColumnId column : made.columns) SetColumn(node, column);
    for (const NodeField field : made.payloads) PLEXUS_TRY(SetPayload(node, field));
    for (const SpaceId space : made.spaces) PLEXUS_TRY(SetVector(node, space));
    return {};
  }

  NodeKindRef KindOf(NodeId node) {
    return batch_.NodeKindNamed(before_.schema().node_kind(before_.node_kind(node)).name);
  }

  // A removed node, with all that it had.
  Status Restore(NodeId node) {
    batch_.UpsertNode(NodeRef::Id(node), KindOf(node));
    restored_.insert(node);
    for (std::size_t id = 0; id < before_.schema().columns().size(); ++id)
      SetColumn(node, static_cast<ColumnId>(id));
    for (const NodeField field : {NodeField::kText, NodeField::kProperties})
      PLEXUS_TRY(SetPayload(node, field));
    for (std::size_t id = 0; id < before_.schema().spaces().size(); ++id)
      PLEXUS_TRY(SetVector(node, static_cast<SpaceId>(id)));
    return {};
  }

  // To what it was; columns that came with the batch, to none.
  void SetColumn(NodeId node, ColumnId id) {
    const Column& column = now_.schema().columns()[id];
    if (column.name.empty()) return;  // an id that no column has
    const NodeRef ref = NodeRef::Id(node);
    const ColumnRef name = batch_.ColumnNamed(column.name);
    const bool known = static_cast<std::size_t>(id) < before_.schema().columns().size();
    if (!known || before_.column_bits(id, node) == AbsentBits(column.type)) {
      batch_.ClearColumn(ref, name);
      return;
    }
    switch (column.type) {
      case ColumnType::kF64:
        return batch_.SetF64(ref, name, *before_.f64(id, node));
      case ColumnType::kI64:
        return batch_.SetI64(ref, name, *before_.i64(id, node));
      case ColumnType::kString:
        return batch_.SetString(ref, name, before_.string(*before_.string_column(id, node)));
    }
  }

  Status SetPayload(NodeId node, NodeField field) {
    const PayloadRef stored = before_.payload_ref(node, field);
    if (!stored) {
      batch_.ClearPayload(NodeRef::Id(node), field);
      return {};
    }
    PLEXUS_ASSIGN(const std::string bytes, before_.Payload(stored));
    batch_.SetPayload(NodeRef::Id(node), field, bytes);
    return {};
  }

  Status SetVector(NodeId node, SpaceId id) {
    if (now_.schema().spaces()[id].name.empty()) return {};
    const SpaceRef name = batch_.SpaceNamed(now_.schema().spaces()[id].name);
    const VectorView* space = before_.space(id);
    if (!space || !space->has(node)) {
      if (const VectorView* present = now_.space(id); present && present->has(node))
        batch_.ClearVector(NodeRef::Id(node), name);
      return {};
    }
    PLEXUS_ASSIGN(const VectorView* values, before_.vectors(id));
    batch_.SetVector(NodeRef::Id(node), name,
                     values->vector(node, buffer_).first(values->dimensions()));
    return {};
  }

  Status TurnEdge(const EdgeComparison& changed) {
    const Edge& edge = changed.then ? *changed.then : *changed.now;
    const std::optional<Edge> present =
        now_.FindEdge(edge.source, edge.kind, edge.target, edge.label);
    if (changed.then && present && SameEdgeValue(before_, *changed.then, now_, *present)) return {};
    const bool as_left =
        changed.now ? present && SameEdgeValue(after_, *changed.now, now_, *present) : !present;
    const std::string& kind = now_.schema().edge_kind(edge.kind).name;
    const NodeRef source = NodeRef::Id(edge.source), target = NodeRef::Id(edge.target);
    if (!as_left) return Changed(edge.source);
    if (!changed.then) {
      if (!removed_.contains(edge.source) && !removed_.contains(edge.target))
        batch_.Unlink(source, batch_.EdgeKindNamed(kind), target, now_.string(edge.label));
      return {};
    }
    for (const NodeId end : {edge.source, edge.target})
      if (!Lives(end)) return Changed(end);
    std::string properties;
    if (edge.properties) PLEXUS_SET(properties, before_.Payload(edge.properties));
    batch_.Link({.source = source,
                 .target = target,
                 .kind = batch_.EdgeKindNamed(kind),
                 .label = before_.string(edge.label),
                 .weight = edge.weight,
                 .created_at = edge.created_at,
                 .created_by = before_.string(edge.created_by),
                 .valid_from = edge.valid_from,
                 .valid_until = edge.valid_until,
                 .properties = properties});
    return {};
  }

  const Snapshot &before_, &after_, &now_;
  WriteBatch& batch_;
  const std::size_t began_;
  PayloadRef term_record_;
  std::set<NodeId> removed_, restored_;  // by this batch
  VectorBuffer buffer_;
};

Result<Reply> RunUndo(Workspace& workspace, const Request& request) {
  const Snapshot& now = workspace.snapshot();
  const Sequence sequence = request.MaybeCount("batch").value_or(now.sequence());
  if (sequence == 0) return NotFound("there is no batch yet");
  if (sequence > now.sequence())
    return NotFound("there is no batch ", sequence, ", the last one is ", now.sequence());
  Database& database = workspace.database();
  PLEXUS_ASSIGN(const Snapshot before, database.AsOf(sequence - 1, workspace.timed_progress()));
  PLEXUS_ASSIGN(const Snapshot after, database.AsOf(sequence, workspace.timed_progress()));
  PLEXUS_ASSIGN(const auto nodes, database.NodesChanged(sequence - 1, sequence, after.node_count(),
                                                        workspace.timed_progress()));
  if (!nodes)
    return FailedPrecondition("something was purged in or after batch ", sequence,
                              ": it cannot be taken back");
  WriteBatch batch = MakeBatch(workspace, request);
  batch.ExpectSequence(now.sequence());
  Undoing undoing(before, after, now, batch);
  PLEXUS_TRY(undoing.Run(*nodes, request));
  if (!undoing.any())  // a hard purge leaves a record with nothing in it
    return FailedPrecondition("batch ", sequence, " has nothing to take back: it changed no node ",
                              "and no edge, others use what it made, or that was purged with its ",
                              "past");
  return Change(workspace, request, batch);
}

}  // namespace

void AddUndo(Rows& rows) {
  rows.push_back(
      {.name = "undo",
       .group = "Change",
       .title = "Take back a batch",
       .summary = "Take back what one batch changed, by a new one; refused where it was changed "
                  "again since",
       .effect = Effect::kWrite,
       .parameters = {Optional(Count("batch", "SEQ",
                                     "the batch's sequence, as log shows it (default: the last)")
                                   .AtLeast(1)
                                   .Positional()),
                      CheckParameter(), ExpectSequenceParameter(), DryRunParameter()},
       .reply = kChangeShape,
       .examples = {{"plexus undo --db g 17 --dry-run", "what would be taken back"},
                    {"plexus undo --db g 17",
                     "a node that batch 17 removed is there again, with its text and edges"}},
       .run = RunUndo,
       .access = ChangesGraph,
       .reach = Reach::kDirectory});
}

}  // namespace plexus::tools
