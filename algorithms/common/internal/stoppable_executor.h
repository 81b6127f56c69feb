// StoppableExecutor: an executor whose blocks are passed over once a budget says to stop.
//
// For kernels that are a sequence of parallel loops over arrays: they run unchanged and check
// stopped() at the end. REQUIRES that every loop ends whatever the ones before it left undone. A
// budget without deadline and cancel flag costs nothing. Where a loop cannot do with less,
// WhenStopped::kThrow ends the sequence instead, behind the loop that was stopped (in_time.h).
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/stop_flag.h"
#include "engine/parallel.h"

namespace plexus::common_internal {

enum class WhenStopped { kPassOver, kThrow };

class StoppableExecutor final : public Executor {
 public:
  struct Stopped {};  // what is thrown

  // Keeps references to both. Polls the budget at once.
  StoppableExecutor(Executor& inner, const Budget& budget,
                    WhenStopped when_stopped = WhenStopped::kPassOver)
      : inner_(inner),
        stop_flag_(budget.deadline || budget.cancel ? &budget : nullptr),
        throws_(when_stopped == WhenStopped::kThrow) {
    stop_flag_.Poll();
  }
  int thread_count() const override { return inner_.thread_count(); }
  void Run(std::size_t blocks, BlockTask task) override {
    auto unless_stopped = [&](std::size_t block) {
      if (!stop_flag_.Poll()) task(block);
    };
    inner_.Run(blocks, BlockTask(unless_stopped));
    if (throws_ && stopped()) throw Stopped();
  }
  bool Enqueue(std::function<void()> task) override { return inner_.Enqueue(std::move(task)); }
  // True when some block may have been passed over. A loop of one block never is: ParallelFor
  // runs it without an executor.
  bool stopped() const { return stop_flag_.stopped(); }

 private:
  Executor& inner_;
  StopFlag stop_flag_;
  const bool throws_;
};

}  // namespace plexus::common_internal
