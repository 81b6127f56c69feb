// Verify finds what digests cannot: mutations made with every checksum recomputed.
//
// Each mutation opens the closed files with RocksDB, changes something, recomputes
// section digests, manifest, record digests or payload digests as a careful liar
// would, and lists the files anew in the anchor. Opening may refuse it; if not,
// verify must report it.
#include <cstring>
#include <functional>

#include "engine/vocabulary.h"
#include "storage/checkpoint/checkpoint.h"
#include "storage/encoding/anchor.h"
#include "storage/encoding/record_codec.h"
#include "storage/log/log_reader.h"
#include "storage/log/payload_store.h"
#include "storage/log/rocks_db.h"
#include "tests/support/change_files.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

constexpr std::uint64_t kBatches = 24;

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

  // Opens the files, lets `change` loose, closes, and makes the anchor fit again.
  void Mutate(const std::function<void(Rocks&, Anchor&)>& change) {
    ChangeFiles(scratch_.path(), [&](const std::shared_ptr<Rocks>& rocks, Anchor& anchor) {
      change(*rocks, anchor);
    });
  }

  void MutateManifest(const std::function<void(Manifest&)>& change) {
    Mutate([&](Rocks& rocks, Anchor& anchor) {
      Manifest m = Newest(rocks);
      change(m);
      Store(rocks, m, anchor);
    });
  }

  // Changes the bytes of the first section of an array, all digests recomputed.
  void MutateArray(ArrayId array, const std::function<void(std::uint8_t*, std::size_t)>& change,
                   std::uint16_t element = 0) {
    Mutate([&](Rocks& rocks, Anchor& anchor) {
      Manifest m = Newest(rocks);
      std::uint32_t section = 0;
      for (const ArraySpec& spec : m.arrays) {
        if (spec.array == static_cast<std::uint16_t>(array) && spec.element == element) break;
        section += static_cast<std::uint32_t>(m.section_count(spec));
      }
      ASSERT_LT(section, m.section_digests.size()) << "no such array in the test database";
      std::string value;
      ASSERT_TRUE(rocks.db()->Get({}, rocks.checkpoint(), SectionKey(m.id, section), &value).ok());
      std::vector<std::uint64_t> aligned((value.size() + 7) / 8);
      std::memcpy(aligned.data(), value.data(), value.size());
      auto* bytes = reinterpret_cast<std::uint8_t*>(aligned.data());
      auto view = DecodeSection({bytes, value.size()}, "section");
      PLEXUS_OK(view);
      change(bytes + (view->bytes.data() - bytes), view->bytes.size());
      m.section_digests[section] = Digest({bytes, value.size()});
      ASSERT_TRUE(rocks.db()
                      ->Put({}, rocks.checkpoint(), SectionKey(m.id, section),
                            rocksdb::Slice(reinterpret_cast<char*>(bytes), value.size()))
                      .ok());
      Store(rocks, m, anchor);
    });
  }

  static Manifest Newest(Rocks& rocks) {
    std::string value;
    EXPECT_TRUE(
        rocks.db()->Get({}, rocks.checkpoint(), SectionKey(1, kManifestSection), &value).ok());
    return *DecodeManifest(AsBytes(std::string_view(value)), "manifest");
  }
  static void Store(Rocks& rocks, Manifest& m, Anchor& anchor) {
    EXPECT_TRUE(
        rocks.db()
            ->Put({}, rocks.checkpoint(), SectionKey(m.id, kManifestSection), EncodeManifest(m))
            .ok());
    anchor.checkpoint_digest = m.digest;
    anchor.checkpoint_sequence = m.sequence;
  }

  // Replaces record `at` (and its digest); with `chain` every later running hash too.
  void MutateRecord(Sequence at, bool chain, const std::function<void(DecodedRecord&)>& change) {
    Mutate([&](Rocks& rocks, Anchor& anchor) {
      std::uint64_t hash = FirstHash(anchor.graph_id);
      for (Sequence s = 1; s <= kBatches; ++s) {
        std::string value;
        ASSERT_TRUE(rocks.db()->Get({}, rocks.log(), LogKey(s), &value).ok());
        auto decoded = DecodeRecord(AsBytes(std::string_view(value)), "record");
        PLEXUS_OK(decoded);
        if (s == at) change(*decoded);
        if (s == at || (chain && s > at)) {
          auto encoded = EncodeRecord(decoded->record, decoded->payloads, hash);
          PLEXUS_OK(encoded);
          ASSERT_TRUE(rocks.db()->Put({}, rocks.log(), LogKey(s), encoded->bytes).ok());
          hash = encoded->running_hash;
        } else {
          hash = decoded->head.running_hash;
        }
      }
      if (chain) anchor.log_hash = hash;
    });
  }

  // The mutation must not get past open and verify.
  void ExpectFound(const std::string& where) {
    auto db = Database::Open(scratch_.path(), ReadOnly());
    if (!db) {
      EXPECT_EQ(db.error().code, ErrorCode::kCorruption) << db.error().ToString();
      EXPECT_NE(db.error().message.find(where), std::string::npos) << db.error().message;
      return;
    }
    auto report = (*db)->Verify();
    PLEXUS_OK(report);
    EXPECT_FALSE(report->ok);
    std::string all;
    for (const VerifyProblem& p : report->problems) all += p.where + ": " + p.what + "\n";
    EXPECT_NE(all.find(where), std::string::npos) << all;
  }

  ScratchDirectory scratch_;
};

template <class T>
void AddTo(std::uint8_t* bytes, std::size_t index, T delta) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  value = static_cast<T>(value + delta);
  std::memcpy(bytes + index * sizeof(T), &value, sizeof(T));
}

TEST_F(VerifyTest, WholeDatabaseHasNoProblems) {
  auto db = MustOpen(scratch_.path());
  auto report = db->Verify();
  PLEXUS_OK(report);
  EXPECT_TRUE(report->ok);
  EXPECT_EQ(report->records, kBatches);
  EXPECT_EQ(report->checkpoints, 1u);
  EXPECT_GT(report->payloads, 0u);
  EXPECT_GT(report->sections, 10u);
  EXPECT_GT(report->nodes, 0u);
  EXPECT_GT(report->edges, 0u);
  EXPECT_GT(report->vectors, 0u);
  EXPECT_GT(report->bytes, 0u);
}

TEST_F(VerifyTest, MutationWithoutChangeIsNone) {
  MutateArray(ArrayId::kOutWeights, [](std::uint8_t*, std::size_t) {});
  MutateRecord(5, true, [](DecodedRecord&) {});
  auto db = MustOpen(scratch_.path(), ReadOnly());
  auto report = db->Verify();
  PLEXUS_OK(report);
  EXPECT_TRUE(report->ok) << report->problems[0].where << ": " << report->problems[0].what;
}

TEST_F(VerifyTest, OutWeight) {
  MutateArray(ArrayId::kOutWeights, [](std::uint8_t* b, std::size_t) { AddTo<float>(b, 3, 0.5f); });
  ExpectFound("in_neighbors");
}
TEST_F(VerifyTest, BothWeights) {
  MutateArray(ArrayId::kOutWeights, [](std::uint8_t* b, std::size_t n) {
    for (std::size_t i = 0; i < n / 4; ++i) AddTo<float>(b, i, 1.0f);
  });
  MutateArray(ArrayId::kInWeights, [](std::uint8_t* b, std::size_t n) {
    for (std::size_t i = 0; i < n / 4; ++i) AddTo<float>(b, i, 1.0f);
  });
  ExpectFound("out_weights");
}
TEST_F(VerifyTest, InSlotsSwapped) {
  MutateArray(ArrayId::kInSlots, [](std::uint8_t* b, std::size_t) {
    std::uint32_t x[2];
    std::memcpy(x, b, 8);
    std::swap(x[0], x[1]);
    std::memcpy(b, x, 8);
  });
  ExpectFound("in_neighbors");
}
TEST_F(VerifyTest, InSlotOutOfRange) {
  MutateArray(ArrayId::kInSlots,
              [](std::uint8_t* b, std::size_t) { AddTo<std::uint32_t>(b, 0, 1u << 30); });
  ExpectFound("in_slots");
}
TEST_F(VerifyTest, NeighborOutOfRange) {
  MutateArray(ArrayId::kOutNeighbors,
              [](std::uint8_t* b, std::size_t) { AddTo<std::uint32_t>(b, 2, 100'000); });
  ExpectFound("out_neighbors");
}
TEST_F(VerifyTest, OffsetsDescend) {
  MutateArray(ArrayId::kOutOffsets,
              [](std::uint8_t* b, std::size_t) { AddTo<std::uint32_t>(b, 1, 50); });
  ExpectFound("out_");
}
TEST_F(VerifyTest, WeightNotFinite) {
  MutateArray(ArrayId::kOutWeights, [](std::uint8_t* b, std::size_t) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(b, &nan, 4);
  });
  ExpectFound("out_weights");
}
TEST_F(VerifyTest, UnknownEdgeKind) {
  MutateArray(ArrayId::kOutKinds, [](std::uint8_t* b, std::size_t) { b[0] = 50; });
  ExpectFound("out_");
}
TEST_F(VerifyTest, CreatedAt) {
  MutateArray(ArrayId::kOutCreatedAt,
              [](std::uint8_t* b, std::size_t) { AddTo<std::int64_t>(b, 4, 1); });
  ExpectFound("out_created_at");
}
TEST_F(VerifyTest, NodeFlag) {
  MutateArray(ArrayId::kNodeFlags, [](std::uint8_t* b, std::size_t n) {
    for (std::size_t i = 0; i + 1 < n; ++i)
      if (b[i] == 1) {
        b[i] = 0;
        return;
      }
  });
  ExpectFound("node counts");
}
TEST_F(VerifyTest, ColumnValue) {
  MutateArray(ArrayId::kColumn, [](std::uint8_t* b, std::size_t n) {
    for (std::size_t i = 0; i < n / 8; ++i) {
      double value;
      std::memcpy(&value, b + 8 * i, 8);
      if (value != value) continue;  // absent
      value += 0.125;
      std::memcpy(b + 8 * i, &value, 8);
      return;
    }
  });
  ExpectFound("trust");
}
TEST_F(VerifyTest, KeyByte) {
  MutateArray(ArrayId::kKeyBytes, [](std::uint8_t* b, std::size_t) { b[0] = 'q'; });
  ExpectFound("key_bytes");
}
TEST_F(VerifyTest, Label) {
  MutateArray(ArrayId::kLabels, [](std::uint8_t* b, std::size_t) {
    std::uint32_t label;
    std::memcpy(&label, b, 4);
    label = label == 1 ? 2 : 1;
    std::memcpy(b, &label, 4);
  });
  ExpectFound("labels");
}
TEST_F(VerifyTest, PayloadReference) {
  MutateArray(ArrayId::kPayloadRefs, [](std::uint8_t* b, std::size_t n) {
    std::uint64_t first;
    std::memcpy(&first, b, 8);
    std::memcpy(b, b + n - 8, 8);
    std::memcpy(b + n - 8, &first, 8);
  });
  ExpectFound("payload_refs");
}
TEST_F(VerifyTest, VectorReference) {
  MutateArray(ArrayId::kVectorRefs,
              [](std::uint8_t* b, std::size_t n) { std::memcpy(b, b + n - 8, 8); });
  ExpectFound("vector_refs");
}
TEST_F(VerifyTest, EdgeCount) {
  MutateManifest([](Manifest& m) { ++m.edges_by_kind[2]; });
  ExpectFound("edges_by_kind");
}
TEST_F(VerifyTest, ManifestTime) {
  MutateManifest([](Manifest& m) { --m.time_ms; });
  ExpectFound("time");
}
TEST_F(VerifyTest, ManifestHash) {
  MutateManifest([](Manifest& m) { m.log_hash ^= 1; });
  ExpectFound("another log");
}
TEST_F(VerifyTest, HugeCounts) {
  MutateManifest([](Manifest& m) {
    for (ArraySpec& spec : m.arrays)
      if (spec.array == static_cast<std::uint16_t>(ArrayId::kOutCreatedAt)) spec.count = 1ull << 38;
  });
  ExpectFound("manifest");
}
TEST_F(VerifyTest, RecordLost) {
  Mutate([](Rocks& rocks, Anchor&) {
    ASSERT_TRUE(rocks.db()->Delete({}, rocks.log(), LogKey(7)).ok());
  });
  ExpectFound("log record 7");
}
TEST_F(VerifyTest, RecordsSwapped) {
  Mutate([](Rocks& rocks, Anchor&) {
    std::string a, b;
    ASSERT_TRUE(rocks.db()->Get({}, rocks.log(), LogKey(6), &a).ok());
    ASSERT_TRUE(rocks.db()->Get({}, rocks.log(), LogKey(7), &b).ok());
    ASSERT_TRUE(rocks.db()->Put({}, rocks.log(), LogKey(6), b).ok());
    ASSERT_TRUE(rocks.db()->Put({}, rocks.log(), LogKey(7), a).ok());
  });
  ExpectFound("log record 6");
}
TEST_F(VerifyTest, RecordChangedDigestRecomputed) {
  MutateRecord(8, false, [](DecodedRecord& d) { d.record.edges[0].weight += 1; });
  ExpectFound("log record 9");
}
TEST_F(VerifyTest, RecordChangedWholeChainRecomputed) {
  MutateRecord(8, true, [](DecodedRecord& d) { d.record.edges[0].weight += 1; });
  ExpectFound("another log");
}
TEST_F(VerifyTest, RecordWithAValueOutOfRange) {
  MutateRecord(20, true, [](DecodedRecord& d) { d.record.edges[0].target = 1'000'000; });
  ExpectFound("record 20");
}
TEST_F(VerifyTest, PayloadChangedDigestRecomputed) {
  Mutate([](Rocks& rocks, Anchor&) {
    const PayloadRef ref = PayloadRef::Make(5, 0);
    ASSERT_TRUE(
        rocks.db()->Put({}, rocks.payload(), PayloadKey(5, 0), EncodePayload(ref, "forged")).ok());
  });
  ExpectFound("payload (5, 0)");
}
TEST_F(VerifyTest, PayloadLost) {
  Mutate([](Rocks& rocks, Anchor&) {
    ASSERT_TRUE(rocks.db()->Delete({}, rocks.payload(), PayloadKey(5, 0)).ok());
  });
  ExpectFound("payload (5, 0)");
}
TEST_F(VerifyTest, PayloadUnderAnotherKey) {
  Mutate([](Rocks& rocks, Anchor&) {
    std::string value;
    ASSERT_TRUE(rocks.db()->Get({}, rocks.payload(), PayloadKey(5, 0), &value).ok());
    ASSERT_TRUE(rocks.db()->Put({}, rocks.payload(), PayloadKey(6, 0), value).ok());
  });
  ExpectFound("payload (6, 0)");
}
TEST_F(VerifyTest, StrayPayload) {
  Mutate([](Rocks& rocks, Anchor&) {
    const PayloadRef ref = PayloadRef::Make(5, 900);
    ASSERT_TRUE(
        rocks.db()->Put({}, rocks.payload(), PayloadKey(5, 900), EncodePayload(ref, "x")).ok());
  });
  ExpectFound("payload (5, 900)");
}

TEST_F(VerifyTest, CyclesOfAcyclicKindsAreNotes) {
  auto db = MustOpen(scratch_.path());
  WriteBatch batch(100'000);
  batch.Link(batch.Node("x"), EdgeKindRef(kDependsOn), batch.Node("y"));
  batch.Link(batch.Node("y"), EdgeKindRef(kDependsOn), batch.Node("x"));
  PLEXUS_OK(db->graph().Apply(batch));
  auto report = db->Verify();
  PLEXUS_OK(report);
  EXPECT_TRUE(report->ok);
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_NE(report->notes[0].find("depends_on"), std::string::npos);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
