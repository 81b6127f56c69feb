// What the command line says, and the board: memory that all processes of the service test share.
//
// The supervisor makes the board before it forks, so it outlives a kill -9 of any process. A writer
// notes which sequence each of its steps has; the model of any process follows from that alone.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <string>

namespace plexus::service_test {

using Step = std::uint64_t;
inline constexpr int kWriters = 2;
inline constexpr Step kMostSteps = Step{1} << 22;

struct Settings {
  double seconds = 5;
  std::uint64_t seed = 1;
  int memories = 240;
  double rate = 200;              // steps a second and writer, at most
  std::string dir;                // empty: a new one in the temporary directory
  bool keep = false;              // the directory, at the end
  std::set<std::string> without;  // parts that are left out (main.cc lists them)

  bool Has(const std::string& part) const { return !without.contains(part); }
  std::string database() const { return dir + "/db"; }
};

struct Board {
  std::atomic<std::uint64_t> stop;     // 1: nothing goes on
  std::atomic<std::uint64_t> closing;  // the service shall close
  std::atomic<std::uint64_t> epoch;    // starts of the service
  std::atomic<std::uint64_t> open;     // the epoch that was opened and compared
  std::atomic<std::uint64_t> wrong;
  std::array<std::atomic<Step>, kWriters> acked;    // survives kill -9
  std::array<std::atomic<Step>, kWriters> applied;  // Apply said ok, at any durability
  std::array<std::atomic<Step>, kWriters> purged;   // the last purge that was acknowledged
  std::atomic<std::uint64_t> purges_begun, purges_ended;
  // Counted for the last line of the test.
  std::atomic<std::uint64_t> conflicts, retries, full, questions, nearest, prefiltered, past,
      replayed, restarts, refreshes, backups, purges, hard_purges, kills, closes, keeper, scrubs,
      trims, excused;
  std::atomic<std::uint64_t> slowest_apply_us;
  // By step; 0: not known.
  std::array<std::array<std::atomic<std::uint64_t>, kMostSteps>, kWriters> sequences;
};

Board& TheBoard();
void MakeBoard();

// Prints and counts a wrong answer. After 20 of them everything stops.
void Wrong(const Settings& settings, const std::string& who, const std::string& what);

}  // namespace plexus::service_test
