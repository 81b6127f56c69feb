// Guard: after a failed write nothing of a database is deleted any more, nothing is written once
// it is shut, and no sync is done for nothing.
//
// When an fsync of RocksDB's MANIFEST fails, the record may be in the file or not.
// RocksDB 7.8.3 takes it as not written and deletes the file that the record names
// (seen with ingested files), so the next open finds a MANIFEST with a missing
// file. Under this guard such a deletion is left out; what is not needed after all
// is deleted by the next successful open.
//
// It is shut when a file or folder of the database was moved or deleted (home_watch.h), and when an
// exception came out of RocksDB (log/guarded_db.h): what RocksDB's threads still do cannot reach
// the files then.
//
// It also leaves out what makes nothing durable: syncs of a directory in which no name
// changed since its last one, and RocksDB's OPTIONS files, which are never read. So that
// none changes late, an old MANIFEST stays until the next writing open.
//
// Only regular files are opened, and a new file takes the place of a link instead of what the
// link leads to (plain_files.h).
// Internal; thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>

#include <rocksdb/file_system.h>

#include "engine/error.h"
#include "engine/mutex.h"
#include "storage/base/home_watch.h"

namespace plexus::storage_internal {

// How an error for want of space reads behind the guard (guarded_file_system.cc says why).
inline constexpr char kNoSpaceText[] = "No space left on device";

// What a guard and the files that it opens have in common.
struct GuardState {
  HomeWatch watch;
  std::atomic<bool> failed{false};  // a write
  std::atomic<bool> dead{false};    // nothing is written any more
  mutable SharedMutex writes;       // shared by each call that writes
};

class Guard : public rocksdb::FileSystemWrapper {
 public:
  explicit Guard(std::shared_ptr<rocksdb::FileSystem> below);
  const char* Name() const override { return "PlexusGuard"; }
  GuardState& state() const { return *state_; }
  // Shuts it: returns when no call that writes is under way.
  void Die() noexcept;
  static bool AnyDied();  // in this process
  // As RemoveFolder (plain_files.h), unless a write failed before or the folder is not ours any
  // more.
  Status RemoveFolder(const std::string& path);
  // Gives up the locks that RocksDB took and will not give back. REQUIRES Die before.
  void Unlock() noexcept;

  using IODebugContext = rocksdb::IODebugContext;
  using IOOptions = rocksdb::IOOptions;
  using IOStatus = rocksdb::IOStatus;
  using FileOptions = rocksdb::FileOptions;
  IOStatus NewSequentialFile(const std::string& path, const FileOptions& o,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file,
                             IODebugContext* d) override;
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& o,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               IODebugContext* d) override;
  IOStatus NewWritableFile(const std::string& path, const FileOptions& o,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* d) override;
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& o,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* d) override;
  IOStatus NewDirectory(const std::string& path, const IOOptions& o,
                        std::unique_ptr<rocksdb::FSDirectory>* directory,
                        IODebugContext* d) override;
  IOStatus CreateDir(const std::string& path, const IOOptions& o, IODebugContext* d) override;
  IOStatus CreateDirIfMissing(const std::string& path, const IOOptions& o,
                              IODebugContext* d) override;
  IOStatus DeleteDir(const std::string& path, const IOOptions& o, IODebugContext* d) override;
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& o,
                      IODebugContext* d) override;
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions& o,
                    IODebugContext* d) override;
  IOStatus DeleteFile(const std::string& path, const IOOptions& o, IODebugContext* d) override;
  IOStatus LockFile(const std::string& path, const IOOptions& o, rocksdb::FileLock** lock,
                    IODebugContext* d) override;
  IOStatus UnlockFile(rocksdb::FileLock* lock, const IOOptions& o, IODebugContext* d) override;

 private:
  class SyncedDirectories;
  class File;
  class Directory;
  template <class Act>
  IOStatus Write(const std::string& path, Act&& act);
  IOStatus Wrap(IOStatus status, const std::string& path,
                std::unique_ptr<rocksdb::FSWritableFile>* file);

  const std::shared_ptr<GuardState> state_;
  const std::shared_ptr<SyncedDirectories> synced_;
  Mutex locks_mutex_;
  std::set<rocksdb::FileLock*> locks_ PLEXUS_GUARDED_BY(locks_mutex_);
};

}  // namespace plexus::storage_internal
