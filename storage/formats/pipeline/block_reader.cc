// Blocks of whole records from a file or from memory; see block_reader.h.
#include "storage/formats/pipeline/block_reader.h"
#include "storage/formats/base/text.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace plexus::formats::internal {

namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(int fd, std::string path, bool regular, Progress* progress)
      : fd_(fd), path_(std::move(path)), regular_(regular), progress_(progress) {}
  ~FileSource() override { ::close(fd_); }
  Result<std::size_t> Read(char* to, std::size_t size) override {
    for (;;) {
      if (!regular_) PLEXUS_TRY(Wait());
      ssize_t n = ::read(fd_, to, size);
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR && errno != EAGAIN)
        return IoError(path_, ": read failed: ", std::strerror(errno));
    }
  }

 private:
  // Until a pipe has something, or its last writer is gone. One that no process has opened for
  // writing yet has neither.
  Status Wait() {
    constexpr int kLookMs = 100;
    pollfd descriptor{fd_, POLLIN, 0};
    for (;;) {
      const int ready = ::poll(&descriptor, 1, kLookMs);
      if (ready > 0 || (ready < 0 && errno != EINTR)) return {};  // reading says what is wrong
      if (progress_ && !progress_->Report("waiting", 0, 0))
        return Cancelled(path_, ": cancelled while waiting for its first bytes");
    }
  }

  int fd_;
  std::string path_;
  bool regular_;
  Progress* progress_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  Result<std::size_t> Read(char* to, std::size_t size) override {
    size = std::min(size, bytes_.size());
    if (size) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

Status ReadFully(ByteSource& source, std::string& bytes) {
  std::size_t got = 0;
  while (got < bytes.size()) {
    PLEXUS_ASSIGN(const std::size_t n, source.Read(bytes.data() + got, bytes.size() - got));
    if (n == 0) break;
    got += n;
  }
  bytes.resize(got);
  return {};
}

Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path, Progress* progress) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return Fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                path + ": cannot open: " + std::strerror(errno));
  struct stat info{};
  const bool known = ::fstat(fd, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    ::close(fd);
    return Invalid(path, ": is a directory");
  }
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::make_unique<FileSource>(fd, path, known && S_ISREG(info.st_mode), progress);
}

std::unique_ptr<ByteSource> OpenBytes(std::string_view bytes) {
  return std::make_unique<MemorySource>(bytes);
}

BlockReader::BlockReader(std::unique_ptr<ByteSource> source, std::size_t block_bytes,
                         std::size_t record_limit)
    : source_(std::move(source)),
      block_bytes_(std::max<std::size_t>(block_bytes, 16)),
      record_limit_(std::max<std::size_t>(record_limit, 16)) {}

// Holds at least `want` bytes, unless the file ends before.
Status BlockReader::Fill(std::size_t want) {
  if (want + kPadding > capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(want + kPadding);
    if (size_) std::memcpy(larger.get(), buffer_.get(), size_);
    buffer_ = std::move(larger);
    capacity_ = want + kPadding;
  }
  while (size_ < want && !eof_) {
    PLEXUS_ASSIGN(std::size_t n, source_->Read(buffer_.get() + size_, want - size_));
    if (n == 0) eof_ = true;
    size_ += n;
    bytes_read_ += n;
  }
  return {};
}

Result<std::string_view> BlockReader::Peek(std::size_t bytes) {
  PLEXUS_TRY(Fill(bytes));
  return std::string_view(buffer_.get(), std::min(bytes, size_));
}

void BlockReader::Drop(std::size_t bytes) {
  line_ += std::count(buffer_.get(), buffer_.get() + bytes, '\n');
  std::memmove(buffer_.get(), buffer_.get() + bytes, size_ - bytes);
  size_ -= bytes;
}

// End of the last whole record in the first `seen` bytes, 0 when none exists.
std::size_t BlockReader::LastRecordEnd(std::size_t seen) const {
  const char* data = buffer_.get();
  if (!delimiter_ || !::memchr(data, '"', seen)) {
    const void* at = ::memrchr(data, '\n', seen);
    return at ? static_cast<std::size_t>(static_cast<const char*>(at) - data) + 1 : 0;
  }
  const std::string_view text(data, seen);
  std::size_t end = 0;
  while (const auto length = QuotedRecordLength(text.substr(end), delimiter_)) end += *length;
  return end;
}

// Hands out the first `bytes` held and keeps the rest.
Block BlockReader::Take(std::size_t bytes) {
  Block block;
  const std::size_t rest = size_ - bytes;
  if (rest == 0 && bytes < capacity_ / 2) {  // the end: a small file takes no whole buffer
    block.buffer = std::make_unique_for_overwrite<char[]>(bytes + kPadding);
    std::memcpy(block.buffer.get(), buffer_.get(), bytes);
  } else {
    const std::size_t capacity = std::max(block_bytes_, rest) + kPadding;
    auto next = std::make_unique_for_overwrite<char[]>(capacity);
    if (rest) std::memcpy(next.get(), buffer_.get() + bytes, rest);
    block.buffer = std::exchange(buffer_, std::move(next));
    capacity_ = capacity;
  }
  size_ = rest;
  std::memset(block.buffer.get() + bytes, '\n', kPadding);
  block.text = {block.buffer.get(), bytes};
  block.first_line = line_;
  line_ += std::count(block.text.begin(), block.text.end(), '\n');
  return block;
}

// The record at the head is over the limit: skip to the first line end behind it.
Result<std::optional<Block>> BlockReader::DropRecord() {
  Block block;
  block.first_line = line_;
  block.dropped = "record over " + std::to_string(record_limit_) + " bytes" +
                  (delimiter_ ? " (a quote that is never closed?)" : "");
  for (std::size_t from = std::min(record_limit_, size_);; from = 0) {
    const void* at = std::memchr(buffer_.get() + from, '\n', size_ - from);
    if (at) {
      Drop(static_cast<std::size_t>(static_cast<const char*>(at) - buffer_.get()) + 1);
      return block;
    }
    line_ += static_cast<std::uint64_t>(std::count(buffer_.get(), buffer_.get() + size_, '\n'));
    size_ = 0;
    if (eof_) return block;
    PLEXUS_TRY(Fill(block_bytes_));
  }
}

Result<std::optional<Block>> BlockReader::Next() {
  for (std::size_t want = block_bytes_;;) {
    PLEXUS_TRY(Fill(want));
    if (size_ == 0) return std::nullopt;
    const std::size_t seen = std::min(want, size_);  // Peek may have read further
    const bool all = eof_ && seen == size_;
    if (all && size_ <= record_limit_) return Take(size_);  // the last record may lack its end
    if (std::size_t end = LastRecordEnd(seen); end > 0) return Take(end);
    if (seen > record_limit_) return DropRecord();
    want = std::max(std::min(seen * 2, record_limit_ + 1), seen + 1);
  }
}

}  // namespace plexus::formats::internal
