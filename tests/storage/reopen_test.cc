// Opening again gives what was there: clean, after many batches, at every point of
// the past, trimmed, in bulk mode.
#include "engine/state.h"
#include "tests/support/store_test_util.h"

#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

constexpr std::uint64_t kBatches = 40;

TEST(Reopen, EmptyDatabase) {
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), Create());
    EXPECT_TRUE(db->report().created);
    PLEXUS_OK(db->Close());
  }
  auto db = MustOpen(scratch.path());
  EXPECT_TRUE(db->report().was_clean);
  EXPECT_FALSE(db->report().created);
  EXPECT_EQ(db->snapshot().sequence(), 0u);
  EXPECT_EQ(db->snapshot().node_count(), 0u);
}

TEST(Reopen, SameAfterEveryKindOfClose) {
  for (const bool checkpoint : {true, false}) {
    ScratchDirectory scratch;
    OpenOptions options = Create();
    options.checkpoint_on_close =
        checkpoint ? CheckpointOnClose::kAlways : CheckpointOnClose::kNever;
    std::string before;
    for (std::uint64_t i = 0; i < kBatches; i += 8) {
      auto db = MustOpen(scratch.path(), options);
      EXPECT_EQ(db->report().was_clean, i > 0);
      if (i > 0) {
        EXPECT_EQ(Dump(db->snapshot()), before);
      }
      EXPECT_EQ(db->report().checkpoint_sequence, checkpoint ? i : 0);
      ApplyScript(*db, i + 1, i + 8);
      before = Dump(db->snapshot());
      PLEXUS_OK(db->Close());
    }
    auto db = MustOpen(scratch.path());
    EXPECT_EQ(Dump(db->snapshot()), before);
  }
}

TEST(Reopen, CheckpointInTheMiddleThenTail) {
  ScratchDirectory scratch;
  OpenOptions options = Create();
  options.checkpoint_on_close = CheckpointOnClose::kNever;
  std::string before;
  {
    auto db = MustOpen(scratch.path(), options);
    ApplyScript(*db, 1, 20);
    PLEXUS_OK(db->Checkpoint());
    ApplyScript(*db, 21, kBatches);
    before = Dump(db->snapshot());
    EXPECT_GT(db->stats().tail_bytes, 0u);
  }
  auto db = MustOpen(scratch.path());
  EXPECT_EQ(db->report().checkpoint_sequence, 20u);
  EXPECT_EQ(db->report().replayed_records, kBatches - 20);
  EXPECT_EQ(Dump(db->snapshot()), before);
  // And writing goes on.
  ApplyScript(*db, kBatches + 1, kBatches + 3);
}

TEST(Reopen, KeepsTheNewestCheckpointsOnly) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  for (std::uint64_t i = 1; i <= 6; ++i) {
    ApplyScript(*db, i, i);
    PLEXUS_OK(db->Checkpoint());
    PLEXUS_OK(db->Checkpoint());  // nothing new: nothing written
  }
  EXPECT_EQ(db->stats().checkpoints, (std::vector<Sequence>{5, 6}));
}

TEST(AsOf, EveryPointOfThePast) {
  ScratchDirectory scratch;
  const std::vector<std::string> dumps = ScriptDumps(kBatches);
  auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 15);
  PLEXUS_OK(db->Checkpoint());
  ApplyScript(*db, 16, 30);
  PLEXUS_OK(db->Checkpoint());
  ApplyScript(*db, 31, kBatches);
  for (Sequence s = 0; s <= kBatches; ++s) {
    auto past = Must(db->AsOf(s));
    ASSERT_EQ(Dump(past), dumps[s]) << "at " << s;
    auto again = Must(db->AsOf(s));
    EXPECT_EQ(&again.state(), &past.state()) << "the last few are cached";
  }
  EXPECT_TRUE(FailsWith(db->AsOf(kBatches + 1), ErrorCode::kNotFound));
}

TEST(AsOf, KeepsWhatFits) {
  ScratchDirectory scratch;
  const std::vector<std::string> dumps = ScriptDumps(kBatches);
  OpenOptions options = Create();
  // Which of the states 1 to 6 are kept when all were asked for.
  auto kept = [&](std::uint64_t bytes) {
    options.past_cache_bytes = bytes;
    auto db = MustOpen(scratch.path(), options);
    if (db->snapshot().sequence() == 0) ApplyScript(*db, 1, kBatches);
    std::vector<std::weak_ptr<const FrozenState>> states;
    for (Sequence s = 1; s <= 6; ++s) {
      const auto past = db->AsOf(s);
      EXPECT_TRUE(past);
      EXPECT_EQ(Dump(*past), dumps[s]);
      states.push_back(past->shared_state());
    }
    std::vector<Sequence> alive;
    for (std::size_t i = 0; i < states.size(); ++i)
      if (!states[i].expired()) alive.push_back(i + 1);
    EXPECT_EQ(db->stats().past_cache_bytes > 0, !alive.empty());
    return alive;
  };
  EXPECT_EQ(kept(0), std::vector<Sequence>());
  EXPECT_EQ(kept(1), (std::vector<Sequence>{6})) << "the last one, whatever it takes";
  EXPECT_EQ(kept(std::uint64_t{1} << 30), (std::vector<Sequence>{3, 4, 5, 6}));
}

TEST(AsOf, ByTime) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 20);  // times 1000, 2000, ...
  for (std::uint64_t i = 1; i <= 20; ++i) {
    for (const std::int64_t offset : {0, 1, 999}) {
      auto sequence = Must(db->SequenceAtTime(static_cast<std::int64_t>(1000 * i) + offset));
      EXPECT_EQ(sequence, i);
    }
  }
  EXPECT_EQ(db->SequenceAtTime(999).error().code, ErrorCode::kNotFound);
  auto past = Must(db->AsOfTime(7500));
  EXPECT_EQ(past.sequence(), 7u);
}

TEST(Trim, FloorIsNamedAndTheRestIsWhole) {
  ScratchDirectory scratch;
  const std::vector<std::string> dumps = ScriptDumps(kBatches);
  {
    auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, kBatches);
    PLEXUS_OK(db->Checkpoint());
    PLEXUS_OK(db->Trim(25));
    EXPECT_EQ(db->stats().history_floor, 25u);
    for (Sequence s = 25; s <= kBatches; ++s) {
      auto past = Must(db->AsOf(s));
      ASSERT_EQ(Dump(past), dumps[s]) << "at " << s;
    }
    EXPECT_TRUE(FailsWith(db->AsOf(24), ErrorCode::kNotFound, "25"));
    EXPECT_EQ(db->AsOfTime(24'999).error().code, ErrorCode::kNotFound);
    EXPECT_EQ(*db->SequenceAtTime(25'000), 25u);
    PLEXUS_OK(db->Close());
  }
  auto db = MustOpen(scratch.path());
  EXPECT_EQ(Dump(db->snapshot()), dumps[kBatches]);
  // More checkpoints push out old ones, never the floor's.
  for (std::uint64_t i = kBatches + 1; i <= kBatches + 4; ++i) {
    ApplyScript(*db, i, i);
    PLEXUS_OK(db->Checkpoint());
  }
  auto floor = Must(db->AsOf(25));
  EXPECT_EQ(Dump(floor), dumps[25]);
  PLEXUS_OK(db->Trim(kBatches + 4));  // everything
  PLEXUS_OK(db->Close());
  db = MustOpen(scratch.path());
  EXPECT_EQ(db->snapshot().sequence(), kBatches + 4);
  ApplyScript(*db, kBatches + 5, kBatches + 6);
}

TEST(Bulk, SameGraphAsOneByOne) {
  const std::vector<std::string> dumps = ScriptDumps(kBatches);
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, 10);
    PLEXUS_OK(db->BeginBulk());
    ApplyScript(*db, 11, 30);
    EXPECT_EQ(Dump(db->snapshot()), dumps[30]) << "payloads can be read before the end";
    auto past = Must(db->AsOf(20));
    EXPECT_EQ(Dump(past), dumps[20]);
    ApplyScript(*db, 31, 35);
    PLEXUS_OK(db->EndBulk());
    ApplyScript(*db, 36, kBatches);
    PLEXUS_OK(db->Close());
  }
  auto db = MustOpen(scratch.path());
  EXPECT_EQ(Dump(db->snapshot()), dumps[kBatches]);
  for (Sequence s : {5, 10, 11, 29, 35, 36}) EXPECT_EQ(Dump(*db->AsOf(s)), dumps[s]);
}

// The database goes away while a reader is about to have it ingest what is pending.
TEST(Bulk, APayloadIsAskedForBesideTheEnd) {
  ScratchDirectory scratch;
  TestHooks hooks;
  OpenOptions options = Create();
  options.hooks = &hooks;
  auto db = MustOpen(scratch.path(), options);
  PLEXUS_OK(db->BeginBulk());
  WriteBatch batch(1000);
  batch.SetPayload(batch.UpsertNode("a", NodeKindRef(kMemory)), NodeField::kText, "hello");
  PLEXUS_OK(db->graph().Apply(batch));
  const Snapshot snapshot = db->snapshot();
  hooks.at_point = [&](const char* point) {
    if (std::string_view(point) == "payload.pending") db.reset();
  };
  EXPECT_TRUE(FailsWith(snapshot.Payload(*snapshot.Find("a"), NodeField::kText),
                        ErrorCode::kFailedPrecondition));
  EXPECT_EQ(*MustOpen(scratch.path())->snapshot().Payload(0, NodeField::kText), "hello");
}

TEST(History, ListsWhatHappened) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  WriteBatch one(1000);
  const NodeRef a = one.UpsertNode("a", NodeKindRef(kMemory));
  one.SetPayload(a, NodeField::kText, "hello");
  one.SetF64(a, ColumnRef(kTrust), 0.5);
  one.Link(a, EdgeKindRef(kSupports), one.Node("b"), 0.25f);
  PLEXUS_OK(db->graph().Apply(one));
  WriteBatch two(2000);
  two.Unlink(two.Node("a"), EdgeKindRef(kSupports), two.Node("b"));
  two.RemoveNode(two.Node("a"));
  PLEXUS_OK(db->graph().Apply(two));
  const NodeId node = *db->snapshot().Find("a");
  auto history = Must(db->History(node));
  std::string names;
  for (const HistoryEntry& e : history)
    names += std::to_string(e.sequence) + ":" + std::string(HistoryWhatName(e.what)) + " ";
  EXPECT_NE(names.find("1:created"), std::string::npos) << names;
  EXPECT_NE(names.find("1:column_set"), std::string::npos) << names;
  EXPECT_NE(names.find("1:payload_set"), std::string::npos) << names;
  EXPECT_NE(names.find("1:linked"), std::string::npos) << names;
  EXPECT_NE(names.find("2:removed"), std::string::npos) << names;
  EXPECT_NE(names.find("2:unlinked"), std::string::npos) << names;
  EXPECT_EQ(db->History(99).error().code, ErrorCode::kNotFound);
}

TEST(Durability, BufferedBecomesDurable) {
  ScratchDirectory scratch;
  OpenOptions options = Create();
  options.graph.durability = Durability::kBuffered;
  auto db = MustOpen(scratch.path(), options);
  ApplyScript(*db, 1, 5);
  PLEXUS_OK(db->graph().WaitDurable(5));
  EXPECT_EQ(db->stats().synced_sequence, 5u);
  ApplyScript(*db, 6, 8);
  // Without being asked: the thread syncs (this waits as long as it takes).
  while (db->stats().synced_sequence < 8) {
  }
  ApplyOptions none;
  none.durability = Durability::kNone;
  PLEXUS_OK(db->graph().Apply(ScriptBatch(9), none));
  PLEXUS_OK(db->graph().WaitDurable(9));
  EXPECT_EQ(db->stats().synced_sequence, 9u);
}

TEST(Close, SnapshotsOutliveTheDatabase) {
  ScratchDirectory scratch;
  Snapshot left, past;
  {
    auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, 10);
    PLEXUS_OK(db->BeginBulk());
    ApplyScript(*db, 11, 12);
    left = db->snapshot();
    past = *db->AsOf(4);
    PLEXUS_OK(db->Close());
    PLEXUS_OK(db->Close());  // nothing more to do
    EXPECT_FALSE(db->graph().Apply(ScriptBatch(13)));
    EXPECT_EQ(db->Checkpoint().error().code, ErrorCode::kFailedPrecondition);
    EXPECT_EQ(db->AsOf(3).error().code, ErrorCode::kFailedPrecondition);
  }
  EXPECT_EQ(left.sequence(), 12u);
  EXPECT_EQ(past.sequence(), 4u);
  std::uint64_t edges = 0, payloads = 0;
  left.ForEachEdge(ArcFilter::All(), [&](const Edge&) { ++edges; });
  EXPECT_EQ(edges, left.CountEdges(Plane::kFact) + left.CountEdges(Plane::kIndex));
  for (NodeId v = 0; v < left.node_count(); ++v) {
    const PayloadRef ref = left.payload_ref(v, NodeField::kText);
    if (!ref || left.Payload(ref)) continue;  // what is cached may still be read
    EXPECT_EQ(left.Payload(ref).error().code, ErrorCode::kFailedPrecondition);
    ++payloads;
  }
  EXPECT_GT(payloads, 0u);
}

TEST(CheckpointThread, WritesACheckpointWhenTheTailIsLong) {
  ScratchDirectory scratch;
  OpenOptions options = Create();
  options.graph.maintenance = Maintenance::kBackground;
  options.checkpoint_log_bytes = 2000;
  auto db = MustOpen(scratch.path(), options);
  ApplyScript(*db, 1, 20);
  while (db->stats().checkpoints.empty()) {
  }
  PLEXUS_OK(db->Close());
}

}  // namespace
}  // namespace plexus::storage_internal::testing
