// RunStats: what a call prepared and moved, for whoever tunes or benches. Answers do not need it.
#pragma once

#include <cstdint>

namespace plexus {

struct RunStats {
  // Time for layout, strengths and packed rows. Near 0 when they were kept.
  double preparation_ms = 0;
  std::uint64_t layout_bytes = 0;  // Of a private layout of the arcs. 0: plain rows were read.
  // Iterations that repay a layout for a graph of this shape, measured
  // (bench/notes/kernels/pagerank.md).
  // 0: plain rows are never slower.
  int break_even_iterations = 0;
  // Modelled: every array of the kernel once, each cache line used to its end.
  std::uint64_t bytes_per_iteration = 0;
};

}  // namespace plexus
