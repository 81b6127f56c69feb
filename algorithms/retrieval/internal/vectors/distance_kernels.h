// RowKernels: one query against many rows, one set of functions per instruction level.
//
// The wall between the dispatched text (distance_kernels.cc) and everything else. Row i
// is rows[i * stride, i * stride + n); a row's result does not depend on the rows
// it is computed with, so any cut of the work has the same bits. Results may be
// infinite or NaN where f32 overflowed: VectorQuery does those rows again.
#pragma once

#include <cstddef>

#include "algorithms/retrieval/vectors.h"

namespace plexus::retrieval::internal {

struct Rows {
  const float* first;
  std::size_t stride;  // floats from one row to the next
  std::size_t count;
};

// Tiles of queries share the loads of a row. A tile gives each query the bits that it would get
// alone.
inline constexpr std::size_t kMostQueriesInTile = 4;

struct RowKernels {
  // dots[i] = query . row i
  void (*dot)(const float* query, std::size_t n, Rows rows, double* dots);
  // and norms[i] = row i . row i
  void (*dot_norm)(const float* query, std::size_t n, Rows rows, double* dots, double* norms);
  // squares[i] = |query - row i|^2
  void (*distance)(const float* query, std::size_t n, Rows rows, double* squares);

  // The same of `tile` queries at once; out[q] as above is of queries[q].
  std::size_t tile;
  void (*dot_tile)(const float* const* queries, std::size_t n, Rows rows, double* const* dots);
  void (*dot_norm_tile)(const float* const* queries, std::size_t n, Rows rows, double* const* dots,
                        double* norms);
  void (*distance_tile)(const float* const* queries, std::size_t n, Rows rows,
                        double* const* squares);
};

// Scalar loops in f64: also what exact results are compared with and redone by.
const RowKernels& ScalarRowKernels();
// Null when the machine or the build lacks the level.
const RowKernels* FindRowKernels(SimdLevel level);
// The level, or the best one there is.
const RowKernels& PickRowKernels(SimdLevel level);

}  // namespace plexus::retrieval::internal
