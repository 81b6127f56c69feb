// A file system that fails at its n-th write, sync or rename.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <rocksdb/file_system.h>

namespace plexus::storage_internal::testing {

using rocksdb::FileOptions;
using rocksdb::FileSystem;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

struct Faults {
  std::atomic<std::uint64_t> operations{0};
  std::uint64_t fail_at = 0;  // 1-based; 0 = never
  bool stay = false;          // all later ones fail too
  bool no_space = false;
  IOStatus Step() {
    const std::uint64_t n = ++operations;
    if (fail_at == 0 || n < fail_at || (n > fail_at && !stay)) return IOStatus::OK();
    return no_space ? IOStatus::NoSpace("injected") : IOStatus::IOError("injected");
  }
};

class FaultyFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, Faults& faults)
      : FSWritableFileOwnerWrapper(std::move(file)), faults_(faults) {}
  IOStatus Append(const Slice& data, const IOOptions& o, IODebugContext* d) override {
    if (IOStatus s = faults_.Step(); !s.ok()) {  // a short write: half of it is there
      FSWritableFileOwnerWrapper::Append(Slice(data.data(), data.size() / 2), o, d)
          .PermitUncheckedError();
      return s;
    }
    return FSWritableFileOwnerWrapper::Append(data, o, d);
  }
  IOStatus Append(const Slice& data, const IOOptions& o, const rocksdb::DataVerificationInfo&,
                  IODebugContext* d) override {
    return Append(data, o, d);
  }
  IOStatus Sync(const IOOptions& o, IODebugContext* d) override {
    if (IOStatus s = faults_.Step(); !s.ok()) return s;
    return FSWritableFileOwnerWrapper::Sync(o, d);
  }
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    if (IOStatus s = faults_.Step(); !s.ok()) return s;
    return FSWritableFileOwnerWrapper::Fsync(o, d);
  }

 private:
  Faults& faults_;
};

class FaultyDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  FaultyDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, Faults& faults)
      : FSDirectoryWrapper(std::move(directory)), faults_(faults) {}
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    if (IOStatus s = faults_.Step(); !s.ok()) return s;
    return FSDirectoryWrapper::Fsync(o, d);
  }

 private:
  Faults& faults_;
};

class FaultyFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultyFileSystem(Faults& faults)
      : FileSystemWrapper(FileSystem::Default()), faults_(faults) {}
  const char* Name() const override { return "FaultyFileSystem"; }
  IOStatus NewWritableFile(const std::string& path, const FileOptions& o,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* d) override {
    if (IOStatus s = faults_.Step(); !s.ok()) return s;
    IOStatus s = FileSystemWrapper::NewWritableFile(path, o, file, d);
    if (s.ok()) *file = std::make_unique<FaultyFile>(std::move(*file), faults_);
    return s;
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& o,
                        std::unique_ptr<rocksdb::FSDirectory>* directory,
                        IODebugContext* d) override {
    IOStatus s = FileSystemWrapper::NewDirectory(path, o, directory, d);
    if (s.ok()) *directory = std::make_unique<FaultyDirectory>(std::move(*directory), faults_);
    return s;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& o,
                      IODebugContext* d) override {
    if (IOStatus s = faults_.Step(); !s.ok()) return s;
    return FileSystemWrapper::RenameFile(from, to, o, d);
  }

 private:
  Faults& faults_;
};

}  // namespace plexus::storage_internal::testing
