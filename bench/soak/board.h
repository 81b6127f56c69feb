// The board: one file that supervisor, writer and follower map, so that what was acknowledged
// survives a kill -9 of any of them.
//
// Counters and figures only, each an atomic word. The writer puts a step under `issued` before
// Apply and under `acked` after it, so the supervisor and the next writer know what must be there.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace plexus::bench::soak {

// What is timed: calls of the library alone, never the model's work; and, to tell the disk's
// stalls from ours, a sync of a plain file beside the database.
enum class Timed : int {
  kApply,
  kSnapshot,
  kNearest,
  kBm25,
  kTraverse,
  kPoint,
  kRefresh,
  kPull,
  kPurge,
  kTrim,
  kBackup,
  kCheckpoint,
  kAsOf,
  kVerify,
  kOpen,
  kRawSync,
  kTimedCount
};
const char* TimedName(Timed what);

// Latencies in microseconds: two buckets an octave.
struct Latencies {
  static constexpr int kBuckets = 64;
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets;
  std::atomic<std::uint64_t> count, max_us, over_50ms;
  // Less what the thread waited for a processor (threads of the soak share few) and for the disk.
  std::atomic<std::uint64_t> max_running_us, over_50ms_running;
  void Add(std::uint64_t us, std::uint64_t waited_us);
  std::uint64_t Quantile(double q) const;  // the bucket's upper end
};

struct Board {
  std::atomic<std::uint64_t> stop;           // the writer shall close and end
  std::atomic<std::uint64_t> issued, acked;  // steps
  std::atomic<std::uint64_t> purged;         // the last step whose purge was acknowledged
  std::atomic<std::uint64_t> opens, checks, questions, wrong;
  std::atomic<std::uint64_t> full_checks, past_checks, backup_checks, followed, refollowed,
      feed_records, feed_restarts;
  std::atomic<std::uint64_t> purges, hard_purges, trims, backups, checkpoints, verifies,
      secrets_looked_for;
  std::atomic<std::uint64_t> backup_ready, backup_from,
      backup_checked;  // numbers; the step acked before it
  std::atomic<std::uint64_t> live, ids, graph_bytes, allocator_free, allocator_used, memtable_bytes,
      id_bytes, delta_arcs, compactions, vector_compactions, history;
  std::array<Latencies, static_cast<int>(Timed::kTimedCount)> timed;
  Latencies& operator[](Timed what) { return timed[static_cast<std::size_t>(what)]; }
};

// Maps the file, which `create` makes again. Lives until the process ends.
Board& MapBoard(const std::string& path, bool create);
// The board of this process.
Board& TheBoard();
// Prints and counts a wrong answer. Returns false.
bool Wrong(const std::string& what);
// How many this process has counted.
std::uint64_t WrongHere();

// How long this thread could have run and had no processor, since it began; 0 where the system
// does not tell (Linux: /proc/thread-self/schedstat).
std::uint64_t WaitedForProcessorUs();

// Wakes up again and again until `stops`, so that a stall tells whether the machine stood still.
void Beat(const std::function<bool()>& stops);

// How long this thread has been in fdatasync and fsync, by whatever called them.
std::uint64_t WaitedForDiskUs();

// Times a call into the board, from where it is made to where it goes. A call of the first five
// that takes over 50 ms is told, with what went on beside it in this process.
class Timer {
 public:
  explicit Timer(Timed what);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

 private:
  const Timed what_;
  const std::uint64_t waited_cpu_, waited_disk_;
  const std::chrono::steady_clock::time_point start_;
};

template <class Fn>
auto Time(Timed what, Fn&& fn) {
  const Timer timer(what);
  return fn();
}

}  // namespace plexus::bench::soak
