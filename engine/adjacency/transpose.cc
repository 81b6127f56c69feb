// The in arrays of a csr: a stable parallel transposition of its out arrays.
//
// Arcs are partitioned by the high bits of their target (out blocks in order, one
// write position per block and partition, so the result is the same at any thread
// count), then placed inside each partition by a counting sort. Because slots
// ascend by (source, kind, ...), a row comes out ordered by slot, which is (source, kind);
// rows with more than one kind are then ordered by (kind, slot), which is (kind,
// neighbor, label).
#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/bulk/radix_sort.h"

namespace plexus {

namespace {

constexpr std::size_t kRowsPerBlock = std::size_t{1} << 14;

struct Moved {
  NodeId target, source;
  std::uint32_t weight;  // WeightColumn::Bits
  KindId kind;
  std::uint8_t place;
};

// How an arc is moved: as it is ...
struct Whole {
  using Item = Moved;
  Item Pack(const Moved& m) const { return m; }
  Moved Unpack(const Item& item, NodeId) const { return item; }
};

// ... or, when all have the same kind and weight, as (row within its partition, source,
// place) in one word: 8 bytes instead of 16.
struct Packed {
  using Item = std::uint64_t;
  static constexpr int kPlaceBits = 8;
  int shift, source_bits;
  KindId kind;

  Item Pack(const Moved& m) const {
    const std::uint64_t row = m.target & ((std::uint64_t{1} << shift) - 1);
    return (((row << source_bits) | m.source) << kPlaceBits) | m.place;
  }
  Moved Unpack(Item item, NodeId row_begin) const {
    return {static_cast<NodeId>(row_begin + (item >> (source_bits + kPlaceBits))),
            static_cast<NodeId>((item >> kPlaceBits) & ((std::uint64_t{1} << source_bits) - 1)), 0,
            kind, static_cast<std::uint8_t>(item)};
  }
};

bool AllEqual(std::span<const std::uint8_t> values, Executor& executor) {
  return ParallelReduce<int>(  // of bools, side by side in memory
             executor, values.size(), std::size_t{1} << 18, 1,
             [&](std::size_t begin, std::size_t end) {
               const auto block = values.subspan(begin, end - begin);
               return std::ranges::all_of(block, [&](int v) { return v == values[0]; }) ? 1 : 0;
             },
             [](int a, int b) { return a & b; }) != 0;
}

// An arc of a row that is not in order yet.
struct InRow {
  std::uint32_t position;
  Moved arc;
};

void OrderRowByKind(Csr& csr, std::uint32_t begin, std::uint32_t end, std::vector<InRow>& row) {
  const StoredCsrView in = csr.in();
  bool ordered = true;
  for (std::uint32_t i = begin + 1; i < end && ordered; ++i) ordered = in.kind(i - 1) <= in.kind(i);
  if (ordered) return;
  row.clear();
  for (std::uint32_t i = begin; i < end; ++i)
    row.push_back(
        {i, {0, csr.in_neighbors[i], csr.in_weights.Bits(i), in.kind(i), csr.in_places[i]}});
  std::sort(row.begin(), row.end(), [](const InRow& a, const InRow& b) {
    return a.arc.kind != b.arc.kind ? a.arc.kind < b.arc.kind : a.position < b.position;
  });
  for (std::uint32_t i = begin; i < end; ++i) {
    const Moved& m = row[i - begin].arc;
    csr.in_neighbors[i] = m.source;
    csr.in_places[i] = m.place;
    csr.in_weights.SetBits(i, m.weight);
    csr.in_kinds[i] = static_cast<std::uint8_t>(m.kind);
    if (!csr.in_kinds_high.empty()) csr.in_kinds_high[i] = static_cast<std::uint8_t>(m.kind >> 8);
  }
}

template <class Shape>
void Transpose(Csr& csr, int shift, const Shape& shape, std::span<typename Shape::Item> moved,
               Executor& executor) {
  const StoredCsrView out = csr.out();
  const std::size_t nodes = csr.node_count;
  const std::size_t arcs = csr.arc_count();
  const std::size_t parts = (nodes >> shift) + 1;
  const std::size_t blocks = std::max<std::size_t>(1, (nodes + kRowsPerBlock - 1) / kRowsPerBlock);
  std::vector<std::uint32_t> start(blocks * parts, 0);
  ParallelFor(executor, nodes, kRowsPerBlock, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* counts = start.data() + begin / kRowsPerBlock * parts;
    for (std::uint32_t s = out.offsets[begin]; s < out.offsets[end]; ++s)
      ++counts[out.neighbors[s] >> shift];
  });
  const std::vector<std::uint32_t> part_begin = PlaceParts(start, parts);
  std::uint32_t largest = 0;
  for (std::size_t p = 0; p < parts; ++p)
    largest = std::max(largest, part_begin[p + 1] - part_begin[p]);
  AlignedArray<typename Shape::Item> own(largest > moved.size() ? largest : 0);
  if (!own.empty()) moved = own.span();
  // As many parts at a time as `moved` holds.
  for (std::size_t first = 0, last = 1; first < parts; first = last) {
    while (last < parts && part_begin[last + 1] - part_begin[first] <= moved.size()) ++last;
    const std::uint32_t base = part_begin[first];
    ParallelFor(executor, nodes, kRowsPerBlock, [&](std::size_t begin, std::size_t end) {
      std::uint32_t* at = start.data() + begin / kRowsPerBlock * parts;
      for (std::size_t v = begin; v < end; ++v) {
        const auto source = static_cast<NodeId>(v);
        for (std::uint32_t s = out.offsets[v]; s < out.offsets[v + 1]; ++s) {
          const std::size_t part = out.neighbors[s] >> shift;
          if (part - first >= last - first) continue;
          moved[at[part]++ - base] = shape.Pack({out.neighbors[s], source, csr.out_weights.Bits(s),
                                                 out.kind(s), csr.PlaceOf(source, s)});
        }
      }
    });
    ParallelFor(executor, last - first, 1, [&](std::size_t in_window, std::size_t) {
      const std::size_t p = first + in_window;
      const std::size_t row_begin = p << shift;
      const std::size_t row_end = std::min(nodes, (p + 1) << shift);
      if (row_begin >= row_end) return;
      std::vector<std::uint32_t> at(row_end - row_begin, 0);
      for (std::uint32_t i = part_begin[p]; i < part_begin[p + 1]; ++i)
        ++at[shape.Unpack(moved[i - base], static_cast<NodeId>(row_begin)).target - row_begin];
      std::uint32_t position = part_begin[p];
      for (std::size_t r = row_begin; r < row_end; ++r) {
        csr.in_offsets[r] = position;
        position += std::exchange(at[r - row_begin], position);
      }
      for (std::uint32_t i = part_begin[p]; i < part_begin[p + 1]; ++i) {
        const Moved m = shape.Unpack(moved[i - base], static_cast<NodeId>(row_begin));
        const std::uint32_t to = at[m.target - row_begin]++;
        csr.in_neighbors[to] = m.source;
        csr.in_places[to] = m.place;
        csr.in_weights.SetBits(to, m.weight);
        csr.in_kinds[to] = static_cast<std::uint8_t>(m.kind);
        if (!csr.in_kinds_high.empty())
          csr.in_kinds_high[to] = static_cast<std::uint8_t>(m.kind >> 8);
      }
      // `at` now holds row ends.
      std::vector<InRow> row;
      for (std::size_t r = row_begin; r < row_end; ++r)
        OrderRowByKind(csr, csr.in_offsets[r], at[r - row_begin], row);
    });
  }
  csr.in_offsets[nodes] = static_cast<std::uint32_t>(arcs);
}

}  // namespace

void BuildInArrays(Csr& csr, Executor& executor, std::span<std::uint64_t> scratch) {
  const std::size_t nodes = csr.node_count;
  const std::size_t arcs = csr.arc_count();
  csr.in_offsets = AlignedArray<std::uint32_t>(nodes + 1);
  csr.in_neighbors = AlignedArray<NodeId>(arcs);
  csr.in_weights = WeightColumn::ToPermute(csr.out_weights);
  csr.in_kinds = AlignedArray<std::uint8_t>(arcs);
  if (!csr.out_kinds_high.empty()) csr.in_kinds_high = AlignedArray<std::uint8_t>(arcs);
  csr.in_places = AlignedArray<std::uint8_t>(arcs);

  int shift = 0;
  while ((nodes >> shift) >= 512) ++shift;
  const int source_bits = static_cast<int>(std::bit_width(nodes));
  if (arcs > 0 && csr.out_kinds_high.empty() && shift + source_bits + Packed::kPlaceBits <= 64 &&
      csr.out_weights.one_value() && AllEqual(csr.out().kinds, executor)) {
    AlignedArray<std::uint64_t> own(scratch.empty() ? arcs : 0);
    const Packed packed{shift, source_bits, csr.out_kinds[0]};
    Transpose(csr, shift, packed, own.empty() ? scratch : own.span(), executor);
  } else {
    AlignedArray<Moved> own(scratch.empty() ? arcs : 0);
    const std::span<Moved> given(reinterpret_cast<Moved*>(scratch.data()),
                                 scratch.size_bytes() / sizeof(Moved));
    Transpose(csr, shift, Whole(), own.empty() ? given : own.span(), executor);
  }
}

}  // namespace plexus
