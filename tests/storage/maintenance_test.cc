// What maintenance holds up, and what not: each kind of work stops at its first report of
// progress until another thread has done what it may do beside it.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "storage/base/fail_points.h"
#include "tests/support/expected.h"
#include "tests/support/files/watched_files.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

constexpr std::chrono::seconds kLong(60);

class WorkBeside : public Progress {
 public:
  explicit WorkBeside(std::function<Status()> work) : work_(std::move(work)) {}
  bool Report(std::string_view, std::uint64_t, std::uint64_t) override {
    if (began_.exchange(true)) return true;
    done_ = std::async(std::launch::async, work_);
    in_time = done_.wait_for(kLong) == std::future_status::ready;
    if (in_time) status = done_.get();
    return true;
  }
  bool in_time = false;
  Status status = Fail(ErrorCode::kInternal, "no report");

 private:
  const std::function<Status()> work_;
  std::atomic<bool> began_{false};
  std::future<Status> done_;
};

// All that reads the log or older checkpoints.
Status LookBack(Database& db) {
  PLEXUS_ASSIGN(const Snapshot past, db.AsOf(3));
  PLEXUS_TRY(db.History(0));
  PLEXUS_TRY(db.SequenceAtTime(past.time_ms()));
  return {};
}

// Steps 1 to 6, a checkpoint at 4.
std::unique_ptr<Database> OpenScript(const std::string& directory, const OpenOptions& options) {
  auto db = MustOpen(directory, options);
  ApplyScript(*db, 1, 4);
  EXPECT_TRUE(db->Checkpoint());
  ApplyScript(*db, 5, 6);
  return db;
}

// The files that a backup copies are open: other maintenance may take their names away.
TEST(Maintenance, DoesNotWaitForABackup) {
  ScratchDirectory scratch;
  const auto db = OpenScript(scratch.path(), Create());
  const std::string then = Dump(db->snapshot());
  WorkBeside beside([&]() -> Status {
    PLEXUS_TRY(LookBack(*db));
    ApplyScript(*db, 7, 9);
    PLEXUS_TRY(db->Checkpoint());
    return db->Trim(8);
  });
  PLEXUS_OK(db->Backup(scratch.path("copy"), &beside));
  EXPECT_TRUE(beside.in_time);
  PLEXUS_OK(beside.status);
  const auto copy = MustOpen(scratch.path("copy"), ReadOnly());
  EXPECT_EQ(Dump(copy->snapshot()), then);
  PLEXUS_OK(copy->AsOf(2));
  EXPECT_EQ(db->stats().history_floor, 8u);
}

// Checkpoints go on; what they would drop is read, and goes with the next one.
TEST(Maintenance, CheckpointsDoNotWaitForAVerification) {
  ScratchDirectory scratch;
  OpenOptions options = Create();
  options.checkpoints_kept = 1;
  const auto db = OpenScript(scratch.path(), options);
  WorkBeside beside([&]() -> Status {
    PLEXUS_TRY(LookBack(*db));
    ApplyScript(*db, 7, 9);
    return db->Checkpoint();
  });
  VerifyOptions verify;
  verify.progress = &beside;
  const auto report = Must(db->Verify(verify));
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.records, 6u);
  EXPECT_EQ(report.checkpoints, 1u);  // the other one is younger
  EXPECT_TRUE(beside.in_time);
  PLEXUS_OK(beside.status);
  EXPECT_EQ(db->stats().checkpoints, (std::vector<Sequence>{4, 9}));
  ApplyScript(*db, 10, 10);
  PLEXUS_OK(db->Checkpoint());
  EXPECT_EQ(db->stats().checkpoints, std::vector<Sequence>{10});
  ExpectSound(*db);
}

// A trim waits with what it takes away.
TEST(Maintenance, TrimsLeaveAVerificationWhatItReads) {
  ScratchDirectory scratch;
  std::promise<bool> waits;
  std::atomic<bool> come{false};
  TestHooks hooks;
  hooks.at_point = [&](const char* point) {
    const bool waiting = std::string_view(point) == "erasing.waits";
    if (!waiting && std::string_view(point) != "trim.anchored") return;
    if (!come.exchange(true)) waits.set_value(waiting);
  };
  OpenOptions options = Create();
  options.hooks = &hooks;
  const auto db = OpenScript(scratch.path(), options);
  std::future<Status> trim;
  WorkBeside beside([&]() -> Status {
    PLEXUS_TRY(LookBack(*db));
    trim = std::async(std::launch::async, [&] { return db->Trim(5); });
    auto waiting = waits.get_future();
    if (waiting.wait_for(kLong) != std::future_status::ready)
      return Fail(ErrorCode::kInternal, "no trim");
    EXPECT_TRUE(waiting.get());
    EXPECT_EQ(db->stats().history_floor, 0u);
    return {};
  });
  VerifyOptions verify;
  verify.progress = &beside;
  const auto report = Must(db->Verify(verify));
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.records, 6u);
  EXPECT_TRUE(beside.in_time);
  PLEXUS_OK(beside.status);
  ASSERT_TRUE(trim.valid());
  PLEXUS_OK(trim.get());
  EXPECT_EQ(db->stats().history_floor, 5u);
  EXPECT_EQ(db->AsOf(3).error().code, ErrorCode::kNotFound);
}

// Looking back without a pause, by several threads, does not keep others from erasing.
TEST(Maintenance, ReadersDoNotStarveATrim) {
  ScratchDirectory scratch;
  OpenOptions options = Create();
  options.checkpoints_kept = 1;
  const auto db = OpenScript(scratch.path(), options);
  std::atomic<bool> stop{false};
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i)
      readers.emplace_back([&] {
        while (!stop) EXPECT_TRUE(db->History(0));
      });
    auto work = std::async(std::launch::async, [&]() -> Status {
      PLEXUS_TRY(db->Checkpoint());
      EXPECT_EQ(db->stats().checkpoints, std::vector<Sequence>{6});
      return db->Trim(5);
    });
    EXPECT_EQ(work.wait_for(kLong), std::future_status::ready);
    stop = true;
    PLEXUS_OK(work.get());
  }
  EXPECT_EQ(db->stats().history_floor, 5u);
}

TEST(Maintenance, LookingBackDoesNotWaitForACheckpoint) {
  ScratchDirectory scratch;
  const auto db = OpenScript(scratch.path(), Create());
  WorkBeside beside([&] { return LookBack(*db); });
  PLEXUS_OK(db->Checkpoint(&beside));
  EXPECT_TRUE(beside.in_time);
  PLEXUS_OK(beside.status);
}

// A trim flushes what it deleted: appends go on until the files are there, and while it waits.
TEST(Maintenance, AppendsDoNotWaitForAFlush) {
  ScratchDirectory scratch;
  std::promise<void> reached, applied;
  const std::shared_future<void> go = applied.get_future().share();
  std::atomic<bool> slow{false}, stopped{false}, in_time{true};
  std::unique_ptr<Database> db;
  TestHooks hooks;
  // Once `slow`, sorted files are begun only when `go` is ready.
  hooks.file_system = std::make_shared<WatchedFiles>([&](const FileEvent& event) {
    if (slow && event.what == FileOperation::kMake && event.path.ends_with(".sst")) {
      if (!stopped.exchange(true)) reached.set_value();
      if (go.wait_for(kLong) != std::future_status::ready) in_time = false;
    }
    return rocksdb::IOStatus::OK();
  });
  bool begun = false;
  hooks.at_point = [&](const char* point) {
    if (std::string_view(point) == "trim.anchored") slow = true;
    if (!slow || std::string_view(point) != "rocks.flush_begun") return;
    begun = true;
    ApplyScript(*db, 7, 7);
  };
  OpenOptions options = Create();
  options.hooks = &hooks;
  db = OpenScript(scratch.path(), options);
  auto trim = std::async(std::launch::async, [&] { return db->Trim(5); });
  ASSERT_EQ(reached.get_future().wait_for(kLong), std::future_status::ready);
  while (db->snapshot().sequence() < 7 && in_time) std::this_thread::yield();
  ApplyScript(*db, 8, 8);
  applied.set_value();
  PLEXUS_OK(trim.get());
  EXPECT_TRUE(in_time);
  EXPECT_TRUE(begun);
  PLEXUS_OK(db->Close());
  EXPECT_EQ(Dump(MustOpen(scratch.path())->snapshot()), ScriptDumps(8)[8]);
}

TEST(Maintenance, CountingDoesNotWait) {
  ScratchDirectory scratch;
  const auto db = OpenScript(scratch.path(), Create());
  const auto count = [&] {
    EXPECT_EQ(db->stats().history_floor, 0u);
    return Status();
  };
  WorkBeside backup(count), checkpoint(count);
  PLEXUS_OK(db->Backup(scratch.path("copy"), &backup));
  EXPECT_TRUE(backup.in_time);
  PLEXUS_OK(db->Checkpoint(&checkpoint));
  EXPECT_TRUE(checkpoint.in_time);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
