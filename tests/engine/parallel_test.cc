// Parallel loops: every block once, the same bits at any number of threads, for
// every executor, nested and from several threads at once.
#include "engine/parallel.h"

#include <atomic>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace plexus {
namespace {

struct Named {
  std::string name;
  std::unique_ptr<Executor> owned;
  Executor* executor;
};

std::vector<Named> Executors() {
  std::vector<Named> all;
  all.push_back({"serial", nullptr, &SerialExecutor()});
  all.push_back({"default", nullptr, &DefaultExecutor()});
  for (int threads : {1, 2, 3}) {
    auto plain = MakeThreadExecutor(threads);
    Executor* p = plain.get();
    all.push_back({"threads " + std::to_string(threads), std::move(plain), p});
#if !defined(__SANITIZE_THREAD__)  // ThreadSanitizer cannot see into oneTBB
    auto tbb = MakeTbbExecutor(threads);
    Executor* t = tbb.get();
    all.push_back({"tbb " + std::to_string(threads), std::move(tbb), t});
#endif
  }
  return all;
}

TEST(Parallel, EveryBlockRunsOnce) {
  for (const Named& e : Executors()) {
    SCOPED_TRACE(e.name);
    EXPECT_GE(e.executor->thread_count(), 1);
    for (std::size_t blocks : {0u, 1u, 2u, 3u, 7u, 1000u}) {
      std::vector<std::atomic<int>> ran(blocks);
      auto task = [&](std::size_t b) { ran[b].fetch_add(1); };
      e.executor->Run(blocks, BlockTask(task));
      for (std::size_t b = 0; b < blocks; ++b) ASSERT_EQ(ran[b].load(), 1) << b << " of " << blocks;
    }
  }
}

TEST(Parallel, ThreadCounts) {
  EXPECT_EQ(SerialExecutor().thread_count(), 1);
  EXPECT_EQ(MakeThreadExecutor(3)->thread_count(), 3);
  EXPECT_GE(MakeThreadExecutor(0)->thread_count(), 1);
#if !defined(__SANITIZE_THREAD__)
  const int all = DefaultExecutor().thread_count();
  EXPECT_EQ(MakeTbbExecutor(2)->thread_count(), std::min(2, all));
  EXPECT_EQ(MakeTbbExecutor(1000)->thread_count(), all);
#endif
}

TEST(Parallel, ForCoversTheRangeInGrains) {
  for (const Named& e : Executors()) {
    SCOPED_TRACE(e.name);
    for (std::size_t count : {0u, 1u, 9u, 10u, 11u, 101u}) {
      std::vector<int> hit(count, 0);
      std::atomic<int> wrong = 0;
      ParallelFor(*e.executor, count, 10, [&](std::size_t begin, std::size_t end) {
        if (begin % 10 != 0 || end <= begin || end - begin > 10 || end > count) ++wrong;
        for (std::size_t i = begin; i < end; ++i) ++hit[i];
      });
      EXPECT_EQ(wrong.load(), 0);
      EXPECT_EQ(hit, std::vector<int>(count, 1));
    }
  }
}

TEST(Parallel, SumsHaveTheSameBits) {
  std::mt19937_64 rng(11);
  std::vector<double> values(100'003);
  for (double& v : values) v = static_cast<double>(rng()) * 0x1p-40 - 3e6;
  auto sum = [&](Executor& executor) {
    return ParallelReduce(
        executor, values.size(), 1000, 0.0,
        [&](std::size_t begin, std::size_t end) {
          return std::accumulate(values.begin() + static_cast<long>(begin),
                                 values.begin() + static_cast<long>(end), 0.0);
        },
        [](double a, double b) { return a + b; });
  };
  const double expected = sum(SerialExecutor());
  for (const Named& e : Executors())
    for (int repeat = 0; repeat < 5; ++repeat) EXPECT_EQ(sum(*e.executor), expected) << e.name;
}

// The combination is left to right, so it need not commute.
TEST(Parallel, CombinesInBlockOrder) {
  for (const Named& e : Executors()) {
    std::string text = ParallelReduce(
        *e.executor, 26, 3, std::string(),
        [](std::size_t begin, std::size_t end) {
          std::string part;
          for (std::size_t i = begin; i < end; ++i) part += static_cast<char>('a' + i);
          return part;
        },
        [](std::string a, std::string b) { return a + b; });
    EXPECT_EQ(text, "abcdefghijklmnopqrstuvwxyz") << e.name;
    EXPECT_EQ(ParallelReduce(
                  *e.executor, 0, 3, 5, [](std::size_t, std::size_t) { return 1; },
                  [](int a, int b) { return a + b; }),
              5);
  }
}

TEST(Parallel, Nested) {
  for (const Named& e : Executors()) {
    std::vector<std::atomic<int>> ran(20 * 30);
    ParallelFor(*e.executor, 20, 1, [&](std::size_t outer, std::size_t) {
      ParallelFor(*e.executor, 30, 1,
                  [&](std::size_t inner, std::size_t) { ran[outer * 30 + inner].fetch_add(1); });
    });
    for (auto& r : ran) ASSERT_EQ(r.load(), 1) << e.name;
  }
}

// A thread that waits for its inner loop must not start another outer block:
// per-thread scratch would be entered twice.
TEST(Parallel, InnerWaitDoesNotReenterTheOuterLoop) {
  for (const Named& e : Executors()) {
    static thread_local int depth = 0;
    std::atomic<int> reentered = 0;
    ParallelFor(*e.executor, 64, 1, [&](std::size_t, std::size_t) {
      if (++depth > 1) ++reentered;
      ParallelFor(*e.executor, 64, 1, [](std::size_t, std::size_t) {});
      --depth;
    });
    EXPECT_EQ(reentered.load(), 0) << e.name;
  }
}

TEST(Parallel, SeveralCallersAtOnce) {
  for (const Named& e : Executors()) {
    std::atomic<int> total = 0;
    std::vector<std::thread> callers;
    for (int c = 0; c < 3; ++c)
      callers.emplace_back([&] {
        for (int round = 0; round < 20; ++round)
          ParallelFor(*e.executor, 50, 1, [&](std::size_t, std::size_t) { ++total; });
      });
    for (auto& c : callers) c.join();
    EXPECT_EQ(total.load(), 3 * 20 * 50) << e.name;
  }
}

TEST(Parallel, HelpedRunsEveryBlockOnce) {
  for (const Named& e : Executors()) {
    for (const std::size_t help_from : {0u, 7u, 1000u}) {
      std::vector<std::atomic<int>> seen(200);
      std::atomic<std::size_t> done = 0;
      auto task = [&](std::size_t b) { ++seen[b], ++done; };
      RunWithHelpers(*e.executor, seen.size(), BlockTask(task), [&] { return done >= help_from; });
      for (const auto& count : seen) ASSERT_EQ(count.load(), 1) << e.name;
    }
    auto never = [](std::size_t) { FAIL(); };
    RunWithHelpers(*e.executor, 0, BlockTask(never), [] { return true; });
  }
}

// A pair is done while every thread of the executor sits in someone else's loop.
TEST(Parallel, InvokeDoesNotWaitForABusyExecutor) {
  for (const Named& e : Executors()) {
    std::atomic<bool> release = false;
    std::atomic<int> inside = 0;
    std::thread reader([&] {
      ParallelFor(*e.executor, static_cast<std::size_t>(e.executor->thread_count()), 1,
                  [&](std::size_t, std::size_t) {
                    ++inside;
                    while (!release) std::this_thread::yield();
                  });
    });
    while (inside == 0) std::this_thread::yield();
    int a = 0, b = 0;
    ParallelInvoke(*e.executor, [&] { a = 1; }, [&] { b = 2; });
    EXPECT_EQ(a + b, 3) << e.name;
    release = true;
    reader.join();
  }
}

TEST(Parallel, InvokeThrowsOnWhatWasThrown) {
  for (const Named& e : Executors()) {
    int ran = 0;
    EXPECT_THROW(ParallelInvoke(
                     *e.executor, [&] { throw std::bad_alloc(); }, [&] { ran = 1; }),
                 std::bad_alloc);
    EXPECT_EQ(ran, 1) << e.name;
    EXPECT_THROW(ParallelInvoke(
                     *e.executor, [&] { ran = 2; }, [&] { throw std::bad_alloc(); }),
                 std::bad_alloc);
    EXPECT_EQ(ran, 2) << e.name;
  }
}

}  // namespace
}  // namespace plexus
