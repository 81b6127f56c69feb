// A trim that forgets keys: what is live, opened again in any way, of the past, followed and backed
// up agree, and the keys leave memory and files.
#include <random>

#include "engine/monitoring/monitoring.h"
#include "engine/vocabulary.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

constexpr int kNodes = 600;
std::string Key(int i) {
  std::mt19937_64 random(static_cast<std::uint64_t>(i));
  return "key-" + std::to_string(random()) + std::to_string(random());
}

void Make(Database& db, int first, int last) {
  WriteBatch batch(1000);
  for (int i = first; i < last; ++i) {
    const NodeRef node = batch.UpsertNode(Key(i), kMemory);
    batch.SetI64(node, kAccessCount, i);
    batch.Link(node, kHasTag, batch.IndexNode(kTag, "tag" + std::to_string(i % 7)));
    if (i > first) batch.Link(node, kRelatesTo, batch.Node(Key(i - 1)));
  }
  PLEXUS_OK(db.graph().Apply(batch));
}
void Remove(Database& db, int first, int last) {
  WriteBatch batch(2000);
  for (int i = first; i < last; ++i) batch.RemoveNode(batch.Node(Key(i)));
  PLEXUS_OK(db.graph().Apply(batch));
}
Sequence Last(Database& db) { return db.snapshot().sequence(); }

OpenOptions Options() {
  OpenOptions options = Create();
  options.graph.maintenance = Maintenance::kManual;
  options.checkpoint_on_close = CheckpointOnClose::kNever;
  return options;
}

// Of each record from the history floor on.
std::vector<std::string> PastOf(Database& db) {
  std::vector<std::string> dumps;
  for (Sequence s = db.stats().history_floor; s <= Last(db); ++s) {
    auto past = db.AsOf(s);
    EXPECT_TRUE(past) << s;
    dumps.push_back(past ? Dump(*past) : "");
  }
  return dumps;
}

TEST(ForgetKeys, AreGoneFromMemoryFilesAndTheNextLife) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Options());
  Make(*db, 0, kNodes);
  PLEXUS_OK(db->Checkpoint());
  Remove(*db, 10, kNodes);
  Make(*db, 500, 510);  // come back
  PLEXUS_OK(db->Checkpoint());
  Make(*db, kNodes, kNodes + 5);
  const Sequence before = Last(*db);
  const NodeId old = *db->snapshot().Find(Key(20)), back = *db->snapshot().Find(Key(500));
  PLEXUS_OK(db->Trim(2, nullptr, true));  // of then: Make brought ten of them back later
  EXPECT_EQ(Last(*db), before + 1);
  EXPECT_EQ(db->snapshot().Find(Key(20)), std::nullopt);
  EXPECT_TRUE(db->snapshot().key_forgotten(old));
  EXPECT_EQ(db->snapshot().Find(Key(500)), back);
  EXPECT_EQ(db->snapshot().Find(Key(kNodes + 1)).has_value(), true);
  // Of records before the one that forgets, they have their keys.
  EXPECT_EQ(db->AsOf(before)->Find(Key(20)), old);
  const auto history = Must(db->History(old));
  EXPECT_EQ(HistoryWhatName(history.back().what), "key_forgotten");
  ExpectSound(*db);

  Make(*db, 20, 22);  // new nodes with keys of old ones
  const NodeId renewed = *db->snapshot().Find(Key(20));
  EXPECT_GT(renewed, old);
  PLEXUS_OK(db->graph().Compact());
  const std::vector<std::string> past = PastOf(*db);
  // From the checkpoints of before and the log; from one that was written since; read-only.
  for (int round = 0; round < 3; ++round) {
    PLEXUS_OK(db->Close());
    OpenOptions options = round == 1 ? ReadOnly() : Options();
    db = MustOpen(scratch.path(), options);
    EXPECT_EQ(PastOf(*db), past) << round;
    EXPECT_EQ(db->snapshot().Find(Key(20)), renewed);
    EXPECT_EQ(db->snapshot().Find(Key(30)), std::nullopt);
    ExpectSound(*db);
    if (round == 0) PLEXUS_OK(db->Checkpoint());
  }
  PLEXUS_OK(db->Backup(scratch.path("backup")));
  EXPECT_EQ(PastOf(*MustOpen(scratch.path("backup"), ReadOnly())), past);

  EXPECT_FALSE(Found(scratch.path(), {Key(30)}).empty()) << "the floor's checkpoint has it";
  PLEXUS_OK(db->Trim(Last(*db), nullptr, true));
  EXPECT_TRUE(Found(scratch.path(), {Key(30)}).empty());
  ExpectSound(*db);
  PLEXUS_OK(db->Close());
  db = MustOpen(scratch.path(), Options());
  EXPECT_EQ(db->snapshot().Find(Key(20)), renewed);
  EXPECT_TRUE(db->snapshot().key_forgotten(old));
  EXPECT_LT(metrics::MeasureBytes(db->snapshot()).keys, 80'000u)
      << "a page of entries and little else";
  ExpectSound(*db);
}

TEST(ForgetKeys, OnlyWhenAskedAndOnlyFacts) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Options());
  Make(*db, 0, 10);
  Remove(*db, 0, 10);
  {
    WriteBatch batch(2000);
    for (int i = 0; i < 7; ++i) batch.RemoveNode(batch.IndexNode(kTag, "tag" + std::to_string(i)));
    PLEXUS_OK(db->graph().Apply(batch));
  }
  Make(*db, 20, 21);
  const Sequence last = Last(*db);
  PLEXUS_OK(db->Trim(last - 1));
  EXPECT_EQ(Last(*db), last);
  PLEXUS_OK(db->Trim(last, nullptr, true));
  EXPECT_EQ(Last(*db), last + 1);
  EXPECT_FALSE(db->snapshot().Find(Key(3)));
  EXPECT_TRUE(db->snapshot().Find(IndexKey("tag", "tag3")));
}

TEST(ForgetKeys, AReplicaLeavesItToItsSource) {
  ScratchDirectory scratch;
  auto source = MustOpen(scratch.path("source"), Options());
  auto replica = MustOpen(scratch.path("replica"), Options());
  auto view = MustOpen(scratch.path("source"), ReadOnly());
  Make(*source, 0, 50);
  Remove(*source, 0, 40);
  Pull(*source, replica->graph(), 10);
  const Sequence last = Last(*replica);
  PLEXUS_OK(replica->Trim(last, nullptr, true));
  EXPECT_EQ(Last(*replica), last);
  EXPECT_TRUE(replica->snapshot().Find(Key(3)));
  PLEXUS_OK(source->Trim(last, nullptr, true));
  Make(*source, 3, 5);
  Pull(*source, replica->graph(), 10);
  PLEXUS_OK(view->Refresh());
  EXPECT_EQ(Dump(replica->snapshot()), Dump(source->snapshot()));
  EXPECT_EQ(Dump(view->snapshot()), Dump(source->snapshot()));
  EXPECT_EQ(replica->snapshot().Find(Key(3)), source->snapshot().Find(Key(3)));
  ExpectSound(*replica);
  ExpectSound(*view);
}

// Nodes without keys among what a purge rewrites, and forgotten ones purged hard.
TEST(ForgetKeys, BesidePurges) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Options());
  Make(*db, 0, 100);
  const NodeId forgotten = *db->snapshot().Find(Key(5)),
               forgotten_too = *db->snapshot().Find(Key(2));
  Remove(*db, 0, 50);
  PLEXUS_OK(db->Trim(Last(*db), nullptr, true));
  Make(*db, 10, 20);
  const std::string key = Key(60), hard = Key(61);
  PLEXUS_OK(db->Purge({{key}}, 3000));
  ExpectSound(*db);
  for (const NodeId node : {*db->snapshot().Find(hard), forgotten_too}) {
    PLEXUS_OK(db->HardPurge({{node}}));
    ExpectSound(*db);
    const std::string now = Dump(db->snapshot());
    const std::vector<std::string> past = PastOf(*db);
    PLEXUS_OK(db->Close());
    db = MustOpen(scratch.path(), Options());
    EXPECT_EQ(Dump(db->snapshot()), now);
    EXPECT_EQ(PastOf(*db), past);
    EXPECT_TRUE(db->snapshot().key_forgotten(forgotten));
  }
  PLEXUS_OK(db->Trim(Last(*db), nullptr, true));
  EXPECT_TRUE(db->snapshot().key_forgotten(forgotten_too)) << "its placeholder, too";
  Make(*db, 0, 5);
  ExpectSound(*db);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
