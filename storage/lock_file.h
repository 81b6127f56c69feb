// LockFile: one writing process per directory.
//
// An flock on DIR/lock, whose text names the holder for the error message. The
// kernel drops it when the process ends, so a stale lock cannot exist. RocksDB has
// its own lock; ours comes first, so that nothing is looked at without it.
#pragma once

#include <string>

#include "engine/error.h"

namespace plexus::storage {

class LockFile {
 public:
  LockFile() = default;
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&& other) noexcept;
  ~LockFile();

  // kLocked names process and host of the holder; kReadOnly or kIo when the file
  // cannot be made.
  static Result<LockFile> Take(const std::string& directory);
  // True when some process holds the lock now.
  static bool IsHeld(const std::string& directory);
  void Release();

 private:
  int descriptor_ = -1;
};

inline constexpr char kLockFileName[] = "lock";

}  // namespace plexus::storage
