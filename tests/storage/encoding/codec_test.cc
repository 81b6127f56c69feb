// The record codec: round trips, sizes, damage, and versions of the future.
#include <random>

#include "engine/graph.h"
#include "engine/writer/state_writer.h"
#include "storage/encoding/anchor.h"
#include "storage/encoding/record_codec.h"
#include "tests/storage/encoding/record_parts.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

void ExpectSame(const Record& a, const Record& b) {
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.time_ms, b.time_ms);
  EXPECT_EQ(a.first_node_kind, b.first_node_kind);
  EXPECT_EQ(a.node_kind_definitions, b.node_kind_definitions);
  EXPECT_EQ(a.first_edge_kind, b.first_edge_kind);
  EXPECT_EQ(a.edge_kind_definitions, b.edge_kind_definitions);
  EXPECT_EQ(a.column_definitions, b.column_definitions);
  EXPECT_EQ(a.space_definitions, b.space_definitions);
  EXPECT_EQ(a.first_string, b.first_string);
  EXPECT_EQ(a.string_offsets, b.string_offsets);
  EXPECT_EQ(a.string_bytes, b.string_bytes);
  EXPECT_EQ(a.first_node, b.first_node);
  EXPECT_EQ(a.node_kinds, b.node_kinds);
  EXPECT_EQ(a.key_offsets, b.key_offsets);
  EXPECT_EQ(a.key_bytes, b.key_bytes);
  EXPECT_TRUE(SameBytes(a.node_changes, b.node_changes));
  EXPECT_TRUE(SameBytes(a.edges, b.edges));
  EXPECT_TRUE(SameBytes(a.edge_extras, b.edge_extras));
  EXPECT_TRUE(SameBytes(a.columns, b.columns));
  EXPECT_TRUE(SameBytes(a.payload_changes, b.payload_changes));
  EXPECT_TRUE(SameBytes(a.vectors, b.vectors));
  ASSERT_EQ(a.payloads.size(), b.payloads.size());
}

std::vector<Record> ScriptRecords(std::uint64_t count) {
  StateWriter writer(EmptyState());
  std::vector<Record> records;
  for (std::uint64_t i = 1; i <= count; ++i) {
    ApplyReport report;
    auto record = writer.Resolve(ScriptBatch(i), &report);
    EXPECT_TRUE(record) << record.error().ToString();
    EXPECT_TRUE(writer.Apply(*record));
    records.push_back(*std::move(record));
  }
  return records;
}

TEST(Codec, RoundTrip) {
  std::uint64_t hash = 42;
  for (const Record& record : ScriptRecords(40)) {
    auto encoded = Must(EncodeRecord(record, hash));
    auto again = EncodeRecord(record, hash);
    EXPECT_EQ(encoded.bytes, again->bytes) << "the same record, the same bytes";
    EXPECT_EQ(encoded.running_hash, ChainHash(hash, encoded.digest));
    auto decoded = DecodeRecord(AsBytes(encoded.bytes), "record");
    PLEXUS_OK(decoded);
    ExpectSame(record, decoded->record);
    ExpectRecordParts(encoded.bytes);
    for (std::size_t i = 0; i < record.payloads.size(); ++i) {
      EXPECT_EQ(decoded->payloads[i].size, record.payloads[i].bytes.size());
      EXPECT_EQ(decoded->payloads[i].digest,
                DigestPayload(PayloadRef::Make(record.sequence, static_cast<std::uint32_t>(i)),
                              record.payloads[i].bytes));
    }
    EXPECT_EQ(decoded->head.running_hash, encoded.running_hash);
    // Re-encoding what was decoded gives the same bytes: nothing is lost.
    auto reencoded = Must(EncodeRecord(decoded->record, decoded->payloads, hash));
    EXPECT_EQ(reencoded.bytes, encoded.bytes);
    // At any address.
    const std::string shifted = "x" + encoded.bytes;
    PLEXUS_OK(DecodeRecord(AsBytes(std::string_view(shifted).substr(1)), "record"));
    hash = encoded.running_hash;
  }
}

TEST(Codec, EveryFlippedBitIsFound) {
  const Record record = ScriptRecords(12).back();
  auto encoded = Must(EncodeRecord(record, 1));
  auto whole = DecodeRecord(AsBytes(encoded.bytes), "record");
  PLEXUS_OK(whole);
  for (std::size_t bit = 0; bit < encoded.bytes.size() * 8; ++bit) {
    std::string hurt = encoded.bytes;
    hurt[bit / 8] = static_cast<char>(hurt[bit / 8] ^ (1 << (bit % 8)));
    auto decoded = DecodeRecord(AsBytes(hurt), "record 12");
    if (decoded) {
      // Only the running hash lies outside the digest; the chain finds it.
      EXPECT_NE(decoded->head.running_hash, ChainHash(1, decoded->head.digest)) << "bit " << bit;
    } else {
      EXPECT_NE(decoded.error().message.find("record 12"), std::string::npos);
    }
  }
  for (std::size_t size = 0; size < encoded.bytes.size(); ++size)
    EXPECT_FALSE(DecodeRecord(AsBytes(std::string_view(encoded.bytes).substr(0, size)), "record"));
}

TEST(Codec, RandomBytes) {
  std::mt19937_64 random(5);
  const Record record = ScriptRecords(9).back();
  const std::string good = EncodeRecord(record, 1)->bytes;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (std::uint64_t n = 1 + random() % 8; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)DecodeRecord(AsBytes(bytes), "record");
    (void)DecodeRecordHead(AsBytes(bytes), "record");
    (void)DecodeRecordOf(3, AsBytes(bytes), "record");
    RecordNodes nodes;
    (void)DecodeRecordNodes(AsBytes(bytes), "record", nodes);
  }
}

TEST(Anchor, RoundTripAndDamage) {
  Anchor anchor;
  anchor.graph_id = {1, 2};
  anchor.generation = 3;
  anchor.clean = true;
  anchor.sequence = 44;
  anchor.log_hash = 5;
  anchor.checkpoint_id = 6;
  anchor.checkpoint_sequence = 40;
  anchor.checkpoint_digest = 7;
  anchor.floor_sequence = 10;
  anchor.floor_hash = 8;
  anchor.files = {{"CURRENT", 16, 9, true}, {"000012.sst", 100, 10, false}};
  const std::string bytes = EncodeAnchor(anchor);
  auto decoded = Must(DecodeAnchor(AsBytes(bytes), "anchor"));
  EXPECT_EQ(decoded, anchor);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string hurt = bytes;
    hurt[bit / 8] = static_cast<char>(hurt[bit / 8] ^ (1 << (bit % 8)));
    auto damaged = DecodeAnchor(AsBytes(hurt), "anchor");
    // The unused half of the seal is the one place that says nothing.
    if (damaged) {
      EXPECT_EQ(*damaged, anchor);
    }
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
