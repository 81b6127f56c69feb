// Power is lost after a clean close: what was never synced is gone.
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "storage/base/fail_points.h"
#include "tests/support/expected.h"
#include "tests/support/files/watched_files.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

// The bytes of each file, and how many of them were synced.
class Disk {
 public:
  struct Bytes {
    std::uint64_t written = 0, synced = 0;
  };
  // Of write-ahead logs.
  std::shared_ptr<rocksdb::FileSystem> Files() {
    return std::make_shared<WatchedFiles>([this](const FileEvent& event) {
      if (!event.path.ends_with(".log")) return rocksdb::IOStatus::OK();
      const std::lock_guard lock(mutex_);
      Bytes& file = files_[event.path];
      if (event.what == FileOperation::kAppend) file.written += event.bytes;
      if (event.what == FileOperation::kSync) file.synced = file.written;
      return rocksdb::IOStatus::OK();
    });
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

// Each close drops an older checkpoint; one of them comes after a trim.
TEST(PowerLoss, ACleanCloseHasSyncedAllThatItLists) {
  Expected expected;
  for (const bool trims : {false, true}) {
    ScratchDirectory scratch;
    Disk disk;
    TestHooks hooks;
    hooks.file_system = disk.Files();
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
    auto db = Must(Database::Open(scratch.path(), Create()));
    EXPECT_EQ(DumpDigest(db->snapshot()), expected.At(last));
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
