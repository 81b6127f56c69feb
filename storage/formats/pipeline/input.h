// Input: one thing to import, by path, as bytes in memory, or spooled, and how it is
// opened. What is read twice (checked, then imported) is opened twice; a stamp shows whether it was
// the same both times. Internal to storage/formats.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "storage/formats/pipeline/block_reader.h"

namespace plexus::formats::internal {

// What changes when a file is written to or replaced.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  bool operator==(const FileStamp&) const = default;
};
// All zero when there is no such file.
FileStamp StampOf(const std::string& path);

// The bytes of a pipe: the first few MiB in memory; when there are more, all of them in a
// file that has no name any more and goes with the last owner. Or the rest of a regular file that
// someone else has opened, without a copy. Thread-safe to open.
class Spool {
 public:
  static constexpr std::size_t kInMemory = std::size_t{8} << 20;

  Spool() = default;
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  // Borrows. `from`: how many bytes are left out.
  std::unique_ptr<ByteSource> Open(const std::string& name, std::uint64_t from = 0) const;
  std::uint64_t size() const { return size_; }
  // Of a file that someone else may write to.
  FileStamp stamp() const;

 private:
  friend Result<std::shared_ptr<const Spool>> SpoolSource(ByteSource&, const std::string&,
                                                          std::uint64_t, Progress*);
  friend Result<std::shared_ptr<const Spool>> SpoolDescriptor(int, const std::string&,
                                                              std::uint64_t, Progress*);
  Status Add(const char* from, std::size_t size, const std::string& name);

  std::string bytes_;  // while there is no file
  int fd_ = -1;
  std::uint64_t begin_ = 0, size_ = 0;
  bool shared_ = false;  // the file of fd_ is someone else's
};

// Copies all of `source`, what does not fit in memory into $TMPDIR (or /tmp). kResourceExhausted
// above `limit`, kIo, kCancelled; each names `name`.
Result<std::shared_ptr<const Spool>> SpoolSource(ByteSource& source, const std::string& name,
                                                 std::uint64_t limit, Progress* progress);

// The same of an open descriptor, which stays open and is at its end then. A regular file is not
// copied.
Result<std::shared_ptr<const Spool>> SpoolDescriptor(int fd, const std::string& name,
                                                     std::uint64_t limit, Progress* progress);

struct Input {
  std::string name;
  std::optional<std::string_view> bytes = {};  // else a file
  std::shared_ptr<const Spool> spool = {};     // else by its name

  Result<std::unique_ptr<ByteSource>> Open(Progress* progress = nullptr) const {
    if (bytes) return OpenBytes(*bytes);
    if (spool) return spool->Open(name);
    return OpenFile(name, progress);
  }
  bool by_name() const { return !bytes && !spool; }
  bool is_directory() const {
    struct stat info {};
    return by_name() && ::stat(name.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  }
  // nullopt when it cannot be known beforehand, and so not read twice (a pipe).
  std::optional<std::uint64_t> size() const {
    if (bytes) return bytes->size();
    if (spool) return spool->size();
    struct stat info {};
    if (::stat(name.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(info.st_size);
  }
  FileStamp stamp() const {
    return by_name() ? StampOf(name) : spool ? spool->stamp() : FileStamp();
  }
};

// Whether a file is gzip (RFC 1952, one member or several), by its first bytes.
bool IsGzip(std::string_view head);

// What `from` holds, unpacked. Bytes are checked against gzip's checksums. Errors of Read:
// kInvalidArgument names `name` where the data is damaged, ends early, or is followed by what is no
// gzip member; those of `from`. Null without memory.
std::unique_ptr<ByteSource> Gunzip(std::unique_ptr<ByteSource> from, std::string name);

// "a.csv.gz" -> "a.csv"; any other name as it is.
std::string_view WithoutGz(std::string_view name);

// An input of lines, as its parsers want them: a byte order mark at its head is taken off, and
// where the head has lines that end with a carriage return only (as old Macs wrote them) and none
// that ends with a line feed, each return becomes a line feed.
Result<std::unique_ptr<ByteSource>> OpenText(const Input& input);

}  // namespace plexus::formats::internal
