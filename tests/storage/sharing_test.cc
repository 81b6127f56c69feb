// Who may open what beside whom: locks, read-only views, read-only directories.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/support/child_process.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

TEST(Sharing, SecondWriterInTheSameProcess) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  EXPECT_TRUE(FailsWith(Database::Open(scratch.path(), Create()), ErrorCode::kLocked,
                        std::to_string(getpid())));
  PLEXUS_OK(db->Close());
  EXPECT_TRUE(Database::Open(scratch.path(), {}));
}

TEST(Sharing, SecondWriterInAnotherProcess) {
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), Create());
    ChildProcess child({"open", scratch.path()});
    std::string line;
    ASSERT_TRUE(child.ReadLine(&line));
    EXPECT_TRUE(line.starts_with("locked")) << line;
    EXPECT_NE(line.find(std::to_string(getpid())), std::string::npos) << line;
    EXPECT_EQ(child.Wait(), 0);
  }
  ChildProcess holder({"hold", scratch.path()});
  std::string line;
  ASSERT_TRUE(holder.ReadLine(&line));
  EXPECT_TRUE(FailsWith(Database::Open(scratch.path(), {}), ErrorCode::kLocked));
  // The kernel drops the lock of a killed process: nothing stale stays.
  holder.Kill();
  holder.Wait();
  auto db = Database::Open(scratch.path(), {});
  ASSERT_TRUE(db) << db.error().ToString();
}

TEST(Sharing, ReadOnlyRefusesWrites) {
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, 5);
  }
  auto db = MustOpen(scratch.path(), ReadOnly());
  EXPECT_TRUE(db->read_only());
  EXPECT_TRUE(FailsWith(db->graph().Apply(ScriptBatch(6)), ErrorCode::kReadOnly));
  EXPECT_EQ(db->Checkpoint().error().code, ErrorCode::kReadOnly);
  EXPECT_EQ(db->Trim(2).error().code, ErrorCode::kReadOnly);
  auto past = db->AsOf(3);
  PLEXUS_OK(past);
  ExpectSound(*db);
}

TEST(Sharing, ReadOnlyDirectory) {
  if (geteuid() == 0) {
    // Root writes everywhere; then the promise is only that nothing is written.
    ScratchDirectory scratch;
    MustOpen(scratch.path(), Create());
    const auto before = FilesBelow(scratch.path());
    MustOpen(scratch.path(), ReadOnly());
    EXPECT_EQ(FilesBelow(scratch.path()), before);
    return;
  }
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, 5);
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
    chmod(entry.path().c_str(), entry.is_directory() ? 0555 : 0444);
  chmod(scratch.path().c_str(), 0555);
  {
    auto reader = Database::Open(scratch.path(), ReadOnly());
    EXPECT_TRUE(reader) << reader.error().ToString();
    EXPECT_TRUE(FailsWith(Database::Open(scratch.path(), {}), ErrorCode::kReadOnly));
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
    chmod(entry.path().c_str(), 0755);
  chmod(scratch.path().c_str(), 0755);
}

TEST(Sharing, ReaderBesideAWriter) {
  ScratchDirectory scratch;
  Expected expected;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 5);
  auto reader = MustOpen(scratch.path(), ReadOnly());
  EXPECT_TRUE(reader->report().live_writer);
  EXPECT_FALSE(reader->report().tail_dropped);
  EXPECT_EQ(DumpDigest(reader->snapshot()), expected.At(5));
  ApplyScript(*writer, 6, 10);
  EXPECT_EQ(reader->snapshot().sequence(), 5u) << "a static view";
  const Snapshot old = reader->snapshot();
  PLEXUS_OK(writer->Checkpoint());
  PLEXUS_OK(reader->Refresh());
  EXPECT_EQ(DumpDigest(reader->snapshot()), expected.At(10));
  EXPECT_EQ(old.sequence(), 5u);
  PLEXUS_OK(reader->Refresh());
  PLEXUS_OK(writer->Close());
  PLEXUS_OK(reader->Refresh());
  EXPECT_EQ(DumpDigest(reader->snapshot()), expected.At(10));
}

// Files vanish under readers all the time here; every view is one that existed.
TEST(Sharing, ReadersBesideABusyWriter) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 1);
  std::atomic<bool> stop{false};
  std::vector<std::pair<Sequence, std::uint64_t>> seen;
  std::string failure;
  std::thread reading([&] {
    while (!stop) {
      auto reader = Database::Open(scratch.path(), ReadOnly());
      if (!reader) {
        failure = reader.error().ToString();
        return;
      }
      seen.emplace_back((*reader)->snapshot().sequence(), DumpDigest((*reader)->snapshot()));
    }
  });
  for (std::uint64_t i = 2; i <= 60; ++i) {
    ApplyScript(*writer, i, i);
    if (i % 4 == 0) PLEXUS_OK(writer->Checkpoint());
    if (i % 20 == 0) PLEXUS_OK(writer->Trim(i - 10));
  }
  stop = true;
  reading.join();
  EXPECT_EQ(failure, "");
  EXPECT_GT(seen.size(), 0u);
  Expected expected;
  for (const auto& [sequence, digest] : seen) ASSERT_EQ(digest, expected.At(sequence)) << sequence;
}

}  // namespace
}  // namespace plexus::storage_internal::testing
