// A crew's loops under executors that lend threads at once, late, never, or not at all.
#include "algorithms/internal/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace plexus::testing {
namespace {

using internal::Crew;

// What it was handed is kept until somebody asks for it, or forgotten.
class Keeps final : public Executor {
 public:
  int thread_count() const override { return 3; }
  void Run(std::size_t blocks, BlockTask task) override { SerialExecutor().Run(blocks, task); }
  bool Enqueue(std::function<void()> task) override {
    kept.push_back(std::move(task));
    return true;
  }
  std::vector<std::function<void()>> kept;
};

// A thread for everything it is handed; a thread sanitizer can see into it.
class Lends final : public Executor {
 public:
  ~Lends() override { Join(); }
  int thread_count() const override { return 3; }
  void Run(std::size_t blocks, BlockTask task) override { MakeThreadExecutor(2)->Run(blocks, task); }
  bool Enqueue(std::function<void()> task) override {
    ++lent;
    threads_.emplace_back(std::move(task));
    return true;
  }
  // Returns when all it lent are back.
  void Join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  int lent = 0;

 private:
  std::vector<std::thread> threads_;
};

// Loses the memory for a thread at the n-th request.
class RunsOut final : public Executor {
 public:
  int thread_count() const override { return 3; }
  void Run(std::size_t blocks, BlockTask task) override {
    ++runs;
    SerialExecutor().Run(blocks, task);
  }
  bool Enqueue(std::function<void()> task) override {
    if (++asked_ > 1) throw std::bad_alloc();
    kept_ = std::move(task);
    return true;
  }
  int runs = 0;

 private:
  int asked_ = 0;
  std::function<void()> kept_;
};

std::vector<std::pair<std::string, std::unique_ptr<Executor>>> Hosts() {
  std::vector<std::pair<std::string, std::unique_ptr<Executor>>> hosts;
  hosts.emplace_back("tbb 1", MakeTbbExecutor(1));
  hosts.emplace_back("tbb 2", MakeTbbExecutor(2));
  hosts.emplace_back("tbb 4", MakeTbbExecutor(4));
  hosts.emplace_back("threads 3", MakeThreadExecutor(3));  // has no Enqueue
  hosts.emplace_back("keeps", std::make_unique<Keeps>());
  hosts.emplace_back("lends", std::make_unique<Lends>());
  hosts.emplace_back("runs out", std::make_unique<RunsOut>());
  return hosts;
}

// Plain integers: every loop adds to what the one before it left, whoever did that.
TEST(Crew, RunsEveryBlockOnceAndLoopsInOrder) {
  for (const auto& [name, host] : Hosts())
    for (std::size_t blocks : {0, 1, 2, 3, 64, 1000}) {
      Crew crew(*host);
      EXPECT_EQ(crew.thread_count(), host->thread_count());
      std::vector<int> done(blocks, 0);
      int wrong = 0;
      for (int loop = 0; loop < 40; ++loop) {
        std::atomic<int> out_of_order = 0;
        auto task = [&](std::size_t b) { out_of_order += done[blocks - 1 - b]++ != loop; };
        crew.Run(blocks, BlockTask(task));
        wrong += out_of_order;
        if (loop % 16 == 7) std::this_thread::sleep_for(std::chrono::microseconds(200));  // helpers lose patience
      }
      EXPECT_EQ(wrong, 0) << name << ", " << blocks;
      EXPECT_EQ(done, std::vector<int>(blocks, 40)) << name << ", " << blocks;
    }
}

TEST(Crew, LoopsInsideTasksAndOfSeveralThreads) {
  for (const auto& [name, host] : Hosts()) {
    Crew crew(*host);
    std::atomic<int> inner = 0;
    auto task = [&](std::size_t) {
      auto nested = [&](std::size_t) { ++inner; };
      crew.Run(5, BlockTask(nested));
    };
    crew.Run(7, BlockTask(task));
    EXPECT_EQ(inner, 35) << name;
    inner = 0;
    if (name == "keeps" || name == "runs out") continue;  // are of one thread themselves
    auto caller = [&] {
      for (int loop = 0; loop < 50; ++loop) crew.Run(7, BlockTask(task));
    };
    std::thread other(caller);
    caller();
    other.join();
    EXPECT_EQ(inner, 2 * 50 * 35) << name;
  }
}

// The caller is back after the last block is done, however long who has it takes.
TEST(Crew, WaitsForBlocksThatHelpersHold) {
  Lends host;
  const auto me = std::this_thread::get_id();
  int helped = 0;
  for (int attempt = 0; attempt < 1000 && helped == 0; ++attempt) {
    Crew crew(host);
    std::vector<int> by_helper(200, 0), done(200, 0);
    auto task = [&](std::size_t b) {
      by_helper[b] = std::this_thread::get_id() != me;
      std::this_thread::sleep_for(std::chrono::microseconds(by_helper[b] ? 3000 : 20));
      done[b] = 1;
    };
    crew.Run(200, BlockTask(task));
    EXPECT_EQ(done, std::vector<int>(200, 1));
    for (int by : by_helper) helped += by;
  }
  EXPECT_GT(helped, 0);
}

// They leave while the crew is there but has no loop, and are asked again for the next.
TEST(Crew, HelpersLeaveWhenNothingComes) {
  Lends host;
  Crew crew(host);
  auto task = [](std::size_t) {};
  for (int loop = 1; loop <= 5; ++loop) {
    crew.Run(8, BlockTask(task));
    host.Join();  // would not end
    EXPECT_EQ(host.lent, 2 * loop);
  }
}

TEST(Crew, HelpersThatComeTooLateFindNothing) {
  Keeps host;
  int done = 0;
  {
    Crew crew(host);
    auto task = [&](std::size_t) { ++done; };
    for (int loop = 0; loop < 5; ++loop) crew.Run(10, BlockTask(task));
    EXPECT_EQ(host.kept.size(), 2u);  // not asked again and again
    auto pair = [&](std::size_t) { ++done; };
    host.kept.pop_back();             // forgotten by the host
    crew.Run(2, BlockTask(pair));
  }
  EXPECT_EQ(done, 52);
  for (auto& late : host.kept) late();
  EXPECT_EQ(done, 52);
}

TEST(Crew, HostStartsTheLoopsWhenItHasNoThreadToLend) {
  RunsOut host;
  Crew crew(host);
  int done = 0;
  auto task = [&](std::size_t) { ++done; };
  for (int loop = 0; loop < 3; ++loop) crew.Run(10, BlockTask(task));
  EXPECT_EQ(done, 30);
  EXPECT_EQ(host.runs, 3);
}

}  // namespace
}  // namespace plexus::testing
