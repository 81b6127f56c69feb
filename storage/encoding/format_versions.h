// Numbers of the file format. Meaning: FORMAT.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plexus::storage_internal {

// Every buffer carries the first version that has its form. A larger one than the newest
// of its kind is refused by name; every smaller one is read.
inline constexpr std::uint16_t kFormatVersion = 1;  // of anchor, manifest and records without edges
inline constexpr std::uint16_t kRecordVersion = 2;  // of records with edges, which lie by column
// Of records and manifests with values in columns that were built in later (engine/vocabulary.h).
inline constexpr std::uint16_t kLaterColumnsVersion = 3;
// Of records and manifests that define a vector space with a pre-filter.
inline constexpr std::uint16_t kPrefilterVersion = 4;
// Of records and manifests that define a vector space of f16 values.
inline constexpr std::uint16_t kHalvesVersion = 5;
// Of records that forget keys, and of manifests of graphs that did.
inline constexpr std::uint16_t kForgottenKeysVersion = 6;
// Of anchors of replicas and of graphs that were one.
inline constexpr std::uint16_t kReplicaVersion = 7;
// Of manifests with arcs, whose times are steps and whose in arcs have places.
inline constexpr std::uint16_t kSteppedTimesVersion = 8;
// Of manifests with arcs of few weights, of which each is there once.
inline constexpr std::uint16_t kFewWeightsVersion = 9;
inline constexpr std::uint16_t kNewestVersion = kFewWeightsVersion;  // that this program reads

inline constexpr char kRecordIdentifier[] = "PLXR";
inline constexpr char kManifestIdentifier[] = "PLXM";
inline constexpr char kSectionIdentifier[] = "PLXS";
inline constexpr char kAnchorIdentifier[] = "PLXA";

// FlatBuffers ends at 2 GiB; the verifier only asserts it, so we check first.
inline constexpr std::size_t kMaxBufferBytes = (std::size_t{1} << 31) - (std::size_t{1} << 16);

inline constexpr std::uint32_t kSectionBytes = 1 << 20;      // written by this version
inline constexpr std::uint32_t kMaxSectionBytes = 16 << 20;  // read by it
inline constexpr std::uint32_t kMinSectionBytes = 4 << 10;

struct GraphId {
  std::uint64_t high = 0, low = 0;
  bool operator==(const GraphId&) const = default;
};

}  // namespace plexus::storage_internal
