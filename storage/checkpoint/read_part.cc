// A part of the arcs of a checkpoint: which they are, then array by array only those.
//
// Order and offsets are checked of all arcs on the way: a part does not show that another part's
// arc is in the wrong place.
#include <algorithm>
#include <bit>
#include <utility>

#include "engine/adjacency/csr.h"
#include "storage/checkpoint/reader.h"

namespace plexus::storage_internal {

namespace {

// Counts set bits below a position.
class Ranks {
 public:
  explicit Ranks(const std::vector<std::uint64_t>& bits) : bits_(bits) {
    before_.reserve(bits.size() + 1);
    std::uint32_t count = 0;
    for (const std::uint64_t word : bits) {
      before_.push_back(count);
      count += static_cast<std::uint32_t>(std::popcount(word));
    }
    before_.push_back(count);
  }
  std::uint32_t count() const { return before_.back(); }
  bool has(std::uint64_t i) const { return bits_[i / 64] >> i % 64 & 1; }
  std::uint32_t operator()(std::uint64_t i) const {
    const std::uint64_t below = bits_[i / 64] & ((std::uint64_t{1} << i % 64) - 1);
    return before_[i / 64] + static_cast<std::uint32_t>(std::popcount(below));
  }

 private:
  const std::vector<std::uint64_t>& bits_;
  std::vector<std::uint32_t> before_;
};

template <class T>
void PickSlots(const Ranks& ranks, SlotColumn<T>& column) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < column.slots.size(); ++i) {
    if (!ranks.has(column.slots[i])) continue;
    column.slots[to] = ranks(column.slots[i]);
    column.values[to++] = column.values[i];
  }
  column.slots.resize(to);
  column.values.resize(to);
}

}  // namespace

// An array from front to back, one section of it in memory.
template <class T>
class CheckpointReader::Window {
 public:
  Window(CheckpointReader& reader, ArrayId array) : reader_(reader) {
    for (std::size_t i = 0; i < reader.m_.arrays.size(); ++i)
      if (reader.m_.arrays[i].array == static_cast<std::uint16_t>(array)) {
        section_ = reader.first_section_[i];
        count_ = reader.m_.arrays[i].count;
      }
    per_section_ = reader.m_.section_bytes / sizeof(T);
    values_ = AlignedArray<T>(std::min<std::uint64_t>(per_section_, count_));
  }
  bool empty() const { return count_ == 0; }
  // The next values, none at the end.
  Result<std::span<const T>> Next() {
    const std::uint64_t size = std::min<std::uint64_t>(per_section_, count_ - end_);
    if (size == 0) return std::span<const T>();
    const auto take = [&](std::uint32_t section, ByteSpan raw) {
      return reader_.TakeSection(section, raw, reinterpret_cast<std::uint8_t*>(values_.data()));
    };
    PLEXUS_TRY(reader_.source_.Visit(section_, section_ + 1, take));
    if (reader_.progress_ && !reader_.progress_->Report("loading", end_, count_))
      return Cancelled("loading was stopped");
    ++section_;
    begin_ = end_;
    end_ += size;
    return values_.span().first(size);
  }
  // REQUIRES that `i` does not descend, and is below the count. 0 after an error: see status.
  T At(std::uint64_t i) {
    while (i >= end_) {
      if (!status_) return T{};
      const auto values = Next();
      if (!values) status_ = std::unexpected(values.error());
    }
    return values_[i - begin_];
  }
  const Status& status() const { return status_; }

 private:
  CheckpointReader& reader_;
  std::uint32_t section_ = 0;
  std::uint64_t count_ = 0, per_section_ = 0, begin_ = 0, end_ = 0;
  AlignedArray<T> values_;
  Status status_;
};

CheckpointReader::Treat CheckpointReader::TreatmentOf(ArrayId array) const {
  if (part_.parts <= 1) return Treat::kWhole;
  switch (array) {
    case ArrayId::kOutWeights:
    case ArrayId::kInWeights:
      return m_.HasFewWeights(array) ? Treat::kWhole : Treat::kPicked;
    case ArrayId::kOutNeighbors:
    case ArrayId::kOutWeightCodes:
    case ArrayId::kInWeightCodes:
    case ArrayId::kOutKinds:
    case ArrayId::kOutKindsHigh:
    case ArrayId::kOutCreatedAt:
    case ArrayId::kOutTimeSteps:
    case ArrayId::kOutTimes:
    case ArrayId::kInNeighbors:
    case ArrayId::kInKinds:
    case ArrayId::kInKindsHigh:
    case ArrayId::kInSlots:
    case ArrayId::kInPlaces:
      return Treat::kPicked;
    case ArrayId::kColumn:
    case ArrayId::kPayloadRefs:
    case ArrayId::kVectorNodes:
    case ArrayId::kVectorRefs:
      return part_.number == 0 ? Treat::kWhole : Treat::kNot;
    default:
      return Treat::kWhole;
  }
}

// `offsets` become those of the part.
Result<CheckpointReader::Bits> CheckpointReader::FindArcs(Direction direction,
                                                          AlignedArray<std::uint32_t>& offsets) {
  const bool in = direction == Direction::kIn;
  const std::string name = in ? "in" : "out";
  const auto bad = [&](const std::string& what) { return Corrupted(where_, ", ", name, what); };
  if (offsets[0] != 0 || offsets[m_.node_count] != bounds_.arcs)
    return bad("_offsets: they do not span the arcs");
  Window<NodeId> neighbors(*this, in ? ArrayId::kInNeighbors : ArrayId::kOutNeighbors);
  Window<std::uint8_t> kinds(*this, in ? ArrayId::kInKinds : ArrayId::kOutKinds);
  Window<std::uint8_t> kinds_high(*this, in ? ArrayId::kInKindsHigh : ArrayId::kOutKindsHigh);
  Window<EdgeSlot> slots(*this, ArrayId::kInSlots);
  Window<std::uint8_t> places(*this, ArrayId::kInPlaces);
  const SlotColumn<StringId>& labels = arrays_.csr.labels;
  const bool order_is_checked = part_.number == 0;  // once is enough
  // Of parallel edges the label decides; in arcs of a long row follow its order.
  const auto slot_at = [&](std::uint32_t at, NodeId source) -> EdgeSlot {
    if (!in || labels.slots.empty()) return at;
    if (!slots.empty()) return slots.At(at);
    return arrays_.csr.out_offsets[source] + places.At(at);
  };
  const auto by_label = [&](NodeId source) {
    return !in || !slots.empty() || !arrays_.csr.LongRow(source);
  };
  Bits bits((bounds_.arcs + 63) / 64, 0);
  std::uint32_t i = 0, count = 0;
  for (NodeId v = 0; v < m_.node_count; ++v) {
    const std::uint32_t begin = i, end = offsets[v + 1];
    if (end < begin || end > bounds_.arcs) return bad("_offsets: they descend");
    offsets[v] = count;
    std::uint64_t before = 0;
    EdgeSlot slot_before = 0;
    for (; i < end; ++i) {
      const NodeId w = neighbors.At(i);
      if (part_.Has(v, w)) {
        bits[i / 64] |= std::uint64_t{1} << i % 64;
        ++count;
      }
      if (!order_is_checked) continue;
      const int high = kinds_high.empty() ? 0 : kinds_high.At(i);
      const std::uint64_t order = engine_internal::ArcOrder(EdgeKindId(kinds.At(i) | high << 8), w);
      const EdgeSlot slot = slot_at(i, w);
      if (i > begin && kinds.status() && kinds_high.status() && slots.status() && places.status() &&
          (order < before ||
           (order == before && by_label(w) && labels.Get(slot_before, 0) >= labels.Get(slot, 0))))
        return bad("_neighbors, index " + std::to_string(i) + ": row " + std::to_string(v) +
                   " is not sorted by kind, neighbor and label");
      before = order;
      slot_before = slot;
    }
    PLEXUS_TRY(neighbors.status());
  }
  PLEXUS_TRY(kinds.status());
  PLEXUS_TRY(kinds_high.status());
  PLEXUS_TRY(slots.status());
  PLEXUS_TRY(places.status());
  offsets[m_.node_count] = count;
  return bits;
}

template <class T>
Status CheckpointReader::Pick(ArrayId array, const Bits& arcs, std::uint64_t count,
                              AlignedArray<T>& to) {
  Window<T> from(*this, array);
  if (from.empty()) return {};
  to = AlignedArray<T>(count);
  std::uint64_t begin = 0, picked = 0;
  for (;;) {
    PLEXUS_ASSIGN(const std::span<const T> values, from.Next());
    if (values.empty()) return {};
    const std::uint64_t end = begin + values.size();
    for (std::uint64_t at = begin; at < end; at = (at / 64 + 1) * 64) {
      std::uint64_t word = arcs[at / 64] & (~std::uint64_t{0} << at % 64);
      if (end - at / 64 * 64 < 64) word &= (std::uint64_t{1} << end % 64) - 1;
      for (; word != 0; word &= word - 1)
        to[picked++] =
            values[at / 64 * 64 + static_cast<std::uint64_t>(std::countr_zero(word)) - begin];
    }
    begin = end;
  }
}

// The times of these arcs, `count` of them.
Result<AlignedArray<std::int64_t>> CheckpointReader::PickTimes(const Bits& arcs,
                                                               std::uint64_t count) {
  AlignedArray<std::int64_t> picked;
  if (!stepped()) {
    PLEXUS_TRY(Pick(ArrayId::kOutCreatedAt, arcs, count, picked));
    return picked;
  }
  picked = AlignedArray<std::int64_t>(count);
  const ArraySpec* spec = m_.Find(ArrayId::kOutTimes);
  const std::uint64_t all = spec ? spec->count : 0;
  Window<std::uint64_t> steps(*this, ArrayId::kOutTimeSteps);
  Window<std::int64_t> times(*this, ArrayId::kOutTimes);
  const auto bad = [&] { return Bad("out_time_steps: they do not fit out_times"); };
  std::uint64_t before = 0, to = 0;  // steps, arcs
  for (std::size_t word = 0; word < arcs.size(); ++word) {
    const std::uint64_t bits = steps.At(word);
    for (std::uint64_t left = arcs[word]; left != 0; left &= left - 1) {
      const std::uint64_t step =
          before + static_cast<std::uint64_t>(std::popcount(bits << (63 - std::countr_zero(left))));
      if (step == 0 || step > all) return bad();
      picked[to++] = times.At(step - 1);
    }
    before += static_cast<std::uint64_t>(std::popcount(bits));
  }
  if (all > 0) times.At(all - 1);  // all are read, and so checked
  PLEXUS_TRY(steps.status());
  PLEXUS_TRY(times.status());
  if (before != all) return bad();
  return picked;
}

Result<WeightColumn> CheckpointReader::PickWeights(Direction direction, const Bits& arcs,
                                                   std::uint64_t count) {
  const bool in = direction == Direction::kIn;
  const ArrayId array = in ? ArrayId::kInWeights : ArrayId::kOutWeights;
  AlignedArray<float>& values = in ? arrays_.in_weights : arrays_.out_weights;
  AlignedArray<std::uint8_t> codes;
  if (!m_.HasFewWeights(array)) PLEXUS_TRY(Pick(array, arcs, count, values));
  PLEXUS_TRY(Pick(in ? ArrayId::kInWeightCodes : ArrayId::kOutWeightCodes, arcs, count, codes));
  return MakeWeights(array, count, std::move(values), std::move(codes));
}

Status CheckpointReader::PickArcs() {
  Csr& csr = arrays_.csr;
  const AlignedArray<std::uint32_t> rows(std::as_const(csr.out_offsets).span());  // of all arcs
  PLEXUS_ASSIGN(const Bits in, FindArcs(Direction::kIn, csr.in_offsets));
  PLEXUS_ASSIGN(const Bits out, FindArcs(Direction::kOut, csr.out_offsets));
  const Ranks ranks(out);
  const std::uint64_t of_in = csr.in_offsets[m_.node_count], of_out = ranks.count();
  PLEXUS_TRY(Pick(ArrayId::kOutNeighbors, out, of_out, csr.out_neighbors));
  PLEXUS_ASSIGN(csr.out_weights, PickWeights(Direction::kOut, out, of_out));
  PLEXUS_TRY(Pick(ArrayId::kOutKinds, out, of_out, csr.out_kinds));
  PLEXUS_TRY(Pick(ArrayId::kOutKindsHigh, out, of_out, csr.out_kinds_high));
  PLEXUS_ASSIGN(const AlignedArray<std::int64_t> times, PickTimes(out, of_out));
  csr.out_created_at = SteppedColumn(times.span(), executor_);
  PLEXUS_TRY(Pick(ArrayId::kInNeighbors, in, of_in, csr.in_neighbors));
  PLEXUS_ASSIGN(csr.in_weights, PickWeights(Direction::kIn, in, of_in));
  PLEXUS_TRY(Pick(ArrayId::kInKinds, in, of_in, csr.in_kinds));
  PLEXUS_TRY(Pick(ArrayId::kInKindsHigh, in, of_in, csr.in_kinds_high));
  PLEXUS_TRY(Pick(ArrayId::kInPlaces, in, of_in, csr.in_places));
  AlignedArray<EdgeSlot> slots;
  PLEXUS_TRY(Pick(ArrayId::kInSlots, in, of_in, slots));
  if (!stepped()) csr.in_places = AlignedArray<std::uint8_t>(of_in);
  for (std::uint32_t i = 0; i < of_in; ++i) {
    const NodeId source = csr.in_neighbors[i];
    std::uint8_t& place = csr.in_places[i];
    const std::uint32_t degree = rows[source + 1] - rows[source];
    if (stepped() && degree > Csr::kPlaces) {  // not kept, but perhaps in the part's row
      if (place != 0) return BadPlace(i);
      if (!csr.LongRow(source)) place = csr.PlaceOf(source, csr.SearchOutSlot(i));
      continue;
    }
    if (stepped() && place >= degree) return BadPlace(i);
    const EdgeSlot slot = stepped() ? rows[source] + place : slots[i];
    if (!ranks.has(slot)) return BadPlace(i);
    place = csr.PlaceOf(source, ranks(slot));
    if (!stepped() && csr.OutSlot(i) != ranks(slot)) return BadPlace(i);
  }
  PickSlots(ranks, csr.labels);
  PickSlots(ranks, csr.created_by);
  PickSlots(ranks, csr.valid_from);
  PickSlots(ranks, csr.valid_until);
  PickSlots(ranks, csr.properties);
  bounds_.arcs = of_out;
  return {};
}

void CheckpointReader::CountEdges(GraphState& state) const {
  const StoredCsrView out = arrays_.csr.out();
  std::ranges::fill(state.edges_by_kind, 0);
  for (NodeId v = 0; v < out.node_count(); ++v)
    for (std::uint32_t i = out.offsets[v]; i < out.offsets[v + 1]; ++i)
      if (!schema_->edge_kind(out.kind(i)).symmetric || v <= out.neighbors[i])
        ++state.edges_by_kind[out.kind(i)];
}

Result<GraphState> ReadCheckpointPart(const Manifest& manifest, const SectionSource& source,
                                      std::shared_ptr<const PayloadStore> payloads,
                                      Executor& executor, Progress* progress, ArcPart part) {
  return CheckpointReader(manifest, source, std::move(payloads), executor, progress, part).Read();
}

}  // namespace plexus::storage_internal
