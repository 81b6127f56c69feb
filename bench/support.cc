// Sizes, temporary folders, executors and checks shared by the benches.
#include "bench/support.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>

namespace plexus::bench {

namespace {
std::atomic<int> failed_checks{0};
}  // namespace

bool Small() {
  const char* value = std::getenv("PLEXUS_BENCH_SMALL");
  return value && std::strcmp(value, "0") != 0;
}

std::int64_t Size(const char* name, std::int64_t normal, std::int64_t small) {
  const char* value = std::getenv(name);
  if (!value) return Small() ? small : normal;
  std::int64_t size = 0;
  const char* end = value + std::strlen(value);
  auto [at, error] = std::from_chars(value, end, size);
  if (error != std::errc() || at != end || size <= 0)
    Die(std::string(name) + "=" + value + ": expected a whole number above 0");
  return size;
}

bool Require(bool condition, const std::string& what) {
  if (condition) return true;
  ++failed_checks;
  std::fprintf(stderr, "bench: WRONG RESULT: %s\n", what.c_str());
  return false;
}

void Must(Status status, const std::string& what) {
  if (!status) Die(what + ": " + status.error().ToString());
}

int FailedChecks() { return failed_checks; }

void Die(const std::string& what) {
  std::fprintf(stderr, "bench: %s\n", what.c_str());
  std::exit(1);
}

Executor& ExecutorOf(int threads) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<Executor>> executors;
  std::scoped_lock lock(mutex);
  auto& executor = executors[threads];
  if (!executor) executor = MakeTbbExecutor(threads);
  return *executor;
}

TempFolder::TempFolder(const std::string& name) {
  const char* root = std::getenv("PLEXUS_BENCH_DIR");
  path_ = (root ? std::filesystem::path(root) : std::filesystem::temp_directory_path()) /
          ("plexus-bench-" + name + "-" + std::to_string(getpid()));
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace plexus::bench
