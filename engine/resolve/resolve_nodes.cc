// Resolving a batch, second part: nodes, their columns, payloads and vectors.
//
// Operations run in order over Pending (what the batch makes of a node); what is
// left at the end, compared with the snapshot, becomes the record.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <flatbuffers/flexbuffers.h>

#include "engine/resolve/batch_resolver.h"
#include "engine/vectors/half.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

bool Creates(std::uint8_t code) {
  using Op = std::uint8_t;
  // Upsert, every Set and Add; not Remove, Purge, Clear, Forget.
  constexpr bool kCreates[] = {true, false, false, true,  true, true, false,
                               true, false, true,  false, true, true, false};
  return kCreates[static_cast<Op>(code)];
}

}  // namespace

Status BatchResolver::Nodes() {
  const std::size_t count = b_.nodes_.size();
  locals_.assign(count, kNoNode);
  std::vector<std::uint8_t> creates(count, 0);
  auto mark = [&](NodeRef ref) {
    if (ref.local() && ref.index() < count) creates[ref.index()] = 1;
  };
  for (const auto& op : b_.ops_)
    if (Creates(static_cast<std::uint8_t>(op.code))) mark(op.node);
  for (const auto& e : b_.edges_) {
    if (e.has & WriteBatch::kRemoved) continue;
    mark(e.source);
    mark(e.target);
  }
  constexpr std::size_t kAhead = 12;  // index lines on their way
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) w_.keys.Prefetch(b_.nodes_[i].hash);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) w_.keys.Prefetch(b_.nodes_[i + kAhead].hash);
    if (auto id = w_.keys.Find(b_.View(b_.nodes_[i].key), b_.nodes_[i].hash))
      locals_[i] = *id;
    else if (creates[i])
      PLEXUS_TRY(AddNode(i));
  }
  for (std::size_t i = 0; i < count; ++i) {  // named only; perhaps created further down
    if (locals_[i] != kNoNode || creates[i]) continue;
    auto it = new_keys_.find(HashedKey{b_.View(b_.nodes_[i].key), b_.nodes_[i].hash});
    if (it != new_keys_.end()) locals_[i] = it->second;
  }
  return {};
}

Status BatchResolver::AddNode(std::size_t local) {
  const HashedKey key{b_.View(b_.nodes_[local].key), b_.nodes_[local].hash};
  const auto next = static_cast<NodeId>(w_.keys.size() + new_nodes_.size());
  auto [it, inserted] = new_keys_.emplace(key, next);
  locals_[local] = it->second;
  if (!inserted) return {};
  const std::size_t separator = key.text.find(kIndexSeparator);
  const bool index = separator != std::string_view::npos;
  PLEXUS_TRY(CheckKey(key.text, index));
  if (std::uint64_t{next} >= Limits::kMaxNodes)
    return Exhausted("a graph holds at most ", Limits::kMaxNodes, " nodes");
  NodeKindId kind = builtin::kNode;
  if (index) {
    auto found = schema().FindNodeKind(key.text.substr(0, separator));
    if (!found || schema().node_kind(*found).plane != Plane::kIndex)
      return Invalid("index key of unknown index kind '", key.text.substr(0, separator), "'");
    kind = *found;
  }
  if (record_.key_offsets.empty()) {
    record_.first_node = next;
    record_.key_offsets.push_back(0);
  }
  record_.key_bytes.append(key.text);
  record_.key_offsets.push_back(record_.key_bytes.size());
  Pending p;
  p.node = next;
  p.kind = kind;
  p.is_new = true;
  new_nodes_.push_back(p);
  return {};
}

Result<NodeId> BatchResolver::NodeOf(NodeRef ref) const {
  if (ref.local()) {
    PLEXUS_CHECK(ref.index() < locals_.size(), "a NodeRef belongs to its batch");
    return locals_[ref.index()];
  }
  if (ref.index() >= now_.node_count())
    return Invalid("node id ", ref.index(), " is out of range, the graph has ", now_.node_count(),
                   " nodes");
  return ref.index();
}

BatchResolver::Pending* BatchResolver::FindPending(NodeId node) {
  if (node >= now_.node_count()) return &new_nodes_[node - now_.node_count()];
  auto it = old_index_.find(node);
  return it == old_index_.end() ? nullptr : &old_nodes_[it->second];
}

BatchResolver::Pending& BatchResolver::PendingOf(NodeId node) {
  if (Pending* p = FindPending(node)) return *p;
  Pending p;
  p.node = node;
  p.kind = now_.node_kind(node);
  p.was_alive = p.alive = now_.alive(node);
  old_index_.emplace(node, static_cast<std::uint32_t>(old_nodes_.size()));
  old_nodes_.push_back(p);
  return old_nodes_.back();
}

NodeKindId BatchResolver::KindOfNode(NodeId node) {
  const Pending* p = FindPending(node);
  return p ? p->kind : now_.node_kind(node);
}

std::string BatchResolver::KeyOf(NodeId node) const {
  std::string_view key;
  if (node < now_.node_count()) {
    key = now_.key(node);
  } else {
    const std::size_t i = node - now_.node_count();
    key = std::string_view(record_.key_bytes)
              .substr(record_.key_offsets[i], record_.key_offsets[i + 1] - record_.key_offsets[i]);
  }
  return Shown(key);
}

std::string BatchResolver::Shown(std::string_view key) {
  std::string text(key);
  std::replace(text.begin(), text.end(), kIndexSeparator, ':');
  return text;
}

Status BatchResolver::Operations() {
  std::uint64_t alive = 0;
  for (std::uint64_t n : w_.nodes_by_kind) alive += n;
  some_dead_ = alive != w_.keys.size();
  for (const auto& op : b_.ops_)
    some_dead_ |= op.code == OpCode::kRemove || op.code == OpCode::kPurge;
  // Links revive dead endpoints, those of the fact plane if the batch says so, in order with the
  // node operations. Without dead nodes there is nothing to revive, and edges are not looked at
  // here.
  std::size_t edge = 0;
  auto links_until = [&](std::size_t end) -> Status {
    for (; edge < end; ++edge) {
      const auto& e = b_.edges_[edge];
      if (e.has & WriteBatch::kRemoved) continue;
      PLEXUS_ASSIGN(auto kind, EdgeKindOf(e.kind));
      PLEXUS_ASSIGN(NodeId source, NodeOf(e.source));
      PLEXUS_ASSIGN(NodeId target, NodeOf(e.target));
      if (kind.reversed) std::swap(source, target);
      for (bool is_target : {false, true}) {
        const NodeId node = is_target ? target : source;
        if (IsForgotten(node)) return Forgotten(node);
        Pending* p = FindPending(node);
        if (!p && now_.alive(node)) continue;
        if (!p) p = &PendingOf(node);
        p->linked = true;
        if (p->alive || (p->is_new && p->removed_at == kNever)) continue;  // lives anyway
        if (is_target && schema().edge_kind(kind.kind).survives_removal) continue;
        if (!b_.links_revive_ && schema().node_kind(p->kind).plane == Plane::kFact)
          return RemovedEnd(node);
        Revive(*p, false);
      }
    }
    return {};
  };
  for (const auto& op : b_.ops_) {
    if (some_dead_) PLEXUS_TRY(links_until(op.edges_before));
    PLEXUS_TRY(Apply(op));
  }
  if (some_dead_) PLEXUS_TRY(links_until(b_.edges_.size()));
  for (Pending& p : new_nodes_)  // appeared as endpoints only
    if (!p.alive && p.removed_at == kNever) p.alive = true;
  return {};
}

Status BatchResolver::Apply(const WriteBatch::Op& op) {
  PLEXUS_ASSIGN(NodeId node, NodeOf(op.node));
  if (node == kNoNode) {  // unknown: nothing to remove or clear
    ++report_.nodes.same;
    return {};
  }
  if (IsForgotten(node)) {  // removed for ever
    if (Creates(static_cast<std::uint8_t>(op.code))) return Forgotten(node);
    ++report_.nodes.same;
    return {};
  }
  Pending& p = PendingOf(node);
  if (Creates(static_cast<std::uint8_t>(op.code)) && !p.alive) Revive(p, true);
  p.touched = true;
  switch (op.code) {
    case OpCode::kUpsert: {
      if (!op.has_name) return {};
      PLEXUS_ASSIGN(NodeKindId kind, NodeKindOf(op.name));
      return SetKind(p, kind);
    }
    case OpCode::kRemove:
    case OpCode::kPurge:
      if (p.is_new && !p.alive && !p.linked) return {};  // created further down
      if (op.code == OpCode::kPurge) p.purged = true;
      Remove(p, op.edges_before);
      return {};
    case OpCode::kSetF64:
    case OpCode::kSetI64:
    case OpCode::kSetString:
    case OpCode::kAddF64:
    case OpCode::kAddI64:
    case OpCode::kClearColumn:
      return SetColumn(op, node);
    case OpCode::kSetPayload:
    case OpCode::kClearPayload:
      return SetPayload(op, node);
    case OpCode::kSetVector:
    case OpCode::kClearVector:
      return SetVector(op, node);
    case OpCode::kForget:
      p.forget = !p.is_new;
      return {};
  }
  return {};
}

Status BatchResolver::Forgotten(NodeId node) {
  return Invalid("node id ", node, " was removed and its key forgotten");
}

Status BatchResolver::RemovedEnd(NodeId node) const {
  return Invalid("node '", KeyOf(node),
                 "' was removed, and a link does not bring it back; UpsertNode does");
}

// A key that some edge still needs, or that the batch used, stays.
bool BatchResolver::Forgets(const Pending& p) const {
  if (!p.forget || p.alive || p.linked) return false;
  bool has_arc = false;
  now_.ForEachArc(Direction::kBoth, p.node, ArcFilter::All(), [&](const Arc&) {
    has_arc = true;
    return false;
  });
  return !has_arc;
}

Status BatchResolver::SetKind(Pending& p, NodeKindId kind) {
  const NodeKind& to = schema().node_kind(kind);
  const std::string key = KeyOf(p.node);
  if (to.plane == Plane::kIndex || schema().node_kind(p.kind).plane == Plane::kIndex) {
    if (kind != p.kind)
      return Invalid("node '", key, "' cannot become of kind '", to.name,
                     "': the kind of an index node is part of its key");
    return {};
  }
  p.kind = kind;
  return {};
}

void BatchResolver::Revive(Pending& p, bool stamp) {
  p.alive = true;
  if (schema().node_kind(p.kind).plane == Plane::kFact) p.kind = builtin::kNode;  // as a new one
  if (!stamp) return;
  column_ops_.push_back(
      {p.node, builtin::kCreatedAt, ColumnOp::kSet, static_cast<std::uint64_t>(record_.time_ms)});
  p.set_columns.push_back(builtin::kCreatedAt);
}

void BatchResolver::Remove(Pending& p, std::size_t edges_before) {
  p.alive = false;
  p.removed_at = static_cast<std::int64_t>(edges_before);
  std::vector<ColumnId> clear = std::exchange(p.set_columns, {});
  for (ColumnId c{}; c < schema().columns().size(); ++c)
    if (c < now_.schema().columns().size() && !p.is_new &&
        now_.column_bits(c, p.node) != AbsentBits(schema().columns()[c].type))
      clear.push_back(c);
  for (ColumnId c : clear) column_ops_.push_back({p.node, c, ColumnOp::kClear, 0});
  for (std::uint32_t f = 0; f < kNodeFieldCount; ++f)
    payload_ops_.push_back({p.node, f, std::nullopt});
  for (SpaceId s{}; s < schema().spaces().size(); ++s)
    vector_ops_.push_back({p.node, s, std::nullopt});
}

Status BatchResolver::SetColumn(const WriteBatch::Op& op, NodeId node) {
  ColumnOp c;
  c.node = node;
  auto bad = [&](const char* what) {
    return Invalid("column '", schema().columns()[c.column].name, "' of node '", KeyOf(node), "' ",
                   what);
  };
  if (op.code == OpCode::kClearColumn) {
    PLEXUS_ASSIGN(c.column, ColumnOf(op.name, ColumnType::kF64, true));
    c.what = ColumnOp::kClear;
  } else if (op.code == OpCode::kSetF64 || op.code == OpCode::kAddF64) {
    PLEXUS_ASSIGN(c.column, ColumnOf(op.name, ColumnType::kF64, false));
    if (const char* what = Unstorable(op)) return bad(what);
    c.bits = op.value;
  } else if (op.code == OpCode::kSetI64 || op.code == OpCode::kAddI64) {
    PLEXUS_ASSIGN(c.column, ColumnOf(op.name, ColumnType::kI64, false));
    if (const char* what = Unstorable(op)) return bad(what);
    c.bits = op.value;
  } else {
    PLEXUS_ASSIGN(c.column, ColumnOf(op.name, ColumnType::kString, false));
    PLEXUS_ASSIGN(c.bits, InternString(b_.View(op.bytes)));
  }
  if (op.code == OpCode::kAddF64 || op.code == OpCode::kAddI64) c.what = ColumnOp::kAdd;
  column_ops_.push_back(c);
  if (c.what != ColumnOp::kClear) PendingOf(node).set_columns.push_back(c.column);
  return {};
}

Status BatchResolver::SetPayload(const WriteBatch::Op& op, NodeId node) {
  PayloadOp p{node, op.field, std::nullopt};
  if (op.code == OpCode::kSetPayload) {
    p.bytes = b_.View(op.bytes);
    auto bad = [&](const std::string& what) {
      return Invalid(op.field ? "properties" : "text", " of node '", KeyOf(node), "' ", what);
    };
    if (p.bytes->size() > Limits::kMaxPayloadBytes)
      return bad("has " + std::to_string(p.bytes->size()) + " bytes, the limit is " +
                 std::to_string(Limits::kMaxPayloadBytes));
    if (op.field == static_cast<std::uint8_t>(NodeField::kText)) {
      if (!IsValidUtf8(*p.bytes)) return bad("is not valid UTF-8");
    } else if (!flexbuffers::VerifyBuffer(reinterpret_cast<const std::uint8_t*>(p.bytes->data()),
                                          p.bytes->size(), nullptr)) {
      return bad("is not a FlexBuffers map");
    }
  }
  payload_ops_.push_back(p);
  return {};
}

Status BatchResolver::SetVector(const WriteBatch::Op& op, NodeId node) {
  PLEXUS_ASSIGN(SpaceId space, SpaceOf(op.name));
  VectorOp v{node, space, std::nullopt};
  if (op.code == OpCode::kSetVector) {
    v.bytes = b_.View(op.bytes);
    const VectorSpace& s = schema().spaces()[space];
    if (v.bytes->size() != s.dimensions * sizeof(float))
      return Invalid("vector of node '", KeyOf(node), "' has ", v.bytes->size() / sizeof(float),
                     " values, space '", s.name, "' has ", s.dimensions, " dimensions");
    for (std::size_t i = 0; i < s.dimensions; ++i) {
      float value;
      std::memcpy(&value, v.bytes->data() + i * sizeof(float), sizeof(float));
      if (!std::isfinite(value))
        return Invalid("vector of node '", KeyOf(node),
                       "' has a value that is not finite at position ", i);
      if (s.element == VectorElement::kF16 && OverflowsHalf(value))
        return Invalid("vector of node '", KeyOf(node), "' has ",
                       ShownNumber(static_cast<double>(value)), " at position ", i, ", space '",
                       s.name, "' has f16 values, the largest is 65504");
    }
  }
  vector_ops_.push_back(v);
  return {};
}

}  // namespace plexus
