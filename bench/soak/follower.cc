// The process that follows by Refresh, and the one that looks at a backup.
#include <chrono>
#include <thread>

#include "bench/soak/board.h"
#include "bench/soak/replica.h"
#include "bench/support.h"

namespace plexus::bench::soak {

namespace {

OpenOptions ReadOnly() {
  OpenOptions options;
  options.read_only = true;
  options.graph = BusyGraph();
  return options;
}

using Clock = std::chrono::steady_clock;
void PauseAfter(Clock::time_point start) {  // a fifth of a processor
  std::this_thread::sleep_for(std::clamp<Clock::duration>(
      4 * (Clock::now() - start), std::chrono::milliseconds(2), std::chrono::milliseconds(500)));
}

// Null: told to stop before there was anything.
std::unique_ptr<Database> OpenView(const Settings& settings) {
  while (TheBoard().stop < 2) {
    if (TheBoard().acked > 0)
      return Must(
          Time(Timed::kOpen, [&] { return Database::Open(settings.database(), ReadOnly()); }),
          "follower: opening");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return nullptr;
}

}  // namespace

int RunFollower(const Settings& settings) {
  Board& board = TheBoard();
  const auto view = OpenView(settings);
  if (!view) return 0;
  Checker checker(settings.scenario(), "follower", 1'000 + settings.life);
  Replica replica(settings, "replica of the follower", 2'000 + settings.life);
  for (std::uint64_t round = 0;; ++round) {
    const auto start = Clock::now();
    const bool last = board.stop >= 2;
    const Step acked = board.acked;
    const Graph* graph = &view->graph();
    const Status refreshed = Time(Timed::kRefresh, [&] { return view->Refresh(); });
    if (!refreshed) Wrong("follower: refreshing: " + refreshed.error().ToString());
    ++(graph == &view->graph() ? board.followed : board.refollowed);
    const Snapshot snapshot = view->snapshot();
    if (Checker::StepOf(snapshot) < acked)
      Wrong("follower: shows step " + std::to_string(Checker::StepOf(snapshot)) + ", " +
            std::to_string(acked) + " was acknowledged before the refresh");
    if (checker.Look(snapshot)) {
      if (round % 50 == 49 || last)
        checker.Full(snapshot);
      else
        checker.Ask(snapshot);
    }
    replica.Pull(*view);
    replica.Check();
    if (last) return WrongHere() == 0 ? 0 : 1;
    PauseAfter(start);
  }
}

int RunCheck(const Settings& settings) {
  Board& board = TheBoard();
  const bool is_backup = settings.backup != settings.database();
  Checker checker(settings.scenario(), is_backup ? "backup" : "at the end", settings.life);
  const auto look = [&](Database& database, const char* how) {
    const Snapshot snapshot = database.snapshot();
    const Step least = is_backup ? board.backup_from.load() : board.acked.load();
    if (Checker::StepOf(snapshot) < least)
      Wrong(settings.backup + ", " + how + ": step " + std::to_string(Checker::StepOf(snapshot)) +
            ", expected " + std::to_string(least));
    if (checker.Look(snapshot, {}, false)) checker.Full(snapshot);
    for (int i = 0; i < 8; ++i) checker.Ask(snapshot);
  };
  {
    auto database = Database::Open(settings.backup, ReadOnly());
    if (!database) return Wrong(settings.backup + ": " + database.error().ToString()), 1;
    look(**database, "opened to read");
    // A checkpoint against its replay takes O(history): now and then.
    const auto report = (*database)->Verify({.against_replay = settings.life % 4 == 0});
    if (!report)
      Wrong(settings.backup + ": verifying: " + report.error().ToString());
    else if (!report->ok)
      Wrong(settings.backup + ": " + report->problems[0].where + ": " + report->problems[0].what);
  }
  if (is_backup && settings.life % 2 == 0) {
    const std::string to = settings.backup + "-restored";
    if (const Status restored = Database::Restore(settings.backup, to); !restored)
      return Wrong(settings.backup + ": restoring: " + restored.error().ToString()), 1;
    auto database = Database::Open(to, {});
    if (!database) return Wrong(to + ": " + database.error().ToString()), 1;
    look(**database, "restored");
    if (const Status closed = (*database)->Close(); !closed)
      Wrong(to + ": closing: " + closed.error().ToString());
  }
  ++board.backup_checks;
  return WrongHere() == 0 ? 0 : 1;
}

}  // namespace plexus::bench::soak
