// Loading an empty graph: partition by source, sort in cache, versions, rows.
//
// The partition keeps the order of the batches (one write position per chunk and part),
// and so does the sort: equal identities stand together, oldest first. Going over them
// once tells what each batch added, what it changed, and what stays.
#include "engine/edge_load.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "engine/radix_sort.h"
#include "engine/scratch_pool.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

constexpr std::uint64_t kChunkEdges = 1 << 18;  // partitioned by one task
constexpr std::uint64_t kPartEdges = 1 << 15;   // about: two copies fit an L2 cache
constexpr std::uint64_t kMaxParts = 1024;

// An edge on its way into its row; once it was looked at, a change.
struct Entry {
  std::uint64_t key;  // row within the part, target
  std::uint32_t batch;
  float weight;
};

// What lines of one batch make of an identity, as BatchResolver decides it.
struct Version {
  float weight = 1;
  void Take(float stated) {
    if (!std::isnan(stated)) weight = stated;
  }
};

// Leaves the changes at the front of entries[0, n), which are sorted; returns how many.
std::size_t KeepChanges(Entry* entries, std::size_t n) {
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < n;) {
    const std::uint64_t key = entries[begin].key;
    Version now;
    for (bool existed = false; begin < n && entries[begin].key == key; existed = true) {
      const std::uint32_t batch = entries[begin].batch;
      const float before = now.weight;
      for (; begin < n && entries[begin].key == key && entries[begin].batch == batch; ++begin)
        now.Take(entries[begin].weight);
      if (existed && now.weight == before) continue;
      entries[kept++] = {key, batch, existed ? -now.weight : now.weight};
    }
  }
  return kept;
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
  kinds.Append(std::vector<KindId>(nodes, kNode));
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
struct LoadedEdges::Arcs {
  int target_bits = 0, row_bits = 0;
  std::vector<std::uint64_t> begin;  // of each part, and the end
  AlignedArray<Entry> entries;

  std::size_t parts() const { return begin.size() - 1; }
  Arcs(EdgeLoad& load, Executor& executor);
};

LoadedEdges::Arcs::Arcs(EdgeLoad& load, Executor& executor) {
  const std::vector<LoadBatch>& batches = load.batches;
  const NodeId nodes = load.keys.size();
  std::uint64_t edges = 0;
  std::vector<std::size_t> chunks;  // first batch of each, and the end
  for (std::size_t b = 0, in_chunk = kChunkEdges; b < batches.size(); ++b) {
    if (in_chunk >= kChunkEdges) {
      chunks.push_back(b);
      in_chunk = 0;
    }
    in_chunk += batches[b].edges.size();
    edges += batches[b].edges.size();
  }
  chunks.push_back(batches.size());
  const std::uint64_t wanted = std::clamp<std::uint64_t>(std::bit_ceil(edges / kPartEdges + 1), 1, kMaxParts);
  target_bits = static_cast<int>(std::bit_width(nodes > 1 ? nodes - 1 : 1u));
  row_bits = std::max(0, target_bits - static_cast<int>(std::bit_width(wanted) - 1));
  const std::size_t parts = (std::size_t{nodes} >> row_bits) + 1;

  std::vector<std::uint64_t> place((chunks.size() - 1) * parts, 0);
  auto count = [&](std::size_t c) {
    for (std::size_t b = chunks[c]; b < chunks[c + 1]; ++b)
      for (const NodePair& e : batches[b].edges) ++place[c * parts + (e.source >> row_bits)];
  };
  executor.Run(chunks.size() - 1, BlockTask(count));
  begin.resize(parts + 1);
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    begin[p] = sum;
    for (std::size_t c = 0; c + 1 < chunks.size(); ++c) sum += std::exchange(place[c * parts + p], sum);
  }
  begin[parts] = sum;
  entries = AlignedArray<Entry>(sum);
  auto scatter = [&](std::size_t c) {
    std::uint64_t* at = &place[c * parts];
    const NodeId low = static_cast<NodeId>((std::uint64_t{1} << row_bits) - 1);
    for (std::size_t b = chunks[c]; b < chunks[c + 1]; ++b) {
      LoadBatch& batch = load.batches[b];
      for (std::size_t i = 0; i < batch.edges.size(); ++i) {
        const NodePair e = batch.edges[i];
        entries[at[e.source >> row_bits]++] = {
            (std::uint64_t{e.source & low} << target_bits) | e.target, static_cast<std::uint32_t>(b),
            batch.weights.empty() ? std::nanf("") : batch.weights[i]};
      }
      batch.edges = {};
      batch.weights = {};
    }
  };
  executor.Run(chunks.size() - 1, BlockTask(scatter));
}

// Fills begin_, changes_ and report_, and gives the base.
Result<std::shared_ptr<Csr>> LoadedEdges::Build(EdgeLoad& load, Executor& executor) {
  const NodeId nodes = load.keys.size();
  const std::size_t batches = batch_count();
  Arcs arcs(load, executor);
  const std::size_t parts = arcs.parts();
  const std::uint64_t target_mask = (std::uint64_t{1} << arcs.target_bits) - 1;
  auto first_row = [&](std::size_t p) { return std::min<std::size_t>(nodes, p << arcs.row_bits); };

  // Sort; changes by part and batch, edges by part and row.
  auto csr = std::make_shared<Csr>();
  csr->node_count = nodes;
  csr->out_offsets = AlignedArray<std::uint32_t>(std::size_t{nodes} + 1);
  std::vector<std::uint32_t> place(parts * batches, 0);
  std::vector<std::uint64_t> changes(parts), edges(parts + 1, 0);
  std::uint64_t largest = 0;
  for (std::size_t p = 0; p < parts; ++p) largest = std::max(largest, arcs.begin[p + 1] - arcs.begin[p]);
  ScratchPool<Entry> pool(std::min<std::size_t>(std::max(1, executor.thread_count()), parts), largest);
  auto sort = [&](std::size_t p) {
    AlignedArray<Entry> scratch = pool.Take();
    Entry* own = arcs.entries.data() + arcs.begin[p];
    const std::size_t n = arcs.begin[p + 1] - arcs.begin[p];
    const Entry* sorted = RadixSort(own, scratch.data(), n, arcs.target_bits + arcs.row_bits,
                                    [](const Entry& e) { return e.key; });
    if (sorted != own) std::copy_n(sorted, n, own);
    changes[p] = KeepChanges(own, n);
    std::fill(&csr->out_offsets[first_row(p)], &csr->out_offsets[first_row(p + 1)], 0u);
    for (std::size_t i = 0; i < changes[p]; ++i) {
      ++place[p * batches + own[i].batch];
      if (i > 0 && own[i].key == own[i - 1].key) continue;
      ++csr->out_offsets[first_row(p) + (own[i].key >> arcs.target_bits)];
      ++edges[p];
    }
    pool.Give(std::move(scratch));
  };
  executor.Run(parts, BlockTask(sort));

  std::uint64_t total = 0;
  for (std::size_t b = 0; b < batches; ++b) {
    begin_[b] = total;
    std::uint64_t of_batch = 0;
    for (std::size_t p = 0; p < parts; ++p)
      of_batch += std::exchange(place[p * batches + b], static_cast<std::uint32_t>(of_batch));
    total += of_batch;
  }
  begin_[batches] = total;
  std::uint64_t arc_count = 0;
  for (std::uint64_t& e : edges) arc_count += std::exchange(e, arc_count);
  changes_ = AlignedArray<Change>(total);
  csr->out_neighbors = AlignedArray<NodeId>(arc_count);
  csr->out_weights = AlignedArray<float>(arc_count);
  csr->out_kinds = AlignedArray<std::uint8_t>(arc_count);
  csr->out_created_at = AlignedArray<std::int64_t>(arc_count);
  auto fill = [&](std::size_t p) {
    const Entry* own = arcs.entries.data() + arcs.begin[p];
    std::uint32_t* at = &place[p * batches];
    std::uint64_t slot = edges[p];
    for (std::size_t i = 0; i < changes[p]; ++i) {
      const Entry& e = own[i];
      const auto target = static_cast<NodeId>(e.key & target_mask);
      const auto source = static_cast<NodeId>(first_row(p) + (e.key >> arcs.target_bits));
      changes_[begin_[e.batch] + at[e.batch]++] = {source, target, e.weight};
      if (i + 1 < changes[p] && own[i + 1].key == e.key) continue;
      csr->out_neighbors[slot] = target;
      csr->out_weights[slot++] = std::abs(e.weight);
    }
    std::fill(&csr->out_kinds[edges[p]], &csr->out_kinds[edges[p]] + (edges[p + 1] - edges[p]), kLink);
    std::fill(&csr->out_created_at[edges[p]], &csr->out_created_at[edges[p]] + (edges[p + 1] - edges[p]), time_ms_);
    auto sum = static_cast<std::uint32_t>(edges[p]);
    for (std::size_t row = first_row(p); row < first_row(p + 1); ++row)
      sum += std::exchange(csr->out_offsets[row], sum);
  };
  executor.Run(parts, BlockTask(fill));
  csr->out_offsets[nodes] = static_cast<std::uint32_t>(arc_count);
  arcs.entries = {};
  BuildInArrays(*csr, executor);
  return csr;
}

Result<LoadedEdges> LoadedEdges::Make(EdgeLoad load, const GraphState& empty, Executor& executor) {
  PLEXUS_CHECK(load.batches.size() <= kMaxLoadBatches, "a load has few batches");
  std::uint64_t named = 0;
  LoadedEdges loaded;
  loaded.time_ms_ = std::max(load.time_ms, empty.time_ms);
  loaded.nodes_.push_back(0);
  for (const LoadBatch& batch : load.batches) {
    loaded.nodes_.push_back(batch.nodes);
    named += batch.edges.size();
  }
  if (named > Limits::kMaxArcs)
    return Fail(ErrorCode::kResourceExhausted, std::to_string(named) + " edges, a graph holds at most " +
                                                   std::to_string(Limits::kMaxArcs) + " arcs");
  loaded.begin_.resize(load.batches.size() + 1, 0);
  PLEXUS_ASSIGN(auto base, loaded.Build(load, executor));
  loaded.keys_ = load.keys.Publish();
  Sequence sequence = 0;
  for (std::size_t b = 0; b < loaded.batch_count(); ++b) sequence += loaded.HasRecord(b);
  ApplyReport& report = loaded.report_;
  report.sequence = sequence;
  report.nodes.added = loaded.keys_.size();
  report.edges.added = base->arc_count();
  report.edges.changed = loaded.changes_.size() - base->arc_count();
  report.edges.same = named - loaded.changes_.size();
  loaded.state_ = StateOf(empty, sequence, loaded.time_ms_, loaded.keys_, std::move(base));
  return loaded;
}

void LoadedEdges::FillRecord(std::size_t batch, Record& r) const {
  r.sequence = 0;
  r.time_ms = time_ms_;
  const NodeId first = nodes_[batch], end = nodes_[batch + 1];
  r.first_node = first == end ? 0 : first;
  r.node_kinds.assign(end - first, kNode);
  r.key_offsets.clear();
  r.key_bytes.clear();
  if (first != end) r.key_offsets.push_back(0);
  for (NodeId v = first; v < end; ++v) {
    r.key_bytes.append(keys_[v]);
    r.key_offsets.push_back(r.key_bytes.size());
  }
  r.edges.resize(change_count(batch));
  const Change* from = changes_.data() + begin_[batch];
  for (EdgeChange& to : r.edges) {
    const std::uint16_t flags = std::signbit(from->weight) ? 0 : EdgeChange::kIsNew;
    to = {from->source, from->target, 0, std::abs(from->weight), time_ms_, kLink, flags, 0};
    ++from;
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
  const NodeId nodes = nodes_[batch];
  PLEXUS_ASSIGN(auto base, BuildCsr(nodes, edges, {}, *empty.schema, sequence, executor));
  return StateOf(empty, sequence, batch > 0 ? time_ms_ : empty.time_ms, FirstKeys(keys_, nodes),
                 std::move(base));
}

}  // namespace plexus
