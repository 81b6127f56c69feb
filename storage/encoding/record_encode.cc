// Record -> FlatBuffers bytes: edges by column, the rest flat vectors, each one copy.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "engine/vocabulary.h"
#include "record_generated.h"
#include "storage/encoding/edge_columns.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/encoding/record_codec.h"

namespace plexus::storage_internal {

// The structs of record.fbs and of engine/record.h are the same bytes.
#define PLEXUS_SAME(type) static_assert(sizeof(plexus::type) == sizeof(fb::type))
PLEXUS_SAME(EdgeChange);
PLEXUS_SAME(EdgeExtra);
PLEXUS_SAME(NodeChange);
PLEXUS_SAME(ColumnChange);
PLEXUS_SAME(PayloadChange);
PLEXUS_SAME(VectorChange);
#undef PLEXUS_SAME
static_assert(sizeof(PayloadDigest) == sizeof(fb::PayloadInfo));
static_assert(offsetof(plexus::EdgeChange, created_at) == 16 &&
              offsetof(plexus::EdgeChange, kind) == 24);
static_assert(offsetof(plexus::EdgeExtra, properties) == 24);
static_assert(offsetof(plexus::ColumnChange, bits) == 8);

namespace {

template <class F, class T>
flatbuffers::Offset<flatbuffers::Vector<const F*>> Structs(flatbuffers::FlatBufferBuilder& builder,
                                                           const std::vector<T>& from) {
  return builder.CreateVectorOfStructs(reinterpret_cast<const F*>(from.data()), from.size());
}

flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> Bytes(
    flatbuffers::FlatBufferBuilder& builder, const std::string& from) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(from.data()), from.size());
}

template <class T>
std::size_t SizeOf(const T& list) {
  return list.size() * sizeof(list[0]) + 16;
}

// An upper bound of the encoded size, so that the builder never needs more than a buffer can hold.
std::size_t Bound(const Record& r, std::size_t payloads, std::size_t edges) {
  std::size_t definitions = 256 * (r.node_kind_definitions.size() + r.edge_kind_definitions.size() +
                                   r.column_definitions.size() + r.space_definitions.size());
  for (const NodeKind& k : r.node_kind_definitions) definitions += k.name.size();
  for (const EdgeKind& k : r.edge_kind_definitions) definitions += k.name.size() + k.inverse.size();
  for (const Column& c : r.column_definitions) definitions += c.name.size();
  for (const VectorSpace& s : r.space_definitions) definitions += s.name.size();
  return 1024 + definitions + SizeOf(r.string_offsets) + SizeOf(r.string_bytes) +
         SizeOf(r.node_kinds) + SizeOf(r.key_offsets) + SizeOf(r.key_bytes) +
         SizeOf(r.node_changes) + edges * sizeof(EdgeChange) + SizeOf(r.edge_extras) +
         SizeOf(r.columns) + SizeOf(r.payload_changes) + SizeOf(r.vectors) +
         payloads * sizeof(PayloadDigest);
}

}  // namespace

std::uint64_t DigestPayload(PayloadRef ref, std::string_view bytes) {
  return Digest(AsBytes(bytes), ref.bits);
}

struct RecordEncoder::Buffer {
  std::optional<flatbuffers::FlatBufferBuilder> builder;  // as large as its first record may be
  LoadedArrays loaded;
  Record nodes;  // of a load
};

RecordEncoder::RecordEncoder() = default;
RecordEncoder::~RecordEncoder() = default;
RecordEncoder::RecordEncoder(RecordEncoder&&) noexcept = default;

Status RecordEncoder::Encode(const Record& record) {
  std::vector<PayloadDigest> payloads(record.payloads.size());
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    const Payload& p = record.payloads[i];
    payloads[i].digest = DigestPayload(PayloadRef::Make(record.sequence, p.ordinal), p.bytes);
    payloads[i].size = static_cast<std::uint32_t>(p.bytes.size());
  }
  return Encode(record, payloads);
}

Status RecordEncoder::Encode(const Record& r, const std::vector<PayloadDigest>& payloads) {
  return Encode(r, payloads, r.edges.empty() ? EdgeArrays() : ArraysOf(r.edges));
}

Status RecordEncoder::Encode(const LoadedEdges& loaded, std::size_t batch, Sequence sequence) {
  Buffer& b = buffer();
  loaded.FillNodes(batch, b.nodes);
  b.nodes.sequence = sequence;
  return Encode(b.nodes, {},
                loaded.change_count(batch) == 0 ? EdgeArrays() : b.loaded.Of(loaded, batch));
}

RecordEncoder::Buffer& RecordEncoder::buffer() {
  if (!buffer_) buffer_ = std::make_unique<Buffer>();
  return *buffer_;
}

Status RecordEncoder::Encode(const Record& r, const std::vector<PayloadDigest>& payloads,
                             const EdgeArrays& edge_arrays) {
  const std::size_t bound = Bound(r, payloads.size(), edge_arrays.count);
  if (bound > kMaxBufferBytes)
    return Exhausted("batch ", r.sequence, ": its record of about ", bound >> 20,
                     " MiB passes the limit of 2047 MiB");
  Buffer& b = buffer();
  if (!b.builder) b.builder.emplace(bound);
  flatbuffers::FlatBufferBuilder& builder = *b.builder;
  builder.Clear();
  flatbuffers::Offset<fb::Definitions> definitions;
  if (!r.node_kind_definitions.empty() || !r.edge_kind_definitions.empty() ||
      !r.column_definitions.empty() || !r.space_definitions.empty())
    definitions =
        BuildDefinitions(builder, {r.first_node_kind, r.node_kind_definitions, r.first_edge_kind,
                                   r.edge_kind_definitions, r.first_column, r.column_definitions,
                                   r.first_space, r.space_definitions});
  // Empty lists are left out: absent and empty read the same.
  flatbuffers::Offset<flatbuffers::Vector<std::uint64_t>> string_offsets, key_offsets;
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> string_bytes, key_bytes;
  flatbuffers::Offset<flatbuffers::Vector<std::uint16_t>> node_kinds;
  flatbuffers::Offset<flatbuffers::Vector<const fb::NodeChange*>> node_changes;
  flatbuffers::Offset<fb::EdgeColumns> edges;
  flatbuffers::Offset<flatbuffers::Vector<const fb::EdgeExtra*>> extras;
  flatbuffers::Offset<flatbuffers::Vector<const fb::ColumnChange*>> columns;
  flatbuffers::Offset<flatbuffers::Vector<const fb::PayloadChange*>> payload_changes;
  flatbuffers::Offset<flatbuffers::Vector<const fb::VectorChange*>> vectors;
  flatbuffers::Offset<flatbuffers::Vector<const fb::PayloadInfo*>> infos;
  if (!r.string_offsets.empty()) string_offsets = builder.CreateVector(r.string_offsets);
  if (!r.string_bytes.empty()) string_bytes = Bytes(builder, r.string_bytes);
  if (!r.node_kinds.empty()) node_kinds = builder.CreateVector(r.node_kinds);
  if (!r.key_offsets.empty()) key_offsets = builder.CreateVector(r.key_offsets);
  if (!r.key_bytes.empty()) key_bytes = Bytes(builder, r.key_bytes);
  if (!r.node_changes.empty()) node_changes = Structs<fb::NodeChange>(builder, r.node_changes);
  if (edge_arrays.count > 0) edges = EncodeEdges(builder, edge_arrays);
  if (!r.edge_extras.empty()) extras = Structs<fb::EdgeExtra>(builder, r.edge_extras);
  if (!r.columns.empty()) columns = Structs<fb::ColumnChange>(builder, r.columns);
  if (!r.payload_changes.empty())
    payload_changes = Structs<fb::PayloadChange>(builder, r.payload_changes);
  if (!r.vectors.empty()) vectors = Structs<fb::VectorChange>(builder, r.vectors);
  if (!payloads.empty()) infos = Structs<fb::PayloadInfo>(builder, payloads);
  const fb::Seal no_seal(0, 0);
  const bool later =
      std::ranges::any_of(r.columns, [](const ColumnChange& c) { return IsLaterColumn(c.column); });
  const bool forgets = std::ranges::any_of(
      r.node_changes, [](const NodeChange& c) { return c.what == NodeChange::kForget; });
  const std::uint16_t version =
      std::max(VersionOf(r.space_definitions), forgets          ? kForgottenKeysVersion
                                               : later          ? kLaterColumnsVersion
                                               : edges.IsNull() ? kFormatVersion
                                                                : kRecordVersion);
  builder.Finish(fb::CreateRecord(builder, version, &no_seal, r.sequence, r.time_ms, definitions,
                                  r.first_string, string_offsets, string_bytes, r.first_node,
                                  node_kinds, key_offsets, key_bytes, node_changes, 0, extras,
                                  columns, payload_changes, vectors, infos, edges),
                 kRecordIdentifier);
  std::uint8_t* data = builder.GetBufferPointer();
  digest_ = SetSeal(data, builder.GetSize(), fb::GetRecord(data)->seal());
  return {};
}

std::uint64_t RecordEncoder::Seal(std::uint64_t previous_hash) {
  std::uint8_t* data = buffer_->builder->GetBufferPointer();
  const auto* seal = reinterpret_cast<const std::uint8_t*>(fb::GetRecord(data)->seal());
  const fb::Seal value(digest_, ChainHash(previous_hash, digest_));
  std::memcpy(data + (seal - data), &value, sizeof value);
  return value.running_hash();
}

std::string_view RecordEncoder::bytes() const {
  return {reinterpret_cast<const char*>(buffer_->builder->GetBufferPointer()),
          buffer_->builder->GetSize()};
}

namespace {

EncodedRecord Sealed(RecordEncoder& encoder, std::uint64_t previous_hash) {
  EncodedRecord encoded;
  encoded.digest = encoder.digest();
  encoded.running_hash = encoder.Seal(previous_hash);
  encoded.bytes = encoder.bytes();
  return encoded;
}

}  // namespace

void Rechain(std::string& value, RecordHead& head, std::uint64_t previous_hash) {
  head.running_hash = ChainHash(previous_hash, head.digest);
  const auto* seal = reinterpret_cast<const char*>(fb::GetRecord(value.data())->seal());
  const fb::Seal sealed(head.digest, head.running_hash);
  std::memcpy(value.data() + (seal - value.data()), &sealed, sizeof sealed);
}

Result<EncodedRecord> EncodeRecord(const Record& record, std::uint64_t previous_hash) {
  RecordEncoder encoder;
  PLEXUS_TRY(encoder.Encode(record));
  return Sealed(encoder, previous_hash);
}

Result<EncodedRecord> EncodeRecord(const Record& record, const std::vector<PayloadDigest>& payloads,
                                   std::uint64_t previous_hash) {
  RecordEncoder encoder;
  PLEXUS_TRY(encoder.Encode(record, payloads));
  return Sealed(encoder, previous_hash);
}

}  // namespace plexus::storage_internal
