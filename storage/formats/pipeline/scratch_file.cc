// Files that have no name, and what the system says of memory; see scratch_file.h.
#include "storage/formats/pipeline/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include "storage/formats/import.h"

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
  return Transfer(::pwrite, "writing", ENOSPC, at, bytes);
}

Status ScratchFile::Read(std::uint64_t at, std::span<std::byte> bytes) {
  return Transfer(::pread, "reading", EIO, at, bytes);
}

template <class Call, class Bytes>
Status ScratchFile::Transfer(Call* call, const char* what, int error_of_none, std::uint64_t at,
                             Bytes bytes) {
  PLEXUS_ASSIGN(const int fd, File());
  while (!bytes.empty()) {
    const ssize_t n = call(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Failed(what, n < 0 ? errno : error_of_none);
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

namespace {

constexpr std::uint64_t kMostByDefault = std::uint64_t{8} << 30;

// The number of a file that holds one; none where there is no such file or it says "max".
std::optional<std::uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// The number behind `name`, in a file of such lines.
std::optional<std::uint64_t> NumberOf(const std::string& path, const std::string& name) {
  std::ifstream lines(path);
  for (std::string word, rest; lines >> word; std::getline(lines, rest)) {
    std::uint64_t number = 0;
    if (word == name && lines >> number) return number;
  }
  return std::nullopt;
}

// What a group of processes may still take.
std::optional<std::uint64_t> LeftIn(const std::string& folder, const char* limit, const char* used,
                                    const char* cache) {
  const auto most = NumberIn(folder + limit), taken = NumberIn(folder + used);
  if (!most || !taken) return most;
  const std::uint64_t of_files = NumberOf(folder + "memory.stat", cache).value_or(0);
  return *most - std::min(*most, *taken - std::min(*taken, of_files));
}

}  // namespace

std::uint64_t AvailableMemory(const std::string& root) {
  std::uint64_t free = 0;
  if (const auto kilobytes = NumberOf(root + "/proc/meminfo", "MemAvailable:")) {
    free = *kilobytes << 10;
  } else {  // all that there is
    const auto pages = static_cast<std::uint64_t>(std::max(0l, ::sysconf(_SC_PHYS_PAGES)));
    free = pages * static_cast<std::uint64_t>(std::max(0l, ::sysconf(_SC_PAGESIZE)));
  }
  const std::string groups = root + "/sys/fs/cgroup/";
  const auto second = LeftIn(groups, "memory.max", "memory.current", "inactive_file");
  const auto first = LeftIn(groups + "memory/", "memory.limit_in_bytes", "memory.usage_in_bytes",
                            "total_inactive_file");
  return std::min({free, second.value_or(free), first.value_or(free)});
}

std::uint64_t LoadBudget(std::uint64_t asked, std::uint64_t free) {
  if (asked == ImportLimits::kHalfOfFree) return std::min(free / 2, kMostByDefault);
  return std::min(asked, free);
}

}  // namespace plexus::formats::internal

namespace plexus::formats {

LoadMemory MakeLoadMemory(std::uint64_t asked, const std::string& folder) {
  using namespace internal;
  return {LoadBudget(asked, AvailableMemory()),
          std::make_shared<ScratchFile>(folder.empty() ? TemporaryFolder() : folder)};
}

}  // namespace plexus::formats
