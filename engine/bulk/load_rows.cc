// Loading an empty graph in memory: partition by source, sort in cache, versions, rows. What does
// not fit: load_runs.cc.
#include "engine/bulk/load_rows.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "engine/bulk/load_parts.h"
#include "engine/bulk/stored_batch.h"
#include "engine/vocabulary.h"

namespace plexus::engine_internal {

namespace {

constexpr std::uint64_t kPartEdges = 1 << 15;  // about: two copies fit an L2 cache
constexpr std::uint64_t kMaxParts = 1024;
constexpr std::uint64_t kMaxStoredParts = 4096;  // a few of them at a time are in memory

std::unexpected<Error> TooLarge() { return Exhausted("too many edges and nodes to load at once"); }

// Arrays for the changes of each batch: its own, or where values are read from there, new ones.
template <class Entry>
void ReserveChanges(const LoadPlan& plan, BatchPlaces& places, std::vector<LoadBatch>& batches) {
  const std::vector<std::uint32_t> changes = PlaceChanges(places);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    LoadBatch& batch = batches[b];
    if constexpr (Entry::kHasValues) {
      MakeChangeArrays(plan, true, 0, changes[b], batch);
    } else {
      batch.edges.Truncate(changes[b]);
      batch.weights.Truncate(changes[b]);
      batch.kinds.Truncate(changes[b]);
    }
  }
}

template <class Entry>
Result<LoadedRows> BuildInMemory(const LoadPlan& plan, std::vector<LoadBatch>& batches) {
  PartEntries<Entry> parts = Partition<Entry>(plan, batches, 0, batches.size());
  const std::uint64_t all = parts.entries.size();
  if (all > Limits::kMaxArcs) return TooLarge();
  PLEXUS_TRY(plan.Report(all / 4, all));
  auto csr = std::make_shared<Csr>();
  csr->node_count = plan.nodes;
  csr->out_offsets = AlignedArray<std::uint32_t>(std::size_t{plan.nodes} + 1);
  BatchPlaces places(plan.parts, 0, batches.size());
  const auto count = [&](std::size_t i, Entry*) { CountChanges(plan, parts, i, places); };
  PLEXUS_ASSIGN(Decided decided, DecideParts(plan, batches, parts, *csr, count));
  PLEXUS_TRY(plan.Report(all / 2, all));
  std::uint64_t arcs = 0;
  for (std::uint64_t& slot : decided.edges) arcs += std::exchange(slot, arcs);
  ReserveChanges<Entry>(plan, places, batches);
  MakeOutArrays(*csr, arcs, plan.wide_kinds);
  ArcValues<Entry> values(arcs);
  std::vector<SlotColumns> sparse(Entry::kHasValues ? plan.parts : 1);
  auto fill = [&](std::size_t p) {
    FillPart<true, true>(plan, parts, p, csr.get(), decided.edges[p], &values,
                         &sparse[Entry::kHasValues ? p : 0], batches, &places);
  };
  RunBlocks(plan.executor, plan.parts, fill);
  csr->out_offsets[plan.nodes] = static_cast<std::uint32_t>(arcs);
  for (SlotColumns& s : sparse) csr->Append(std::move(s));
  values.MoveTo(*csr, arcs, plan);
  parts.values = {};
  PLEXUS_TRY(plan.Report(all / 4 * 3, all));
  // Memory that was touched already: fresh pages are dear.
  if (!plan.merges)
    BuildInArrays(*csr, plan.executor,
                  {reinterpret_cast<std::uint64_t*>(parts.entries.data()),
                   parts.entries.size_bytes() / sizeof(std::uint64_t)});
  return LoadedRows{std::move(csr), decided.same};
}

// What a load in memory takes on top of the graph: its batches, or their changes in their place,
// and at the same time their arcs.
template <class Entry>
std::uint64_t BytesInMemory(const LoadPlan& plan, const std::vector<LoadBatch>& batches) {
  constexpr std::uint64_t kPerArc = sizeof(Entry) + (Entry::kHasValues ? sizeof(LoadValue) : 0);
  std::uint64_t bytes = 0;
  for (const LoadBatch& batch : batches) {
    const bool twice = plan.used.any_symmetric && (!batch.kinds.empty() || batch.stored.edges > 0);
    const auto columns = static_cast<std::uint8_t>(ColumnsOf(batch) | batch.stored.columns);
    const std::uint64_t edges = batch.edge_count();
    bytes += std::max(ColumnBytes(batch), edges * ChangeBytes(plan, Entry::kHasValues, columns)) +
             edges * kPerArc * (twice ? 2 : 1);
  }
  return bytes;
}

template <class Entry>
Result<LoadedRows> Build(LoadPlan plan, std::vector<LoadBatch>& batches,
                         std::shared_ptr<LoadScratch> scratch, std::uint64_t memory,
                         std::uint64_t named) {
  const auto stored = [](const LoadBatch& batch) { return batch.stored.edges > 0; };
  const bool spills = scratch && (BytesInMemory<Entry>(plan, batches) > memory ||
                                  std::ranges::any_of(batches, stored));
  const std::uint64_t parts = std::clamp<std::uint64_t>(std::bit_ceil(named / kPartEdges + 1), 1,
                                                        spills ? kMaxStoredParts : kMaxParts);
  plan.bits.row = std::max(0, plan.bits.target - static_cast<int>(std::bit_width(parts) - 1));
  plan.parts = (std::size_t{plan.nodes} >> plan.bits.row) + 1;
  if (plan.bits.all() > 64) return TooLarge();
  if (!spills) return BuildInMemory<Entry>(plan, batches);
  return BuildRuns<Entry>(plan, batches, std::move(scratch), memory);
}

int BitsFor(std::uint64_t count) { return static_cast<int>(std::bit_width(count - 1)); }

}  // namespace

UsedKinds::UsedKinds(const std::vector<LoadBatch>& batches, const Schema& schema,
                     Executor& executor) {
  std::vector<std::uint8_t> used(schema.edge_kinds().size(), 0);
  const auto look = [&](std::size_t b) {
    const auto mark = [&](KindId kind) {
      std::atomic_ref(used[kind]).store(1, std::memory_order_relaxed);
    };
    const StoredBatch& stored = batches[b].stored;
    if (batches[b].kinds.empty() && stored.kinds.empty()) return mark(builtin::kLink.value());
    for (const KindId kind : stored.kinds) mark(kind);
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

void MakeOutArrays(Csr& csr, std::uint64_t arcs, bool wide_kinds) {
  csr.out_neighbors = AlignedArray<NodeId>(arcs);
  csr.out_kinds = AlignedArray<std::uint8_t>(arcs);
  if (wide_kinds) csr.out_kinds_high = AlignedArray<std::uint8_t>(arcs);
}

std::vector<std::uint32_t> PlaceChanges(BatchPlaces& places) {
  std::vector<std::uint32_t> changes(places.batches, 0);
  for (std::size_t i = 0; i < places.at.size(); ++i) {
    std::uint32_t& sum = changes[i % places.batches];
    sum += std::exchange(places.at[i], sum);
  }
  return changes;
}

void MakeChangeArrays(const LoadPlan& plan, bool has_values, std::uint8_t columns,
                      std::uint32_t changes, LoadBatch& batch) {
  const auto has = [&](unsigned bit) { return (columns >> bit & 1) != 0 ? changes : 0; };
  const auto times = [&](bool there) {
    return AlignedArray<std::int64_t>(has_values && there ? changes : 0);
  };
  batch.edges = AlignedArray<NodePair>(changes);
  batch.weights = AlignedArray<float>(has_values ? changes : has(1));
  batch.kinds = AlignedArray<KindId>(has_values ? (plan.any_kinds ? changes : 0) : has(2));
  batch.labels = AlignedArray<StringId>(has_values && plan.any_labels ? changes : 0);
  batch.created_at = times(true);
  batch.valid_from = times(plan.any_valid);
  batch.valid_until = times(plan.any_valid);
}

std::uint64_t ChangeBytes(const LoadPlan& plan, bool has_values, std::uint8_t columns) {
  const bool weights = has_values || (columns & 2) != 0;
  const bool kinds = has_values ? plan.any_kinds : (columns & 4) != 0;
  std::uint64_t bytes =
      sizeof(NodePair) + (weights ? sizeof(float) : 0) + (kinds ? sizeof(KindId) : 0);
  if (!has_values) return bytes;
  bytes += sizeof(std::int64_t) * (plan.any_valid ? 3 : 1);
  return bytes + (plan.any_labels ? sizeof(StringId) : 0);
}

Result<LoadedRows> BuildLoadedRows(std::vector<LoadBatch>& batches, const LoadShape& shape,
                                   std::shared_ptr<LoadScratch> scratch, std::uint64_t memory,
                                   Progress* progress, Executor& executor) {
  std::uint64_t named = 0;
  bool weighted = false, valued = false;
  LoadPlan plan(batches, shape, executor);
  plan.progress = progress;
  for (const LoadBatch& batch : batches) {
    named += batch.edge_count();
    const unsigned columns = ColumnsOf(batch) | batch.stored.columns;
    weighted |= (columns & 2) != 0;
    plan.any_kinds |= (columns & 4) != 0;
    plan.any_labels |= (columns & 8) != 0;
    plan.any_valid |= (columns & (32 | 64)) != 0;
    valued |= (columns & (8 | 16 | 32 | 64)) != 0;
  }
  if (shape.base) {  // a changed edge has a time of its own
    valued |= weighted;
    plan.any_valid |=
        valued && !(shape.base->valid_from.slots.empty() && shape.base->valid_until.slots.empty());
  }
  if (named > Limits::kMaxArcs) return TooLarge();
  KeyBits& bits = plan.bits;
  bits.target = static_cast<int>(std::bit_width(shape.nodes > 1 ? shape.nodes - 1 : 1u));
  bits.kind = BitsFor(std::max<std::size_t>(plan.used.kinds.size(), 1));
  if (valued)
    bits.label = BitsFor(std::max<StringId>(shape.strings, 1));
  else
    bits.batch = static_cast<int>(std::bit_width(batches.size()));
  if (valued) return Build<ValuedEntry>(plan, batches, std::move(scratch), memory, named);
  if (weighted) return Build<WeightedEntry>(plan, batches, std::move(scratch), memory, named);
  return Build<PlainEntry>(plan, batches, std::move(scratch), memory, named);
}

std::vector<std::uint64_t> CountEdges(const Csr& csr, const Schema& schema, Executor& executor) {
  const std::size_t kinds = schema.edge_kinds().size();
  const StoredCsrView out = csr.out();
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
