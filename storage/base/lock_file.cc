// The directory lock over flock(2); who waits, over fcntl(2).
#include "storage/base/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "storage/base/plain_files.h"

namespace plexus::storage_internal {

namespace {

constexpr std::int64_t kProbeMs = 40;  // ms: a reader's IsHeld takes the lock for a moment
constexpr useconds_t kPause = 2'000;
constexpr off_t kWaitByte = 1 << 20;  // far behind a holder's name

std::string Seconds(std::int64_t ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(ms) / 1000);
  return text;
}

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
  struct stat status;  // under another name it may be anybody's file
  if (fstat(descriptor, &status) != 0 || status.st_nlink > 1) return;
  char host[256] = "unknown";
  gethostname(host, sizeof host - 1);
  const std::string text =
      "process " + std::to_string(getpid()) + " on host " + std::string(host) + "\n";
  if (ftruncate(descriptor, 0) != 0) return;  // the lock holds without the name
  [[maybe_unused]] ssize_t written = pwrite(descriptor, text.data(), text.size(), 0);
}

// Whether the path still names the file that is open.
bool IsFileAt(const std::string& path, int descriptor) {
  struct stat open_file, named;
  return fstat(descriptor, &open_file) == 0 && stat(path.c_str(), &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

// A lock of an open file is that of its description, as flock's is: the same for all threads, and
// closing another descriptor of the file does not end it.
struct flock WaitLock(short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = kWaitByte;
  lock.l_len = 1;
  return lock;
}

// Whether who waits can say so. Where flock is a lock of the whole file at a server, the byte would
// be part of it.
bool CanSay(int descriptor) {
  constexpr std::uint32_t kNfs = 0x6969, kCifs = 0xFF534D42, kSmb2 = 0xFE534D42, kSmb = 0x517B,
                          kFuse = 0x65735546;
  struct statfs status;
  if (fstatfs(descriptor, &status) != 0) return false;
  const auto type = static_cast<std::uint32_t>(status.f_type);
  for (const std::uint32_t remote : {kNfs, kCifs, kSmb2, kSmb, kFuse})
    if (type == remote) return false;
  struct flock lock = WaitLock(F_WRLCK);
  return fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
}

}  // namespace

LockFile::LockFile(LockFile&& other) noexcept
    : owner_(other.owner_), descriptor_(std::exchange(other.descriptor_, -1)) {}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

LockFile::~LockFile() { Release(); }

void LockFile::Release() {
  if (descriptor_ < 0) return;
  // Said aloud: a child of fork that lives on must not keep it with its copy.
  if (owner_.Here()) {
    SayWanted(false);
    flock(descriptor_, LOCK_UN);
  }
  close(descriptor_);
  descriptor_ = -1;
}

void LockFile::SayWanted(bool wanted) const {
  if (!CanSay(descriptor_)) return;
  struct flock lock = WaitLock(wanted ? F_RDLCK : F_UNLCK);
  (void)fcntl(descriptor_, F_OFD_SETLK, &lock);  // the holder need not know
}

bool LockFile::IsWanted() const {
  if (descriptor_ < 0) return false;
  if (!CanSay(descriptor_)) return true;
  struct flock lock = WaitLock(F_WRLCK);
  return fcntl(descriptor_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

Status LockFile::OpenFile(const std::string& path) {
  Release();
  PLEXUS_TRY(MustBePlainFile(path));
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (descriptor_ >= 0) return {};
  const int error = errno;
  const bool denied = error == EACCES || error == EROFS || error == EPERM;
  return Fail(denied ? ErrorCode::kReadOnly : ErrorCode::kIo,
              path + ": cannot be opened for writing: " + std::strerror(error));
}

Result<LockFile> LockFile::Take(const std::string& directory, std::int64_t wait_ms,
                                const OnWait& on_wait) {
  const std::string path = directory + "/" + kLockFileName;
  LockFile lock;
  PLEXUS_TRY(lock.OpenFile(path));
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (;;) {
    if (flock(lock.descriptor_, LOCK_EX | LOCK_NB) == 0) {
      if (IsFileAt(path, lock.descriptor_)) break;
      PLEXUS_TRY(lock.OpenFile(path));  // the holder deleted it with an empty database
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return IoError(path, ": cannot be locked: ", std::strerror(errno));
    const std::int64_t waited =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
    const std::string holder = Holder(lock.descriptor_);
    if (waited >= std::max(wait_ms, kProbeMs))
      return Fail(ErrorCode::kLocked, directory + ": is open for writing by " + holder +
                                          (wait_ms > 0 ? ", waited " + Seconds(waited) : ""));
    if (on_wait && !on_wait(holder, waited))
      return Cancelled(directory, ": waiting for ", holder, " was stopped");
    if (wait_ms > 0) lock.SayWanted(true);
    usleep(kPause);
  }
  lock.SayWanted(false);
  WriteHolder(lock.descriptor_);
  return lock;
}

std::string LockFile::HolderOf(const std::string& directory) {
  const std::string path = directory + "/" + kLockFileName;
  const Result<int> descriptor = OpenPlainFile(path);
  if (!descriptor) return "another process";
  const std::string holder = Holder(*descriptor);
  close(*descriptor);
  return holder;
}

bool LockFile::IsHeld(const std::string& directory) {
  const std::string path = directory + "/" + kLockFileName;
  const Result<int> descriptor = OpenPlainFile(path);
  if (!descriptor) return false;
  const bool held = flock(*descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(*descriptor);
  return held;
}

}  // namespace plexus::storage_internal
