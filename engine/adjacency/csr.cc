// Building a csr from edges: partition by row, sort inside rows, newest wins.
//
// Arcs are partitioned by the high bits of their row (blocks of input in order,
// so the partition is stable and independent of the thread count), then every
// partition is sorted and deduplicated on its own in cache. No atomics.
#include "engine/adjacency/csr.h"

#include <atomic>
#include <numeric>
#include <ranges>
#include <tuple>

#include "engine/adjacency/heaviest_arcs.h"
#include "engine/adjacency/run.h"
#include "engine/bulk/radix_sort.h"
#include "engine/out_of_memory.h"

namespace plexus {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;  // edges per input block

// One arc on its way into a row; `edge` is its position in the input.
struct Entry {
  NodeId row;
  NodeId neighbor;
  StringId label;
  std::uint32_t edge;
  KindId kind;
};

bool SameIdentity(const Entry& a, const Entry& b) {
  return a.row == b.row && a.kind == b.kind && a.neighbor == b.neighbor && a.label == b.label;
}

struct Partitioned {
  std::vector<std::uint64_t> begin;  // partition -> first entry; partitions + 1
  AlignedArray<Entry> entries;
  std::uint32_t shift = 0;  // row >> shift = partition
};

// Scatters every arc of `edges` to its partition, stable in input order.
Partitioned PartitionByRow(NodeId nodes, std::span<const EdgeChange> edges, const Schema& schema,
                           Executor& executor) {
  Partitioned p;
  while ((std::uint64_t{nodes} >> p.shift) >= 1024) ++p.shift;
  const std::size_t parts = (nodes >> p.shift) + 1;
  const std::size_t blocks = std::max<std::size_t>(1, (edges.size() + kBlock - 1) / kBlock);
  std::vector<std::uint64_t> start(blocks * parts, 0);
  auto for_arcs = [&](std::size_t begin, std::size_t end, auto&& fn) {
    for (std::size_t i = begin; i < end; ++i) {
      const EdgeChange& e = edges[i];
      fn(e.source, e.target, i);
      if (e.source != e.target && schema.edge_kind(e.kind).symmetric) fn(e.target, e.source, i);
    }
  };
  ParallelFor(executor, edges.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    std::uint64_t* counts = start.data() + begin / kBlock * parts;
    for_arcs(begin, end, [&](NodeId row, NodeId, std::size_t) { ++counts[row >> p.shift]; });
  });
  p.begin = PlaceParts(start, parts);
  p.entries = AlignedArray<Entry>(p.begin.back());
  ParallelFor(executor, edges.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    std::uint64_t* at = start.data() + begin / kBlock * parts;
    for_arcs(begin, end, [&](NodeId row, NodeId neighbor, std::size_t i) {
      p.entries[at[row >> p.shift]++] = {row, neighbor, edges[i].label,
                                         static_cast<std::uint32_t>(i), edges[i].kind};
    });
  });
  return p;
}

// Sorts one partition and keeps the newest of each identity; tombstones vanish.
// Returns the new end.
Entry* SortUnique(Entry* begin, Entry* end, std::span<const EdgeChange> edges) {
  std::sort(begin, end, [](const Entry& a, const Entry& b) {
    return std::tie(a.row, a.kind, a.neighbor, a.label, a.edge) <
           std::tie(b.row, b.kind, b.neighbor, b.label, b.edge);
  });
  Entry* out = begin;
  for (Entry* e = begin; e != end; ++e) {
    if (e + 1 != end && SameIdentity(*e, e[1])) continue;
    if (!edges[e->edge].tombstone()) *out++ = *e;
  }
  return out;
}

}  // namespace

void SlotColumns::Append(SlotColumns from) {
  labels.Append(std::move(from.labels));
  created_by.Append(std::move(from.created_by));
  valid_from.Append(std::move(from.valid_from));
  valid_until.Append(std::move(from.valid_until));
  properties.Append(std::move(from.properties));
}

std::uint64_t Csr::dense_bytes() const {
  return out_offsets.size_bytes() + out_neighbors.size_bytes() + out_weights.size_bytes() +
         out_kinds.size_bytes() + out_kinds_high.size_bytes() + out_created_at.size_bytes() +
         in_offsets.size_bytes() + in_neighbors.size_bytes() + in_weights.size_bytes() +
         in_kinds.size_bytes() + in_kinds_high.size_bytes() + in_places.size_bytes();
}

std::uint64_t Csr::sparse_bytes() const {
  return labels.size_bytes() + created_by.size_bytes() + valid_from.size_bytes() +
         valid_until.size_bytes() + properties.size_bytes();
}

// Parallel arcs stand side by side in both rows, in the same order.
EdgeSlot Csr::SearchOutSlot(std::uint32_t in_position) const {
  const auto first = [](const StoredCsrView& rows, NodeId row, std::uint64_t order) {
    const auto positions = std::views::iota(rows.offsets[row], rows.offsets[row + 1]);
    return *std::ranges::lower_bound(positions, order, {}, [&](std::uint32_t i) {
      return engine_internal::ArcOrder(rows.kind(i), rows.neighbors[i]);
    });
  };
  const auto row = std::upper_bound(in_offsets.begin(), in_offsets.end(), in_position) - 1;
  const auto target = static_cast<NodeId>(row - in_offsets.begin());
  const NodeId source = in_neighbors[in_position];
  const EdgeKindId kind = in().kind(in_position);
  const std::uint32_t parallel =
      in_position - first(in(), target, engine_internal::ArcOrder(kind, source));
  const std::uint32_t slot =
      first(out(), source, engine_internal::ArcOrder(kind, target)) + parallel;
  return static_cast<EdgeSlot>(std::min<std::uint64_t>(slot, arc_count() - 1));
}

Result<std::shared_ptr<Csr>> BuildCsr(NodeId node_count, std::span<const EdgeChange> edges,
                                      std::span<const EdgeExtra> extras, const Schema& schema,
                                      Sequence sequence, Executor& executor) try {
  if (edges.size() > Limits::kMaxArcs / 2)
    return Exhausted("a graph holds at most ", Limits::kMaxArcs, " arcs");
  Partitioned p = PartitionByRow(node_count, edges, schema, executor);
  const std::size_t parts = p.begin.size() - 1;
  std::vector<std::uint64_t> kept(parts + 1, 0);
  ParallelFor(executor, parts, 1, [&](std::size_t part, std::size_t) {
    Entry* begin = p.entries.data() + p.begin[part];
    kept[part + 1] = SortUnique(begin, p.entries.data() + p.begin[part + 1], edges) - begin;
  });
  std::partial_sum(kept.begin(), kept.end(), kept.begin());

  auto csr = std::make_shared<Csr>();
  csr->sequence = sequence;
  csr->node_count = node_count;
  const std::uint64_t arcs = kept.back();
  csr->out_offsets = AlignedArray<std::uint32_t>(std::size_t{node_count} + 1);
  csr->out_neighbors = AlignedArray<NodeId>(arcs);
  AlignedArray<float> weights(arcs);
  csr->out_kinds = AlignedArray<std::uint8_t>(arcs);
  AlignedArray<std::int64_t> times(arcs);
  if (schema.edge_kinds().size() > 256) csr->out_kinds_high = AlignedArray<std::uint8_t>(arcs);
  std::vector<SlotColumns> sparse(parts);
  ParallelFor(executor, parts, 1, [&](std::size_t part, std::size_t) {
    std::uint64_t slot = kept[part];
    NodeId row = static_cast<NodeId>(part << p.shift);
    const NodeId row_end = static_cast<NodeId>(
        std::min<std::uint64_t>(node_count, (std::uint64_t{part} + 1) << p.shift));
    const Entry* e = p.entries.data() + p.begin[part];
    for (; row < row_end; ++row) {
      csr->out_offsets[row] = static_cast<std::uint32_t>(slot);
      for (; slot < kept[part + 1] && e->row == row; ++slot, ++e) {
        const EdgeChange& c = edges[e->edge];
        const auto at = static_cast<EdgeSlot>(slot);
        csr->out_neighbors[slot] = e->neighbor;
        weights[slot] = c.weight;
        csr->out_kinds[slot] = static_cast<std::uint8_t>(c.kind.value());
        if (!csr->out_kinds_high.empty())
          csr->out_kinds_high[slot] = static_cast<std::uint8_t>(c.kind.value() >> 8);
        times[slot] = c.created_at;
        if (c.label) sparse[part].labels.PushBack(at, c.label);
        if (!(c.flags & EdgeChange::kHasExtra)) continue;
        const auto x = std::ranges::lower_bound(extras, e->edge, {}, &EdgeExtra::index);
        if (x == extras.end() || x->index != e->edge) continue;
        if (x->created_by) sparse[part].created_by.PushBack(at, x->created_by);
        if (x->valid_from != kNoTime) sparse[part].valid_from.PushBack(at, x->valid_from);
        if (x->valid_until != kNoTime) sparse[part].valid_until.PushBack(at, x->valid_until);
        if (x->properties) sparse[part].properties.PushBack(at, x->properties.bits);
      }
    }
  });
  csr->out_offsets[node_count] = static_cast<std::uint32_t>(arcs);
  csr->out_weights = WeightColumn(std::move(weights), executor);
  csr->out_created_at = SteppedColumn(times.span(), executor);
  times = {};
  for (SlotColumns& s : sparse) csr->Append(std::move(s));
  BuildInArrays(*csr, executor);
  return csr;
}
PLEXUS_CATCH_NO_MEMORY

EdgeList ListEdges(const Csr& csr, const Schema& schema) {
  EdgeList list;
  const StoredCsrView out = csr.out();
  for (NodeId v = 0; v < csr.node_count; ++v) {
    for (EdgeSlot s = out.offsets[v]; s < out.offsets[v + 1]; ++s) {
      const EdgeKindId kind = out.kind(s);
      if (out.neighbors[s] < v && schema.edge_kind(kind).symmetric) continue;
      EdgeChange c;
      c.source = v;
      c.target = out.neighbors[s];
      c.kind = kind;
      c.label = csr.labels.Get(s, 0);
      c.weight = out.weights[s];
      c.created_at = csr.out_created_at[s];
      EdgeExtra x;
      x.index = static_cast<std::uint32_t>(list.edges.size());
      x.created_by = csr.created_by.Get(s, 0);
      x.valid_from = csr.valid_from.Get(s, kNoTime);
      x.valid_until = csr.valid_until.Get(s, kNoTime);
      x.properties.bits = csr.properties.Get(s, 0);
      if (x.created_by || x.valid_from != kNoTime || x.valid_until != kNoTime || x.properties) {
        c.flags |= EdgeChange::kHasExtra;
        list.extras.push_back(x);
      }
      list.edges.push_back(c);
    }
  }
  return list;
}

// One pass over the weights. Rows are sorted by kind, so arcs of one kind stand together.
std::shared_ptr<const HeaviestArcs> FindHeaviestArcs(const Csr& csr, Executor& executor,
                                                     const std::function<bool()>& stop) {
  constexpr std::size_t kGrain = std::size_t{1} << 18;
  const StoredCsrView out = csr.out();
  std::atomic<bool> stopped = false;
  auto block = [&](std::size_t begin, std::size_t end) {
    std::vector<float> found;
    if (stopped.load(std::memory_order_relaxed) || (stop && stop())) {
      stopped = true;
      return found;
    }
    for (std::size_t i = begin; i < end;) {
      const EdgeKindId kind = out.kind(static_cast<std::uint32_t>(i));
      float most = 0;
      for (; i < end && out.kind(static_cast<std::uint32_t>(i)) == kind; ++i)
        most = std::max(most, out.weights[i]);
      RaiseHeaviest(found, kind, most);
    }
    return found;
  };
  auto join = [](std::vector<float> all, const std::vector<float>& one) {
    for (std::size_t kind = 0; kind < one.size(); ++kind)
      RaiseHeaviest(all, static_cast<KindId>(kind), one[kind]);
    return all;
  };
  auto made = std::make_shared<HeaviestArcs>();
  made->by_kind =
      ParallelReduce(executor, csr.arc_count(), kGrain, std::vector<float>(), block, join);
  if (stopped) return nullptr;
  return made;
}

}  // namespace plexus
