// Collecting operations. Bytes go to one arena; checks wait for Apply.
#include "engine/write_batch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/string_table.h"
#include "engine/vocabulary.h"

namespace plexus {

NameRef WriteBatch::Intern(std::vector<std::string>& names, std::string_view name) {
  auto it = std::find(names.rbegin(), names.rend(), name);  // the last used is the likely one
  if (it != names.rend())
    return NameRef::Local(static_cast<std::uint16_t>(names.rend() - it - 1));
  if (names.size() >= 65535) return NameRef::Local(65535);  // refused by Apply
  names.emplace_back(name);
  return NameRef::Local(static_cast<std::uint16_t>(names.size() - 1));
}

WriteBatch::Bytes WriteBatch::Store(std::string_view bytes) {
  Bytes b{arena_.size(), static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), UINT32_MAX))};
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
  LocalNode node;
  node.key = Store(key);
  node.hash = StringTable::Hash(key);
  nodes_.push_back(node);
  return {NodeRef::kLocal | (nodes_.size() - 1)};
}

NodeRef WriteBatch::IndexNode(KindId kind, std::string_view name) {
  const auto kinds = BuiltinNodeKinds();
  // Of a user's index kind the caller composes the key. Apply takes the kind from the
  // key's prefix.
  if (kind >= kinds.size() || kinds[kind].name.empty()) return Node(name);
  return Node(IndexKey(kinds[kind].name, name));
}

WriteBatch::Op& WriteBatch::Push(OpCode code, NodeRef node) {
  Op op;
  op.code = code;
  op.node = node;
  op.edges_before = edges_.size();
  ops_.push_back(op);
  return ops_.back();
}

NodeRef WriteBatch::UpsertNode(std::string_view key, std::optional<NameRef> kind) {
  NodeRef ref = Node(key);
  UpsertNode(ref, kind);
  return ref;
}
void WriteBatch::UpsertNode(NodeRef node, std::optional<NameRef> kind) {
  Op& op = Push(OpCode::kUpsert, node);
  op.has_name = kind.has_value();
  if (kind) op.name = *kind;
}
void WriteBatch::RemoveNode(NodeRef node) { Push(OpCode::kRemove, node); }
void WriteBatch::PurgeNode(NodeRef node) { Push(OpCode::kPurge, node); }

void WriteBatch::SetF64(NodeRef node, NameRef column, double value) {
  Op& op = Push(OpCode::kSetF64, node);
  op.name = column;
  op.value = std::bit_cast<std::uint64_t>(value);
}
void WriteBatch::SetI64(NodeRef node, NameRef column, std::int64_t value) {
  Op& op = Push(OpCode::kSetI64, node);
  op.name = column;
  op.value = static_cast<std::uint64_t>(value);
}
void WriteBatch::SetString(NodeRef node, NameRef column, std::string_view value) {
  Bytes bytes = Store(value);
  Op& op = Push(OpCode::kSetString, node);
  op.name = column;
  op.bytes = bytes;
}
void WriteBatch::ClearColumn(NodeRef node, NameRef column) {
  Push(OpCode::kClearColumn, node).name = column;
}
void WriteBatch::AddF64(NodeRef node, NameRef column, double delta) {
  Op& op = Push(OpCode::kAddF64, node);
  op.name = column;
  op.value = std::bit_cast<std::uint64_t>(delta);
}
void WriteBatch::AddI64(NodeRef node, NameRef column, std::int64_t delta) {
  Op& op = Push(OpCode::kAddI64, node);
  op.name = column;
  op.value = static_cast<std::uint64_t>(delta);
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
void WriteBatch::SetVector(NodeRef node, NameRef space, std::span<const float> values) {
  Bytes stored = Store({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  Op& op = Push(OpCode::kSetVector, node);
  op.name = space;
  op.bytes = stored;
}
void WriteBatch::ClearVector(NodeRef node, NameRef space) {
  Push(OpCode::kClearVector, node).name = space;
}

void WriteBatch::Link(const EdgeInput& in) {
  EdgeOp e;
  e.source = in.source;
  e.target = in.target;
  e.kind = in.kind;
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

void WriteBatch::Link(NodeRef source, NameRef kind, NodeRef target, float weight) {
  EdgeOp e;
  e.source = source;
  e.target = target;
  e.kind = kind;
  e.has = kWeight;
  e.weight = weight;
  edges_.push_back(e);
}

void WriteBatch::Unlink(NodeRef source, NameRef kind, NodeRef target, std::string_view label) {
  EdgeOp e;
  e.source = source;
  e.target = target;
  e.kind = kind;
  e.has = kRemoved;
  e.label = StoreLabel(label);
  edges_.push_back(e);
}

WriteBatch::Expectation& WriteBatch::Expect(Expected what, NodeRef node) {
  Expectation e;
  e.what = what;
  e.node = node;
  expectations_.push_back(e);
  return expectations_.back();
}
void WriteBatch::ExpectSequence(Sequence sequence) { Expect(Expected::kSequence, {}).value = sequence; }
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
void WriteBatch::ExpectF64(NodeRef node, NameRef column, std::optional<double> value) {
  Expectation& e = Expect(Expected::kF64, node);
  e.name = column;
  e.absent = !value;
  if (value) e.value = std::bit_cast<std::uint64_t>(*value);
}
void WriteBatch::ExpectI64(NodeRef node, NameRef column, std::optional<std::int64_t> value) {
  Expectation& e = Expect(Expected::kI64, node);
  e.name = column;
  e.absent = !value;
  if (value) e.value = static_cast<std::uint64_t>(*value);
}
void WriteBatch::ExpectString(NodeRef node, NameRef column, std::optional<std::string_view> value) {
  Expectation& e = Expect(Expected::kString, node);
  e.name = column;
  e.absent = !value;
  if (value) e.bytes = Store(*value);
}
void WriteBatch::ExpectEdge(NodeRef source, NameRef kind, NodeRef target, std::string_view label) {
  Expectation& e = Expect(Expected::kLinked, source);
  e.name = kind;
  e.target = target;
  e.bytes = Store(label);
}
void WriteBatch::ExpectNoEdge(NodeRef source, NameRef kind, NodeRef target, std::string_view label) {
  ExpectEdge(source, kind, target, label);
  expectations_.back().what = Expected::kNotLinked;
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
}

void WriteBatch::Append(const WriteBatch& other) {
  auto map_names = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
    std::vector<std::uint16_t> map;
    for (const std::string& name : from) map.push_back(Intern(to, name).id);
    return map;
  };
  const auto node_kind_map = map_names(node_kind_names_, other.node_kind_names_);
  const auto edge_kind_map = map_names(edge_kind_names_, other.edge_kind_names_);
  const auto column_map = map_names(column_names_, other.column_names_);
  const auto space_map = map_names(space_names_, other.space_names_);
  const std::uint64_t bytes = arena_.size();
  const std::uint64_t nodes = nodes_.size();
  const auto labels = static_cast<std::uint32_t>(labels_.size());
  const auto rares = static_cast<std::uint32_t>(rare_.size());
  const std::size_t edges = edges_.size();
  auto moved = [&](Bytes b) { return Bytes{b.offset + bytes, b.size}; };
  auto node_ref = [&](NodeRef r) { return r.local() ? NodeRef{r.bits + nodes} : r; };
  auto name = [](NameRef r, const std::vector<std::uint16_t>& map) {
    return r.local && r.id < map.size() ? NameRef::Local(map[r.id]) : r;
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
      case OpCode::kUpsert: op.name = name(op.name, node_kind_map); break;
      case OpCode::kSetVector:
      case OpCode::kClearVector: op.name = name(op.name, space_map); break;
      case OpCode::kSetF64:
      case OpCode::kSetI64:
      case OpCode::kSetString:
      case OpCode::kAddF64:
      case OpCode::kAddI64:
      case OpCode::kClearColumn: op.name = name(op.name, column_map); break;
      default: break;
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
    const bool edge = e.what == Expected::kLinked || e.what == Expected::kNotLinked;
    e.node = node_ref(e.node);
    e.target = node_ref(e.target);
    e.name = name(e.name, edge ? edge_kind_map : column_map);
    e.bytes = moved(e.bytes);
    expectations_.push_back(e);
  }
}

}  // namespace plexus
