// Backups are whole databases of one moment; restoring gives one of its own.
#include <filesystem>

#include "storage/replica.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

TEST(Backup, BackupAndRestore) {
  ScratchDirectory scratch;
  Expected expected;
  auto db = MustOpen(scratch.path("live"), Create());
  ApplyScript(*db, 1, 12);
  PLEXUS_OK(db->Checkpoint());
  ApplyScript(*db, 13, 18);
  PLEXUS_OK(db->Backup(scratch.path("backup")));
  ApplyScript(*db, 19, 25);  // the backup does not follow
  EXPECT_TRUE(FailsWith(db->Backup(scratch.path("backup")), ErrorCode::kAlreadyExists));
  PLEXUS_OK(Database::Restore(scratch.path("backup"), scratch.path("restored")));
  for (const char* closed : {"backup", "restored"})
    EXPECT_EQ(replica::ClosedSequence(scratch.path(closed)), 18u);
  EXPECT_TRUE(
      FailsWith(replica::ClosedSequence(scratch.path("live")), ErrorCode::kFailedPrecondition));
  EXPECT_TRUE(FailsWith(replica::ClosedSequence(scratch.path("none")), ErrorCode::kNotFound));
  {
    auto restored = MustOpen(scratch.path("restored"));
    EXPECT_TRUE(restored->report().was_clean);
    EXPECT_EQ(DumpDigest(restored->snapshot()), expected.At(18));
    EXPECT_EQ(DumpDigest(*restored->AsOf(7)), expected.At(7));
    ApplyScript(*restored, 19, 21);
    PLEXUS_OK(restored->Close());
  }
  // Writing to the restored one did not touch the backup.
  auto copy = MustOpen(scratch.path("backup"), ReadOnly());
  EXPECT_EQ(DumpDigest(copy->snapshot()), expected.At(18));
  EXPECT_EQ(DumpDigest(db->snapshot()), expected.At(25));
}

TEST(Backup, EmptyAndTrimmed) {
  ScratchDirectory scratch;
  Expected expected;
  auto db = MustOpen(scratch.path("live"), Create());
  PLEXUS_OK(db->Backup(scratch.path("empty")));
  ApplyScript(*db, 1, 10);
  PLEXUS_OK(db->Trim(10));
  PLEXUS_OK(db->Backup(scratch.path("trimmed")));
  PLEXUS_OK(Database::Restore(scratch.path("trimmed"), scratch.path("restored")));
  EXPECT_EQ(DumpDigest(MustOpen(scratch.path("restored"))->snapshot()), expected.At(10));
  EXPECT_EQ(MustOpen(scratch.path("empty"), ReadOnly())->snapshot().sequence(), 0u);
}

TEST(Backup, DamagedBackupIsNotRestored) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path("live"), Create());
  ApplyScript(*db, 1, 10);
  PLEXUS_OK(db->Backup(scratch.path("backup")));
  for (const std::string& path : FilesBelow(scratch.path("backup"))) {
    if (!path.ends_with(".sst")) continue;
    std::string bytes = ReadFile(path);
    bytes[bytes.size() / 2] ^= 1;
    std::filesystem::remove(path);  // a hard link: the live file must stay whole
    WriteFile(path, bytes);
    break;
  }
  EXPECT_TRUE(FailsWith(Database::Restore(scratch.path("backup"), scratch.path("restored")),
                        ErrorCode::kCorruption));
  EXPECT_TRUE(FailsWith(Database::Restore(scratch.path("live"), scratch.path("restored2")),
                        ErrorCode::kFailedPrecondition))
      << "an open database is not a backup";
  ExpectSound(*db);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
