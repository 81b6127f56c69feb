// Lines of a script.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace plexus::tools {

// Reads a file descriptor by blocks. A byte order mark before the first line is no part of it. Not
// thread-safe.
class ShellInput {
 public:
  explicit ShellInput(int descriptor) : descriptor_(descriptor) {}

  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;  // bytes

  // The next line without its end; nullopt at the end of the input, or when it cannot be read. Of
  // a longer line than kMaxLine the first kMaxLine + 1 bytes; the rest is read and not kept.
  std::optional<std::string> Next();

 private:
  bool Fill();  // false at the end
  std::string SkipLongLine();

  int descriptor_;
  std::string buffer_;
  std::size_t at_ = 0;       // what is before was handed out
  std::size_t scanned_ = 0;  // no line ends between at_ and here
  bool ended_ = false, begun_ = false;
};

}  // namespace plexus::tools
