// What every bench needs: sizes, temporary folders, executors, and verification that
// makes the whole program fail.
//
// A figure without a verified result is worth nothing: each suite checks what it
// computed through Require(), and bench_main.cc ends non-zero when a check failed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/error.h"
#include "engine/parallel.h"

namespace plexus::bench {

// True under PLEXUS_BENCH_SMALL=1: small inputs, for CI, which verifies and does not time.
bool Small();
// Whole number in the environment variable `name`, else `normal`, or `small` when Small().
std::int64_t Size(const char* name, std::int64_t normal, std::int64_t small);

// Counts a failed check and says so on stderr; FailedChecks() decides the exit code.
bool Require(bool condition, const std::string& what);
// The value, or the end of the program with the error's text.
template <class T>
T Must(Result<T> result, const std::string& what);
void Must(Status status, const std::string& what);
int FailedChecks();
[[noreturn]] void Die(const std::string& what);

// One executor per thread count, made at first use.
Executor& ExecutorOf(int threads);

// A folder under PLEXUS_BENCH_DIR (default: the system's temporary folder) that is
// removed at the end.
class TempFolder {
 public:
  explicit TempFolder(const std::string& name);
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

template <class T>
T Must(Result<T> result, const std::string& what) {
  if (!result) Die(what + ": " + result.error().ToString());
  return *std::move(result);
}

}  // namespace plexus::bench
