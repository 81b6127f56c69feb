// An attack on the program: random requests, files and folders, each of its own seed.
//
//   hostile_attack --program PLEXUS [--seconds N] [--seed S] [--rounds N] [--only
//   requests|files|folders]
//
// Ends with 1 and the seed of the first round in which a process died of a signal or did not end, a
// reply held a secret or was no JSON, or the canary's files changed. The same seed is the same
// round: --seed S --rounds 1.
#include "tests/hostile/attack.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace plexus::hostile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPage = 4096;
// Generous: a round takes a second or two of one processor.
constexpr int kRoundSeconds = 120;
constexpr rlim_t kMemoryBytes = rlim_t{8} << 30;

char* page = nullptr;

struct Part {
  const char* name;
  void (*run)(Round&);
};
constexpr Part kParts[] = {
    {"requests", AttackRequests}, {"files", AttackFiles}, {"folders", AttackFolders}};

const std::vector<std::string> kCanaryFiles = {"notes.txt", "generation-1/000001.log",
                                               "checkpoint.tmp/part", "deep/er/file"};

// The parent's part: what the round said last.
int Tell(const char* part, std::uint64_t seed, const std::string& what) {
  std::fprintf(stderr, "hostile_attack: %s, --seed %llu --rounds 1 --only %s\n  doing: %.600s\n",
               what.c_str(), static_cast<unsigned long long>(seed), part, page);
  return 1;
}

int RunRound(const Part& part, Round round) {
  std::memset(page, 0, kPage);
  fs::create_directories(round.directory);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    const rlimit memory{kMemoryBytes, kMemoryBytes};
    setrlimit(RLIMIT_AS, &memory);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    part.run(round);
    _exit(0);
  }
  const auto due = Clock::now() + std::chrono::seconds(kRoundSeconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    if (Clock::now() > due) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return Tell(part.name, round.seed, "does not end");
    }
    usleep(1'000);
  }
  kill(-child, SIGKILL);  // what the round left behind
  if (WIFSIGNALED(status))
    return Tell(part.name, round.seed, std::string("died: ") + strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return Tell(part.name, round.seed, "wrong");
  if (!CanaryIntact(round.canary())) return Tell(part.name, round.seed, "the canary was touched");
  fs::remove_all(round.directory);
  return 0;
}

}  // namespace

void Doing(std::string_view what) {
  const std::size_t size = std::min(what.size(), std::size_t{4'000});
  std::memcpy(page, what.data(), size);
  page[size] = 0;
}

void Wrong(std::string_view what) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(std::min<std::size_t>(what.size(), 4'000)),
               what.data());
  std::fflush(stderr);
  _exit(3);
}

void MakeCanary(const std::string& directory) {
  for (const std::string& name : kCanaryFiles) {
    const fs::path path = fs::path(directory) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << kCanarySecret << " " << name << "\n";
  }
}

bool CanaryIntact(const std::string& directory) {
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    files += !entry.is_directory();
  return files == kCanaryFiles.size() &&
         std::ranges::all_of(kCanaryFiles, [&](const std::string& name) {
           std::ifstream in(fs::path(directory) / name);
           const std::string text((std::istreambuf_iterator<char>(in)), {});
           return text == std::string(kCanarySecret) + " " + name + "\n";
         });
}

int Run(int argc, char** argv) {
  double seconds = 60;
  std::uint64_t seed = 1, rounds = UINT64_MAX;
  std::string only;
  Round round;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--seconds") seconds = std::strtod(argv[i + 1], nullptr);
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--rounds") rounds = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--only") only = argv[i + 1];
    if (option == "--program") round.program = argv[i + 1];
  }
  page = static_cast<char*>(
      mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::string scratch = (fs::temp_directory_path() / "hostile-XXXXXX").string();
  if (!mkdtemp(scratch.data())) return 2;
  MakeCanary(scratch + "/canary");
  const auto due = Clock::now() + std::chrono::duration<double>(seconds);
  std::uint64_t done = 0;
  int code = 0;
  for (; code == 0 && done < rounds && Clock::now() < due; ++done, ++seed)
    for (const Part& part : kParts) {
      if (code != 0 || (!only.empty() && only != part.name)) continue;
      round.seed = seed;
      round.random.seed(seed);
      round.directory = scratch + "/round";
      code = RunRound(part, round);
    }
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  std::printf("hostile_attack: %llu rounds%s\n", static_cast<unsigned long long>(done),
              code == 0 ? ", nothing found" : "");
  return code;
}

}  // namespace plexus::hostile

int main(int argc, char** argv) { return plexus::hostile::Run(argc, argv); }
