// Loading an empty graph: partition by source, sort in cache, versions, rows.
//
// The partition keeps the order of the batches (one write position per chunk and part),
// and so does the sort: equal identities stand together, oldest first. One pass over them gives
// what each batch added, what it changed, and what stays.
#include "engine/bulk/edge_load.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/bulk/radix_sort.h"
#include "engine/bulk/scratch_pool.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

constexpr std::uint64_t kChunkEdges = 1 << 18;  // partitioned by one task
constexpr std::uint64_t kPartEdges = 1 << 15;   // about: two copies fit an L2 cache
constexpr std::uint64_t kMaxParts = 1024;

// An edge on its way into its row; once it was looked at, a change. `key`: the row within
// the part, the target and the batch, from the highest bit down.
struct Entry {
  std::uint64_t key;
  static Entry Of(std::uint64_t key, float) { return {key}; }
  float weight() const { return 1; }
  void Take(float&) const {}
};
struct WeightedEntry {
  std::uint64_t key;
  float stated;  // NaN: not
  static WeightedEntry Of(std::uint64_t key, float weight) { return {key, weight}; }
  float weight() const { return stated; }
  void Take(float& weight) const {
    if (!std::isnan(stated)) weight = stated + 0.0f;  // -0: the sign says something else
  }
};

// How many bits of a key are what.
struct Bits {
  int row = 0, target = 0, batch = 0;
  int all() const { return row + target + batch; }
  NodeId Row(std::uint64_t key) const { return static_cast<NodeId>(key >> (target + batch)); }
  NodeId Target(std::uint64_t key) const {
    return static_cast<NodeId>((key >> batch) & ((std::uint64_t{1} << target) - 1));
  }
  std::size_t Batch(std::uint64_t key) const { return key & ((std::uint64_t{1} << batch) - 1); }
};

// Leaves the changes at the front of entries[0, n), which are sorted; returns how many.
// What lines of one batch make of an identity is decided as BatchResolver does.
template <class Entry>
std::size_t KeepChanges(Entry* entries, std::size_t n, const Bits& bits) {
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < n;) {
    const std::uint64_t identity = entries[begin].key >> bits.batch;
    float now = 1;
    for (bool existed = false; begin < n && entries[begin].key >> bits.batch == identity;
         existed = true) {
      const std::uint64_t key = entries[begin].key;
      const float before = now;
      for (; begin < n && entries[begin].key == key; ++begin) entries[begin].Take(now);
      if (existed && now == before) continue;
      entries[kept++] = Entry::Of(key, existed ? -now : now);
    }
  }
  return kept;
}

// An array of times, in the memory of `entries` if that is not much larger.
template <class Entry>
AlignedArray<std::int64_t> TimesIn(AlignedArray<Entry> entries, std::uint64_t count) {
  if constexpr (sizeof(Entry) == sizeof(std::int64_t))
    if (entries.size() - count <= count / 16) {
      AlignedArray<std::int64_t> times = std::move(entries).template As<std::int64_t>();
      times.Truncate(count);
      return times;
    }
  return AlignedArray<std::int64_t>(count);
}

StringTable::View FirstKeys(const StringTable::View& keys, NodeId count) {
  StringTable first;
  for (NodeId v = 0; v < count; ++v) first.Insert(keys[v]);
  return first.Publish();
}

// A state whose nodes are facts, alive, and whose edges are those of `base`.
GraphState StateOf(const GraphState& empty, Sequence sequence, std::int64_t time_ms,
                   StringTable::View keys, std::shared_ptr<Csr> base) {
  const std::size_t nodes = keys.size();
  GraphState state = empty;
  state.sequence = base->sequence = sequence;
  state.time_ms = time_ms;
  state.keys = std::move(keys);
  PagedArray<KindId> kinds;
  kinds.Append(std::vector<KindId>(nodes, kNode.value()));
  PagedArray<std::uint8_t> flags;
  flags.Append(std::vector<std::uint8_t>(nodes, kAlive));
  state.node_kinds = kinds.Publish();
  state.node_flags = flags.Publish();
  state.dirty = std::make_shared<DirtyBits>(nodes);
  state.nodes_by_kind[kNode] = nodes;
  state.edges_by_kind[kLink] = base->arc_count();
  state.base = std::move(base);
  return state;
}

}  // namespace

// The edges partitioned by source.
template <class Entry>
struct LoadedEdges::Arcs {
  Bits bits;
  std::vector<std::uint64_t> begin;  // of each part, and the end
  AlignedArray<Entry> entries;

  std::size_t parts() const { return begin.size() - 1; }
  Arcs(const std::vector<LoadBatch>& batches, const Bits& b, NodeId nodes, Executor& executor);
};

template <class Entry>
LoadedEdges::Arcs<Entry>::Arcs(const std::vector<LoadBatch>& batches, const Bits& of_key,
                               NodeId nodes, Executor& executor)
    : bits(of_key) {
  std::vector<std::size_t> chunks;  // first batch of each, and the end
  for (std::size_t batch = 0, in_chunk = kChunkEdges; batch < batches.size(); ++batch) {
    if (in_chunk >= kChunkEdges) {
      chunks.push_back(batch);
      in_chunk = 0;
    }
    in_chunk += batches[batch].edges.size();
  }
  chunks.push_back(batches.size());
  const std::size_t parts = (std::size_t{nodes} >> bits.row) + 1;
  std::vector<std::uint64_t> place((chunks.size() - 1) * parts, 0);
  auto count = [&](std::size_t c) {
    for (std::size_t batch = chunks[c]; batch < chunks[c + 1]; ++batch)
      for (const NodePair& e : batches[batch].edges) ++place[c * parts + (e.source >> bits.row)];
  };
  RunBlocks(executor, chunks.size() - 1, count);
  begin.resize(parts + 1);
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    begin[p] = sum;
    for (std::size_t c = 0; c + 1 < chunks.size(); ++c)
      sum += std::exchange(place[c * parts + p], sum);
  }
  begin[parts] = sum;
  entries = AlignedArray<Entry>(sum);
  auto scatter = [&](std::size_t c) {
    std::uint64_t* at = &place[c * parts];
    const std::uint64_t low = (std::uint64_t{1} << bits.row) - 1;
    for (std::size_t b = chunks[c]; b < chunks[c + 1]; ++b) {
      const LoadBatch& batch = batches[b];
      for (std::size_t i = 0; i < batch.edges.size(); ++i) {
        const NodePair e = batch.edges[i];
        entries[at[e.source >> bits.row]++] =
            Entry::Of(((((e.source & low) << bits.target) | e.target) << bits.batch) | b,
                      batch.weights.empty() ? std::nanf("") : batch.weights[i]);
      }
    }
  };
  RunBlocks(executor, chunks.size() - 1, scatter);
}

// Turns the edges of each batch into its changes, and gives the base.
template <class Entry, class Bits>
std::shared_ptr<Csr> LoadedEdges::Build(const Bits& bits, NodeId nodes, Executor& executor) {
  const std::size_t batches = batches_.size();
  Arcs<Entry> arcs(batches_, bits, nodes, executor);
  const std::size_t parts = arcs.parts();
  auto first_row = [&](std::size_t p) { return std::min<std::size_t>(nodes, p << bits.row); };

  // Sort; changes by part and batch, edges by part and row.
  auto csr = std::make_shared<Csr>();
  csr->node_count = nodes;
  csr->out_offsets = AlignedArray<std::uint32_t>(std::size_t{nodes} + 1);
  std::vector<std::uint32_t> place(parts * batches, 0);
  std::vector<std::uint64_t> changes(parts), edges(parts + 1, 0);
  {  // the scratch goes before the rows are made
    std::uint64_t largest = 0;
    for (std::size_t p = 0; p < parts; ++p)
      largest = std::max(largest, arcs.begin[p + 1] - arcs.begin[p]);
    ScratchPool<Entry> pool(std::min<std::size_t>(std::max(1, executor.thread_count()), parts),
                            largest);
    auto sort = [&](std::size_t p) {
      AlignedArray<Entry> scratch = pool.Take();
      Entry* own = arcs.entries.data() + arcs.begin[p];
      const std::size_t n = arcs.begin[p + 1] - arcs.begin[p];
      const Entry* sorted = RadixSort(own, scratch.data(), n, bits.target + bits.row,
                                      [&](const Entry& e) { return e.key >> bits.batch; });
      if (sorted != own) std::copy_n(sorted, n, own);
      changes[p] = KeepChanges(own, n, bits);
      std::uint32_t* degrees = csr->out_offsets.data() + first_row(p);
      std::fill(degrees, csr->out_offsets.data() + first_row(p + 1), 0u);
      for (std::size_t i = 0; i < changes[p]; ++i) {
        ++place[p * batches + bits.Batch(own[i].key)];
        if (i > 0 && own[i].key >> bits.batch == own[i - 1].key >> bits.batch) continue;
        ++degrees[bits.Row(own[i].key)];
        ++edges[p];
      }
      pool.Give(std::move(scratch));
    };
    RunBlocks(executor, parts, sort);
  }

  for (std::size_t b = 0; b < batches; ++b) {
    std::uint32_t changed = 0;
    for (std::size_t p = 0; p < parts; ++p)
      changed += std::exchange(place[p * batches + b], changed);
    batches_[b].edges.Truncate(changed);
    batches_[b].weights.Truncate(changed);
  }
  std::uint64_t arc_count = 0;
  for (std::uint64_t& e : edges) arc_count += std::exchange(e, arc_count);
  csr->out_neighbors = AlignedArray<NodeId>(arc_count);
  csr->out_weights = AlignedArray<float>(arc_count);
  csr->out_kinds = AlignedArray<std::uint8_t>(arc_count);
  auto fill = [&](std::size_t p) {
    const Entry* own = arcs.entries.data() + arcs.begin[p];
    std::uint32_t* at = place.data() + p * batches;
    std::uint64_t slot = edges[p];
    for (std::size_t i = 0; i < changes[p]; ++i) {
      const std::uint64_t key = own[i].key;
      const NodeId target = bits.Target(key);
      LoadBatch& batch = batches_[bits.Batch(key)];
      const std::uint32_t to = at[bits.Batch(key)]++;
      batch.edges[to] = {static_cast<NodeId>(first_row(p) + bits.Row(key)), target};
      if (!batch.weights.empty()) batch.weights[to] = own[i].weight();
      if (i + 1 < changes[p] && own[i + 1].key >> bits.batch == key >> bits.batch) continue;
      csr->out_neighbors[slot] = target;
      csr->out_weights[slot++] = std::abs(own[i].weight());
    }
    const std::size_t count = edges[p + 1] - edges[p];
    std::fill_n(csr->out_kinds.data() + edges[p], count, static_cast<std::uint8_t>(kLink.value()));
    auto sum = static_cast<std::uint32_t>(edges[p]);
    for (std::size_t row = first_row(p); row < first_row(p + 1); ++row)
      sum += std::exchange(csr->out_offsets[row], sum);
  };
  RunBlocks(executor, parts, fill);
  csr->out_offsets[nodes] = static_cast<std::uint32_t>(arc_count);
  // Memory that was touched already: fresh pages are dear.
  BuildInArrays(*csr, executor,
                {reinterpret_cast<std::uint64_t*>(arcs.entries.data()),
                 arcs.entries.size_bytes() / sizeof(std::uint64_t)});
  csr->out_created_at = TimesIn(std::move(arcs.entries), arc_count);
  ParallelFor(executor, arc_count, kChunkEdges, [&](std::size_t begin, std::size_t end) {
    std::fill(csr->out_created_at.data() + begin, csr->out_created_at.data() + end, time_ms_);
  });
  return csr;
}

Result<LoadedEdges> LoadedEdges::Make(EdgeLoad load, const GraphState& empty, Executor& executor) {
  LoadedEdges loaded;
  loaded.time_ms_ = std::max(load.time_ms, empty.time_ms);
  loaded.keys_ = load.keys.Publish();
  PLEXUS_TRY(Check(load, loaded.keys_, executor));
  loaded.batches_ = std::move(load.batches);
  const NodeId nodes = loaded.keys_.size();
  std::uint64_t named = 0;
  bool weighted = false;
  for (const LoadBatch& batch : loaded.batches_) {
    named += batch.edges.size();
    weighted |= !batch.weights.empty();
  }
  Bits bits;
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(std::bit_ceil(named / kPartEdges + 1), 1, kMaxParts);
  bits.target = static_cast<int>(std::bit_width(nodes > 1 ? nodes - 1 : 1u));
  bits.row = std::max(0, bits.target - static_cast<int>(std::bit_width(parts) - 1));
  bits.batch = static_cast<int>(std::bit_width(loaded.batches_.size()));
  if (named > Limits::kMaxArcs || bits.all() > 64)
    return Fail(ErrorCode::kResourceExhausted, "too many edges and nodes to load at once");
  auto base = weighted ? loaded.Build<WeightedEntry>(bits, nodes, executor)
                       : loaded.Build<Entry>(bits, nodes, executor);
  Sequence sequence = 0;
  std::uint64_t changes = 0;
  for (std::size_t b = 0; b < loaded.batch_count(); ++b) {
    sequence += loaded.HasRecord(b);
    changes += loaded.change_count(b);
  }
  ApplyReport& report = loaded.report_;
  report.time_ms = loaded.time_ms_;
  report.time_moved = load.time_ms != kNoTime && load.time_ms < loaded.time_ms_;
  report.sequence = sequence;
  report.nodes.added = nodes;
  report.edges.added = base->arc_count();
  report.edges.changed = changes - base->arc_count();
  report.edges.same = named - changes;
  loaded.state_ = StateOf(empty, sequence, loaded.time_ms_, loaded.keys_, std::move(base));
  return loaded;
}

std::uint64_t LoadedEdges::key_bytes(std::size_t batch) const {
  std::uint64_t bytes = 0;
  for (NodeId v = FirstNode(batch); v < batches_[batch].nodes; ++v) bytes += keys_[v].size();
  return bytes;
}

void LoadedEdges::FillNodes(std::size_t batch, Record& r) const {
  r.sequence = 0;
  r.time_ms = time_ms_;
  const NodeId first = FirstNode(batch), end = batches_[batch].nodes;
  r.first_node = first == end ? 0 : first;
  r.node_kinds.assign(end - first, kNode);
  r.key_offsets.clear();
  r.key_bytes.clear();
  if (first != end) r.key_offsets.push_back(0);
  for (NodeId v = first; v < end; ++v) {
    r.key_bytes.append(keys_[v]);
    r.key_offsets.push_back(r.key_bytes.size());
  }
  r.edges.clear();
}

void LoadedEdges::FillRecord(std::size_t batch, Record& r) const {
  FillNodes(batch, r);
  const LoadBatch& from = batches_[batch];
  r.edges.reserve(from.edges.size());
  for (std::size_t i = 0; i < from.edges.size(); ++i) {
    const float weight = from.weights.empty() ? 1 : from.weights[i];
    r.edges.push_back({from.edges[i].source, from.edges[i].target, 0, std::abs(weight), time_ms_,
                       kLink, FlagsOf(weight), 0});
  }
}

Result<GraphState> LoadedEdges::StateBefore(std::size_t batch, const GraphState& empty,
                                            Executor& executor) const {
  std::vector<EdgeChange> edges;
  Sequence sequence = 0;
  Record record;
  for (std::size_t b = 0; b < batch; ++b) {
    FillRecord(b, record);
    edges.insert(edges.end(), record.edges.begin(), record.edges.end());
    sequence += HasRecord(b);
  }
  const NodeId nodes = FirstNode(batch);
  PLEXUS_ASSIGN(auto base, BuildCsr(nodes, edges, {}, *empty.schema, sequence, executor));
  return StateOf(empty, sequence, batch > 0 ? time_ms_ : empty.time_ms, FirstKeys(keys_, nodes),
                 std::move(base));
}

}  // namespace plexus
