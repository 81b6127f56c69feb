// Mapping the board; latencies, what held them up, and telling the long ones.
#include "bench/soak/board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <iterator>
#include <thread>

#include "bench/support.h"

namespace plexus::bench::soak {

namespace {
Board* board = nullptr;
std::atomic<std::uint64_t> wrong_here{0};
thread_local std::int64_t disk_ns = 0;

// Of this process: calls that run, and when the last of a kind ended.
struct Beside {
  std::atomic<int> running;
  std::atomic<std::int64_t> ended_ns;
};
std::array<Beside, static_cast<std::size_t>(Timed::kTimedCount)> beside;

std::int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// When the process was seen to run, the last 256 times.
constexpr std::uint64_t kBeats = 256;
constexpr std::int64_t kBeatNs = 5'000'000;
std::array<std::atomic<std::int64_t>, kBeats> beats;
std::atomic<std::uint64_t> beat_count{0};

// The longest time between two beats of which one lies after `start_ns`.
std::int64_t LongestGapNs(std::int64_t start_ns) {
  std::int64_t after = NowNs(), longest = 0;
  const std::uint64_t count = beat_count;
  for (std::uint64_t i = 1; i <= std::min(count, kBeats) && after > start_ns; ++i) {
    const std::int64_t before = beats[(count - i) % kBeats];
    longest = std::max(longest, after - before);
    after = before;
  }
  return longest;
}

void TellStall(Timed what, std::int64_t start_ns, double ms, double cpu_ms, double disk_ms) {
  std::string ran;
  for (int i = 0; i < static_cast<int>(Timed::kTimedCount); ++i) {
    const Beside& b = beside[static_cast<std::size_t>(i)];
    if (i != static_cast<int>(what) && (b.running > 0 || b.ended_ns > start_ns))
      ran += std::string(ran.empty() ? "" : ", ") + TimedName(static_cast<Timed>(i));
  }
  std::fprintf(
      stderr,
      "soak: a stall: %s took %.1f ms, %.1f of them without a processor, %.1f in syncs; "
      "another thread that only sleeps woke up %.1f ms late; beside: %s\n",
      TimedName(what), ms, cpu_ms, disk_ms,
      static_cast<double>(std::max<std::int64_t>(LongestGapNs(start_ns) - kBeatNs, 0)) / 1e6,
      ran.c_str());
}

void Raise(std::atomic<std::uint64_t>& most, std::uint64_t value) {
  for (std::uint64_t seen = most; seen < value && !most.compare_exchange_weak(seen, value);) {
  }
}
int TimedSync(long call, int file) {
  const std::int64_t start = NowNs();
  const int result = static_cast<int>(syscall(call, file));
  disk_ns += NowNs() - start;
  return result;
}
}  // namespace

}  // namespace plexus::bench::soak

// In place of the C library's, for all that is linked to the program, RocksDB too.
#define PLEXUS_FOR_ALL extern "C" __attribute__((visibility("default")))
PLEXUS_FOR_ALL int fdatasync(int file) {
  return plexus::bench::soak::TimedSync(SYS_fdatasync, file);
}
PLEXUS_FOR_ALL int fsync(int file) { return plexus::bench::soak::TimedSync(SYS_fsync, file); }

namespace plexus::bench::soak {

const char* TimedName(Timed what) {
  static constexpr const char* kNames[] = {
      "apply", "snapshot", "nearest", "bm25",       "traverse", "point",  "refresh", "feed pull",
      "purge", "trim",     "backup",  "checkpoint", "as of",    "verify", "open",    "raw sync"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Timed::kTimedCount));
  return kNames[static_cast<int>(what)];
}

void Latencies::Add(std::uint64_t us, std::uint64_t waited_us) {
  const int octave = std::bit_width(us | 1) - 1;
  const int half = octave > 0 ? static_cast<int>(us >> (octave - 1) & 1) : 0;
  ++buckets[static_cast<std::size_t>(std::min(2 * octave + half, kBuckets - 1))];
  ++count;
  if (us > 50'000) ++over_50ms;
  Raise(max_us, us);
  const std::uint64_t running = us - std::min(us, waited_us);
  if (running > 50'000) ++over_50ms_running;
  Raise(max_running_us, running);
}

std::uint64_t Latencies::Quantile(double q) const {
  const double want = q * static_cast<double>(count);
  std::uint64_t below = 0;
  for (int i = 0; i < kBuckets; ++i) {
    below += buckets[static_cast<std::size_t>(i)];
    if (below == 0 || static_cast<double>(below) < want) continue;
    const std::uint64_t octave = std::uint64_t{1} << (i / 2);
    return std::min<std::uint64_t>(max_us, i % 2 ? 2 * octave : octave + (octave + 1) / 2);
  }
  return max_us;
}

Board& MapBoard(const std::string& path, bool create) {
  const int file = open(path.c_str(), create ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR, 0644);
  if (file < 0 || (create && ftruncate(file, sizeof(Board)) != 0)) Die("cannot make " + path);
  void* at = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (at == MAP_FAILED) Die("cannot map " + path);
  board = static_cast<Board*>(at);  // words of zero are atomics of zero
  return *board;
}

Board& TheBoard() { return *board; }

bool Wrong(const std::string& what) {
  ++wrong_here;
  const std::uint64_t before = board->wrong++;
  if (before < 100)
    std::fprintf(stderr, "soak: WRONG (pid %d): %s\n", static_cast<int>(getpid()), what.c_str());
  return false;
}

std::uint64_t WrongHere() { return wrong_here; }

std::uint64_t WaitedForProcessorUs() {
  struct File {
    int number = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    ~File() { close(number); }
  };
  thread_local const File file;
  char text[64] = {};  // nanoseconds run, nanoseconds waited, slices
  if (pread(file.number, text, sizeof(text) - 1, 0) <= 0) return 0;
  unsigned long long ran = 0, waited = 0;
  return std::sscanf(text, "%llu %llu", &ran, &waited) == 2 ? waited / 1000 : 0;
}

std::uint64_t WaitedForDiskUs() { return static_cast<std::uint64_t>(disk_ns / 1000); }

void Beat(const std::function<bool()>& stops) {
  while (!stops()) {
    beats[beat_count % kBeats] = NowNs();
    ++beat_count;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kBeatNs));
  }
}

Timer::Timer(Timed what)
    : what_(what),
      waited_cpu_(WaitedForProcessorUs()),
      waited_disk_(WaitedForDiskUs()),
      start_(std::chrono::steady_clock::now()) {
  ++beside[static_cast<std::size_t>(what)].running;
}

Timer::~Timer() {
  using std::chrono::duration_cast;
  const auto passed = std::chrono::steady_clock::now() - start_;
  const auto us =
      static_cast<std::uint64_t>(duration_cast<std::chrono::microseconds>(passed).count());
  const std::uint64_t cpu = WaitedForProcessorUs() - waited_cpu_;
  const std::uint64_t disk = WaitedForDiskUs() - waited_disk_;
  TheBoard()[what_].Add(us, cpu + disk);
  Beside& b = beside[static_cast<std::size_t>(what_)];
  --b.running;
  b.ended_ns = NowNs();
  if (us > 50'000 && what_ <= Timed::kTraverse)
    TellStall(what_, b.ended_ns - static_cast<std::int64_t>(us) * 1000,
              static_cast<double>(us) / 1e3, static_cast<double>(cpu) / 1e3,
              static_cast<double>(disk) / 1e3);
}

}  // namespace plexus::bench::soak
