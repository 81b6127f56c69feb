// Every kernel at its n-th allocation: an error, no end of the program, and the next call on the
// same snapshot gives what it always gives, so nothing half made was kept. A program of its own:
// it replaces operator new.
//
// All of the first allocations, then further and further apart; once only and from then on; by one
// thread over a small graph, by two over one whose loops have several blocks. Snapshots have
// nothing derived yet; of every second one neither has its base, which has no delta then.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/retrieval/scan.h"
#include "engine/graph.h"
#include "engine/state.h"
#include "engine/vocabulary.h"
#include "tests/support/failing_memory.h"
#include "tests/support/kernels/kernel.h"
#include "tests/support/kernels/kernel_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace retrieval;
namespace {

struct Sampling {
  const GraphState& state;
  Executor& executor;
  Failure failure;
  std::int64_t all = 50;  // as many are tried one by one
  double growth = 1.25;   // then so far apart

  Snapshot Fresh(int number) const {
    Snapshot snapshot(std::make_shared<const FrozenState>(state));
    return number % 2 == 0 ? *snapshot.Compacted(SerialExecutor()) : snapshot;
  }
};

void Sample(const Kernel& kernel, const Sampling& sampling) {
  const RunOptions run{.executor = &sampling.executor};
  std::string want[2];
  for (int half : {0, 1}) {
    const auto answer = kernel(sampling.Fresh(half), run);
    ASSERT_TRUE(answer) << answer.error().message;
    want[half] = answer->bytes;
  }
  int number = 0;
  std::int64_t n = 1;
  for (bool reached = true; reached; ++number) {
    const Snapshot snapshot = sampling.Fresh(number);
    std::optional<FailingMemory> failing;
    const std::function<void()> returned = [&] {
      reached = failing->failed();
      failing.reset();
    };
    failing.emplace(n, sampling.failure);
    const auto answer = kernel.call(snapshot, {.run = run, .returned = &returned});
    if (answer)  // it did without, or none was left
      EXPECT_TRUE(answer->bytes == want[number % 2]) << "without allocation " << n;
    else
      EXPECT_EQ(answer.error().code, ErrorCode::kResourceExhausted)
          << n << ": " << answer.error().message;
    const auto again = kernel(snapshot, run);
    ASSERT_TRUE(again) << "after allocation " << n;
    EXPECT_TRUE(again->bytes == want[number % 2]) << "after allocation " << n;
    n = NextAllocation(n, sampling.all, sampling.growth);
  }
  EXPECT_GT(n, 2) << "it allocates nothing";
}

// Every fourth kernel, so that ctest has four processes.
class NoMemoryKernels : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Every, NoMemoryKernels, ::testing::Range<std::size_t>(0, 4));

TEST_P(NoMemoryKernels, Fails) {
  GraphOptions serial;
  serial.executor = &SerialExecutor();
  const auto small = MakeKernelGraph(1, 64, serial), large = MakeKernelGraph(1, 3'000, serial);
  const Snapshot few = small->snapshot(), many = large->snapshot();
  const auto pool = MakeTbbExecutor(2), threads = MakeThreadExecutor(2);
  for (std::size_t k = GetParam(); k < Kernels().size(); k += 4) {
    const Kernel& kernel = Kernels()[k];
    SCOPED_TRACE(kernel.name);
    Sample(kernel, {few.state(), SerialExecutor(), Failure::kOnce});
    Sample(kernel, {few.state(), SerialExecutor(), Failure::kFromThenOn, 12, 1.5});
    Sample(kernel, {many.state(), *pool, Failure::kOnce, 3, 2.0});
    Sample(kernel, {many.state(), *threads, Failure::kFromThenOn, 2, 4.0});
  }
}

// Of a graph that is changed: what was removed is gone, and nothing else.
TEST(NoMemoryRetrieval, RemoveNodes) {
  std::int64_t n = 1;
  for (bool reached = true; reached; n = NextAllocation(n, 40, 1.25)) {
    GraphOptions plain;
    plain.executor = &SerialExecutor();
    const auto graph = Graph::InMemory(plain);
    WriteBatch batch(1000);
    for (int i = 0; i < 30; ++i)
      batch.UpsertNode("fact " + std::to_string(i), NameRef(i % 2 ? kMemory : kNode));
    ASSERT_TRUE(graph->Apply(batch));
    NodeScan scan;
    scan.kind = kMemory;
    RemoveOptions options;
    options.now_ms = 2000;
    options.batch_nodes = 4;
    const auto removed = [&] {
      FailingMemory failing(n, Failure::kOnce);
      auto report = RemoveNodes(*graph, scan, options);
      reached = failing.failed();
      return report;
    }();
    std::uint64_t of_kind = 0, others = 0;
    const Snapshot s = graph->snapshot();
    for (NodeId v = 0; v < s.node_count(); ++v)
      if (s.alive(v)) ++(s.node_kind(v) == kMemory ? of_kind : others);
    EXPECT_EQ(others, 15u) << n;
    if (removed)
      EXPECT_EQ(of_kind, 0u) << n;
    else
      EXPECT_EQ(removed.error().code, ErrorCode::kResourceExhausted) << n;
    const TimeToLive lives[] = {{.kind = kNode, .ttl_ms = 10}};
    const auto expired = [&] {
      FailingMemory failing(n, Failure::kOnce);
      auto report = RemoveExpired(*graph, lives, options);
      reached |= failing.failed();
      return report;
    }();
    if (!expired) {
      EXPECT_TRUE(expired.error().code == ErrorCode::kResourceExhausted ||
                  expired.error().code == ErrorCode::kReadOnly)
          << n;
    }
  }
  EXPECT_GT(n, 40);
}

}  // namespace
}  // namespace plexus::testing
