// An executor that raises a cancel flag of its own at a place one can name: no clock.
#pragma once

#include <atomic>
#include <cstddef>

#include "algorithms/common/common.h"
#include "engine/parallel.h"

namespace plexus::testing {

inline const std::atomic<bool> kStop = true;
inline const Budget kStopped = {.cancel = &kStop};

// Raises the flag at the end of the loop asked for, and counts the loops begun after.
class CancelsAt final : public Executor {
 public:
  explicit CancelsAt(int loop) : left_(loop) {}
  int thread_count() const override { return 1; }
  void Run(std::size_t blocks, BlockTask task) override {
    after += cancel;
    for (std::size_t block = 0; block < blocks; ++block) task(block);
    if (left_-- == 0) cancel = true;
  }
  std::atomic<bool> cancel = false;
  int after = 0;

 private:
  int left_;
};

// Raises the flag before the block asked for, of all loops, and counts the blocks.
class CancelsBeforeBlock final : public Executor {
 public:
  explicit CancelsBeforeBlock(int block) : left_(block) {}
  int thread_count() const override { return 1; }
  void Run(std::size_t blocks, BlockTask task) override {
    for (std::size_t block = 0; block < blocks; ++block, ++count) {
      if (left_-- == 0) cancel = true;
      task(block);
    }
  }
  std::atomic<bool> cancel = false;
  int count = 0;

 private:
  int left_;
};

}  // namespace plexus::testing
