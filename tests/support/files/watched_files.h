// A file system that shows a function each operation before it is done: to count, to delay, to
// fail it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <rocksdb/file_system.h>

namespace plexus::storage_internal::testing {

enum class FileOperation { kMake, kAppend, kSync, kSyncDirectory, kRename, kScan, kRead };

struct FileEvent {
  FileOperation what;
  const std::string& path;  // of a renamed file, the new one
  std::uint64_t bytes = 0;  // that are appended
  bool writes() const { return what < FileOperation::kScan; }
};
// An error is what the operation comes to. An append that fails has written half of its bytes.
using FileWatch = std::function<rocksdb::IOStatus(const FileEvent&)>;

class WatchedFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WatchedFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string path,
              const FileWatch& watch)
      : FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)), watch_(watch) {}
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& o,
                           rocksdb::IODebugContext* d) override {
    const rocksdb::IOStatus s = watch_({FileOperation::kAppend, path_, data.size()});
    if (s.ok()) return FSWritableFileOwnerWrapper::Append(data, o, d);
    FSWritableFileOwnerWrapper::Append({data.data(), data.size() / 2}, o, d).PermitUncheckedError();
    return s;
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& o,
                           const rocksdb::DataVerificationInfo&,
                           rocksdb::IODebugContext* d) override {
    return Append(data, o, d);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& o, rocksdb::IODebugContext* d) override {
    const rocksdb::IOStatus s = watch_({FileOperation::kSync, path_});
    return s.ok() ? FSWritableFileOwnerWrapper::Sync(o, d) : s;
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& o, rocksdb::IODebugContext* d) override {
    const rocksdb::IOStatus s = watch_({FileOperation::kSync, path_});
    return s.ok() ? FSWritableFileOwnerWrapper::Fsync(o, d) : s;
  }

 private:
  const std::string path_;
  const FileWatch watch_;
};

class WatchedDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  WatchedDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, std::string path,
                   const FileWatch& watch)
      : FSDirectoryWrapper(std::move(directory)), path_(std::move(path)), watch_(watch) {}
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& o, rocksdb::IODebugContext* d) override {
    const rocksdb::IOStatus s = watch_({FileOperation::kSyncDirectory, path_});
    return s.ok() ? FSDirectoryWrapper::Fsync(o, d) : s;
  }
  rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& o, rocksdb::IODebugContext* d,
                                        const rocksdb::DirFsyncOptions& options) override {
    const rocksdb::IOStatus s = watch_({FileOperation::kSyncDirectory, path_});
    return s.ok() ? FSDirectoryWrapper::FsyncWithDirOptions(o, d, options) : s;
  }

 private:
  const std::string path_;
  const FileWatch watch_;
};

class WatchedFiles : public rocksdb::FileSystemWrapper {
 public:
  explicit WatchedFiles(FileWatch watch)
      : FileSystemWrapper(FileSystem::Default()), watch_(std::move(watch)) {}
  const char* Name() const override { return "WatchedFiles"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& o,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* d) override {
    if (rocksdb::IOStatus s = watch_({FileOperation::kMake, path}); !s.ok()) return s;
    rocksdb::IOStatus s = FileSystemWrapper::NewWritableFile(path, o, file, d);
    if (s.ok()) *file = std::make_unique<WatchedFile>(std::move(*file), path, watch_);
    return s;
  }
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& o,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* d) override {
    rocksdb::IOStatus s = FileSystemWrapper::NewDirectory(path, o, directory, d);
    if (s.ok())
      *directory = std::make_unique<WatchedDirectory>(std::move(*directory), path, watch_);
    return s;
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& o, rocksdb::IODebugContext* d) override {
    const rocksdb::IOStatus s = watch_({FileOperation::kRename, to});
    return s.ok() ? FileSystemWrapper::RenameFile(from, to, o, d) : s;
  }
  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& o,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* d) override {
    const rocksdb::IOStatus s = watch_({FileOperation::kScan, path});
    return s.ok() ? FileSystemWrapper::NewSequentialFile(path, o, file, d) : s;
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& o,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* d) override {
    const rocksdb::IOStatus s = watch_({FileOperation::kRead, path});
    return s.ok() ? FileSystemWrapper::NewRandomAccessFile(path, o, file, d) : s;
  }

 private:
  const FileWatch watch_;
};

}  // namespace plexus::storage_internal::testing
