// Inflating by zlib, member by member; see gunzip.h.
#include "storage/formats/pipeline/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace plexus::formats::internal {

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
        return Bad(std::string("gzip data is damaged") +
                   (stream_.msg ? std::string(": ") + stream_.msg : ""));
    }
    return asked - stream_.avail_out;
  }

 private:
  std::unexpected<Error> Bad(const std::string& what) const { return Invalid(name_, ": ", what); }
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

}  // namespace plexus::formats::internal
