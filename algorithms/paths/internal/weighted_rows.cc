// The width of delta-stepping's buckets, from a sample of the arcs.
#include "algorithms/paths/internal/weighted_rows.h"

#include <cmath>
#include <vector>

namespace plexus::paths::internal {

namespace {
constexpr std::size_t kSample = 1024;  // arcs
}

double ChooseDelta(std::span<const WeightedRows> rows) {
  double sum = 0, arcs = 0;
  std::vector<double> sample;
  const double nodes = rows[0].rows.node_count();
  for (const WeightedRows& side : rows) {
    const std::size_t count = side.rows.arc_count(), stride = count / kSample + 1;
    arcs += static_cast<double>(count);
    for (std::size_t a = 0; a < count; a += stride) {
      const double cost = side.costs.empty()
                              ? static_cast<double>(side.rows.weight(static_cast<std::uint32_t>(a)))
                              : side.costs[a];
      if (!std::isfinite(cost)) continue;
      sum += cost;
      sample.push_back(cost);
    }
  }
  // Eight medians at most: a few roads that are closed by a huge cost must not put all
  // others into one bucket.
  double typical = sample.empty() ? 0 : sum / static_cast<double>(sample.size());
  if (!sample.empty()) {
    const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
    std::nth_element(sample.begin(), middle, sample.end());
    if (*middle > 0) typical = std::min(typical, 8 * *middle);
  }
  const double delta = typical == 0 ? 1 : typical / std::max(1.0, arcs / nodes);
  // Tiny costs must not make a width that vanishes in f32 or f64.
  return std::max(delta, 1e-30);
}

}  // namespace plexus::paths::internal
