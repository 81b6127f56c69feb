// Whether the arrays of a checkpoint fit together, and what arcs have in the form that it has in
// memory: times by step, places in rows, codes of weights.
//
// Up to version 7 every arc had its time and every in arc its slot, up to version 8 its weight.
#include <algorithm>

#include "storage/checkpoint/reader.h"

namespace plexus::storage_internal {

namespace {
constexpr std::size_t kArcGrain = std::size_t{1} << 16;
}  // namespace

Status CheckpointReader::CheckShapes() const {
  const std::uint64_t nodes = m_.node_count, arcs = bounds_.arcs;
  if (nodes > Limits::kMaxNodes) return Bad("too many nodes");
  if (arcs > Limits::kMaxArcs) return Bad("too many arcs");
  if (m_.string_count == 0) return Bad("the empty string is missing");
  for (ArrayId a : {ArrayId::kKeyLengths, ArrayId::kNodeKinds, ArrayId::kNodeFlags})
    PLEXUS_TRY(Expect(a, nodes));
  PLEXUS_TRY(Expect(ArrayId::kStringLengths, m_.string_count));
  for (ArrayId a : {ArrayId::kOutOffsets, ArrayId::kInOffsets}) PLEXUS_TRY(Expect(a, nodes + 1));
  for (ArrayId a :
       {ArrayId::kOutNeighbors, ArrayId::kOutKinds, ArrayId::kInNeighbors, ArrayId::kInKinds})
    PLEXUS_TRY(Expect(a, arcs));
  PLEXUS_TRY(CheckWeights(ArrayId::kOutWeights, ArrayId::kOutWeightCodes));
  PLEXUS_TRY(CheckWeights(ArrayId::kInWeights, ArrayId::kInWeightCodes));
  PLEXUS_TRY(CheckForms());
  for (ArrayId a : {ArrayId::kOutKindsHigh, ArrayId::kInKindsHigh})
    if (m_.Find(a)) PLEXUS_TRY(Expect(a, arcs));
  for (auto slots : {ArrayId::kLabelSlots, ArrayId::kCreatedBySlots, ArrayId::kValidFromSlots,
                     ArrayId::kValidUntilSlots, ArrayId::kPropertySlots}) {
    const ArraySpec* spec = m_.Find(slots);
    PLEXUS_TRY(Expect(static_cast<ArrayId>(static_cast<int>(slots) + 1), spec ? spec->count : 0));
  }
  for (const ArraySpec& spec : m_.arrays) {
    const auto id = static_cast<ArrayId>(spec.array);
    const bool per_node = id == ArrayId::kColumn || id == ArrayId::kPayloadRefs;
    if (per_node && spec.count > nodes)
      return Bad(ArrayName(spec.array, spec.element) + " is too long");
    if (id == ArrayId::kVectorNodes || id == ArrayId::kVectorRefs) {
      const ArraySpec* nodes_spec = m_.Find(ArrayId::kVectorNodes, spec.element);
      const ArraySpec* refs_spec = m_.Find(ArrayId::kVectorRefs, spec.element);
      if (!nodes_spec || !refs_spec || nodes_spec->count != refs_spec->count)
        return Bad(ArrayName(spec.array, spec.element) + " lacks its partner");
    }
  }
  return {};
}

// One form or the other.
Status CheckpointReader::CheckForms() const {
  const std::uint64_t in_new = stepped() ? bounds_.arcs : 0, in_old = bounds_.arcs - in_new;
  PLEXUS_TRY(Expect(ArrayId::kOutCreatedAt, in_old));
  PLEXUS_TRY(Expect(ArrayId::kInSlots, in_old));
  PLEXUS_TRY(Expect(ArrayId::kOutTimeSteps, (in_new + 63) / 64));
  PLEXUS_TRY(Expect(ArrayId::kInPlaces, in_new));
  const ArraySpec* times = m_.Find(ArrayId::kOutTimes);
  if (times && times->count > in_new) return Bad("out_times: more than there are arcs");
  return {};
}

// One an arc, or one for all, or codes of them.
Status CheckpointReader::CheckWeights(ArrayId weights, ArrayId codes) const {
  if (!m_.HasFewWeights(weights)) {
    PLEXUS_TRY(Expect(weights, bounds_.arcs));
    return {};
  }
  const ArraySpec* values = m_.Find(weights);
  if (!values || values->count > WeightColumn::kMaxCodes)
    return Bad(ArrayName(static_cast<std::uint16_t>(weights), 0) + ": too many for codes");
  if (m_.Find(codes)) PLEXUS_TRY(Expect(codes, bounds_.arcs));
  return {};
}

Result<WeightColumn> CheckpointReader::MakeWeights(ArrayId array, std::uint64_t arcs,
                                                   AlignedArray<float> values,
                                                   AlignedArray<std::uint8_t> codes) {
  if (!m_.HasFewWeights(array)) return WeightColumn(std::move(values), executor_);
  if (arcs == 0) return WeightColumn();  // of a part
  auto made = WeightColumn::Of(arcs, std::move(values), std::move(codes));
  if (made) return *std::move(made);
  return Bad(ArrayName(static_cast<std::uint16_t>(array), 0) + ": they do not fit their codes");
}

Status CheckpointReader::MakeColumns() {
  Csr& csr = arrays_.csr;
  PLEXUS_ASSIGN(csr.out_weights,
                MakeWeights(ArrayId::kOutWeights, bounds_.arcs, std::move(arrays_.out_weights),
                            std::move(arrays_.out_weight_codes)));
  PLEXUS_ASSIGN(csr.in_weights,
                MakeWeights(ArrayId::kInWeights, bounds_.arcs, std::move(arrays_.in_weights),
                            std::move(arrays_.in_weight_codes)));
  if (stepped()) {
    auto times =
        SteppedColumn::Of(bounds_.arcs, std::move(arrays_.time_steps), std::move(arrays_.times));
    if (!times) return Bad("out_time_steps: they do not fit out_times");
    csr.out_created_at = *std::move(times);
    return {};
  }
  csr.out_created_at = SteppedColumn(arrays_.created_at.span(), executor_);
  arrays_.created_at = {};
  csr.in_places = AlignedArray<std::uint8_t>(bounds_.arcs);
  ParallelForEach(executor_, bounds_.arcs, kArcGrain, [&](std::size_t i) {
    csr.in_places[i] = csr.PlaceOf(csr.in_neighbors[i], arrays_.in_slots[i]);
  });
  return {};
}

// The slots of an old file are those that are found now. REQUIRES rows checked.
Status CheckpointReader::CheckSlots() {
  const AlignedArray<EdgeSlot> slots = std::move(arrays_.in_slots);
  const std::size_t bad = ParallelReduce(
      executor_, slots.size(), kArcGrain, slots.size(),
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          if (arrays_.csr.OutSlot(static_cast<std::uint32_t>(i)) != slots[i]) return i;
        return slots.size();
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
  return bad == slots.size() ? Status() : BadPlace(bad);
}

Status CheckpointReader::BadPlace(std::uint64_t i) const {
  return Corrupted(where_, (stepped() ? ", in_places, index " : ", in_slots, index "), i,
                   ": it leads to no arc from ", arrays_.csr.in_neighbors[i],
                   " to the node of its row");
}

}  // namespace plexus::storage_internal
