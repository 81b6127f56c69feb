// The values of a checkpoint: cheap enough to be checked at every open.
//
// Range checks are branch-free reductions over bytes that are in cache anyway.
// Row order is one pass that counts descents: as many in all as at row starts
// means that none lies inside a row; only else is every row looked at.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "engine/adjacency/csr.h"
#include "storage/checkpoint/checkpoint.h"

namespace plexus::storage_internal {

namespace {

struct ArrayPlace {
  const ArraySpec& spec;
  std::uint64_t first;
  std::string_view where;
  Status Bad(std::uint64_t i, const std::string& what) const {
    return Corrupted(where, ", ", ArrayName(spec.array, spec.element), ", index ", first + i, ": ",
                     what);
  }
};

// Every value below `limit`.
template <class T>
Status Below(const ArrayPlace& at, const T* v, std::uint64_t n, std::uint64_t limit) {
  T largest = 0;
  for (std::uint64_t i = 0; i < n; ++i) largest = v[i] > largest ? v[i] : largest;
  if (n == 0 || largest < limit) return {};
  for (std::uint64_t i = 0; i < n; ++i)
    if (v[i] >= limit)
      return at.Bad(i, std::to_string(v[i]) + " is not below " + std::to_string(limit));
  return {};
}

template <class T>
Status Ascending(const ArrayPlace& at, const T* v, std::uint64_t n, bool strictly) {
  for (std::uint64_t i = 1; i < n; ++i)
    if (strictly ? v[i] <= v[i - 1] : v[i] < v[i - 1])
      return at.Bad(i, std::to_string(v[i]) + " after " + std::to_string(v[i - 1]));
  return {};
}

Status Weights(const ArrayPlace& at, const float* v, std::uint64_t n) {
  const auto* bits = reinterpret_cast<const std::uint32_t*>(v);
  std::uint32_t bad = 0;  // sign set (but for -0) or exponent all ones
  for (std::uint64_t i = 0; i < n; ++i) bad |= bits[i] >= 0x7F800000u;
  if (!bad) return {};
  for (std::uint64_t i = 0; i < n; ++i)
    if (!std::isfinite(v[i]) || v[i] < 0) return at.Bad(i, "the weight is not finite and >= 0");
  return {};
}

Status References(const ArrayPlace& at, const std::uint64_t* v, std::uint64_t n,
                  Sequence sequence) {
  return Below(at, v, n, (sequence + 1) << 24);
}

Status ColumnValues(const ArrayPlace& at, const std::uint64_t* v, std::uint64_t n,
                    const ArrayBounds& b) {
  const auto& columns = b.schema->columns();
  if (at.spec.element >= columns.size() || columns[at.spec.element].name.empty())
    return at.Bad(0, "there is no such column");
  switch (columns[at.spec.element].type) {
    case ColumnType::kI64:
      return {};
    case ColumnType::kF64:
      for (std::uint64_t i = 0; i < n; ++i)
        if (v[i] != kAbsentF64 && !std::isfinite(std::bit_cast<double>(v[i])))
          return at.Bad(i, "the value is not finite");
      return {};
    case ColumnType::kString:
      for (std::uint64_t i = 0; i < n; ++i)
        if (v[i] != kAbsentString && v[i] >= b.strings) return at.Bad(i, "unknown string");
      return {};
  }
  return {};
}

}  // namespace

Status CheckValues(const ArraySpec& spec, const void* data, std::uint64_t first,
                   std::uint64_t count, const ArrayBounds& b, std::string_view where) {
  const ArrayPlace at{spec, first, where};
  const auto* u8 = static_cast<const std::uint8_t*>(data);
  const auto* u16 = static_cast<const std::uint16_t*>(data);
  const auto* u32 = static_cast<const std::uint32_t*>(data);
  const auto* u64 = static_cast<const std::uint64_t*>(data);
  switch (static_cast<ArrayId>(spec.array)) {
    case ArrayId::kKeyLengths:
      return Below(at, u16, count, Limits::kMaxKeyBytes + 1);
    case ArrayId::kStringLengths:
      return Below(at, u16, count, Limits::kMaxStringBytes + 1);
    case ArrayId::kNodeKinds:
      return Below(at, u16, count, b.node_kinds);
    case ArrayId::kNodeFlags:
      return Below(at, u8, count, 3);  // alive, purged, neither
    case ArrayId::kColumn:
      return ColumnValues(at, u64, count, b);
    case ArrayId::kPayloadRefs:
    case ArrayId::kProperties:
    case ArrayId::kVectorRefs:
      return References(at, u64, count, b.sequence);
    case ArrayId::kOutNeighbors:
    case ArrayId::kInNeighbors:
      return Below(at, u32, count, b.nodes);
    case ArrayId::kOutWeights:
    case ArrayId::kInWeights:
      return Weights(at, static_cast<const float*>(data), count);
    case ArrayId::kOutWeightCodes:
      return Below(at, u8, count, b.out_weights);
    case ArrayId::kInWeightCodes:
      return Below(at, u8, count, b.in_weights);
    case ArrayId::kInSlots:
      return Below(at, u32, count, b.arcs);
    case ArrayId::kLabels:
    case ArrayId::kCreatedBy:
      return Below(at, u32, count, b.strings);
    case ArrayId::kLabelSlots:
    case ArrayId::kCreatedBySlots:
    case ArrayId::kValidFromSlots:
    case ArrayId::kValidUntilSlots:
    case ArrayId::kPropertySlots:
      PLEXUS_TRY(Ascending(at, u32, count, true));
      return Below(at, u32, count, b.arcs);
    case ArrayId::kVectorNodes:
      PLEXUS_TRY(Ascending(at, u32, count, true));
      return Below(at, u32, count, b.nodes);
    case ArrayId::kOutOffsets:
    case ArrayId::kInOffsets:
      PLEXUS_TRY(Ascending(at, u32, count, false));
      return Below(at, u32, count, b.arcs + 1);
    default:
      return {};  // bytes, kinds (CheckRows), times and places: any value will do
  }
}

namespace {

// Arcs [begin, end) that do not come strictly after the arc before them.
std::uint64_t CountDescents(const StoredCsrView& view, std::uint64_t begin, std::uint64_t end) {
  const NodeId* neighbors = view.neighbors.data();
  const std::uint8_t* kinds = view.kinds.data();
  std::uint64_t descents = 0;
  if (view.kinds_high.empty()) {
    for (std::uint64_t i = std::max<std::uint64_t>(begin, 1); i < end; ++i)
      descents += (kinds[i] < kinds[i - 1]) |
                  ((kinds[i] == kinds[i - 1]) & (neighbors[i] <= neighbors[i - 1]));
  } else {
    for (std::uint64_t i = std::max<std::uint64_t>(begin, 1); i < end; ++i) {
      const auto a = static_cast<std::uint32_t>(i - 1), z = static_cast<std::uint32_t>(i);
      descents += engine_internal::ArcOrder(view.kind(z), neighbors[z]) <=
                  engine_internal::ArcOrder(view.kind(a), neighbors[a]);
    }
  }
  return descents;
}

// The same, of the first arcs of non-empty rows only.
std::uint64_t CountRowDescents(const StoredCsrView& view, NodeId begin, NodeId end) {
  std::uint64_t descents = 0;
  for (NodeId v = begin; v < end; ++v) {
    const std::uint32_t i = view.offsets[v];
    if (i == 0 || i == view.offsets[v + 1]) continue;
    descents += engine_internal::ArcOrder(view.kind(i), view.neighbors[i]) <=
                engine_internal::ArcOrder(view.kind(i - 1), view.neighbors[i - 1]);
  }
  return descents;
}

Status CheckEveryRow(const Csr& csr, Direction direction, std::string_view where) {
  const StoredCsrView view = csr.view(direction);
  const char* name = direction == Direction::kIn ? "in" : "out";
  for (NodeId v = 0; v < view.node_count(); ++v) {
    for (std::uint32_t i = view.offsets[v] + 1; i < view.offsets[v + 1]; ++i) {
      const std::uint64_t before =
          engine_internal::ArcOrder(view.kind(i - 1), view.neighbors[i - 1]);
      const std::uint64_t order = engine_internal::ArcOrder(view.kind(i), view.neighbors[i]);
      bool ascends = before < order;
      if (before == order) {  // parallel edges: the label decides
        const EdgeSlot a = csr.SlotAt(direction, i - 1), z = csr.SlotAt(direction, i);
        ascends = csr.labels.Get(a, 0) < csr.labels.Get(z, 0);
      }
      if (!ascends)
        return Corrupted(where, ", ", name, "_neighbors, index ", i, ": row ", v,
                         " is not sorted by kind, neighbor and label");
    }
  }
  return {};
}

Status CheckDirection(const Csr& csr, Direction direction, const ArrayBounds& b, Executor& executor,
                      std::string_view where) {
  const StoredCsrView view = csr.view(direction);
  const std::string name = direction == Direction::kIn ? "in" : "out";
  if (view.offsets.empty() || view.offsets.front() != 0 || view.offsets.back() != b.arcs)
    return Corrupted(where, ", ", name, "_offsets: they do not span the arcs");
  std::atomic<bool> bad_offsets{false}, bad_kind{false};
  constexpr std::size_t kGrain = 1 << 16;
  // By value the sections were checked; here across their borders.
  ParallelFor(executor, view.offsets.size() - 1, kGrain, [&](std::size_t begin, std::size_t end) {
    bool bad = false;
    for (std::size_t i = begin; i < end; ++i) bad |= view.offsets[i + 1] < view.offsets[i];
    if (bad) bad_offsets = true;
  });
  if (bad_offsets) return Corrupted(where, ", ", name, "_offsets: they descend");
  const auto& edge_kinds = b.schema->edge_kinds();
  std::vector<std::uint8_t> known(edge_kinds.size());
  for (std::size_t k = 0; k < known.size(); ++k) known[k] = !edge_kinds[k].name.empty();
  known.resize(65536, 0);
  ParallelFor(executor, b.arcs, kGrain, [&](std::size_t begin, std::size_t end) {
    bool bad = false;
    for (std::size_t i = begin; i < end; ++i)
      bad |= !known[view.kind(static_cast<std::uint32_t>(i))];
    if (bad) bad_kind = true;
  });
  if (bad_kind) return Corrupted(where, ", ", name, "_kinds: an unknown kind");
  const std::uint64_t all = ParallelSum(
      executor, b.arcs, kGrain,
      [&](std::size_t begin, std::size_t end) { return CountDescents(view, begin, end); });
  const std::uint64_t at_rows =
      ParallelSum(executor, view.node_count(), kGrain, [&](std::size_t begin, std::size_t end) {
        return CountRowDescents(view, static_cast<NodeId>(begin), static_cast<NodeId>(end));
      });
  if (all == at_rows) return {};
  return CheckEveryRow(csr, direction, where);
}

}  // namespace

Status CheckRows(const Csr& csr, const ArrayBounds& b, Executor& executor, std::string_view where) {
  PLEXUS_TRY(CheckDirection(csr, Direction::kOut, b, executor, where));
  return CheckDirection(csr, Direction::kIn, b, executor, where);
}

}  // namespace plexus::storage_internal
