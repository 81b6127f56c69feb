// Passes of up to 8 sources, each searched by one thread; their dependencies are then
// added node by node in the order of the sources.
#include "algorithms/betweenness.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "algorithms/dense_view.h"
#include "algorithms/internal/brandes.h"
#include "algorithms/internal/draw_nodes.h"
#include "algorithms/internal/pool.h"
#include "algorithms/internal/selection.h"
#include "engine/aligned_array.h"
#include "engine/topology.h"

namespace plexus {

namespace {

constexpr std::size_t kPass = 8;
constexpr std::size_t kGrain = 4096;

// Adds what `sources` contribute; returns how many were searched before the budget ran out.
std::size_t Accumulate(const CsrView& out, std::span<const NodeId> sources, const Budget& budget,
                       Executor& executor, std::vector<double>& scores) {
  internal::Pool<internal::Brandes> searches;
  std::vector<AlignedArray<double>> found(std::min(kPass, sources.size()));
  std::size_t done = 0;
  while (done < sources.size()) {
    if (budget.Interrupted()) break;
    const std::size_t count = std::min(kPass, sources.size() - done);
    ParallelFor(executor, count, 1, [&](std::size_t i, std::size_t) {
      if (found[i].empty()) found[i] = AlignedArray<double>(out.node_count(), 0.0);
      auto search = searches.Take([&] { return std::make_unique<internal::Brandes>(out); });
      search->Search(sources[done + i]);
      for (NodeId v : search->reached()) found[i][v] = search->dependency(v);
      found[i][sources[done + i]] = 0;
      searches.Give(std::move(search));
    });
    ParallelFor(executor, out.node_count(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t v = begin; v < end; ++v) {
          scores[v] += found[i][v];
          found[i][v] = 0;
        }
    });
    done += count;
  }
  return done;
}

}  // namespace

std::vector<double> BetweennessCsr(const CsrView& out, std::span<const NodeId> sources, Executor* executor) {
  std::vector<double> scores(out.node_count(), 0);
  Accumulate(out, sources, {}, internal::Pick(executor), scores);
  return scores;
}

Result<BetweennessResult> Betweenness(const Snapshot& snapshot, const BetweennessOptions& options) {
  Executor& executor = internal::Pick(options.executor);
  DenseViewOptions wanted;
  wanted.in = false;
  wanted.weights = false;
  wanted.kinds = options.kinds;
  wanted.valid_at = options.valid_at;
  wanted.subset = options.subset;
  wanted.executor = options.executor;
  PLEXUS_ASSIGN(const DenseView view, DenseView::Make(snapshot, wanted));
  const CsrView rows = view.out();
  AlignedArray<NodePair> pairs(rows.arc_count());
  for (NodeId v = 0; v < rows.node_count(); ++v)
    for (std::uint32_t a = rows.offsets[v]; a < rows.offsets[v + 1]; ++a) pairs[a] = {v, rows.neighbors[a]};
  TopologyOptions simple;
  simple.symmetrize = options.undirected;
  simple.inverse = false;
  simple.executor = &executor;
  PLEXUS_ASSIGN(const Topology graph, BuildTopology(view.node_count(), pairs.span(), simple));
  pairs = AlignedArray<NodePair>();  // 8 bytes an arc, not wanted while it searches

  BetweennessResult result;
  result.nodes = view.node_count();
  std::uint64_t samples = options.samples;
  if (samples == 0) samples = result.nodes <= BetweennessOptions::kAllUpTo ? result.nodes : BetweennessOptions::kSampled;
  const std::vector<NodeId> sources = internal::DrawNodes(view.node_count(), samples, options.seed);
  std::vector<double> sums(view.node_count(), 0);
  result.sources = Accumulate(graph.out(), sources, options.budget, executor, sums);
  result.truncated = result.sources < sources.size();
  result.exact = result.sources == result.nodes;

  const double n = static_cast<double>(result.nodes), searched = static_cast<double>(result.sources);
  const double scale = (options.undirected ? 0.5 : 1.0) * (result.exact || searched == 0 ? 1.0 : n / searched);
  const double pairs_of_others = (n - 1) * (n - 2) * (options.undirected ? 0.5 : 1.0);
  result.scores.assign(snapshot.node_count(), 0);
  result.shares.assign(snapshot.node_count(), 0);
  for (NodeId v = 0; v < view.node_count(); ++v) {
    const NodeId node = view.node(v);
    // A sample may say more than all pairs; no share is above 1.
    result.scores[node] = result.exact ? sums[v] * scale : std::min(sums[v] * scale, std::max(0.0, pairs_of_others));
    if (pairs_of_others > 0) result.shares[node] = result.scores[node] / pairs_of_others;
  }
  // A source's dependency on v over n - 2 targets is in [0, 1]; n / (n - 1) of their mean.
  if (!result.exact)
    result.bound = searched == 0 ? 1.0 : std::min(1.0, n / std::max(1.0, n - 1) * std::sqrt(std::log(20.0 * n) / (2 * searched)));
  return result;
}

}  // namespace plexus
