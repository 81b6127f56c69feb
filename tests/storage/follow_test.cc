// Followers: a read-only view that goes on record by record, and replicas fed by ChangesSince.
#include <filesystem>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

TEST(Follow, EveryBatchOfAWriter) {
  constexpr std::uint64_t kBatches = 60;
  const std::vector<std::string> dumps = ScriptDumps(kBatches);
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 1);
  auto reader = MustOpen(scratch.path(), ReadOnly());
  const Graph* graph = &reader->graph();
  std::mt19937 random(3);
  for (std::uint64_t to = 1; to < kBatches;) {
    const std::uint64_t from = to + 1;
    to = std::min(kBatches, to + 1 + random() % 4);
    const Snapshot old = reader->snapshot();
    ApplyScript(*writer, from, to);
    switch (random() % 6) {
      case 0:
        PLEXUS_OK(writer->Checkpoint());
        break;
      case 1:
        PLEXUS_OK(reader->snapshot().vectors(SpaceId{}));
        break;  // loaded, from then on
      case 2:
        PLEXUS_OK(writer->Close());
        writer = MustOpen(scratch.path());
        break;
      default:
        break;
    }
    PLEXUS_OK(reader->Refresh());
    ASSERT_EQ(reader->snapshot().sequence(), to);
    ASSERT_EQ(Dump(reader->snapshot()), dumps[to]) << to;
    ASSERT_EQ(Dump(old), dumps[from - 1]) << from;
    ASSERT_EQ(reader->report().sequence, to);
    PLEXUS_OK(reader->Refresh());  // nothing new
  }
  EXPECT_EQ(&reader->graph(), graph) << "it was opened anew";
  EXPECT_EQ(reader->graph().Apply(ScriptBatch(99)).error().code, ErrorCode::kReadOnly);
  ApplyScript(*writer, 61, 61);  // and what was refused does no harm
  PLEXUS_OK(reader->Refresh());
  EXPECT_EQ(reader->snapshot().sequence(), 61u);
}

TEST(Follow, LoadedVectorsStayLoaded) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 30);
  PLEXUS_OK(writer->Checkpoint());
  auto reader = MustOpen(scratch.path(), ReadOnly());
  PLEXUS_OK(reader->snapshot().vectors(SpaceId{}));
  ApplyScript(*writer, 31, 50);
  PLEXUS_OK(reader->Refresh());
  EXPECT_TRUE(reader->snapshot().space(SpaceId{})->loaded());
  EXPECT_EQ(Dump(reader->snapshot()), Dump(writer->snapshot()));
}

TEST(Follow, PurgesReachTheView) {
  for (const bool hard : {false, true}) {
    ScratchDirectory scratch;
    auto writer = MustOpen(scratch.path(), Create());
    ApplyScript(*writer, 1, 10);
    WriteBatch batch(20'000);
    batch.SetPayload(batch.UpsertNode("secret"), NodeField::kText, "what nobody may read");
    PLEXUS_OK(writer->graph().Apply(batch));
    auto reader = MustOpen(scratch.path(), ReadOnly());
    const NodeId node = *reader->snapshot().Find("secret");
    PLEXUS_OK(reader->snapshot().Payload(node, NodeField::kText));
    PLEXUS_OK(reader->AsOf(11));
    if (hard) {
      PLEXUS_OK(writer->HardPurge({{node}}));
    } else {
      PLEXUS_OK(writer->Purge({{"secret"}}, 30'000));
    }
    for (std::uint64_t i = 31; i < 34; ++i) PLEXUS_OK(writer->graph().Apply(ScriptBatch(i)));
    PLEXUS_OK(reader->Refresh());
    EXPECT_EQ(Dump(reader->snapshot()), Dump(writer->snapshot()));
    EXPECT_FALSE(reader->snapshot().Payload(node, NodeField::kText));
    const auto past = Must(reader->AsOf(11));
    EXPECT_FALSE(past.Payload(node, NodeField::kText));
  }
}

// A trim that drops what the view would go on from; then a log that is another one.
TEST(Follow, WhatDoesNotGoOnIsOpenedAnew) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 10);
  auto reader = MustOpen(scratch.path(), ReadOnly());
  ApplyScript(*writer, 11, 20);
  PLEXUS_OK(writer->Trim(15));
  PLEXUS_OK(reader->Refresh());
  EXPECT_EQ(Dump(reader->snapshot()), Dump(writer->snapshot()));
  PLEXUS_OK(writer->Close());

  CopyTree(scratch.path(), scratch.path("earlier"));
  writer = MustOpen(scratch.path());
  ApplyScript(*writer, 21, 30);
  PLEXUS_OK(reader->Refresh());
  EXPECT_EQ(reader->snapshot().sequence(), 30u);
  TestHooks hooks;
  OpenOptions hooked = ReadOnly();
  hooked.hooks = &hooks;
  const auto other = MustOpen(scratch.path(), hooked);
  const std::int64_t time_25 = other->AsOf(25)->time_ms();
  PLEXUS_OK(writer->Close());
  writer.reset();
  // As after a power loss that took ten records, and another future.
  std::filesystem::remove_all(scratch.path());
  CopyTree(scratch.path("earlier"), scratch.path());
  // The past of a log that was longer when it was asked for.
  hooks.at_point = [&, done = false](const char* point) mutable {
    if (std::string_view(point) == "log.asked" && !std::exchange(done, true))
      PLEXUS_OK(other->Refresh());
  };
  EXPECT_EQ(other->AsOf(28).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(other->snapshot().sequence(), 20u);
  EXPECT_EQ(*other->SequenceAtTime(time_25), 20u);
  writer = MustOpen(scratch.path());
  ApplyScript(*writer, 21, 35, 99);
  PLEXUS_OK(reader->Refresh());
  EXPECT_EQ(Dump(reader->snapshot()), Dump(writer->snapshot()));
}

// A past that the view has kept is gone when its record is trimmed, as it is for the writer.
TEST(Follow, ATrimTakesThePast) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 20);
  auto reader = MustOpen(scratch.path(), ReadOnly());
  PLEXUS_OK(reader->AsOf(5));
  PLEXUS_OK(writer->Trim(10));
  ApplyScript(*writer, 21, 21);
  PLEXUS_OK(reader->Refresh());
  EXPECT_EQ(writer->AsOf(5).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(FailsWith(reader->AsOf(5), ErrorCode::kNotFound));
}

TEST(Changes, AReplicaIsTheSameGraph) {
  constexpr std::uint64_t kBatches = 50;
  const std::vector<std::string> dumps = ScriptDumps(kBatches);
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  auto replica = Graph::InMemory();
  for (std::uint64_t i = 1; i <= kBatches; ++i) {
    ApplyScript(*writer, i, i);
    if (i % 3 == 0) continue;
    Pull(*writer, *replica, 1 + i % 3);
    ASSERT_EQ(Dump(replica->snapshot()), dumps[i]) << i;
  }
  const auto none = Must(writer->ChangesSince(kBatches));
  EXPECT_TRUE(none.records.empty());
  EXPECT_FALSE(none.has_more);
  EXPECT_EQ(writer->ChangesSince(kBatches + 1).error().code, ErrorCode::kNotFound);
  PLEXUS_OK(writer->Trim(20));
  EXPECT_EQ(writer->ChangesSince(19).error().code, ErrorCode::kFailedPrecondition);
  PLEXUS_OK(writer->ChangesSince(20));
  const auto few = Must(writer->ChangesSince(20, {.max_bytes = 1}));
  EXPECT_EQ(few.records.size(), 1u);
  EXPECT_TRUE(few.has_more);
  // The same from a view.
  auto reader = MustOpen(scratch.path(), ReadOnly());
  EXPECT_EQ(reader->ChangesSince(20)->records.size(), 30u);
}

// A durable replica that stops at any point and is opened again.
TEST(Changes, ResumedWithoutLossOrDouble) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path("source"), Create());
  std::mt19937 random(11);
  for (std::uint64_t i = 1; i <= 40; ++i) {
    ApplyScript(*writer, i, i);
    OpenOptions options = Create();
    if (i % 2) options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto replica = MustOpen(scratch.path("replica"), options);
    Pull(*writer, replica->graph(), 1 + random() % 2, false);
    PLEXUS_OK(replica->Close());
  }
  auto replica = MustOpen(scratch.path("replica"));
  Pull(*writer, replica->graph(), 100);
  EXPECT_EQ(Dump(replica->snapshot()), Dump(writer->snapshot()));
  for (Sequence s = 1; s <= 40; s += 7) {
    EXPECT_EQ(Dump(Must(replica->AsOf(s))), Dump(Must(writer->AsOf(s)))) << s;
  }
  ExpectSound(*replica);
}

TEST(Changes, RecordsMustFollow) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 10);
  auto changes = Must(writer->ChangesSince(0));
  auto replica = Graph::InMemory();
  const std::span<const Record> all = changes.records;
  EXPECT_EQ(replica->Replay(all.subspan(1)).error().code, ErrorCode::kFailedPrecondition);
  PLEXUS_OK(replica->Replay(all.first(4)));
  EXPECT_EQ(replica->Replay(all.first(4)).error().code, ErrorCode::kFailedPrecondition)
      << "doubled";
  std::vector<Record> damaged(all.begin() + 4, all.end());
  damaged[2].edges.push_back({});
  damaged[2].edges.back().target = 1'000'000;
  EXPECT_EQ(replica->Replay(damaged).error().code, ErrorCode::kCorruption);
  EXPECT_EQ(replica->snapshot().sequence(), 6u) << "what came before stays";
  PLEXUS_OK(replica->Replay(all.subspan(6)));
  EXPECT_EQ(Dump(replica->snapshot()), Dump(writer->snapshot()));
  EXPECT_TRUE(replica->Apply(ScriptBatch(11)));
}

}  // namespace
}  // namespace plexus::storage_internal::testing
