// Codec: Record <-> the bytes of one log value. Layout: record.fbs, FORMAT.md.
//
// Encoding seals the buffer with its digest and the log's running hash. Decoding
// takes any bytes: it verifies structure, digest and offsets and returns an Error
// for the rest, never a crash; that ids and values fit the graph is checked by
// StateWriter::Apply. Payload bytes live elsewhere: a decoded record has the
// right number of payloads, all empty, and their digests with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/record.h"
#include "storage/base/digest.h"

namespace plexus {
class LoadedEdges;
}

namespace plexus::storage_internal {

struct EdgeArrays;

struct PayloadDigest {
  std::uint64_t digest = 0;  // XXH3-64 of the bytes, seeded with the reference
  std::uint32_t size = 0;
  std::uint32_t reserved = 0;
};

std::uint64_t DigestPayload(PayloadRef ref, std::string_view bytes);

struct EncodedRecord {
  std::string bytes;
  std::uint64_t digest = 0;
  std::uint64_t running_hash = 0;
};

// Pure; REQUIRES a record as StateWriter::Resolve makes it. kResourceExhausted
// when it would pass 2 GiB.
Result<EncodedRecord> EncodeRecord(const Record& record, std::uint64_t previous_hash);
// The same for a record whose payload bytes are not at hand but their digests.
Result<EncodedRecord> EncodeRecord(const Record& record, const std::vector<PayloadDigest>& payloads,
                                   std::uint64_t previous_hash);

// The same in memory that is kept for the next record, and in two steps: the first needs
// no other record, so many encoders may work at once.
class RecordEncoder {
 public:
  RecordEncoder();
  ~RecordEncoder();
  RecordEncoder(RecordEncoder&&) noexcept;

  Status Encode(const Record& record);
  Status Encode(const Record& record, const std::vector<PayloadDigest>& payloads);
  // What `loaded` makes of a batch: the same bytes as those of its record, which is not made.
  Status Encode(const LoadedEdges& loaded, std::size_t batch, Sequence sequence);
  // Chains what was encoded last to the record before; returns its own running hash.
  std::uint64_t Seal(std::uint64_t previous_hash);
  std::uint64_t digest() const { return digest_; }
  // Until the next Encode.
  std::string_view bytes() const;

 private:
  struct Buffer;
  Buffer& buffer();
  Status Encode(const Record& record, const std::vector<PayloadDigest>& payloads,
                const EdgeArrays& edges);

  std::unique_ptr<Buffer> buffer_;
  std::uint64_t digest_ = 0;
};

struct RecordHead {
  Sequence sequence = 0;
  std::int64_t time_ms = 0;
  std::uint64_t digest = 0;
  std::uint64_t running_hash = 0;
};

struct DecodedRecord {
  Record record;
  RecordHead head;
  std::vector<PayloadDigest> payloads;  // parallel to record.payloads
};

// `value` as it follows `previous_hash`: of what it says nothing changes, so only its running hash
// does. REQUIRES a buffer that DecodeRecord took, and its head.
void Rechain(std::string& value, RecordHead& head, std::uint64_t previous_hash);

// `where` opens every message, e.g. "log record 12".
Result<DecodedRecord> DecodeRecord(ByteSpan bytes, std::string_view where);
// What it says of one node: that it introduces it, its changes, and the edges at it with their
// extras, in DecodeRecord's order. All else, keys and payloads too, is left out. Much cheaper:
// columns are searched, not copied.
Result<DecodedRecord> DecodeRecordOf(NodeId node, ByteSpan bytes, std::string_view where);
// The nodes that a record says something of.
struct RecordNodes {
  RecordHead head;
  NodeId first_node = 0;  // of `new_nodes` that it introduces
  std::uint32_t new_nodes = 0;
  std::vector<NodeId> named;  // those that it changes or links; in any order, with repetitions
};
// Into `to`, whose memory is used again.
Status DecodeRecordNodes(ByteSpan bytes, std::string_view where, RecordNodes& to);
// Structure and digest are checked here too.
Result<RecordHead> DecodeRecordHead(ByteSpan bytes, std::string_view where);

}  // namespace plexus::storage_internal
