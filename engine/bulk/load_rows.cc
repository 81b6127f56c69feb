// Loading an empty graph: partition by source, sort in cache, versions, rows.
//
// The partition keeps the order of the batches (one write position per chunk and part),
// and so does the sort: equal identities stand together, oldest first. One pass over them gives
// what each batch added, what it changed, and what stays. An edge of a symmetric kind is
// partitioned in both directions; what its second arc changes is no change of a batch.
#include "engine/bulk/load_rows.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/bulk/load_entries.h"
#include "engine/bulk/radix_sort.h"
#include "engine/bulk/scratch_pool.h"
#include "engine/vocabulary.h"

namespace plexus::engine_internal {

namespace {

constexpr std::uint64_t kChunkEdges = 1 << 18;  // partitioned by one task
constexpr std::uint64_t kPartEdges = 1 << 15;   // about: two copies fit an L2 cache
constexpr std::uint64_t kMaxParts = 1024;

std::unexpected<Error> TooLarge() {
  return Fail(ErrorCode::kResourceExhausted, "too many edges and nodes to load at once");
}

// The kinds that some edge has, by id; a kind's rank is its place among them.
struct UsedKinds {
  std::vector<KindId> kinds;
  std::vector<KindId> rank;             // by id
  std::vector<std::uint8_t> symmetric;  // by rank
  bool any_symmetric = false;

  UsedKinds(const std::vector<LoadBatch>& batches, const Schema& schema, Executor& executor);
};

UsedKinds::UsedKinds(const std::vector<LoadBatch>& batches, const Schema& schema,
                     Executor& executor) {
  std::vector<std::uint8_t> used(schema.edge_kinds().size(), 0);
  const auto look = [&](std::size_t b) {
    const auto mark = [&](KindId kind) {
      std::atomic_ref(used[kind]).store(1, std::memory_order_relaxed);
    };
    if (batches[b].kinds.empty()) return mark(kLink.value());
    for (KindId last = 0xFFFF; const KindId kind : batches[b].kinds) {
      if (kind != last) mark(kind);
      last = kind;
    }
  };
  RunBlocks(executor, batches.size(), look);
  rank.resize(used.size());
  for (std::size_t kind = 0; kind < used.size(); ++kind) {
    if (!used[kind]) continue;
    rank[kind] = static_cast<KindId>(kinds.size());
    kinds.push_back(static_cast<KindId>(kind));
    symmetric.push_back(schema.edge_kind(EdgeKindId(kind)).symmetric);
    any_symmetric |= symmetric.back() != 0;
  }
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

template <class Entry>
class Rows {
 public:
  Rows(std::vector<LoadBatch>& batches, const LoadShape& shape, const UsedKinds& used,
       const KeyBits& bits, Executor& executor)
      : batches_(batches), shape_(shape), used_(used), bits_(bits), executor_(executor) {}

  Result<LoadedRows> Build();

 private:
  static constexpr bool kHasValues = Entry::kHasValues;
  // The columns of a slot that few edges have.
  struct Sparse {
    SlotColumn<StringId> labels;
    SlotColumn<std::int64_t> valid_from, valid_until;
  };

  std::size_t parts() const { return part_begin_.size() - 1; }
  std::size_t FirstRow(std::size_t part) const {
    return std::min<std::size_t>(shape_.nodes, part << bits_.row);
  }
  template <class Fn>
  void ForEachArc(std::size_t batch, Fn&& fn) const;
  Status Partition();
  Status Sort();
  void ReserveChanges();
  void Fill();
  void FillPart(std::size_t part, Sparse& sparse);
  bool IsMirror(std::size_t row, std::uint64_t key) const {
    return used_.any_symmetric && used_.symmetric[bits_.Kind(key)] && row > bits_.Target(key);
  }
  bool SameEdge(const Entry& a, const Entry& b) const {
    return a.key >> bits_.batch == b.key >> bits_.batch;
  }

  std::vector<LoadBatch>& batches_;
  const LoadShape& shape_;
  const UsedKinds& used_;
  const KeyBits bits_;
  Executor& executor_;

  std::uint64_t same_ = 0;
  std::vector<std::uint64_t> part_begin_;  // of each part, and the end
  AlignedArray<Entry> entries_;
  std::vector<std::uint64_t> changes_, first_slot_;  // by part
  std::vector<std::uint32_t> place_;                 // by part and batch
  std::vector<std::vector<LoadValue>> values_;       // by part
  std::shared_ptr<Csr> csr_ = std::make_shared<Csr>();
};

// fn(row, kind's rank, target, edge) of a batch's arcs, in order.
template <class Entry>
template <class Fn>
void Rows<Entry>::ForEachArc(std::size_t b, Fn&& fn) const {
  const LoadBatch& batch = batches_[b];
  if (batch.kinds.empty()) {
    const KindId link = used_.rank[kLink.value()];
    for (std::size_t i = 0; i < batch.edges.size(); ++i)
      fn(batch.edges[i].source, link, batch.edges[i].target, i);
    return;
  }
  for (std::size_t i = 0; i < batch.edges.size(); ++i) {
    const NodePair e = batch.edges[i];
    const KindId rank = used_.rank[batch.kinds[i]];
    if (!used_.symmetric[rank] || e.source == e.target) {
      fn(e.source, rank, e.target, i);
    } else {
      fn(e.source, rank, e.target, i);
      fn(e.target, rank, e.source, i);
    }
  }
}

template <class Entry>
Status Rows<Entry>::Partition() {
  std::vector<std::size_t> chunks;  // first batch of each, and the end
  for (std::size_t batch = 0, in_chunk = kChunkEdges; batch < batches_.size(); ++batch) {
    if (in_chunk >= kChunkEdges) {
      chunks.push_back(batch);
      in_chunk = 0;
    }
    in_chunk += batches_[batch].edges.size();
  }
  chunks.push_back(batches_.size());
  const std::size_t parts = (std::size_t{shape_.nodes} >> bits_.row) + 1;
  std::vector<std::uint64_t> place((chunks.size() - 1) * parts, 0);
  auto count = [&](std::size_t c) {
    std::uint64_t* counts = &place[c * parts];
    for (std::size_t b = chunks[c]; b < chunks[c + 1]; ++b)
      ForEachArc(b, [&](NodeId row, KindId, NodeId, std::size_t) { ++counts[row >> bits_.row]; });
  };
  RunBlocks(executor_, chunks.size() - 1, count);
  part_begin_.resize(parts + 1);
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    part_begin_[p] = sum;
    for (std::size_t c = 0; c + 1 < chunks.size(); ++c)
      sum += std::exchange(place[c * parts + p], sum);
  }
  part_begin_[parts] = sum;
  if (sum > Limits::kMaxArcs) return TooLarge();
  entries_ = AlignedArray<Entry>(sum);
  auto scatter = [&](std::size_t c) {
    std::uint64_t* at = &place[c * parts];
    const std::uint64_t low = (std::uint64_t{1} << bits_.row) - 1;
    for (std::size_t b = chunks[c]; b < chunks[c + 1]; ++b) {
      const LoadBatch& batch = batches_[b];
      const bool labels = kHasValues && !batch.labels.empty();
      ForEachArc(b, [&](NodeId row, KindId kind, NodeId target, std::size_t i) {
        const std::uint64_t key =
            bits_.Make(row & low, kind, target, labels ? batch.labels[i] : 0, kHasValues ? 0 : b);
        entries_[at[row >> bits_.row]++] = Entry::Of(key, batch, b, i);
      });
    }
  };
  RunBlocks(executor_, chunks.size() - 1, scatter);
  return {};
}

// Sorts each part and leaves its changes; changes by part and batch, edges by part and row.
template <class Entry>
Status Rows<Entry>::Sort() {
  const std::size_t batches = batches_.size();
  csr_->node_count = shape_.nodes;
  csr_->out_offsets = AlignedArray<std::uint32_t>(std::size_t{shape_.nodes} + 1);
  place_.assign(parts() * batches, 0);
  changes_.assign(parts(), 0);
  first_slot_.assign(parts() + 1, 0);
  values_.resize(kHasValues ? parts() : 0);
  std::uint64_t largest = 0;
  for (std::size_t p = 0; p < parts(); ++p)
    largest = std::max(largest, part_begin_[p + 1] - part_begin_[p]);
  ScratchPool<Entry> pool(std::min<std::size_t>(std::max(1, executor_.thread_count()), parts()),
                          largest);
  std::atomic<bool> inverted = false;
  std::atomic<std::uint64_t> all_same = 0;
  auto sort = [&](std::size_t p) {
    AlignedArray<Entry> scratch = pool.Take();
    Entry* own = entries_.data() + part_begin_[p];
    const std::size_t n = part_begin_[p + 1] - part_begin_[p];
    const Entry* sorted = RadixSort(own, scratch.data(), n, bits_.identity(),
                                    [&](const Entry& e) { return e.key >> bits_.batch; });
    if (sorted != own) std::copy_n(sorted, n, own);
    pool.Give(std::move(scratch));
    std::uint64_t same = 0;
    const auto note_same = [&](std::uint64_t key) {
      same += !IsMirror(FirstRow(p) + bits_.Row(key), key);
    };
    if constexpr (kHasValues) {
      bool bad = false;
      changes_[p] = KeepChanges(own, n, batches_, shape_.time_ms, values_[p], bad, note_same);
      if (bad) inverted = true;
    } else {
      changes_[p] = KeepChanges(own, n, bits_, note_same);
    }
    all_same.fetch_add(same, std::memory_order_relaxed);
    std::uint32_t* degrees = csr_->out_offsets.data() + FirstRow(p);
    std::fill(degrees, csr_->out_offsets.data() + FirstRow(p + 1), 0u);
    for (std::size_t i = 0; i < changes_[p]; ++i) {
      const NodeId row = bits_.Row(own[i].key);
      if (!IsMirror(FirstRow(p) + row, own[i].key)) ++place_[p * batches + own[i].Batch(bits_)];
      if (i > 0 && SameEdge(own[i], own[i - 1])) continue;
      ++degrees[row];
      ++first_slot_[p];
    }
  };
  RunBlocks(executor_, parts(), sort);
  same_ = all_same;
  if (inverted)
    return Fail(ErrorCode::kInvalidArgument,
                "an edge is valid until a time that is before it is valid from");
  std::uint64_t arcs = 0;
  for (std::uint64_t& slot : first_slot_) arcs += std::exchange(slot, arcs);
  return {};
}

// Arrays for the changes of each batch: its own, or where values are read from there, new ones.
template <class Entry>
void Rows<Entry>::ReserveChanges() {
  bool kinds = false, labels = false, valid = false;
  for (const LoadBatch& batch : batches_) {
    kinds |= !batch.kinds.empty();
    labels |= !batch.labels.empty();
    valid |= !batch.valid_from.empty() || !batch.valid_until.empty();
  }
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    std::uint32_t changed = 0;
    for (std::size_t p = 0; p < parts(); ++p)
      changed += std::exchange(place_[p * batches_.size() + b], changed);
    LoadBatch& batch = batches_[b];
    if constexpr (kHasValues) {
      batch = {.edges = AlignedArray<NodePair>(changed),
               .weights = AlignedArray<float>(changed),
               .nodes = batch.nodes,
               .kinds = AlignedArray<KindId>(kinds ? changed : 0),
               .labels = AlignedArray<StringId>(labels ? changed : 0),
               .created_at = AlignedArray<std::int64_t>(changed),
               .valid_from = AlignedArray<std::int64_t>(valid ? changed : 0),
               .valid_until = AlignedArray<std::int64_t>(valid ? changed : 0)};
    } else {
      batch.edges.Truncate(changed);
      batch.weights.Truncate(changed);
      batch.kinds.Truncate(changed);
    }
  }
}

template <class Entry>
void Rows<Entry>::FillPart(std::size_t p, Sparse& sparse) {
  const Entry* own = entries_.data() + part_begin_[p];
  std::uint32_t* at = place_.data() + p * batches_.size();
  std::uint64_t slot = first_slot_[p];
  for (std::size_t i = 0; i < changes_[p]; ++i) {
    const std::uint64_t key = own[i].key;
    const auto row = static_cast<NodeId>(FirstRow(p) + bits_.Row(key));
    const NodeId target = bits_.Target(key);
    const KindId kind = used_.kinds[bits_.Kind(key)];
    LoadValue value;
    bool is_new = true;
    if constexpr (kHasValues) {
      value = values_[p][own[i].at];
      is_new = own[i].is_new != 0;
    } else {
      is_new = !std::signbit(own[i].weight());
      value.weight = std::abs(own[i].weight());
    }
    if (!IsMirror(row, key)) {
      LoadBatch& batch = batches_[own[i].Batch(bits_)];
      const std::uint32_t to = at[own[i].Batch(bits_)]++;
      batch.edges[to] = {row, target};
      if (!batch.weights.empty()) batch.weights[to] = is_new ? value.weight : -value.weight;
      if (!batch.kinds.empty()) batch.kinds[to] = kind;
      if constexpr (kHasValues) {
        batch.created_at[to] = value.created_at;
        if (!batch.labels.empty()) batch.labels[to] = bits_.Label(key);
        if (!batch.valid_from.empty()) {
          batch.valid_from[to] = value.valid_from;
          batch.valid_until[to] = value.valid_until;
        }
      }
    }
    if (i + 1 < changes_[p] && SameEdge(own[i], own[i + 1])) continue;
    csr_->out_neighbors[slot] = target;
    csr_->out_weights[slot] = value.weight;
    csr_->out_kinds[slot] = static_cast<std::uint8_t>(kind);
    if (!csr_->out_kinds_high.empty())
      csr_->out_kinds_high[slot] = static_cast<std::uint8_t>(kind >> 8);
    if constexpr (kHasValues) {
      const auto at_slot = static_cast<EdgeSlot>(slot);
      csr_->out_created_at[slot] = value.created_at;
      if (const StringId label = bits_.Label(key)) sparse.labels.PushBack(at_slot, label);
      if (value.valid_from != kNoTime) sparse.valid_from.PushBack(at_slot, value.valid_from);
      if (value.valid_until != kNoTime) sparse.valid_until.PushBack(at_slot, value.valid_until);
    }
    ++slot;
  }
  auto sum = static_cast<std::uint32_t>(first_slot_[p]);
  for (std::size_t row = FirstRow(p); row < FirstRow(p + 1); ++row)
    sum += std::exchange(csr_->out_offsets[row], sum);
}

template <class T>
void Append(SlotColumn<T>& to, const SlotColumn<T>& from) {
  to.slots.insert(to.slots.end(), from.slots.begin(), from.slots.end());
  to.values.insert(to.values.end(), from.values.begin(), from.values.end());
}

template <class Entry>
void Rows<Entry>::Fill() {
  const std::uint64_t arcs = first_slot_[parts()];
  csr_->out_neighbors = AlignedArray<NodeId>(arcs);
  csr_->out_weights = AlignedArray<float>(arcs);
  csr_->out_kinds = AlignedArray<std::uint8_t>(arcs);
  if (shape_.schema->edge_kinds().size() > 256)
    csr_->out_kinds_high = AlignedArray<std::uint8_t>(arcs);
  if (kHasValues) csr_->out_created_at = AlignedArray<std::int64_t>(arcs);
  std::vector<Sparse> sparse(kHasValues ? parts() : 1);
  auto fill = [&](std::size_t p) { FillPart(p, sparse[kHasValues ? p : 0]); };
  RunBlocks(executor_, parts(), fill);
  csr_->out_offsets[shape_.nodes] = static_cast<std::uint32_t>(arcs);
  for (const Sparse& s : sparse) {
    Append(csr_->labels, s.labels);
    Append(csr_->valid_from, s.valid_from);
    Append(csr_->valid_until, s.valid_until);
  }
}

template <class Entry>
Result<LoadedRows> Rows<Entry>::Build() {
  PLEXUS_TRY(Partition());
  PLEXUS_TRY(Sort());
  ReserveChanges();
  Fill();
  values_ = {};
  // Memory that was touched already: fresh pages are dear.
  BuildInArrays(*csr_, executor_,
                {reinterpret_cast<std::uint64_t*>(entries_.data()),
                 entries_.size_bytes() / sizeof(std::uint64_t)});
  if (kHasValues) return LoadedRows{std::move(csr_), same_};
  csr_->out_created_at = TimesIn(std::move(entries_), csr_->arc_count());
  ParallelFor(executor_, csr_->arc_count(), kChunkEdges, [&](std::size_t begin, std::size_t end) {
    std::fill(csr_->out_created_at.data() + begin, csr_->out_created_at.data() + end,
              shape_.time_ms);
  });
  return LoadedRows{std::move(csr_), same_};
}

int BitsFor(std::uint64_t count) { return static_cast<int>(std::bit_width(count - 1)); }

}  // namespace

Result<LoadedRows> BuildLoadedRows(std::vector<LoadBatch>& batches, const LoadShape& shape,
                                   Executor& executor) {
  std::uint64_t named = 0;
  bool weighted = false, valued = false;
  for (const LoadBatch& batch : batches) {
    named += batch.edges.size();
    weighted |= !batch.weights.empty();
    valued |= !batch.labels.empty() || !batch.created_at.empty() || !batch.valid_from.empty() ||
              !batch.valid_until.empty();
  }
  const UsedKinds used(batches, *shape.schema, executor);
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(std::bit_ceil(named / kPartEdges + 1), 1, kMaxParts);
  KeyBits bits;
  bits.target = static_cast<int>(std::bit_width(shape.nodes > 1 ? shape.nodes - 1 : 1u));
  bits.row = std::max(0, bits.target - static_cast<int>(std::bit_width(parts) - 1));
  bits.kind = BitsFor(std::max<std::size_t>(used.kinds.size(), 1));
  if (valued)
    bits.label = BitsFor(std::max<StringId>(shape.strings, 1));
  else
    bits.batch = static_cast<int>(std::bit_width(batches.size()));
  if (named > Limits::kMaxArcs || bits.all() > 64) return TooLarge();
  if (valued) return Rows<ValuedEntry>(batches, shape, used, bits, executor).Build();
  if (weighted) return Rows<WeightedEntry>(batches, shape, used, bits, executor).Build();
  return Rows<PlainEntry>(batches, shape, used, bits, executor).Build();
}

std::vector<std::uint64_t> CountEdges(const Csr& csr, const Schema& schema, Executor& executor) {
  const std::size_t kinds = schema.edge_kinds().size();
  const CsrView out = csr.out();
  const auto threads = static_cast<std::size_t>(std::max(1, executor.thread_count()));
  const std::size_t grain = csr.node_count / threads + 1;
  using Counts = std::vector<std::uint64_t>;
  return ParallelReduce(
      executor, csr.node_count, grain, Counts(kinds, 0),
      [&](std::size_t begin, std::size_t end) {
        Counts counts(kinds, 0);
        for (std::size_t v = begin; v < end; ++v)
          for (EdgeSlot s = out.offsets[v]; s < out.offsets[v + 1]; ++s) {
            const EdgeKindId kind = out.kind(s);
            counts[kind] += out.neighbors[s] >= v || !schema.edge_kind(kind).symmetric;
          }
        return counts;
      },
      [](Counts a, const Counts& b) {
        for (std::size_t kind = 0; kind < a.size(); ++kind) a[kind] += b[kind];
        return a;
      });
}

}  // namespace plexus::engine_internal
