// One handler and two lock-free words; nothing else is allowed in there.
#include "tools/cli/signals.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tools/cli/exit_code.h"

namespace plexus::tools {
namespace {

std::atomic<int> guards{0};
std::atomic<bool> interrupted{false}, terminated{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void OnInterrupt(int signal) {
  if (signal == SIGTERM) terminated.store(true);
  if (guards.load() == 0 || interrupted.exchange(true)) _exit(kInterrupted);
}

}  // namespace

void InstallSignalHandlers() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

void InterruptAtTestPoint(std::string_view phase) {
  struct Point {
    std::string phase;
    std::atomic<int> reports_left = 0;
    int signals = 1;
    Point() {
      const char* text = std::getenv("PLEXUS_TEST_INTERRUPT");
      if (text == nullptr) return;
      char name[64];
      int reports = 0;
      if (std::sscanf(text, "%63[^:]:%d:%d", name, &reports, &signals) < 2) return;
      phase = name;
      reports_left = reports;
    }
  };
  static Point point;
  if (phase != point.phase || --point.reports_left != 0) return;
  for (int i = 0; i < point.signals; ++i) raise(SIGINT);
}

bool Interrupted() { return interrupted.load(std::memory_order_relaxed); }

const std::atomic<bool>& InterruptFlag() { return interrupted; }

bool Terminated() { return terminated.load(); }

void ForgetInterrupt() { interrupted.store(false); }

SignalGuard::SignalGuard() { guards.fetch_add(1); }
SignalGuard::~SignalGuard() { guards.fetch_sub(1); }

}  // namespace plexus::tools
