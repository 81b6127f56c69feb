// Guard: after a failed write nothing of a database is deleted any more, and
// no sync is done for nothing.
//
// When an fsync of RocksDB's MANIFEST fails, the record may be in the file or not.
// RocksDB 7.8.3 takes it as not written and deletes the file that the record names
// (seen with ingested files), so the next open finds a MANIFEST with a missing
// file. Under this guard such a deletion is left out; what is not needed after all
// is deleted by the next successful open.
//
// It also leaves out what makes nothing durable: syncs of a directory in which no name
// changed since its last one, and RocksDB's OPTIONS files, which are never read. So that
// none changes late, an old MANIFEST stays until the next writing open.
//
// Only regular files are opened, and a new file takes the place of a link instead of what the
// link leads to (plain_files.h).
// Internal; thread-safe.
#pragma once

#include <memory>

#include <rocksdb/file_system.h>

namespace plexus::storage_internal {

// How an error for want of space reads behind the guard (guarded_file_system.cc says why).
inline constexpr char kNoSpaceText[] = "No space left on device";

class Guard : public rocksdb::FileSystemWrapper {
 public:
  using rocksdb::FileSystemWrapper::FileSystemWrapper;
  // For who deletes without it: whether the file may go, and that a name at `path` changed.
  virtual bool MayDelete(const std::string& path) const = 0;
  virtual void NameChanged(const std::string& path) = 0;
};

std::shared_ptr<Guard> MakeGuard(std::shared_ptr<rocksdb::FileSystem> below);

}  // namespace plexus::storage_internal
