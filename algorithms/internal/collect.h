// Collect: the indices that a test is true of, ascending, found in parallel. Memory is
// asked for outside of the parallel tasks, which must not throw.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/parallel.h"

namespace plexus::internal {

// test(i) for i in [0, count), called twice each. May throw std::bad_alloc.
template <class Index, class Test>
std::vector<Index> Collect(Executor& executor, std::size_t count, Test&& test) {
  constexpr std::size_t kGrain = 4096;
  std::vector<std::size_t> begins((count + kGrain - 1) / kGrain + 1);
  ParallelFor(executor, count, kGrain, [&](std::size_t begin, std::size_t end) {
    std::size_t found = 0;
    for (std::size_t i = begin; i < end; ++i) found += test(i) ? 1 : 0;
    begins[begin / kGrain + 1] = found;
  });
  for (std::size_t block = 1; block < begins.size(); ++block) begins[block] += begins[block - 1];
  std::vector<Index> collected(begins.back());
  ParallelFor(executor, count, kGrain, [&](std::size_t begin, std::size_t end) {
    std::size_t at = begins[begin / kGrain];
    for (std::size_t i = begin; i < end; ++i)
      if (test(i)) collected[at++] = static_cast<Index>(i);
  });
  return collected;
}

}  // namespace plexus::internal
