// Calls whose n-th allocation fails: which n are tried, what comes of it. Of databases and formats;
// what RocksDB asks for itself is served (failing_memory.h). Included as failing_memory.h is.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "engine/error.h"
#include "tests/support/failing_memory.h"

namespace plexus::testing {

// once(n): makes the n-th allocation fail and looks at what came of it; false: there was no n-th.
template <class Once>
void Sample(std::int64_t all, double growth, const Once& once) {
  std::int64_t n = 1;
  int tried = 0;
  while (once(n) && !::testing::Test::HasFatalFailure()) {
    ++tried;
    n = NextAllocation(n, all, growth);
  }
  EXPECT_GT(tried, 0);
}

struct Outcome {
  Status status;
  bool reached = false;
};
// `call` returns a Result or a Status, whose value is dropped where memory is there again.
template <class Call>
Outcome Failing(std::int64_t n, Call&& call) {
  Outcome outcome;
  auto result = [&] {
    FailingMemory failing(n, Failure::kOnce, "librocksdb");
    auto got = call();
    outcome.reached = failing.failed();
    return got;
  }();
  if (!result) outcome.status = std::unexpected(result.error());
  return outcome;
}

inline void ExpectNoMemory(const char* what, std::int64_t n, const Outcome& outcome) {
  if (outcome.status) return;
  EXPECT_EQ(outcome.status.error().code, ErrorCode::kResourceExhausted)
      << what << " " << n << ": " << outcome.status.error().message;
}

}  // namespace plexus::testing
