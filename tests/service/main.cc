// A service as people write them, killed, closed and started again, each answer compared with a
// model: two writers, readers, followers, replicas, purges, maintenance.
//
//   service_test [--seconds N] [--seed N] [--memories N] [--rate N] [--dir D] [--keep]
//                [--without PART,PART]
//
// Parts that can be left out, to look for a fault elsewhere:
//   beside     purges and refreshes beside readers and writers (else these wait)
//   close      Close beside readers and writers (else these end first)
//   kill       kill -9
//   texts      both writers write texts of the same memories (else each its half)
//   prefilter  answers by pre-filters are compared with the plain scan
//   cleared    what replicas show of nodes that are purged later is compared
//   lives      the service is closed or killed and started again (else it has one life)
//   events     the ledger grows (else live data is bounded)
//
// With `--without lives,events`, of ten minutes and more, the resident set has to be flat to 5 %
// and the files to 10 %, medians of the last third against the second.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/service/service.h"

namespace plexus::service_test {
namespace {

using Clock = std::chrono::steady_clock;

// A process that begins as a copy of this one, which has neither threads nor a database.
class Child {
 public:
  Child(const Settings& settings, std::string role, std::function<int()> run)
      : settings_(settings), role_(std::move(role)) {
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(run());
  }
  pid_t pid() const { return pid_; }
  bool running() {
    if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) Ended();
    return pid_ > 0;
  }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    killed_ = true;
    ++TheBoard().kills;
    waitpid(pid_, &status_, 0);
    Ended();
  }
  // One that does not end by itself is a fault.
  void Wait(int seconds) {
    const auto due = Clock::now() + std::chrono::seconds(seconds);
    while (running() && Clock::now() < due)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!running()) return;
    Wrong(settings_, role_, "does not end (process " + std::to_string(pid_) + ")");
    kill(pid_, SIGABRT);
    killed_ = true;
    waitpid(pid_, &status_, 0);
    Ended();
  }

 private:
  void Ended() {
    pid_ = -1;
    if (WIFSIGNALED(status_) && !killed_)
      Wrong(settings_, role_, "died of signal " + std::to_string(WTERMSIG(status_)));
    else if (WIFEXITED(status_) && WEXITSTATUS(status_) != 0 && TheBoard().wrong == 0)
      Wrong(settings_, role_, "ended with status " + std::to_string(WEXITSTATUS(status_)));
  }

  const Settings& settings_;
  const std::string role_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool killed_ = false;
};

// What a process and its files take, second by second.
class Growth {
 public:
  void Sample(pid_t process, const std::string& directory) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::seconds(1);
    namespace fs = std::filesystem;
    std::uint64_t all = 0, resident = 0, bytes = 0;
    std::ifstream("/proc/" + std::to_string(process) + "/statm") >> all >> resident;
    std::error_code ignored;
    for (fs::recursive_directory_iterator it(directory, ignored), end; it != end;
         it.increment(ignored)) {
      std::error_code gone;
      const std::uint64_t size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
      if (!gone) bytes += size;
      if (ignored) break;
    }
    resident_.push_back(static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)));
    files_.push_back(static_cast<double>(bytes));
  }
  // False: one of them grew. Shorter runs are told and not judged.
  bool Judge(double seconds) const {
    const bool judged = seconds >= 600;
    bool flat = true;
    for (const auto& [what, samples, most] :
         {std::tuple("resident set", &resident_, 0.05), std::tuple("files", &files_, 0.10)}) {
      const std::size_t third = samples->size() / 3;
      const double before = Median(*samples, third, 2 * third),
                   after = Median(*samples, 2 * third, samples->size());
      if (before == 0) continue;
      std::printf("service_test: %s: median %.1f, then %.1f MB (%+.1f %%)%s\n", what, before / 1e6,
                  after / 1e6, 100 * (after / before - 1), judged ? "" : ", not judged: short");
      flat = flat && (!judged || after / before - 1 <= most);
    }
    return flat;
  }

 private:
  static double Median(const std::vector<double>& of, std::size_t from, std::size_t to) {
    std::vector<double> part(of.begin() + static_cast<std::ptrdiff_t>(from),
                             of.begin() + static_cast<std::ptrdiff_t>(to));
    std::sort(part.begin(), part.end());
    return part.empty() ? 0 : part[part.size() / 2];
  }

  Clock::time_point next_ = Clock::now();
  std::vector<double> resident_, files_;
};

class Supervisor {
 public:
  explicit Supervisor(const Settings& settings)
      : settings_(settings), base_(settings), chance_(settings.seed, 5, 5) {}

  int Run() {
    Board& board = TheBoard();
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(settings_.seconds));
    std::unique_ptr<Child> follower, replica;
    bool killed = false;  // then another life notes what the last one had not
    for (std::uint64_t life = 1; board.stop == 0 && (killed || Clock::now() < end); ++life) {
      base_.ToSafe();
      board.closing = 0;
      ++board.epoch;
      Child service(settings_, "service", [&] { return Service(settings_, base_, life).Run(); });
      // Those that follow live on beside several lives of the service.
      if (!follower || life % 4 == 0) {
        if (follower) follower->Kill();
        follower = std::make_unique<Child>(settings_, "follower",
                                           [&] { return RunFollower(settings_, base_); });
      }
      if (replica) replica->Kill();
      replica = std::make_unique<Child>(settings_, "durable replica",
                                        [&] { return RunReplica(settings_, base_); });
      while (board.open != board.epoch && service.running() && board.stop == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const double life_s = settings_.Has("lives")
                                ? std::clamp(settings_.seconds / 8, 0.5, 6.0) *
                                      (0.5 + static_cast<double>(chance_.Below(1000)) / 1000)
                                : settings_.seconds;
      const auto due = std::min(end, Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                        std::chrono::duration<double>(life_s)));
      while (Clock::now() < due && board.stop == 0 && service.running()) {
        if (!settings_.Has("lives")) growth_.Sample(service.pid(), settings_.database());
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      if (!service.running()) {
        board.stop = 1;
        if (board.wrong == 0) Wrong(settings_, "service", "ended by itself");
      } else {
        killed =
            settings_.Has("kill") && settings_.Has("lives") && life % 3 != 0 && Clock::now() < end;
        if (killed) {
          service.Kill();
        } else {
          board.closing = 1;
          service.Wait(120);
        }
      }
    }
    board.stop = 1;
    if (follower) follower->Wait(60);
    if (replica) replica->Wait(60);
    if (board.wrong == 0) {
      board.stop = 0;  // it waits for nobody
      base_.ToSafe();
      Child(settings_, "check", [&] { return RunCheck(settings_, base_); }).Wait(300);
    }
    Report();
    const bool flat = growth_.Judge(settings_.seconds);
    if (!flat) std::printf("service_test: it grows\n");
    return board.wrong == 0 && flat ? 0 : 1;
  }

 private:
  void Report() {
    const Board& b = TheBoard();
    const auto n = [](const std::atomic<std::uint64_t>& v) {
      return static_cast<unsigned long long>(v.load());
    };
    std::printf(
        "service_test: seed %llu: %llu + %llu steps in %llu lives (%llu kills of processes, %llu "
        "closes), %llu purges, %llu hard purges, %llu conflicts expected, %llu retries; %llu whole "
        "compares, %llu questions, %llu nearest, %llu of them pre-filtered; %llu views of the "
        "past, "
        "%llu refreshes, %llu records replayed, %llu replicas begun, %llu backups, %llu kept "
        "frontiers; %llu looked at again beside a purge or a close; slowest apply %llu us; %llu "
        "wrong\n",
        static_cast<unsigned long long>(settings_.seed), n(b.applied[0]), n(b.applied[1]),
        n(b.epoch), n(b.kills), n(b.closes), n(b.purges), n(b.hard_purges), n(b.conflicts),
        n(b.retries), n(b.full), n(b.questions), n(b.nearest), n(b.prefiltered), n(b.past),
        n(b.refreshes), n(b.replayed), n(b.restarts), n(b.backups), n(b.keeper), n(b.excused),
        n(b.slowest_apply_us), n(b.wrong));
  }

  const Settings& settings_;
  Timeline base_;
  Chance chance_;
  Growth growth_;
};

int Main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (flag == "--keep") {
      settings.keep = true;
      continue;
    }
    ++i;
    if (flag == "--seconds") {
      settings.seconds = std::atof(value);
    } else if (flag == "--seed") {
      settings.seed = std::strtoull(value, nullptr, 10);
    } else if (flag == "--memories") {
      settings.memories = std::atoi(value);
    } else if (flag == "--rate") {
      settings.rate = std::atof(value);
    } else if (flag == "--dir") {
      settings.dir = value;
    } else if (flag == "--without") {
      std::istringstream parts(value);
      for (std::string part; std::getline(parts, part, ',');) settings.without.insert(part);
    } else {
      std::fprintf(stderr, "service_test: what is %s?\n", flag.c_str());
      return 2;
    }
  }
  if (settings.dir.empty()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "service-XXXXXX").string();
    if (!mkdtemp(pattern.data())) return std::perror("service_test"), 2;
    settings.dir = pattern;
  }
  std::filesystem::create_directories(settings.dir);
  MakeBoard();
  const int status = Supervisor(settings).Run();
  if (status != 0)
    std::printf("service_test: again: --seed %llu; the directory is %s\n",
                static_cast<unsigned long long>(settings.seed), settings.dir.c_str());
  std::error_code ignored;
  if (status == 0 && !settings.keep) std::filesystem::remove_all(settings.dir, ignored);
  return status;
}

}  // namespace
}  // namespace plexus::service_test

int main(int argc, char** argv) { return plexus::service_test::Main(argc, argv); }
