// When a server ends: SIGTERM, SIGHUP, SIGINT, or its parent is gone. A file descriptor becomes
// readable then, and stays so.
#pragma once

#include "engine/error.h"

namespace plexus::tools::server {

class Stop {
 public:
  // Installs the handlers; one at a time in a process.
  static Result<Stop*> Install();
  int fd() const { return pipe_[0]; }
  bool asked() const;
  // Any thread; also from a handler.
  void Ask();

 private:
  int pipe_[2] = {-1, -1};
};

// Reads until `fd` or `stop` is readable, at most so long. What is readable.
enum class Ready : unsigned char { kInput, kStop, kNothing };
Ready AwaitInput(int fd, int stop, int milliseconds);

}  // namespace plexus::tools::server
