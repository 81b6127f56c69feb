// Beside a writer that opens, writes and closes without end: every view is one that
// existed, holds all that was acknowledged before, and nobody raises an alarm.
//
// PLEXUS_BESIDE_READS reads (60 unless told), a fifth of them with verify, a twentieth
// with a backup.
#include <filesystem>

#include "storage/base/fail_points.h"
#include "storage/base/lock_file.h"
#include "tests/support/child_process.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

TEST(BesideAWriter, ReadsVerifiesAndBackups) {
  const std::uint64_t reads = EnvNumber("PLEXUS_BESIDE_READS", 60);
  std::unique_ptr<ScratchDirectory> scratch;
  std::unique_ptr<ChildProcess> child;
  std::unique_ptr<Expected> expected;
  std::uint64_t live = 0, verified = 0, backups = 0;
  for (std::uint64_t read = 0; read < reads; ++read) {
    if (read % 500 == 0) {  // graphs stay small
      child.reset();
      scratch = std::make_unique<ScratchDirectory>();
      expected = std::make_unique<Expected>(3);
      child = std::make_unique<ChildProcess>(
          std::vector<std::string>{"sessions", scratch->path(), "3"});
      ASSERT_TRUE(child->ReadAcknowledgements(1));
    }
    ASSERT_TRUE(child->ReadAcknowledgements(read % 3));
    child->ReadFor({});
    const Sequence acked = child->acknowledged();
    auto reader = Database::Open(scratch->path(), ReadOnly());
    ASSERT_TRUE(reader) << "read " << read << ": " << reader.error().ToString();
    const Sequence seen = (*reader)->snapshot().sequence();
    ASSERT_GE(seen, acked) << "read " << read;
    ASSERT_FALSE((*reader)->report().tail_dropped) << (*reader)->report().tail_message;
    live += (*reader)->report().live_writer;
    if (seen < 400) {
      ASSERT_EQ(DumpDigest((*reader)->snapshot()), expected->At(seen)) << "read " << read;
    }
    if (read % 5 == 2) {
      ExpectSound(**reader, {.against_replay = read % 10 == 2});
      ++verified;
    }
    if (read % 20 == 7) {
      const std::string to = scratch->path("backup");
      PLEXUS_OK((*reader)->Backup(to));
      auto copy = Must(Database::Open(to, ReadOnly()));
      ASSERT_TRUE(copy->report().was_clean);
      ASSERT_EQ(DumpDigest(copy->snapshot()), DumpDigest((*reader)->snapshot()));
      copy.reset();
      std::filesystem::remove_all(to);
      ++backups;
    }
  }
  std::printf("beside a writer: %llu reads (%llu while it was open), %llu verified, %llu backups\n",
              static_cast<unsigned long long>(reads), static_cast<unsigned long long>(live),
              static_cast<unsigned long long>(verified), static_cast<unsigned long long>(backups));
}

// The moment is held: whatever the writer deletes later, the view can be read on.
TEST(BesideAWriter, AViewOutlivesItsFiles) {
  ScratchDirectory scratch;
  Expected expected;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 10);
  PLEXUS_OK(writer->Checkpoint());
  auto reader = MustOpen(scratch.path(), ReadOnly());
  for (std::uint64_t i = 11; i <= 16; ++i) {
    ApplyScript(*writer, i, i);
    PLEXUS_OK(writer->Checkpoint());
  }
  PLEXUS_OK(writer->Trim(12));
  PLEXUS_OK(writer->Close());
  EXPECT_EQ(DumpDigest(reader->snapshot()), expected.At(10));
  auto past = Must(reader->AsOf(4));
  EXPECT_EQ(DumpDigest(past), expected.At(4));
  ExpectSound(*reader);
  PLEXUS_OK(reader->Backup(scratch.path("backup")));
  EXPECT_EQ(DumpDigest(MustOpen(scratch.path("backup"))->snapshot()), expected.At(10));
}

// Damage is told as damage beside a writer, too.
TEST(BesideAWriter, DamageIsStillFound) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 10);
  PLEXUS_OK(writer->Checkpoint());
  for (const std::string& path : FilesBelow(scratch.path())) {
    if (path.find("/MANIFEST-") == std::string::npos) continue;
    std::string bytes = ReadFile(path);
    bytes[bytes.size() / 2] ^= 1;
    WriteFile(path, bytes);
  }
  EXPECT_TRUE(FailsWith(Database::Open(scratch.path(), ReadOnly()), ErrorCode::kCorruption));
}

TEST(BesideAWriter, WaitsForTheLock) {
  ScratchDirectory scratch;
  auto first = MustOpen(scratch.path(), Create());
  OpenOptions options;
  options.lock_wait_ms = 60'000;
  std::uint64_t asked = 0;
  std::string holder;
  options.on_lock_wait = [&](const std::string& who, std::int64_t) {
    holder = who;
    if (++asked == 3) {
      EXPECT_TRUE(first->Close());
    }
    return true;
  };
  auto second = Database::Open(scratch.path(), options);
  ASSERT_TRUE(second) << second.error().ToString();
  EXPECT_EQ(asked, 3u);
  EXPECT_NE(holder.find(std::to_string(getpid())), std::string::npos) << holder;

  options.on_lock_wait = [](const std::string&, std::int64_t) { return false; };
  EXPECT_TRUE(FailsWith(Database::Open(scratch.path(), options), ErrorCode::kCancelled));

  options.lock_wait_ms = 60;
  options.on_lock_wait = {};
  EXPECT_TRUE(FailsWith(Database::Open(scratch.path(), options), ErrorCode::kLocked, "waited"));
}

TEST(BesideAWriter, AFailedBackupLeavesNothing) {
  class Stop : public Progress {
   public:
    bool Report(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
  };
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  ApplyScript(*writer, 1, 10);
  Stop stop;
  EXPECT_EQ(writer->Backup(scratch.path("backup"), &stop).error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("backup")));
  std::filesystem::create_directory(scratch.path("there"));
  EXPECT_FALSE(writer->Backup(scratch.path("there"), &stop));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path("there")));
  ASSERT_FALSE(writer->Backup(scratch.path("no/such/folder")));
  PLEXUS_OK(writer->Backup(scratch.path("there")));
  EXPECT_FALSE(Database::Restore(scratch.path("there"), scratch.path("restored"), &stop));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("restored")));
}

}  // namespace
}  // namespace plexus::storage_internal::testing
