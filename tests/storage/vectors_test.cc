// Vectors of a database that was opened: the same bits, read on first use and not before.
#include <atomic>
#include <cstring>
#include <map>
#include <thread>

#include "tests/support/change_files.h"
#include "tests/support/store_test_util.h"
#include "tests/support/vector_values.h"

namespace plexus::storage_internal::testing {
namespace {

constexpr std::uint32_t kDimensions = 20;
constexpr NodeId kNodes = 200;
using Vectors = std::map<std::string, std::vector<float>>;

std::string Key(NodeId i) { return "node" + std::to_string(i); }

std::vector<float> Random(std::mt19937_64& random) {
  std::vector<float> values(kDimensions);
  for (float& v : values) v = static_cast<float>(random() % 2'000'003) / 1'000'001.5f - 1;
  return values;
}

// Spaces of f32 and of f16 go through the same cases.
class LazyVectors : public ::testing::TestWithParam<VectorElement> {
 protected:
  static VectorElement element() { return GetParam(); }
  static void Set(Database& db, Vectors& want, NodeId from, NodeId to, std::uint64_t seed);
  static Vectors Fill(const std::string& directory, bool checkpoint_on_close,
                      Vectors* at_checkpoint = nullptr);
};
INSTANTIATE_TEST_SUITE_P(Elements, LazyVectors, ::testing::ValuesIn(kVectorElements),
                         [](const auto& it) { return std::string(VectorElementName(it.param)); });

void LazyVectors::Set(Database& db, Vectors& want, NodeId from, NodeId to, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  WriteBatch batch(static_cast<std::int64_t>(1000 * seed));
  if (db.snapshot().schema().spaces().empty())
    batch.DefineSpace({"s", kDimensions, Metric::kCosine, Prefilter::kNone, element()});
  for (NodeId i = from; i < to; ++i) {
    const NodeRef node = batch.UpsertNode(Key(i));
    batch.SetPayload(node, NodeField::kText, "text of " + Key(i));
    const std::vector<float> values = Random(random);
    want[Key(i)] = plexus::testing::Rounded(values, element());
    batch.SetVector(node, batch.SpaceNamed("s"), values);
  }
  PLEXUS_OK(db.graph().Apply(batch));
}

void Link(Database& db, NodeId a, NodeId b) {
  WriteBatch batch(db.snapshot().time_ms() + 1);
  batch.Link(batch.UpsertNode(Key(a)), batch.EdgeKindNamed("relates_to"), batch.UpsertNode(Key(b)),
             0.5f);
  PLEXUS_OK(db.graph().Apply(batch));
}

bool Loaded(const Snapshot& s) { return s.space(SpaceId{})->loaded(); }

void ExpectVectors(const Snapshot& s, const Vectors& want) {
  auto view = Must(s.vectors(SpaceId{}));
  EXPECT_EQ(view->live_count(), want.size());
  for (NodeId v = 0; v < s.node_count(); ++v) {
    const auto it = want.find(std::string(s.key(v)));
    ASSERT_EQ(view->has(v), it != want.end()) << s.key(v);
    const auto got = plexus::testing::VectorOf(*view, v);
    if (it == want.end()) {
      EXPECT_TRUE(got.empty());
    } else {
      ASSERT_EQ(std::memcmp(got.data(), it->second.data(), kDimensions * sizeof(float)), 0)
          << s.key(v);
    }
  }
}

// A checkpoint with vectors, then a tail that replaces, removes and adds.
Vectors LazyVectors::Fill(const std::string& directory, bool checkpoint_on_close,
                          Vectors* at_checkpoint) {
  OpenOptions options = Create();
  options.checkpoint_on_close =
      checkpoint_on_close ? CheckpointOnClose::kAlways : CheckpointOnClose::kNever;
  auto db = MustOpen(directory, options);
  Vectors want;
  Set(*db, want, 0, kNodes, 1);
  EXPECT_TRUE(db->Checkpoint());
  if (at_checkpoint) *at_checkpoint = want;
  Set(*db, want, 10, 20, 2);
  Set(*db, want, kNodes, kNodes + 10, 3);
  WriteBatch batch(9000);
  for (NodeId i = 15; i < 30; ++i) {
    batch.ClearVector(batch.Node(Key(i)), batch.SpaceNamed("s"));
    want.erase(Key(i));
  }
  EXPECT_TRUE(db->graph().Apply(batch));
  ExpectVectors(db->snapshot(), want);
  EXPECT_TRUE(db->Close());
  return want;
}

TEST_P(LazyVectors, SameBitsAfterReopeningReadOnFirstUse) {
  for (const bool checkpoint : {true, false})
    for (const bool read_only : {true, false}) {
      ScratchDirectory scratch;
      const Vectors want = Fill(scratch.path(), checkpoint);
      auto db = MustOpen(scratch.path(), read_only ? ReadOnly() : OpenOptions{});
      const Snapshot s = db->snapshot();
      EXPECT_FALSE(Loaded(s));
      EXPECT_EQ(s.space(SpaceId{})->live_count(), want.size());
      EXPECT_TRUE(s.Payload(0, NodeField::kText));
      EXPECT_FALSE(Loaded(s)) << "reading something else";
      ExpectVectors(s, want);
      EXPECT_TRUE(Loaded(db->snapshot())) << "once for all snapshots";
    }
}

// Links, imports without vectors, checkpoints and closes read no vector.
TEST_P(LazyVectors, WritingReadsNone) {
  ScratchDirectory scratch;
  Vectors want = Fill(scratch.path(), true);
  for (NodeId round = 0; round < 3; ++round) {
    auto db = MustOpen(scratch.path());
    Link(*db, round, round + 1);
    Set(*db, want, 1000 + round, 1001 + round, 50 + round);  // a new one
    Set(*db, want, 100 + round, 101 + round, 60 + round);    // one replaced
    PLEXUS_OK(db->Checkpoint());
    Link(*db, round, round + 2);
    EXPECT_FALSE(Loaded(db->snapshot()));
    if (round == 1) ExpectVectors(db->snapshot(), want);
    PLEXUS_OK(db->Close());
  }
  auto db = MustOpen(scratch.path());
  EXPECT_FALSE(Loaded(db->snapshot()));
  ExpectVectors(db->snapshot(), want);
  auto report = Must(db->Verify());
  EXPECT_TRUE(report.ok) << report.problems[0].where << ": " << report.problems[0].what;
  EXPECT_EQ(report.vectors, want.size());
}

// The same vector again is no change, whether it is loaded or not.
TEST_P(LazyVectors, TheSameVectorAgainIsNoChange) {
  ScratchDirectory scratch;
  const Vectors want = Fill(scratch.path(), true);
  auto db = MustOpen(scratch.path());
  for (const NodeId count : {3u, 200u}) {
    WriteBatch batch(20'000);
    std::uint64_t given = 0;
    for (NodeId i = 40; i < kNodes && given < count; ++i, ++given)
      batch.SetVector(batch.Node(Key(i)), batch.SpaceNamed("s"), want.at(Key(i)));
    auto applied = Must(db->graph().Apply(batch));
    EXPECT_EQ(applied.vectors.same, given);
    EXPECT_EQ(Loaded(db->snapshot()), count > 3) << "few are read one by one, many as a whole";
  }
  ExpectVectors(db->snapshot(), want);
}

TEST_P(LazyVectors, FourThreadsReadFirst) {
  ScratchDirectory scratch;
  const Vectors want = Fill(scratch.path(), true);
  auto db = MustOpen(scratch.path());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { ExpectVectors(db->snapshot(), want); });
  for (NodeId i = 0; i < 5; ++i) Link(*db, i, i + 1);
  for (auto& t : threads) t.join();
}

TEST_P(LazyVectors, ThePastHasItsOwn) {
  ScratchDirectory scratch;
  Vectors first;
  const Vectors want = Fill(scratch.path(), true, &first);
  auto db = MustOpen(scratch.path());
  auto past = Must(db->AsOf(1));
  EXPECT_FALSE(Loaded(past));
  ExpectVectors(past, first);
  EXPECT_FALSE(Loaded(db->snapshot()));
  ExpectVectors(db->snapshot(), want);
}

// Purged bytes are gone for snapshots that had not read them; the rest is served.
TEST_P(LazyVectors, PurgedMeanwhile) {
  for (const bool hard : {false, true}) {
    ScratchDirectory scratch;
    Vectors want = Fill(scratch.path(), true);
    auto db = MustOpen(scratch.path());
    auto reader = MustOpen(scratch.path(), ReadOnly());
    const Snapshot held = db->snapshot();
    const NodeId node = *held.Find(Key(50));
    const std::string key = Key(50);
    if (hard) {
      PLEXUS_OK(db->HardPurge({&node, 1}));
    } else {
      PLEXUS_OK(db->Purge({{key}}, 30'000));
    }
    want.erase(key);
    EXPECT_FALSE(Loaded(held));
    ExpectVectors(held, want);
    ExpectVectors(db->snapshot(), want);
    // A reader of another process has the files it opened: all or all but the purged one.
    EXPECT_TRUE(reader->snapshot().vectors(SpaceId{}));
    PLEXUS_OK(reader->Refresh());
    EXPECT_FALSE(reader->snapshot().space(SpaceId{})->has(node));
    ExpectSound(*db);
    PLEXUS_OK(db->Close());
    db = MustOpen(scratch.path());
    EXPECT_FALSE(Loaded(db->snapshot()));
    EXPECT_FALSE(db->snapshot().space(SpaceId{})->has(node));
    auto view = Must(db->snapshot().vectors(SpaceId{}));
    EXPECT_EQ(view->live_count(), want.size());
  }
}

// After a trim the present is whole; a snapshot that needs what was dropped says so.
TEST_P(LazyVectors, Trimmed) {
  ScratchDirectory scratch;
  Vectors want = Fill(scratch.path(), true);
  auto db = MustOpen(scratch.path());
  const Snapshot held = db->snapshot();
  Set(*db, want, 100, 102, 70);
  PLEXUS_OK(db->Trim(db->snapshot().sequence()));
  EXPECT_FALSE(Loaded(held));
  EXPECT_TRUE(FailsWith(held.vectors(SpaceId{}), ErrorCode::kFailedPrecondition, "trimmed"));
  ExpectVectors(db->snapshot(), want);
  PLEXUS_OK(db->Backup(scratch.path("copy")));
  PLEXUS_OK(db->Close());
  PLEXUS_OK(Database::Restore(scratch.path("copy"), scratch.path("back")));
  for (const char* name : {"db", "copy", "back"})
    ExpectVectors(MustOpen(scratch.path(name))->snapshot(), want);
}

TEST_P(LazyVectors, AClosedDatabaseSaysSo) {
  ScratchDirectory scratch;
  const Vectors want = Fill(scratch.path(), true);
  auto db = MustOpen(scratch.path());
  const Snapshot s = db->snapshot();
  PLEXUS_OK(db->Close());
  EXPECT_TRUE(FailsWith(s.vectors(SpaceId{}), ErrorCode::kFailedPrecondition));
  // Read before the close they stay.
  db = MustOpen(scratch.path());
  const Snapshot kept = db->snapshot();
  PLEXUS_OK(kept.vectors(SpaceId{}));
  PLEXUS_OK(db->Close());
  ExpectVectors(kept, want);
}

// Damage shows on first use, with its place; what does not need it is served.
TEST_P(LazyVectors, DamageIsNamedOnFirstUse) {
  for (const bool missing : {false, true}) {
    ScratchDirectory scratch;
    const Vectors want = Fill(scratch.path(), true);
    PayloadRef ref;
    {
      auto db = MustOpen(scratch.path(), ReadOnly());
      ref = db->snapshot().space(SpaceId{})->ref(*db->snapshot().Find(Key(77)));
    }
    ChangeFiles(scratch.path(), [&](const std::shared_ptr<Rocks>& rocks, Anchor&) {
      const std::string key = PayloadKey(ref.sequence(), ref.ordinal());
      std::string value;
      ASSERT_TRUE(rocks->db()->Get({}, rocks->payload(), key, &value).ok());
      value[20] = static_cast<char>(value[20] ^ 1);
      ASSERT_TRUE((missing ? rocks->db()->Delete({}, rocks->payload(), key)
                           : rocks->db()->Put({}, rocks->payload(), key, value))
                      .ok());
    });
    auto db = MustOpen(scratch.path());
    EXPECT_TRUE(db->snapshot().Payload(0, NodeField::kText));
    Link(*db, 1, 2);
    const auto view = db->snapshot().vectors(SpaceId{});
    ASSERT_TRUE(FailsWith(view, ErrorCode::kCorruption));
    const std::string place =
        "payload (" + std::to_string(ref.sequence()) + ", " + std::to_string(ref.ordinal()) + ")";
    EXPECT_NE(view.error().message.find(place), std::string::npos) << view.error().message;
    auto report = Must(db->Verify());
    EXPECT_FALSE(report.ok);
    // Written anew it is whole again.
    Vectors mended = want;
    Set(*db, mended, 300, 301, 80);
    WriteBatch batch(50'000);
    batch.ClearVector(batch.Node(Key(77)), batch.SpaceNamed("s"));
    mended.erase(Key(77));
    PLEXUS_OK(db->graph().Apply(batch));
    ExpectVectors(db->snapshot(), mended);
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
