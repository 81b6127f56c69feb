// Conditional batches from many threads: additions add up, compare-and-set loses nothing, one of
// many is first.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;
using B = WriteBatch;

std::unique_ptr<Graph> OpenOn(const std::shared_ptr<FakeStore>& store) {
  auto graph = Graph::Open(Snapshot(), store, {}, store);
  B batch(1);
  batch.DefineColumn({"sum", ColumnType::kF64});
  batch.SetI64(batch.UpsertNode("counter"), kAccessCount, 0);
  EXPECT_TRUE(graph->Apply(batch));
  return graph;
}

std::int64_t Counter(const Graph& graph) { return *graph.snapshot().i64(kAccessCount, 0); }

// Read, compare, set: each batch of a group is held against what those before it leave.
TEST(ConditionalThreads, CompareAndSetLosesNothing) {
  constexpr int kThreads = 8, kEach = 60;
  auto store = std::make_shared<FakeStore>();
  store->set_append_delay(std::chrono::microseconds(200));
  auto graph = OpenOn(store);
  std::atomic<int> other_errors = 0, conflicts = 0;
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t)
    writers.emplace_back([&, t] {
      for (int done = 0; done < kEach;) {
        const Snapshot s = graph->snapshot();
        const std::int64_t has = *s.i64(kAccessCount, 0);
        B batch(1);
        if (t % 2) batch.ExpectSequence(s.sequence());
        batch.ExpectI64(NodeRef::Id(0), kAccessCount, has);
        batch.SetI64(NodeRef::Id(0), kAccessCount, has + 1);
        const auto report = graph->Apply(batch);
        if (report) {
          ++done;
        } else {
          ++(report.error().code == ErrorCode::kConflict ? conflicts : other_errors);
        }
      }
    });
  for (auto& w : writers) w.join();
  EXPECT_EQ(Counter(*graph), kThreads * kEach);
  EXPECT_EQ(graph->snapshot().sequence(), 1u + kThreads * kEach);  // nothing of those refused
  EXPECT_EQ(other_errors.load(), 0);
  EXPECT_EQ(store->violations(), 0);
}

// Exactly one of many that want to be first succeeds, and all hear of the same id.
TEST(ConditionalThreads, OnlyOneCreates) {
  auto graph = OpenOn(std::make_shared<FakeStore>());
  for (int round = 0; round < 20; ++round) {
    const std::string key = "prize " + std::to_string(round);
    std::atomic<int> won = 0;
    std::vector<std::thread> writers;
    for (int t = 0; t < 6; ++t)
      writers.emplace_back([&] {
        B batch(1);
        batch.UpsertNode(batch.ExpectNoNode(key));
        if (graph->Apply(batch)) ++won;
      });
    for (auto& w : writers) w.join();
    EXPECT_EQ(won.load(), 1);
  }
}

// A conflict with a batch that then did not reach the journal is no conflict: nobody can see it.
TEST(ConditionalThreads, JournalFailureIsNoConflict) {
  for (std::uint64_t n = 2; n < 12; ++n) {
    auto store = std::make_shared<FakeStore>();
    store->set_append_delay(std::chrono::microseconds(300));
    store->FailAt(n);
    auto graph = OpenOn(store);
    std::mutex mutex;
    std::vector<std::string> found;
    std::vector<std::thread> writers;
    for (int t = 0; t < 6; ++t)
      writers.emplace_back([&] {
        while (!graph->read_only()) {
          const std::int64_t has = Counter(*graph);
          B batch(1);
          batch.ExpectI64(NodeRef::Id(0), kAccessCount, has);
          batch.SetI64(NodeRef::Id(0), kAccessCount, has + 1);
          const auto report = graph->Apply(batch);
          if (report || report.error().code != ErrorCode::kConflict) continue;
          const std::lock_guard lock(mutex);
          found.push_back(report.error().message);
        }
      });
    for (auto& w : writers) w.join();
    const std::string never = "it is " + std::to_string(Counter(*graph) + 1);
    for (const std::string& message : found) EXPECT_FALSE(message.ends_with(never)) << message;
  }
}

}  // namespace
}  // namespace plexus
