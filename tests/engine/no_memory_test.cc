// The allocator fails at each n-th allocation of a call: the call is an error, the program goes
// on, and the graph shows what it showed. A program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "engine/graph.h"

namespace {
thread_local long allocations_left = -1;  // of this thread; -1: as many as it likes
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations_left > 0 && --allocations_left == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (allocations_left > 0 && --allocations_left == 0) return nullptr;
  return std::malloc(bytes ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace plexus {
namespace {

WriteBatch SomeBatch(int number) {
  WriteBatch batch(1000 * number);
  for (int i = 0; i < 20; ++i) {
    const std::string key = "a node with a long key, number " + std::to_string(number * 10 + i);
    batch.UpsertNode(key);
  }
  return batch;
}

// Whether the n-th allocation was reached.
bool FailsAt(long n) {
  GraphOptions options;
  options.executor = &SerialExecutor();
  const auto graph = Graph::InMemory(options);
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(graph->Apply(SomeBatch(i)));
  const NodeId nodes = graph->snapshot().node_count();
  const WriteBatch batch = SomeBatch(9);
  allocations_left = n;
  const auto applied = graph->Apply(batch);
  const bool reached = allocations_left == 0;
  allocations_left = -1;
  if (applied) {
    EXPECT_EQ(graph->snapshot().sequence(), 4u) << n;
    return reached;
  }
  EXPECT_EQ(applied.error().code, ErrorCode::kResourceExhausted) << n;
  EXPECT_EQ(graph->snapshot().sequence(), 3u) << n;
  EXPECT_EQ(graph->snapshot().node_count(), nodes) << n;
  const auto again = graph->Apply(batch);  // as before, or refused by name
  EXPECT_TRUE(again || again.error().code == ErrorCode::kReadOnly) << n;
  return reached;
}

TEST(NoMemory, ApplyInRam) {
  long n = 1;
  while (FailsAt(n)) ASSERT_LT(++n, 5'000);
  EXPECT_GT(n, 10);
}

}  // namespace
}  // namespace plexus
