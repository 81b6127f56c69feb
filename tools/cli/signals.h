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

#include <atomic>
#include <string_view>

namespace plexus::tools {

// Installs the handlers. Call once, before any thread starts.
void InstallSignalHandlers();

// True after the first SIGINT or SIGTERM inside a guard. Any thread.
bool Interrupted();
const std::atomic<bool>& InterruptFlag();  // the same, for who looks at it often
// Forgets it: the next line of a shell begins again.
void ForgetInterrupt();
// True after a SIGTERM inside a guard, which is not forgotten: a shell ends behind its question.
bool Terminated();

// For tests: PLEXUS_TEST_INTERRUPT="importing:2" makes the program send itself SIGINT when the
// phase "importing" is reported for the second time, "importing:2:2" two of them. So a test
// interrupts at a named point, however fast the machine is. Called with each report.
void InterruptAtTestPoint(std::string_view phase);

class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
};

}  // namespace plexus::tools
