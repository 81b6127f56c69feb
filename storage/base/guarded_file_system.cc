// The guard: watches every write, refuses deletions after a failed one and all writes once it is
// shut, leaves out syncs that have nothing to do.
#include "storage/base/guarded_file_system.h"

#include "storage/base/plain_files.h"
#include "storage/base/rocks_status.h"

namespace plexus::storage_internal {

namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// Remembers a failure, and turns "no space" into a plain I/O error: for the former
// RocksDB starts a thread that waits for space and resumes by itself, which in
// 7.8.3 ends the process by an assertion (ResumeImpl, file_deletion_disabled).
IOStatus Watch(IOStatus status, GuardState& state) {
  if (status.ok()) return status;
  state.failed.store(true, std::memory_order_relaxed);
  if (status.IsNoSpace()) return IOStatus::IOError(kNoSpaceText, status.ToString());
  return status;
}

// Options as RocksDB notes them at each open, and parses again to see whether it can. Nobody else
// reads them, and RocksDB continues without.
bool IsDiary(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1).starts_with("OPTIONS-");
}

bool HoldsState(const std::string& path) { return path.find("/generation-") != std::string::npos; }

// OK unless the guard is shut.
IOStatus MayWrite(const GuardState& state) {
  if (state.dead.load(std::memory_order_acquire)) return IOStatus::IOError();  // needs no memory
  if (state.watch.gone()) return IOStatus::IOError(state.watch.Why());
  return IOStatus::OK();
}

// A write that is not under way while the guard is shut.
template <class Act>
IOStatus Unshut(GuardState& state, Act&& act) {
  const ReaderLock under_way(state.writes);
  if (IOStatus may = MayWrite(state); !may.ok()) return may;
  return act();
}

}  // namespace

// Which directories have all their names on disk. One that is not known has not.
class Guard::SyncedDirectories {
 public:
  void NameChanged(const std::string& path) {
    if (IsDiary(path)) return;
    const MutexLock lock(mutex_);
    synced_.erase(path.substr(0, path.rfind('/')));
  }
  template <class Act>
  IOStatus Sync(const std::string& directory, Act&& sync) {
    const MutexLock one(sync_mutex_);  // a thread that finds it noted must not be too early
    {
      const MutexLock lock(mutex_);
      if (!synced_.insert(directory).second) return IOStatus::OK();
    }
    // A name that changes from here on takes the note away again.
    IOStatus status = sync();
    if (!status.ok()) {
      const MutexLock lock(mutex_);
      synced_.erase(directory);
    }
    return status;
  }

 private:
  Mutex sync_mutex_ PLEXUS_ACQUIRED_BEFORE(mutex_);
  Mutex mutex_;
  std::set<std::string> synced_ PLEXUS_GUARDED_BY(mutex_);
};

class Guard::File : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  File(std::unique_ptr<rocksdb::FSWritableFile> file, std::string path,
       std::shared_ptr<GuardState> state)
      : FSWritableFileOwnerWrapper(std::move(file)),
        path_(std::move(path)),
        state_(std::move(state)) {}
  IOStatus Append(const Slice& data, const IOOptions& o, IODebugContext* d) override {
    return Write([&] { return FSWritableFileOwnerWrapper::Append(data, o, d); });
  }
  IOStatus Append(const Slice& data, const IOOptions& o, const rocksdb::DataVerificationInfo& v,
                  IODebugContext* d) override {
    return Write([&] { return FSWritableFileOwnerWrapper::Append(data, o, v, d); });
  }
  IOStatus Flush(const IOOptions& o, IODebugContext* d) override {
    return Write([&] { return FSWritableFileOwnerWrapper::Flush(o, d); });
  }
  IOStatus RangeSync(std::uint64_t offset, std::uint64_t bytes, const IOOptions& o,
                     IODebugContext* d) override {
    return Write([&] { return FSWritableFileOwnerWrapper::RangeSync(offset, bytes, o, d); });
  }
  IOStatus Sync(const IOOptions& o, IODebugContext* d) override {
    return Write([&] { return There(FSWritableFileOwnerWrapper::Sync(o, d)); });
  }
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    return Write([&] { return There(FSWritableFileOwnerWrapper::Fsync(o, d)); });
  }
  IOStatus Close(const IOOptions& o, IODebugContext* d) override {
    return storage_internal::Watch(FSWritableFileOwnerWrapper::Close(o, d), *state_);
  }

 private:
  template <class Act>
  IOStatus Write(Act&& act) const {
    return Watch(Unshut(*state_, act), *state_);
  }
  // A sync makes nothing durable in a file without a name.
  IOStatus There(IOStatus synced) const {
    if (!synced.ok() || state_->watch.LookAround(path_)) return synced;
    return IOStatus::IOError(state_->watch.Why());
  }
  const std::string path_;
  const std::shared_ptr<GuardState> state_;
};

class Guard::Directory : public rocksdb::FSDirectoryWrapper {
 public:
  Directory(std::unique_ptr<rocksdb::FSDirectory> directory, std::string path,
            std::shared_ptr<SyncedDirectories> synced, std::shared_ptr<GuardState> state)
      : FSDirectoryWrapper(std::move(directory)),
        path_(std::move(path)),
        synced_(std::move(synced)),
        state_(std::move(state)) {
    while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  }
  IOStatus Fsync(const IOOptions& o, IODebugContext* d) override {
    return synced_->Sync(path_, [&] { return Watch(FSDirectoryWrapper::Fsync(o, d), *state_); });
  }
  IOStatus FsyncWithDirOptions(const IOOptions& o, IODebugContext* d,
                               const rocksdb::DirFsyncOptions& options) override {
    return synced_->Sync(path_, [&] {
      return Watch(FSDirectoryWrapper::FsyncWithDirOptions(o, d, options), *state_);
    });
  }

 private:
  std::string path_;
  std::shared_ptr<SyncedDirectories> synced_;
  std::shared_ptr<GuardState> state_;
};

Guard::Guard(std::shared_ptr<rocksdb::FileSystem> below)
    : FileSystemWrapper(std::move(below)),
      state_(std::make_shared<GuardState>()),
      synced_(std::make_shared<SyncedDirectories>()) {}

namespace {
std::atomic<bool> any_died = false;
}  // namespace

bool Guard::AnyDied() { return any_died; }

void Guard::Die() noexcept {
  any_died = true;
  state_->dead.store(true, std::memory_order_release);
  const MutexLock none_under_way(state_->writes);
}

void Guard::Unlock() noexcept {
  const MutexLock guard(locks_mutex_);
  for (rocksdb::FileLock* lock : locks_)
    target()->UnlockFile(lock, IOOptions(), nullptr).PermitUncheckedError();
  locks_.clear();
}

// `act` on the name `path`, in the folder that it was in.
template <class Act>
IOStatus Guard::Write(const std::string& path, Act&& act) {
  return Unshut(*state_, [&]() -> IOStatus {
    if (!state_->watch.LookAround(path)) return IOStatus::IOError(state_->watch.Why());
    return act();
  });
}

IOStatus ToStatus(const Status& status) {
  return status ? IOStatus::OK() : IOStatus::IOError(status.error().message);
}

Status Guard::RemoveFolder(const std::string& path) {
  if (state_->failed.load(std::memory_order_relaxed) && HoldsState(path))
    return IoError(path, ": is kept, as a write failed before");
  Status removed;
  const IOStatus may = Write(path, [&] {
    state_->watch.Forget(path);
    removed = storage_internal::RemoveFolder(path);
    state_->watch.Forget(path);  // a look came between
    return IOStatus::OK();
  });
  synced_->NameChanged(path + "/");
  PLEXUS_TRY(Check(may, path));
  return removed;
}

IOStatus Guard::Wrap(IOStatus status, const std::string& path,
                     std::unique_ptr<rocksdb::FSWritableFile>* file) {
  if (status.ok()) {
    *file = std::make_unique<File>(std::move(*file), path, state_);
    if (HoldsState(path)) state_->watch.Note(path);
  }
  return Watch(std::move(status), *state_);
}

IOStatus Guard::NewSequentialFile(const std::string& path, const FileOptions& o,
                                  std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                  IODebugContext* d) {
  if (IOStatus plain = ToStatus(MustBePlainFile(path)); !plain.ok()) return plain;
  IOStatus status = FileSystemWrapper::NewSequentialFile(path, o, file, d);
  if (status.ok() && path.ends_with(".log") && HoldsState(path)) state_->watch.Note(path);
  return status;
}

IOStatus Guard::NewRandomAccessFile(const std::string& path, const FileOptions& o,
                                    std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                    IODebugContext* d) {
  if (IOStatus plain = ToStatus(MustBePlainFile(path)); !plain.ok()) return plain;
  IOStatus status = FileSystemWrapper::NewRandomAccessFile(path, o, file, d);
  if (status.ok() && HoldsState(path)) state_->watch.Note(path);
  return status;
}

IOStatus Guard::NewWritableFile(const std::string& path, const FileOptions& o,
                                std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* d) {
  if (IsDiary(path)) return IOStatus::NotSupported("options are not noted");
  IOStatus status = Write(path, [&] {
    if (IOStatus way = ToStatus(MakeWay(path)); !way.ok()) return way;
    return FileSystemWrapper::NewWritableFile(path, o, file, d);
  });
  synced_->NameChanged(path);
  return Wrap(std::move(status), path, file);
}

IOStatus Guard::ReopenWritableFile(const std::string& path, const FileOptions& o,
                                   std::unique_ptr<rocksdb::FSWritableFile>* file,
                                   IODebugContext* d) {
  if (IOStatus plain = ToStatus(MustBePlainFile(path)); !plain.ok()) return plain;
  IOStatus status =
      Write(path, [&] { return FileSystemWrapper::ReopenWritableFile(path, o, file, d); });
  return Wrap(std::move(status), path, file);
}

IOStatus Guard::NewDirectory(const std::string& path, const IOOptions& o,
                             std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* d) {
  IOStatus status = FileSystemWrapper::NewDirectory(path, o, directory, d);
  if (status.ok())
    *directory = std::make_unique<Directory>(std::move(*directory), path, synced_, state_);
  return status;
}

IOStatus Guard::CreateDir(const std::string& path, const IOOptions& o, IODebugContext* d) {
  return Write(path, [&] { return FileSystemWrapper::CreateDir(path, o, d); });
}

IOStatus Guard::CreateDirIfMissing(const std::string& path, const IOOptions& o, IODebugContext* d) {
  return Write(path, [&] { return FileSystemWrapper::CreateDirIfMissing(path, o, d); });
}

IOStatus Guard::DeleteDir(const std::string& path, const IOOptions& o, IODebugContext* d) {
  return Write(path, [&] {
    state_->watch.Forget(path);
    return FileSystemWrapper::DeleteDir(path, o, d);
  });
}

IOStatus Guard::RenameFile(const std::string& from, const std::string& to, const IOOptions& o,
                           IODebugContext* d) {
  IOStatus status = Watch(Write(to,
                                [&] {
                                  state_->watch.Forget(from);
                                  state_->watch.Forget(to);
                                  return FileSystemWrapper::RenameFile(from, to, o, d);
                                }),
                          *state_);
  if (status.ok() && HoldsState(to)) state_->watch.Note(to);
  synced_->NameChanged(from);
  synced_->NameChanged(to);
  return status;
}

IOStatus Guard::LinkFile(const std::string& from, const std::string& to, const IOOptions& o,
                         IODebugContext* d) {
  // Not supported across file systems: the caller copies, nothing is lost.
  IOStatus status = Write(to, [&] { return FileSystemWrapper::LinkFile(from, to, o, d); });
  synced_->NameChanged(to);
  return status.IsNotSupported() ? status : Watch(std::move(status), *state_);
}

IOStatus Guard::DeleteFile(const std::string& path, const IOOptions& o, IODebugContext* d) {
  if (state_->failed.load(std::memory_order_relaxed) && HoldsState(path)) return IOStatus::OK();
  // RocksDB deletes its last MANIFEST while it opens, just after the one sync of the
  // directory that opening needs. The next opening removes it before that sync (rocks_db.cc).
  const std::size_t name = path.rfind('/') + 1;
  if (std::string_view(path).substr(name).starts_with("MANIFEST-") &&
      FileSystemWrapper::FileExists(path.substr(0, name) + "CURRENT", o, d).ok())
    return IOStatus::OK();
  IOStatus status = Write(path, [&] {
    state_->watch.Forget(path);
    return FileSystemWrapper::DeleteFile(path, o, d);
  });
  synced_->NameChanged(path);
  return status;
}

IOStatus Guard::LockFile(const std::string& path, const IOOptions& o, rocksdb::FileLock** lock,
                         IODebugContext* d) {
  if (IOStatus plain = ToStatus(MustBePlainFile(path)); !plain.ok()) return plain;
  const MutexLock guard(locks_mutex_);
  IOStatus status = FileSystemWrapper::LockFile(path, o, lock, d);
  if (status.ok()) locks_.insert(*lock);
  return status;
}

IOStatus Guard::UnlockFile(rocksdb::FileLock* lock, const IOOptions& o, IODebugContext* d) {
  const MutexLock guard(locks_mutex_);
  locks_.erase(lock);
  return FileSystemWrapper::UnlockFile(lock, o, d);
}

}  // namespace plexus::storage_internal
