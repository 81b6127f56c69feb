// The pre-filter of a vector space on disk: kept by log and checkpoint, told by the format's
// version, carried by JSON lines, refused where it contradicts.
#include <memory>
#include <string>

#include "record_generated.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/encoding/record_codec.h"
#include "storage/formats/import.h"
#include "storage/formats/import_vectors.h"
#include "tests/support/store_test_util.h"
#include "tests/support/text_support.h"

namespace plexus::storage_internal::testing {
namespace {

using formats_internal::FirstError;
using formats_internal::JsonLines;

Record Defining(Prefilter prefilter) {
  Record record;
  record.sequence = 1;
  record.space_definitions = {{"s", 3, Metric::kL2, prefilter}};
  return record;
}

TEST(SpacePrefilter, RecordsThatDefineOneCarryTheirVersion) {
  for (const Prefilter prefilter : kPrefilters) {
    RecordEncoder encoder;
    PLEXUS_OK(encoder.Encode(Defining(prefilter)));
    encoder.Seal(0);
    EXPECT_EQ(fb::GetRecord(encoder.bytes().data())->format_version(),
              prefilter == Prefilter::kNone ? 1 : 4);
    auto decoded = DecodeRecord(AsBytes(encoder.bytes()), "a record");
    PLEXUS_OK(decoded);
    EXPECT_EQ(decoded->record.space_definitions[0].prefilter, prefilter);
  }
}

// Version 4 had a third one, in single bits.
TEST(SpacePrefilter, ABitsOfOldFilesIsNone) {
  RecordEncoder encoder;
  PLEXUS_OK(encoder.Encode(Defining(static_cast<Prefilter>(2))));
  encoder.Seal(0);
  auto decoded = DecodeRecord(AsBytes(encoder.bytes()), "a record");
  PLEXUS_OK(decoded);
  EXPECT_EQ(decoded->record.space_definitions[0].prefilter, Prefilter::kNone);
}

TEST(SpacePrefilter, AnUnknownOneIsRefused) {
  RecordEncoder encoder;
  PLEXUS_OK(encoder.Encode(Defining(static_cast<Prefilter>(3))));
  encoder.Seal(0);
  auto decoded = DecodeRecord(AsBytes(encoder.bytes()), "a record");
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
  EXPECT_NE(decoded.error().message.find("pre-filter 3 is unknown"), std::string::npos)
      << decoded.error().message;
}

TEST(SpacePrefilter, LogAndCheckpointKeepIt) {
  for (const auto when : {CheckpointOnClose::kAlways, CheckpointOnClose::kNever}) {
    ScratchDirectory scratch;
    OpenOptions options = Create();
    options.checkpoint_on_close = when;
    std::vector<VectorSpace> want;
    {
      auto db = MustOpen(scratch.path(), options);
      for (const Prefilter prefilter : kPrefilters) {
        WriteBatch batch(1000 + static_cast<std::int64_t>(want.size()));
        want.push_back({std::string(PrefilterName(prefilter)), 2, Metric::kCosine, prefilter});
        batch.DefineSpace(want.back());
        batch.SetVector(batch.UpsertNode("a"), batch.SpaceNamed(want.back().name),
                        std::vector<float>{1, 2});
        PLEXUS_OK(db->graph().Apply(batch));
      }
      PLEXUS_OK(db->Close());
    }
    for (int round = 0; round < 2; ++round) {
      auto db = MustOpen(scratch.path(), options);
      EXPECT_EQ(db->snapshot().schema().spaces(), want);
      auto past = db->AsOf(2);
      PLEXUS_OK(past);
      EXPECT_EQ(past->schema().spaces(), std::vector(want.begin(), want.begin() + 2));
      auto verified = db->Verify();
      PLEXUS_OK(verified);
      EXPECT_TRUE(verified->ok);
      PLEXUS_OK(db->Close());
    }
  }
}

TEST(SpacePrefilter, JsonLines) {
  const auto graph = Graph::InMemory();
  const auto import = [](Graph& to, std::string_view lines) {
    return FirstError(to, "f.jsonl", lines);
  };
  EXPECT_EQ(import(*graph,
                   "{\"space\":\"s\",\"dimensions\":2,\"prefilter\":\"int8\"}\n"
                   "{\"space\":\"p\",\"dimensions\":2,\"prefilter\":\"bits\"}\n"
                   // What is left out stays.
                   "{\"space\":\"s\",\"dimensions\":2}\n"
                   "{\"vector\":\"a\",\"space\":\"s\",\"values\":[1,2]}\n"),
            "");
  const std::string first = JsonLines(graph->snapshot());
  EXPECT_NE(first.find("\"metric\":\"cosine\",\"prefilter\":\"int8\"}"), std::string::npos);
  EXPECT_EQ(first.find("\"prefilter\":\"none\""), std::string::npos);
  const auto copy = Graph::InMemory();
  EXPECT_EQ(import(*copy, first), "");
  EXPECT_EQ(JsonLines(copy->snapshot()), first);
  for (const char* bad : {"{\"space\":\"s\",\"dimensions\":2,\"prefilter\":\"none\"}\n",
                          "{\"space\":\"t\",\"dimensions\":2,\"prefilter\":\"f16\"}\n",
                          "{\"space\":\"t\",\"dimensions\":2,\"prefilter\":8}\n"}) {
    EXPECT_NE(import(*copy, bad), "") << bad;
    EXPECT_EQ(JsonLines(copy->snapshot()), first);
  }
}

TEST(SpacePrefilter, VectorFiles) {
  const auto graph = Graph::InMemory();
  const float values[] = {1, 0, 0.5f, 0.5f};
  const std::string_view raw(reinterpret_cast<const char*>(values), sizeof values);
  VectorImportOptions vectors;
  vectors.format = VectorFormat::kF32;
  vectors.dimensions = 2;
  vectors.prefilter = Prefilter::kInt8;
  ImportOptions options;
  options.now_ms = 1000;
  PLEXUS_OK(ImportVectors(*graph, {"v.f32", raw}, vectors, options));
  EXPECT_EQ(graph->snapshot().schema().spaces()[SpaceId{}].prefilter, Prefilter::kInt8);
  const std::string before = JsonLines(graph->snapshot());
  vectors.prefilter = Prefilter::kNone;
  const auto refused = ImportVectors(*graph, {"v.f32", raw}, vectors, options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "space 'default' has the pre-filter int8, not none");
  EXPECT_EQ(JsonLines(graph->snapshot()), before);
  vectors.prefilter = {};
  PLEXUS_OK(ImportVectors(*graph, {"v.f32", raw}, vectors, options));
  EXPECT_EQ(JsonLines(graph->snapshot()), before);
}

// A header that claims 10^9 rows in some hundred bytes.
TEST(SpacePrefilter, AFileThatClaimsTooMuchDefinesNothing) {
  const auto graph = Graph::InMemory();
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 2), }";
  header.resize(117, ' ');
  header += '\n';
  const std::string file = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "12345678";
  VectorImportOptions vectors;
  vectors.prefilter = Prefilter::kInt8;
  ImportOptions options;
  options.now_ms = 1000;
  auto report = ImportVectors(*graph, {"v.npy", file}, vectors, options);
  PLEXUS_OK(report);
  EXPECT_EQ(report->errors, 1u);
  EXPECT_TRUE(report->stopped);
  EXPECT_TRUE(graph->snapshot().schema().spaces().empty());
}

}  // namespace
}  // namespace plexus::storage_internal::testing
