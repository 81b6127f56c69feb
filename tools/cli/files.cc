// Reading a file, or standard input, whole.
#include "tools/cli/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

// What the descriptor gives until its end. A size says nothing of a pipe, a device or a file of
// /proc, so bytes are counted as they come.
Result<std::string> ReadAll(int descriptor, const std::string& name) {
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kBlock);
    const ssize_t count = read(descriptor, text.data() + before, kBlock);
    text.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count == 0) return text;
    if (text.size() > kMaxTextBytes)
      return Fail(ErrorCode::kInvalidArgument,
                  name + ": has more than " + Bytes(kMaxTextBytes) + ", which is the limit");
    if (count > 0 || errno == EINTR) continue;
    if (errno != EAGAIN)
      return Fail(ErrorCode::kIo, name + ": cannot be read: " + std::strerror(errno));
    pollfd waits{descriptor, POLLIN, 0};
    (void)poll(&waits, 1, -1);
  }
}

}  // namespace

Result<std::string> ReadText(const std::string& file) {
  if (file == "-") return ReadAll(STDIN_FILENO, "standard input");
  // Opening a pipe does not wait: one that nobody writes to is empty.
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return Fail(ErrorCode::kNotFound, "cannot open " + Quoted(file));
  struct stat info {};
  Result<std::string> text =
      fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)
          ? Result<std::string>(Fail(ErrorCode::kIo, file + ": is a directory"))
          : ReadAll(descriptor, file);
  close(descriptor);
  return text;
}

}  // namespace plexus::tools
