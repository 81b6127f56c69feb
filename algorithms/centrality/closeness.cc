// Batches of 64 sources, each searched by one thread into sums of its own; the sums are
// integers, so the result does not depend on which thread had which batch.
#include "algorithms/centrality/centrality.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "algorithms/centrality/internal/batched_distance_sums.h"
#include "algorithms/centrality/internal/node_sample.h"
#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/simple_graph.h"
#include "algorithms/traversal/traversal.h"
#include "engine/out_of_memory.h"

namespace plexus::centrality {

namespace {

using internal::BatchedDistanceSums;
using internal::DistanceSums;

// The selected nodes, and rows along which distances are measured and back.
struct Rows {
  common_internal::SimpleGraph simple;  // either way
  DenseView view;                // along or against the edges
  bool either = false;
  CsrView forth, back;
  const DenseView& nodes() const { return either ? simple.view : view; }
};

Result<Rows> MakeRows(const Snapshot& snapshot, const ClosenessOptions& options,
                      Executor& executor) {
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.weights = false;
  wanted.executor = &executor;
  Rows rows;
  rows.either = options.direction == Direction::kBoth;
  if (rows.either) {
    PLEXUS_ASSIGN(rows.simple, common_internal::MakeSimpleGraph(snapshot, wanted));
    rows.forth = rows.back = rows.simple.edges.out();
    return rows;
  }
  PLEXUS_ASSIGN(rows.view, DenseView::Make(snapshot, wanted));
  rows.forth = options.direction == Direction::kOut ? rows.view.out() : rows.view.in();
  rows.back = options.direction == Direction::kOut ? rows.view.in() : rows.view.out();
  return rows;
}

// A node's numbers; `scale` is above 1 for a sample.
struct Measured {
  double reached, distances, harmonic, closeness;
};
double ClosenessOf(double reached, double distances, double others, bool scaled) {
  if (!(distances > 0)) return 0;
  return reached / distances * (scaled && others > 0 ? reached / others : 1.0);
}
Measured Measure(const DistanceSums& sums, double scale, double others, bool scaled) {
  Measured m{};
  m.reached = std::min(static_cast<double>(sums.reached) * scale, others);
  m.distances = static_cast<double>(sums.distances) * scale;
  m.harmonic = std::min(sums.harmonic() * scale, others);
  m.closeness = std::min(1.0, ClosenessOf(m.reached, m.distances, others, scaled));
  return m;
}

// How far the true closeness can be from the measured one when R / (n - 1) may be off by
// `bound` and D / (n - 1) by bound * longest; no distance is below 1, so D >= R.
double ClosenessError(const Measured& m, double bound, double longest, double others, bool scaled) {
  const double r = m.reached / others, d = m.distances / others;
  const double most = std::min(1.0, r + bound), least = std::max(0.0, r - bound);
  const double high = ClosenessOf(most, std::max(d - bound * longest, most), 1.0, scaled);
  const double low = ClosenessOf(least, d + bound * longest, 1.0, scaled);
  return std::max(high - m.closeness, m.closeness - low);
}

// Adds `sources` up at every node; returns how many were searched from.
std::uint64_t Accumulate(const Rows& rows, std::span<const NodeId> sources,
                         const ClosenessOptions& options, Executor& executor,
                         std::vector<DistanceSums>& sums, std::uint32_t& deepest, bool& truncated) {
  const std::size_t batches = (sources.size() + traversal::kBfsLanes - 1) / traversal::kBfsLanes;
  common_internal::ObjectPool<BatchedDistanceSums> searches;
  const auto make = [&] { return std::make_unique<BatchedDistanceSums>(rows.back, rows.forth); };
  searches.Reserve(executor, batches, make);
  struct Done {
    std::uint64_t sources = 0;
    std::uint32_t depth = 0;
  };
  std::vector<Done> done(batches);
  ParallelFor(executor, batches, 1, [&](std::size_t b, std::size_t) {
    if (options.run.budget.Interrupted()) return;
    const auto batch =
        sources.subspan(b * traversal::kBfsLanes,
                        std::min(traversal::kBfsLanes, sources.size() - b * traversal::kBfsLanes));
    const auto search = searches.Acquire(make);
    if (const auto depth = search->Search(batch, options.max_hops, options.run.budget))
      done[b] = {batch.size(), *depth};
  });
  std::uint64_t searched = 0;
  for (const Done& batch : done) {
    searched += batch.sources;
    deepest = std::max(deepest, batch.depth);
    truncated |= batch.sources == 0;
  }
  for (const auto& search : searches.idle())
    ParallelForEach(executor, sums.size(), 4096,
                    [&](std::size_t v) { sums[v].Add(search->sums()[v]); });
  return searched;
}

// One search forward for each of `of`, by its levels.
Status MeasureSome(const Snapshot& snapshot, const Rows& rows, const ClosenessOptions& options,
                   ClosenessResult& result) {
  std::vector<NodeId> places;
  for (const NodeId node : options.of) {
    const NodeId place = node < result.closeness.size() ? rows.nodes().dense(node) : kNoNode;
    if (place == kNoNode)
      return common_internal::NotSelected(snapshot, "", node, options.filter.kinds);
    places.push_back(place);
  }
  traversal::MultiBfsOptions search;
  search.max_depth = options.max_hops;
  search.run.executor = options.run.executor;
  search.run.budget.deadline = options.run.budget.deadline;
  search.run.budget.cancel = options.run.budget.cancel;
  const double others = static_cast<double>(result.nodes) - 1;
  const std::size_t within = internal::SourcesWithin(options.run.budget, places.size(),
                                                     rows.forth.arc_count(), traversal::kBfsLanes);
  result.truncated = within < places.size();
  places.resize(within);
  for (std::size_t first = 0; first < places.size(); first += traversal::kBfsLanes) {
    const auto batch =
        std::span(places).subspan(first, std::min(traversal::kBfsLanes, places.size() - first));
    PLEXUS_ASSIGN(const traversal::MultiBfsResult found,
                  traversal::MultiBfsCsr(rows.forth, rows.back, batch, search));
    if (found.truncated) {
      result.truncated = true;
      break;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      DistanceSums sums;
      for (std::uint32_t d = 1; d < found.levels[i].size(); ++d) sums.Add(found.levels[i][d], d);
      const Measured m = Measure(sums, 1, others, options.scaled);
      const NodeId node = options.of[first + i];
      result.closeness[node] = m.closeness;
      result.harmonic[node] = m.harmonic;
      result.reached[node] = m.reached;
    }
    result.sources += batch.size();
  }
  result.exact = !result.truncated;
  if (result.truncated) result.bound = result.closeness_bound = 1;
  return {};
}

}  // namespace

Result<ClosenessResult> Closeness(const Snapshot& snapshot, const ClosenessOptions& options) try {
  Executor& executor = common_internal::Pick(options.run.executor);
  PLEXUS_ASSIGN(const auto made, common_internal::InTime(options.run, [&](Executor& stopping) {
                  return MakeRows(snapshot, options, stopping);
                }));
  ClosenessResult result;
  for (auto* values : {&result.closeness, &result.harmonic, &result.reached})
    values->assign(snapshot.node_count(), 0);
  if (!made) {
    result.bound = result.closeness_bound = 1;
    result.truncated = true;
    return result;
  }
  const Rows& rows = *made;
  const DenseView& view = rows.nodes();
  result.nodes = view.node_count();
  result.longest =
      std::min<std::uint64_t>(options.max_hops, result.nodes == 0 ? 0 : result.nodes - 1);
  if (!options.of.empty()) {
    PLEXUS_TRY(MeasureSome(snapshot, rows, options, result));
    return result;
  }
  std::vector<NodeId> sources = internal::DrawNodes(view.node_count(), options);
  const bool all = sources.size() == result.nodes;
  if (all)
    std::sort(sources.begin(), sources.end());  // neighbours in id share more of their search
  const std::size_t within = internal::SourcesWithin(options.run.budget, sources.size(),
                                                     rows.forth.arc_count(), traversal::kBfsLanes);
  result.truncated = within < sources.size();
  sources.resize(within);
  std::vector<DistanceSums> sums(view.node_count());
  std::uint32_t deepest = 0;
  result.sources = Accumulate(rows, sources, options, executor, sums, deepest, result.truncated);
  result.exact = result.sources == result.nodes;

  const double n = static_cast<double>(result.nodes), others = n - 1,
               searched = static_cast<double>(result.sources);
  const double scale = result.exact || searched == 0 ? 1.0 : n / searched;
  if (rows.either && std::ranges::all_of(sums, [](const DistanceSums& s) { return s.reached > 0; }))
    result.longest = std::min(result.longest, std::uint64_t{2} * deepest);
  if (!result.exact)
    result.bound = searched == 0 || all
                       ? 1.0
                       : std::min(1.0, n / others * std::sqrt(std::log(60.0 * n) / (2 * searched)));
  const auto longest = static_cast<double>(result.longest);
  for (NodeId v = 0; v < view.node_count(); ++v) {
    const Measured m = Measure(sums[v], scale, others, options.scaled);
    const NodeId node = view.node(v);
    result.closeness[node] = m.closeness;
    result.harmonic[node] = m.harmonic;
    result.reached[node] = m.reached;
    if (!result.exact)
      result.closeness_bound = std::max(
          result.closeness_bound, ClosenessError(m, result.bound, longest, others, options.scaled));
  }
  result.closeness_bound = std::min(1.0, result.closeness_bound);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::centrality
