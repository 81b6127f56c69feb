// Verify finds what digests cannot: changes made with every checksum recomputed.
//
// Each change opens the closed files with RocksDB, changes something, recomputes
// section digests, manifest, record digests or payload digests as a careful liar
// would, and lists the files in the anchor again. Opening may refuse it; if not,
// verify must report it.
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/parallel.h"
#include "engine/vocabulary.h"
#include "storage/checkpoint/checkpoint.h"
#include "storage/encoding/anchor.h"
#include "storage/encoding/record_codec.h"
#include "storage/log/log_reader.h"
#include "storage/log/payload_store.h"
#include "storage/log/rocks_db.h"
#include "storage/verify/verify.h"
#include "tests/support/change_files.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

constexpr std::uint64_t kBatches = 24;

using Bytes = std::span<std::uint8_t>;

void Get(Rocks& rocks, rocksdb::ColumnFamilyHandle* family, const std::string& key,
         std::string* value) {
  EXPECT_TRUE(rocks.db()->Get({}, family, key, value).ok());
}
void Put(Rocks& rocks, rocksdb::ColumnFamilyHandle* family, const std::string& key,
         const std::string& value) {
  EXPECT_TRUE(rocks.db()->Put({}, family, key, value).ok());
}

Manifest Newest(Rocks& rocks) {
  std::string value;
  Get(rocks, rocks.checkpoint(), SectionKey(1, kManifestSection), &value);
  return *DecodeManifest(AsBytes(std::string_view(value)), "manifest");
}
void Store(Rocks& rocks, Manifest& m, Anchor& anchor) {
  Put(rocks, rocks.checkpoint(), SectionKey(m.id, kManifestSection), EncodeManifest(m));
  anchor.checkpoint_digest = m.digest;
  anchor.checkpoint_sequence = m.sequence;
}

// Changes of a database's files, with the digests that a liar can compute.
using Change = std::function<void(Rocks&, Anchor&)>;

Change OfManifest(const std::function<void(Manifest&)>& change) {
  return [=](Rocks& rocks, Anchor& anchor) {
    Manifest m = Newest(rocks);
    change(m);
    Store(rocks, m, anchor);
  };
}

// Of the bytes of the first section of an array.
Change OfArray(ArrayId array, const std::function<void(Bytes)>& change) {
  return [=](Rocks& rocks, Anchor& anchor) {
    Manifest m = Newest(rocks);
    std::uint32_t section = 0;
    for (const ArraySpec& spec : m.arrays) {
      if (spec.array == static_cast<std::uint16_t>(array) && spec.element == 0) break;
      section += static_cast<std::uint32_t>(m.section_count(spec));
    }
    ASSERT_LT(section, m.section_digests.size()) << "no such array in the test database";
    std::string value;
    Get(rocks, rocks.checkpoint(), SectionKey(m.id, section), &value);
    std::vector<std::uint64_t> aligned((value.size() + 7) / 8);
    std::memcpy(aligned.data(), value.data(), value.size());
    const Bytes bytes(reinterpret_cast<std::uint8_t*>(aligned.data()), value.size());
    auto view = Must(DecodeSection(bytes, "section"));
    const auto begin = static_cast<std::size_t>(view.bytes.data() - bytes.data());
    change(bytes.subspan(begin, view.bytes.size()));
    m.section_digests[section] = Digest(bytes);
    Put(rocks, rocks.checkpoint(), SectionKey(m.id, section), {bytes.begin(), bytes.end()});
    Store(rocks, m, anchor);
  };
}

// Of record `at`; with `chain` every later running hash follows.
Change OfRecord(Sequence at, bool chain, const std::function<void(DecodedRecord&)>& change) {
  return [=](Rocks& rocks, Anchor& anchor) {
    std::uint64_t hash = FirstHash(anchor.graph_id);
    for (Sequence s = 1; s <= kBatches; ++s) {
      std::string value;
      Get(rocks, rocks.log(), LogKey(s), &value);
      auto decoded = Must(DecodeRecord(AsBytes(std::string_view(value)), "record"));
      if (s == at) change(decoded);
      if (s == at || (chain && s > at)) {
        auto encoded = Must(EncodeRecord(decoded.record, decoded.payloads, hash));
        Put(rocks, rocks.log(), LogKey(s), encoded.bytes);
        hash = encoded.running_hash;
      } else {
        hash = decoded.head.running_hash;
      }
    }
    if (chain) anchor.log_hash = hash;
  };
}

// Changes the value at `index` of an array.
template <class T, class Function>
std::function<void(Bytes)> At(std::size_t index, Function change) {
  return [=](Bytes bytes) {
    T value;
    std::memcpy(&value, &bytes[index * sizeof(T)], sizeof(T));
    value = static_cast<T>(change(value));
    std::memcpy(&bytes[index * sizeof(T)], &value, sizeof(T));
  };
}
template <class T>
std::function<void(Bytes)> Add(std::size_t index, T delta) {
  return At<T>(index, [=](T value) { return value + delta; });
}
template <class T>
void Swap(Bytes bytes, std::size_t i, std::size_t j) {
  std::swap_ranges(&bytes[i * sizeof(T)], &bytes[i * sizeof(T)] + sizeof(T), &bytes[j * sizeof(T)]);
}
void AddOneToEach(Bytes bytes) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(float); ++i) Add<float>(i, 1)(bytes);
}
// The first two bits, but for bit 0, of which one is a step and the other none, change places.
std::uint64_t MoveAStep(std::uint64_t bits) {
  const std::uint64_t ends = (bits ^ bits >> 1) & ~std::uint64_t{1};
  const std::uint64_t first = ends & (~ends + 1);
  return bits ^ (first | first << 1);
}

// Meanwhile edges are compared in as many parts as there may be.
class PartsOf16 {
 public:
  explicit PartsOf16(bool in_parts) {
    if (in_parts) arcs_of_part = 1;
  }
  PartsOf16(const PartsOf16&) = delete;
  PartsOf16& operator=(const PartsOf16&) = delete;
  ~PartsOf16() { arcs_of_part = before_; }

 private:
  const std::uint64_t before_ = arcs_of_part;
};

class VerifyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    OpenOptions options = Create();
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto db = MustOpen(scratch_.path(), options);
    ApplyScript(*db, 1, 18);
    PLEXUS_OK(db->Checkpoint());
    ApplyScript(*db, 19, kBatches);
    PLEXUS_OK(db->Close());
  }
  // A copy of the files, changed, whose anchor fits.
  std::string Changed(const std::vector<Change>& changes) {
    const std::string copy = scratch_.path("copy");
    CopyTree(scratch_.path(), copy);
    for (const Change& change : changes)
      ChangeFiles(copy, [&](const std::shared_ptr<Rocks>& rocks, Anchor& anchor) {
        change(*rocks, anchor);
      });
    return copy;
  }

  ScratchDirectory scratch_;
};

TEST_F(VerifyTest, WholeDatabaseHasNoProblems) {
  auto db = MustOpen(scratch_.path());
  auto report = Must(db->Verify());
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.records, kBatches);
  EXPECT_EQ(report.checkpoints, 1u);
  EXPECT_GT(report.payloads, 0u);
  EXPECT_GT(report.sections, 10u);
  EXPECT_GT(report.nodes, 0u);
  EXPECT_GT(report.edges, 0u);
  EXPECT_GT(report.vectors, 0u);
  EXPECT_GT(report.bytes, 0u);
}

TEST_F(VerifyTest, NoChangeIsNoProblem) {
  const std::string copy = Changed(
      {OfArray(ArrayId::kOutWeights, [](Bytes) {}), OfRecord(5, true, [](DecodedRecord&) {})});
  ExpectSound(*MustOpen(copy, ReadOnly()));
}

// None gets past open and verify.
TEST_F(VerifyTest, EveryLieIsFound) {
  const auto heavier = [](DecodedRecord& d) { d.record.edges[0].weight += 1; };
  const auto payload = [](std::uint32_t ordinal, std::string bytes) -> Change {
    return [=](Rocks& rocks, Anchor&) {
      Put(rocks, rocks.payload(), PayloadKey(5, ordinal),
          EncodePayload(PayloadRef::Make(5, ordinal), bytes));
    };
  };
  const struct {
    const char* name;
    std::vector<Change> changes;
    const char* where;
  } lies[] = {
      {"weight out", {OfArray(ArrayId::kOutWeights, Add<float>(3, 0.5f))}, "in_neighbors"},
      {"both weights",
       {OfArray(ArrayId::kOutWeights, AddOneToEach), OfArray(ArrayId::kInWeights, AddOneToEach)},
       "out_weights"},
      {"in place of another arc",
       {OfArray(ArrayId::kInPlaces, Add<std::uint8_t>(0, 1))},
       "in_places"},
      {"in place out of its row",
       {OfArray(ArrayId::kInPlaces, [](Bytes b) { b[0] = 255; })},
       "in_places"},
      {"neighbor out of range",
       {OfArray(ArrayId::kOutNeighbors, Add<std::uint32_t>(2, 100'000))},
       "out_neighbors"},
      {"offsets descend", {OfArray(ArrayId::kOutOffsets, Add<std::uint32_t>(1, 50))}, "out_"},
      {"weight not finite",
       {OfArray(ArrayId::kOutWeights,
                At<float>(0, [](float) { return std::numeric_limits<float>::quiet_NaN(); }))},
       "out_weights"},
      {"weight code",
       {OfArray(ArrayId::kOutWeightCodes, [](Bytes b) { b[0] = b[0] == 0; })},
       "in_neighbors"},
      {"weight code without a value",
       {OfArray(ArrayId::kInWeightCodes, [](Bytes b) { b[0] = 255; })},
       "in_weight_codes"},
      {"unknown edge kind", {OfArray(ArrayId::kOutKinds, [](Bytes b) { b[0] = 50; })}, "out_"},
      {"created at", {OfArray(ArrayId::kOutTimes, Add<std::int64_t>(4, 1))}, "out_created_at"},
      {"a step elsewhere",
       {OfArray(ArrayId::kOutTimeSteps, At<std::uint64_t>(0, MoveAStep))},
       "out_created_at"},
      {"no first time",
       {OfArray(ArrayId::kOutTimeSteps, Add<std::uint8_t>(0, 255))},
       "out_time_steps"},
      {"node flag",
       {OfArray(ArrayId::kNodeFlags, [](Bytes b) { *std::ranges::find(b, 1) = 0; })},
       "node counts"},
      {"column value",
       {OfArray(ArrayId::kColumn,
                [](Bytes b) {
                  std::uint64_t bits = kAbsentF64;
                  std::size_t i = 0;
                  for (; bits == kAbsentF64; ++i) std::memcpy(&bits, &b[8 * i], 8);
                  Add<double>(i - 1, 0.125)(b);
                })},
       "trust"},
      {"key byte", {OfArray(ArrayId::kKeyBytes, [](Bytes b) { b[0] = 'q'; })}, "key_bytes"},
      {"label",
       {OfArray(ArrayId::kLabels,
                At<std::uint32_t>(0, [](std::uint32_t label) { return label == 1 ? 2 : 1; }))},
       "labels"},
      {"payload reference",
       {OfArray(ArrayId::kPayloadRefs,
                [](Bytes b) { Swap<std::uint64_t>(b, 0, b.size() / 8 - 1); })},
       "payload_refs"},
      {"vector reference",
       {OfArray(ArrayId::kVectorRefs, [](Bytes b) { std::ranges::copy(b.last(8), b.begin()); })},
       "vector_refs"},
      {"edge count", {OfManifest([](Manifest& m) { ++m.edges_by_kind[2]; })}, "edges_by_kind"},
      {"manifest's time", {OfManifest([](Manifest& m) { --m.time_ms; })}, "time"},
      {"manifest's hash", {OfManifest([](Manifest& m) { m.log_hash ^= 1; })}, "another log"},
      {"huge counts",
       {OfManifest([](Manifest& m) {
         for (ArraySpec& spec : m.arrays)
           if (spec.array == static_cast<std::uint16_t>(ArrayId::kOutNeighbors))
             spec.count = 1ull << 38;
       })},
       "manifest"},
      {"record lost",
       {[](Rocks& rocks, Anchor&) {
         EXPECT_TRUE(rocks.db()->Delete({}, rocks.log(), LogKey(7)).ok());
       }},
       "log record 7"},
      {"records swapped",
       {[](Rocks& rocks, Anchor&) {
         std::string a, b;
         Get(rocks, rocks.log(), LogKey(6), &a);
         Get(rocks, rocks.log(), LogKey(7), &b);
         Put(rocks, rocks.log(), LogKey(6), b);
         Put(rocks, rocks.log(), LogKey(7), a);
       }},
       "log record 6"},
      {"record, its digest", {OfRecord(8, false, heavier)}, "log record 9"},
      {"record, the whole chain", {OfRecord(8, true, heavier)}, "another log"},
      {"record with a value out of range",
       {OfRecord(20, true, [](DecodedRecord& d) { d.record.edges[0].target = 1'000'000; })},
       "record 20"},
      {"payload, its digest", {payload(0, "forged")}, "payload (5, 0)"},
      {"payload lost",
       {[](Rocks& rocks, Anchor&) {
         EXPECT_TRUE(rocks.db()->Delete({}, rocks.payload(), PayloadKey(5, 0)).ok());
       }},
       "payload (5, 0)"},
      {"payload under another key",
       {[](Rocks& rocks, Anchor&) {
         std::string value;
         Get(rocks, rocks.payload(), PayloadKey(5, 0), &value);
         Put(rocks, rocks.payload(), PayloadKey(6, 0), value);
       }},
       "payload (6, 0)"},
      {"stray payload", {payload(900, "x")}, "payload (5, 900)"},
  };
  for (const auto& [name, changes, where] : lies) {
    SCOPED_TRACE(name);
    const std::string copy = Changed(changes);
    auto db = Database::Open(copy, ReadOnly());
    if (!db) {
      EXPECT_TRUE(FailsWith(db, ErrorCode::kCorruption, where));
      continue;
    }
    for (const bool in_parts : {false, true}) {
      const PartsOf16 parts(in_parts);
      auto report = Must((*db)->Verify());
      EXPECT_FALSE(report.ok);
      std::string all;
      for (const VerifyProblem& p : report.problems) all += p.where + ": " + p.what + "\n";
      EXPECT_NE(all.find(where), std::string::npos) << (in_parts ? "in parts\n" : "") << all;
    }
  }
}

TEST_F(VerifyTest, CyclesOfAcyclicKindsAreNotes) {
  auto db = MustOpen(scratch_.path());
  WriteBatch batch(100'000);
  batch.Link(batch.Node("x"), EdgeKindRef(kDependsOn), batch.Node("y"));
  batch.Link(batch.Node("y"), EdgeKindRef(kDependsOn), batch.Node("x"));
  PLEXUS_OK(db->graph().Apply(batch));
  auto report = Must(db->Verify());
  EXPECT_TRUE(report.ok);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_NE(report.notes[0].find("depends_on"), std::string::npos);
}

// Rows of more than 256 arcs have no places, but their pieces in parts do, and so does what is left
// of them.
TEST_F(VerifyTest, LongRowsAreSoundInParts) {
  auto db = MustOpen(scratch_.path());
  const auto edges = [](std::int64_t time, int first, int last, auto&& each) {
    WriteBatch batch(time);
    const NodeRef hub = batch.UpsertNode("hub");
    for (int i = first; i < last; ++i)
      each(batch, hub, batch.UpsertNode("leaf" + std::to_string(i)), "l" + std::to_string(i % 3));
    return batch;
  };
  const auto link = [](WriteBatch& batch, NodeRef from, NodeRef to, const std::string& label) {
    for (const std::string& l : {std::string(), label})
      for (const EdgeKindId kind : {kSupports, kDependsOn})
        batch.Link({.source = from, .target = to, .kind = EdgeKindRef(kind), .label = l});
    batch.Link(to, EdgeKindRef(kSupports), from);
  };
  const auto unlink = [](WriteBatch& batch, NodeRef from, NodeRef to, const std::string& label) {
    batch.Unlink(from, EdgeKindRef(kSupports), to, label);
    batch.Unlink(from, EdgeKindRef(kDependsOn), to);
  };
  const auto expect_sound = [&] {
    PLEXUS_OK(db->Checkpoint());
    ExpectSound(*db);
    const PartsOf16 parts(true);
    ExpectSound(*db);
    const std::string dump = Dump(db->snapshot());
    PLEXUS_OK(db->Close());
    db = MustOpen(scratch_.path());
    EXPECT_EQ(Dump(db->snapshot()), dump);
  };
  PLEXUS_OK(db->graph().Apply(edges(300'000, 0, 100, link)));
  expect_sound();  // 400 arcs
  PLEXUS_OK(db->graph().Apply(edges(301'000, 0, 90, unlink)));
  expect_sound();  // 220
  PLEXUS_OK(db->graph().Apply(edges(302'000, 80, 110, link)));
  expect_sound();  // 280
}

// More arcs than are replayed as runs.
TEST_F(VerifyTest, TheReplayMayBeCompactedOnItsWay) {
  auto db = MustOpen(scratch_.path());
  std::mt19937_64 random(5);
  for (int i = 1; i <= 60; ++i) {
    WriteBatch batch(200'000 + i * 1000);
    const auto node = [&](const char* letter) {
      return batch.UpsertNode(letter + std::to_string(random() % 500));
    };
    for (int e = 0; e < 400; ++e) {
      const NodeRef source = node("e"), target = node("f");  // no loops
      batch.Link(source, EdgeKindRef(random() % 2 ? kSupports : kDependsOn), target);
    }
    if (i % 7 == 0) batch.RemoveNode(batch.Node("e" + std::to_string(i)));
    PLEXUS_OK(db->graph().Apply(batch));
    if (i == 30) {
      PLEXUS_OK(db->Checkpoint());
    }
  }
  EXPECT_GT(Must(db->snapshot().Compacted(DefaultExecutor())).base().arc_count(), 16'384u);
  const auto expect_sound = [&] {
    ExpectSound(*db);
    const PartsOf16 parts(true);
    ExpectSound(*db);
  };
  expect_sound();
  PLEXUS_OK(db->Checkpoint());
  expect_sound();
  PLEXUS_OK(db->Trim(db->snapshot().sequence() - 25));
  expect_sound();
}

}  // namespace
}  // namespace plexus::storage_internal::testing
