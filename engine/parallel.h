// Parallel loops and reductions that give the same bits at any thread count.
//
// Work is cut into blocks by index, never by thread; partial results are kept
// per block and combined in block order. An Executor decides which thread runs which block when:
// oneTBB (its own arena, or one that the host hands in), plain threads (for ThreadSanitizer, which
// cannot see into TBB), or the calling thread only.
//
// What a block throws (std::bad_alloc, as a rule) comes out of the loop in the calling thread, once
// no block is at work any more. An executor never sees it, so a host's pool needs no care of it.
//
// Complexity: loops add O(blocks) to the work. Memory: O(threads), ParallelReduce O(blocks).
// Errors: std::bad_alloc of the blocks and of the makers.
// Threads: executors and loops are thread-safe, and loops may lie inside each other.
//
// A host that owns a thread pool implements Executor and passes it in options.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace plexus {

// A non-owning reference to a callable taking a block number.
class BlockTask {
 public:
  template <class Fn>
    requires(!std::is_same_v<std::remove_cvref_t<Fn>, BlockTask>)
  BlockTask(Fn& fn)  // NOLINT: implicit by design
      : object_(const_cast<void*>(static_cast<const void*>(&fn))),
        call_([](void* object, std::size_t block) { (*static_cast<Fn*>(object))(block); }) {}
  void operator()(std::size_t block) const { call_(object_, block); }

 private:
  void* object_;
  void (*call_)(void*, std::size_t);
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Upper bound of blocks that run at once. Scratch may be sized by it; results
  // must not depend on it.
  virtual int thread_count() const = 0;
  // Runs task(0) ... task(blocks - 1), each once, in any order, and returns when
  // all are done. Tasks do not throw (RunBlocks). Callable from several threads at once.
  virtual void Run(std::size_t blocks, BlockTask task) = 0;
  // Hands `task` to a thread that gets to it some time, and returns at once. False:
  // not supported, nothing was done.
  virtual bool Enqueue(std::function<void()> task) {
    (void)task;
    return false;
  }
};

// Runs task(0) ... task(blocks - 1), each once. The caller works through them itself;
// from the first block at which `help` says so, threads of `executor` that are free
// join in. Unlike Run it never waits for a thread that has not begun, so a busy executor cannot
// hold up a caller that holds a lock. Tasks must not throw.
void RunWithHelpers(Executor& executor, std::size_t blocks, BlockTask task,
                    const std::function<bool()>& help);

// All hardware threads over oneTBB; made at first use, lives for the process.
Executor& DefaultExecutor();
// One thread: the caller.
Executor& SerialExecutor();
// threads <= 0 means all, and so does more than oneTBB may start. `arena` is a tbb::task_arena* of
// the host or null.
std::unique_ptr<Executor> MakeTbbExecutor(int threads, void* arena = nullptr);
// Plain std::thread per call; for ThreadSanitizer and hosts without TBB.
std::unique_ptr<Executor> MakeThreadExecutor(int threads);

// fn(0) ... fn(blocks - 1), each at most once and in any order; throws on what one of them threw
// first, and passes over the blocks that would begin after that.
template <class Fn>
void RunBlocks(Executor& executor, std::size_t blocks, Fn&& fn) {
  std::atomic<bool> thrown = false;
  std::exception_ptr what;
  auto task = [&](std::size_t block) {
    if (thrown.load(std::memory_order_relaxed)) return;
    try {
      fn(block);
    } catch (...) {
      if (!thrown.exchange(true)) what = std::current_exception();
    }
  };
  executor.Run(blocks, BlockTask(task));
  if (what) std::rethrow_exception(std::move(what));
}

// fn(begin, end) over [0, count) in blocks of `grain` indices.
template <class Fn>
void ParallelFor(Executor& executor, std::size_t count, std::size_t grain, Fn&& fn) {
  if (count == 0) return;
  std::size_t blocks = (count + grain - 1) / grain;
  auto task = [&](std::size_t b) {
    std::size_t begin = b * grain;
    fn(begin, begin + grain < count ? begin + grain : count);
  };
  if (blocks == 1) {
    task(0);
    return;
  }
  RunBlocks(executor, blocks, task);
}

// Runs a() and b(), at once when a thread of the executor is free. Never waits for
// one that is not. The exception of the first that threw is thrown on.
template <class A, class B>
void ParallelInvoke(Executor& executor, A&& a, B&& b) {
  std::exception_ptr thrown[2];
  auto task = [&](std::size_t block) {
    try {
      block == 0 ? a() : b();
    } catch (...) {
      thrown[block] = std::current_exception();
    }
  };
  RunWithHelpers(executor, 2, BlockTask(task), [] { return true; });
  for (const std::exception_ptr& e : thrown)
    if (e) std::rethrow_exception(e);
}

// fn(i) for every i of [0, count), in blocks of `grain`.
template <class Fn>
void ParallelForEach(Executor& executor, std::size_t count, std::size_t grain, Fn&& fn) {
  ParallelFor(executor, count, grain, [&](std::size_t i, std::size_t end) {
    for (; i < end; ++i) fn(i);
  });
}

// Sum (or any fold) of fn(begin, end) over blocks, combined left to right.
template <class T, class Fn, class Combine>
T ParallelReduce(Executor& executor, std::size_t count, std::size_t grain, T identity, Fn&& fn,
                 Combine&& combine) {
  if (count == 0) return identity;
  std::vector<T> partial((count + grain - 1) / grain, identity);
  ParallelFor(executor, count, grain,
              [&](std::size_t begin, std::size_t end) { partial[begin / grain] = fn(begin, end); });
  T total = std::move(identity);
  for (T& p : partial) total = combine(std::move(total), std::move(p));
  return total;
}
// The sum of fn(begin, end) over blocks, left to right.
template <class Fn>
auto ParallelSum(Executor& executor, std::size_t count, std::size_t grain, Fn&& fn) {
  using T = std::invoke_result_t<Fn, std::size_t, std::size_t>;
  return ParallelReduce(executor, count, grain, T{}, std::forward<Fn>(fn), std::plus<T>());
}

}  // namespace plexus
