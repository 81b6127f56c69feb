// One pass counts the arcs of each row, one writes them; the in arrays are transposed again. Blocks
// of rows are independent: what a block has of a sparse column is appended in the order of blocks.
#include "engine/bulk/load_rows.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "engine/adjacency/heaviest_arcs.h"

namespace plexus::engine_internal {

namespace {

constexpr std::size_t kBlockRows = std::size_t{1} << 12;

// A sparse column of rows that are walked in order.
template <class T>
class ColumnReader {
 public:
  ColumnReader(const SlotColumn<T>& from, EdgeSlot begin)
      : from_(from),
        at_(static_cast<std::size_t>(std::ranges::lower_bound(from.slots, begin) -
                                     from.slots.begin())) {}
  // The values of slots [begin, end) go to those from `to` on. REQUIRES begins that ascend.
  void Move(EdgeSlot begin, EdgeSlot end, EdgeSlot to, SlotColumn<T>& column) {
    while (at_ < from_.slots.size() && from_.slots[at_] < begin) ++at_;
    for (; at_ < from_.slots.size() && from_.slots[at_] < end; ++at_)
      column.PushBack(from_.slots[at_] - begin + to, from_.values[at_]);
  }

 private:
  const SlotColumn<T>& from_;
  std::size_t at_;
};

// One of the two, read by the walk of a block.
class Source {
 public:
  Source(const Csr& csr, NodeId row)
      : csr_(csr),
        out_(csr.out()),
        labels_(csr.labels, Begin(row)),
        created_by_(csr.created_by, Begin(row)),
        valid_from_(csr.valid_from, Begin(row)),
        valid_until_(csr.valid_until, Begin(row)),
        properties_(csr.properties, Begin(row)) {}

  EdgeSlot Begin(NodeId row) const { return csr_.out_offsets[std::min(row, csr_.node_count)]; }
  EdgeSlot End(NodeId row) const { return row < csr_.node_count ? csr_.out_offsets[row + 1] : 0; }
  std::uint64_t Order(EdgeSlot slot) const {
    return ArcOrder(out_.kind(slot), out_.neighbors[slot]);
  }
  StringId Label(EdgeSlot slot) const { return csr_.labels.Get(slot, 0); }
  bool CannotBeReplaced(EdgeSlot slot) const {
    return csr_.created_by.Get(slot, 0) != 0 || csr_.properties.Get(slot, 0) != 0;
  }
  // Arcs [begin, end) go to `to`.
  void Move(EdgeSlot begin, EdgeSlot end, EdgeSlot to, Csr& csr, float* weights,
            std::int64_t* times, SlotColumns& columns) {
    if (begin == end) return;
    const auto copy = [&](const auto& from, auto& into) {
      std::copy(from.begin() + begin, from.begin() + end, into.data() + to);
    };
    copy(out_.neighbors, csr.out_neighbors);
    out_.weights.Copy(begin, end, weights + to);
    copy(out_.kinds, csr.out_kinds);
    csr_.out_created_at.Copy(begin, end, times + to);
    if (!csr.out_kinds_high.empty())
      for (EdgeSlot s = begin; s < end; ++s)
        csr.out_kinds_high[to + (s - begin)] = static_cast<std::uint8_t>(out_.kind(s).value() >> 8);
    labels_.Move(begin, end, to, columns.labels);
    created_by_.Move(begin, end, to, columns.created_by);
    valid_from_.Move(begin, end, to, columns.valid_from);
    valid_until_.Move(begin, end, to, columns.valid_until);
    properties_.Move(begin, end, to, columns.properties);
  }

 private:
  const Csr& csr_;
  const StoredCsrView out_;
  ColumnReader<StringId> labels_, created_by_;
  ColumnReader<std::int64_t> valid_from_, valid_until_;
  ColumnReader<std::uint64_t> properties_;
};

// Walks a row of both in order: from_base(begin, end) and from_added(slot); replaced(slot) of an
// arc of the base before the one in its place.
template <class FromBase, class FromAdded, class Replaced>
void MergeRow(const Source& base, const Source& added, NodeId row, FromBase&& from_base,
              FromAdded&& from_added, Replaced&& replaced) {
  EdgeSlot b = base.Begin(row);
  const EdgeSlot end = std::max(b, base.End(row)), added_end = added.End(row);
  for (EdgeSlot a = added.Begin(row); a < added_end; ++a) {
    const std::uint64_t order = added.Order(a);
    const EdgeSlot begin = b;
    bool same = false;
    for (; b < end && !same; ++b) {
      const std::uint64_t here = base.Order(b);
      if (here > order) break;
      if (here < order) continue;
      const StringId named = base.Label(b), label = added.Label(a);
      if (named > label) break;
      same = named == label;
      if (same) break;
    }
    from_base(begin, b);
    if (same) replaced(b++);
    from_added(a);
  }
  from_base(b, end);
}

}  // namespace

Result<std::shared_ptr<Csr>> MergeRows(const Csr& base, const Csr& added, std::uint64_t memory,
                                       Executor& executor) {
  const std::size_t nodes = added.node_count, blocks = (nodes + kBlockRows - 1) / kBlockRows;
  auto csr = std::make_shared<Csr>();
  csr->node_count = added.node_count;
  csr->out_offsets = AlignedArray<std::uint32_t>(nodes + 1);
  std::vector<std::uint64_t> begin_of(blocks + 1, 0);
  std::atomic<bool> lost = false;
  ParallelFor(executor, nodes, kBlockRows, [&](std::size_t begin, std::size_t end) {
    const Source from(base, static_cast<NodeId>(begin)), more(added, static_cast<NodeId>(begin));
    std::uint64_t sum = 0;
    for (std::size_t v = begin; v < end; ++v) {
      std::uint32_t degree = 0;
      MergeRow(
          from, more, static_cast<NodeId>(v), [&](EdgeSlot b, EdgeSlot e) { degree += e - b; },
          [&](EdgeSlot) { ++degree; },
          [&](EdgeSlot slot) {
            if (from.CannotBeReplaced(slot)) lost = true;
          });
      csr->out_offsets[v] = degree;
      sum += degree;
    }
    begin_of[begin / kBlockRows] = sum;
  });
  if (lost)
    return FailedPrecondition("the load changes an edge that has properties or a created_by");
  std::uint64_t arcs = 0;
  for (std::uint64_t& block : begin_of) arcs += std::exchange(block, arcs);
  if (arcs > Limits::kMaxArcs)
    return Exhausted("a graph holds at most ", Limits::kMaxArcs, " arcs");
  csr->out_neighbors = AlignedArray<NodeId>(arcs);
  csr->out_kinds = AlignedArray<std::uint8_t>(arcs);
  if (!base.out_kinds_high.empty() || !added.out_kinds_high.empty())
    csr->out_kinds_high = AlignedArray<std::uint8_t>(arcs);
  AlignedArray<float> weights(arcs);
  AlignedArray<std::int64_t> times(arcs);
  std::vector<SlotColumns> columns(blocks);
  ParallelFor(executor, nodes, kBlockRows, [&](std::size_t begin, std::size_t end) {
    Source from(base, static_cast<NodeId>(begin)), more(added, static_cast<NodeId>(begin));
    SlotColumns& into = columns[begin / kBlockRows];
    auto to = static_cast<EdgeSlot>(begin_of[begin / kBlockRows]);
    for (std::size_t v = begin; v < end; ++v) {
      csr->out_offsets[v] = to;
      MergeRow(
          from, more, static_cast<NodeId>(v),
          [&](EdgeSlot b, EdgeSlot e) {
            from.Move(b, e, to, *csr, weights.data(), times.data(), into);
            to += e - b;
          },
          [&](EdgeSlot a) { more.Move(a, a + 1, to++, *csr, weights.data(), times.data(), into); },
          [](EdgeSlot) {});
    }
  });
  csr->out_offsets[nodes] = static_cast<std::uint32_t>(arcs);
  for (SlotColumns& of : columns) csr->Append(std::move(of));
  csr->out_created_at = SteppedColumn(times.span(), executor);
  times = {};
  csr->out_weights = WeightColumn(std::move(weights), executor);
  const std::uint64_t bytes = std::clamp(memory, arcs * 4, arcs * 16);  // transpose.cc moves 16
  AlignedArray<std::uint64_t> moved(bytes / sizeof(std::uint64_t) + 1);
  BuildInArrays(*csr, executor, moved.span());
  // As after a compaction: no query has to derive it.
  if (base.derived.Find<HeaviestArcs>()) csr->derived.Keep(FindHeaviestArcs(*csr, executor));
  return csr;
}

}  // namespace plexus::engine_internal
