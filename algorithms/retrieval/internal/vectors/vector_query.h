// VectorQuery: a query made ready for a metric and an instruction level, and what it
// measures of rows.
//
// Keeps the query padded like the rows of a VectorTable and, where the metric allows
// it, scaled by a power of two (which changes no bit of a result's mantissa), so
// that products neither overflow nor vanish on the query's account. Rows whose f32
// sums overflowed, or whose norm is zero in f32, are done again in f64, so
// what Measure returns is always finite. Immutable, shared by threads.
#pragma once

#include <cstddef>
#include <span>

#include "algorithms/retrieval/internal/vectors/distance_kernels.h"
#include "engine/arrays/aligned_array.h"
#include "engine/schema.h"

namespace plexus::retrieval::internal {

class VectorQuery {
 public:
  // Rows will be `row_floats` >= query.size() floats, zeros behind the query's length.
  VectorQuery(std::span<const float> query, std::size_t row_floats, Metric metric, SimdLevel level);

  // kCosine: the cosine; kInnerProduct: the product; kL2: the squared distance.
  // out[i] of row i; out has rows.count places.
  void Measure(Rows rows, double* out) const;
  // The same of many queries, that read each row together: out[q] of queries[q], which are of one
  // metric and level.
  static void MeasureMany(std::span<const VectorQuery* const> queries, Rows rows,
                          double* const* out);

 private:
  void Finish(Rows rows, double* out) const;
  void FinishCosines(Rows rows, const double* norms, double* dots) const;
  void Cosines(Rows rows, double* out) const;

  Metric metric_;
  const RowKernels& kernels_;
  AlignedArray<float> query_;
  double scale_ = 1;       // query = query_ * scale_
  double norm_ = 0;        // query_ . query_, by kernels_
  double exact_norm_ = 0;  // the same in f64
};

}  // namespace plexus::retrieval::internal
