// The directory lock over flock(2).
#include "storage/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace plexus::storage {

namespace {

std::string Holder(int descriptor) {
  char text[512];
  const ssize_t size = pread(descriptor, text, sizeof text, 0);
  if (size <= 0) return "another process";
  std::string holder(text, static_cast<std::size_t>(size));
  while (!holder.empty() && holder.back() == '\n') holder.pop_back();
  for (char& c : holder)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return holder.empty() ? "another process" : holder;
}

void WriteHolder(int descriptor) {
  char host[256] = "unknown";
  gethostname(host, sizeof host - 1);
  const std::string text =
      "process " + std::to_string(getpid()) + " on host " + std::string(host) + "\n";
  if (ftruncate(descriptor, 0) != 0) return;  // the lock holds without the name
  [[maybe_unused]] ssize_t written = pwrite(descriptor, text.data(), text.size(), 0);
}

}  // namespace

LockFile::LockFile(LockFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

LockFile::~LockFile() { Release(); }

void LockFile::Release() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

Result<LockFile> LockFile::Take(const std::string& directory) {
  const std::string path = directory + "/" + kLockFileName;
  LockFile lock;
  lock.descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (lock.descriptor_ < 0) {
    const int error = errno;
    const bool denied = error == EACCES || error == EROFS || error == EPERM;
    return Fail(denied ? ErrorCode::kReadOnly : ErrorCode::kIo,
                path + ": cannot be opened for writing: " + std::strerror(error));
  }
  // A reader's IsHeld takes the lock for a moment: try for a little while.
  int failed = -1;
  for (int attempt = 0; attempt < 5; ++attempt) {
    failed = flock(lock.descriptor_, LOCK_EX | LOCK_NB);
    if (failed == 0 || errno != EWOULDBLOCK) break;
    usleep(10'000);
  }
  if (failed != 0) {
    if (errno != EWOULDBLOCK)
      return Fail(ErrorCode::kIo, path + ": cannot be locked: " + std::strerror(errno));
    return Fail(ErrorCode::kLocked,
                directory + ": is open for writing by " + Holder(lock.descriptor_));
  }
  WriteHolder(lock.descriptor_);
  return lock;
}

bool LockFile::IsHeld(const std::string& directory) {
  const std::string path = directory + "/" + kLockFileName;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return false;
  const bool held = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(descriptor);
  return held;
}

}  // namespace plexus::storage
