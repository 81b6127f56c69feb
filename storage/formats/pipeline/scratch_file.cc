// Files that have no name; see scratch_file.h.
#include "storage/formats/pipeline/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "storage/formats/import.h"
#include "storage/formats/pipeline/available_memory.h"

namespace plexus::formats::internal {

std::string TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

Result<int> NamelessFile(const std::string& folder) {
  const int nameless = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (nameless >= 0) return nameless;
  // A file system that knows no such files: it has a name for a moment.
  std::string path = folder + "/plexus-import-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return IoError(path, ": cannot make a temporary file: ", std::strerror(errno));
  ::unlink(path.c_str());
  return fd;
}

ScratchFile::~ScratchFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<int> ScratchFile::File() {
  const MutexLock lock(mutex_);
  if (fd_ < 0) PLEXUS_SET(fd_, NamelessFile(folder_));
  return fd_;
}

std::unexpected<Error> ScratchFile::Failed(const char* what, int error) const {
  std::string message = folder_ + ": " + what + " a scratch file: " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT)
    message +=
        "; an import with times needs up to 100 bytes an edge there, 140 where no room is freed: "
        "make room, or state more memory (ImportLimits::load_bytes, --memory)";
  return IoError(std::move(message));
}

Status ScratchFile::Write(std::uint64_t at, std::span<const std::byte> bytes) {
  PLEXUS_ASSIGN(const int fd, File());
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Failed("writing", n < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return {};
}

Status ScratchFile::Read(std::uint64_t at, std::span<std::byte> bytes) {
  PLEXUS_ASSIGN(const int fd, File());
  while (!bytes.empty()) {
    const ssize_t n = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Failed("reading", n < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return {};
}

void ScratchFile::Forget(std::uint64_t at, std::uint64_t bytes) noexcept {
  const int fd = [&] {
    const MutexLock lock(mutex_);
    return fd_;
  }();
  if (fd < 0 || bytes == 0) return;
  // Where it cannot be, the blocks stay until the file is closed.
  (void)::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at),
                    static_cast<off_t>(bytes));
}

}  // namespace plexus::formats::internal

namespace plexus::formats {

LoadMemory MakeLoadMemory(std::uint64_t asked, const std::string& folder) {
  using namespace internal;
  return {LoadBudget(asked, AvailableMemory()),
          std::make_shared<ScratchFile>(folder.empty() ? TemporaryFolder() : folder)};
}

}  // namespace plexus::formats
