// Reads that are not row iteration: columns, payloads, single edges, counts.
#include "engine/snapshot.h"

#include <algorithm>
#include <bit>

#include "engine/compaction/run_compaction.h"
#include "engine/out_of_memory.h"
#include "engine/state.h"
#include "engine/vocabulary.h"

namespace plexus {

ArcFilter ArcFilter::Kinds(const Schema& schema, const EdgeKinds& kinds) {
  ArcFilter filter;
  filter.allowed_.assign(schema.edge_kinds().size(), 0);
  for (EdgeKindId k : kinds)
    if (k < filter.allowed_.size()) filter.allowed_[k] = 1;
  if (!kinds.given())
    for (std::size_t k = 0; k < filter.allowed_.size(); ++k)
      filter.allowed_[k] = schema.edge_kinds()[k].plane == Plane::kFact;
  for (std::size_t k = 0; k < filter.allowed_.size(); ++k) {
    if (!filter.allowed_[k]) continue;
    const auto kind = static_cast<KindId>(k);
    if (k > 0 && filter.allowed_[k - 1]) {
      filter.ranges_[filter.range_count_ - 1].last = kind;
    } else if (filter.range_count_ == kMaxRanges) {
      filter.range_count_ = 0;
      break;
    } else {
      filter.ranges_[filter.range_count_++] = {kind, kind};
    }
  }
  return filter;
}

ArcFilter ArcFilter::ValidAt(std::int64_t now_ms) const {
  ArcFilter filter = *this;
  filter.valid_at_ = now_ms;
  return filter;
}

Snapshot::Snapshot() : Snapshot(EmptyGraph()) {}

Snapshot::Snapshot(std::shared_ptr<const FrozenState> state) : tables_(std::move(state)) {}

const std::shared_ptr<const FrozenState>& Snapshot::EmptyGraph() {
  // Never destroyed: a snapshot may be made while the process ends.
  static const auto& empty =
      *new std::shared_ptr<const FrozenState>(std::make_shared<FrozenState>(EmptyState()));
  return empty;
}

const GraphState& Snapshot::state() const { return static_cast<const FrozenState&>(*tables_); }

std::shared_ptr<const FrozenState> Snapshot::shared_state() const {
  return std::static_pointer_cast<const FrozenState>(tables_);
}

Snapshot Snapshot::Numbered(Sequence sequence, std::int64_t time_ms) const {
  GraphState numbered = state();
  numbered.sequence = sequence;
  numbered.time_ms = time_ms;
  return Snapshot(std::make_shared<const FrozenState>(std::move(numbered)));
}

std::optional<NodeId> Snapshot::Find(std::string_view key) const { return state().keys.Find(key); }
std::string_view Snapshot::key(NodeId node) const { return state().keys[node]; }
bool Snapshot::key_forgotten(NodeId node) const { return state().keys.forgotten(node); }
std::string_view Snapshot::string(StringId id) const { return state().strings[id]; }
std::optional<StringId> Snapshot::FindString(std::string_view text) const {
  return state().strings.Find(text);
}

std::uint64_t Snapshot::CountNodes(NodeKindId kind) const {
  const std::vector<std::uint64_t>& counts = state().nodes_by_kind;
  return kind < counts.size() ? counts[kind] : 0;
}

std::uint64_t Snapshot::CountEdges(EdgeKindId kind) const {
  const std::vector<std::uint64_t>& counts = state().edges_by_kind;
  return kind < counts.size() ? counts[kind] : 0;
}

PayloadRef Snapshot::payload_ref(NodeId node, NodeField field) const {
  return PayloadRef{state().payload_refs[static_cast<int>(field)][node]};
}

const VectorView* Snapshot::space(SpaceId id) const {
  const std::vector<VectorView>& spaces = state().spaces;
  return id < spaces.size() ? &spaces[id] : nullptr;
}

std::uint64_t Snapshot::CountNodes(Plane plane) const {
  std::uint64_t count = 0;
  for (NodeKindId kind{}; kind < schema().node_kinds().size(); ++kind)
    if (schema().node_kind(kind).plane == plane) count += CountNodes(kind);
  return count;
}

std::uint64_t Snapshot::CountEdges(Plane plane) const {
  std::uint64_t count = 0;
  for (EdgeKindId kind{}; kind < schema().edge_kinds().size(); ++kind)
    if (schema().edge_kind(kind).plane == plane) count += CountEdges(kind);
  return count;
}

std::uint64_t Snapshot::column_bits(ColumnId column, NodeId node) const {
  const std::vector<Column>& columns = schema().columns();
  PLEXUS_CHECK(column < columns.size(), "a column is one of the schema's");
  const std::uint64_t absent = AbsentBits(columns[column].type);
  if (column >= state().columns.size()) return absent;
  const auto& view = state().columns[column];
  return node < view.size() ? view[node] : absent;
}

namespace {
std::uint64_t BitsOf(const Snapshot& s, ColumnId column, NodeId node, ColumnType type) {
  const std::uint64_t bits = s.column_bits(column, node);
  PLEXUS_CHECK(s.schema().columns()[column].type == type, "a column is read as what it holds");
  return bits;
}
}  // namespace

std::optional<double> Snapshot::f64(ColumnId column, NodeId node) const {
  const std::uint64_t bits = BitsOf(*this, column, node, ColumnType::kF64);
  if (bits == kAbsentF64) return std::nullopt;
  return std::bit_cast<double>(bits);
}

std::optional<std::int64_t> Snapshot::i64(ColumnId column, NodeId node) const {
  const std::uint64_t bits = BitsOf(*this, column, node, ColumnType::kI64);
  if (bits == kAbsentI64) return std::nullopt;
  return static_cast<std::int64_t>(bits);
}

std::optional<StringId> Snapshot::string_column(ColumnId column, NodeId node) const {
  const std::uint64_t bits = BitsOf(*this, column, node, ColumnType::kString);
  if (bits == kAbsentString) return std::nullopt;
  return static_cast<StringId>(bits);
}

std::string_view Snapshot::scope(NodeId node) const {
  auto id = string_column(builtin::kScope, node);
  return id ? string(*id) : builtin::kDefaultScope;
}

Result<std::string> Snapshot::Payload(PayloadRef ref) const try {
  if (!ref) return NotFound("no payload was written");
  if (!state().payload_store) return NotFound("this graph has no payload store");
  return state().payload_store->Get(ref);
}
PLEXUS_CATCH_NO_MEMORY

Result<std::string> Snapshot::PayloadOrEmpty(PayloadRef ref) const {
  Result<std::string> bytes = ref ? Payload(ref) : std::string();
  if (!bytes && bytes.error().code == ErrorCode::kNotFound) return std::string();
  return bytes;
}

Result<const VectorView*> Snapshot::vectors(SpaceId id) const try {
  const VectorView* view = space(id);
  if (!view) return Invalid("vector space ", id.value(), " is not defined in this graph");
  PLEXUS_TRY(view->Load(state().payload_store.get()));
  return view;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::string> Snapshot::Payload(NodeId node, NodeField field) const try {
  if (purged(node)) return NotFound("node '", key(node), "' was purged");
  return Payload(payload_ref(node, field));
}
PLEXUS_CATCH_NO_MEMORY

bool Snapshot::PassesTime(const ArcRef& ref, std::int64_t at) const {
  std::int64_t from = kNoTime, until = kNoTime;
  if (ref.run == 0) {
    const Csr& base = this->base();
    if (base.valid_from.slots.empty() && base.valid_until.slots.empty()) return true;
    const EdgeSlot slot = base.SlotAt(ref.direction, ref.position);
    from = base.valid_from.Get(slot, kNoTime);
    until = base.valid_until.Get(slot, kNoTime);
  } else {
    const Run& run = *state().runs[ref.run - 1];
    if (!run.side(ref.direction).arcs[ref.position].has_extra()) return true;
    if (const EdgeExtra* x = run.extra(run.OutPosition(ref.direction, ref.position))) {
      from = x->valid_from;
      until = x->valid_until;
    }
  }
  return (from == kNoTime || from <= at) && (until == kNoTime || at < until);
}

std::uint64_t Snapshot::Degree(Direction direction, NodeId node, const ArcFilter& filter) const {
  if (direction != Direction::kBoth && filter.all_kinds() && !filter.checks_time() &&
      clean(direction, node))
    return base_rows(direction).degree(node);
  if (direction != Direction::kBoth && !filter.ranges().empty() && !filter.checks_time() &&
      clean(direction, node)) {
    const engine_internal::BaseRows rows(*this, direction);
    std::uint64_t count = 0;
    for (const ArcFilter::Range range : filter.ranges()) {
      const auto [begin, end] = rows.Part(rows.begin(node), rows.end(node), range);
      count += end - begin;
    }
    return count;
  }
  std::uint64_t count = 0;
  ForEachArc(direction, node, filter, [&](const Arc&) { ++count; });
  return count;
}

std::int64_t Snapshot::created_at(const ArcRef& ref) const {
  if (ref.run > 0) {
    const Run& run = *state().runs[ref.run - 1];
    return run.created_at[run.OutPosition(ref.direction, ref.position)];
  }
  const Csr& base = this->base();
  return base.out_created_at[base.SlotAt(ref.direction, ref.position)];
}

Edge Snapshot::edge(const Arc& arc, NodeId row) const {
  Edge e;
  e.kind = arc.kind;
  e.weight = arc.weight;
  const bool in = arc.ref.direction == Direction::kIn;
  e.source = in ? arc.neighbor : NodeId(row);
  e.target = in ? NodeId(row) : arc.neighbor;
  if (e.source > e.target && schema().edge_kind(e.kind).symmetric) std::swap(e.source, e.target);
  if (arc.ref.run > 0) {
    const Run& run = *state().runs[arc.ref.run - 1];
    const std::uint32_t at = run.OutPosition(arc.ref.direction, row, arc.ref.position);
    e.label = run.out.arcs[at].label;
    e.created_at = run.created_at[at];
    if (const EdgeExtra* x = run.extra(at)) {
      e.created_by = x->created_by;
      e.valid_from = x->valid_from;
      e.valid_until = x->valid_until;
      e.properties = x->properties;
    }
    return e;
  }
  const Csr& base = this->base();
  const EdgeSlot slot = base.SlotAt(arc.ref.direction, arc.ref.position);
  e.label = base.labels.Get(slot, 0);
  e.created_at = base.out_created_at[slot];
  e.created_by = base.created_by.Get(slot, 0);
  e.valid_from = base.valid_from.Get(slot, kNoTime);
  e.valid_until = base.valid_until.Get(slot, kNoTime);
  e.properties.bits = base.properties.Get(slot, 0);
  return e;
}

std::optional<Edge> Snapshot::FindEdge(NodeId source, EdgeKindId kind, NodeId target,
                                       StringId label) const {
  if (source >= node_count() || target >= node_count()) return std::nullopt;
  const std::uint64_t order = engine_internal::ArcOrder(kind, target);
  const GraphState& s = state();
  if (!clean(Direction::kOut, source)) {
    for (std::size_t r = s.runs.size(); r-- > 0;) {  // newest first
      const engine_internal::RunSide& side = s.runs[r]->out;
      const auto [begin, end] = side.Row(source);
      if (begin == end) continue;
      const std::uint32_t at = side.LowerBound(begin, end, kind, target, label);
      if (at == end) continue;
      const engine_internal::DeltaArc& arc = side.arcs[at];
      if (engine_internal::ArcOrder(arc.kind, arc.neighbor) != order || arc.label != label)
        continue;
      if (arc.tombstone()) return std::nullopt;
      return edge(Arc{target, kind, arc.weight,
                      ArcRef{static_cast<std::uint32_t>(r + 1), at, Direction::kOut}},
                  source);
    }
  }
  return FindBaseEdge(source, kind, target, label);
}

std::optional<Edge> Snapshot::FindBaseEdge(NodeId source, EdgeKindId kind, NodeId target,
                                           StringId label) const {
  constexpr std::uint32_t kShort = 24;  // as RunSide::LowerBound
  const std::uint64_t order = engine_internal::ArcOrder(kind, target);
  const GraphState& s = state();
  if (source >= s.base->node_count) return std::nullopt;
  const engine_internal::BaseRows rows(*this, Direction::kOut);
  std::uint32_t at = rows.offsets[source], end = rows.offsets[source + 1];
  const std::uint32_t row_end = end;
  auto below = [&](std::uint32_t i) {
    const std::uint64_t o = engine_internal::ArcOrder(rows.kind(i), rows.neighbors[i]);
    return o < order || (o == order && label != 0 && s.base->labels.Get(i, 0) < label);
  };
  for (std::uint32_t size = end - at; size > kShort; size = end - at) {
    const std::uint32_t mid = at + size / 2;
    (below(mid) ? at : end) = mid;
  }
  while (at < end && below(at)) ++at;
  if (at == row_end || engine_internal::ArcOrder(rows.kind(at), rows.neighbors[at]) != order ||
      s.base->labels.Get(at, 0) != label)
    return std::nullopt;
  return edge(Arc{target, kind, rows.weights[at], ArcRef{0, at, Direction::kOut}}, source);
}

void Snapshot::PrefetchBaseRow(NodeId source, bool near) const {
  const GraphState& s = state();
  if (source < s.base->node_count) {
    const std::uint32_t* offset = &s.base->out_offsets[source];
    if (!near) {
      __builtin_prefetch(offset);
    } else if (*offset < s.base->arc_count()) {
      __builtin_prefetch(&s.base->out_neighbors[*offset]);
      __builtin_prefetch(&s.base->out_kinds[*offset]);
    }
  }
}

void Snapshot::PrefetchDeltaRow(NodeId source, bool near) const {
  if (clean(Direction::kOut, source)) return;
  for (const auto& run : state().runs) run->out.Prefetch(source, near);
}

Result<Snapshot> Snapshot::Compacted(Executor& executor) const try {
  if (!has_delta() && base_node_count() == node_count()) return *this;
  GraphState compacted = state();
  PLEXUS_ASSIGN(compacted.base, CompactRuns(compacted, compacted.runs.size(), executor));
  compacted.runs.clear();
  compacted.dirty = std::make_shared<DirtyBits>(0);
  return Snapshot(std::make_shared<const FrozenState>(std::move(compacted)));
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
