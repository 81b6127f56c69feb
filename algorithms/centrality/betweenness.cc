// Passes of 16 sources in lanes where that is faster, else of 8, each searched by one thread
// and then added node by node in the order of the sources.
#include "algorithms/centrality/centrality.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "algorithms/centrality/internal/betweenness_csr.h"
#include "algorithms/centrality/internal/brandes.h"
#include "algorithms/centrality/internal/brandes_batch.h"
#include "algorithms/centrality/internal/node_sample.h"
#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/simple_graph.h"
#include "algorithms/common/internal/stop_flag.h"
#include "engine/arrays/aligned_array.h"
#include "engine/bulk/topology.h"
#include "engine/out_of_memory.h"

namespace plexus::centrality {

namespace {

using internal::Brandes;
using internal::BrandesBatch;

constexpr std::size_t kPass = 8;
constexpr std::size_t kGrain = 4096;

// Lanes share what they fetch where searches visit the same nodes at few depths, and their
// numbers leave the cache where one search's would not have: large graphs with many arcs.
constexpr NodeId kLaneNodes = 1 << 15;
constexpr std::uint64_t kLaneDegree = 8;
constexpr std::size_t kMinLanes = 4;

class Accumulator {
 public:
  // An empty `in` is no transpose: then without lanes.
  Accumulator(const CsrView& out, const CsrView& in, std::uint32_t max_hops, Executor& executor)
      : out_(out), in_(in), max_hops_(max_hops), executor_(executor) {
    lanes_pay_ = !in.offsets.empty() && out.node_count() >= kLaneNodes &&
                 out.arc_count() >= kLaneDegree * out.node_count();
  }

  // Adds what `sources` contribute; returns how many were searched before the budget ran out.
  std::size_t Add(std::span<const NodeId> sources, const Budget& budget,
                  std::vector<double>& scores) {
    std::size_t done = 0;
    while (done < sources.size() && !budget.Interrupted()) {
      const std::size_t left = sources.size() - done;
      if (lanes_pay_ && left >= kMinLanes) {
        const std::size_t count = std::min(BrandesBatch::kLanes, left);
        if (!lanes_) lanes_.emplace(out_, in_, executor_);
        if (lanes_->Add(sources.subspan(done, count), max_hops_, budget, scores)) {
          done += count;
          continue;
        }
        lanes_pay_ = false;  // deep: so are the others; or the budget ran out
        lanes_.reset();
      }
      const std::size_t count = std::min(kPass, left);
      const std::size_t added = AddOneByOne(sources.subspan(done, count), budget, scores);
      done += added;
      if (added < count) break;
    }
    return done;
  }

 private:
  // How many of them, the first ones, were added before the budget ran out.
  std::size_t AddOneByOne(std::span<const NodeId> sources, const Budget& budget,
                          std::vector<double>& scores) {
    common_internal::StopFlag stop(&budget);
    std::vector<std::uint8_t> left_out(sources.size());
    searches_.Reserve(executor_, kPass, [&] { return std::make_unique<Brandes>(out_); });
    while (found_.size() < sources.size()) found_.emplace_back(out_.node_count(), 0.0);
    std::vector<std::size_t> rest(sources.size());
    std::iota(rest.begin(), rest.end(), std::size_t{0});
    for (Brandes::Width width = least_;; width = Brandes::Width::kWide) {
      for (const auto& search : searches_.idle()) search->Prepare(width);
      std::vector<std::uint8_t> whole(rest.size());
      ParallelFor(executor_, rest.size(), 1, [&](std::size_t i, std::size_t) {
        if (stop.Poll()) {
          whole[i] = left_out[rest[i]] = 1;
          return;
        }
        const auto search = searches_.Acquire([&] {
          auto made = std::make_unique<Brandes>(out_);
          made->Prepare(width);
          return made;
        });
        whole[i] = search->Search(sources[rest[i]], max_hops_, width, found_[rest[i]].data());
      });
      std::size_t kept = 0;
      for (std::size_t i = 0; i < rest.size(); ++i)
        if (!whole[i]) rest[kept++] = rest[i];
      rest.resize(kept);
      if (rest.empty()) break;
      least_ = Brandes::Width::kWide;  // from now on
    }
    const auto added = static_cast<std::size_t>(std::ranges::find(left_out, 1) - left_out.begin());
    ParallelFor(executor_, out_.node_count(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = 0; i < sources.size(); ++i)
        for (std::size_t v = begin; v < end; ++v) {
          if (i < added) scores[v] += found_[i][v];
          found_[i][v] = 0;
        }
    });
    return added;
  }

  const CsrView out_, in_;
  const std::uint32_t max_hops_;
  Executor& executor_;
  bool lanes_pay_ = false;
  std::optional<BrandesBatch> lanes_;
  common_internal::ObjectPool<Brandes> searches_;
  Brandes::Width least_ = Brandes::Width::kNarrow;
  std::vector<AlignedArray<double>> found_;
};

}  // namespace

Result<std::vector<double>> BetweennessCsr(const CsrView& out, const CsrView& in,
                                           std::span<const NodeId> sources,
                                           Executor* executor) try {
  std::vector<double> scores(out.node_count(), 0);
  Accumulator(out, in, 0xFFFFFFFFu, common_internal::Pick(executor)).Add(sources, {}, scores);
  return scores;
}
PLEXUS_CATCH_NO_MEMORY

Result<BetweennessResult> Betweenness(const Snapshot& snapshot,
                                      const BetweennessOptions& options) try {
  Executor& executor = common_internal::Pick(options.run.executor);
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  PLEXUS_ASSIGN(const auto made, common_internal::InTime(options.run, [&](Executor& stopping) {
                  wanted.executor = &stopping;
                  return common_internal::MakeSimpleGraph(
                      snapshot, wanted, options.undirected ? Direction::kBoth : Direction::kOut);
                }));
  BetweennessResult result;
  if (!made) {
    result.scores.assign(snapshot.node_count(), 0);
    result.shares.assign(snapshot.node_count(), 0);
    result.bound = 1;
    result.truncated = true;
    return result;
  }
  const DenseView& view = made->view;
  const Topology& graph = made->edges;
  result.nodes = view.node_count();
  const std::vector<NodeId> sources = internal::DrawNodes(view.node_count(), options);
  const std::size_t within =
      internal::SourcesWithin(options.run.budget, sources.size(), graph.out().arc_count(), 1);
  std::vector<double> sums(view.node_count(), 0);
  result.sources = Accumulator(graph.out(), graph.in(), options.max_hops, executor)
                       .Add(std::span(sources).first(within), options.run.budget, sums);
  result.truncated = result.sources < sources.size();
  result.exact = result.sources == result.nodes;

  const double n = static_cast<double>(result.nodes),
               searched = static_cast<double>(result.sources);
  const double scale =
      (options.undirected ? 0.5 : 1.0) * (result.exact || searched == 0 ? 1.0 : n / searched);
  const double pairs_of_others = (n - 1) * (n - 2) * (options.undirected ? 0.5 : 1.0);
  result.scores.assign(snapshot.node_count(), 0);
  result.shares.assign(snapshot.node_count(), 0);
  for (NodeId v = 0; v < view.node_count(); ++v) {
    const NodeId node = view.node(v);
    // A sample may exceed all pairs; no share is above 1.
    result.scores[node] =
        result.exact ? sums[v] * scale : std::min(sums[v] * scale, std::max(0.0, pairs_of_others));
    if (pairs_of_others > 0) result.shares[node] = result.scores[node] / pairs_of_others;
  }
  // A source's dependency on v over n - 2 targets is in [0, 1]; n / (n - 1) of their mean.
  if (!result.exact)
    result.bound = searched == 0
                       ? 1.0
                       : std::min(1.0, n / std::max(1.0, n - 1) *
                                           std::sqrt(std::log(20.0 * n) / (2 * searched)));
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::centrality
