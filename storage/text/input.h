// Input: one thing to import, by path or as bytes in memory, and how it is opened.
// Formats that are read twice (checked, then imported) open it twice. Internal to
// storage/text.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "storage/text/block_reader.h"

namespace plexus::text {

struct Input {
  std::string name;
  std::optional<std::string_view> bytes;  // else a file

  Result<std::unique_ptr<ByteSource>> Open() const {
    if (bytes) return OpenBytes(*bytes);
    return OpenFile(name);
  }
  bool is_directory() const {
    struct stat info {};
    return !bytes && ::stat(name.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  }
  // nullopt when it cannot be known beforehand, and so not read twice (a pipe).
  std::optional<std::uint64_t> size() const {
    if (bytes) return bytes->size();
    struct stat info {};
    if (::stat(name.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(info.st_size);
  }
};

}  // namespace plexus::text
