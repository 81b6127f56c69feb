// Lines of a script, and whether the next one is at hand already.
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
  // True when a line, or the end, can be had now or within so many milliseconds.
  bool AtHand(int within_ms);

 private:
  bool Fill();  // false at the end
  std::string SkipLongLine();

  int descriptor_;
  std::string buffer_;
  std::size_t at_ = 0;       // what is before was handed out
  std::size_t scanned_ = 0;  // no line ends between at_ and here
  bool ended_ = false, begun_ = false;
};

// Whether the descriptor has something to read within so many milliseconds.
bool InputWaits(int descriptor, int within_ms);

}  // namespace plexus::tools
