// A pipe that handlers write to.
#include "tools/server/stop.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

namespace plexus::tools::server {
namespace {

Stop* installed = nullptr;

extern "C" void OnStop(int) { installed->Ask(); }

}  // namespace

Result<Stop*> Stop::Install() {
  static Stop stop;
  if (!installed) {
    if (pipe2(stop.pipe_, O_CLOEXEC | O_NONBLOCK) != 0) return IoError("no pipe for signals");
    installed = &stop;
  }
  struct sigaction action = {};
  action.sa_handler = OnStop;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  // A reader that is gone, and a file that may not grow, are errors of the call.
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
  return installed;
}

void Stop::Ask() {
  const char byte = 1;
  [[maybe_unused]] const auto written = write(pipe_[1], &byte, 1);
}

bool Stop::asked() const {
  pollfd one{pipe_[0], POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

Ready AwaitInput(int fd, int stop, int milliseconds) {
  pollfd both[2] = {{fd, POLLIN, 0}, {stop, POLLIN, 0}};
  const int ready = poll(both, stop < 0 ? 1 : 2, milliseconds);
  if (ready <= 0) return Ready::kNothing;
  if (stop >= 0 && both[1].revents) return Ready::kStop;
  return both[0].revents ? Ready::kInput : Ready::kNothing;
}

}  // namespace plexus::tools::server
