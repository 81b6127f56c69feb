// What one short session costs: syncs, bytes and files, counted below RocksDB.
#include <filesystem>

#include "storage/base/fail_points.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

struct Counts {
  std::uint64_t syncs = 0, bytes = 0;
};

class CountingFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  CountingFile(std::unique_ptr<rocksdb::FSWritableFile> file, Counts& counts)
      : FSWritableFileOwnerWrapper(std::move(file)), counts_(counts) {}
  IOStatus Append(const Slice& data, const IOOptions& o, IODebugContext* d) override {
    counts_.bytes += data.size();
    return FSWritableFileOwnerWrapper::Append(data, o, d);
  }
  IOStatus Append(const Slice& data, const IOOptions& o, const rocksdb::DataVerificationInfo&,
                  IODebugContext* d) override {
    return Append(data, o, d);
  }
  IOStatus Sync(const IOOptions& o, IODebugContext* d) override {
    ++counts_.syncs;
    return FSWritableFileOwnerWrapper::Sync(o, d);
  }
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    ++counts_.syncs;
    return FSWritableFileOwnerWrapper::Fsync(o, d);
  }

 private:
  Counts& counts_;
};

class CountingDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  CountingDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, Counts& counts)
      : FSDirectoryWrapper(std::move(directory)), counts_(counts) {}
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    ++counts_.syncs;
    return FSDirectoryWrapper::Fsync(o, d);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& o, IODebugContext* d,
                               const rocksdb::DirFsyncOptions& options) override {
    ++counts_.syncs;
    return FSDirectoryWrapper::FsyncWithDirOptions(o, d, options);
  }

 private:
  Counts& counts_;
};

class CountingFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit CountingFileSystem(Counts& counts)
      : FileSystemWrapper(FileSystem::Default()), counts_(counts) {}
  const char* Name() const override { return "CountingFileSystem"; }
  IOStatus NewWritableFile(const std::string& path, const FileOptions& o,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* d) override {
    IOStatus s = FileSystemWrapper::NewWritableFile(path, o, file, d);
    if (s.ok()) *file = std::make_unique<CountingFile>(std::move(*file), counts_);
    return s;
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& o,
                        std::unique_ptr<rocksdb::FSDirectory>* directory,
                        IODebugContext* d) override {
    IOStatus s = FileSystemWrapper::NewDirectory(path, o, directory, d);
    if (s.ok()) *directory = std::make_unique<CountingDirectory>(std::move(*directory), counts_);
    return s;
  }

 private:
  Counts& counts_;
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
  hooks.file_system = std::make_shared<CountingFileSystem>(counts);
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
