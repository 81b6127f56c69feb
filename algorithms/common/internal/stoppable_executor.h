// HaltingExecutor: an executor whose blocks are passed over once a budget says to stop.
//
// For kernels that are a row of parallel loops over arrays: they run as they are, and ask
// halted() at the end. REQUIRES that every loop ends whatever the ones before it left undone.
// A budget without deadline and cancel flag costs nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "algorithms/common/budget.h"
#include "algorithms/common/internal/stop_flag.h"
#include "engine/parallel.h"

namespace plexus::internal {

class HaltingExecutor final : public Executor {
 public:
  // Keeps references to both. Looks at the budget at once.
  HaltingExecutor(Executor& inner, const Budget& budget)
      : inner_(inner), halt_(budget.deadline || budget.cancel ? &budget : nullptr) {
    halt_.Look();
  }
  int thread_count() const override { return inner_.thread_count(); }
  void Run(std::size_t blocks, BlockTask task) override {
    auto unless_halted = [&](std::size_t block) {
      if (!halt_.Look()) task(block);
    };
    inner_.Run(blocks, BlockTask(unless_halted));
  }
  bool Enqueue(std::function<void()> task) override { return inner_.Enqueue(std::move(task)); }
  // True when some block may have been passed over. A loop of one block never is: ParallelFor
  // runs it without asking an executor.
  bool halted() const { return halt_.said(); }

 private:
  Executor& inner_;
  Halt halt_;
};

}  // namespace plexus::internal
