// LockFile: one writing process per directory.
//
// An flock on DIR/lock, whose text names the holder for the error message. The
// kernel drops it when the process ends, so a stale lock cannot exist. RocksDB has
// its own lock; ours comes first, so that nothing is looked at without it. Who waits
// has a shared lock of the open file on a byte behind its text, so that the holder can see it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/arrays/owner.h"
#include "engine/error.h"

namespace plexus::storage_internal {

class LockFile {
 public:
  LockFile() = default;
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&& other) noexcept;
  ~LockFile();

  // Called every now and then while waiting, with the holder of the lock; false stops it.
  using OnWait = std::function<bool(const std::string& holder, std::int64_t waited_ms)>;
  // Tries for `wait_ms`. Errors: kLocked names process and host of the holder; kReadOnly or
  // kIo when the file cannot be made; kCancelled when on_wait returns false. Of many that wait any
  // one is next: all try equally often, so none waits for ever.
  static Result<LockFile> Take(const std::string& directory, std::int64_t wait_ms = 0,
                               const OnWait& on_wait = {});
  // Who wrote its name into the lock file last, for messages.
  static std::string HolderOf(const std::string& directory);
  // Whether another process waits in Take for this one, with wait_ms above 0. True where the file
  // system cannot say (NFS, SMB, FUSE, no F_OFD_GETLK); false of an older Plexus, which does not
  // say.
  bool IsWanted() const;
  // True when some process holds the lock now.
  static bool IsHeld(const std::string& directory);
  // A child of fork has the same lock: there it closes its copy of the file only.
  void Release();

 private:
  Status OpenFile(const std::string& path);
  void SayWanted(bool wanted) const;

  Owner owner_;
  int descriptor_ = -1;
};

inline constexpr char kLockFileName[] = "lock";

}  // namespace plexus::storage_internal
