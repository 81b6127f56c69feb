// Pinned files as a file system: RocksDB and Files see one moment.
#include <cerrno>
#include <cstring>

#include "storage/base/files.h"
#include "storage/view/pinned_files.h"

namespace plexus::storage_internal {

namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus ReadAt(const PinnedFile& file, std::uint64_t offset, std::size_t bytes, Slice* result,
                char* scratch) {
  const std::int64_t read = file.Read(offset, scratch, bytes);
  if (read < 0) return IOStatus::IOError("While reading a file", std::strerror(errno));
  *result = Slice(scratch, static_cast<std::size_t>(read));
  return IOStatus::OK();
}

class SequentialPinned : public rocksdb::FSSequentialFile {
 public:
  explicit SequentialPinned(std::shared_ptr<PinnedFile> file) : file_(std::move(file)) {}
  IOStatus Read(std::size_t bytes, const IOOptions&, Slice* result, char* scratch,
                IODebugContext*) override {
    const IOStatus status = ReadAt(*file_, offset_, bytes, result, scratch);
    if (status.ok()) offset_ += result->size();
    return status;
  }
  IOStatus Skip(std::uint64_t bytes) override {
    offset_ += bytes;
    return IOStatus::OK();
  }

 private:
  std::shared_ptr<PinnedFile> file_;
  std::uint64_t offset_ = 0;
};

class RandomPinned : public rocksdb::FSRandomAccessFile {
 public:
  explicit RandomPinned(std::shared_ptr<PinnedFile> file) : file_(std::move(file)) {}
  IOStatus Read(std::uint64_t offset, std::size_t bytes, const IOOptions&, Slice* result,
                char* scratch, IODebugContext*) const override {
    return ReadAt(*file_, offset, bytes, result, scratch);
  }

 private:
  std::shared_ptr<PinnedFile> file_;
};

class PinnedView : public rocksdb::FileSystemWrapper {
 public:
  PinnedView(std::shared_ptr<const PinnedFiles> pinned, std::shared_ptr<rocksdb::FileSystem> below)
      : FileSystemWrapper(std::move(below)), pinned_(std::move(pinned)) {}
  const char* Name() const override { return "PlexusPinned"; }

  IOStatus NewSequentialFile(const std::string& path, const FileOptions& o,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file,
                             IODebugContext* d) override {
    if (!IsOurs(path)) return FileSystemWrapper::NewSequentialFile(path, o, file, d);
    return With(path, [&](auto pinned) { *file = std::make_unique<SequentialPinned>(pinned); });
  }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& o,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               IODebugContext* d) override {
    if (!IsOurs(path)) return FileSystemWrapper::NewRandomAccessFile(path, o, file, d);
    return With(path, [&](auto pinned) { *file = std::make_unique<RandomPinned>(pinned); });
  }
  IOStatus FileExists(const std::string& path, const IOOptions& o, IODebugContext* d) override {
    if (!IsOurs(path)) return FileSystemWrapper::FileExists(path, o, d);
    return pinned_->Find(Base(path)) ? IOStatus::OK() : IOStatus::NotFound();
  }
  IOStatus GetFileSize(const std::string& path, const IOOptions& o, std::uint64_t* size,
                       IODebugContext* d) override {
    if (!IsOurs(path)) return FileSystemWrapper::GetFileSize(path, o, size, d);
    return With(path, [&](auto pinned) { *size = pinned->size(); });
  }
  IOStatus GetFileModificationTime(const std::string& path, const IOOptions& o, std::uint64_t* time,
                                   IODebugContext* d) override {
    if (!IsOurs(path)) return FileSystemWrapper::GetFileModificationTime(path, o, time, d);
    return With(path, [&](auto pinned) { *time = pinned->modified_seconds(); });
  }
  IOStatus GetChildren(const std::string& path, const IOOptions& o, std::vector<std::string>* names,
                       IODebugContext* d) override {
    std::string_view plain = path;
    while (plain.ends_with('/')) plain.remove_suffix(1);
    if (plain != pinned_->path()) return FileSystemWrapper::GetChildren(path, o, names, d);
    names->clear();
    for (const PinnedEntry& entry : pinned_->entries()) names->push_back(entry.name);
    return IOStatus::OK();
  }

 private:
  static std::string Base(const std::string& path) { return path.substr(path.rfind('/') + 1); }
  bool IsOurs(const std::string& path) const {
    std::string_view folder = std::string_view(path).substr(0, path.rfind('/'));
    while (folder.ends_with('/')) folder.remove_suffix(1);
    return folder == pinned_->path();
  }
  template <class Use>
  IOStatus With(const std::string& path, Use&& use) const {
    const std::shared_ptr<PinnedFile> file = pinned_->Find(Base(path));
    if (!file) return IOStatus::PathNotFound("No such file or directory", path);
    use(file);
    return IOStatus::OK();
  }
  std::shared_ptr<const PinnedFiles> pinned_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> PinnedFileSystem(std::shared_ptr<const PinnedFiles> pinned,
                                                      std::shared_ptr<rocksdb::FileSystem> below) {
  return std::make_shared<PinnedView>(std::move(pinned), std::move(below));
}

Files::Files(const Files& files, std::shared_ptr<const PinnedFiles> pinned)
    : hooks_(files.hooks_),
      guard_(files.guard_),
      own_env_(rocksdb::NewCompositeEnv(
          PinnedFileSystem(std::move(pinned), files.env_->GetFileSystem()))),
      env_(own_env_.get()) {}

}  // namespace plexus::storage_internal
