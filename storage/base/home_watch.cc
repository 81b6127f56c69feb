// Inodes of folders and files against those that their names lead to now.
#include "storage/base/home_watch.h"

#include <exception>

namespace plexus::storage_internal {

namespace {

bool IsAfter(const timespec& a, const timespec& b, long nanoseconds) {
  const auto apart = (a.tv_sec - b.tv_sec) * 1'000'000'000L + (a.tv_nsec - b.tv_nsec);
  return apart > nanoseconds;
}

bool SameTime(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// Without slashes at its end.
std::string_view Plain(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

std::string_view FolderOf(std::string_view path) {
  const std::string_view plain = Plain(path);
  return Plain(plain.substr(0, plain.rfind('/')));
}

}  // namespace

void HomeWatch::SetHome(const std::string& directory) {
  struct stat now;
  const MutexLock lock(mutex_);
  home_ = directory;
  if (stat(directory.c_str(), &now) == 0) folders_[directory].inode = {now.st_dev, now.st_ino};
}

bool HomeWatch::Ours(std::string_view path) const {
  return !home_.empty() && path.size() > home_.size() && path.starts_with(home_) &&
         path[home_.size()] == '/';
}

// The folder, noted now if it is there and was not known; null: it is not there.
HomeWatch::Folder* HomeWatch::Find(std::string_view folder) {
  if (const auto it = folders_.find(folder); it != folders_.end()) return &it->second;
  const std::string path(folder);
  struct stat now;
  if (stat(path.c_str(), &now) != 0) return nullptr;
  Folder& made = folders_[path];
  made.inode = {now.st_dev, now.st_ino};
  return &made;
}

void HomeWatch::Note(const std::string& file) noexcept {
  try {  // without memory the file is not watched
    const MutexLock lock(mutex_);
    if (!Ours(file)) return;
    Folder* const folder = Find(FolderOf(file));
    struct stat now;
    if (folder && stat(file.c_str(), &now) == 0) folder->files[file] = {now.st_dev, now.st_ino};
  } catch (const std::exception&) {
  }
}

void HomeWatch::Forget(const std::string& path) noexcept {
  const MutexLock lock(mutex_);
  if (const auto it = folders_.find(FolderOf(path)); it != folders_.end())
    it->second.files.erase(path);
  if (const auto it = folders_.find(Plain(path)); it != folders_.end()) folders_.erase(it);
}

bool HomeWatch::Gone(const std::string& path, bool folder) {
  gone_.store(true, std::memory_order_release);
  why_ = path + (folder ? ": the directory was moved, replaced or deleted while it was open"
                        : ": the file was moved, replaced or deleted while it was open");
  return false;
}

bool HomeWatch::CheckFolder(const std::string& path, Folder& folder) {
  struct stat now;
  if (stat(path.c_str(), &now) != 0 || folder.inode != Inode{now.st_dev, now.st_ino})
    return Gone(path, true);
  if (folder.settled && SameTime(now.st_mtim, folder.changed)) return true;
  for (const auto& [file, inode] : folder.files) {
    struct stat there;
    if (stat(file.c_str(), &there) != 0 || inode != Inode{there.st_dev, there.st_ino})
      return Gone(file, false);
  }
  // File systems count time in steps of some milliseconds: a change within the same step is seen
  // only by looking again.
  constexpr long kStep = 20'000'000;
  timespec clock;
  folder.settled = clock_gettime(CLOCK_REALTIME, &clock) == 0 && IsAfter(clock, now.st_mtim, kStep);
  folder.changed = now.st_mtim;
  return true;
}

bool HomeWatch::LookAround(const std::string& path) {
  const MutexLock lock(mutex_);
  if (gone()) return false;
  if (!Ours(path)) return true;
  const std::string_view name = FolderOf(path);
  Folder* const folder = Find(name);
  return !folder || CheckFolder(std::string(name), *folder);
}

bool HomeWatch::LookAtAll() {
  const MutexLock lock(mutex_);
  if (gone()) return false;
  for (auto& [path, folder] : folders_)
    if (!CheckFolder(path, folder)) return false;
  return true;
}

std::string HomeWatch::Why() const {
  const MutexLock lock(mutex_);
  return why_;
}

}  // namespace plexus::storage_internal
