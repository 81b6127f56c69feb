// Executors over oneTBB, over plain threads, and over the calling thread.
#include "engine/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <list>
#include <thread>

#include "engine/mutex.h"

namespace plexus {

namespace {

// Tasks handed over and not begun. oneTBB forgets those it has not reached when the
// process ends; this list is never destroyed, so that what they hold is still owned
// by someone then and no leak checker counts it as lost.
class Handed {
 public:
  using Tasks = std::list<std::function<void()>>;
  static Handed& All() {
    static Handed* const all = new Handed;
    return *all;
  }
  Tasks::iterator Add(std::function<void()> task) {
    MutexLock lock(mutex_);
    return tasks_.insert(tasks_.end(), std::move(task));
  }
  std::function<void()> Take(Tasks::iterator at) {
    MutexLock lock(mutex_);
    std::function<void()> task = std::move(*at);
    tasks_.erase(at);
    return task;
  }

 private:
  Mutex mutex_;
  Tasks tasks_ PLEXUS_GUARDED_BY(mutex_);
};

class TbbExecutor final : public Executor {
 public:
  TbbExecutor(int threads, tbb::task_arena* host) : arena_(host) {
    if (!arena_) {
      // For more workers than it may start, oneTBB warns on stderr and does without them.
      const std::size_t most =
          tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
      owned_ = std::make_unique<tbb::task_arena>(
          threads > 0 ? static_cast<int>(std::min(static_cast<std::size_t>(threads), most))
                      : int{tbb::task_arena::automatic});
      arena_ = owned_.get();
    }
  }
  int thread_count() const override { return arena_->max_concurrency(); }
  void Run(std::size_t blocks, BlockTask task) override {
    arena_->execute([&] {
      // isolate: a thread that waits here must not pick up an outer loop's block,
      // which could re-enter a per-thread scratch buffer.
      tbb::this_task_arena::isolate(
          [&] { tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) { task(b); }); });
    });
  }
  bool Enqueue(std::function<void()> task) override {
    const auto at = Handed::All().Add(std::move(task));
    try {
      arena_->enqueue([at] { Handed::All().Take(at)(); });
    } catch (...) {
      Handed::All().Take(at);
      throw;
    }
    return true;
  }

 private:
  std::unique_ptr<tbb::task_arena> owned_;
  tbb::task_arena* arena_;
};

class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(int threads)
      : threads_(threads > 0
                     ? threads
                     : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {}
  int thread_count() const override { return threads_; }
  void Run(std::size_t blocks, BlockTask task) override {
    std::atomic<std::size_t> next{0};
    auto work = [&] {
      for (std::size_t b; (b = next.fetch_add(1)) < blocks;) task(b);
    };
    std::vector<std::thread> helpers;
    std::size_t count = std::min<std::size_t>(threads_, blocks);
    try {
      for (std::size_t t = 1; t < count; ++t) helpers.emplace_back(work);
    } catch (const std::exception&) {  // no memory or no thread: those that are there do it all
    }
    work();
    for (auto& h : helpers) h.join();
  }

 private:
  int threads_;
};

class Serial final : public Executor {
 public:
  int thread_count() const override { return 1; }
  void Run(std::size_t blocks, BlockTask task) override {
    for (std::size_t b = 0; b < blocks; ++b) task(b);
  }
};

// Outlives RunWithHelpers for helpers that begin when all is done: they find no block.
struct Helped {
  Helped(std::size_t count, BlockTask what) : blocks(count), task(what) {}
  void Work() {
    for (std::size_t b; (b = next.fetch_add(1)) < blocks;) Do(b);
  }
  void Do(std::size_t block) {
    task(block);
    if (finished.fetch_add(1) + 1 == blocks) finished.notify_all();
  }
  const std::size_t blocks;
  const BlockTask task;
  std::atomic<std::size_t> next{0}, finished{0};
};

}  // namespace

void RunWithHelpers(Executor& executor, std::size_t blocks, BlockTask task,
                    const std::function<bool()>& help) {
  const auto helped = std::make_shared<Helped>(blocks, task);
  bool asked = executor.thread_count() < 2;
  for (std::size_t b; (b = helped->next.fetch_add(1)) < blocks; helped->Do(b)) {
    if (asked || b + 1 == blocks || !help()) continue;
    asked = true;
    const std::size_t helpers =
        std::min<std::size_t>(static_cast<std::size_t>(executor.thread_count()), blocks - b) - 1;
    try {
      for (std::size_t h = 0; h < helpers; ++h)
        if (!executor.Enqueue([helped] { helped->Work(); })) break;
    } catch (...) {  // no memory for a helper: the caller does it all
    }
  }
  for (std::size_t f; (f = helped->finished.load()) < blocks;) helped->finished.wait(f);
}

std::unique_ptr<Executor> MakeTbbExecutor(int threads, void* arena) {
  return std::make_unique<TbbExecutor>(threads, static_cast<tbb::task_arena*>(arena));
}
std::unique_ptr<Executor> MakeThreadExecutor(int threads) {
  return std::make_unique<ThreadExecutor>(threads);
}
Executor& SerialExecutor() {
  static Serial* const serial = new Serial;  // as below
  return *serial;
}
// Never destroyed: objects of static storage may work until the process ends.
Executor& DefaultExecutor() {
#ifdef PLEXUS_PLAIN_THREADS
  static Executor* const executor = MakeThreadExecutor(0).release();
#else
  static Executor* const executor = MakeTbbExecutor(0).release();
#endif
  return *executor;
}

}  // namespace plexus
