// Names and widths of the arrays; the manifest's codec.
#include "storage/checkpoint/layout.h"

#include <algorithm>

#include "checkpoint_generated.h"
#include "engine/vocabulary.h"
#include "storage/encoding/flatbuffer_util.h"

namespace plexus::storage_internal {

namespace {

struct Known {
  ArrayId id;
  const char* name;
  std::uint32_t width;
};
constexpr Known kKnown[] = {
    {ArrayId::kKeyLengths, "key_lengths", 2},
    {ArrayId::kKeyBytes, "key_bytes", 1},
    {ArrayId::kStringLengths, "string_lengths", 2},
    {ArrayId::kStringBytes, "string_bytes", 1},
    {ArrayId::kNodeKinds, "node_kinds", 2},
    {ArrayId::kNodeFlags, "node_flags", 1},
    {ArrayId::kColumn, "column", 8},
    {ArrayId::kPayloadRefs, "payload_refs", 8},
    {ArrayId::kOutOffsets, "out_offsets", 4},
    {ArrayId::kOutNeighbors, "out_neighbors", 4},
    {ArrayId::kOutWeights, "out_weights", 4},
    {ArrayId::kOutKinds, "out_kinds", 1},
    {ArrayId::kOutKindsHigh, "out_kinds_high", 1},
    {ArrayId::kOutCreatedAt, "out_created_at", 8},
    {ArrayId::kOutTimeSteps, "out_time_steps", 8},
    {ArrayId::kOutTimes, "out_times", 8},
    {ArrayId::kInOffsets, "in_offsets", 4},
    {ArrayId::kInNeighbors, "in_neighbors", 4},
    {ArrayId::kInWeights, "in_weights", 4},
    {ArrayId::kInKinds, "in_kinds", 1},
    {ArrayId::kInKindsHigh, "in_kinds_high", 1},
    {ArrayId::kInSlots, "in_slots", 4},
    {ArrayId::kInPlaces, "in_places", 1},
    {ArrayId::kLabelSlots, "label_slots", 4},
    {ArrayId::kLabels, "labels", 4},
    {ArrayId::kCreatedBySlots, "created_by_slots", 4},
    {ArrayId::kCreatedBy, "created_by", 4},
    {ArrayId::kValidFromSlots, "valid_from_slots", 4},
    {ArrayId::kValidFrom, "valid_from", 8},
    {ArrayId::kValidUntilSlots, "valid_until_slots", 4},
    {ArrayId::kValidUntil, "valid_until", 8},
    {ArrayId::kPropertySlots, "property_slots", 4},
    {ArrayId::kProperties, "properties", 8},
    {ArrayId::kVectorNodes, "vector_nodes", 4},
    {ArrayId::kVectorRefs, "vector_refs", 8},
    {ArrayId::kOutWeightCodes, "out_weight_codes", 1},
    {ArrayId::kInWeightCodes, "in_weight_codes", 1},
};

const Known* FindKnown(std::uint16_t array) {
  for (const Known& k : kKnown)
    if (static_cast<std::uint16_t>(k.id) == array) return &k;
  return nullptr;
}

}  // namespace

std::string ArrayName(std::uint16_t array, std::uint16_t element) {
  const Known* known = FindKnown(array);
  std::string name = known ? known->name : "array " + std::to_string(array);
  const bool many =
      known && (known->id == ArrayId::kColumn || known->id == ArrayId::kPayloadRefs ||
                known->id == ArrayId::kVectorNodes || known->id == ArrayId::kVectorRefs);
  if (many) name += " " + std::to_string(element);
  return name;
}

std::string SectionName(std::uint64_t checkpoint, std::uint32_t section) {
  return "checkpoint " + std::to_string(checkpoint) + ", section " + std::to_string(section);
}

std::uint32_t ArrayWidth(std::uint16_t array) {
  const Known* known = FindKnown(array);
  return known ? known->width : 0;
}

std::uint64_t Manifest::total_bytes() const {
  std::uint64_t total = 0;
  for (const ArraySpec& spec : arrays) total += spec.size_bytes();
  return total;
}

const ArraySpec* Manifest::Find(ArrayId array, std::uint16_t element) const {
  for (const ArraySpec& spec : arrays)
    if (spec.array == static_cast<std::uint16_t>(array) && spec.element == element) return &spec;
  return nullptr;
}

bool Manifest::HasFewWeights() const {
  return HasFewWeights(ArrayId::kOutWeights) || HasFewWeights(ArrayId::kInWeights);
}

bool Manifest::HasFewWeights(ArrayId weights) const {
  const ArraySpec* arcs = Find(ArrayId::kOutNeighbors);
  const ArraySpec* spec = Find(weights);
  const bool in = weights == ArrayId::kInWeights;
  return Find(in ? ArrayId::kInWeightCodes : ArrayId::kOutWeightCodes) != nullptr ||
         (arcs && spec && arcs->count > 1 && spec->count == 1);
}

std::string EncodeManifest(Manifest& m) {
  flatbuffers::FlatBufferBuilder builder;
  const auto definitions = BuildDefinitions(builder, m.definitions);
  const auto nodes_by_kind = builder.CreateVector(m.nodes_by_kind);
  const auto edges_by_kind = builder.CreateVector(m.edges_by_kind);
  std::vector<fb::ArrayInfo> infos;
  for (const ArraySpec& a : m.arrays) infos.emplace_back(a.array, a.element, a.width, a.count);
  const auto arrays = builder.CreateVectorOfStructs(infos);
  const auto digests = builder.CreateVector(m.section_digests);
  const fb::Seal no_seal(0, 0);
  const fb::GraphId id(m.graph_id.high, m.graph_id.low);
  const bool later = std::ranges::any_of(m.arrays, [](const ArraySpec& array) {
    return array.count > 0 && array.array == static_cast<std::uint16_t>(ArrayId::kColumn) &&
           IsLaterColumn(static_cast<ColumnId>(array.element));
  });
  const std::uint16_t version = std::max(VersionOf(m.definitions.spaces),
                                         m.HasFewWeights()                ? kFewWeightsVersion
                                         : m.Find(ArrayId::kOutTimeSteps) ? kSteppedTimesVersion
                                         : m.forgotten_keys               ? kForgottenKeysVersion
                                         : later                          ? kLaterColumnsVersion
                                                                          : kFormatVersion);
  builder.Finish(fb::CreateManifest(builder, version, &no_seal, &id, m.id, m.sequence, m.time_ms,
                                    m.log_hash, definitions, m.node_count, m.string_count,
                                    nodes_by_kind, edges_by_kind, m.section_bytes, arrays, digests),
                 kManifestIdentifier);
  std::uint8_t* data = builder.GetBufferPointer();
  m.digest = SetSeal(data, builder.GetSize(), fb::GetManifest(data)->seal());
  return std::string(reinterpret_cast<const char*>(data), builder.GetSize());
}

Result<Manifest> DecodeManifest(ByteSpan raw, std::string_view where) {
  const AlignedView view(raw);
  PLEXUS_ASSIGN(const fb::Manifest* root,
                CheckedRoot<fb::Manifest>(view.bytes(), kManifestIdentifier, where));
  PLEXUS_TRY(CheckVersion(root->format_version(), kNewestVersion, where));
  PLEXUS_TRY(CheckSeal(view.bytes(), root->seal(), where));
  Manifest m;
  m.digest = root->seal()->digest();
  if (root->graph_id()) m.graph_id = {root->graph_id()->high(), root->graph_id()->low()};
  m.id = root->id();
  m.sequence = root->sequence();
  m.time_ms = root->time_ms();
  m.log_hash = root->log_hash();
  PLEXUS_ASSIGN(m.definitions, ReadDefinitions(root->definitions(), where));
  m.node_count = root->node_count();
  m.string_count = root->string_count();
  m.nodes_by_kind = ToVector(root->nodes_by_kind());
  m.edges_by_kind = ToVector(root->edges_by_kind());
  m.section_bytes = root->section_bytes();
  m.section_digests = ToVector(root->section_digests());
  auto damage = [&](const std::string& what) { return Corrupted(where, ": ", what); };
  if (m.section_bytes < kMinSectionBytes || m.section_bytes > kMaxSectionBytes ||
      m.section_bytes % 8 != 0)
    return damage("sections of " + std::to_string(m.section_bytes) + " bytes");
  std::uint64_t sections = 0;
  for (const fb::ArrayInfo& a : StructsToVector<fb::ArrayInfo>(root->arrays())) {
    const ArraySpec spec{a.array(), a.element(), a.width(), a.count()};
    const std::string name = ArrayName(spec.array, spec.element);
    if (spec.width == 0 || spec.width != ArrayWidth(spec.array))
      return damage(name + " of width " + std::to_string(spec.width) + " is unknown");
    if (m.Find(static_cast<ArrayId>(spec.array), spec.element))
      return damage(name + " is listed twice");
    if (spec.count == 0 || spec.count > (std::uint64_t{1} << 40))
      return damage(name + " has " + std::to_string(spec.count) + " values");
    m.arrays.push_back(spec);
    sections += m.section_count(spec);
    if (sections > m.section_digests.size() || m.arrays.size() > 8192) break;
  }
  if (sections != m.section_digests.size() || sections >= 0xFFFFFF)
    return damage(std::to_string(m.section_digests.size()) +
                  " section digests do not fit the arrays");
  if (root->format_version() < kFewWeightsVersion && m.HasFewWeights())
    return damage("its weights are not of format version " +
                  std::to_string(root->format_version()));
  return m;
}

Result<SectionView> DecodeSection(ByteSpan raw, std::string_view where) {
  PLEXUS_ASSIGN(const fb::Section* root, CheckedRoot<fb::Section>(raw, kSectionIdentifier, where));
  SectionView view;
  view.array = root->array();
  view.element = root->element();
  view.first_byte = root->first_byte();
  if (root->bytes()) view.bytes = {root->bytes()->data(), root->bytes()->size()};
  return view;
}

}  // namespace plexus::storage_internal
