// Refresh from the end of the write-ahead log: every cut, every kind of write, damage, kills; and
// each view is that of a fresh open.
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "storage/base/lock_file.h"
#include "tests/support/child_process.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

// A view that counts how its refreshes went.
struct View {
  std::map<std::string, int> ways;
  TestHooks hooks;
  std::unique_ptr<Database> database;

  explicit View(const std::string& directory) {
    hooks.at_point = [this](const char* point) { ++ways[point]; };
    OpenOptions options = ReadOnly();
    options.hooks = &hooks;
    database = MustOpen(directory, options);
  }
  Database* operator->() const { return database.get(); }
  Snapshot snapshot() const { return database->snapshot(); }
  int by_log() { return ways["follow.log_end"]; }
  int by_opening() { return ways["follow.opened"]; }
};

// The write-ahead log that is written now.
std::string NewestLog(const std::string& directory) {
  std::string newest;
  for (const std::string& path : FilesBelow(directory))
    if (path.ends_with(".log")) newest = std::max(newest, path);
  return newest;
}

WriteBatch OneText(std::uint64_t number, std::size_t bytes) {
  WriteBatch batch(static_cast<std::int64_t>(1000 * number));
  batch.SetPayload(batch.UpsertNode("long"), NodeField::kText, std::string(bytes, 'x'));
  return batch;
}

std::vector<std::string> HistoryOf(Database& database, NodeId node) {
  std::vector<std::string> told;
  const auto history = database.History(node);
  EXPECT_TRUE(history);
  for (const HistoryEntry& e : *history)
    told.push_back(std::to_string(e.sequence) + " " + std::string(HistoryWhatName(e.what)));
  return told;
}

// What needs more than the log's end has it as well.
TEST(FollowLog, OpensNothingAndLacksNothing) {
  const std::vector<std::string> dumps = ScriptDumps(30);
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 10);
  View view(scratch.path());
  auto replica = Graph::InMemory();
  for (std::uint64_t i = 11; i <= 30; ++i) {
    ApplyScript(*writer, i, i);
    PLEXUS_OK(view->Refresh());
    ASSERT_EQ(view.by_log(), static_cast<int>(i - 10));
    ASSERT_EQ(Dump(view.snapshot()), dumps[i]);
    ASSERT_EQ(view->stats().synced_sequence, i);
    if (i % 3 == 0) continue;
    for (bool more = true; more;) {
      const auto changes =
          Must(view->ChangesSince(replica->snapshot().sequence(), {.max_records = 2}));
      PLEXUS_OK(replica->Replay(changes.records));
      more = changes.has_more;
    }
    ASSERT_EQ(Dump(replica->snapshot()), dumps[i]);
    if (i % 5 == 0) {
      const auto past = Must(view->AsOf(i - 2));
      ASSERT_EQ(Dump(past), dumps[i - 2]);
      ASSERT_EQ(Dump(view.snapshot()), dumps[i]);
    }
    if (i % 7 == 0) {
      ASSERT_EQ(HistoryOf(*view.database, 1), HistoryOf(*writer, 1));
      ASSERT_EQ(*view->SequenceAtTime(static_cast<std::int64_t>(1000 * i) - 1), i - 1);
    }
    if (i % 11 == 0) {
      ExpectSound(*view.database);
      ASSERT_EQ(view->Verify()->records, i);
    }
  }
  EXPECT_EQ(view.by_opening(), 0);
  ApplyScript(*writer, 31, 31);  // the copy is of the view's moment
  PLEXUS_OK(view->Backup(scratch.path("backup")));
  EXPECT_EQ(Dump(MustOpen(scratch.path("backup"))->snapshot()), dumps[30]);
}

// Ends of the log at and around the end of a block, and writes over many blocks.
TEST(FollowLog, BlocksOfTheLog) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  PLEXUS_OK(writer->graph().Apply(OneText(1, 100)));
  View view(scratch.path());
  const std::string log = NewestLog(scratch.path());
  std::uint64_t number = 1;
  const auto append = [&](std::size_t bytes) {
    const auto before = std::filesystem::file_size(log);
    EXPECT_TRUE(writer->graph().Apply(OneText(++number, bytes)));
    EXPECT_TRUE(view->Refresh());
    EXPECT_EQ(view.snapshot().sequence(), number);
    EXPECT_EQ(view.snapshot().Payload(*view.snapshot().Find("long"), NodeField::kText)->size(),
              bytes);
    return std::filesystem::file_size(log) - before;
  };
  constexpr std::uint64_t kBlock = 32 << 10;
  const std::uint64_t around = append(1000) - 1000;
  std::set<std::uint64_t> rooms;  // between an end and the end of its block
  for (std::uint64_t left = 0; left <= 24; ++left) {
    const std::uint64_t at = std::filesystem::file_size(log) % kBlock;
    append(2 * kBlock - at - left - around);
    rooms.insert((kBlock - std::filesystem::file_size(log) % kBlock) % kBlock);
    append(left);
  }
  for (std::uint64_t room = 0; room <= 8; ++room) EXPECT_TRUE(rooms.contains(room)) << room;
  append(5 * kBlock);
  append(0);
  EXPECT_EQ(view.by_log(), static_cast<int>(number - 1));
  EXPECT_EQ(view.by_opening(), 0);
}

// A copy of a writer's log, cut after every few bytes: whole writes and nothing of the next one.
TEST(FollowLog, EveryCut) {
  constexpr std::uint64_t kFrom = 6, kTo = 12;
  const std::vector<std::string> dumps = ScriptDumps(kTo);
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, kFrom);
  CopyTree(scratch.path(), scratch.path("copy"));
  const std::string log = NewestLog(scratch.path()), copy = NewestLog(scratch.path("copy"));
  std::vector<std::uint64_t> ends = {std::filesystem::file_size(log)};
  for (std::uint64_t i = kFrom + 1; i <= kTo; ++i) {
    ApplyScript(*writer, i, i);
    ends.push_back(std::filesystem::file_size(log));
  }
  const std::string bytes = ReadFile(log);
  for (const bool alive : {true, false}) {
    // As if somebody wrote.
    Result<LockFile> lock = LockFile();
    if (alive) lock = LockFile::Take(scratch.path("copy"), 0, {});
    PLEXUS_OK(lock);
    WriteFile(copy, bytes.substr(0, ends[0]));
    View view(scratch.path("copy"));
    const std::uint64_t step = alive ? 7 : 97;  // an opening each when nobody writes
    std::size_t whole = 0;
    for (std::uint64_t size = ends[0]; size <= bytes.size();
         size = size == bytes.size() ? size + 1 : std::min(size + step, bytes.size())) {
      WriteFile(copy, bytes.substr(0, size));
      while (whole + 1 < ends.size() && ends[whole + 1] <= size) ++whole;
      PLEXUS_OK(view->Refresh());
      ASSERT_EQ(view.snapshot().sequence(), kFrom + whole) << size;
      if (size % 3 == 0) {
        ASSERT_EQ(Dump(view.snapshot()), dumps[kFrom + whole]) << size;
      }
      // Nobody writes on: told as it is by an opening.
      ASSERT_EQ(view->report().tail_dropped, !alive && size != ends[whole]) << size;
    }
    if (alive) {
      EXPECT_EQ(view.by_opening(), 0);
      EXPECT_EQ(view.by_log(), static_cast<int>(kTo - kFrom));
    }
  }
}

// A flipped bit in what is new: refused with the words of a fresh open, or the same graph.
TEST(FollowLog, DamageIsThatOfAFreshOpen) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 5);
  CopyTree(scratch.path(), scratch.path("copy"));
  const std::string log = NewestLog(scratch.path()), copy = NewestLog(scratch.path("copy"));
  const std::string before = ReadFile(log);
  ApplyScript(*writer, 6, 9);
  const std::string after = ReadFile(log);
  auto lock = LockFile::Take(scratch.path("copy"), 0, {});
  PLEXUS_OK(lock);
  int refused = 0;
  for (std::size_t at = before.size(); at < after.size(); at += 41) {
    WriteFile(copy, before);
    View view(scratch.path("copy"));
    const std::string shown = Dump(view.snapshot());
    std::string bytes = after;
    bytes[at] ^= 4;
    WriteFile(copy, bytes);
    const Status refreshed = view->Refresh();
    const auto fresh = Database::Open(scratch.path("copy"), ReadOnly());
    ASSERT_EQ(refreshed.has_value(), fresh.has_value()) << at;
    if (refreshed) {
      EXPECT_EQ(Dump(view.snapshot()), Dump((*fresh)->snapshot())) << at;
      continue;
    }
    ++refused;
    EXPECT_EQ(refreshed.error().code, ErrorCode::kCorruption);
    EXPECT_EQ(refreshed.error().message, fresh.error().message);
    EXPECT_EQ(Dump(view.snapshot()), shown) << "the view is as it was";
  }
  EXPECT_GT(refused, 5);
}

// Of what was read before nothing is read again, until somebody asks for it.
TEST(FollowLog, DamageBeforeIsFoundByWhoReadsIt) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 10);
  View view(scratch.path());
  ApplyScript(*writer, 11, 12);
  const std::string log = NewestLog(scratch.path());
  std::string bytes = ReadFile(log);
  bytes[200] ^= 1;
  std::FILE* file = std::fopen(log.c_str(), "r+b");
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  PLEXUS_OK(view->Refresh());
  EXPECT_EQ(Dump(view.snapshot()), Dump(writer->snapshot()));
  const auto past = view->AsOf(3);
  ASSERT_TRUE(FailsWith(past, ErrorCode::kCorruption));
  const auto fresh = Database::Open(scratch.path(), ReadOnly());
  ASSERT_FALSE(fresh);
  EXPECT_TRUE(fresh.error().message.starts_with(past.error().message))
      << past.error().message << "\n"
      << fresh.error().message;
}

// A writer that does everything it can between refreshes.
TEST(FollowLog, ManyStepsAreFreshOpens) {
  for (std::uint32_t seed = 1; seed <= EnvNumber("PLEXUS_FOLLOW_SEEDS", 2); ++seed) {
    ScratchDirectory scratch;
    auto writer = MustOpen(scratch.path(), Create());
    ApplyScript(*writer, 1, 3);
    View often(scratch.path()), seldom(scratch.path());
    std::mt19937 random(seed);
    std::uint64_t number = 3;
    const auto apply = [&](std::uint64_t batches) {
      for (std::uint64_t i = 0; i < batches; ++i) {
        ApplyOptions options;
        options.durability = random() % 4 == 0 ? Durability::kNone : Durability::kSync;
        PLEXUS_OK(writer->graph().Apply(ScriptBatch(++number), options));
      }
    };
    for (int step = 0; step < 60; ++step) {
      apply(random() % 4);
      const std::uint32_t draw = random() % 24;
      const Snapshot now = writer->snapshot();
      switch (draw) {
        case 0:
          PLEXUS_OK(writer->Checkpoint());
          break;
        case 1:
          if (now.sequence() > writer->stats().history_floor + 5) {
            PLEXUS_OK(writer->Trim(now.sequence() - 3));
          }
          break;
        case 2:
        case 3: {
          std::vector<NodeId> nodes;
          for (NodeId n = random() % 5; n < now.node_count() && nodes.size() < 2; n += 3)
            if (now.alive(n) && now.is_fact(n)) nodes.push_back(n);
          if (draw == 2) {
            PLEXUS_OK(writer->HardPurge(nodes));
          } else if (!nodes.empty()) {
            const std::string key(now.key(nodes[0]));
            PLEXUS_OK(writer->Purge({{key}}, now.time_ms()));
          }
          break;
        }
        case 4: {  // its bytes are still there
          WriteBatch batch(now.time_ms());
          for (NodeId n = 0; n < now.node_count(); ++n)
            if (now.alive(n) && now.is_fact(n) && batch.empty()) batch.PurgeNode(NodeRef::Id(n));
          if (!batch.empty()) PLEXUS_OK(writer->graph().Apply(batch));
          break;
        }
        case 5:
          writer.reset();
          writer = MustOpen(scratch.path());
          break;
        case 6:
          PLEXUS_OK(writer->graph().Compact());
          break;
        case 7:
          PLEXUS_OK(writer->BeginBulk());
          apply(3);
          PLEXUS_OK(writer->EndBulk());
          break;
        case 8:
          PLEXUS_OK(writer->Scrub());
          break;
        default:
          break;
      }
      apply(random() % 3);
      PLEXUS_OK(often->Refresh());
      const auto fresh = MustOpen(scratch.path(), ReadOnly());
      ASSERT_EQ(Dump(often.snapshot()), Dump(fresh->snapshot())) << seed << ", step " << step;
      ASSERT_EQ(Dump(often.snapshot()), Dump(writer->snapshot())) << seed << ", step " << step;
      if (random() % 8 != 0) continue;
      PLEXUS_OK(seldom->Refresh());
      ASSERT_EQ(Dump(seldom.snapshot()), Dump(fresh->snapshot())) << seed << ", step " << step;
      const Sequence at = std::max(fresh->stats().history_floor + 1, number - random() % 6);
      const auto theirs = often->AsOf(at), ours = fresh->AsOf(at);
      ASSERT_EQ(theirs.has_value(), ours.has_value());
      if (theirs) {
        ASSERT_EQ(Dump(*theirs), Dump(*ours));
      }
    }
    EXPECT_GT(often.by_log(), 15) << seed;
    EXPECT_GT(often.by_opening(), 0) << seed;
  }
}

// A writer is killed and started again: never older than acknowledged, never half.
TEST(FollowLog, BesideAWriterThatIsKilled) {
  ScratchDirectory scratch;
  Expected expected(3);
  Sequence acknowledged = 0;
  std::unique_ptr<View> view;
  for (int life = 0; life < 4; ++life) {
    ChildProcess child({"write", scratch.path(), "3"});
    ASSERT_TRUE(child.ReadAcknowledgements(1));
    if (!view) view = std::make_unique<View>(scratch.path());
    for (std::uint64_t i = 0; i < 30; ++i) {
      ASSERT_TRUE(child.ReadAcknowledgements(i % 4));
      acknowledged = child.acknowledged();
      PLEXUS_OK((*view)->Refresh());
      const Sequence seen = view->snapshot().sequence();
      ASSERT_GE(seen, acknowledged);
      if (i % 8 == 0 && seen < 600) {
        ASSERT_EQ(DumpDigest(view->snapshot()), expected.At(seen));
      }
    }
    child.Kill();
    PLEXUS_OK((*view)->Refresh());
    ASSERT_GE(view->snapshot().sequence(), acknowledged);
    ASSERT_EQ(DumpDigest(view->snapshot()),
              DumpDigest(MustOpen(scratch.path(), ReadOnly())->snapshot()));
  }
}

// A follower that begins with a view may know more than is durable.
TEST(FollowLog, AFeedGoesOnFromAView) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 5);
  for (std::uint64_t i = 6; i <= 8; ++i)
    PLEXUS_OK(writer->graph().Apply(ScriptBatch(i), {.durability = Durability::kNone}));
  const Sequence begun = MustOpen(scratch.path(), ReadOnly())->snapshot().sequence();
  EXPECT_EQ(begun, 8u);
  EXPECT_EQ(writer->stats().synced_sequence, 5u);
  const auto changes = Must(writer->ChangesSince(begun));
  EXPECT_TRUE(changes.records.empty());
  EXPECT_EQ(changes.next, begun);
  EXPECT_GE(writer->stats().synced_sequence, begun);
  EXPECT_EQ(writer->ChangesSince(begun + 1).error().code, ErrorCode::kNotFound);
}

// What was read past RocksDB is bounded, and many may ask for more at once.
TEST(FollowLog, ManyBytesAndManyThreads) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  PLEXUS_OK(writer->graph().Apply(OneText(1, 10)));
  View view(scratch.path());
  std::uint64_t number = 1;
  for (int i = 0; i < 12; ++i) {
    PLEXUS_OK(writer->graph().Apply(OneText(++number, (1 << 20) - static_cast<std::size_t>(i))));
    PLEXUS_OK(view->Refresh());
    ASSERT_EQ(Dump(view.snapshot()), Dump(writer->snapshot()));
  }
  EXPECT_GE(view.by_opening(), 1);
  EXPECT_GE(view.by_log(), 8);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 3; ++i, ++number)
      PLEXUS_OK(writer->graph().Apply(OneText(number + 1, 50 + number)));
    PLEXUS_OK(view->Refresh());
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&, t] {
        switch (t) {
          case 0:
          case 1:
            EXPECT_TRUE(view->AsOf(number - 2));
            break;
          case 2:
            EXPECT_EQ(view->ChangesSince(number - 2)->records.size(), 2u);
            EXPECT_EQ(view->ChangesSince(number - 5)->records.size(), 5u);
            break;
          case 3:
            EXPECT_EQ(view->stats().synced_sequence, number);
            EXPECT_FALSE(view->History(0)->empty());
            break;
          case 4:
            ExpectSound(*view.database);
            break;
          default:
            EXPECT_EQ(Dump(view.snapshot()), Dump(writer->snapshot()));
        }
      });
  }
}

// A trim while the records are read.
TEST(FollowLog, AFeedBesideATrim) {
  ScratchDirectory scratch;
  TestHooks hooks;
  OpenOptions options = Create();
  options.hooks = &hooks;
  auto writer = MustOpen(scratch.path(), options);
  ApplyScript(*writer, 1, 20);
  Sequence floor = 0;
  hooks.at_point = [&](const char* point) {
    if (std::string_view(point) == "changes.floor_read") {
      EXPECT_TRUE(writer->Trim(floor));
    }
  };
  for (const Sequence since : {Sequence{0}, Sequence{3}, Sequence{7}}) {
    floor = since + 3;
    EXPECT_EQ(writer->ChangesSince(since).error().code, ErrorCode::kFailedPrecondition) << since;
  }
  EXPECT_EQ(writer->ChangesSince(10)->records.size(), 10u);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
