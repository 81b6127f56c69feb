// Crew: an executor for loops so short that starting them costs as much as they do.
//
// One kernel call makes a crew around its host's executor and runs its loops there. Threads
// of the host that were asked to help (Enqueue) stay for the call: they take blocks of the loop
// at hand, and between loops they look out for the next one, for kPatience at most; the
// next loop asks anew. Starting a loop is one store then. As with RunHelped the caller takes
// blocks itself and waits for nobody who has not begun, so an executor that is busy, comes
// late or never does not hold it up.
//
// A loop is a word: which of its blocks nobody has taken, the caller the first, helpers the last
// of them, so that from loop to loop each meets what it has in its caches. Who takes one by
// compare-and-swap knows that a loop is not over, so what it is made of may be read then.
// Helpers that begin when the crew is gone find it closed.
//
// A loop inside a task, and loops of several threads at once, are the host's as if there were
// no crew; so are all loops when the host has no Enqueue. Tasks must not throw.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "engine/parallel.h"

namespace plexus::internal {

class Crew final : public Executor {
 public:
  // Keeps a reference. Nobody is asked before the first loop of two blocks.
  explicit Crew(Executor& host);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  // REQUIRES no loop at work. Helpers leave within a pause.
  ~Crew() override;

  int thread_count() const override { return threads_; }
  void Run(std::size_t blocks, BlockTask task) override;
  bool Enqueue(std::function<void()> task) override { return host_.Enqueue(std::move(task)); }

 private:
  struct State;
  // False: the host has no threads to lend.
  bool Enlist(std::size_t blocks);

  Executor& host_;
  const int threads_;
  bool lends_ = true;               // the host has Enqueue, for all that is known
  std::atomic<bool> busy_ = false;  // a loop is at work
  std::shared_ptr<State> state_;    // outlives the crew for helpers that begin late
};

}  // namespace plexus::internal
