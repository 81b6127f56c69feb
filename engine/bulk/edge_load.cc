// A load made ready: the state after it, and the records of its batches.
#include "engine/bulk/edge_load.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "engine/bulk/load_rows.h"
#include "engine/mutex.h"
#include "engine/vocabulary.h"

namespace plexus {

// An executor whose loops end early when who watches the work says stop.
//
// It is the progress of the work, too: between blocks it says again what was reported last, a few
// times a second, and once the answer is stop, passes over the blocks that are left and throws
// Stopped in the thread that began the loop. So no array that is half filled is read.
class engine_internal::WatchedExecutor final : public Executor, public Progress {
 public:
  struct Stopped {};
  // Both must stay.
  WatchedExecutor(Executor& executor, Progress& progress)
      : executor_(executor), progress_(progress) {}

  // From now on it does what the executor does, and nothing else.
  void Rest() { resting_ = true; }

  int thread_count() const override { return executor_.thread_count(); }
  void Run(std::size_t blocks, BlockTask task) override {
    if (resting_) return executor_.Run(blocks, task);
    auto watched = [&](std::size_t block) {
      if (GoesOn()) task(block);
    };
    executor_.Run(blocks, BlockTask(watched));
    if (stopped_) throw Stopped();
  }
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    if (resting_) return true;
    {
      const MutexLock lock(mutex_);
      phase_ = phase;
      done_ = done;
      total_ = total;
    }
    if (!progress_.Report(phase, done, total)) stopped_ = true;
    return !stopped_;
  }

 private:
  // False: stop. Asks who watches, if that is due.
  bool GoesOn() {
    using std::chrono::steady_clock;
    if (stopped_) return false;
    const auto now = steady_clock::now().time_since_epoch().count();
    constexpr auto kPause = steady_clock::duration(std::chrono::milliseconds(100)).count();
    auto said = said_.load(std::memory_order_relaxed);
    if (now - said < kPause || !said_.compare_exchange_strong(said, now)) return true;
    std::string phase;
    std::uint64_t done, total;
    {
      const MutexLock lock(mutex_);
      phase = phase_;
      done = done_;
      total = total_;
    }
    if (!progress_.Report(phase, done, total)) stopped_ = true;
    return !stopped_;
  }

  Executor& executor_;
  Progress& progress_;
  bool resting_ = false;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::chrono::steady_clock::rep> said_ = 0;
  Mutex mutex_;
  std::string phase_ PLEXUS_GUARDED_BY(mutex_) = "checking";
  std::uint64_t done_ PLEXUS_GUARDED_BY(mutex_) = 0;
  std::uint64_t total_ PLEXUS_GUARDED_BY(mutex_) = 0;
};

namespace {

// The first `count` of `strings`, which begin with `known`.
StringTable::View First(const StringTable::View& known, const StringTable::View& strings,
                        std::uint32_t count) {
  StringTable first(known);
  for (std::uint32_t i = first.size(); i < count; ++i) first.Insert(strings[i]);
  return first.Publish();
}

template <class T>
std::vector<T> Range(const std::vector<T>& all, std::size_t begin, std::size_t end) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin),
          all.begin() + static_cast<std::ptrdiff_t>(end)};
}

template <class T>
Status DefineAll(const std::vector<T>& definitions, std::size_t have, const char* what,
                 Schema& schema) {
  for (const T& definition : definitions) {
    const auto id = schema.Define(definition);
    if (!id && id.error().code == ErrorCode::kAlreadyExists) return Invalid(id.error().message);
    if (!id) return std::unexpected(id.error());
    if (*id != have++) return Invalid(what, " '", definition.name, "' is defined already");
  }
  return {};
}

// Whether some edges of the graph are of kinds that the batches have.
bool KindsMeet(const std::vector<LoadBatch>& batches, const GraphState& start) {
  std::vector<std::uint8_t> used(start.edges_by_kind.size(), 0);
  const auto use = [&](KindId kind) {
    if (kind < used.size()) used[kind] = 1;
  };
  for (const LoadBatch& batch : batches) {
    for (const KindId kind : batch.stored.kinds) use(kind);
    for (const KindId kind : batch.kinds) use(kind);
    if (batch.stored.kinds.empty() && batch.kinds.empty()) use(builtin::kLink.value());
  }
  for (std::size_t kind = 0; kind < used.size(); ++kind)
    if (used[kind] != 0 && start.edges_by_kind[kind] > 0) return true;
  return false;
}

}  // namespace

// The nodes that batches add are alive, without values; the edges are those of `base`.
GraphState LoadedEdges::StateOf(const GraphState& start, std::size_t batches, Sequence sequence,
                                std::shared_ptr<Csr> base) const {
  const bool all = batches == batches_.size();
  const NodeId nodes = FirstNode(batches);
  const Known& known = Before(batches);
  GraphState state = start;
  state.derived = {};
  state.sequence = base->sequence = sequence;
  state.time_ms = batches > 0 || all ? time_ms_ : start.time_ms;
  state.keys = all ? keys_ : First(start.keys, keys_, nodes);
  state.strings = all ? strings_ : First(start.strings, strings_, known.strings);
  std::vector<KindId> of(nodes - first_node_);
  state.nodes_by_kind.resize(state.schema->node_kinds().size(), 0);
  for (NodeId v = first_node_; v < nodes; ++v)
    ++state.nodes_by_kind[of[v - first_node_] = KindOfNode(v)];
  PagedArray<KindId> kinds(start.node_kinds, 0);
  kinds.Append(of);
  PagedArray<std::uint8_t> flags(start.node_flags, 0);
  flags.Append(std::vector<std::uint8_t>(of.size(), engine_internal::kAlive));
  state.node_kinds = kinds.Publish();
  state.node_flags = flags.Publish();
  state.dirty = std::make_shared<DirtyBits>(nodes);
  state.base = std::move(base);
  return state;
}

Result<LoadedEdges> LoadedEdges::Make(EdgeLoad load, const GraphState& start, Executor& executor,
                                      Progress* progress) {
  using engine_internal::WatchedExecutor;
  LoadedEdges loaded;
  if (!progress) {
    PLEXUS_TRY(loaded.Build(std::move(load), start, executor, nullptr));
    return loaded;
  }
  const auto watched = std::make_shared<WatchedExecutor>(executor, *progress);
  loaded.watched_ = watched;
  try {
    PLEXUS_TRY(loaded.Build(std::move(load), start, *watched, watched.get()));
  } catch (const WatchedExecutor::Stopped&) {
    return Cancelled("loading was stopped");
  }
  watched->Rest();
  return loaded;
}

Status LoadedEdges::Build(EdgeLoad load, const GraphState& start, Executor& executor,
                          Progress* progress) {
  time_ms_ = std::max(load.time_ms, start.time_ms);
  first_node_ = start.keys.size();
  memory_ = load.memory;
  keys_ = load.keys.Publish();
  if (load.strings.size() == 0) load.strings = StringTable(start.strings);
  strings_ = load.strings.Publish();
  start_ = {start.strings.size(), start.schema->node_kinds().size(),
            start.schema->edge_kinds().size()};
  first_column_ = start.schema->columns().size();
  first_space_ = start.schema->spaces().size();
  auto schema = std::make_shared<Schema>(*start.schema);
  PLEXUS_TRY(
      DefineAll(load.node_kind_definitions, schema->node_kinds().size(), "node kind", *schema));
  PLEXUS_TRY(
      DefineAll(load.edge_kind_definitions, schema->edge_kinds().size(), "edge kind", *schema));
  PLEXUS_TRY(Check(load, start, *schema, executor));
  batches_ = std::move(load.batches);
  node_kind_definitions_ = std::move(load.node_kind_definitions);
  edge_kind_definitions_ = std::move(load.edge_kind_definitions);
  node_kinds_ = std::move(load.node_kinds);
  const NodeId nodes = keys_.size();
  const bool merges = start.base->arc_count() > 0;
  const bool looks = merges && KindsMeet(batches_, start);
  const engine_internal::LoadShape shape = {
      nodes, strings_.size(), time_ms_, schema.get(), looks ? start.base.get() : nullptr, merges};
  PLEXUS_ASSIGN(engine_internal::LoadedRows rows,
                engine_internal::BuildLoadedRows(batches_, shape, std::move(load.scratch),
                                                 load.memory, progress, executor));
  runs_ = std::move(rows.runs);
  if (runs_) run_changes_ = runs_->changes;
  std::shared_ptr<Csr>& base = rows.rows;
  if (merges)
    PLEXUS_SET(base, engine_internal::MergeRows(*start.base, *base, load.memory, executor));
  Sequence sequence = start.sequence;
  std::uint64_t changes = 0;
  for (std::size_t b = 0; b < batch_count(); ++b) {
    sequence += HasRecord(b);
    changes += change_count(b);
  }
  std::vector<std::uint64_t> by_kind = engine_internal::CountEdges(*base, *schema, executor);
  std::uint64_t edges = 0;
  for (const std::uint64_t count : by_kind) edges += count;
  for (const std::uint64_t count : start.edges_by_kind) edges -= count;
  ApplyReport& report = report_;
  report.time_ms = time_ms_;
  report.time_moved = load.time_ms != kNoTime && load.time_ms < time_ms_;
  report.sequence = sequence;
  const bool index = load.plane == Plane::kIndex;
  (index ? report.index : report.nodes).added = nodes - first_node_;
  ChangeCounts& counts = index ? report.index : report.edges;
  counts.added += edges;
  counts.changed = changes - edges;
  counts.same = rows.same;
  if (load.changed_of) CountChanged(*load.changed_of);
  GraphState with_kinds = start;
  with_kinds.schema = std::move(schema);
  state_ = StateOf(with_kinds, batch_count(), sequence, std::move(base));
  state_.edges_by_kind = std::move(by_kind);
  return {};
}

void LoadedEdges::CountChanged(std::vector<std::uint64_t>& changed) const {
  if (runs_) {
    changed = runs_->changed;
    return;
  }
  changed.assign(batch_count(), 0);
  for (std::size_t b = 0; b < batch_count(); ++b)  // of no weights all are new
    for (const float weight : batches_[b].weights) changed[b] += std::signbit(weight);
}

std::uint64_t LoadedEdges::key_bytes(std::size_t batch) const {
  std::uint64_t bytes = 0;
  for (NodeId v = FirstNode(batch); v < batches_[batch].nodes; ++v) bytes += keys_[v].size();
  return bytes;
}

void LoadedEdges::FillNodes(std::size_t batch, Record& r) const {
  r.sequence = 0;
  r.first_node_kind = {};
  r.first_edge_kind = {};
  r.first_column = {};
  r.first_space = {};
  r.node_kind_definitions.clear();
  r.edge_kind_definitions.clear();
  r.time_ms = time_ms_;
  const auto put = [](const StringTable::View& from, std::uint32_t begin, std::uint32_t end,
                      std::uint32_t& first, std::vector<std::uint64_t>& offsets,
                      std::string& bytes) {
    first = begin == end ? 0 : begin;
    offsets.clear();
    bytes.clear();
    if (begin != end) offsets.push_back(0);
    for (std::uint32_t i = begin; i < end; ++i) {
      bytes.append(from[i]);
      offsets.push_back(bytes.size());
    }
  };
  const Known &from = Before(batch), &to = after_[batch];
  if (from.node_kinds != to.node_kinds || from.edge_kinds != to.edge_kinds) {
    r.first_node_kind = NodeKindId(from.node_kinds);
    r.node_kind_definitions = Range(node_kind_definitions_, from.node_kinds - start_.node_kinds,
                                    to.node_kinds - start_.node_kinds);
    r.first_edge_kind = EdgeKindId(from.edge_kinds);
    r.edge_kind_definitions = Range(edge_kind_definitions_, from.edge_kinds - start_.edge_kinds,
                                    to.edge_kinds - start_.edge_kinds);
    r.first_column = static_cast<ColumnId>(first_column_);
    r.first_space = static_cast<SpaceId>(first_space_);
  }
  put(strings_, from.strings, to.strings, r.first_string, r.string_offsets, r.string_bytes);
  const NodeId first = FirstNode(batch), end = batches_[batch].nodes;
  put(keys_, first, end, r.first_node, r.key_offsets, r.key_bytes);
  r.node_kinds.resize(end - first);
  for (NodeId v = first; v < end; ++v) r.node_kinds[v - first] = KindOfNode(v);
  r.edges.clear();
  r.edge_extras.clear();
  const LoadBatch& b = batches_[batch];
  for (std::size_t i = 0; i < b.valid_from.size(); ++i)
    if (b.valid_from[i] != kNoTime || b.valid_until[i] != kNoTime)
      r.edge_extras.push_back(
          {static_cast<std::uint32_t>(i), 0, b.valid_from[i], b.valid_until[i], {}});
}

void LoadedEdges::FillRecord(std::size_t batch, Record& r) const {
  FillNodes(batch, r);
  const LoadBatch& from = batches_[batch];
  r.edges.reserve(from.edges.size());
  for (std::size_t i = 0; i < from.edges.size(); ++i) {
    EdgeChange& e = r.edges.emplace_back();
    e.source = from.edges[i].source;
    e.target = from.edges[i].target;
    if (!from.labels.empty()) e.label = from.labels[i];
    if (!from.weights.empty()) e.weight = std::abs(from.weights[i]);
    e.created_at = from.created_at.empty() ? time_ms_ : from.created_at[i];
    e.kind = from.kinds.empty() ? builtin::kLink : EdgeKindId(from.kinds[i]);
    e.flags = FlagsOf(from, i);
  }
}

Result<std::size_t> LoadedEdges::Fetch(std::size_t batch) {
  if (!runs_) return batch_count();
  return runs_->Fetch(batches_, batch);
}

Result<std::shared_ptr<Csr>> LoadedEdges::RowsBefore(std::size_t batch, const Schema& schema,
                                                     Executor& executor) {
  if (runs_) {
    runs_->Drop(batches_);
    return runs_->RowsBefore(batch, FirstNode(batch), schema);
  }
  std::vector<EdgeChange> edges;
  std::vector<EdgeExtra> extras;
  for (std::size_t b = 0; b < batch; ++b) {
    Record record;
    FillRecord(b, record);
    for (EdgeExtra& extra : record.edge_extras) {
      extra.index += static_cast<std::uint32_t>(edges.size());
      extras.push_back(extra);
    }
    edges.insert(edges.end(), record.edges.begin(), record.edges.end());
  }
  return BuildCsr(FirstNode(batch), edges, extras, schema, 0, executor);
}

Result<GraphState> LoadedEdges::StateBefore(std::size_t batch, const GraphState& start,
                                            Executor& executor) {
  GraphState with_kinds = start;
  Sequence sequence = start.sequence;
  auto schema = std::make_shared<Schema>(*start.schema);
  for (std::size_t b = 0; b < batch; ++b) {
    Record record;
    FillNodes(b, record);
    for (const NodeKind& kind : record.node_kind_definitions) PLEXUS_TRY(schema->Define(kind));
    for (const EdgeKind& kind : record.edge_kind_definitions) PLEXUS_TRY(schema->Define(kind));
    sequence += HasRecord(b);
  }
  with_kinds.schema = std::move(schema);
  PLEXUS_ASSIGN(auto base, RowsBefore(batch, *with_kinds.schema, executor));
  if (start.base->arc_count() > 0)
    PLEXUS_SET(base, engine_internal::MergeRows(*start.base, *base, memory_, executor));
  auto by_kind = engine_internal::CountEdges(*base, *with_kinds.schema, executor);
  GraphState state = StateOf(with_kinds, batch, sequence, std::move(base));
  state.edges_by_kind = std::move(by_kind);
  return state;
}

}  // namespace plexus
