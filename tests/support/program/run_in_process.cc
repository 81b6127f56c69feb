// The program by RunProgram, with the three standard descriptors turned away for the call.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/support/run_plexus.h"
#include "tools/cli/run.h"

// A call waits for no disk: nothing here loses power, and what the kernel has it keeps whatever
// happens to the process. These take the place of the C library's.
extern "C" {
int fsync(int) { return 0; }
int fdatasync(int) { return 0; }
}

namespace plexus::testing {
namespace {

class Turned {
 public:
  // Takes `instead`.
  Turned(int descriptor, int instead) : descriptor_(descriptor) {
    kept_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
    if (kept_ < 0 || dup2(instead, descriptor) < 0) throw std::runtime_error("no descriptors");
    close(instead);
  }
  ~Turned() {
    dup2(kept_, descriptor_);
    close(kept_);
  }
  Turned(const Turned&) = delete;
  Turned& operator=(const Turned&) = delete;
  // All that was written to a file in memory.
  std::string Written() const {
    std::string text(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
    std::size_t at = 0;
    for (ssize_t count; (count = pread(descriptor_, text.data() + at, text.size() - at,
                                       static_cast<off_t>(at))) > 0;)
      at += static_cast<std::size_t>(count);
    text.resize(at);
    return text;
  }

 private:
  int descriptor_, kept_;
};

// A pipe that gives `input`, and its end.
class Input {
 public:
  explicit Input(const std::string& input) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_ = ends[0];
    writer_ = std::thread([to = ends[1], &input] {
      std::size_t at = 0;
      for (ssize_t count;
           at < input.size() && (count = write(to, input.data() + at, input.size() - at)) > 0;)
        at += static_cast<std::size_t>(count);
      close(to);
    });
  }
  // After the reading end is closed.
  ~Input() { writer_.join(); }
  int read() const { return read_; }

 private:
  int read_;
  std::thread writer_;
};

}  // namespace

Finished Plexus(const Words& arguments, const RunOptions& options) {
  const bool serves = std::ranges::find(arguments, "serve") != arguments.end();
  if (!options.out_file.empty() || options.as_nobody || options.close_out_early || serves ||
      std::getenv("PLEXUS_PROGRAM"))
    return PlexusProcess(arguments, options);
  std::signal(SIGPIPE, SIG_IGN);
  unsetenv("PLEXUS_DB");
  std::fflush(nullptr);
  Finished finished;
  {
    const Input input(options.input);
    const Turned in(STDIN_FILENO, input.read());
    const Turned out(STDOUT_FILENO, memfd_create("out", MFD_CLOEXEC));
    const Turned err(STDERR_FILENO, memfd_create("err", MFD_CLOEXEC));
    finished.code = tools::RunProgram(arguments);
    finished.out = out.Written();
    finished.err = err.Written();
  }
  CheckReply(arguments, finished.out);
  return finished;
}

}  // namespace plexus::testing
