// A pipe is waited for by poll, so that a reader without a writer ends, too.
#include "tools/cli/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "tools/operations/framework/request_json.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

constexpr int kPollMs = 50;

// What the descriptor has until its end. A size says nothing of a pipe, a device or a file of
// /proc, so bytes are counted as they come.
Result<std::string> ReadAll(int descriptor, const std::string& name, const Budget& budget) {
  struct stat info {};
  const bool known = fstat(descriptor, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) return IoError(name, ": is a directory");
  const bool waits = !known || !S_ISREG(info.st_mode);
  // A pipe that was opened without waiting ends while it has no writer, but poll waits there.
  bool poll_first = (fcntl(descriptor, F_GETFL) & O_NONBLOCK) == 0;
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16);
  for (;;) {
    if (waits && budget.Interrupted()) return Cancelled(name, ": was not read to its end");
    pollfd ready{descriptor, POLLIN, 0};
    if (poll_first && poll(&ready, 1, kPollMs) <= 0) continue;
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
      poll_first = true;
      continue;
    }
    if (count < 0) return IoError(name, ": cannot be read: ", std::strerror(errno));
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > kMaxRequestBytes)
      return Invalid(name, ": has more than ", Bytes(kMaxRequestBytes), ", which is the limit");
  }
}

}  // namespace

Result<std::string> ReadText(const std::string& file, const Budget& budget) {
  if (file == "-") return ReadAll(STDIN_FILENO, "standard input", budget);
  // Opening a pipe does not wait: one without a writer is empty.
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return NotFound("cannot open ", Quoted(file));
  Result<std::string> text = ReadAll(descriptor, file, budget);
  close(descriptor);
  return text;
}

}  // namespace plexus::tools
