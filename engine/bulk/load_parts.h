// What all steps of a load know: the kinds in use, the bits of a key, and how rows are cut into
// parts. Private to the engine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/bulk/edge_load.h"
#include "engine/bulk/load_entries.h"
#include "engine/bulk/load_rows.h"
#include "engine/bulk/radix_sort.h"
#include "engine/bulk/scratch_pool.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"
#include "engine/vocabulary.h"

namespace plexus::engine_internal {

// The kinds that some edge has, by id; a kind's rank is its place among them.
struct UsedKinds {
  std::vector<KindId> kinds;
  std::vector<KindId> rank;             // by id
  std::vector<std::uint8_t> symmetric;  // by rank
  bool any_symmetric = false;

  UsedKinds(const std::vector<LoadBatch>& batches, const Schema& schema, Executor& executor);
};

struct LoadPlan {
  LoadPlan(const std::vector<LoadBatch>& batches, const LoadShape& shape, Executor& on)
      : used(batches, *shape.schema, on),
        nodes(shape.nodes),
        time_ms(shape.time_ms),
        wide_kinds(shape.schema->edge_kinds().size() > 256),
        base(shape.base),
        merges(shape.merges),
        executor(on) {}

  std::size_t FirstRow(std::size_t part) const {
    return std::min<std::size_t>(nodes, part << bits.row);
  }
  bool IsMirror(std::size_t row, std::uint64_t key) const {
    return used.any_symmetric && used.symmetric[bits.Kind(key)] && row > bits.Target(key);
  }
  template <class Entry>
  bool SameEdge(const Entry& a, const Entry& b) const {
    return a.key >> bits.batch == b.key >> bits.batch;
  }
  std::size_t threads() const {
    return static_cast<std::size_t>(std::max(1, executor.thread_count()));
  }
  // kCancelled when who watches says stop. `done` of `total` arcs or edges.
  Status Report(std::uint64_t done, std::uint64_t total, std::string_view phase = "sorting") const {
    if (!progress || total == 0 || progress->Report(phase, done, total)) return {};
    return Cancelled("loading was stopped");
  }
  // fn(row, kind's rank, target, edge) of a batch's arcs, in order.
  template <class Fn>
  void ForEachArc(const LoadBatch& batch, Fn&& fn) const;

  const UsedKinds used;
  KeyBits bits;
  std::size_t parts = 1;
  NodeId nodes;
  std::int64_t time_ms;
  bool wide_kinds;
  const Csr* base;  // null: no edges of these kinds are there before
  bool merges;
  // Of entries with values: which arrays the changes of batches have.
  bool any_kinds = false, any_labels = false, any_valid = false;
  Progress* progress = nullptr;
  Executor& executor;
};

template <class Fn>
void LoadPlan::ForEachArc(const LoadBatch& batch, Fn&& fn) const {
  if (batch.kinds.empty()) {
    const KindId link = used.rank[builtin::kLink.value()];
    for (std::size_t i = 0; i < batch.edges.size(); ++i)
      fn(batch.edges[i].source, link, batch.edges[i].target, i);
    return;
  }
  for (std::size_t i = 0; i < batch.edges.size(); ++i) {
    const NodePair e = batch.edges[i];
    const KindId rank = used.rank[batch.kinds[i]];
    if (!used.symmetric[rank] || e.source == e.target) {
      fn(e.source, rank, e.target, i);
    } else {
      fn(e.source, rank, e.target, i);
      fn(e.target, rank, e.source, i);
    }
  }
}

// --- Entries by part of the rows, and what is done with them: partitioned, sorted in the cache and
// decided, then turned into rows and changes.
//
// The partition keeps the order of the batches (one write position per chunk and part),
// and so does the sort: equal identities stand together, oldest first. One pass over them gives
// what each batch added, what it changed, and what stays. An edge of a symmetric kind is
// partitioned in both directions; what its second arc changes is no change of a batch.

constexpr std::uint64_t kChunkEdges = 1 << 18;  // partitioned by one task

// Of parts that follow one another.
template <class Entry>
struct PartEntries {
  std::size_t first = 0;               // part
  std::vector<std::uint64_t> begin;    // of each in `entries`, and the end
  std::vector<std::uint64_t> changes;  // of each, at its front
  AlignedArray<Entry> entries;
  // Of entries with values: what each states (empty: that is in its batch), and what each change
  // makes of it.
  std::vector<std::vector<LoadValue>> stated, values;

  std::size_t count() const { return begin.size() - 1; }
  std::uint64_t size(std::size_t i) const { return begin[i + 1] - begin[i]; }
  std::uint64_t largest() const {
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < count(); ++i) most = std::max(most, size(i));
    return most;
  }
  Entry* of(std::size_t i) { return entries.data() + begin[i]; }
};

// The edges of batches [first, last), whose arrays are at hand.
template <class Entry>
PartEntries<Entry> Partition(const LoadPlan& plan, const std::vector<LoadBatch>& batches,
                             std::size_t first, std::size_t last) {
  std::vector<std::size_t> chunks;  // first batch of each, and the end
  for (std::size_t batch = first, in_chunk = kChunkEdges; batch < last; ++batch) {
    if (in_chunk >= kChunkEdges) {
      chunks.push_back(batch);
      in_chunk = 0;
    }
    in_chunk += batches[batch].edges.size();
  }
  chunks.push_back(last);
  const std::size_t parts = plan.parts;
  const KeyBits bits = plan.bits;
  std::vector<std::uint64_t> place((chunks.size() - 1) * parts, 0);
  auto count = [&](std::size_t c) {
    std::uint64_t* counts = &place[c * parts];
    for (std::size_t b = chunks[c]; b < chunks[c + 1]; ++b)
      plan.ForEachArc(batches[b],
                      [&](NodeId row, KindId, NodeId, std::size_t) { ++counts[row >> bits.row]; });
  };
  RunBlocks(plan.executor, chunks.size() - 1, count);
  PartEntries<Entry> out;
  out.begin = PlaceParts(place, parts);
  out.entries = AlignedArray<Entry>(out.begin.back());
  auto scatter = [&](std::size_t c) {
    std::uint64_t* at = &place[c * parts];
    const std::uint64_t low = (std::uint64_t{1} << bits.row) - 1;
    for (std::size_t b = chunks[c]; b < chunks[c + 1]; ++b) {
      const LoadBatch& batch = batches[b];
      const bool labels = Entry::kHasValues && !batch.labels.empty();
      plan.ForEachArc(batch, [&](NodeId row, KindId kind, NodeId target, std::size_t i) {
        const std::uint64_t key = bits.Make(row & low, kind, target, labels ? batch.labels[i] : 0,
                                            Entry::kHasValues ? 0 : b);
        out.entries[at[row >> bits.row]++] = Entry::Of(key, batch, b, i);
      });
    }
  };
  RunBlocks(plan.executor, chunks.size() - 1, scatter);
  return out;
}

// What parts amount to.
struct Decided {
  std::vector<std::uint64_t> edges;  // by part
  std::uint64_t same = 0;
};

// Sorts each part and leaves its changes; counts the edges of its rows in `csr`. after(i, scratch)
// is called of each part then, by any thread; the scratch holds as many entries as the part.
template <class Entry, class After>
Result<Decided> DecideParts(const LoadPlan& plan, const std::vector<LoadBatch>& batches,
                            PartEntries<Entry>& parts, Csr& csr, After&& after) {
  const KeyBits bits = plan.bits;
  const std::size_t count = parts.count();
  Decided decided;
  decided.edges.assign(count, 0);
  parts.changes.assign(count, 0);
  parts.values.resize(Entry::kHasValues ? count : 0);
  ScratchPool<Entry> pool(std::min(plan.threads(), count), parts.largest());
  std::atomic<bool> inverted = false;
  std::atomic<std::uint64_t> all_same = 0;
  auto decide = [&](std::size_t i) {
    const std::size_t first_row = plan.FirstRow(parts.first + i);
    AlignedArray<Entry> scratch = pool.Take();
    Entry* own = parts.of(i);
    const std::size_t n = parts.size(i);
    const Entry* sorted = RadixSort(own, scratch.data(), n, bits.identity(),
                                    [&](const Entry& e) { return e.key >> bits.batch; });
    if (sorted != own) std::copy_n(sorted, n, own);
    std::uint64_t same = 0;
    const auto note_same = [&](std::uint64_t key) {
      same += !plan.IsMirror(first_row + bits.Row(key), key);
    };
    BaseEdges base(plan.base, bits, plan.used.kinds, first_row);
    if constexpr (Entry::kHasValues) {
      bool bad = false;
      const auto stated = [&](const Entry& e) {
        return parts.stated.empty() ? StatedBy(batches[e.batch], e.at) : parts.stated[i][e.at];
      };
      const auto exists = [&](std::uint64_t key, LoadValue& value) {
        return base.Find(key, &value);
      };
      parts.changes[i] =
          KeepChanges(own, n, stated, plan.time_ms, parts.values[i], bad, exists, note_same);
      if (bad) inverted = true;
    } else {
      const auto exists = [&](std::uint64_t key) { return base.Find(key, nullptr); };
      parts.changes[i] = KeepChanges(own, n, bits, exists, note_same);
    }
    all_same.fetch_add(same, std::memory_order_relaxed);
    std::uint32_t* degrees = csr.out_offsets.data() + first_row;
    std::fill(degrees, csr.out_offsets.data() + plan.FirstRow(parts.first + i + 1), 0u);
    for (std::size_t e = 0; e < parts.changes[i]; ++e) {
      if (e > 0 && plan.SameEdge(own[e], own[e - 1])) continue;
      ++degrees[bits.Row(own[e].key)];
      ++decided.edges[i];
    }
    after(i, scratch.data());
    pool.Give(std::move(scratch));
  };
  RunBlocks(plan.executor, count, decide);
  decided.same = all_same;
  if (inverted) return Invalid("an edge is valid until a time that is before it is valid from");
  return decided;
}

// The arrays of a csr for at most so many arcs, but for what ArcValues has.
void MakeOutArrays(Csr& csr, std::uint64_t arcs, bool wide_kinds);

// The values by slot that become columns when all are there.
template <class Entry>
struct ArcValues {
  explicit ArcValues(std::uint64_t arcs)
      : weights(Entry::kHasWeights ? arcs : 0), times(Entry::kHasValues ? arcs : 0) {}

  // Of the first `arcs`. Frees the values.
  void MoveTo(Csr& csr, std::uint64_t arcs, const LoadPlan& plan) {
    weights.Truncate(arcs);
    times.Truncate(arcs);
    csr.out_weights = Entry::kHasWeights ? WeightColumn(std::move(weights), plan.executor)
                                         : WeightColumn(arcs, 1.0f);
    csr.out_created_at = Entry::kHasValues ? SteppedColumn(times.span(), plan.executor)
                                           : SteppedColumn(arcs, plan.time_ms);
    times = {};
  }

  AlignedArray<float> weights;       // none: all 1
  AlignedArray<std::int64_t> times;  // none: that of the load
};

// Where the changes of each batch are written: by part and batch, from `first` on.
struct BatchPlaces {
  BatchPlaces(std::size_t parts, std::size_t first_batch, std::size_t end_batch)
      : first(first_batch), batches(end_batch - first_batch), at(parts * batches, 0) {}
  std::uint32_t& Of(std::size_t part, std::size_t batch) {
    return at[part * batches + (batch - first)];
  }

  std::size_t first, batches;
  std::vector<std::uint32_t> at;
};

// Counts the changes of a part by batch.
template <class Entry>
void CountChanges(const LoadPlan& plan, PartEntries<Entry>& parts, std::size_t i,
                  BatchPlaces& places) {
  const std::size_t first_row = plan.FirstRow(parts.first + i);
  const Entry* own = parts.of(i);
  for (std::size_t e = 0; e < parts.changes[i]; ++e)
    if (!plan.IsMirror(first_row + plan.bits.Row(own[e].key), own[e].key))
      ++places.Of(i, own[e].Batch(plan.bits));
}

// Turns counts into places; returns how many changes each batch has.
std::vector<std::uint32_t> PlaceChanges(BatchPlaces& places);

// Writes the rows of a part, from `slot` on, and its changes into the arrays of their batches.
template <bool kRows, bool kChanges, class Entry>
void FillPart(const LoadPlan& plan, PartEntries<Entry>& parts, std::size_t i,
              [[maybe_unused]] Csr* csr, [[maybe_unused]] std::uint64_t slot,
              [[maybe_unused]] std::type_identity_t<ArcValues<Entry>*> out,
              [[maybe_unused]] SlotColumns* sparse,
              [[maybe_unused]] std::vector<LoadBatch>& batches,
              [[maybe_unused]] BatchPlaces* places) {
  const KeyBits bits = plan.bits;
  const Entry* own = parts.of(i);
  const std::size_t first_row = plan.FirstRow(parts.first + i), n = parts.changes[i];
  [[maybe_unused]] auto sum = static_cast<std::uint32_t>(slot);
  for (std::size_t e = 0; e < n; ++e) {
    const std::uint64_t key = own[e].key;
    const auto row = static_cast<NodeId>(first_row + bits.Row(key));
    const NodeId target = bits.Target(key);
    const KindId kind = plan.used.kinds[bits.Kind(key)];
    LoadValue value;
    [[maybe_unused]] bool is_new = true;
    if constexpr (Entry::kHasValues) {
      value = parts.values[i][own[e].at];
      is_new = own[e].is_new != 0;
    } else {
      is_new = !std::signbit(own[e].weight());
      value.weight = std::abs(own[e].weight());
    }
    if constexpr (kChanges) {
      if (!plan.IsMirror(row, key)) {
        LoadBatch& batch = batches[own[e].Batch(bits)];
        const std::uint32_t to = places->Of(i, own[e].Batch(bits))++;
        batch.edges[to] = {row, target};
        if (!batch.weights.empty()) batch.weights[to] = is_new ? value.weight : -value.weight;
        if (!batch.kinds.empty()) batch.kinds[to] = kind;
        if constexpr (Entry::kHasValues) {
          batch.created_at[to] = value.created_at;
          if (!batch.labels.empty()) batch.labels[to] = bits.Label(key);
          if (!batch.valid_from.empty()) {
            batch.valid_from[to] = value.valid_from;
            batch.valid_until[to] = value.valid_until;
          }
        }
      }
    }
    if constexpr (kRows) {
      if (e + 1 < n && plan.SameEdge(own[e], own[e + 1])) continue;
      csr->out_neighbors[slot] = target;
      if constexpr (Entry::kHasWeights) out->weights[slot] = value.weight;
      csr->out_kinds[slot] = static_cast<std::uint8_t>(kind);
      if (!csr->out_kinds_high.empty())
        csr->out_kinds_high[slot] = static_cast<std::uint8_t>(kind >> 8);
      if constexpr (Entry::kHasValues) {
        const auto at_slot = static_cast<EdgeSlot>(slot);
        out->times[slot] = value.created_at;
        if (const StringId label = bits.Label(key)) sparse->labels.PushBack(at_slot, label);
        if (value.valid_from != kNoTime) sparse->valid_from.PushBack(at_slot, value.valid_from);
        if (value.valid_until != kNoTime) sparse->valid_until.PushBack(at_slot, value.valid_until);
      }
      ++slot;
    }
  }
  if constexpr (kRows)
    for (std::size_t row = first_row; row < plan.FirstRow(parts.first + i + 1); ++row)
      sum += std::exchange(csr->out_offsets[row], sum);
}

// New arrays for the changes of a batch. `columns`: those that it had (StoredBatch::columns).
void MakeChangeArrays(const LoadPlan& plan, bool has_values, std::uint8_t columns,
                      std::uint32_t changes, LoadBatch& batch);

// Bytes that these arrays take for a change.
std::uint64_t ChangeBytes(const LoadPlan& plan, bool has_values, std::uint8_t columns);

// --- A load that its memory does not hold: entries in runs in a scratch.

// As BuildLoadedRows, with about `memory` bytes on top of the graph: at least what the edges of one
// batch and those of one part of the rows take. Batches lose their arrays.
template <class Entry>
Result<LoadedRows> BuildRuns(const LoadPlan& plan, std::vector<LoadBatch>& batches,
                             std::shared_ptr<LoadScratch> scratch, std::uint64_t memory);

}  // namespace plexus::engine_internal
