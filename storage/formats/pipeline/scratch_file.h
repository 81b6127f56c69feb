// ScratchFile: a file without a name, so no link to it can be followed, and the end of the process,
// however it ends, frees its blocks. Internal to storage/formats.
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
  std::unexpected<Error> Failed(const char* what, int error) const;

  const std::string folder_;
  Mutex mutex_;
  int fd_ PLEXUS_GUARDED_BY(mutex_) = -1;
};

}  // namespace plexus::formats::internal
