// Csr: the immutable adjacency of a graph, both directions.
//
// Out arrays: offsets, neighbor, weight, kind, created_at. In arrays: offsets,
// neighbor, weight, kind and the place of the same arc in its row of the out arrays, which
// gives its slot (position in the out arrays), through which cold attributes are reached.
// Rows are sorted by (kind, neighbor, label), so one kind is a contiguous range. Labels,
// created_by, valid times and property references are sparse columns keyed by slot. A
// symmetric edge is two out arcs and two in arcs.
//
// A place is a byte: of rows with more than 256 arcs it is not kept, and the slot is searched.
// Bytes: 5 out + 6 in = 11 per arc, 8 per node, the times (stepped_column.h) and the weights: none,
// 1 or 4 bytes an arc and direction (weight_column.h). Immutable once shared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/stepped_column.h"
#include "engine/arrays/views.h"
#include "engine/arrays/weight_column.h"
#include "engine/derived.h"
#include "engine/parallel.h"
#include "engine/record.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

// A sparse attribute of arcs: values for a sorted list of slots.
template <class T>
struct SlotColumn {
  std::vector<EdgeSlot> slots;  // ascending
  std::vector<T> values;        // parallel to slots

  T Get(EdgeSlot slot, T absent) const {
    if (slots.empty()) return absent;
    auto it = std::lower_bound(slots.begin(), slots.end(), slot);
    return it != slots.end() && *it == slot ? values[it - slots.begin()] : absent;
  }
  void PushBack(EdgeSlot slot, T value) {
    slots.push_back(slot);
    values.push_back(value);
  }
  void Append(SlotColumn from) {
    slots.insert(slots.end(), from.slots.begin(), from.slots.end());
    values.insert(values.end(), from.values.begin(), from.values.end());
  }
  std::uint64_t size_bytes() const { return slots.size() * (sizeof(EdgeSlot) + sizeof(T)); }
};

struct SlotColumns {
  SlotColumn<StringId> labels, created_by;
  SlotColumn<std::int64_t> valid_from, valid_until;
  SlotColumn<std::uint64_t> properties;  // PayloadRef bits

  void Append(SlotColumns from);
};

struct Csr : SlotColumns {
  Sequence sequence = 0;  // every record up to this one is folded in
  NodeId node_count = 0;

  AlignedArray<std::uint32_t> out_offsets;  // node_count + 1
  AlignedArray<NodeId> out_neighbors;
  WeightColumn out_weights;
  AlignedArray<std::uint8_t> out_kinds;
  AlignedArray<std::uint8_t> out_kinds_high;  // empty while every kind < 256
  SteppedColumn out_created_at;

  AlignedArray<std::uint32_t> in_offsets;  // node_count + 1
  AlignedArray<NodeId> in_neighbors;
  WeightColumn in_weights;
  AlignedArray<std::uint8_t> in_kinds;
  AlignedArray<std::uint8_t> in_kinds_high;
  AlignedArray<std::uint8_t> in_places;  // PlaceOf each

  DerivedData derived;

  std::uint64_t arc_count() const { return out_neighbors.size(); }
  StoredCsrView out() const {
    return {out_offsets.span(), out_neighbors.span(), out_weights.view(), out_kinds.span(),
            out_kinds_high.span()};
  }
  StoredCsrView in() const {
    return {in_offsets.span(), in_neighbors.span(), in_weights.view(), in_kinds.span(),
            in_kinds_high.span()};
  }
  StoredCsrView view(Direction direction) const {
    return direction == Direction::kIn ? in() : out();
  }
  // The place of an arc in the out row of `source`: 0 in a long row.
  std::uint8_t PlaceOf(NodeId source, EdgeSlot slot) const {
    return LongRow(source) ? std::uint8_t{0}
                           : static_cast<std::uint8_t>(slot - out_offsets[source]);
  }
  // The slot of the arc at a position of the in arrays. O(1), of a source with a long row
  // O(log arcs). Below arc_count(), whatever the places are.
  EdgeSlot OutSlot(std::uint32_t in_position) const {
    const NodeId source = in_neighbors[in_position];
    const std::uint32_t begin = out_offsets[source], degree = out_offsets[source + 1] - begin;
    if (degree - 1 >= kPlaces) return SearchOutSlot(in_position);
    return begin + std::min<std::uint32_t>(in_places[in_position], degree - 1);
  }
  // The same without places, by the order of rows.
  EdgeSlot SearchOutSlot(std::uint32_t in_position) const;
  EdgeSlot SlotAt(Direction direction, std::uint32_t position) const {
    return direction == Direction::kIn ? OutSlot(position) : position;
  }
  static constexpr std::uint32_t kPlaces = 256;  // arcs of a row that have a place
  bool LongRow(NodeId source) const {
    return out_offsets[source + 1] - out_offsets[source] > kPlaces;
  }

  std::uint64_t dense_bytes() const;   // offsets and arc arrays
  std::uint64_t sparse_bytes() const;  // slot columns
};

// Fills the in arrays from the out arrays (radix transposition in parallel, no
// atomics). O(arcs + nodes). The result does not depend on the thread count.
// Works in `scratch`, in several passes where it is short; without one in 8 or 16 bytes an arc.
void BuildInArrays(Csr& csr, Executor& executor, std::span<std::uint64_t> scratch = {});

// Builds a csr from edges in any order; of several changes of one identity the
// last in `edges` wins, tombstones included. `extras` refer to positions in
// `edges`. Parallel radix partition by source, then a sort inside each row.
// kResourceExhausted above Limits::kMaxArcs.
Result<std::shared_ptr<Csr>> BuildCsr(NodeId node_count, std::span<const EdgeChange> edges,
                                      std::span<const EdgeExtra> extras, const Schema& schema,
                                      Sequence sequence, Executor& executor);

// The edges of a csr as changes sorted by identity (each symmetric edge once),
// for checkpoints of small graphs, tests and export.
struct EdgeList {
  std::vector<EdgeChange> edges;
  std::vector<EdgeExtra> extras;
};
EdgeList ListEdges(const Csr& csr, const Schema& schema);

}  // namespace plexus
