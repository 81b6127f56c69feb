// Applying records: checks first, then arrays, then the run.
#include "engine/writer/state_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <utility>

#include "engine/out_of_memory.h"
#include "engine/resolve/batch_resolver.h"
#include "engine/writer/working_state.h"

namespace plexus {

namespace {

std::unexpected<Error> Damaged(const Record& r, const std::string& what) {
  return Corrupted("record ", r.sequence, ": ", what);
}

Status CheckOffsets(const Record& r, const char* what, const std::vector<std::uint64_t>& offsets,
                    std::size_t count, std::size_t bytes) {
  if (count == 0 && offsets.size() <= 1) return {};
  if (offsets.size() != count + 1 || offsets.front() != 0 || offsets.back() != bytes ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    return Damaged(r, std::string(what) + " offsets do not fit their bytes");
  return {};
}

// Every id of the record against what will exist once it is applied.
struct Bounds {
  std::uint64_t nodes, strings;
  const Schema& schema;
};

Status CheckEdges(const Record& r, const Bounds& b) {
  std::size_t x = 0;
  for (std::size_t i = 0; i < r.edges.size(); ++i) {
    const EdgeChange& e = r.edges[i];
    auto bad = [&](const char* what) {
      return Damaged(r, "edge " + std::to_string(i) + " " + what);
    };
    if (e.source >= b.nodes || e.target >= b.nodes) return bad("has an endpoint out of range");
    if (e.kind >= b.schema.edge_kinds().size() || b.schema.edge_kind(e.kind).name.empty())
      return bad("has an unknown kind");
    if (e.label >= b.strings) return bad("has an unknown label");
    if (!std::isfinite(e.weight) || e.weight < 0)
      return bad("has a weight that is not finite and >= 0");
    if (b.schema.edge_kind(e.kind).symmetric && e.source > e.target)
      return bad("of a symmetric kind has its larger id first");
    if (i > 0 && !IdentityLess(r.edges[i - 1], e)) return bad("is out of order");
    if (!(e.flags & EdgeChange::kHasExtra)) continue;
    if (x == r.edge_extras.size() || r.edge_extras[x].index != i)
      return bad("lacks its attributes");
    if (r.edge_extras[x++].created_by >= b.strings) return bad("has an unknown created_by");
  }
  if (x != r.edge_extras.size()) return Damaged(r, "edge attributes without an edge");
  return {};
}

Status CheckNodeValues(const Record& r, const Bounds& b) {
  for (KindId kind : r.node_kinds)
    if (kind >= b.schema.node_kinds().size() || b.schema.node_kind(NodeKindId(kind)).name.empty())
      return Damaged(r, "a node has an unknown kind");
  for (const NodeChange& c : r.node_changes) {
    if (c.node >= b.nodes || c.what > NodeChange::kForget)
      return Damaged(r, "a node change is out of range");
    if (c.what == NodeChange::kSetKind && (c.value >= b.schema.node_kinds().size() ||
                                           b.schema.node_kind(NodeKindId(c.value)).name.empty()))
      return Damaged(r, "a node changes to an unknown kind");
  }
  for (std::size_t i = 0; i < r.columns.size(); ++i) {
    const ColumnChange& c = r.columns[i];
    if (c.node >= b.nodes || c.column >= b.schema.columns().size() ||
        b.schema.columns()[c.column].name.empty())
      return Damaged(r, "a column value is out of range");
    if (i > 0 &&
        std::pair(r.columns[i - 1].column, r.columns[i - 1].node) >= std::pair(c.column, c.node))
      return Damaged(r, "column values are out of order");
    if (c.cleared) continue;
    const ColumnType type = b.schema.columns()[c.column].type;
    if (type == ColumnType::kF64 && !std::isfinite(std::bit_cast<double>(c.bits)))
      return Damaged(r, "a column value is not finite");
    if (type == ColumnType::kI64 && c.bits == kAbsentI64)
      return Damaged(r, "a column value is the absent value");
    if (type == ColumnType::kString && c.bits >= b.strings)
      return Damaged(r, "a column names an unknown string");
  }
  for (const PayloadChange& c : r.payload_changes)
    if (c.node >= b.nodes || c.field >= kNodeFieldCount)
      return Damaged(r, "a payload reference is out of range");
  for (const VectorChange& c : r.vectors)
    if (c.node >= b.nodes || c.space >= b.schema.spaces().size())
      return Damaged(r, "a vector is out of range");
  return {};
}

template <class T>
Status DefineAll(const Record& r, Schema& schema, std::size_t first, const std::vector<T>& all,
                 std::size_t have, const char* what) {
  if (all.empty()) return {};
  if (first != have) return Damaged(r, std::string(what) + " definitions skip an id");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto id = schema.Restore(all[i]);
    if (!id && id.error().message == kOutOfMemory) return OutOfMemory();  // no damage
    if (!id || *id != first + i)
      return Damaged(r, std::string(what) + " '" + all[i].name + "' cannot be defined");
  }
  return {};
}

// The schema with what the record defines.
Result<std::shared_ptr<const Schema>> Defined(const Record& r,
                                              const std::shared_ptr<const Schema>& before) {
  if (r.node_kind_definitions.empty() && r.edge_kind_definitions.empty() &&
      r.column_definitions.empty() && r.space_definitions.empty())
    return before;
  auto defined = std::make_shared<Schema>(*before);
  PLEXUS_TRY(DefineAll(r, *defined, r.first_node_kind, r.node_kind_definitions,
                       defined->node_kinds().size(), "node kind"));
  PLEXUS_TRY(DefineAll(r, *defined, r.first_edge_kind, r.edge_kind_definitions,
                       defined->edge_kinds().size(), "edge kind"));
  PLEXUS_TRY(DefineAll(r, *defined, r.first_column, r.column_definitions, defined->columns().size(),
                       "column"));
  PLEXUS_TRY(DefineAll(r, *defined, r.first_space, r.space_definitions, defined->spaces().size(),
                       "vector space"));
  return defined;
}

using Working = StateWriter::Working;

std::size_t CountStrings(const Record& r) {
  return r.string_offsets.empty() ? 0 : r.string_offsets.size() - 1;
}

// What needs no change.
Status Check(const Record& r, const Working& w, const Schema& schema) {
  const std::size_t strings = CountStrings(r), nodes = r.node_kinds.size();
  PLEXUS_TRY(CheckOffsets(r, "string", r.string_offsets, strings, r.string_bytes.size()));
  PLEXUS_TRY(CheckOffsets(r, "key", r.key_offsets, nodes, r.key_bytes.size()));
  if (strings && r.first_string != w.strings.size()) return Damaged(r, "strings skip an id");
  if (nodes && r.first_node != w.keys.size()) return Damaged(r, "nodes skip an id");
  if (w.keys.size() + nodes > Limits::kMaxNodes) return Damaged(r, "too many nodes");
  const Bounds bounds{std::uint64_t{w.keys.size()} + nodes,
                      std::uint64_t{w.strings.size()} + strings, schema};
  PLEXUS_TRY(CheckEdges(r, bounds));
  return CheckNodeValues(r, bounds);
}

// Room for what the schema has defined since.
void GrowTables(Working& w) {
  w.nodes_by_kind.resize(w.schema->node_kinds().size(), 0);
  w.edges_by_kind.resize(w.schema->edge_kinds().size(), 0);
  for (std::size_t c = w.columns.size(); c < w.schema->columns().size(); ++c)
    w.columns.emplace_back(AbsentBits(w.schema->columns()[c].type));
  for (std::size_t i = w.spaces.size(); i < w.schema->spaces().size(); ++i)
    w.spaces.emplace_back(RowLayout::Of(w.schema->spaces()[i]));
}

std::string_view TextAt(const std::string& bytes, const std::vector<std::uint64_t>& offsets,
                        std::size_t i) {
  return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
}

Status AddStrings(const Record& r, Working& w) {
  for (std::size_t i = 0; i < CountStrings(r); ++i) {
    const std::string_view s = TextAt(r.string_bytes, r.string_offsets, i);
    if (s.size() > Limits::kMaxStringBytes || !w.strings.Insert(s).is_new)
      return Damaged(r, "string " + std::to_string(i) + " is too long or known already");
  }
  return {};
}

Status AddNodes(const Record& r, Working& w) {
  for (std::size_t i = 0; i < r.node_kinds.size(); ++i) {
    const std::string_view key = TextAt(r.key_bytes, r.key_offsets, i);
    const bool index = w.schema->node_kind(NodeKindId(r.node_kinds[i])).plane == Plane::kIndex;
    if (auto ok = CheckKey(key, index); !ok) return Damaged(r, ok.error().message);
    if (!w.keys.Insert(key).is_new)
      return Damaged(r, "node key '" + std::string(key) + "' is known already");
    w.node_kinds.PushBack(r.node_kinds[i]);
    w.node_flags.PushBack(engine_internal::kAlive);
    ++w.nodes_by_kind[r.node_kinds[i]];
  }
  return {};
}

Status ChangeNodes(const Record& r, Working& w) {
  std::vector<NodeId> forgotten;
  for (const NodeChange& c : r.node_changes) {
    std::uint8_t flags = w.node_flags[c.node];
    const bool was_alive = flags & engine_internal::kAlive;
    if (c.what == NodeChange::kForget) {
      if (was_alive) return Damaged(r, "the key of a node that is there is forgotten");
      forgotten.push_back(c.node);
      continue;
    }
    if (c.what == NodeChange::kRevive && w.keys.forgotten(c.node))
      return Damaged(r, "a node comes back whose key is forgotten");
    if (was_alive) --w.nodes_by_kind[w.node_kinds[c.node]];
    switch (c.what) {
      case NodeChange::kSetKind:
        w.node_kinds.Set(c.node, c.value);
        break;
      case NodeChange::kRemove:
        flags &= static_cast<std::uint8_t>(~engine_internal::kAlive);
        break;
      case NodeChange::kPurge:
        flags = engine_internal::kPurged;
        break;
      case NodeChange::kRevive:
        flags = engine_internal::kAlive;
        break;
    }
    w.node_flags.Set(c.node, flags);
    if (flags & engine_internal::kAlive) ++w.nodes_by_kind[w.node_kinds[c.node]];
  }
  if (!forgotten.empty()) w.keys.Forget(forgotten);
  return {};
}

Status SetVector(const Record& r, const VectorChange& c, Working& w) {
  VectorTable& table = w.spaces[c.space];
  if (!c.ref) {
    table.Remove(c.node);
    return {};
  }
  const bool here = c.ref.sequence() == r.sequence && c.ref.ordinal() < r.payloads.size();
  if (!here && w.payload_store && table.all_stored()) {  // replay: read when it is needed
    table.SetStored(c.node, c.ref);
    return {};
  }
  std::string fetched;
  if (!here) {
    auto got = w.payload_store ? w.payload_store->Get(c.ref)
                               : Result<std::string>(NotFound("no payload store"));
    if (!got && got.error().code == ErrorCode::kNotFound) {  // purged since
      table.Remove(c.node);
      return {};
    }
    if (!got) return std::unexpected(got.error());
    fetched = std::move(*got);
  }
  const std::string_view bytes =
      here ? std::string_view(r.payloads[c.ref.ordinal()].bytes) : fetched;
  if (bytes.size() != table.layout().vector_bytes())
    return Damaged(r, "a vector has the wrong size");
  if (!AllFinite(table.layout(), bytes.data()))
    return Damaged(r, "a vector has a value that is not finite");
  table.Set(c.node, bytes, c.ref);
  return {};
}

Status CountEdges(const Record& r, Working& w) {
  for (const EdgeChange& e : r.edges) {
    if (e.tombstone() && w.edges_by_kind[e.kind] == 0)
      return Damaged(r, "an edge is removed that was not there");
    if (e.tombstone())
      --w.edges_by_kind[e.kind];
    else if (e.is_new())
      ++w.edges_by_kind[e.kind];
  }
  return {};
}

}  // namespace

StateWriter::StateWriter(GraphState s, Executor* executor) : working_(std::make_unique<Working>()) {
  Working& w = *working_;
  w.executor = executor ? executor : &SerialExecutor();
  w.sequence = s.sequence;
  w.time_ms = s.time_ms;
  w.schema = std::move(s.schema);
  w.keys = StringTable(std::move(s.keys));
  w.strings = StringTable(std::move(s.strings));
  if (w.strings.size() == 0) w.strings.Insert("");
  w.node_kinds = PagedArray<KindId>(std::move(s.node_kinds), 0);
  w.node_flags = PagedArray<std::uint8_t>(std::move(s.node_flags), 0);
  for (std::size_t c = 0; c < s.columns.size(); ++c)
    w.columns.emplace_back(std::move(s.columns[c]), AbsentBits(w.schema->columns()[c].type));
  for (int f = 0; f < kNodeFieldCount; ++f)
    w.payload_refs[f] = PagedArray<std::uint64_t>(std::move(s.payload_refs[f]), 0);
  for (auto& space : s.spaces) w.spaces.emplace_back(std::move(space));
  w.base = std::move(s.base);
  w.runs = std::move(s.runs);
  w.nodes_by_kind = std::move(s.nodes_by_kind);
  w.edges_by_kind = std::move(s.edges_by_kind);
  GrowTables(w);
  w.payload_store = std::move(s.payload_store);
  w.dirty = std::make_shared<DirtyBits>(std::max<std::size_t>(64, w.keys.size()));
  PLEXUS_CHECK(w.runs.size() <= engine_internal::kMaxRuns, "a state has at most kMaxRuns runs");
  for (const auto& run : w.runs) w.MarkDirty(*run);
  w.NotePacked();
  w.packed_dead = std::min<std::uint64_t>(w.packed_dead, w.keys.packed_count());
  w.BeginChanges();
}

StateWriter::~StateWriter() = default;
StateWriter::StateWriter(StateWriter&&) noexcept = default;
StateWriter& StateWriter::operator=(StateWriter&&) noexcept = default;

Sequence StateWriter::sequence() const { return working_->sequence; }

std::uint64_t StateWriter::delta_arcs() const {
  std::uint64_t arcs = 0;
  for (const auto& run : working_->runs) arcs += run->arc_count();
  return arcs;
}

Result<Record> StateWriter::Resolve(const WriteBatch& batch, ApplyReport* report,
                                    std::shared_ptr<const PayloadStore> payloads,
                                    std::vector<NodeId>* removed, std::int64_t time_ms,
                                    std::string_view scope) {
  if (!working_->filter_used) working_->RemakeFilter(0);
  std::shared_ptr<const FrozenState> now = working_->Current();
  if (payloads) {
    GraphState with = *now;
    with.payload_store = std::move(payloads);
    now = std::make_shared<const FrozenState>(std::move(with));
  }
  BatchResolver resolver(*working_, batch, Snapshot(std::move(now)));
  PLEXUS_ASSIGN(Record record, resolver.Resolve(report, time_ms, scope));
  if (removed) *removed = resolver.Removed();
  return record;
}

Status StateWriter::Apply(const Record& r) {
  Working& w = *working_;
  if (r.sequence != w.sequence + 1)
    return Damaged(r, "expected sequence " + std::to_string(w.sequence + 1));
  if (r.time_ms < w.time_ms) return Damaged(r, "time runs backward");
  PLEXUS_ASSIGN(auto schema, Defined(r, w.schema));
  PLEXUS_TRY(Check(r, w, *schema));

  w.current = nullptr;
  w.schema = std::move(schema);
  GrowTables(w);
  PLEXUS_TRY(AddStrings(r, w));
  PLEXUS_TRY(AddNodes(r, w));
  PLEXUS_TRY(ChangeNodes(r, w));
  for (const ColumnChange& c : r.columns)
    w.columns[c.column].Set(c.node,
                            c.cleared ? AbsentBits(w.schema->columns()[c.column].type) : c.bits);
  for (const PayloadChange& c : r.payload_changes) w.payload_refs[c.field].Set(c.node, c.ref.bits);
  for (const VectorChange& c : r.vectors) PLEXUS_TRY(SetVector(r, c, w));
  PLEXUS_TRY(CountEdges(r, w));
  w.GrowDirty();
  if (!r.edges.empty())
    w.AddRun(MakeRun(r.sequence, r.edges, r.edge_extras, *w.schema, *w.executor), r.edges);
  w.sequence = r.sequence;
  w.time_ms = r.time_ms;
  w.NoteChanges(r);
  return {};
}

void StateWriter::Working::BeginChanges() {
  try {
    changes = std::make_shared<StateChanges>();
    changes->first_new = keys.size();
  } catch (const std::bad_alloc&) {
    changes = nullptr;
  }
}

// That readers must compute again is no reason to refuse a record.
void StateWriter::Working::NoteChanges(const Record& record) {
  if (!changes) return;
  const std::size_t more = record.node_changes.size() + record.columns.size() +
                           record.payload_changes.size() + record.vectors.size() +
                           record.edges.size();
  if (changes->size() + more > ChangeLimit(keys.size())) {
    changes = nullptr;
    return;
  }
  try {
    changes->Add(record);
  } catch (const std::bad_alloc&) {
    changes = nullptr;
  }
}

const std::shared_ptr<FrozenState>& StateWriter::Working::Current() {
  if (current) return current;
  GraphState s;
  s.sequence = sequence;
  s.time_ms = time_ms;
  s.schema = schema;
  s.keys = keys.Publish();
  s.strings = strings.Publish();
  s.node_kinds = node_kinds.Publish();
  s.node_flags = node_flags.Publish();
  s.columns.reserve(columns.size());
  for (auto& c : columns) s.columns.push_back(c.Publish());
  for (int f = 0; f < kNodeFieldCount; ++f) s.payload_refs[f] = payload_refs[f].Publish();
  for (auto& space : spaces) s.spaces.push_back(space.Publish());
  s.base = base;
  s.runs = runs;
  s.dirty = dirty;
  s.nodes_by_kind = nodes_by_kind;
  s.edges_by_kind = edges_by_kind;
  s.payload_store = payload_store;
  return current = std::make_shared<FrozenState>(std::move(s));
}

std::shared_ptr<const FrozenState> StateWriter::Publish() {
  Working& w = *working_;
  const std::shared_ptr<FrozenState> state = w.Current();
  if (state->derived.lineage) return state;  // published before
  try {
    if (!w.lineage) w.lineage = std::make_shared<Lineage>();
    w.lineage->Advance(state, std::move(w.changes), w.rows_moved);
    state->derived.lineage = w.lineage;
  } catch (const std::bad_alloc&) {  // readers compute again; the next state begins a lineage
    w.lineage = nullptr;
  }
  w.rows_moved = false;
  w.BeginChanges();
  return state;
}

// --- The first state, and what is filled in when one is done.

FrozenState::FrozenState(GraphState state) : GraphState(std::move(state)) {
  PLEXUS_CHECK(schema && base && dirty, "a state that is done has all its parts");
  node_count = keys.size();
  base_rows = {base->out(), base->in()};
  runs_rows.clear();
  runs_rows.reserve(runs.size());
  for (const auto& run : runs) runs_rows.push_back({&run->out, &run->in});
  dirty_words = dirty->words();
  dirty_capacity = dirty->capacity();
}

GraphState EmptyState() {
  GraphState s;
  s.schema = std::make_shared<Schema>();
  auto base = std::make_shared<Csr>();
  base->out_offsets = AlignedArray<std::uint32_t>(1, 0);
  base->in_offsets = AlignedArray<std::uint32_t>(1, 0);
  s.base = std::move(base);
  s.dirty = std::make_shared<DirtyBits>(0);
  StringTable strings;
  strings.Insert("");
  s.strings = strings.Publish();
  s.nodes_by_kind.resize(s.schema->node_kinds().size(), 0);
  s.edges_by_kind.resize(s.schema->edge_kinds().size(), 0);
  return s;
}

}  // namespace plexus
