// The head is looked at first, the rest goes through; see text_source.h.
#include "storage/formats/pipeline/text_source.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace plexus::formats::internal {

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
  std::size_t size = 0;
  while (size < head.size()) {
    PLEXUS_ASSIGN(const std::size_t n, source->Read(head.data() + size, head.size() - size));
    if (n == 0) break;
    size += n;
  }
  head.resize(size);
  if (head.starts_with("\xef\xbb\xbf")) head.erase(0, 3);
  const std::size_t end = head.find('\r');
  const bool returns = end != std::string::npos && end + 1 < head.size() &&
                       head.find('\n') == std::string::npos && head.find('\0') == std::string::npos;
  return std::make_unique<TextSource>(std::move(source), std::move(head), returns);
}

}  // namespace plexus::formats::internal
