// Power is lost after a clean close: what was never synced is gone.
#include <filesystem>
#include <map>
#include <mutex>

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

// The bytes of each file, and how many of them were synced.
class Disk {
 public:
  struct Bytes {
    std::uint64_t written = 0, synced = 0;
  };
  void Append(const std::string& path, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    files_[path].written += bytes;
  }
  void Sync(const std::string& path) {
    const std::lock_guard lock(mutex_);
    files_[path].synced = files_[path].written;
  }
  // Cuts what was not synced. The number of files that lost some.
  std::uint64_t LosePower() {
    std::uint64_t cut = 0;
    for (const auto& [path, bytes] : files_) {
      if (bytes.synced == bytes.written || !std::filesystem::exists(path)) continue;
      std::filesystem::resize_file(path, bytes.synced);
      ++cut;
    }
    return cut;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Bytes> files_;
};

class LosingFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  LosingFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string path, Disk& disk)
      : FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)), disk_(disk) {}
  IOStatus Append(const Slice& data, const IOOptions& o, IODebugContext* d) override {
    disk_.Append(path_, data.size());
    return FSWritableFileOwnerWrapper::Append(data, o, d);
  }
  IOStatus Append(const Slice& data, const IOOptions& o, const rocksdb::DataVerificationInfo&,
                  IODebugContext* d) override {
    return Append(data, o, d);
  }
  IOStatus Sync(const IOOptions& o, IODebugContext* d) override {
    disk_.Sync(path_);
    return FSWritableFileOwnerWrapper::Sync(o, d);
  }
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    disk_.Sync(path_);
    return FSWritableFileOwnerWrapper::Fsync(o, d);
  }

 private:
  const std::string path_;
  Disk& disk_;
};

// Of write-ahead logs.
class LosingFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit LosingFileSystem(Disk& disk) : FileSystemWrapper(FileSystem::Default()), disk_(disk) {}
  const char* Name() const override { return "LosingFileSystem"; }
  IOStatus NewWritableFile(const std::string& path, const FileOptions& o,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* d) override {
    IOStatus s = FileSystemWrapper::NewWritableFile(path, o, file, d);
    if (s.ok() && path.ends_with(".log"))
      *file = std::make_unique<LosingFile>(std::move(*file), path, disk_);
    return s;
  }

 private:
  Disk& disk_;
};

// Each close drops an older checkpoint; one of them comes after a trim.
TEST(PowerLoss, ACleanCloseHasSyncedAllThatItLists) {
  Expected expected;
  for (const bool trims : {false, true}) {
    ScratchDirectory scratch;
    Disk disk;
    TestHooks hooks;
    hooks.file_system = std::make_shared<LosingFileSystem>(disk);
    OpenOptions options = Create();
    options.hooks = &hooks;
    options.checkpoint_on_close = CheckpointOnClose::kAlways;
    options.checkpoints_kept = 1;
    Sequence last = 0;
    for (int session = 0; session < 3; ++session) {
      auto db = MustOpen(scratch.path(), options);
      EXPECT_EQ(db->report().was_clean, session > 0);
      EXPECT_EQ(DumpDigest(db->snapshot()), expected.At(last));
      ApplyScript(*db, last + 1, last + 5);
      last += 5;
      if (trims && session == 1) PLEXUS_OK(db->Trim(last - 2));
      PLEXUS_OK(db->Close());
      EXPECT_EQ(disk.LosePower(), 0u) << "session " << session << (trims ? ", trimmed" : "");
    }
    auto db = Database::Open(scratch.path(), Create());
    PLEXUS_OK(db);
    EXPECT_EQ(DumpDigest((*db)->snapshot()), expected.At(last));
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
