// Pipes into memory or nameless files, the stamps of files, gzip by zlib, member by member, and the
// heads of texts; see input.h.
#include "storage/formats/pipeline/input.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "storage/formats/pipeline/scratch_file.h"

namespace plexus::formats::internal {

namespace {

// Reads at its own place, so that one descriptor serves several.
class SpoolReader final : public ByteSource {
 public:
  SpoolReader(int fd, std::string name, std::uint64_t begin, std::uint64_t size)
      : fd_(fd),
        name_(std::move(name)),
        at_(static_cast<off_t>(begin)),
        end_(static_cast<off_t>(begin + size)) {}
  Result<std::size_t> Read(char* to, std::size_t size) override {
    size = std::min(size, static_cast<std::size_t>(end_ - at_));  // it may grow
    for (;;) {
      const ssize_t n = ::pread(fd_, to, size, at_);
      if (n >= 0) {
        at_ += n;
        return static_cast<std::size_t>(n);
      }
      if (errno != EINTR) return IoError(name_, ": read failed: ", std::strerror(errno));
    }
  }

 private:
  int fd_;
  std::string name_;
  off_t at_, end_;
};

Status WriteAll(int fd, const char* from, std::size_t size, const std::string& name) {
  while (size > 0) {
    const ssize_t n = ::write(fd, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return IoError(name, ": keeping it in a temporary file: ", std::strerror(errno));
    from += n;
    size -= static_cast<std::size_t>(n);
  }
  return {};
}

// A descriptor that someone else closes. A signal while it waits may be a wish to stop.
class BorrowedDescriptor final : public ByteSource {
 public:
  BorrowedDescriptor(int fd, std::string name, Progress* progress)
      : fd_(fd), name_(std::move(name)), progress_(progress) {}
  Result<std::size_t> Read(char* to, std::size_t size) override {
    for (;;) {
      pollfd waiting{fd_, POLLIN, 0};  // unlike read, never restarted behind a signal
      if (::poll(&waiting, 1, -1) < 0 && errno == EINTR) {
        if (progress_ && !progress_->Report("reading", 0, 0)) return Cancelled("import cancelled");
        continue;
      }
      const ssize_t n = ::read(fd_, to, size);
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR) return IoError(name_, ": read failed: ", std::strerror(errno));
    }
  }

 private:
  int fd_;
  std::string name_;
  Progress* progress_;
};

std::unexpected<Error> TooLong(const std::string& name, std::uint64_t limit) {
  return Exhausted(name, ": over ", limit, " bytes; save it as a file and import that");
}

FileStamp StampOf(const struct stat& info) {
  return {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size), info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec};
}

}  // namespace

Spool::~Spool() {
  if (fd_ >= 0) ::close(fd_);
}

std::unique_ptr<ByteSource> Spool::Open(const std::string& name, std::uint64_t from) const {
  from = std::min(from, size_);
  if (fd_ < 0) return OpenBytes(std::string_view(bytes_).substr(static_cast<std::size_t>(from)));
  return std::make_unique<SpoolReader>(fd_, name, begin_ + from, size_ - from);
}

FileStamp Spool::stamp() const {
  struct stat info{};
  return shared_ && ::fstat(fd_, &info) == 0 ? StampOf(info) : FileStamp();
}

Status Spool::Add(const char* from, std::size_t size, const std::string& name) {
  size_ += size;
  if (fd_ < 0 && size_ <= kInMemory) {
    bytes_.append(from, size);
    return {};
  }
  if (fd_ < 0) {
    PLEXUS_ASSIGN(fd_, NamelessFile(TemporaryFolder()));
    PLEXUS_TRY(WriteAll(fd_, bytes_.data(), bytes_.size(), name));
    bytes_ = {};
  }
  return WriteAll(fd_, from, size, name);
}

Result<std::shared_ptr<const Spool>> SpoolSource(ByteSource& source, const std::string& name,
                                                 std::uint64_t limit, Progress* progress) {
  const auto spool = std::make_shared<Spool>();
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    PLEXUS_ASSIGN(const std::size_t n, source.Read(buffer.data(), buffer.size()));
    if (n == 0) return spool;
    if (n > limit - spool->size_) return TooLong(name, limit);
    PLEXUS_TRY(spool->Add(buffer.data(), n, name));
    if (progress && !progress->Report("reading", spool->size_, 0))
      return Cancelled("import cancelled");
  }
}

Result<std::shared_ptr<const Spool>> SpoolDescriptor(int fd, const std::string& name,
                                                     std::uint64_t limit, Progress* progress) {
  struct stat info{};
  const off_t at = ::lseek(fd, 0, SEEK_CUR);
  // Such as one of /proc has no size, and is read to its end.
  const bool file = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && at >= 0;
  // A file with a name may be written by others meanwhile.
  if (file && info.st_nlink == 0 && info.st_size > at) {
    const auto spool = std::make_shared<Spool>();
    spool->begin_ = static_cast<std::uint64_t>(at);
    spool->size_ = static_cast<std::uint64_t>(info.st_size - at);
    spool->shared_ = true;
    if (spool->size_ > limit) return TooLong(name, limit);
    spool->fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (spool->fd_ < 0) return IoError(name, ": cannot keep it open: ", std::strerror(errno));
    (void)::lseek(fd, info.st_size, SEEK_SET);
    return spool;
  }
  BorrowedDescriptor source(fd, name, progress);
  return SpoolSource(source, name, limit, progress);
}

FileStamp StampOf(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? StampOf(info) : FileStamp();
}

namespace {

class GunzipSource final : public ByteSource {
 public:
  GunzipSource(std::unique_ptr<ByteSource> from, std::string name)
      : from_(std::move(from)), name_(std::move(name)), packed_(std::size_t{1} << 18) {
    ready_ = inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK;  // 16: only gzip
  }
  ~GunzipSource() override {
    if (ready_) inflateEnd(&stream_);
  }
  bool ready() const { return ready_; }

  Result<std::size_t> Read(char* to, std::size_t size) override {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min(size, kMost));
    const uInt asked = stream_.avail_out;
    while (stream_.avail_out == asked && asked > 0) {
      if (stream_.avail_in == 0) {
        PLEXUS_TRY(Refill());
        if (stream_.avail_in == 0) {
          if (between_) return std::size_t{0};
          return Bad("gzip data ends in the middle");
        }
      }
      if (between_) {
        inflateReset(&stream_);
        between_ = false;
      }
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_MEM_ERROR) return Exhausted(name_, ": no memory to unpack it");
      if (code == Z_STREAM_END)
        between_ = true;
      else if (code != Z_OK && code != Z_BUF_ERROR)
        return Bad("gzip data is damaged", stream_.msg ? ": " : "", stream_.msg ? stream_.msg : "");
    }
    return asked - stream_.avail_out;
  }

 private:
  template <class... Parts>
  std::unexpected<Error> Bad(const Parts&... parts) const {
    return Invalid(name_, ": ", parts...);
  }
  Status Refill() {
    PLEXUS_ASSIGN(const std::size_t n, from_->Read(packed_.data(), packed_.size()));
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(n);
    return {};
  }

  std::unique_ptr<ByteSource> from_;
  std::string name_;
  std::vector<char> packed_;
  z_stream stream_ = {};
  bool ready_ = false;
  bool between_ = false;  // behind a member: what follows is another one, or nothing
};

}  // namespace

bool IsGzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

std::unique_ptr<ByteSource> Gunzip(std::unique_ptr<ByteSource> from, std::string name) {
  auto made = std::make_unique<GunzipSource>(std::move(from), std::move(name));
  if (!made->ready()) return nullptr;
  return made;
}

std::string_view WithoutGz(std::string_view name) {
  constexpr std::string_view kEnding = ".gz";
  return name.ends_with(kEnding) ? name.substr(0, name.size() - kEnding.size()) : name;
}

namespace {

constexpr std::size_t kHead = 65536;

class TextSource final : public ByteSource {
 public:
  TextSource(std::unique_ptr<ByteSource> source, std::string head, bool returns)
      : source_(std::move(source)), head_(std::move(head)), returns_(returns) {}

  Result<std::size_t> Read(char* to, std::size_t size) override {
    std::size_t n = std::min(size, head_.size() - at_);
    if (n > 0) {
      std::memcpy(to, head_.data() + at_, n);
      at_ += n;
    } else {
      PLEXUS_ASSIGN(n, source_->Read(to, size));
    }
    if (returns_) std::replace(to, to + n, '\r', '\n');
    return n;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string head_;
  std::size_t at_ = 0;
  bool returns_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenText(const Input& input) {
  PLEXUS_ASSIGN(auto source, input.Open());
  std::string head(kHead, '\0');
  PLEXUS_TRY(ReadFully(*source, head));
  if (head.starts_with("\xef\xbb\xbf")) head.erase(0, 3);
  const std::size_t end = head.find('\r');
  const bool returns = end != std::string::npos && end + 1 < head.size() &&
                       head.find('\n') == std::string::npos && head.find('\0') == std::string::npos;
  return std::make_unique<TextSource>(std::move(source), std::move(head), returns);
}

}  // namespace plexus::formats::internal
