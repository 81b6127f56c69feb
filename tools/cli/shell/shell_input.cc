// A buffer over read(2): stdio could not say what it holds.
#include "tools/cli/shell/shell_input.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace plexus::tools {
namespace {

constexpr std::size_t kBlock = 65'536;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

bool ShellInput::Fill() {
  if (ended_) return false;
  buffer_.erase(0, at_);
  scanned_ -= at_;
  at_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kBlock);
  ssize_t count = -1;
  do {
    count = read(descriptor_, buffer_.data() + before, kBlock);
  } while (count < 0 && errno == EINTR);
  buffer_.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
  ended_ = count <= 0;
  if (!begun_ && (ended_ || buffer_.size() >= kByteOrderMark.size())) {
    begun_ = true;
    if (buffer_.starts_with(kByteOrderMark)) at_ = scanned_ = kByteOrderMark.size();
  }
  return !ended_;
}

std::optional<std::string> ShellInput::Next() {
  for (;;) {
    const std::size_t end = begun_ ? buffer_.find('\n', scanned_) : std::string::npos;
    if (end != std::string::npos) {
      std::string line = buffer_.substr(at_, end - at_);
      at_ = scanned_ = end + 1;
      return line;
    }
    if (begun_) scanned_ = buffer_.size();
    if (scanned_ - at_ > kMaxLine) return SkipLongLine();
    if (Fill()) continue;
    if (at_ == buffer_.size()) return std::nullopt;
    std::string rest = buffer_.substr(at_);
    at_ = scanned_ = buffer_.size();
    return rest;
  }
}

std::string ShellInput::SkipLongLine() {
  std::string line = buffer_.substr(at_, kMaxLine + 1);
  for (;;) {
    at_ = scanned_ = buffer_.size();
    const bool more = Fill();
    const std::size_t end = buffer_.find('\n', at_);
    if (end != std::string::npos) at_ = scanned_ = end + 1;
    if (end != std::string::npos || !more) return line;
  }
}

}  // namespace plexus::tools
