// Ctrl-C: the first one asks, the second one ends.
//
// While work that reports progress is under way (a SignalGuard lives), the first
// SIGINT or SIGTERM sets a flag, the work returns kCancelled at its next report
// and leaves whole batches behind; a second one ends the program at once. Outside
// a guard the first ends the program at once, with 130: reading leaves nothing
// behind, and the store is safe against kill -9 anyway.
//
// SIGPIPE is ignored; output.h deals with a reader that went away.
#pragma once

namespace plexus::tools {

// Installs the handlers. Call once, before any thread starts.
void InstallSignalHandlers();

// True after the first SIGINT or SIGTERM inside a guard. Any thread.
bool Interrupted();

class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
};

}  // namespace plexus::tools
