// OrderedExecutor: an executor that claims two threads and has one, in either order of blocks.
#pragma once

#include <cstddef>

#include "engine/parallel.h"

namespace plexus::testing {

class OrderedExecutor : public Executor {
 public:
  explicit OrderedExecutor(bool backwards) : backwards_(backwards) {}
  int thread_count() const override { return 2; }
  void Run(std::size_t blocks, BlockTask task) override {
    for (std::size_t b = 0; b < blocks; ++b) task(backwards_ ? blocks - 1 - b : b);
  }

 private:
  bool backwards_;
};

}  // namespace plexus::testing
