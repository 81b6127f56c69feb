// Arcs get their costs once, then delta-stepping runs over the packed rows.
#include "algorithms/paths/paths.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/paths/internal/delta_stepping.h"
#include "algorithms/paths/internal/distances_csr.h"
#include "engine/out_of_memory.h"

namespace plexus::paths {

namespace {

using internal::WeightedRows;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kGrain = 4096;
constexpr std::size_t kSample = 1024;  // arcs

// A width of delta-stepping's buckets that suits the graph: mean cost of an arc (at most eight
// medians) over the mean degree, from about a thousand arcs; the same for the same rows.
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

// One direction's rows with what their arcs cost.
class Costs {
 public:
  Costs(const Snapshot& snapshot, const DenseView& view, const DistancesOptions& options,
        Executor& executor)
      : snapshot_(snapshot), view_(view), options_(options), executor_(executor) {}

  Status Make(const CsrView& rows, WeightedRows& out) {
    out.rows = rows;
    out.costs = {};
    switch (options_.cost) {
      case PathCost::kHops:
        out.rows.weights = {};
        return {};
      case PathCost::kWeight:
        return {};
      case PathCost::kLogWeight:
        return Logarithms(rows, out);
      case PathCost::kColumn:
        return Values(rows, out);
    }
    return {};
  }

 private:
  std::span<double> New(const CsrView& rows) {
    kept_.emplace_back(rows.arc_count());
    return kept_.back().span();
  }

  Status Logarithms(const CsrView& rows, WeightedRows& out) {
    const std::span<double> costs = New(rows);
    std::atomic<std::uint64_t> bad = rows.arc_count();
    ParallelFor(executor_, costs.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a) {
        const float weight = rows.weight(static_cast<std::uint32_t>(a));
        costs[a] = weight > 0 ? -std::log(static_cast<double>(weight)) : kInfinity;
        if (weight <= 1) continue;
        std::uint64_t first = bad.load();
        while (a < first && !bad.compare_exchange_weak(first, a)) {
        }
      }
    });
    out.costs = costs;
    if (bad == rows.arc_count()) return {};
    NodeId row = 0;
    while (rows.offsets[row + 1] <= bad) ++row;
    const auto arc = static_cast<std::uint32_t>(bad.load());
    return Invalid("the edge between '", snapshot_.key(view_.node(row)), "' and '",
                   snapshot_.key(view_.node(rows.neighbors[arc])), "' has the weight ",
                   rows.weight(arc), ": -ln(weight) needs at most 1");
  }

  Status Values(const CsrView& rows, WeightedRows& out) {
    std::vector<double> values(view_.node_count(), kInfinity);
    for (NodeId v = 0; v < view_.node_count(); ++v) {
      const auto value = snapshot_.f64(options_.column, view_.node(v));
      if (!value) continue;
      if (!(*value >= 0))
        return Invalid("node '", snapshot_.key(view_.node(v)), "' has the cost ", *value,
                       ": it must not be negative");
      values[v] = *value;
    }
    const std::span<double> costs = New(rows);
    for (std::size_t a = 0; a < costs.size(); ++a) costs[a] = values[rows.neighbors[a]];
    out.costs = costs;
    return {};
  }

  const Snapshot& snapshot_;
  const DenseView& view_;
  const DistancesOptions& options_;
  Executor& executor_;
  std::vector<AlignedArray<double>> kept_;
};

Status Check(const Snapshot& snapshot, const DistancesOptions& options) {
  if (!(options.delta >= 0) || !std::isfinite(options.delta))
    return Invalid("delta ", options.delta, ": expected a finite number >= 0");
  const auto& columns = snapshot.schema().columns();
  if (options.cost == PathCost::kColumn &&
      (options.column >= columns.size() || columns[options.column].type != ColumnType::kF64))
    return Invalid("column ", options.column, " is no f64 column of this graph");
  return {};
}

}  // namespace

Result<DistancesResult> Distances(const Snapshot& snapshot, NodeId source,
                                  const DistancesOptions& options) try {
  PLEXUS_TRY(Check(snapshot, options));
  Executor& executor = common_internal::Pick(options.run.executor);
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.out = options.direction != Direction::kIn;
  wanted.in = options.direction != Direction::kOut;
  wanted.weights = options.cost == PathCost::kWeight || options.cost == PathCost::kLogWeight;
  PLEXUS_ASSIGN(const NodeSubset with,
                common_internal::WithSources(snapshot, options.filter.subset, {&source, 1}));
  if (options.filter.subset) wanted.filter.subset = &with;
  PLEXUS_ASSIGN(const auto made, common_internal::ViewInTime(snapshot, wanted, options.run));
  DistancesResult result;
  result.distances.assign(snapshot.node_count(), kInfinity);
  result.truncated = !made;
  if (!made) return result;
  const DenseView& view = *made;
  const NodeId start = view.dense(source);
  if (start == kNoNode) {  // an index node, and only facts are followed
    result.distances[source] = 0;
    result.reached = 1;
    return result;
  }
  Costs costs(snapshot, view, options, executor);
  std::vector<WeightedRows> rows;
  if (wanted.out) PLEXUS_TRY(costs.Make(view.out(), rows.emplace_back()));
  if (wanted.in) PLEXUS_TRY(costs.Make(view.in(), rows.emplace_back()));
  const double delta = options.delta > 0 ? options.delta : ChooseDelta(rows);
  const auto found =
      internal::DeltaStepping<double>(rows, start, delta, options.run.budget, executor);
  result.truncated = found.truncated;
  for (NodeId v = 0; v < view.node_count(); ++v) {
    result.distances[view.node(v)] = found.costs[v];
    result.reached += found.costs[v] < kInfinity;
  }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<AlignedArray<float>> DistancesCsr(const CsrView& out, NodeId source,
                                         const DistancesCsrOptions& options) try {
  PLEXUS_CHECK(source < out.node_count(), "the source is a node");
  const WeightedRows rows{out, {}};
  const float delta =
      options.delta > 0 ? options.delta : static_cast<float>(ChooseDelta({&rows, 1}));
  return internal::DeltaStepping<float>({&rows, 1}, source, delta, {},
                                        common_internal::Pick(options.executor))
      .costs;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::paths
