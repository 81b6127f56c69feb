// The supervisor: starts writer, follower and checkers, kills them, samples, and judges at the end.
//
// The time in three parts: a quarter in which writers are killed or told to close at random, then
// one life of a writer that nobody interrupts, whose memory and files are measured from a third of
// the time on, then a twelfth of kills again. The follower is killed all the time. Nothing here
// opens the database.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "bench/soak/board.h"
#include "bench/soak/process.h"
#include "bench/support.h"

namespace plexus::bench::soak {

namespace {

using Clock = std::chrono::steady_clock;

struct Sample {
  double at = 0;  // seconds
  double resident = 0, disk = 0, ids = 0, id_bytes = 0, graph_bytes = 0, live = 0;
  double allocator_free = 0, allocator_used = 0, memtable_bytes = 0;
};

double Quantile(std::vector<Sample> samples, double Sample::* of, double q) {
  if (samples.empty()) return 0;
  const auto at =
      samples.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end(),
                   [&](const Sample& a, const Sample& b) { return a.*of < b.*of; });
  return (*at).*of;
}
double Median(const std::vector<Sample>& samples, double Sample::* of) {
  return Quantile(samples, of, 0.5);
}
double Most(const std::vector<Sample>& samples, double Sample::* of) {
  double most = 0;
  for (const Sample& s : samples) most = std::max(most, s.*of);
  return most;
}

class Supervisor {
 public:
  explicit Supervisor(const Settings& settings)
      : settings_(settings), board_(MapBoard(settings.board(), true)), random_(settings.seed) {}
  int Run();

 private:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double Between(double least, double most) {
    return least + (most - least) * static_cast<double>(random_() % 10'000) / 10'000;
  }
  bool KillsNow(double at) const {
    return at < settings_.seconds / 4 || at > settings_.seconds * 11 / 12;
  }
  void StartWriter();
  void MindWriter();
  void MindFollower();
  void MindBackups();
  void TakeSample();
  void PrintLine();
  void End();
  bool Judge();
  bool Promise(const char* what, bool held, const char* unless = nullptr);
  void Hear(Child& child);

  const Settings settings_;
  Board& board_;
  std::mt19937_64 random_;
  const Clock::time_point start_ = Clock::now();
  Child writer_, follower_, checker_;
  std::uint64_t writers_ = 0, followers_ = 0, checkers_ = 0;
  std::uint64_t writer_kills_ = 0, early_kills_ = 0, closes_ = 0, follower_kills_ = 0;
  std::uint64_t wrong_ends_ = 0;
  std::string said_;                              // by children, what was wrong first
  double writer_until_ = 0, follower_until_ = 0;  // when the present one is ended
  bool closing_ = false;
  std::vector<Sample> samples_;
  std::uint64_t follower_resident_ = 0, last_step_ = 0;
  double last_line_ = 0;
};

// What children say stands here and again at the end.
void Supervisor::Hear(Child& child) {
  constexpr std::size_t kMostSaid = 8'000;
  const std::string said = child.Said();
  std::fputs(said.c_str(), stderr);
  if (said_.size() < kMostSaid) said_ += said.substr(0, kMostSaid);
}

void Supervisor::StartWriter() {
  board_.stop = 0;
  closing_ = false;
  writer_ = Child(settings_, "writer", ++writers_);
  const double now = Seconds();
  // One in five is killed while it opens.
  const double longest = std::max(1.5, settings_.seconds / 24);
  writer_until_ = now + (random_() % 5 == 0 ? Between(0.005, 0.3) : Between(0.3, longest));
}

void Supervisor::MindWriter() {
  const double now = Seconds();
  if (const auto status = writer_.Ended()) {
    Hear(writer_);
    if (*status != 0 || !closing_) {
      ++wrong_ends_;
      Wrong("a writer ended by itself with status " + std::to_string(*status));
      return;
    }
    ++closes_;
    StartWriter();
    return;
  }
  if (closing_ || now < writer_until_ || !KillsNow(now)) return;
  if (random_() % 5 == 0) {
    board_.stop = 1;
    closing_ = true;
    return;
  }
  const std::uint64_t opens = board_.opens;
  writer_.Kill();
  Hear(writer_);
  ++writer_kills_;
  early_kills_ += opens < writers_ - early_kills_;  // it had not opened yet
  StartWriter();
}

void Supervisor::MindFollower() {
  if (const auto status = follower_.Ended()) {
    Hear(follower_);
    ++wrong_ends_;
    Wrong("a follower ended by itself with status " + std::to_string(*status));
  }
  const double now = Seconds();
  if (follower_.running() && now < follower_until_) return;
  if (follower_.running()) {
    follower_.Kill();
    Hear(follower_);
    ++follower_kills_;
  }
  follower_ = Child(settings_, "follower", ++followers_);
  follower_until_ = now + Between(0.2, std::max(2.0, settings_.seconds / 12));
}

void Supervisor::MindBackups() {
  if (const auto status = checker_.Ended()) {
    Hear(checker_);
    if (*status != 0) {
      ++wrong_ends_;
      Wrong("a checker of a backup ended with status " + std::to_string(*status));
    }
    std::error_code ignored;
    const std::string made = settings_.backup_at(board_.backup_ready);
    std::filesystem::remove_all(made, ignored);
    std::filesystem::remove_all(made + "-restored", ignored);
    board_.backup_checked = board_.backup_ready.load();
  }
  if (!checker_.running() && board_.backup_ready != board_.backup_checked)
    checker_ = Child(settings_, "check", ++checkers_, settings_.backup_at(board_.backup_ready));
}

void Supervisor::TakeSample() {
  for (Child* child : {&writer_, &follower_, &checker_}) Hear(*child);
  Sample s;
  s.at = Seconds();
  s.resident = static_cast<double>(writer_.ResidentBytes());
  s.disk = static_cast<double>(BytesBelow(settings_.database()));
  s.ids = static_cast<double>(board_.ids);
  s.id_bytes = static_cast<double>(board_.id_bytes);
  s.graph_bytes = static_cast<double>(board_.graph_bytes);
  s.live = static_cast<double>(board_.live);
  s.allocator_free = static_cast<double>(board_.allocator_free);
  s.allocator_used = static_cast<double>(board_.allocator_used);
  s.memtable_bytes = static_cast<double>(board_.memtable_bytes);
  follower_resident_ = std::max(follower_resident_, follower_.ResidentBytes());
  samples_.push_back(s);
}

void Supervisor::PrintLine() {
  const Sample& s = samples_.back();
  const std::uint64_t step = board_.acked;
  const auto& apply = board_[Timed::kApply];
  std::printf("%6.0f s: step %" PRIu64
              " (%.0f/s), live %.0f, ids %.0f, resident %.1f MB, files %.1f MB, history %" PRIu64
              ", questions %" PRIu64 ", killed %" PRIu64 "+%" PRIu64
              ", apply p50 %.1f p99 %.1f max %.1f ms, wrong %" PRIu64 "\n",
              s.at, step, static_cast<double>(step - last_step_) / (s.at - last_line_), s.live,
              s.ids, s.resident / 1e6, s.disk / 1e6, board_.history.load(), board_.questions.load(),
              writer_kills_, follower_kills_, static_cast<double>(apply.Quantile(0.5)) / 1e3,
              static_cast<double>(apply.Quantile(0.99)) / 1e3,
              static_cast<double>(apply.max_us) / 1e3, board_.wrong.load());
  std::fflush(stdout);
  last_step_ = step;
  last_line_ = s.at;
}

int Supervisor::Run() {
  const double period = std::clamp(settings_.seconds / 60, 1.0, 30.0),
               tick = std::min(1.0, settings_.seconds / 100);
  StartWriter();
  for (double next = tick;
       Seconds() < settings_.seconds && wrong_ends_ == 0 && board_.wrong < 100;) {
    MindWriter();
    if (wrong_ends_ > 0) break;
    MindFollower();
    MindBackups();
    if (Seconds() >= next) {
      TakeSample();
      if (Seconds() >= last_line_ + period) PrintLine();
      next = Seconds() + tick;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  End();
  return Judge() ? 0 : 1;
}

// The writer closes, the follower sees the end, and another process looks at all there is.
void Supervisor::End() {
  const auto await = [&](Child& child, const char* what) {
    if (!child.running()) return;
    const int status = child.Wait();
    Hear(child);
    if (status != 0) Wrong(std::string(what) + " ended with status " + std::to_string(status));
  };
  board_.stop = 1;
  await(writer_, "the last writer");
  board_.stop = 2;
  if (!follower_.running()) follower_ = Child(settings_, "follower", ++followers_);
  await(follower_, "the last follower");
  await(checker_, "the last checker of a backup");
  Child last(settings_, "check", 4 * ++checkers_, settings_.database());
  await(last, "the last look");
}

bool Supervisor::Promise(const char* what, bool held, const char* unless) {
  std::printf("%-13s %s\n", held ? "held" : unless ? unless : "NOT HELD", what);
  return held || unless;
}

bool Supervisor::Judge() {
  const double t = settings_.seconds;
  std::vector<Sample> middle, last;
  for (const Sample& s : samples_) {
    if (s.at >= t / 3 && s.at < t * 15 / 24) middle.push_back(s);
    if (s.at >= t * 15 / 24 && s.at < t * 11 / 12) last.push_back(s);
  }
  const auto growth = [&](double Sample::* of) {
    const double before = Median(middle, of);
    return before > 0 ? Median(last, of) / before - 1 : 0;
  };
  std::printf("\nsteps %" PRIu64 ", live memories %" PRIu64 ", permanent ids %" PRIu64
              " (%.1f a live memory); writer: %" PRIu64 " starts, %" PRIu64 " killed (%" PRIu64
              " while opening), %" PRIu64 " closed; follower: %" PRIu64 " starts, %" PRIu64
              " killed\n",
              board_.acked.load(), board_.live.load(), board_.ids.load(),
              static_cast<double>(board_.ids) /
                  static_cast<double>(std::max<std::uint64_t>(board_.live, 1)),
              writers_, writer_kills_, early_kills_, closes_ + 1, followers_, follower_kills_);
  std::printf("purges %" PRIu64 " (and %" PRIu64 " hard), words looked for in files %" PRIu64
              ", trims %" PRIu64 ", checkpoints %" PRIu64 ", backups %" PRIu64
              "; compactions %" PRIu64 " and %" PRIu64 " of vectors in the last life\n",
              board_.purges.load(), board_.hard_purges.load(), board_.secrets_looked_for.load(),
              board_.trims.load(), board_.checkpoints.load(), board_.backups.load(),
              board_.compactions.load(), board_.vector_compactions.load());
  std::printf("checked: %" PRIu64 " snapshots, %" PRIu64 " questions, %" PRIu64
              " whole graphs, %" PRIu64 " of the past, %" PRIu64 " verifications, %" PRIu64
              " backups and ends; refreshes %" PRIu64 " followed, %" PRIu64
              " opened anew; feed: %" PRIu64 " records, %" PRIu64 " beginnings\n",
              board_.checks.load(), board_.questions.load(), board_.full_checks.load(),
              board_.past_checks.load(), board_.verifies.load(), board_.backup_checks.load(),
              board_.followed.load(), board_.refollowed.load(), board_.feed_records.load(),
              board_.feed_restarts.load());
  std::uint64_t stalls = 0, stalls_running = 0, longest = 0;
  for (int i = 0; i < static_cast<int>(Timed::kTimedCount); ++i) {
    const Latencies& l = board_[static_cast<Timed>(i)];
    if (l.count == 0) continue;
    std::printf("  %-10s %9" PRIu64 " times, p50 %9.3f, p99 %9.3f, max %9.3f ms, %" PRIu64
                " over 50 ms; less waits for processor and disk: max %.3f ms, %" PRIu64 "\n",
                TimedName(static_cast<Timed>(i)), l.count.load(),
                static_cast<double>(l.Quantile(0.5)) / 1e3,
                static_cast<double>(l.Quantile(0.99)) / 1e3, static_cast<double>(l.max_us) / 1e3,
                l.over_50ms.load(), static_cast<double>(l.max_running_us) / 1e3,
                l.over_50ms_running.load());
    if (i > static_cast<int>(Timed::kTraverse)) continue;
    stalls += l.over_50ms;
    stalls_running += l.over_50ms_running;
    longest = std::max<std::uint64_t>(longest, l.max_us);
  }
  const double resident = growth(&Sample::resident), disk = growth(&Sample::disk);
  std::printf(
      "resident set of the writer: median %.1f then %.1f MB (%+.1f %%), most %.1f then %.1f MB; "
      "what ids take in the graph: %.1f then "
      "%.1f MB for %.0f then %.0f ids; graph %.1f then %.1f MB; follower at most %.1f MB\n",
      Median(middle, &Sample::resident) / 1e6, Median(last, &Sample::resident) / 1e6,
      100 * resident, Most(middle, &Sample::resident) / 1e6, Most(last, &Sample::resident) / 1e6,
      Median(middle, &Sample::id_bytes) / 1e6, Median(last, &Sample::id_bytes) / 1e6,
      Median(middle, &Sample::ids), Median(last, &Sample::ids),
      Median(middle, &Sample::graph_bytes) / 1e6, Median(last, &Sample::graph_bytes) / 1e6,
      static_cast<double>(follower_resident_) / 1e6);
  std::printf(
      "of it: lower quartile %.1f then %.1f MB; blocks in use: lower quartile %.1f then %.1f MB; "
      "freed and kept by the allocator %.1f then %.1f MB, memtables %.1f then %.1f MB (medians)\n",
      Quantile(middle, &Sample::resident, 0.25) / 1e6,
      Quantile(last, &Sample::resident, 0.25) / 1e6,
      Quantile(middle, &Sample::allocator_used, 0.25) / 1e6,
      Quantile(last, &Sample::allocator_used, 0.25) / 1e6,
      Median(middle, &Sample::allocator_free) / 1e6, Median(last, &Sample::allocator_free) / 1e6,
      Median(middle, &Sample::memtable_bytes) / 1e6, Median(last, &Sample::memtable_bytes) / 1e6);
  std::printf(
      "files of the database: median %.1f then %.1f MB (%+.1f %%), most %.1f then %.1f MB\n\n",
      Median(middle, &Sample::disk) / 1e6, Median(last, &Sample::disk) / 1e6, 100 * disk,
      Most(middle, &Sample::disk) / 1e6, Most(last, &Sample::disk) / 1e6);
  const bool long_enough = t >= 600;
  const char* too_short = long_enough ? nullptr : "not (short)";
  const std::string wrong =
      "every answer is the model's: " + std::to_string(board_.wrong) + " wrong";
  bool right = Promise(wrong.c_str(), board_.wrong == 0);
  right = Promise("the resident set is flat to 5 % after the first third", resident <= 0.05,
                  too_short) &&
          right;
  right =
      Promise("files are bounded by live data and kept history (10 %)", disk <= 0.10, too_short) &&
      right;
  const std::string stall = "no apply, snapshot or question over 50 ms: " + std::to_string(stalls) +
                            ", longest " + std::to_string(longest / 1000) + " ms; " +
                            std::to_string(stalls_running) + " less waits for processor and disk";
  right =
      Promise(stall.c_str(), stalls == 0, settings_.strict_stalls ? nullptr : "not (machine)") &&
      right;
  if (!said_.empty()) std::printf("\nchildren said:\n%s", said_.c_str());
  return right;
}

}  // namespace

int Supervise(const Settings& settings) { return Supervisor(settings).Run(); }

}  // namespace plexus::bench::soak
