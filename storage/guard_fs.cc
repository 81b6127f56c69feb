// The guard: watches every write, refuses deletions after a failed one.
#include "storage/guard_fs.h"

#include <atomic>

namespace plexus::storage {

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
  IOStatus RangeSync(std::uint64_t offset, std::uint64_t bytes, const IOOptions& o, IODebugContext* d) override {
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
  IOStatus Watch(IOStatus status) const { return storage::Watch(std::move(status), failed_); }
  Failed failed_;
};

class WatchedDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  WatchedDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, Failed failed)
      : FSDirectoryWrapper(std::move(directory)), failed_(std::move(failed)) {}
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    return Watch(FSDirectoryWrapper::Fsync(o, d), failed_);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& o, IODebugContext* d,
                               const rocksdb::DirFsyncOptions& options) override {
    return Watch(FSDirectoryWrapper::FsyncWithDirOptions(o, d, options), failed_);
  }

 private:
  Failed failed_;
};

class GuardFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit GuardFileSystem(std::shared_ptr<rocksdb::FileSystem> below)
      : FileSystemWrapper(std::move(below)), failed_(std::make_shared<std::atomic<bool>>(false)) {}
  const char* Name() const override { return "PlexusGuard"; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& o,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* d) override {
    return Wrap(FileSystemWrapper::NewWritableFile(path, o, file, d), file);
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& o,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* d) override {
    return Wrap(FileSystemWrapper::ReopenWritableFile(path, o, file, d), file);
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& o,
                        std::unique_ptr<rocksdb::FSDirectory>* directory,
                        IODebugContext* d) override {
    IOStatus status = FileSystemWrapper::NewDirectory(path, o, directory, d);
    if (status.ok())
      *directory = std::make_unique<WatchedDirectory>(std::move(*directory), failed_);
    return status;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& o,
                      IODebugContext* d) override {
    return Watch(FileSystemWrapper::RenameFile(from, to, o, d), failed_);
  }
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions& o,
                    IODebugContext* d) override {
    // Not supported across file systems: the caller copies, nothing is lost.
    IOStatus status = FileSystemWrapper::LinkFile(from, to, o, d);
    return status.IsNotSupported() ? status : Watch(std::move(status), failed_);
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& o, IODebugContext* d) override {
    if (failed_->load(std::memory_order_relaxed) && path.find("/generation-") != std::string::npos)
      return IOStatus::OK();
    return FileSystemWrapper::DeleteFile(path, o, d);
  }

 private:
  IOStatus Wrap(IOStatus status, std::unique_ptr<rocksdb::FSWritableFile>* file) const {
    if (status.ok()) *file = std::make_unique<WatchedFile>(std::move(*file), failed_);
    return Watch(std::move(status), failed_);
  }
  Failed failed_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> MakeGuard(std::shared_ptr<rocksdb::FileSystem> below) {
  return std::make_shared<GuardFileSystem>(std::move(below));
}

}  // namespace plexus::storage
