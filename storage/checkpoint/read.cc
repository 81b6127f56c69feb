// Sections -> arrays -> GraphState, in parallel.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/writer/state_packing.h"
#include "storage/checkpoint/reader.h"
#include "storage/encoding/flatbuffer_util.h"

namespace plexus::storage_internal {

namespace {

constexpr std::uint32_t kSectionsPerTask = 8;

template <class T>
std::uint8_t* Room(AlignedArray<T>& array, const ArraySpec& spec) {
  array = AlignedArray<T>(spec.count);
  return reinterpret_cast<std::uint8_t*>(array.data());
}
template <class T>
std::uint8_t* Room(std::vector<T>& array, const ArraySpec& spec) {
  array.resize(spec.count);
  return reinterpret_cast<std::uint8_t*>(array.data());
}
template <class T>
std::uint8_t* Room(std::vector<AlignedArray<T>>& arrays, const ArraySpec& spec) {
  return spec.element < arrays.size() ? Room(arrays[spec.element], spec) : nullptr;
}

// Makes room for an array; null when there is no such array in this schema.
std::uint8_t* Destination(CheckpointArrays& a, const ArraySpec& spec) {
  std::uint8_t* room = nullptr;
  const auto offer = [&](ArrayId id, auto& array) {
    if (static_cast<ArrayId>(spec.array) == id) room = Room(array, spec);
  };
  offer(ArrayId::kKeyLengths, a.key_lengths);
  offer(ArrayId::kKeyBytes, a.key_bytes);
  offer(ArrayId::kStringLengths, a.string_lengths);
  offer(ArrayId::kStringBytes, a.string_bytes);
  offer(ArrayId::kNodeKinds, a.node_kinds);
  offer(ArrayId::kNodeFlags, a.node_flags);
  offer(ArrayId::kColumn, a.columns);
  offer(ArrayId::kPayloadRefs, a.payload_refs);
  offer(ArrayId::kOutOffsets, a.csr.out_offsets);
  offer(ArrayId::kOutNeighbors, a.csr.out_neighbors);
  offer(ArrayId::kOutWeights, a.out_weights);
  offer(ArrayId::kOutWeightCodes, a.out_weight_codes);
  offer(ArrayId::kOutKinds, a.csr.out_kinds);
  offer(ArrayId::kOutKindsHigh, a.csr.out_kinds_high);
  offer(ArrayId::kOutCreatedAt, a.created_at);
  offer(ArrayId::kOutTimeSteps, a.time_steps);
  offer(ArrayId::kOutTimes, a.times);
  offer(ArrayId::kInOffsets, a.csr.in_offsets);
  offer(ArrayId::kInNeighbors, a.csr.in_neighbors);
  offer(ArrayId::kInWeights, a.in_weights);
  offer(ArrayId::kInWeightCodes, a.in_weight_codes);
  offer(ArrayId::kInKinds, a.csr.in_kinds);
  offer(ArrayId::kInKindsHigh, a.csr.in_kinds_high);
  offer(ArrayId::kInSlots, a.in_slots);
  offer(ArrayId::kInPlaces, a.csr.in_places);
  offer(ArrayId::kLabelSlots, a.csr.labels.slots);
  offer(ArrayId::kLabels, a.csr.labels.values);
  offer(ArrayId::kCreatedBySlots, a.csr.created_by.slots);
  offer(ArrayId::kCreatedBy, a.csr.created_by.values);
  offer(ArrayId::kValidFromSlots, a.csr.valid_from.slots);
  offer(ArrayId::kValidFrom, a.csr.valid_from.values);
  offer(ArrayId::kValidUntilSlots, a.csr.valid_until.slots);
  offer(ArrayId::kValidUntil, a.csr.valid_until.values);
  offer(ArrayId::kPropertySlots, a.csr.properties.slots);
  offer(ArrayId::kProperties, a.csr.properties.values);
  offer(ArrayId::kVectorNodes, a.vector_nodes);
  offer(ArrayId::kVectorRefs, a.vector_refs);
  return room;
}

}  // namespace

Result<const ArraySpec*> CheckpointReader::Expect(ArrayId array, std::uint64_t count) const {
  const ArraySpec* spec = m_.Find(array);
  const std::uint64_t have = spec ? spec->count : 0;
  if (have == count) return spec;
  return Corrupted(where_, ", ", ArrayName(static_cast<std::uint16_t>(array), 0), ": ", have,
                   " values, ", count, " expected");
}

Status CheckpointReader::Prepare() {
  PLEXUS_ASSIGN(Schema schema, SchemaOf(m_.definitions, where_));
  schema_ = std::make_shared<Schema>(std::move(schema));
  bounds_.nodes = m_.node_count;
  bounds_.strings = m_.string_count;
  bounds_.node_kinds = schema_->node_kinds().size();
  const auto count = [&](ArrayId array) {
    const ArraySpec* spec = m_.Find(array);
    return spec ? spec->count : 0;
  };
  bounds_.arcs = count(ArrayId::kOutNeighbors);
  bounds_.out_weights = count(ArrayId::kOutWeights);
  bounds_.in_weights = count(ArrayId::kInWeights);
  bounds_.sequence = m_.sequence;
  bounds_.schema = schema_.get();
  if (m_.sequence >= (Sequence{1} << 40) - 1) return Bad("its sequence is out of range");
  PLEXUS_TRY(CheckShapes());
  // Nothing is allocated before the bytes for it are known to be there.
  if (m_.total_bytes() > source_.available_bytes())
    return Bad("claims " + std::to_string(m_.total_bytes()) + " bytes, at most " +
               std::to_string(source_.available_bytes()) + " are there");
  arrays_.columns.resize(schema_->columns().size());
  arrays_.payload_refs.resize(kNodeFieldCount);
  arrays_.vector_nodes.resize(schema_->spaces().size());
  arrays_.vector_refs.resize(schema_->spaces().size());
  std::uint32_t section = 0;
  for (const ArraySpec& spec : m_.arrays) {
    const bool whole = TreatmentOf(static_cast<ArrayId>(spec.array)) == Treat::kWhole;
    std::uint8_t* destination = whole ? Destination(arrays_, spec) : nullptr;
    if (whole && !destination)
      return Bad(ArrayName(spec.array, spec.element) + " does not belong to its schema");
    destinations_.push_back(destination);
    first_section_.push_back(section);
    section += static_cast<std::uint32_t>(m_.section_count(spec));
    if (spec.array <= static_cast<std::uint16_t>(ArrayId::kNodeFlags)) table_sections_ = section;
  }
  return {};
}

std::size_t CheckpointReader::ArrayOf(std::uint32_t section) const {
  const auto it = std::upper_bound(first_section_.begin(), first_section_.end(), section) - 1;
  return static_cast<std::size_t>(it - first_section_.begin());
}

Status CheckpointReader::TakeSection(std::uint32_t section, ByteSpan raw, std::uint8_t* to) {
  const std::string where = where_ + ", section " + std::to_string(section);
  if (raw.size() > m_.section_bytes + std::uint64_t{1024})
    return Corrupted(where, ", offset 0: larger than a section may be");
  const AlignedView view(raw);
  if (Digest(view.bytes()) != m_.section_digests[section])
    return Corrupted(where, ", offset 0: the digest does not match its ", raw.size(), " bytes");
  PLEXUS_ASSIGN(const SectionView found, DecodeSection(view.bytes(), where));
  const std::size_t index = ArrayOf(section);
  const ArraySpec& spec = m_.arrays[index];
  const std::uint64_t first_byte =
      std::uint64_t{section - first_section_[index]} * m_.section_bytes;
  const std::uint64_t size =
      std::min<std::uint64_t>(m_.section_bytes, spec.size_bytes() - first_byte);
  if (found.array != spec.array || found.element != spec.element ||
      found.first_byte != first_byte || found.bytes.size() != size)
    return Corrupted(where, ": it is not the piece of ", ArrayName(spec.array, spec.element),
                     " at byte ", first_byte);
  std::memcpy(to, found.bytes.data(), size);
  return CheckValues(spec, to, first_byte / spec.width, size / spec.width, bounds_, where_);
}

Status CheckpointReader::LoadSection(std::uint32_t section, ByteSpan raw) {
  const std::size_t index = ArrayOf(section);
  return TakeSection(
      section, raw,
      destinations_[index] + std::uint64_t{section - first_section_[index]} * m_.section_bytes);
}

Status CheckpointReader::LoadSections(std::uint32_t first, std::uint32_t last) {
  return source_.Visit(first, last, [this](std::uint32_t section, ByteSpan raw) {
    return LoadSection(section, raw);
  });
}

Result<StringTable::View> CheckpointReader::MakeTable(const AlignedArray<std::uint16_t>& lengths,
                                                      const AlignedArray<std::uint8_t>& bytes,
                                                      const char* what,
                                                      std::span<const std::uint64_t> pack,
                                                      std::span<const std::uint64_t> forgotten) {
  std::vector<std::uint64_t> offsets(lengths.size() + 1, 0);
  for (std::size_t i = 0; i < lengths.size(); ++i) offsets[i + 1] = offsets[i] + lengths[i];
  if (offsets.back() != bytes.size())
    return Corrupted(where_, ", ", what, "_lengths: they add up to ", offsets.back(), ", not ",
                     bytes.size());
  const auto twice = [&] {
    return Corrupted(where_, ", ", what, "_bytes: one stands there twice");
  };
  if (!pack.empty() || !forgotten.empty()) {
    const auto packed = StringTable::Packed(offsets, AsText(bytes.span()), pack, forgotten);
    if (!packed) return twice();
    return packed->Publish();
  }
  StringTable table;
  if (!table.AppendAll(offsets, AsText(bytes.span()))) return twice();
  return table.Publish();
}

// A bit for each; none when they are too few to be packed.
std::vector<std::uint64_t> CheckpointReader::RemovedNodes() const {
  std::vector<std::uint64_t> removed((std::size_t{m_.node_count} + 63) / 64, 0);
  std::uint64_t count = 0;
  for (NodeId v = 0; v < m_.node_count; ++v) {
    if (arrays_.node_flags[v] & engine_internal::kAlive) continue;
    removed[v / 64] |= std::uint64_t{1} << v % 64;
    ++count;
  }
  if (!kPackAtOpen.Worth(count, m_.node_count - count)) removed.clear();
  return removed;
}

// A bit for each; none when there are none. They have no text, which no other key is without.
Result<std::vector<std::uint64_t>> CheckpointReader::ForgottenKeys() const {
  std::vector<std::uint64_t> forgotten;
  for (NodeId v = 0; v < m_.node_count; ++v) {
    if (arrays_.key_lengths[v] != 0) continue;
    if (arrays_.node_flags[v] & engine_internal::kAlive)
      return Bad("node " + std::to_string(v) + " has no key");
    forgotten.resize((std::size_t{m_.node_count} + 63) / 64, 0);
    forgotten[v / 64] |= std::uint64_t{1} << v % 64;
  }
  return forgotten;
}

// Hashing the keys is the longest serial piece: it starts first and runs during
// the copying of the big arrays.
Status CheckpointReader::MakeTables() {
  PLEXUS_TRY(LoadSections(0, table_sections_));
  PLEXUS_ASSIGN(const std::vector<std::uint64_t> forgotten, ForgottenKeys());
  PLEXUS_ASSIGN(
      keys_, MakeTable(arrays_.key_lengths, arrays_.key_bytes, "key", RemovedNodes(), forgotten));
  if (arrays_.string_lengths[0] != 0) return Bad("string 0 is not the empty one");
  PLEXUS_ASSIGN(strings_,
                MakeTable(arrays_.string_lengths, arrays_.string_bytes, "string", {}, {}));
  arrays_.key_lengths = {};
  arrays_.key_bytes = {};
  return {};
}

Status CheckpointReader::LoadAll() {
  // One after the other, of arrays that are read as a whole.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces;
  for (std::size_t i = 0; i < m_.arrays.size(); ++i) {
    const std::uint32_t end =
        first_section_[i] + static_cast<std::uint32_t>(m_.section_count(m_.arrays[i]));
    std::uint32_t section = std::max(first_section_[i], table_sections_);
    if (!destinations_[i]) continue;
    while (section < end) {
      const bool longer = !pieces.empty() && pieces.back().second == section &&
                          section - pieces.back().first < kSectionsPerTask;
      if (!longer) pieces.emplace_back(section, section);
      pieces.back().second = std::min(end, pieces.back().first + kSectionsPerTask);
      section = pieces.back().second;
    }
  }
  const std::size_t tasks = 1 + pieces.size();
  std::uint32_t done = 0;
  auto task = [&](std::size_t block) {
    {
      MutexLock lock(mutex_);
      if (!failure_) return;
      if (progress_ && !progress_->Report("loading", done++, tasks)) {
        failure_ = Cancelled("loading was stopped");
        return;
      }
    }
    Status status =
        block == 0 ? MakeTables() : LoadSections(pieces[block - 1].first, pieces[block - 1].second);
    if (status) return;
    MutexLock lock(mutex_);
    if (failure_) failure_ = std::move(status);
  };
  RunBlocks(executor_, tasks, task);
  const MutexLock lock(mutex_);
  return failure_;
}

template <class T>
PagedView<T> Paged(const AlignedArray<T>& values, T absent) {
  PagedArray<T> paged(absent);
  paged.Append(values.span());
  return paged.Publish();
}

// The values stay in the payload store until they are read.
Status CheckpointReader::MakeVectors(GraphState& state) {
  for (std::size_t s = 0; s < schema_->spaces().size(); ++s) {
    const AlignedArray<NodeId>& nodes = arrays_.vector_nodes[s];
    if (std::adjacent_find(nodes.begin(), nodes.end(), std::greater_equal<NodeId>()) != nodes.end())
      return Bad(ArrayName(static_cast<std::uint16_t>(ArrayId::kVectorNodes),
                           static_cast<std::uint16_t>(s)) +
                 ": they do not ascend");
    const RowLayout layout = RowLayout::Of(schema_->spaces()[s]);
    VectorTable table(layout);
    if (payloads_) table = VectorTable(layout, nodes.span(), arrays_.vector_refs[s].span());
    state.spaces.push_back(table.Publish());
  }
  return {};
}

Result<GraphState> CheckpointReader::Read() {
  PLEXUS_TRY(Prepare());
  PLEXUS_TRY(LoadAll());
  if (part_.parts > 1)
    PLEXUS_TRY(PickArcs());
  else
    PLEXUS_TRY(MakeColumns());
  Csr& csr = arrays_.csr;
  csr.sequence = m_.sequence;
  csr.node_count = m_.node_count;
  PLEXUS_TRY(CheckRows(csr, bounds_, executor_, where_));
  PLEXUS_TRY(CheckSlots());
  GraphState state = EmptyState();
  state.sequence = m_.sequence;
  state.time_ms = m_.time_ms;
  state.schema = schema_;
  state.keys = keys_;
  state.strings = strings_;
  state.node_kinds = Paged<KindId>(arrays_.node_kinds, 0);
  state.node_flags = Paged<std::uint8_t>(arrays_.node_flags, 0);
  state.columns.clear();
  for (std::size_t c = 0; c < arrays_.columns.size(); ++c)
    state.columns.push_back(
        Paged<std::uint64_t>(arrays_.columns[c], AbsentBits(schema_->columns()[c].type)));
  for (int f = 0; f < kNodeFieldCount; ++f)
    state.payload_refs[f] = Paged<std::uint64_t>(arrays_.payload_refs[f], 0);
  PLEXUS_TRY(MakeVectors(state));
  state.nodes_by_kind.assign(schema_->node_kinds().size(), 0);
  for (NodeId v = 0; v < m_.node_count; ++v) {
    const NodeKindId kind(arrays_.node_kinds[v]);
    if (schema_->node_kind(kind).name.empty())
      return Bad("node " + std::to_string(v) + " has an unknown kind");
    if (arrays_.node_flags[v] & engine_internal::kAlive) ++state.nodes_by_kind[kind];
  }
  if (m_.nodes_by_kind != state.nodes_by_kind) return Bad("its node counts do not fit its nodes");
  state.edges_by_kind = m_.edges_by_kind;
  if (state.edges_by_kind.size() != schema_->edge_kinds().size())
    return Bad("its edge counts do not fit its kinds");
  if (part_.parts > 1) CountEdges(state);
  state.base = std::make_shared<const Csr>(std::move(csr));
  state.runs.clear();
  state.payload_store = payloads_;
  return state;
}

Result<GraphState> ReadCheckpoint(const Manifest& manifest, const SectionSource& source,
                                  std::shared_ptr<const PayloadStore> payloads, Executor& executor,
                                  Progress* progress) {
  return CheckpointReader(manifest, source, std::move(payloads), executor, progress, {}).Read();
}

}  // namespace plexus::storage_internal
