// Collecting operations. Bytes go to one arena; checks wait for Apply.
#include "engine/write_batch.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "engine/arrays/string_table.h"
#include "engine/internal/edges_digest.h"
#include "engine/vocabulary.h"

namespace plexus {

NodeKindRef WriteBatch::NodeKindNamed(std::string_view name) {
  return {Stamp(), node_kind_names_.NumberOf(name)};
}
EdgeKindRef WriteBatch::EdgeKindNamed(std::string_view name) {
  return {Stamp(), edge_kind_names_.NumberOf(name)};
}
ColumnRef WriteBatch::ColumnNamed(std::string_view name) {
  return {Stamp(), column_names_.NumberOf(name)};
}
SpaceRef WriteBatch::SpaceNamed(std::string_view name) {
  return {Stamp(), space_names_.NumberOf(name)};
}

void WriteBatch::BeginRefs() {
  const auto count = [](const auto& all) { return static_cast<std::uint32_t>(all.size()); };
  refs_.Begin({count(nodes_), count(node_kind_names_), count(edge_kind_names_),
               count(column_names_), count(space_names_)});
}

template <class Id>
bool WriteBatch::Owns(NameRef<Id> name) const {
  if (!name.local()) return true;
  const auto owns = [&](engine_internal::BatchRefs::Table table,
                        const engine_internal::BatchNames& names) {
    return refs_.Owns(name.stamp(), table, name.index(), names.size());
  };
  if constexpr (std::same_as<Id, NodeKindId>)
    return owns(engine_internal::BatchRefs::kNodeKinds, node_kind_names_);
  else if constexpr (std::same_as<Id, EdgeKindId>)
    return owns(engine_internal::BatchRefs::kEdgeKinds, edge_kind_names_);
  else if constexpr (std::same_as<Id, ColumnId>)
    return owns(engine_internal::BatchRefs::kColumns, column_names_);
  else
    return owns(engine_internal::BatchRefs::kSpaces, space_names_);
}
template bool WriteBatch::Owns(EdgeKindRef name) const;

template <class Id>
WriteBatch::Name WriteBatch::Own(NameRef<Id> name) {
  if (!Owns(name)) [[unlikely]]
    NoteForeign(std::same_as<Id, NodeKindId>   ? "a NodeKindRef"
                : std::same_as<Id, EdgeKindId> ? "an EdgeKindRef"
                : std::same_as<Id, ColumnId>   ? "a ColumnRef"
                                               : "a SpaceRef",
                name.stamp());
  return {name.index(), name.local()};
}

Status WriteBatch::CheckRefs() const {
  const engine_internal::BatchRefs::Foreign& foreign = refs_.foreign();
  if (foreign.operation == 0) return {};
  return Invalid(
      "operation ", foreign.operation, ": ", foreign.what,
      (foreign.unset ? " that was never set" : " of another batch, or of this one before Clear()"));
}

WriteBatch::Bytes WriteBatch::Store(std::string_view bytes) {
  Bytes b{arena_.size(),
          static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), UINT32_MAX))};
  arena_.append(bytes);
  return b;
}

std::uint32_t WriteBatch::StoreLabel(std::string_view label) {
  if (label.empty()) return 0;
  if (!labels_.empty() && View(labels_.back()) == label)
    return static_cast<std::uint32_t>(labels_.size());
  labels_.push_back(Store(label));
  return static_cast<std::uint32_t>(labels_.size());
}

NodeRef WriteBatch::Node(std::string_view key) {
  const std::uint32_t stamp = Stamp();
  LocalNode node;
  node.key = Store(key);
  node.hash = StringTable::Hash(key);
  nodes_.push_back(node);
  return {stamp, static_cast<std::uint32_t>(nodes_.size() - 1)};
}

NodeRef WriteBatch::IndexNode(NodeKindId kind, std::string_view name) {
  const auto kinds = BuiltinNodeKinds();
  // Of a user's index kind the caller composes the key. Apply takes the kind from the
  // key's prefix.
  if (kind >= kinds.size() || kinds[kind].name.empty()) return Node(name);
  return Node(IndexKey(kinds[kind].name, name));
}

WriteBatch::Op& WriteBatch::Push(OpCode code, NodeRef node, Name name) {
  Op op;
  op.code = code;
  op.name = name;
  op.node = Own(node);
  op.edges_before = edges_.size();
  ops_.push_back(op);
  return ops_.back();
}

NodeRef WriteBatch::UpsertNode(std::string_view key, std::optional<NodeKindRef> kind) {
  NodeRef ref = Node(key);
  UpsertNode(ref, kind);
  return ref;
}
void WriteBatch::UpsertNode(NodeRef node, std::optional<NodeKindRef> kind) {
  Push(OpCode::kUpsert, node, kind ? Own(*kind) : Name()).has_name = kind.has_value();
}
void WriteBatch::RemoveNode(NodeRef node) { Push(OpCode::kRemove, node); }
void WriteBatch::PurgeNode(NodeRef node) { Push(OpCode::kPurge, node); }
void WriteBatch::ForgetKey(NodeRef node) { Push(OpCode::kForget, node); }

void WriteBatch::SetF64(NodeRef node, ColumnRef column, double value) {
  Push(OpCode::kSetF64, node, Own(column)).value = std::bit_cast<std::uint64_t>(value);
}
void WriteBatch::SetI64(NodeRef node, ColumnRef column, std::int64_t value) {
  Push(OpCode::kSetI64, node, Own(column)).value = static_cast<std::uint64_t>(value);
}
void WriteBatch::SetString(NodeRef node, ColumnRef column, std::string_view value) {
  Push(OpCode::kSetString, node, Own(column)).bytes = Store(value);
}
void WriteBatch::ClearColumn(NodeRef node, ColumnRef column) {
  Push(OpCode::kClearColumn, node, Own(column));
}
void WriteBatch::AddF64(NodeRef node, ColumnRef column, double delta) {
  Push(OpCode::kAddF64, node, Own(column)).value = std::bit_cast<std::uint64_t>(delta);
}
void WriteBatch::AddI64(NodeRef node, ColumnRef column, std::int64_t delta) {
  Push(OpCode::kAddI64, node, Own(column)).value = static_cast<std::uint64_t>(delta);
}
void WriteBatch::SetPayload(NodeRef node, NodeField field, std::string_view bytes) {
  Bytes stored = Store(bytes);
  Op& op = Push(OpCode::kSetPayload, node);
  op.field = static_cast<std::uint8_t>(field);
  op.bytes = stored;
}
void WriteBatch::ClearPayload(NodeRef node, NodeField field) {
  Push(OpCode::kClearPayload, node).field = static_cast<std::uint8_t>(field);
}
void WriteBatch::SetVector(NodeRef node, SpaceRef space, std::span<const float> values) {
  Push(OpCode::kSetVector, node, Own(space)).bytes =
      Store({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}
void WriteBatch::ClearVector(NodeRef node, SpaceRef space) {
  Push(OpCode::kClearVector, node, Own(space));
}

void WriteBatch::Link(const EdgeInput& in) {
  EdgeOp e;
  e.source = Own(in.source);
  e.target = Own(in.target);
  e.kind = Own(in.kind);
  e.label = StoreLabel(in.label);
  if (in.weight) e.has |= kWeight, e.weight = *in.weight;
  if (in.created_at) e.has |= kCreatedAt, e.created_at = *in.created_at;
  if (in.created_by || in.valid_from || in.valid_until || in.properties) {
    Rare rare;
    e.has |= kHasRare;
    e.rare = static_cast<std::uint32_t>(rare_.size());
    if (in.created_by) e.has |= kCreatedBy, rare.created_by = Store(*in.created_by);
    if (in.valid_from) e.has |= kValidFrom, rare.valid_from = *in.valid_from;
    if (in.valid_until) e.has |= kValidUntil, rare.valid_until = *in.valid_until;
    if (in.properties) e.has |= kProperties, rare.properties = Store(*in.properties);
    rare_.push_back(rare);
  }
  edges_.push_back(e);
}

void WriteBatch::Link(NodeRef source, EdgeKindRef kind, NodeRef target,
                      std::optional<float> weight) {
  EdgeOp e;
  e.source = Own(source);
  e.target = Own(target);
  e.kind = Own(kind);
  if (weight) e.has = kWeight, e.weight = *weight;
  edges_.push_back(e);
}

void WriteBatch::Unlink(NodeRef source, EdgeKindRef kind, NodeRef target, std::string_view label) {
  EdgeOp e;
  e.source = Own(source);
  e.target = Own(target);
  e.kind = Own(kind);
  e.has = kRemoved;
  e.label = StoreLabel(label);
  edges_.push_back(e);
}

WriteBatch::Expectation& WriteBatch::Expect(Expected what, NodeRef node, Name name) {
  Expectation e;
  e.what = what;
  e.name = name;
  e.node = Own(node);
  expectations_.push_back(e);
  return expectations_.back();
}
void WriteBatch::ExpectSequence(Sequence sequence) {
  Expect(Expected::kSequence, NodeRef::Id(0)).value = sequence;  // of no node
}
void WriteBatch::ExpectNode(NodeRef node) { Expect(Expected::kAlive, node); }
void WriteBatch::ExpectNoNode(NodeRef node) { Expect(Expected::kNotAlive, node); }
NodeRef WriteBatch::ExpectNode(std::string_view key) {
  const NodeRef node = Node(key);
  ExpectNode(node);
  return node;
}
NodeRef WriteBatch::ExpectNoNode(std::string_view key) {
  const NodeRef node = Node(key);
  ExpectNoNode(node);
  return node;
}
void WriteBatch::ExpectKind(NodeRef node, NodeKindId kind) {
  Expect(Expected::kKind, node).value = kind.value();
}
void WriteBatch::ExpectF64(NodeRef node, ColumnRef column, std::optional<double> value) {
  Expectation& e = Expect(Expected::kF64, node, Own(column));
  e.absent = !value;
  if (value) e.value = std::bit_cast<std::uint64_t>(*value);
}
void WriteBatch::ExpectI64(NodeRef node, ColumnRef column, std::optional<std::int64_t> value) {
  Expectation& e = Expect(Expected::kI64, node, Own(column));
  e.absent = !value;
  if (value) e.value = static_cast<std::uint64_t>(*value);
}
void WriteBatch::ExpectString(NodeRef node, ColumnRef column,
                              std::optional<std::string_view> value) {
  Expectation& e = Expect(Expected::kString, node, Own(column));
  e.absent = !value;
  if (value) e.bytes = Store(*value);
}
void WriteBatch::ExpectEdge(NodeRef source, EdgeKindRef kind, NodeRef target,
                            std::string_view label) {
  Own(target);
  Expectation& e = Expect(Expected::kLinked, source, Own(kind));
  e.target = target;
  e.bytes = Store(label);
}
void WriteBatch::ExpectNoEdge(NodeRef source, EdgeKindRef kind, NodeRef target,
                              std::string_view label) {
  ExpectEdge(source, kind, target, label);
  expectations_.back().what = Expected::kNotLinked;
}
void WriteBatch::ExpectWeight(NodeRef source, EdgeKindRef kind, NodeRef target, float weight,
                              std::string_view label) {
  ExpectEdge(source, kind, target, label);
  expectations_.back().what = Expected::kWeight;
  expectations_.back().value = std::bit_cast<std::uint32_t>(weight);
}
void WriteBatch::ExpectPayload(NodeRef node, NodeField field, PayloadRef ref) {
  Expectation& e = Expect(Expected::kPayload, node);
  e.field = field;
  e.value = ref.bits;
}
void WriteBatch::ExpectEdges(NodeRef source, EdgeKindId kind, const Snapshot& snapshot,
                             NodeId node) {
  const std::uint64_t digest = engine_internal::EdgesDigest(snapshot, node, kind);
  Expect(Expected::kEdges, source, Own(EdgeKindRef(kind))).value = digest;
}

bool WriteBatch::empty() const {
  return ops_.empty() && edges_.empty() && nodes_.empty() && node_kinds_.empty() &&
         edge_kinds_.empty() && columns_.empty() && spaces_.empty() && expectations_.empty();
}

void WriteBatch::Clear() {
  node_kinds_.clear();
  edge_kinds_.clear();
  columns_.clear();
  spaces_.clear();
  node_kind_names_.clear();
  edge_kind_names_.clear();
  column_names_.clear();
  space_names_.clear();
  arena_.clear();
  nodes_.clear();
  labels_.clear();
  ops_.clear();
  edges_.clear();
  rare_.clear();
  expectations_.clear();
  refs_ = {};
}

void WriteBatch::Append(const WriteBatch& other) {
  const std::uint32_t stamp = Stamp();  // of all that `other` has named
  links_revive_ |= other.links_revive_;
  if (const engine_internal::BatchRefs::Foreign& theirs = other.refs_.foreign();
      theirs.operation != 0)
    refs_.NoteForeign({op_count() + theirs.operation, theirs.what, theirs.unset});
  auto map_names = [](engine_internal::BatchNames& to, const engine_internal::BatchNames& from) {
    std::vector<std::uint16_t> map;
    for (const std::string& name : from) map.push_back(to.NumberOf(name));
    return map;
  };
  const auto node_kind_map = map_names(node_kind_names_, other.node_kind_names_);
  const auto edge_kind_map = map_names(edge_kind_names_, other.edge_kind_names_);
  const auto column_map = map_names(column_names_, other.column_names_);
  const auto space_map = map_names(space_names_, other.space_names_);
  const std::uint64_t bytes = arena_.size();
  const auto nodes = static_cast<std::uint32_t>(nodes_.size());
  const auto labels = static_cast<std::uint32_t>(labels_.size());
  const auto rares = static_cast<std::uint32_t>(rare_.size());
  const std::size_t edges = edges_.size();
  auto moved = [&](Bytes b) { return Bytes{b.offset + bytes, b.size}; };
  auto node_ref = [&](NodeRef r) { return r.local() ? NodeRef(stamp, r.index() + nodes) : r; };
  auto name = [](Name r, const std::vector<std::uint16_t>& map) {
    return r.local && r.id < map.size() ? Name{map[r.id], 1} : r;
  };

  node_kinds_.insert(node_kinds_.end(), other.node_kinds_.begin(), other.node_kinds_.end());
  edge_kinds_.insert(edge_kinds_.end(), other.edge_kinds_.begin(), other.edge_kinds_.end());
  columns_.insert(columns_.end(), other.columns_.begin(), other.columns_.end());
  spaces_.insert(spaces_.end(), other.spaces_.begin(), other.spaces_.end());
  arena_.append(other.arena_);
  for (LocalNode n : other.nodes_) {
    n.key = moved(n.key);
    nodes_.push_back(n);
  }
  for (Bytes l : other.labels_) labels_.push_back(moved(l));
  for (Rare r : other.rare_) {
    r.created_by = moved(r.created_by);
    r.properties = moved(r.properties);
    rare_.push_back(r);
  }
  for (Op op : other.ops_) {
    op.node = node_ref(op.node);
    op.bytes = moved(op.bytes);
    op.edges_before += edges;
    switch (op.code) {
      case OpCode::kUpsert:
        op.name = name(op.name, node_kind_map);
        break;
      case OpCode::kSetVector:
      case OpCode::kClearVector:
        op.name = name(op.name, space_map);
        break;
      case OpCode::kSetF64:
      case OpCode::kSetI64:
      case OpCode::kSetString:
      case OpCode::kAddF64:
      case OpCode::kAddI64:
      case OpCode::kClearColumn:
        op.name = name(op.name, column_map);
        break;
      default:
        break;
    }
    ops_.push_back(op);
  }
  edges_.reserve(edges_.size() + other.edges_.size());
  for (EdgeOp e : other.edges_) {
    e.source = node_ref(e.source);
    e.target = node_ref(e.target);
    e.kind = name(e.kind, edge_kind_map);
    if (e.label) e.label += labels;
    if (e.has & kHasRare) e.rare += rares;
    edges_.push_back(e);
  }
  for (Expectation e : other.expectations_) {
    const bool edge = e.what >= Expected::kLinked;
    e.node = node_ref(e.node);
    e.target = node_ref(e.target);
    e.name = name(e.name, edge ? edge_kind_map : column_map);
    e.bytes = moved(e.bytes);
    expectations_.push_back(e);
  }
}

}  // namespace plexus

// --- Stamps of batches, and what a copy inherits.
//
// A copy takes its own stamp when it first names something; what it had named by then is what it
// was copied with, so that is the bound for the references of its origin.

namespace plexus::engine_internal {

namespace {

constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

std::uint32_t NextStamp() {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t stamp;
  do stamp = last.fetch_add(1, std::memory_order_relaxed) + 1;
  while (stamp == 0 || stamp == kUnsetStamp);
  return stamp;
}

}  // namespace

BatchRefs::BatchRefs(const BatchRefs& other)
    : last_(other.last_), older_(other.older_), foreign_(other.foreign_) {
  if (other.own_ == 0) return;
  if (last_.stamp != 0) older_.push_back(last_);
  last_.stamp = other.own_;
  last_.named.fill(kUnbounded);
}

BatchRefs::BatchRefs(BatchRefs&& other) noexcept
    : own_(std::exchange(other.own_, 0)),
      last_(std::exchange(other.last_, {})),
      older_(std::exchange(other.older_, {})),
      foreign_(std::exchange(other.foreign_, {})) {}

BatchRefs& BatchRefs::operator=(BatchRefs&& other) noexcept {
  own_ = std::exchange(other.own_, 0);
  last_ = std::exchange(other.last_, {});
  older_ = std::exchange(other.older_, {});
  foreign_ = std::exchange(other.foreign_, {});
  return *this;
}

void BatchRefs::Begin(const Counts& named) {
  own_ = NextStamp();
  if (last_.stamp != 0)
    for (std::size_t t = 0; t < named.size(); ++t)
      last_.named[t] = std::min(last_.named[t], named[t]);
}

bool BatchRefs::Inherited(std::uint32_t stamp, Table table, std::uint32_t index,
                          std::size_t named) const {
  const auto holds = [&](const Origin& origin) {
    return origin.stamp == stamp && index < origin.named[table] && index < named;
  };
  return stamp != 0 && (holds(last_) || std::ranges::any_of(older_, holds));
}

std::uint16_t BatchNames::NumberOf(std::string_view name) {
  constexpr std::size_t kFew = 16;
  const auto name_of = [&](std::uint16_t number) { return std::string_view(names_[number]); };
  auto place = by_name_.end();
  if (names_.size() <= kFew) {
    const auto it = std::find(names_.rbegin(), names_.rend(), name);  // likely one of the last
    if (it != names_.rend()) return static_cast<std::uint16_t>(names_.rend() - it - 1);
  } else {
    if (by_name_.size() < names_.size()) {  // there have just become many
      by_name_.resize(names_.size());
      std::iota(by_name_.begin(), by_name_.end(), std::uint16_t{0});
      std::ranges::sort(by_name_, {}, name_of);
    }
    place = std::ranges::lower_bound(by_name_, name, {}, name_of);
    if (place != by_name_.end() && name_of(*place) == name) return *place;
  }
  if (names_.size() >= kTooMany) return kTooMany;
  const auto number = static_cast<std::uint16_t>(names_.size());
  names_.emplace_back(name);
  if (number > kFew) by_name_.insert(place, number);
  return number;
}

}  // namespace plexus::engine_internal
