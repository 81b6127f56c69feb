// Halt: the blocks of one parallel loop agree that a budget says to stop.
//
// Whoever looks first and finds the deadline passed or the cancel flag raised says so to
// all; blocks that begin later see it without asking a clock. What a loop leaves behind
// after that is unfinished and to be thrown away.
#pragma once

#include <atomic>

#include "algorithms/common/budget.h"

namespace plexus::internal {

class StopFlag {
 public:
  explicit StopFlag(const Budget* budget) : budget_(budget) {}  // null: never
  // Asks the budget unless somebody has been told already. From any thread.
  bool Poll() {
    if (stopped()) return true;
    if (!budget_ || !budget_->Interrupted()) return false;
    stopped_.store(true, std::memory_order_relaxed);
    return true;
  }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  const Budget* budget_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace plexus::internal
