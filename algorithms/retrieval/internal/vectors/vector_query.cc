// Scaling, padding, the rows that f32 cannot do, and the one-pair functions of
// vectors.h, which are queries against one row.
#include "algorithms/retrieval/internal/vectors/candidate_search.h"

#include <algorithm>
#include <cmath>

#include "engine/error.h"

namespace plexus::retrieval::internal {

namespace {

// Below this a sum of squares may have lost terms to the smallest f32.
constexpr double kSmallNorm = 1e-30;
constexpr std::size_t kStretch = 256;  // rows whose norms wait for their dots

}  // namespace

VectorQuery::VectorQuery(std::span<const float> query, std::size_t row_floats, Metric metric,
                         SimdLevel level)
    : metric_(metric), kernels_(PickRowKernels(level)), query_(row_floats, 0.0f) {
  float largest = 0;
  for (float x : query) largest = std::max(largest, std::abs(x));
  int exponent = 0;
  if (metric != Metric::kL2 && largest > 0) std::frexp(largest, &exponent);
  scale_ = std::ldexp(1.0, exponent);
  for (std::size_t i = 0; i < query.size(); ++i) query_[i] = std::ldexp(query[i], -exponent);
  const Rows self{query_.data(), row_floats, 1};
  kernels_.dot(query_.data(), row_floats, self, &norm_);
  ScalarRowKernels().dot(query_.data(), row_floats, self, &exact_norm_);
}

void VectorQuery::Measure(Rows rows, double* out) const {
  if (metric_ == Metric::kCosine) {
    Cosines(rows, out);
    return;
  }
  const bool dot = metric_ == Metric::kInnerProduct;
  (dot ? kernels_.dot : kernels_.distance)(query_.data(), query_.size(), rows, out);
  Finish(rows, out);
}

void VectorQuery::MeasureMany(std::span<const VectorQuery* const> queries, Rows rows,
                              double* const* out) {
  const std::size_t tile = queries.empty() ? 1 : queries[0]->kernels_.tile;
  std::size_t q = 0;
  for (; q + tile <= queries.size() && tile > 1; q += tile) {
    const VectorQuery& first = *queries[q];
    const RowKernels& kernels = first.kernels_;
    const float* values[kMostQueriesInTile];
    for (std::size_t k = 0; k < tile; ++k) values[k] = queries[q + k]->query_.data();
    const std::size_t n = first.query_.size();
    if (first.metric_ != Metric::kCosine) {
      const bool dot = first.metric_ == Metric::kInnerProduct;
      (dot ? kernels.dot_tile : kernels.distance_tile)(values, n, rows, out + q);
      for (std::size_t k = 0; k < tile; ++k) queries[q + k]->Finish(rows, out[q + k]);
      continue;
    }
    double norms[kStretch];
    for (std::size_t begin = 0; begin < rows.count; begin += kStretch) {
      const Rows part{rows.first + begin * rows.stride, rows.stride,
                      std::min(kStretch, rows.count - begin)};
      double* dots[kMostQueriesInTile];
      for (std::size_t k = 0; k < tile; ++k) dots[k] = out[q + k] + begin;
      kernels.dot_norm_tile(values, n, part, dots, norms);
      for (std::size_t k = 0; k < tile; ++k) queries[q + k]->FinishCosines(part, norms, dots[k]);
    }
  }
  for (; q < queries.size(); ++q) queries[q]->Measure(rows, out[q]);
}

// Products and squares of distances: those that f32 cannot do again, then the query's scale.
void VectorQuery::Finish(Rows rows, double* out) const {
  const bool dot = metric_ == Metric::kInnerProduct;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const bool small = !dot && out[i] < kSmallNorm && out[i] != 0;
    if (!std::isfinite(out[i]) || small) [[unlikely]] {
      const RowKernels& exact = ScalarRowKernels();
      (dot ? exact.dot : exact.distance)(query_.data(), query_.size(),
                                         {rows.first + i * rows.stride, rows.stride, 1}, out + i);
    }
    out[i] *= scale_;
  }
}

void VectorQuery::Cosines(Rows rows, double* out) const {
  double norms[kStretch];
  for (std::size_t begin = 0; begin < rows.count; begin += kStretch) {
    const Rows part{rows.first + begin * rows.stride, rows.stride,
                    std::min(kStretch, rows.count - begin)};
    kernels_.dot_norm(query_.data(), query_.size(), part, out + begin, norms);
    FinishCosines(part, norms, out + begin);
  }
}

// Products become cosines.
void VectorQuery::FinishCosines(Rows rows, const double* norms, double* dots) const {
  for (std::size_t i = 0; i < rows.count; ++i) {
    double product = norm_ * norms[i];
    if (!(norms[i] >= kSmallNorm && norms[i] < INFINITY && std::isfinite(dots[i]))) [[unlikely]] {
      double norm = 0;
      ScalarRowKernels().dot_norm(query_.data(), query_.size(),
                                  {rows.first + i * rows.stride, rows.stride, 1}, dots + i, &norm);
      product = exact_norm_ * norm;
    }
    // sqrt(x * x) is x: a vector and itself give exactly 1.
    dots[i] = product > 0 ? std::clamp(dots[i] / std::sqrt(product), -1.0, 1.0) : 0.0;
  }
}

}  // namespace plexus::retrieval::internal

namespace plexus::retrieval {

namespace {

double Measure(std::span<const float> a, std::span<const float> b, Metric metric, SimdLevel level) {
  PLEXUS_CHECK(a.size() == b.size(), "vectors of one length");
  double out = 0;
  internal::VectorQuery(a, a.size(), metric, level).Measure({b.data(), b.size(), 1}, &out);
  return out;
}

}  // namespace

double InnerProduct(std::span<const float> a, std::span<const float> b, SimdLevel level) {
  return Measure(a, b, Metric::kInnerProduct, level);
}
double SquaredDistance(std::span<const float> a, std::span<const float> b, SimdLevel level) {
  return Measure(a, b, Metric::kL2, level);
}
double Cosine(std::span<const float> a, std::span<const float> b, SimdLevel level) {
  return Measure(a, b, Metric::kCosine, level);
}

}  // namespace plexus::retrieval
