// The guard: watches every write, refuses deletions after a failed one, leaves out syncs
// that have nothing to do.
#include "storage/base/guarded_file_system.h"

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "storage/base/plain_files.h"

namespace plexus::storage_internal {

namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

using Failed = std::shared_ptr<std::atomic<bool>>;

// Remembers a failure, and turns "no space" into a plain I/O error: for the former
// RocksDB starts a thread that waits for space and resumes by itself, which in
// 7.8.3 ends the process by an assertion (ResumeImpl, file_deletion_disabled).
IOStatus Watch(IOStatus status, const Failed& failed) {
  if (status.ok()) return status;
  failed->store(true, std::memory_order_relaxed);
  if (status.IsNoSpace()) return IOStatus::IOError(kNoSpaceText, status.ToString());
  return status;
}

// Options as RocksDB notes them at each open, and parses again to see whether it can. Nobody else
// reads them, and RocksDB goes on without.
bool IsDiary(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1).starts_with("OPTIONS-");
}

// Which directories have all their names on disk. One that is not known has not.
class SyncedDirectories {
 public:
  void NameChanged(const std::string& path) {
    if (IsDiary(path)) return;
    const std::lock_guard lock(mutex_);
    synced_.erase(path.substr(0, path.rfind('/')));
  }
  template <class Act>
  IOStatus Sync(const std::string& directory, Act&& sync) {
    const std::lock_guard one(sync_mutex_);  // a thread that finds it noted must not be too early
    {
      const std::lock_guard lock(mutex_);
      if (!synced_.insert(directory).second) return IOStatus::OK();
    }
    // A name that changes from here on takes the note away again.
    IOStatus status = sync();
    if (!status.ok()) {
      const std::lock_guard lock(mutex_);
      synced_.erase(directory);
    }
    return status;
  }

 private:
  std::mutex sync_mutex_;
  std::mutex mutex_;
  std::set<std::string> synced_;  // guarded by mutex_
};

class WatchedFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WatchedFile(std::unique_ptr<rocksdb::FSWritableFile> file, Failed failed)
      : FSWritableFileOwnerWrapper(std::move(file)), failed_(std::move(failed)) {}
  IOStatus Append(const Slice& data, const IOOptions& o, IODebugContext* d) override {
    return Watch(FSWritableFileOwnerWrapper::Append(data, o, d));
  }
  IOStatus Append(const Slice& data, const IOOptions& o, const rocksdb::DataVerificationInfo& v,
                  IODebugContext* d) override {
    return Watch(FSWritableFileOwnerWrapper::Append(data, o, v, d));
  }
  IOStatus Flush(const IOOptions& o, IODebugContext* d) override {
    return Watch(FSWritableFileOwnerWrapper::Flush(o, d));
  }
  IOStatus RangeSync(std::uint64_t offset, std::uint64_t bytes, const IOOptions& o,
                     IODebugContext* d) override {
    return Watch(FSWritableFileOwnerWrapper::RangeSync(offset, bytes, o, d));
  }
  IOStatus Sync(const IOOptions& o, IODebugContext* d) override {
    return Watch(FSWritableFileOwnerWrapper::Sync(o, d));
  }
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    return Watch(FSWritableFileOwnerWrapper::Fsync(o, d));
  }
  IOStatus Close(const IOOptions& o, IODebugContext* d) override {
    return Watch(FSWritableFileOwnerWrapper::Close(o, d));
  }

 private:
  IOStatus Watch(IOStatus status) const {
    return storage_internal::Watch(std::move(status), failed_);
  }
  Failed failed_;
};

class WatchedDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  WatchedDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, std::string path,
                   std::shared_ptr<SyncedDirectories> synced, Failed failed)
      : FSDirectoryWrapper(std::move(directory)),
        path_(std::move(path)),
        synced_(std::move(synced)),
        failed_(std::move(failed)) {
    while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  }
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    return synced_->Sync(path_, [&] { return Watch(FSDirectoryWrapper::Fsync(o, d), failed_); });
  }
  IOStatus FsyncWithDirOptions(const IOOptions& o, IODebugContext* d,
                               const rocksdb::DirFsyncOptions& options) override {
    return synced_->Sync(path_, [&] {
      return Watch(FSDirectoryWrapper::FsyncWithDirOptions(o, d, options), failed_);
    });
  }

 private:
  std::string path_;
  std::shared_ptr<SyncedDirectories> synced_;
  Failed failed_;
};

IOStatus ToStatus(const Status& status) {
  return status ? IOStatus::OK() : IOStatus::IOError(status.error().message);
}

class GuardFileSystem : public Guard {
 public:
  explicit GuardFileSystem(std::shared_ptr<rocksdb::FileSystem> below)
      : Guard(std::move(below)), failed_(std::make_shared<std::atomic<bool>>(false)) {}
  const char* Name() const override { return "PlexusGuard"; }

  bool MayDelete(const std::string& path) const override {
    return !failed_->load(std::memory_order_relaxed) ||
           path.find("/generation-") == std::string::npos;
  }
  void NameChanged(const std::string& path) override { synced_->NameChanged(path); }

  IOStatus NewSequentialFile(const std::string& path, const FileOptions& o,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file,
                             IODebugContext* d) override {
    if (IOStatus plain = ToStatus(MustBePlainFile(path)); !plain.ok()) return plain;
    return FileSystemWrapper::NewSequentialFile(path, o, file, d);
  }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& o,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               IODebugContext* d) override {
    if (IOStatus plain = ToStatus(MustBePlainFile(path)); !plain.ok()) return plain;
    return FileSystemWrapper::NewRandomAccessFile(path, o, file, d);
  }
  IOStatus LockFile(const std::string& path, const IOOptions& o, rocksdb::FileLock** lock,
                    IODebugContext* d) override {
    if (IOStatus plain = ToStatus(MustBePlainFile(path)); !plain.ok()) return plain;
    return FileSystemWrapper::LockFile(path, o, lock, d);
  }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& o,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* d) override {
    if (IsDiary(path)) return IOStatus::NotSupported("options are not noted");
    if (IOStatus way = ToStatus(MakeWay(path)); !way.ok()) return way;
    IOStatus status = FileSystemWrapper::NewWritableFile(path, o, file, d);
    synced_->NameChanged(path);
    return Wrap(std::move(status), file);
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& o,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* d) override {
    if (IOStatus plain = ToStatus(MustBePlainFile(path)); !plain.ok()) return plain;
    IOStatus status = FileSystemWrapper::ReopenWritableFile(path, o, file, d);
    return Wrap(std::move(status), file);
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& o,
                        std::unique_ptr<rocksdb::FSDirectory>* directory,
                        IODebugContext* d) override {
    IOStatus status = FileSystemWrapper::NewDirectory(path, o, directory, d);
    if (status.ok())
      *directory =
          std::make_unique<WatchedDirectory>(std::move(*directory), path, synced_, failed_);
    return status;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& o,
                      IODebugContext* d) override {
    IOStatus status = Watch(FileSystemWrapper::RenameFile(from, to, o, d), failed_);
    synced_->NameChanged(from);
    synced_->NameChanged(to);
    return status;
  }
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions& o,
                    IODebugContext* d) override {
    // Not supported across file systems: the caller copies, nothing is lost.
    IOStatus status = FileSystemWrapper::LinkFile(from, to, o, d);
    synced_->NameChanged(to);
    return status.IsNotSupported() ? status : Watch(std::move(status), failed_);
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& o, IODebugContext* d) override {
    if (!MayDelete(path)) return IOStatus::OK();
    // RocksDB deletes its last MANIFEST while it opens, just after the one sync of the
    // directory that opening needs. The next opening removes it before that sync (rocks_db.cc).
    const std::size_t name = path.rfind('/') + 1;
    if (std::string_view(path).substr(name).starts_with("MANIFEST-") &&
        FileSystemWrapper::FileExists(path.substr(0, name) + "CURRENT", o, d).ok())
      return IOStatus::OK();
    IOStatus status = FileSystemWrapper::DeleteFile(path, o, d);
    synced_->NameChanged(path);
    return status;
  }

 private:
  IOStatus Wrap(IOStatus status, std::unique_ptr<rocksdb::FSWritableFile>* file) const {
    if (status.ok()) *file = std::make_unique<WatchedFile>(std::move(*file), failed_);
    return Watch(std::move(status), failed_);
  }
  Failed failed_;
  const std::shared_ptr<SyncedDirectories> synced_ = std::make_shared<SyncedDirectories>();
};

}  // namespace

std::shared_ptr<Guard> MakeGuard(std::shared_ptr<rocksdb::FileSystem> below) {
  return std::make_shared<GuardFileSystem>(std::move(below));
}

}  // namespace plexus::storage_internal
