// What a load takes: memory that there is, and a scratch file without a name, so no link to it can
// be followed, and the end of the process, however it ends, frees its blocks. Internal to
// storage/formats.
#pragma once

#include <cstdint>
#include <string>

#include "engine/bulk/load.h"
#include "engine/error.h"
#include "engine/mutex.h"

namespace plexus::formats::internal {

// $TMPDIR, else /tmp.
std::string TemporaryFolder();
// A descriptor to read and write; kIo names the folder.
Result<int> NamelessFile(const std::string& folder);

// What a load keeps out of memory. The file is made with the first bytes.
class ScratchFile final : public LoadScratch {
 public:
  explicit ScratchFile(std::string folder) : folder_(std::move(folder)) {}
  ~ScratchFile() override;
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  Status Write(std::uint64_t at, std::span<const std::byte> bytes) override;
  Status Read(std::uint64_t at, std::span<std::byte> bytes) override;
  void Forget(std::uint64_t at, std::uint64_t bytes) noexcept override;

 private:
  Result<int> File();
  template <class Call, class Bytes>
  Status Transfer(Call* call, const char* what, int error_of_none, std::uint64_t at, Bytes bytes);
  std::unexpected<Error> Failed(const char* what, int error) const;

  const std::string folder_;
  Mutex mutex_;
  int fd_ PLEXUS_GUARDED_BY(mutex_) = -1;
};

// What can be had without swapping: of the system, and of what the limit of its container leaves
// (cgroup v2 and v1; what files take of that can be had). `root`: where proc and sys are.
std::uint64_t AvailableMemory(const std::string& root = "");

// What a load may take of so many bytes that are free; `asked`: as ImportLimits::load_bytes.
std::uint64_t LoadBudget(std::uint64_t asked, std::uint64_t free);

}  // namespace plexus::formats::internal
