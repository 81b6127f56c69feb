// Pinning: open everything, look whether it is still the same, else begin again.
#include "storage/view/pinned_files.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <thread>

#include "engine/out_of_memory.h"
#include "storage/base/files.h"
#include "storage/base/lock_file.h"
#include "storage/base/plain_files.h"

namespace plexus::storage_internal {

namespace {

constexpr std::uint64_t kLargestAnchor = 16 << 20;

// The whole of a small file.
Result<std::string> ReadAll(const PinnedFile& file, const std::string& path, std::uint64_t limit) {
  if (file.size() > limit)
    return Corrupted(path, ": ", file.size(), " bytes, at most ", limit, " expected");
  std::string bytes(file.size(), '\0');
  const std::int64_t read = file.Read(0, bytes.data(), bytes.size());
  if (read < 0) return SystemError(path, errno);
  bytes.resize(static_cast<std::size_t>(read));
  return bytes;
}

// Files of RocksDB that hold the graph.
bool HoldsGraph(const std::string& name) {
  return name == "CURRENT" || name.starts_with("MANIFEST-") || name.ends_with(".log") ||
         name.ends_with(".sst");
}

// The names that make up a generation, sorted.
Result<std::vector<std::string>> GenerationNames(const std::string& path) {
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  PLEXUS_TRY(MustBePlainDirectory(path));
  const std::unique_ptr<DIR, Close> directory(opendir(path.c_str()));
  if (!directory) return SystemError(path, errno);
  std::vector<std::string> names;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string name = entry->d_name;
    // IDENTITY is not needed, but RocksDB looks for it.
    if (HoldsGraph(name) || name == "IDENTITY") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

PinnedFile::Descriptor::~Descriptor() { close(number); }

PinnedFile::PinnedFile(std::shared_ptr<const Descriptor> descriptor, const struct stat& status)
    : descriptor_(std::move(descriptor)),
      device_(status.st_dev),
      inode_(status.st_ino),
      size_(static_cast<std::uint64_t>(status.st_size)),
      modified_(static_cast<std::uint64_t>(status.st_mtime)) {}

PinnedFile::PinnedFile(const PinnedFile& other, std::uint64_t size)
    : descriptor_(other.descriptor_),
      device_(other.device_),
      inode_(other.inode_),
      size_(size),
      modified_(other.modified_) {}

std::shared_ptr<PinnedFile> PinnedFile::WithSize(std::uint64_t size) const {
  return std::shared_ptr<PinnedFile>(new PinnedFile(*this, size));
}

Result<std::shared_ptr<PinnedFile>> PinnedFile::Open(const std::string& path) {
  PLEXUS_ASSIGN(const int number, OpenPlainFile(path));
  std::shared_ptr<const Descriptor> descriptor;
  try {
    descriptor = std::make_shared<const Descriptor>(number);
  } catch (const std::bad_alloc&) {
    close(number);
    return OutOfMemory();
  }
  struct stat status = {};
  if (fstat(number, &status) != 0) return SystemError(path, errno);
  return std::shared_ptr<PinnedFile>(new PinnedFile(std::move(descriptor), status));
}

std::int64_t PinnedFile::Read(std::uint64_t offset, void* out, std::size_t bytes) const {
  if (offset >= size_) return 0;
  bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size_ - offset));
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(descriptor_->number, static_cast<char*>(out) + done, bytes - done,
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(done);
}

bool PinnedFile::IsAt(const std::string& path) const {
  struct stat status = {};
  // While the file is held open its inode is not given to another one.
  return stat(path.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

std::uint64_t PinnedFile::SizeNow() const {
  struct stat status = {};
  return fstat(descriptor_->number, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::shared_ptr<PinnedFile> PinnedFiles::Find(const std::string& name) const {
  const auto it = std::ranges::lower_bound(entries_, name, {}, &PinnedEntry::name);
  return it != entries_.end() && it->name == name ? it->file : nullptr;
}

const PinnedEntry* PinnedFiles::NewestLog() const {
  const PinnedEntry* newest = nullptr;
  std::uint64_t largest = 0;
  for (const PinnedEntry& entry : entries_) {
    if (!entry.name.ends_with(".log")) continue;
    const std::uint64_t number = std::strtoull(entry.name.c_str(), nullptr, 10);
    if (newest && number <= largest) continue;
    newest = &entry;
    largest = number;
  }
  return newest;
}

std::shared_ptr<const PinnedFiles> PinnedFiles::WithLogEnd(std::uint64_t size) const {
  auto moved_on = std::shared_ptr<PinnedFiles>(new PinnedFiles(*this));
  const auto at = static_cast<std::size_t>(NewestLog() - entries_.data());
  moved_on->entries_[at].file = entries_[at].file->WithSize(size);
  return moved_on;
}

std::shared_ptr<const PinnedFiles> PinnedFiles::Grown() const {
  const PinnedEntry* const newest = NewestLog();
  // Before the look at the rest: what it says holds for the moment of this size, too.
  const std::uint64_t size = newest ? newest->file->SizeNow() : 0;
  if (Moved()) return nullptr;
  if (!newest) return std::shared_ptr<PinnedFiles>(new PinnedFiles(*this));
  for (const PinnedEntry& entry : entries_)
    if (&entry != newest && entry.name.ends_with(".log") && !entry.file->SameSize()) return nullptr;
  return WithLogEnd(size);
}

bool PinnedFiles::Moved() const {
  if (!anchor_file_->IsAt(anchor_path_)) return true;
  if (path_.empty()) return false;
  const auto names = GenerationNames(path_);
  if (!names) return true;
  if (!std::ranges::equal(*names, entries_, {}, {}, &PinnedEntry::name)) return true;
  for (const PinnedEntry& entry : entries_) {
    if (entry.name == "CURRENT" && !entry.file->IsAt(path_ + "/CURRENT")) return true;
    if (entry.name.starts_with("MANIFEST-") && !entry.file->SameSize()) return true;
  }
  return false;
}

Result<std::shared_ptr<const PinnedFiles>> PinnedFiles::TryOnce(const std::string& directory) {
  auto pinned = std::shared_ptr<PinnedFiles>(new PinnedFiles);
  pinned->anchor_path_ = directory + "/" + kAnchorName;
  auto anchor = PinnedFile::Open(pinned->anchor_path_);
  if (!anchor && anchor.error().code == ErrorCode::kNotFound)
    return std::unexpected(NoAnchor(directory));
  PLEXUS_TRY(anchor);
  pinned->anchor_file_ = *anchor;
  // An anchor's bytes never change: another one takes its name.
  PLEXUS_ASSIGN(const std::string bytes, ReadAll(**anchor, pinned->anchor_path_, kLargestAnchor));
  PLEXUS_ASSIGN(pinned->anchor_, DecodeAnchor(AsBytes(bytes), pinned->anchor_path_));
  if (pinned->anchor_.generation == 0) return pinned;
  pinned->path_ = GenerationPath(directory, pinned->anchor_.generation);
  const auto names = GenerationNames(pinned->path_);
  if (!names) {
    if (!(*anchor)->IsAt(pinned->anchor_path_)) return nullptr;
    if (names.error().code != ErrorCode::kNotFound) return std::unexpected(names.error());
    return Corrupted(pinned->path_, ": is missing, the anchor names it");
  }
  for (const std::string& name : *names) {
    auto file = PinnedFile::Open(pinned->path_ + "/" + name);
    if (!file && file.error().code == ErrorCode::kNotFound) return nullptr;  // deleted since
    PLEXUS_TRY(file);
    pinned->entries_.push_back({name, *std::move(file)});
  }
  if (pinned->Moved()) return nullptr;
  return pinned;
}

Result<std::shared_ptr<const PinnedFiles>> PinnedFiles::Take(const std::string& directory,
                                                             std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + timeout;
  // A pause that is never the same, so that no writer's rhythm can hide every moment.
  std::minstd_rand random(static_cast<unsigned>(Clock::now().time_since_epoch().count()));
  for (std::uint64_t tries = 1;; ++tries) {
    PLEXUS_ASSIGN(auto pinned, TryOnce(directory));
    if (pinned) return pinned;
    if (Clock::now() >= end)
      return Fail(ErrorCode::kLocked, directory + ": changed under each of " +
                                          std::to_string(tries) +
                                          " attempts to read it; it is being written by " +
                                          LockFile::HolderOf(directory));
    std::this_thread::sleep_for(std::chrono::microseconds(50 + random() % 1000));
  }
}

// --- Pinned files as a file system: RocksDB and Files see one moment.

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

// Shows the pinned files under their paths; everything else is what is below.
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

Files::Files(const Files& files, std::shared_ptr<const PinnedFiles> pinned)
    : hooks_(files.hooks_),
      guard_(files.guard_),
      own_env_(rocksdb::NewCompositeEnv(
          std::make_shared<PinnedView>(std::move(pinned), files.env_->GetFileSystem()))),
      env_(own_env_.get()) {}

}  // namespace plexus::storage_internal
