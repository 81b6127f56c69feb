// What a checkpoint is made of: flat arrays, cut into sections.
//
// A checkpoint holds a compacted graph as the arrays it has in RAM, so that
// opening is one copy per array. The numbers are part of the file format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/base/digest.h"
#include "storage/encoding/definitions.h"
#include "storage/encoding/format_versions.h"

namespace plexus::storage_internal {

enum class ArrayId : std::uint16_t {
  kKeyLengths = 1,     // u16 per node
  kKeyBytes = 2,       // the keys, one after the other
  kStringLengths = 3,  // u16 per string; the first is "" and has length 0
  kStringBytes = 4,
  kNodeKinds = 5,      // u16 per node
  kNodeFlags = 6,      // u8 per node
  kColumn = 7,         // u64 per node below count; element = ColumnId
  kPayloadRefs = 8,    // u64 per node below count; element = NodeField
  kOutOffsets = 16,    // u32, nodes + 1
  kOutNeighbors = 17,  // u32 per arc
  kOutWeights = 18,    // f32 per arc, or up to 256 values
  kOutKinds = 19,      // u8 per arc
  kOutKindsHigh = 20,  // u8 per arc, or absent
  kOutCreatedAt = 21,  // i64 per arc; up to version 7
  kOutTimeSteps = 22,  // u64 per 64 arcs: a bit where created_at is not that of the arc before
  kOutTimes = 23,      // i64 per such bit
  kInOffsets = 24,
  kInNeighbors = 25,
  kInWeights = 26,  // as kOutWeights
  kInKinds = 27,
  kInKindsHigh = 28,
  kInSlots = 29,     // u32 per arc; up to version 7
  kInPlaces = 30,    // u8 per arc
  kLabelSlots = 32,  // u32, ascending; then the values, parallel to them
  kLabels = 33,      // u32
  kCreatedBySlots = 34,
  kCreatedBy = 35,  // u32
  kValidFromSlots = 36,
  kValidFrom = 37,  // i64
  kValidUntilSlots = 38,
  kValidUntil = 39,  // i64
  kPropertySlots = 40,
  kProperties = 41,      // u64, payload references
  kVectorNodes = 48,     // u32, ascending; element = SpaceId
  kVectorRefs = 49,      // u64, payload references, parallel to them
  kOutWeightCodes = 50,  // u8 per arc, an index of out_weights; absent when that has one value
  kInWeightCodes = 51,
};

// "out_neighbors"; "array 99" for a number this version does not know.
std::string ArrayName(std::uint16_t array, std::uint16_t element);
// "checkpoint 3, section 7", for messages.
std::string SectionName(std::uint64_t checkpoint, std::uint32_t section);
// Bytes per value, 0 for an unknown array.
std::uint32_t ArrayWidth(std::uint16_t array);

struct ArraySpec {
  std::uint16_t array = 0;
  std::uint16_t element = 0;
  std::uint32_t width = 0;
  std::uint64_t count = 0;
  std::uint64_t size_bytes() const { return count * width; }
  bool operator==(const ArraySpec&) const = default;
};

struct Manifest {
  GraphId graph_id;
  std::uint64_t id = 0;
  Sequence sequence = 0;
  std::int64_t time_ms = 0;
  std::uint64_t log_hash = 0;  // running hash of the log at `sequence`
  DefinitionLists definitions;
  std::uint32_t node_count = 0;
  std::uint32_t string_count = 0;
  bool forgotten_keys = false;  // some removed node has none any more; not set by reading
  std::vector<std::uint64_t> nodes_by_kind, edges_by_kind;
  std::uint32_t section_bytes = kSectionBytes;
  std::vector<ArraySpec> arrays;
  std::vector<std::uint64_t> section_digests;  // arrays in order, sections in order
  std::uint64_t digest = 0;                    // of the encoded manifest

  std::uint64_t total_bytes() const;
  std::uint64_t section_count(const ArraySpec& spec) const {
    return (spec.size_bytes() + section_bytes - 1) / section_bytes;
  }
  const ArraySpec* Find(ArrayId array, std::uint16_t element = 0) const;
  // True when an array of weights holds each value once and not one an arc.
  bool HasFewWeights(ArrayId weights) const;
  bool HasFewWeights() const;  // one of the two
};

// Sets `digest`.
std::string EncodeManifest(Manifest& manifest);
// Checks structure, digest, and that arrays, widths and section counts agree, so
// that total_bytes() is bounded by what the digests account for.
Result<Manifest> DecodeManifest(ByteSpan bytes, std::string_view where);

// One section's value around `bytes` that the caller fills in: see SectionBuilder.
struct SectionView {
  std::uint16_t array = 0, element = 0;
  std::uint64_t first_byte = 0;
  ByteSpan bytes;
};
// Structure only; `raw` must be aligned to 8 bytes (AlignedView).
Result<SectionView> DecodeSection(ByteSpan raw, std::string_view where);

}  // namespace plexus::storage_internal
