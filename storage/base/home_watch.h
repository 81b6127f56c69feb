// HomeWatch: whether the files of a database are still where they were.
//
// A directory that is moved while it is open keeps its open files, but names lead elsewhere: new
// files would go into whatever is at its old path. And what is written to a file that
// was deleted is lost. So the watch remembers the inode of each folder and of each file that
// the database uses, and looks at them before a name is used and after each fsync. A look is one
// stat of the folder (about a microsecond) while nothing in it changed: its files are looked at
// when its time of change is another. Internal; thread-safe.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <map>
#include <string>
#include <string_view>

#include "engine/mutex.h"

namespace plexus::storage_internal {

class HomeWatch {
 public:
  // From now on files at and below `directory` are watched. They are noted as they are used.
  void SetHome(const std::string& directory);
  void Note(const std::string& file) noexcept;
  void Forget(const std::string& path) noexcept;  // a file or a folder that we delete

  // Whether the folder of `path` is the one it was, with all its files. What is wrong is said by
  // Why(), now and at every later look.
  bool LookAround(const std::string& path);
  bool LookAtAll();
  bool gone() const { return gone_.load(std::memory_order_acquire); }
  std::string Why() const;

 private:
  struct Inode {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const Inode&) const = default;
  };
  struct Folder {
    Inode inode;
    timespec changed{};    // at the last look at its files
    bool settled = false;  // a later change has another time
    std::map<std::string, Inode, std::less<>> files;
  };
  bool Ours(std::string_view path) const PLEXUS_REQUIRES(mutex_);
  Folder* Find(std::string_view folder) PLEXUS_REQUIRES(mutex_);
  bool CheckFolder(const std::string& path, Folder& folder) PLEXUS_REQUIRES(mutex_);
  bool Gone(const std::string& path, bool folder) PLEXUS_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::atomic<bool> gone_{false};
  std::string home_ PLEXUS_GUARDED_BY(mutex_);
  std::string why_ PLEXUS_GUARDED_BY(mutex_);
  std::map<std::string, Folder, std::less<>> folders_ PLEXUS_GUARDED_BY(mutex_);
};

}  // namespace plexus::storage_internal
