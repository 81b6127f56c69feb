// A directory that is moved, replaced or deleted while it is open: the next sync is refused, what
// was acknowledged is where the files are, and nothing is written anywhere else.
#include <filesystem>
#include <string>

#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

namespace fs = std::filesystem;

// The error names what is not there, and the graph takes nothing more.
void ExpectRefused(Database& db, std::uint64_t next, const std::string& path) {
  EXPECT_TRUE(FailsWith(db.graph().Apply(ScriptBatch(next)), ErrorCode::kIo,
                        {path, "moved, replaced or deleted"}));
  EXPECT_TRUE(db.graph().read_only());
  EXPECT_FALSE(db.graph().Apply(ScriptBatch(next)));
  EXPECT_FALSE(db.Checkpoint());
  EXPECT_FALSE(db.Close());
}

// Opens, with all that was acknowledged, and one batch more where its sync was refused.
void ExpectHolds(const std::string& directory, std::uint64_t acknowledged) {
  const auto opened = Must(Database::Open(directory, {}));
  const Sequence found = opened->snapshot().sequence();
  EXPECT_GE(found, acknowledged);
  EXPECT_LE(found, acknowledged + 1);
  EXPECT_EQ(Dump(opened->snapshot()), ScriptDumps(found)[found]);
  ExpectSound(*opened);
}

TEST(Moved, TheNextSyncIsRefused) {
  ScratchDirectory scratch;
  const auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 10);
  fs::rename(scratch.path(), scratch.path("moved"));
  ExpectRefused(*db, 11, scratch.path());
  EXPECT_FALSE(fs::exists(scratch.path()));
  ExpectHolds(scratch.path("moved"), 10);
}

// Files that RocksDB makes later would go into the other directory.
TEST(Moved, AnotherDatabaseTakesThePlace) {
  for (const bool sync : {true, false}) {
    ScratchDirectory scratch;
    {
      const auto other = MustOpen(scratch.path("other"), Create());
      ApplyScript(*other, 1, 5);
      PLEXUS_OK(other->Close());
    }
    const auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, 10);
    fs::rename(scratch.path(), scratch.path("moved"));
    fs::rename(scratch.path("other"), scratch.path());
    std::uint64_t acknowledged = 10;
    if (sync) {
      ExpectRefused(*db, 11, scratch.path());
    } else {  // until somebody syncs; what is acknowledged is in the moved files
      while (acknowledged < 20 &&
             db->graph().Apply(ScriptBatch(acknowledged + 1), {.durability = Durability::kNone}))
        ++acknowledged;
      EXPECT_EQ(acknowledged, 20u);
      EXPECT_FALSE(db->Checkpoint());
      EXPECT_FALSE(db->Trim(3));
      EXPECT_FALSE(db->Close());
    }
    ExpectHolds(scratch.path("moved"), acknowledged);
    const auto other = MustOpen(scratch.path());
    EXPECT_TRUE(other->report().was_clean);
    EXPECT_EQ(Dump(other->snapshot()), ScriptDumps(5)[5]);
  }
}

// By the thread that syncs: a buffered writer is told at one of its next batches.
TEST(Moved, ABufferedWriterIsTold) {
  ScratchDirectory scratch;
  const auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 10);
  fs::rename(scratch.path(), scratch.path("moved"));
  fs::create_directory(scratch.path());
  std::uint64_t acknowledged = 0;
  for (bool more = true; more;) {
    WriteBatch batch(100'000);
    batch.UpsertNode(std::to_string(acknowledged));
    more = db->graph().Apply(batch, {.durability = Durability::kBuffered}).has_value();
    if (more) ++acknowledged;
  }
  EXPECT_FALSE(db->Close());
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  EXPECT_GE(MustOpen(scratch.path("moved"))->snapshot().sequence(), 10 + acknowledged);
}

TEST(Moved, DeletedWholly) {
  ScratchDirectory scratch;
  const auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 10);
  fs::remove_all(scratch.path());
  ExpectRefused(*db, 11, scratch.path());
  EXPECT_FALSE(fs::exists(scratch.path()));
  ApplyScript(*MustOpen(scratch.path(), Create()), 1, 3);
}

// Also where nothing is left to sync.
TEST(Moved, DeletedBeforeClose) {
  ScratchDirectory scratch;
  const auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 10);
  fs::remove_all(scratch.path());
  EXPECT_TRUE(FailsWith(db->Close(), ErrorCode::kIo, scratch.path()));
  EXPECT_FALSE(fs::exists(scratch.path()));
}

// Each kind of file, while the others stay.
TEST(Moved, OneFileDeleted) {
  for (const std::string kind : {".log", ".sst", "MANIFEST-", "CURRENT"}) {
    SCOPED_TRACE(kind);
    ScratchDirectory scratch;
    const auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, 10);
    PLEXUS_OK(db->Checkpoint());
    ApplyScript(*db, 11, 12);
    std::string deleted;
    for (const std::string& file : FilesBelow(scratch.path()))
      if (file.find(kind) != std::string::npos) deleted = file;
    ASSERT_FALSE(deleted.empty());
    if (!fs::exists(deleted)) deleted = scratch.path() + "/" + deleted;
    ASSERT_TRUE(fs::remove(deleted));
    ExpectRefused(*db, 13, deleted.substr(deleted.rfind('/')));
  }
}

// Another writer could take a new one.
TEST(Moved, TheLockDeleted) {
  ScratchDirectory scratch;
  const auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 4);
  ASSERT_TRUE(fs::remove(scratch.path() + "/lock"));
  EXPECT_EQ(db->Checkpoint().error().code, ErrorCode::kIo);
  EXPECT_FALSE(db->Close());
}

// What the database itself renames, links and deletes is no such case.
TEST(Moved, OwnWorkIsNotMistaken) {
  ScratchDirectory scratch;
  OpenOptions options = Create();
  options.checkpoints_kept = 1;
  for (int session = 0; session < 3; ++session) {
    const auto db = MustOpen(scratch.path(), options);
    for (std::uint64_t i = 0; i < 12; ++i) {
      const std::uint64_t next = db->snapshot().sequence() + 1;
      if (i == 6) PLEXUS_OK(db->BeginBulk());
      PLEXUS_OK(db->graph().Apply(ScriptBatch(next)));
      if (i == 8) PLEXUS_OK(db->EndBulk());
      if (i % 3 == 2) PLEXUS_OK(db->Checkpoint());
      if (i == 10) PLEXUS_OK(db->Trim(next - 2));
    }
    const NodeId node = 1;
    PLEXUS_OK(db->HardPurge({&node, 1}));
    PLEXUS_OK(db->Backup(scratch.path("copy" + std::to_string(session))));
    PLEXUS_OK(db->Close());
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
