// What one short session costs: syncs, bytes and files, counted below RocksDB.
#include <algorithm>
#include <memory>

#include "storage/base/fail_points.h"
#include "tests/support/expected.h"
#include "tests/support/files/watched_files.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

struct Counts {
  std::uint64_t syncs = 0, bytes = 0;
};

TEST(SessionCost, OneBatchInASessionOfItsOwn) {
  ScratchDirectory scratch;
  {  // a checkpoint that 60 small sessions must not write again
    auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, 20);
    PLEXUS_OK(db->Checkpoint());
  }
  Expected expected;
  Counts counts;
  TestHooks hooks;
  hooks.file_system = std::make_shared<WatchedFiles>([&](const FileEvent& event) {
    counts.bytes += event.bytes;
    counts.syncs +=
        event.what == FileOperation::kSync || event.what == FileOperation::kSyncDirectory;
    return rocksdb::IOStatus::OK();
  });
  OpenOptions options = Create();
  options.hooks = &hooks;
  std::uint64_t plain = 0, most_files = 0;
  for (std::uint64_t i = 21; i <= 80; ++i) {
    const Counts before = counts;
    auto db = MustOpen(scratch.path(), options);
    EXPECT_TRUE(db->report().was_clean);
    EXPECT_EQ(db->report().checkpoint_sequence, 20u) << "a close wrote a checkpoint";
    ApplyScript(*db, i, i);
    PLEXUS_OK(db->Close());
    // Anchor and its directory, MANIFEST, CURRENT, their directory; the record; the anchor.
    // Every now and then logs go to sorted files.
    plain += counts.syncs - before.syncs <= 7;
    most_files = std::max<std::uint64_t>(most_files, FilesBelow(scratch.path()).size());
  }
  EXPECT_GE(plain, 50u);
  EXPECT_LT(counts.bytes, 60u * 12'000);
  for (const std::string& name : FilesBelow(scratch.path()))
    EXPECT_EQ(name.find("OPTIONS"), std::string::npos) << "nobody reads " << name;
  EXPECT_LE(most_files, 50u);
  auto db = MustOpen(scratch.path(), ReadOnly());
  EXPECT_EQ(DumpDigest(db->snapshot()), expected.At(80));
  const Counts before = counts;
  for (std::uint64_t i = 0; i < 3; ++i) MustOpen(scratch.path(), ReadOnly());
  EXPECT_EQ(counts.syncs, before.syncs);
}

TEST(SessionCost, ALongTailEarnsACheckpoint) {
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), Create());
    WriteBatch batch(1000);
    for (int i = 0; i < 40'000; ++i)
      batch.Link(batch.Node("a" + std::to_string(i)), batch.EdgeKindNamed("k"),
                 batch.Node("a" + std::to_string(i + 1)));
    PLEXUS_OK(db->graph().Apply(batch));
    PLEXUS_OK(db->Close());
  }
  {
    auto db = MustOpen(scratch.path());
    EXPECT_EQ(db->report().checkpoint_sequence, 1u) << "400 KB of log behind no checkpoint";
    EXPECT_EQ(db->report().replayed_records, 0u);
    WriteBatch batch(2000);
    batch.Link(batch.Node("a1"), batch.EdgeKindNamed("k"), batch.Node("a9"));
    PLEXUS_OK(db->graph().Apply(batch));
    PLEXUS_OK(db->Close());
  }
  auto db = MustOpen(scratch.path());
  EXPECT_EQ(db->report().checkpoint_sequence, 1u) << "one edge earns none";
  EXPECT_EQ(db->report().replayed_records, 1u);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
