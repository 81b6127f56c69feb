// Starting through posix_spawn: a program of its own and not a fork, as RocksDB has threads.
#include "bench/soak/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "bench/support.h"

extern char** environ;

namespace plexus::bench::soak {

namespace {
int StatusOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
}  // namespace

Child::Child(const Settings& s, const std::string& role, std::uint64_t life,
             const std::string& backup) {
  std::vector<std::string> words = {"soak",
                                    "--role",
                                    role,
                                    "--life",
                                    std::to_string(life),
                                    "--dir",
                                    s.dir,
                                    "--seed",
                                    std::to_string(s.seed),
                                    "--seconds",
                                    std::to_string(s.seconds),
                                    "--live",
                                    std::to_string(s.live),
                                    "--rate",
                                    std::to_string(s.rate)};
  if (!backup.empty()) words.insert(words.end(), {"--backup", backup});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  said_ = s.said(role);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, said_.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  if (posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), environ) != 0)
    Die("cannot start a " + role);
  posix_spawn_file_actions_destroy(&actions);
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(said_, other.said_);
  std::swap(heard_, other.heard_);
  return *this;
}

std::string Child::Said() {
  std::ifstream in(said_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(heard_));
  std::string said{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  heard_ += said.size();
  return said;
}

std::optional<int> Child::Ended() {
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return StatusOf(status);
}

int Child::Wait() {
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, 0) != pid_) return -1;
  pid_ = -1;
  return StatusOf(status);
}

void Child::Kill() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  Wait();
}

std::uint64_t Child::ResidentBytes() const {
  std::FILE* file =
      pid_ > 0 ? std::fopen(("/proc/" + std::to_string(pid_) + "/statm").c_str(), "r") : nullptr;
  if (!file) return 0;
  unsigned long long all = 0, resident = 0;
  const bool read = std::fscanf(file, "%llu %llu", &all, &resident) == 2;
  std::fclose(file);
  return read ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

void EndWithParent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

std::uint64_t BytesBelow(const std::string& directory) {
  namespace fs = std::filesystem;
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(directory, ignored), end; it != end;
       it.increment(ignored)) {
    std::error_code gone;
    const std::uint64_t size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) bytes += size;
    if (ignored) break;
  }
  return bytes;
}

}  // namespace plexus::bench::soak
