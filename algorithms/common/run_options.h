// RunOptions: how a kernel runs, whatever it computes. Every kernel's options hold one.
//
//   plexus::Leiden(snapshot, {.run = {.budget = {.deadline = at}, .executor = &pool}});
#pragma once

#include "algorithms/common/budget.h"
#include "engine/parallel.h"

namespace plexus {

struct RunOptions {
  // Each kernel says what its nodes and edges count, and how often it looks at the deadline and
  // the cancel flag.
  Budget budget = {};
  // The threads; null: DefaultExecutor(). A kernel of one thread does not use it.
  Executor* executor = nullptr;
};

}  // namespace plexus
