// Files: the few file operations that storage does without RocksDB, through the
// same FileSystem, so that one fault injector covers them all. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/env.h>

#include "engine/error.h"
#include "storage/base/digest.h"
#include "storage/base/fail_points.h"

namespace plexus::storage_internal {

class Guard;
class PinnedFiles;

class Files {
 public:
  explicit Files(TestHooks* hooks = nullptr);
  // The same, but the files of `pinned` are seen as they were at its moment.
  Files(const Files& files, std::shared_ptr<const PinnedFiles> pinned);

  rocksdb::Env* env() const { return env_; }
  TestHooks* hooks() const { return hooks_; }

  // The directory whose files these are, from now until they are gone: what is moved or deleted
  // there by others is noticed (home_watch.h).
  void SetHome(const std::string& directory) const;
  void Forget(const std::string& path) const noexcept;  // deleted past RocksDB's file system
  // OK while all of it is where it was and RocksDB can be used. A stat for each file.
  Status CheckHome() const;
  // RocksDB can be called no longer (log/guarded_db.h): from now on it reaches no file. What
  // shares this object's files dies with it.
  void Die() const noexcept;
  bool dead() const;
  bool lost() const;  // dead, or what an earlier look found was moved or deleted; needs no memory
  void Unlock() const noexcept;  // RocksDB's locks of what is dead

  bool Exists(const std::string& path) const;
  Result<std::uint64_t> Size(const std::string& path) const;
  // Plain file names of a directory, sorted; no "." and "..".
  Result<std::vector<std::string>> List(const std::string& directory) const;
  // The whole file; kCorruption when it is larger than `limit`.
  Result<std::string> Read(const std::string& path, std::uint64_t limit) const;
  // XXH3-64 of the bytes from `begin` to the end of the file.
  Result<std::uint64_t> DigestFrom(const std::string& path, std::uint64_t begin) const;

  // Temporary name, fsync, rename: old or new, never half. Which of them after a power
  // loss is sure only once the directory is synced, which is the caller's part.
  Status Replace(const std::string& directory, const std::string& name,
                 const std::string& bytes) const;
  // Fine when it exists; kFailedPrecondition when that is a link to one.
  Status MakeDirectory(const std::string& path) const;
  // Does nothing when no name in it changed since the last time (guarded_file_system.h).
  Status SyncDirectory(const std::string& path) const;
  Status Remove(const std::string& path) const;  // one file
  // Deletes the files of `path` and it, as RemoveFolder (plain_files.h).
  Status RemoveFolder(const std::string& path) const;
  std::uint64_t TreeBytes(const std::string& path) const;

 private:
  TestHooks* hooks_;
  std::shared_ptr<Guard> guard_;
  std::unique_ptr<rocksdb::Env> own_env_;
  rocksdb::Env* env_;
};

}  // namespace plexus::storage_internal
