// PageRank of a Snapshot: check the options, view the selection as dense arrays,
// prepare what does not depend on the seeds (or find it prepared), run the kernel,
// spread the scores back over the node ids.
#include "algorithms/pagerank.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "algorithms/dense_view.h"
#include "algorithms/internal/pagerank_tiles.h"
#include "algorithms/internal/selection.h"
#include "algorithms/internal/snapshot_cache.h"
#include "algorithms/pagerank_csr.h"

namespace plexus {

namespace {

constexpr std::size_t kGrain = 4096;

Status CheckOptions(const PageRankOptions& o) {
  auto bad = [](const std::string& what) { return Fail(ErrorCode::kInvalidArgument, what); };
  if (!(o.damping >= 0 && o.damping < 1))
    return bad("damping " + std::to_string(o.damping) + " is not in [0, 1)");
  if (o.iterations < 0) return bad("iterations " + std::to_string(o.iterations) + " is below 0");
  if (o.iterations > 0) return {};
  if (o.max_iterations < 1)
    return bad("max_iterations " + std::to_string(o.max_iterations) + " is below 1");
  const bool f32 = o.precision == Precision::kF32;
  const double floor = std::ldexp(1.0, f32 ? -22 : -50) / (1.0 - o.damping);
  if (!(o.tolerance >= floor)) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "tolerance %g cannot be reached in %s; at damping %g it must be at least %.3g",
                  o.tolerance, f32 ? "f32" : "f64", o.damping, floor);
    return bad(text);
  }
  return {};
}

// Teleport distribution over dense ids; empty = uniform.
Result<std::vector<double>> Teleport(const Snapshot& snapshot, const DenseView& view,
                                     const std::vector<PageRankSeed>& seeds) {
  std::vector<double> teleport;
  if (seeds.empty()) return teleport;
  teleport.assign(view.node_count(), 0.0);
  double total = 0;
  for (const PageRankSeed& seed : seeds) {
    const NodeId dense = seed.node < snapshot.node_count() ? view.dense(seed.node) : kNoNode;
    if (dense == kNoNode)
      return Fail(ErrorCode::kInvalidArgument,
                  "seed node " + std::to_string(seed.node) + " is not among the selected nodes");
    if (!(seed.weight >= 0) || !std::isfinite(seed.weight))
      return Fail(ErrorCode::kInvalidArgument, "weight " + std::to_string(seed.weight) +
                                                   " of seed node " + std::to_string(seed.node) +
                                                   " is not a finite number >= 0");
    teleport[dense] += seed.weight;
    total += seed.weight;
  }
  if (!(total > 0) || !std::isfinite(total))
    return Fail(ErrorCode::kInvalidArgument, "the seeds' weights do not have a finite sum above 0");
  for (double& t : teleport) t /= total;
  return teleport;
}

// Multiplying by 1 changes no bit, so a graph whose weights are all 1 takes the
// unweighted kernel, which reads half as many bytes.
bool AllOnes(std::span<const float> weights, Executor& executor) {
  return ParallelReduce(
             executor, weights.size(), std::size_t{1} << 16, 1,
             [&](std::size_t begin, std::size_t end) -> int {
               return std::all_of(weights.begin() + static_cast<std::ptrdiff_t>(begin),
                                  weights.begin() + static_cast<std::ptrdiff_t>(end),
                                  [](float w) { return w == 1.0f; });
             },
             [](int a, int b) { return a & b; }) != 0;
}

// f32 has 8 exponent bits: out-strengths far from 1 would flush scores to zero.
template <class Real>
Status CheckRange(const std::vector<Real>& reciprocals) {
  if constexpr (sizeof(Real) == sizeof(double)) return {};
  for (std::size_t i = 0; i < reciprocals.size(); ++i)
    if (reciprocals[i] != 0 && !(reciprocals[i] > 1e-25f && reciprocals[i] < 1e25f))
      return Fail(ErrorCode::kInvalidArgument,
                  "edge weights sum up to less than 1e-25 or more than 1e25 at a node, which "
                  "f32 cannot divide by; use f64");
  return {};
}

// Sum of weights (or number) of the selected out arcs, by dense id.
std::vector<double> Strengths(const DenseView& view, bool weighted, Executor& executor) {
  CsrView out = view.out();
  if (!weighted) out.weights = {};
  return OutStrengths(out, executor);
}

// What a run needs besides its seeds. Holds no snapshot.
struct Prepared {
  // What it was prepared for.
  std::vector<KindId> kinds;
  std::int64_t valid_at = kNoTime;
  bool asked_weighted = true, asked_tiles = false;
  // What was prepared.
  std::optional<DenseView> packed;  // the rows, when they are not the base's own
  bool weighted = true;             // some weight is not 1
  std::vector<double> strengths;
  std::shared_ptr<const internal::PageRankTiles> tiles;
};
using PreparedPtr = std::shared_ptr<const Prepared>;

internal::SnapshotCache<PreparedPtr, 4>& SharedCache() {
  static internal::SnapshotCache<PreparedPtr, 4> cache;
  return cache;
}

// Below so many iterations making a layout costs more than it saves.
constexpr int kIterationsForTiles = 5;

// The dense view, and what belongs to it.
struct Ready {
  DenseView view;
  PreparedPtr prepared;
};

Result<Ready> Prepare(const Snapshot& snapshot, const PageRankOptions& options, Executor& executor) {
  const DenseViewOptions wanted{.out = true,
                                .in = true,
                                .weights = options.weighted,
                                .kinds = options.kinds,
                                .valid_at = options.valid_at,
                                .subset = options.subset,
                                .executor = &executor};
  const bool tiles = options.iterations == 0 || options.iterations >= kIterationsForTiles;
  const bool cached = options.use_cache && !options.subset;
  if (cached)
    if (auto found = SharedCache().Find(snapshot, [&](const PreparedPtr& p) {
          return p->kinds == options.kinds && p->valid_at == options.valid_at &&
                 p->asked_weighted == options.weighted && p->asked_tiles == tiles;
        })) {
      if ((*found)->packed) return Ready{*(*found)->packed, *found};
      PLEXUS_ASSIGN(DenseView view, DenseView::Make(snapshot, wanted));  // O(kinds)
      return Ready{std::move(view), *found};
    }
  PLEXUS_ASSIGN(DenseView view, DenseView::Make(snapshot, wanted));
  auto made = std::make_shared<Prepared>();
  made->kinds = options.kinds;
  made->valid_at = options.valid_at;
  made->asked_weighted = options.weighted;
  made->asked_tiles = tiles;
  CsrView in = view.in();
  made->weighted = options.weighted && !AllOnes(in.weights, executor);
  if (!made->weighted) in.weights = {};
  made->strengths = Strengths(view, made->weighted, executor);
  if (tiles) made->tiles = MakePageRankTiles(in, view.out(), executor);
  if (view.packed()) made->packed = view;
  if (cached) SharedCache().Keep(snapshot, made);
  return Ready{std::move(view), std::move(made)};
}

template <class Real>
Status RankDense(const Ready& ready, const std::vector<double>& teleport,
                 const PageRankOptions& options, Executor& executor, PageRankResult& result) {
  CsrView in = ready.view.in();
  if (!ready.prepared->weighted) in.weights = {};
  const std::vector<Real> reciprocals = StrengthReciprocals<Real>(ready.prepared->strengths, executor);
  PLEXUS_TRY(CheckRange(reciprocals));
  const std::vector<Real> home(teleport.begin(), teleport.end());
  PageRankCsrOptions kernel;
  kernel.damping = options.damping;
  kernel.iterations = options.iterations > 0 ? options.iterations : options.max_iterations;
  kernel.tolerance = options.iterations > 0 ? 0 : options.tolerance;
  kernel.budget = options.budget;
  kernel.executor = &executor;
  const auto ranked =
      PageRankCsr<Real>({in, reciprocals, home, ready.prepared->tiles.get()}, kernel);

  ParallelFor(executor, ready.view.node_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      result.scores[ready.view.node(static_cast<NodeId>(i))] = static_cast<double>(ranked.scores[i]);
  });
  result.iterations = ranked.iterations;
  result.truncated = ranked.truncated;
  result.bytes_per_iteration = ranked.bytes_per_iteration;
  // Before the first step nothing is known but that both vectors sum to 1.
  result.error =
      ranked.iterations == 0 ? 2.0 : options.damping / (1.0 - options.damping) * ranked.step;
  return {};
}

}  // namespace

Result<PageRankResult> PageRank(const Snapshot& snapshot, const PageRankOptions& options) {
  PLEXUS_TRY(CheckOptions(options));
  Executor& executor = internal::Pick(options.executor);
  const auto start = std::chrono::steady_clock::now();
  PLEXUS_ASSIGN(const Ready ready, Prepare(snapshot, options, executor));
  const DenseView& view = ready.view;
  PLEXUS_ASSIGN(const std::vector<double> teleport, Teleport(snapshot, view, options.seeds));
  PageRankResult result;
  result.scores.assign(snapshot.node_count(), 0.0);
  result.nodes = view.nodes();
  result.edges = view.in().arc_count();
  result.preparation_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  result.tiled = ready.prepared->tiles != nullptr;
  result.layout_bytes = result.tiled ? ready.prepared->tiles->size_bytes() : 0;
  if (view.node_count() == 0) {
    result.converged = true;
    return result;
  }
  if (options.precision == Precision::kF32)
    PLEXUS_TRY(RankDense<float>(ready, teleport, options, executor, result));
  else
    PLEXUS_TRY(RankDense<double>(ready, teleport, options, executor, result));
  result.converged = result.error <= options.tolerance;
  if (options.iterations == 0 && !result.converged) result.truncated = true;
  return result;
}

}  // namespace plexus
