// StopFlag: the blocks of one parallel loop agree that a budget says to stop.
//
// The first block that finds the deadline passed or the cancel flag raised sets the flag; later
// blocks read it without a clock. What the loop has written by then is unfinished and must be
// discarded.
#pragma once

#include <atomic>

#include "algorithms/common/common.h"

namespace plexus::common_internal {

class StopFlag {
 public:
  explicit StopFlag(const Budget* budget) : budget_(budget) {}  // null: never
  // Polls the budget unless the flag is set. From any thread.
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

}  // namespace plexus::common_internal
