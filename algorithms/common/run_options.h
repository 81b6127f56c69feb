// RunOptions: limits and threads of a call. The options of every kernel hold one.
//
//   plexus::Leiden(snapshot, {.run = {.budget = {.deadline = at}, .executor = &pool}});
#pragma once

#include "algorithms/common/budget.h"
#include "engine/parallel.h"

namespace plexus {

struct RunOptions {
  // Each kernel documents what its nodes and edges count, and how often it checks deadline and
  // cancel flag.
  Budget budget = {};
  // The threads. Null: DefaultExecutor(). Kernels of one thread do not use it.
  Executor* executor = nullptr;
};

}  // namespace plexus
