// Closing while other threads still use the database, by Close and by the end of the process: the
// directory opens as cleanly closed, with every batch that was acknowledged; calls that come too
// late are errors. PLEXUS_CLOSING_RUNS=n: so many runs of each kind.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

constexpr Durability kDurabilities[] = {Durability::kNone, Durability::kBuffered,
                                        Durability::kSync};

// The directory is clean, has these nodes, and at times all is looked at.
void ExpectClosed(const std::string& directory, const std::set<std::string>& keys, bool verify) {
  const auto opened = Must(Database::Open(directory, {}));
  Database& db = *opened;
  EXPECT_TRUE(db.report().was_clean);
  const Snapshot s = db.snapshot();
  for (const std::string& key : keys) EXPECT_TRUE(s.Find(key)) << key;
  if (!verify) return;
  ExpectSound(db);
}

bool IsLate(const Error& error) {
  return error.code == ErrorCode::kFailedPrecondition || error.code == ErrorCode::kReadOnly;
}

struct Writer {
  std::set<std::string> acknowledged;
  Error last;
  std::jthread thread;
};

// Two writers without end, and Close after `least` batches.
void CloseBesideWriters(const std::string& directory, Durability durability, bool bulk,
                        Maintenance maintenance, std::uint64_t least, bool verify) {
  OpenOptions options = Create();
  options.graph.maintenance = maintenance;
  const auto db = MustOpen(directory, options);
  if (bulk) PLEXUS_OK(db->BeginBulk());
  std::atomic<std::uint64_t> count{0};
  std::set<std::string> keys;
  {
    Writer writers[2];
    for (int w = 0; w < 2; ++w)
      writers[w].thread = std::jthread([&, w] {
        for (int i = 0;; ++i) {
          const std::string key = std::to_string(w) + "." + std::to_string(i);
          WriteBatch batch(1000);
          batch.UpsertNode(key);
          const auto applied = db->graph().Apply(batch, {.durability = durability});
          if (!applied) {
            writers[w].last = applied.error();
            return;
          }
          writers[w].acknowledged.insert(key);
          ++count;
        }
      });
    while (count < least) std::this_thread::yield();
    EXPECT_TRUE(db->Close());
    for (Writer& writer : writers) {
      writer.thread.join();
      EXPECT_TRUE(IsLate(writer.last)) << writer.last.ToString();
      keys.merge(writer.acknowledged);
    }
  }
  WriteBatch late(1000);
  late.UpsertNode("late");
  EXPECT_EQ(db->graph().Apply(late).error().code, ErrorCode::kFailedPrecondition);
  ExpectClosed(directory, keys, verify);
}

TEST(Closing, BesideWriters) {
  const std::uint64_t runs = EnvNumber("PLEXUS_CLOSING_RUNS", 8);
  for (const Durability durability : kDurabilities)
    for (std::uint64_t run = 0; run < runs && !HasFailure(); ++run) {
      SCOPED_TRACE(std::to_string(static_cast<int>(durability)) + " run " + std::to_string(run));
      ScratchDirectory scratch;
      CloseBesideWriters(scratch.path(), durability, false,
                         run % 2 == 0 ? Maintenance::kBackground : Maintenance::kManual,
                         20 + 37 * (run % 8), run % 8 == 0);
    }
}

TEST(Closing, BesideWritersInBulkMode) {
  const std::uint64_t runs = EnvNumber("PLEXUS_CLOSING_RUNS", 4);
  for (std::uint64_t run = 0; run < runs && !HasFailure(); ++run) {
    SCOPED_TRACE(run);
    ScratchDirectory scratch;
    CloseBesideWriters(scratch.path(), Durability::kNone, true, Maintenance::kManual, 50 + run,
                       run % 8 == 0);
  }
}

// A thread still writes when main returns; the handler of exit() closes.
TEST(Closing, TheEndOfTheProcessBesideWriters) {
  const std::uint64_t runs = EnvNumber("PLEXUS_CLOSING_RUNS", 8);
  for (const Durability durability : kDurabilities)
    for (std::uint64_t run = 0; run < runs && !HasFailure(); ++run) {
      SCOPED_TRACE(std::to_string(static_cast<int>(durability)) + " run " + std::to_string(run));
      ScratchDirectory scratch;
      std::set<std::string> keys;
      ChildProcess child({"exit", scratch.path(), std::to_string(static_cast<int>(durability)),
                          std::to_string(20 + 37 * (run % 8))});
      for (std::string line; child.ReadLine(&line);) {
        ASSERT_TRUE(line.starts_with("ack ")) << line;
        line = line.substr(4);
        keys.insert(line.replace(line.find(' '), 1, "."));
      }
      ASSERT_EQ(child.Wait(), 0);
      EXPECT_GE(keys.size(), 20u);
      ExpectClosed(scratch.path(), keys, run % 8 == 0);
    }
}

// Each other call goes on in a thread of its own until it is refused.
TEST(Closing, BesideOtherCalls) {
  const std::uint64_t runs = EnvNumber("PLEXUS_CLOSING_RUNS", 8);
  for (std::uint64_t run = 0; run < runs && !HasFailure(); ++run) {
    SCOPED_TRACE(run);
    ScratchDirectory scratch;
    OpenOptions options = Create();
    options.past_cache_bytes = 0;
    const auto db = MustOpen(scratch.path(), options);
    ApplyScript(*db, 1, 12);
    PLEXUS_OK(db->Checkpoint());
    ApplyScript(*db, 13, 20);
    const std::string dump = Dump(db->snapshot());
    std::atomic<int> copies{0}, calls{0};
    const std::vector<std::function<Status()>> all = {
        [&]() -> Status { return db->Checkpoint(); },
        [&]() -> Status { return db->Trim(5); },
        [&]() -> Status { return db->Scrub(); },
        [&]() -> Status { return db->Backup(scratch.path("copy" + std::to_string(++copies))); },
        [&]() -> Status {
          PLEXUS_TRY(db->AsOf(15));
          return {};
        },
        [&]() -> Status {
          PLEXUS_TRY(db->SequenceAtTime(15'000));
          return {};
        },
        [&]() -> Status {
          PLEXUS_TRY(db->ChangesSince(10));
          return {};
        },
        [&]() -> Status {
          PLEXUS_TRY(db->History(0));
          return {};
        },
        [&]() -> Status {
          PLEXUS_TRY(db->Verify());
          return {};
        },
        [&]() -> Status {
          (void)db->stats();
          PLEXUS_TRY(db->graph().WaitDurable(20));  // was durable before
          return db->BeginBulk().error().message.find("already") != std::string::npos
                     ? Status()
                     : Fail(ErrorCode::kFailedPrecondition, "");
        }};
    std::vector<Status> last(all.size());
    PLEXUS_OK(db->BeginBulk());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < all.size(); ++i)
        threads.emplace_back([&, i] {
          while (last[i]) {
            last[i] = all[i]();
            ++calls;
          }
        });
      while (calls < 12) std::this_thread::yield();
      EXPECT_TRUE(db->Close());
    }
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(last[i].error().code, ErrorCode::kFailedPrecondition)
          << i << ": " << last[i].error().ToString();
    EXPECT_EQ(Dump(MustOpen(scratch.path())->snapshot()), dump);
  }
}

// Who comes second returns when the database is closed.
TEST(Closing, BesideAnotherClose) {
  ScratchDirectory scratch;
  for (int run = 0; run < 20; ++run) {
    const auto db = MustOpen(scratch.path(), Create());
    WriteBatch batch(1000);
    batch.UpsertNode(std::to_string(run));
    PLEXUS_OK(db->graph().Apply(batch, {.durability = Durability::kNone}));
    {
      std::jthread other([&] { EXPECT_TRUE(db->Close()); });
      EXPECT_TRUE(db->Close());
      EXPECT_TRUE(MustOpen(scratch.path())->report().was_clean);
    }
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
