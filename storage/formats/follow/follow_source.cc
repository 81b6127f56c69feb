// A file is looked at by its size; a pipe is polled. Both waits end early at a signal. The position
// is a map of properties, as every export carries it.
#include "storage/formats/follow/follow_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cerrno>
#include <cstring>

#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace plexus::formats::internal {

namespace {

std::unexpected<Error> NotReadable(const std::string& name, const char* what) {
  return Fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
              name + ": " + what + ": " + std::strerror(errno));
}

std::unexpected<Error> OtherFile(const std::string& name, const std::string& why) {
  return FailedPrecondition(name, ": ", why,
                            "; to import it from its beginning, name another position");
}

// The windows of what is done must be those that were noted.
Status CheckWindows(const std::string& name, const FollowWindows& windows,
                    const FollowPosition& position) {
  const FollowPosition now = windows.At({}, 0);
  if (now.head == position.head && now.tail == position.tail) return {};
  return OtherFile(name, "its first " + std::to_string(position.offset) +
                             " bytes are not those that were imported: it was rotated or "
                             "rewritten");
}

class FollowedFile final : public FollowSource {
 public:
  FollowedFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~FollowedFile() override { ::close(fd_); }

  Result<FollowWindows> Begin(const FollowPosition* position, std::size_t head_bytes,
                              std::string& head, Progress*) override {
    PLEXUS_ASSIGN(head, ReadAt(0, head_bytes));
    if (!position) return FollowWindows();
    PLEXUS_ASSIGN(const std::uint64_t size, Size());
    if (size < position->offset) return Truncated(size, position->offset);
    const std::size_t window = static_cast<std::size_t>(
        std::min<std::uint64_t>(FollowPosition::kWindow, position->offset));
    PLEXUS_ASSIGN(std::string tail, ReadAt(position->offset - window, window));
    FollowWindows windows(position->offset, head.substr(0, window), std::move(tail));
    PLEXUS_TRY(CheckWindows(path_, windows, *position));
    offset_ = position->offset;
    return windows;
  }

  Result<std::size_t> Read(char* to, std::size_t size, int wait_ms) override {
    for (bool waited = false;; waited = true) {
      const ssize_t n = ::pread(fd_, to, size, static_cast<off_t>(offset_));
      if (n < 0 && errno != EINTR) return NotReadable(path_, "cannot be read");
      if (n > 0) {
        offset_ += static_cast<std::uint64_t>(n);
        return static_cast<std::size_t>(n);
      }
      PLEXUS_TRY(CheckFile());
      if (waited) return 0;
      ::poll(nullptr, 0, wait_ms);
    }
  }

  bool ended() const override { return false; }

 private:
  Result<std::uint64_t> Size() const {
    struct stat info {};
    if (::fstat(fd_, &info) != 0) return NotReadable(path_, "cannot be read");
    return static_cast<std::uint64_t>(info.st_size);
  }

  std::unexpected<Error> Truncated(std::uint64_t size, std::uint64_t offset) const {
    return OtherFile(path_, "it was truncated: it has " + std::to_string(size) + " bytes, and " +
                                std::to_string(offset) + " were read of it");
  }

  // At the file's end: it still has what was read of it, and its name still means it.
  Status CheckFile() const {
    struct stat here {
    }, named{};
    if (::fstat(fd_, &here) != 0) return NotReadable(path_, "cannot be read");
    if (static_cast<std::uint64_t>(here.st_size) < offset_)
      return Truncated(static_cast<std::uint64_t>(here.st_size), offset_);
    if (static_cast<std::uint64_t>(here.st_size) > offset_) return {};
    if (::stat(path_.c_str(), &named) != 0)
      return OtherFile(path_, "it was removed or renamed; its last byte was read");
    if (named.st_ino != here.st_ino || named.st_dev != here.st_dev)
      return OtherFile(path_,
                       "it was rotated: another file has its name; of the one before the "
                       "last byte was read");
    return {};
  }

  Result<std::string> ReadAt(std::uint64_t offset, std::size_t size) const {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
      const ssize_t n =
          ::pread(fd_, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return NotReadable(path_, "cannot be read");
      if (n == 0) break;
      have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return bytes;
  }

  std::string path_;
  int fd_;
  std::uint64_t offset_ = 0;
};

class FollowedDescriptor final : public FollowSource {
 public:
  FollowedDescriptor(std::string name, int fd) : name_(std::move(name)), fd_(fd) {}

  Result<FollowWindows> Begin(const FollowPosition* position, std::size_t head_bytes,
                              std::string& head, Progress* progress) override {
    head.clear();
    FollowWindows windows;
    if (!position) return windows;
    std::string buffer(std::size_t{1} << 16, '\0');
    while (windows.size() < position->offset) {
      const std::size_t most = static_cast<std::size_t>(
          std::min<std::uint64_t>(buffer.size(), position->offset - windows.size()));
      if (progress && !progress->Report("following", windows.size(), position->offset))
        return Cancelled("import cancelled");
      PLEXUS_ASSIGN(const std::size_t n, Read(buffer.data(), most, 100));
      if (n == 0 && ended_)
        return OtherFile(name_, "it was truncated: it has " + std::to_string(windows.size()) +
                                    " bytes, and " + std::to_string(position->offset) +
                                    " were imported of it");
      const std::string_view bytes(buffer.data(), n);
      windows.Add(bytes);
      head.append(bytes.substr(0, head_bytes - std::min(head_bytes, head.size())));
    }
    PLEXUS_TRY(CheckWindows(name_, windows, *position));
    return windows;
  }

  Result<std::size_t> Read(char* to, std::size_t size, int wait_ms) override {
    if (ended_) return 0;
    pollfd waiting{fd_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, wait_ms);
    if (ready <= 0) return 0;  // nothing yet, or a signal
    const ssize_t n = ::read(fd_, to, size);
    if (n < 0 && errno == EINTR) return 0;
    if (n < 0) return NotReadable(name_, "cannot be read");
    ended_ = n == 0;
    return static_cast<std::size_t>(n);
  }

  bool ended() const override { return ended_; }

 private:
  std::string name_;
  int fd_;
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<FollowSource>> OpenFollowedFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return NotReadable(path, "cannot be opened");
  std::unique_ptr<FollowSource> source = std::make_unique<FollowedFile>(path, fd);
  struct stat info {};
  if (::fstat(fd, &info) != 0) return NotReadable(path, "cannot be read");
  if (S_ISREG(info.st_mode)) return source;
  if (S_ISDIR(info.st_mode))
    return Unsupported(path, ": is a directory; a file or a pipe is followed");
  return Unsupported(path, ": is no regular file; to follow a pipe, make it the standard input");
}

std::unique_ptr<FollowSource> FollowDescriptor(const std::string& name, int fd) {
  return std::make_unique<FollowedDescriptor>(name, fd);
}

namespace {

std::string Digest(std::string_view bytes) {
  boost::uuids::name_generator_sha1 digest(boost::uuids::ns::oid());
  return boost::uuids::to_string(digest(bytes.data(), bytes.size()));
}

std::string StoredName(std::string_view name) { return "plexus.follow." + std::string(name); }

}  // namespace

FollowWindows::FollowWindows(std::uint64_t size, std::string head, std::string tail)
    : size_(size), head_(std::move(head)), tail_(std::move(tail)) {}

void FollowWindows::Add(std::string_view bytes) {
  constexpr std::size_t kWindow = FollowPosition::kWindow;
  size_ += bytes.size();
  head_.append(bytes.substr(0, kWindow - std::min(kWindow, head_.size())));
  tail_.append(bytes.substr(bytes.size() - std::min(kWindow, bytes.size())));
  if (tail_.size() > kWindow) tail_.erase(0, tail_.size() - kWindow);
}

FollowPosition FollowWindows::At(std::string_view more, std::uint64_t lines) const {
  FollowWindows then = *this;
  then.Add(more);
  return {then.size_, lines, Digest(then.head_), Digest(then.tail_)};
}

Result<std::optional<FollowPosition>> ReadFollowPosition(const Snapshot& snapshot,
                                                         std::string_view name) {
  const auto node = snapshot.Find(IndexKey("inscription", StoredName(name)));
  if (!node || !snapshot.alive(*node)) return std::nullopt;
  const PayloadRef ref = snapshot.payload_ref(*node, NodeField::kProperties);
  if (!ref) return std::nullopt;
  PLEXUS_ASSIGN(const std::string bytes, snapshot.Payload(ref));
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(bytes));
  const PropertyView root = map.root();
  FollowPosition position;
  const auto number = [&](const char* member, std::uint64_t& to) {
    const auto value = root.Find(member);
    const auto whole = value ? value->AsUint() : std::nullopt;
    if (whole) to = *whole;
    return whole.has_value();
  };
  const auto text = [&](const char* member, std::string& to) {
    const auto value = root.Find(member);
    const auto string = value ? value->AsString() : std::nullopt;
    if (string) to = *string;
    return string.has_value();
  };
  if (!number("offset", position.offset) || !number("lines", position.lines) ||
      !text("head", position.head) || !text("tail", position.tail))
    return Corrupted("the position inscription:", StoredName(name), " cannot be read; remove it");
  return position;
}

Status WriteFollowPosition(WriteBatch& batch, std::string_view name,
                           const FollowPosition& position) {
  PropertyMapBuilder made;
  made.Uint("offset", position.offset)
      .Uint("lines", position.lines)
      .String("head", position.head)
      .String("tail", position.tail);
  PLEXUS_ASSIGN(const std::string bytes, made.Finish());
  const NodeRef node = batch.IndexNode(builtin::kInscription, StoredName(name));
  batch.UpsertNode(node);
  batch.SetPayload(node, NodeField::kProperties, bytes);
  return {};
}

}  // namespace plexus::formats::internal
