// How a vector space keeps its values on disk: f16 values of two bytes each, the pre-filter. Told
// by the format's version, kept by log and checkpoint, carried by JSON lines and vector files,
// refused where they contradict or overflow.
#include <cstring>
#include <memory>
#include <string>

#include "engine/vocabulary.h"
#include "engine/writer/state_writer.h"
#include "record_generated.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/encoding/record_codec.h"
#include "storage/formats/import.h"
#include "tests/support/store_test_util.h"
#include "tests/support/text_support.h"
#include "tests/support/vector_values.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

using formats::internal::FirstError;
using formats::internal::JsonLines;
using plexus::testing::PayloadOf;
using plexus::testing::Rounded;
using plexus::testing::VectorOf;

constexpr VectorElement kF16 = VectorElement::kF16;

VectorSpace HalfSpace(const std::string& name, std::uint32_t dimensions) {
  return {.name = name, .dimensions = dimensions, .element = kF16};
}

Record Defining(VectorElement element, Prefilter prefilter = Prefilter::kNone) {
  Record record;
  record.sequence = 1;
  record.space_definitions = {{"s", 3, Metric::kL2, prefilter, element}};
  return record;
}

TEST(VectorSpaces, RecordsThatDefineOneCarryTheirVersion) {
  for (const Prefilter prefilter : kPrefilters)
    for (const VectorElement element : kVectorElements) {
      RecordEncoder encoder;
      PLEXUS_OK(encoder.Encode(Defining(element, prefilter)));
      encoder.Seal(0);
      EXPECT_EQ(fb::GetRecord(encoder.bytes().data())->format_version(),
                element == kF16                 ? 5
                : prefilter == Prefilter::kNone ? 1
                                                : 4);
      auto decoded = Must(DecodeRecord(AsBytes(encoder.bytes()), "a record"));
      EXPECT_EQ(decoded.record.space_definitions, Defining(element, prefilter).space_definitions);
    }
}

// Version 4 had a third pre-filter, in single bits.
TEST(VectorSpaces, ValuesOfOldFilesAndUnknownOnes) {
  const auto decode = [](const Record& record) {
    RecordEncoder encoder;
    EXPECT_TRUE(encoder.Encode(record));
    encoder.Seal(0);
    return DecodeRecord(AsBytes(encoder.bytes()), "a record");
  };
  const auto bits = Must(decode(Defining(VectorElement::kF32, static_cast<Prefilter>(2))));
  EXPECT_EQ(bits.record.space_definitions[0].prefilter, Prefilter::kNone);
  EXPECT_TRUE(FailsWith(decode(Defining(VectorElement::kF32, static_cast<Prefilter>(3))),
                        ErrorCode::kCorruption, "pre-filter 3 is unknown"));
  EXPECT_TRUE(FailsWith(decode(Defining(static_cast<VectorElement>(2))), ErrorCode::kCorruption,
                        "vector element 2 is unknown"));
}

const std::vector<float> kGiven = {0.1f, -1 / 3.0f, 1e-7f, 2049, 65519};

TEST(VectorSpaces, PayloadsAreRoundedHalvesInLogCheckpointAndPast) {
  for (const auto when : {CheckpointOnClose::kAlways, CheckpointOnClose::kNever}) {
    ScratchDirectory scratch;
    OpenOptions options = Create();
    options.checkpoint_on_close = when;
    {
      auto db = MustOpen(scratch.path(), options);
      for (const float more : {0.0f, 1.0f}) {
        WriteBatch batch(1000);
        batch.DefineSpace(HalfSpace("h", 5));
        std::vector<float> values = kGiven;
        values[0] += more;
        batch.SetVector(batch.UpsertNode("a"), batch.SpaceNamed("h"), values);
        PLEXUS_OK(db->graph().Apply(batch));
      }
      PLEXUS_OK(db->Close());
    }
    for (int round = 0; round < 2; ++round) {
      auto db = MustOpen(scratch.path(), options);
      const auto check = [&](const Snapshot& s, float more) {
        std::vector<float> values = kGiven;
        values[0] += more;
        EXPECT_EQ(s.schema().spaces()[SpaceId{}], HalfSpace("h", 5));
        auto view = Must(s.vectors(SpaceId{}));
        EXPECT_EQ(VectorOf(*view, 0), Rounded(values, kF16));
        EXPECT_EQ(view->bytes(0), PayloadOf(values, kF16));
        const auto payload = Must(s.Payload(view->ref(0)));
        EXPECT_EQ(payload, PayloadOf(values, kF16));
      };
      check(db->snapshot(), 1);
      auto past = Must(db->AsOf(1));
      check(past, 0);
      ExpectSound(*db);
      // What rounds to the same is no change; what does not fit changes nothing.
      std::vector<float> near = kGiven;
      near[0] = std::nextafter(near[0] + 1, 2.0f);
      WriteBatch same(2000);
      same.SetVector(same.Node("a"), same.SpaceNamed("h"), near);
      auto applied = Must(db->graph().Apply(same));
      EXPECT_EQ(applied.vectors.same, 1u);
      near[4] = 65520;
      WriteBatch large(2000);
      large.SetVector(large.Node("a"), large.SpaceNamed("h"), near);
      EXPECT_EQ(db->graph().Apply(large).error().code, ErrorCode::kInvalidArgument);
      EXPECT_EQ(db->snapshot().sequence(), 2u);
      PLEXUS_OK(db->Close());
    }
  }
}

// A record whose vector has the bytes of another element, or one that is not finite.
TEST(VectorSpaces, DamagedVectorsOfRecordsAreRefused) {
  const auto graph = Graph::InMemory();
  std::string infinite = PayloadOf(kGiven, kF16);
  infinite[8] = 0;
  infinite[9] = 0x7C;
  for (const auto& [bytes, text] :
       {std::pair(PayloadOf(kGiven), "wrong size"), std::pair(std::string(9, '\1'), "wrong size"),
        std::pair(infinite, "not finite"), std::pair(PayloadOf(kGiven, kF16), "")}) {
    Record record;
    record.sequence = 1;
    record.time_ms = 1000;
    record.space_definitions = {HalfSpace("h", 5)};
    record.first_node = 0;
    record.key_offsets = {0, 1};
    record.key_bytes = "a";
    record.node_kinds = {kMemory};
    record.payloads = {{0, bytes}};
    record.vectors = {{0, 0, PayloadRef::Make(1, 0)}};
    StateWriter writer(EmptyState());
    const Status status = writer.Apply(record);
    EXPECT_EQ(status.has_value(), *text == '\0');
    if (!status) {
      EXPECT_TRUE(FailsWith(status, ErrorCode::kCorruption, text));
    }
  }
}

// The bytes of a purged vector are in no file any more.
TEST(VectorSpaces, PurgesEraseTheHalves) {
  for (const bool hard : {false, true}) {
    ScratchDirectory scratch;
    auto db = MustOpen(scratch.path(), Create());
    std::vector<float> secret, other;
    for (int i = 0; i < 40; ++i) {
      secret.push_back(0.37f + static_cast<float>(i * i));
      other.push_back(0.11f + static_cast<float>(i));
    }
    WriteBatch batch(1000);
    batch.DefineSpace(HalfSpace("h", 40));
    batch.SetVector(batch.UpsertNode("a"), batch.SpaceNamed("h"), secret);
    batch.SetVector(batch.UpsertNode("b"), batch.SpaceNamed("h"), other);
    PLEXUS_OK(db->graph().Apply(batch));
    PLEXUS_OK(db->Checkpoint());
    const std::vector<std::string> bytes = {PayloadOf(secret, kF16)};
    EXPECT_FALSE(Found(scratch.path(), bytes).empty());
    const NodeId node = 0;
    if (hard) {
      PLEXUS_OK(db->HardPurge({&node, 1}));
    } else {
      PLEXUS_OK(db->Purge({{"a"}}, 2000));
    }
    EXPECT_TRUE(Found(scratch.path(), bytes).empty());
    PLEXUS_OK(db->Close());
    db = MustOpen(scratch.path());
    auto view = Must(db->snapshot().vectors(SpaceId{}));
    EXPECT_EQ(view->live_count(), 1u);
    EXPECT_EQ(VectorOf(*view, *db->snapshot().Find("b")), Rounded(other, kF16));
  }
}

TEST(VectorSpaces, LogAndCheckpointKeepThePrefilter) {
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
      auto past = Must(db->AsOf(2));
      EXPECT_EQ(past.schema().spaces(), std::vector(want.begin(), want.begin() + 2));
      ExpectSound(*db);
      PLEXUS_OK(db->Close());
    }
  }
}

TEST(VectorSpaces, JsonLines) {
  const struct {
    const char* what;
    const char *lines, *kept, *left_out;
    std::vector<const char*> bad;
  } cases[] = {{"element",
                "{\"space\":\"s\",\"dimensions\":2,\"element\":\"f16\"}\n"
                "{\"space\":\"p\",\"dimensions\":2,\"element\":\"f32\"}\n",
                "\"metric\":\"cosine\",\"element\":\"f16\"}",
                "\"element\":\"f32\"",
                {"{\"space\":\"s\",\"dimensions\":2,\"element\":\"f32\"}\n",
                 "{\"space\":\"p\",\"dimensions\":2,\"element\":\"f16\"}\n",
                 "{\"space\":\"t\",\"dimensions\":2,\"element\":\"int8\"}\n",
                 "{\"space\":\"t\",\"dimensions\":2,\"element\":16}\n"}},
               {"prefilter",
                "{\"space\":\"s\",\"dimensions\":2,\"prefilter\":\"int8\"}\n"
                "{\"space\":\"p\",\"dimensions\":2,\"prefilter\":\"bits\"}\n",
                "\"metric\":\"cosine\",\"prefilter\":\"int8\"}",
                "\"prefilter\":\"none\"",
                {"{\"space\":\"s\",\"dimensions\":2,\"prefilter\":\"none\"}\n",
                 "{\"space\":\"t\",\"dimensions\":2,\"prefilter\":\"f16\"}\n",
                 "{\"space\":\"t\",\"dimensions\":2,\"prefilter\":8}\n"}}};
  for (const auto& [what, lines, kept, left_out, bad] : cases) {
    SCOPED_TRACE(what);
    const auto graph = Graph::InMemory(), copy = Graph::InMemory();
    EXPECT_EQ(FirstError(*graph, "f.jsonl",
                         std::string(lines) +
                             "{\"space\":\"s\",\"dimensions\":2}\n"  // what is left out stays
                             "{\"vector\":\"a\",\"space\":\"s\",\"values\":[0.1,-65519]}\n"),
              "");
    const std::string first = JsonLines(graph->snapshot());
    EXPECT_NE(first.find(kept), std::string::npos) << first;
    EXPECT_EQ(first.find(left_out), std::string::npos) << first;
    EXPECT_EQ(FirstError(*copy, "f.jsonl", first), "");
    EXPECT_EQ(JsonLines(copy->snapshot()), first);
    for (const char* line : bad) {
      EXPECT_NE(FirstError(*copy, "f.jsonl", line), "") << line;
      EXPECT_EQ(JsonLines(copy->snapshot()), first);
    }
  }
}

TEST(VectorSpaces, JsonLinesOfHalvesAreInRange) {
  const auto graph = Graph::InMemory();
  EXPECT_EQ(FirstError(*graph, "f.jsonl",
                       "{\"space\":\"s\",\"dimensions\":2,\"element\":\"f16\"}\n"
                       "{\"vector\":\"a\",\"space\":\"s\",\"values\":[0.1,-65519]}\n"),
            "");
  const std::string first = JsonLines(graph->snapshot());
  EXPECT_NE(first.find("-65504"), std::string::npos) << first;
  EXPECT_EQ(FirstError(*graph, "f.jsonl",
                       "{\"node\":\"c\"}\n"
                       "{\"vector\":\"b\",\"space\":\"s\",\"values\":[1,65520]}\n"),
            "f.jsonl:2: value 1 is too large for the f16 values of space \"s\"; the largest is "
            "65504");
  EXPECT_EQ(JsonLines(graph->snapshot()), first);
}

TEST(VectorSpaces, VectorFilesOfHalves) {
  const auto graph = Graph::InMemory();
  const float values[] = {0.1f, 70000, 0.5f, 1};
  const auto raw = [&](std::size_t from, std::size_t count) {
    return std::string_view(reinterpret_cast<const char*>(values + from), count * sizeof(float));
  };
  formats::VectorImportOptions vectors;
  vectors.format = formats::VectorFormat::kF32;
  vectors.dimensions = 2;
  vectors.element = kF16;
  formats::ImportOptions options;
  options.now_ms = 1000;
  auto report = formats::ImportVectors(*graph, {"v.f32", raw(0, 4)}, vectors, options);
  PLEXUS_OK(report);
  EXPECT_EQ(report->errors, 1u);
  EXPECT_EQ(report->kept_errors[0].ToString(), "v.f32: row 0, value 1 (byte 4): too large for f16");
  EXPECT_TRUE(graph->snapshot().schema().spaces().empty()) << "nothing is written";
  options.on_error = formats::OnImportError::kSkip;
  report = formats::ImportVectors(*graph, {"v.f32", raw(0, 4)}, vectors, options);
  PLEXUS_OK(report);
  EXPECT_EQ(report->errors, 1u);
  EXPECT_EQ(report->vectors, 1u);
  EXPECT_EQ(graph->snapshot().schema().spaces()[SpaceId{}].element, kF16);
  const std::string before = JsonLines(graph->snapshot());
  vectors.element = VectorElement::kF32;
  EXPECT_TRUE(FailsWith(formats::ImportVectors(*graph, {"v.f32", raw(2, 2)}, vectors, options),
                        ErrorCode::kInvalidArgument, "space 'default' has f16 values, not f32"));
  EXPECT_EQ(JsonLines(graph->snapshot()), before);
  vectors.element = {};  // what the space has, its limit included
  options.on_error = formats::OnImportError::kStop;
  report = formats::ImportVectors(*graph, {"v.f32", raw(0, 2)}, vectors, options);
  PLEXUS_OK(report);
  EXPECT_EQ(report->errors, 1u);
  EXPECT_EQ(JsonLines(graph->snapshot()), before);
}

TEST(VectorSpaces, VectorFilesAndThePrefilter) {
  const auto graph = Graph::InMemory();
  const float values[] = {1, 0, 0.5f, 0.5f};
  const std::string_view raw(reinterpret_cast<const char*>(values), sizeof values);
  formats::VectorImportOptions vectors;
  vectors.format = formats::VectorFormat::kF32;
  vectors.dimensions = 2;
  vectors.prefilter = Prefilter::kInt8;
  formats::ImportOptions options;
  options.now_ms = 1000;
  PLEXUS_OK(formats::ImportVectors(*graph, {"v.f32", raw}, vectors, options));
  EXPECT_EQ(graph->snapshot().schema().spaces()[SpaceId{}].prefilter, Prefilter::kInt8);
  const std::string before = JsonLines(graph->snapshot());
  vectors.prefilter = Prefilter::kNone;
  EXPECT_TRUE(FailsWith(formats::ImportVectors(*graph, {"v.f32", raw}, vectors, options),
                        ErrorCode::kInvalidArgument,
                        "space 'default' has the pre-filter int8, not none"));
  EXPECT_EQ(JsonLines(graph->snapshot()), before);
  vectors.prefilter = {};
  PLEXUS_OK(formats::ImportVectors(*graph, {"v.f32", raw}, vectors, options));
  EXPECT_EQ(JsonLines(graph->snapshot()), before);
}

// A header that claims 10^9 rows in some hundred bytes.
TEST(VectorSpaces, AFileThatClaimsTooMuchDefinesNothing) {
  const auto graph = Graph::InMemory();
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 2), }";
  header.resize(117, ' ');
  header += '\n';
  const std::string file = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "12345678";
  formats::VectorImportOptions vectors;
  vectors.prefilter = Prefilter::kInt8;
  formats::ImportOptions options;
  options.now_ms = 1000;
  auto report = Must(formats::ImportVectors(*graph, {"v.npy", file}, vectors, options));
  EXPECT_EQ(report.errors, 1u);
  EXPECT_TRUE(report.stopped);
  EXPECT_TRUE(graph->snapshot().schema().spaces().empty());
}

}  // namespace
}  // namespace plexus::storage_internal::testing
