// From ids of the part to keys, and from keys to a batch of the whole graph.
#include "tools/operations/scope/scoped_journal.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "engine/vectors/half.h"
#include "engine/vocabulary.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/scope/scope_sight.h"

namespace plexus::tools {
namespace {

// Says one record again, as a batch of `sight`'s graph.
class Restated {
 public:
  Restated(const Snapshot& part, const Record& record, const ScopeSight& sight,
           const std::vector<std::string>& scopes)
      : part_(part),
        record_(record),
        sight_(sight),
        whole_(sight.snapshot()),
        scopes_(scopes),
        batch_(record.time_ms) {}

  Result<WriteBatch> Make() && {
    Define();
    PLEXUS_TRY(NewNodes());
    PLEXUS_TRY(ChangedNodes());
    PLEXUS_TRY(Columns());
    PLEXUS_TRY(Contents());
    PLEXUS_TRY(Edges());
    for (const NodeRef node : removed_) batch_.RemoveNode(node);
    return std::move(batch_);
  }

 private:
  // Whether a removed fact may come back in the scopes: all that names it still, such as an event,
  // is of facts in them.
  bool MayRevive(NodeId node) const {
    bool may = true;
    whole_.ForEachArc(Direction::kBoth, node, ArcFilter::All(), [&](const Arc& arc) {
      bool mine = false, other = false;
      whole_.ForEachArc(Direction::kBoth, arc.neighbor, ArcFilter::All(), [&](const Arc& next) {
        if (!whole_.is_fact(next.neighbor) || !whole_.alive(next.neighbor)) return;
        (sight_.InScopes(next.neighbor) ? mine : other) = true;
      });
      may = mine && !other;
      return may;
    });
    return may;
  }
  // What it holds is not stated: removing it takes that away, or it is a record of the whole graph.
  bool StaysHere(NodeId node) const {
    return dead_.contains(node) || ScopedJournal::IsRecord(Key(node));
  }
  bool IsNew(NodeId node) const { return node >= part_.node_count(); }
  std::string_view Key(NodeId node) const {
    if (!IsNew(node)) return part_.key(node);
    const std::size_t i = node - record_.first_node;
    return std::string_view(record_.key_bytes)
        .substr(record_.key_offsets[i], record_.key_offsets[i + 1] - record_.key_offsets[i]);
  }
  std::string_view String(StringId id) const {
    if (record_.string_offsets.empty() || id < record_.first_string) return part_.string(id);
    const std::size_t i = id - record_.first_string;
    return std::string_view(record_.string_bytes)
        .substr(record_.string_offsets[i],
                record_.string_offsets[i + 1] - record_.string_offsets[i]);
  }
  template <class Id, class T>
  static const T& Definition(Id id, const std::vector<T>& known, Id first,
                             const std::vector<T>& added) {
    return id < known.size() ? known[id] : added[id.value() - first.value()];
  }
  const NodeKind& KindOf(NodeKindId id) const {
    return Definition(id, part_.schema().node_kinds(), record_.first_node_kind,
                      record_.node_kind_definitions);
  }
  const EdgeKind& KindOf(EdgeKindId id) const {
    return Definition(id, part_.schema().edge_kinds(), record_.first_edge_kind,
                      record_.edge_kind_definitions);
  }
  const Column& ColumnOf(ColumnId id) const {
    return Definition(id, part_.schema().columns(), record_.first_column,
                      record_.column_definitions);
  }
  const VectorSpace& SpaceOf(SpaceId id) const {
    return Definition(id, part_.schema().spaces(), record_.first_space, record_.space_definitions);
  }

  // Names that the whole graph has keep its traits.
  void Define() {
    const Schema& schema = whole_.schema();
    for (const NodeKind& kind : record_.node_kind_definitions)
      if (!schema.FindNodeKind(kind.name)) batch_.DefineNodeKind(kind);
    for (const EdgeKind& kind : record_.edge_kind_definitions) DefineMissing(kind, schema, batch_);
    for (const Column& column : record_.column_definitions)
      if (!schema.FindColumn(column.name)) batch_.DefineColumn(column);
    for (const VectorSpace& space : record_.space_definitions)
      if (!schema.FindSpace(space.name)) batch_.DefineSpace(space);
  }

  static std::unexpected<Error> Taken(std::string_view key) {
    return FailedPrecondition("the key ", Quoted(DisplayName(key)),
                              " cannot be used in this scope; take another one");
  }

  // A tag, term, file or session, which scopes share: its edges are the scope's, what it holds is
  // nobody's.
  bool IsWord(NodeId node) const {
    const NodeKindId kind = IsNew(node) ? NodeKindId(record_.node_kinds[node - record_.first_node])
                                        : part_.node_kind(node);
    return ScopeSight::IsShared(kind);
  }
  Status WordHolds(NodeId node) const {
    return FailedPrecondition(
        Quoted(DisplayName(Key(node))),
        " is a word that scopes share: what it holds is not changed in one of them");
  }

  // The node of a key in the whole graph, which the scopes may touch.
  Result<NodeRef> Node(NodeId node) {
    const std::string_view key = Key(node);
    const NodeRef ref = batch_.Node(key);
    const auto there = whole_.Find(key);
    const bool index = key.find(kIndexSeparator) != std::string_view::npos;
    if (!there || !whole_.alive(*there)) {
      if (there && !index && !MayRevive(*there)) return Taken(key);
      if (met_.insert(key).second) batch_.ExpectNoNode(ref);
      return ref;
    }
    if (index) {
      if (!IsWord(node) && sight_.Of(*there) != Seen::kAll) return Taken(key);
      return ref;
    }
    if (!sight_.InScopes(*there)) return Taken(key);
    if (met_.insert(key).second) {
      const auto scope = whole_.string_column(builtin::kScope, *there);
      batch_.ExpectString(ref, builtin::kScope,
                          scope ? std::optional(whole_.string(*scope)) : std::nullopt);
    }
    return ref;
  }

  Status NewNodes() {
    for (std::size_t i = 0; i < record_.node_kinds.size(); ++i) {
      const NodeId id = record_.first_node + static_cast<NodeId>(i);
      if (ScopedJournal::IsRecord(Key(id))) continue;
      const NodeKind& kind = KindOf(NodeKindId(record_.node_kinds[i]));
      PLEXUS_ASSIGN(const NodeRef node, Node(id));
      if (kind.plane == Plane::kFact)
        batch_.UpsertNode(node, batch_.NodeKindNamed(kind.name));
      else if (!whole_.FindAlive(Key(id)))
        batch_.UpsertNode(node);
    }
    return {};
  }

  Status ChangedNodes() {
    NodeId stated = kNoNode;  // whose kind was changed last: before it comes back
    for (const NodeChange& change : record_.node_changes) {
      if (change.what == NodeChange::kPurge || change.what == NodeChange::kForget)
        return FailedPrecondition(
            "a purge reads and rewrites the log of all scopes; it is not for a session of "
            "one scope");
      if (ScopedJournal::IsRecord(Key(change.node))) continue;
      PLEXUS_ASSIGN(const NodeRef node, Node(change.node));
      const bool revives = change.what == NodeChange::kRevive;
      if (change.what == NodeChange::kSetKind || (revives && stated != change.node)) {
        const NodeKindId kind = revives ? part_.node_kind(change.node) : NodeKindId(change.value);
        batch_.UpsertNode(node, batch_.NodeKindNamed(KindOf(kind).name));
        stated = change.node;
      } else if (IsWord(change.node)) {
        dead_.insert(change.node);  // its edges go, one by one
      } else if (change.what == NodeChange::kRemove && dead_.insert(change.node).second) {
        removed_.push_back(node);
      }
    }
    return {};
  }

  Status Columns() {
    for (const ColumnChange& change : record_.columns) {
      if (StaysHere(change.node)) continue;
      PLEXUS_ASSIGN(const NodeRef node, Node(change.node));
      if (IsWord(change.node)) {
        if (change.column == builtin::kCreatedAt) continue;  // of who had it first
        return WordHolds(change.node);
      }
      const Column& column = ColumnOf(change.column);
      const ColumnRef name = batch_.ColumnNamed(column.name);
      const std::string_view text = column.type == ColumnType::kString && !change.cleared
                                        ? String(static_cast<StringId>(change.bits))
                                        : std::string_view();
      if (change.column == builtin::kScope &&
          std::ranges::find(scopes_, change.cleared ? builtin::kDefaultScope : text) ==
              scopes_.end())
        return FailedPrecondition("the scope ",
                                  Quoted(change.cleared ? builtin::kDefaultScope : text),
                                  " is not that of this session");
      if (change.cleared)
        batch_.ClearColumn(node, name);
      else if (column.type == ColumnType::kF64)
        batch_.SetF64(node, name, std::bit_cast<double>(change.bits));
      else if (column.type == ColumnType::kI64)
        batch_.SetI64(node, name, std::bit_cast<std::int64_t>(change.bits));
      else
        batch_.SetString(node, name, text);
    }
    return {};
  }

  std::string_view Bytes(PayloadRef ref) const { return record_.payloads[ref.ordinal()].bytes; }

  Status Contents() {
    for (const PayloadChange& change : record_.payload_changes) {
      if (StaysHere(change.node)) continue;
      PLEXUS_ASSIGN(const NodeRef node, Node(change.node));
      if (IsWord(change.node)) return WordHolds(change.node);
      const auto field = static_cast<NodeField>(change.field);
      if (change.ref)
        batch_.SetPayload(node, field, Bytes(change.ref));
      else
        batch_.ClearPayload(node, field);
    }
    for (const VectorChange& change : record_.vectors) {
      if (StaysHere(change.node)) continue;
      PLEXUS_ASSIGN(const NodeRef node, Node(change.node));
      if (IsWord(change.node)) return WordHolds(change.node);
      const VectorSpace& space = SpaceOf(SpaceId(change.space));
      const SpaceRef name = batch_.SpaceNamed(space.name);
      if (!change.ref) {
        batch_.ClearVector(node, name);
        continue;
      }
      const std::string_view bytes = Bytes(change.ref);
      std::vector<float> values(space.dimensions);
      if (space.element == VectorElement::kF32)
        std::memcpy(values.data(), bytes.data(), bytes.size());
      else
        for (std::size_t i = 0; i < values.size(); ++i) {
          std::uint16_t half;
          std::memcpy(&half, bytes.data() + i * sizeof(half), sizeof(half));
          values[i] = FloatFromHalf(half);
        }
      batch_.SetVector(node, name, values);
    }
    return {};
  }

  Status Edges() {
    auto extra = record_.edge_extras.begin();
    for (std::size_t i = 0; i < record_.edges.size(); ++i) {
      const EdgeChange& edge = record_.edges[i];
      while (extra != record_.edge_extras.end() && extra->index < i) ++extra;
      const bool has_extra = extra != record_.edge_extras.end() && extra->index == i;
      if (IsWord(edge.source) && IsWord(edge.target)) return WordHolds(edge.source);
      PLEXUS_ASSIGN(const NodeRef source, Node(edge.source));
      PLEXUS_ASSIGN(const NodeRef target, Node(edge.target));
      const EdgeKindRef kind = batch_.EdgeKindNamed(KindOf(edge.kind).name);
      if (edge.tombstone()) {
        batch_.Unlink(source, kind, target, String(edge.label));
        continue;
      }
      WriteBatch::EdgeInput input{.source = source,
                                  .target = target,
                                  .kind = kind,
                                  .label = String(edge.label),
                                  .weight = edge.weight,
                                  .created_at = edge.created_at,
                                  .created_by = "",
                                  .valid_from = kNoTime,
                                  .valid_until = kNoTime,
                                  .properties = ""};
      std::string properties;
      if (has_extra) {
        input.created_by = String(extra->created_by);
        input.valid_from = extra->valid_from;
        input.valid_until = extra->valid_until;
        if (const PayloadRef ref = extra->properties; ref && ref.sequence() == record_.sequence) {
          input.properties = Bytes(ref);
        } else if (ref) {
          PLEXUS_ASSIGN(properties, part_.Payload(ref));
          input.properties = properties;
        }
      }
      batch_.Link(input);
    }
    return {};
  }

  const Snapshot& part_;
  const Record& record_;
  const ScopeSight& sight_;
  const Snapshot& whole_;
  const std::vector<std::string>& scopes_;
  WriteBatch batch_;
  std::set<std::string_view> met_;
  std::set<NodeId> dead_;
  std::vector<NodeRef> removed_;
};

}  // namespace

void DefineMissing(EdgeKind kind, const Schema& schema, WriteBatch& batch) {
  // A kind of the name of a built-in one's inverse is a kind of its own.
  const auto known = schema.FindEdgeKind(kind.name);
  if (known && !known->reversed) return;
  if (kind.source_kind >= builtin::kFirstUserNodeKind) kind.source_kind = kNoNodeKind;
  if (kind.target_kind >= builtin::kFirstUserNodeKind) kind.target_kind = kNoNodeKind;
  batch.DefineEdgeKind(std::move(kind));
}

bool ScopedJournal::IsRecord(std::string_view key) {
  static const std::string begins = IndexKey("inscription", "plexus.");
  return key.starts_with(begins);
}

constexpr std::uint64_t kChangeBytes = 64;  // of a node, an edge, a value

Status ScopedJournal::Append(std::span<const Record> group, Durability durability) {
  for (const Record& record : group) {
    if (!copying_) {
      // One at a time: the ids of a second one of a group would be those of the first, too.
      if (group.size() > 1) return FailedPrecondition("a session of a scope has one writer");
      const ScopeSight sight(whole_.snapshot(), scopes_);
      PLEXUS_ASSIGN(const WriteBatch batch,
                    Restated(part_->snapshot(), record, sight, scopes_).Make());
      const Result<ApplyReport> applied = whole_.Apply(batch, {.durability = durability});
      if (!applied && applied.error().code == ErrorCode::kConflict)
        return Fail(ErrorCode::kConflict, "the graph was changed meanwhile; ask again");
      PLEXUS_TRY(applied);
    }
    const std::unique_lock lock(mutex_);
    held_ += kChangeBytes * (record.node_kinds.size() + record.node_changes.size() +
                             record.columns.size() + record.edges.size());
    for (const Payload& payload : record.payloads) {
      payloads_[PayloadRef::Make(record.sequence, payload.ordinal).bits] = payload.bytes;
      held_ += kChangeBytes + payload.bytes.size();
    }
  }
  return {};
}

Result<std::string> ScopedJournal::Get(PayloadRef ref) const {
  const std::shared_lock lock(mutex_);
  const auto at = payloads_.find(ref.bits);
  if (at == payloads_.end()) return NotFound("there is no such payload");
  return at->second;
}

}  // namespace plexus::tools
