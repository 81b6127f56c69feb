// Scan or gather, a small best-list per block, one merge at the end.
//
// The scan measures a stretch of rows first and looks up which node a row belongs to only
// when its rank would enter the block's list: measuring is bound by memory, asking by
// latency. Blocks are cut by row, and the k best of a union are the k best of the
// parts' k best, so neither blocks nor threads show in the answer.
#include "algorithms/retrieval/nearest_neighbors.h"

#include <algorithm>
#include <string>
#include <utility>

#include "algorithms/common/internal/top_k.h"
#include "algorithms/retrieval/internal/candidate_search.h"
#include "engine/out_of_memory.h"

namespace plexus {

namespace retrieval_internal {

Result<SpaceQuery> SpaceQuery::Make(const Snapshot& snapshot, SpaceId space,
                                    std::span<const float> query, std::optional<Metric> metric,
                                    SimdLevel level) try {
  PLEXUS_ASSIGN(const VectorTable::View* view, snapshot.vectors(space));
  const VectorSpace& defined = snapshot.schema().spaces()[space];
  if (query.size() != defined.dimensions)
    return Fail(ErrorCode::kInvalidArgument,
                "the query has " + std::to_string(query.size()) + " values, space '" +
                    defined.name + "' has " + std::to_string(defined.dimensions) + " dimensions");
  for (std::size_t i = 0; i < query.size(); ++i)
    if (!std::isfinite(query[i]))
      return Fail(ErrorCode::kInvalidArgument,
                  "value " + std::to_string(i) + " of the query is not a finite number");
  return SpaceQuery(*view, query, metric.value_or(defined.metric), level);
}
PLEXUS_CATCH_NO_MEMORY

std::vector<RankedNode> SpaceQuery::RankNodes(std::span<const NodeId> nodes,
                                              Executor& executor) const {
  std::vector<RankedNode> ranked(nodes.size());
  ParallelFor(executor, nodes.size(), 512, [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t kAhead = 8, kLines = 16;
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) {
        // Of long rows the first lines are enough: the hardware goes on by itself.
        const float* next = view_->vector(nodes[i + kAhead]).data();
        for (std::size_t line = 0; line < kLines && line * 16 < view_->stride(); ++line)
          __builtin_prefetch(next + line * 16);
      }
      ranked[i].node = nodes[i];
      Rank(view_->vector(nodes[i]).data(), 1, &ranked[i].rank);
    }
  });
  return ranked;
}

namespace {

// The `top` best seen so far; its front is the worst of them.
class BestList {
 public:
  explicit BestList(std::size_t top) : top_(top) {}
  // False: certainly not among the best, whatever the node.
  bool Admits(double rank) const {
    return best_.size() < top_ || top_ == 0 || rank >= best_.front().rank;
  }
  void Add(RankedNode node) {
    if (top_ != 0 && best_.size() == top_) {
      if (!(node < best_.front())) return;
      std::pop_heap(best_.begin(), best_.end());
      best_.back() = node;
    } else {
      best_.push_back(node);
    }
    if (top_ != 0) std::push_heap(best_.begin(), best_.end());
  }
  std::vector<RankedNode> Take() { return std::move(best_); }

 private:
  std::size_t top_;
  std::vector<RankedNode> best_;
};

constexpr std::uint32_t kStretch = 256;  // rows measured before any is looked at

std::vector<RankedNode> ScanBlock(const SpaceQuery& query, const Selection& selection, NodeId skip,
                                  std::size_t top, std::uint32_t begin, std::uint32_t end) {
  const VectorTable::View& view = query.view();
  BestList best(top);
  double ranks[kStretch];
  for (std::uint32_t row = begin; row < end;) {
    const std::span<const float> rows = view.rows_from(row);
    const auto count = std::min<std::uint32_t>(
        {kStretch, end - row, static_cast<std::uint32_t>(rows.size() / view.stride())});
    query.Rank(rows.data(), count, ranks);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!best.Admits(ranks[i])) continue;
      const NodeId node = view.node_of_row(row + i);
      if (node != kNoNode && node != skip && selection.contains(node)) best.Add({ranks[i], node});
    }
    row += count;
  }
  return best.Take();
}

// Of the first `rows` rows.
NearestRanks Scan(const SpaceQuery& query, const Selection& selection, std::uint32_t rows,
                  const NearestOptions& options, Executor& executor) {
  const std::size_t grain =
      std::max<std::size_t>(4096, 16 * std::min<std::size_t>(options.top, rows));
  struct Part {
    std::vector<RankedNode> best;
    std::size_t measured = 0;
  };
  std::vector<Part> parts((rows + grain - 1) / grain);
  ParallelFor(executor, rows, grain, [&](std::size_t begin, std::size_t end) {
    parts[begin / grain] = {
        ScanBlock(query, selection, options.skip, options.top, static_cast<std::uint32_t>(begin),
                  static_cast<std::uint32_t>(end)),
        end - begin};
  });
  NearestRanks all;
  for (const Part& part : parts) {
    all.ranked.insert(all.ranked.end(), part.best.begin(), part.best.end());
    all.measured += part.measured;
  }
  return all;
}

}  // namespace

NearestRanks RankNodesWithin(const SpaceQuery& query, std::vector<NodeId> nodes,
                             const Budget& budget, StoppableExecutor& executor) {
  NearestRanks found;
  if (nodes.size() > budget.nodes) {
    nodes.resize(budget.nodes);
    found.truncated = true;
  }
  if (!executor.stopped()) found.ranked = query.RankNodes(nodes, executor);
  std::erase_if(found.ranked, [](const RankedNode& r) { return r.node == kNoNode; });
  found.measured = found.ranked.size();
  found.truncated |= executor.stopped();
  return found;
}

Result<NearestRanks> RankNearest(const Snapshot& snapshot, const SpaceQuery& query,
                                 const NearestOptions& options) {
  PLEXUS_ASSIGN(const Selection selection, Select(snapshot, GraphFilter{.subset = options.subset}));
  StoppableExecutor executor(Pick(options.run.executor), options.run.budget);
  const VectorTable::View& view = query.view();
  NearestRanks found;
  if (options.subset && options.subset->count() < view.row_count() / 4) {
    std::vector<NodeId> nodes = options.subset->ToList();
    std::erase_if(nodes, [&](NodeId v) {
      return v >= snapshot.node_count() || v == options.skip || !view.has(v) ||
             !selection.contains(v);
    });
    found = RankNodesWithin(query, std::move(nodes), options.run.budget, executor);
  } else if (!executor.stopped()) {
    const auto rows = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(view.row_count(), options.run.budget.nodes));
    found = Scan(query, selection, rows, options, executor);
    found.truncated = rows < view.row_count();
  }
  found.truncated |= executor.stopped();
  SortTopK(found.ranked, options.top);
  return found;
}

}  // namespace retrieval_internal

Result<NearestResult> Nearest(const Snapshot& snapshot, SpaceId space, std::span<const float> query,
                              const NearestOptions& options) try {
  PLEXUS_ASSIGN(
      const retrieval_internal::SpaceQuery prepared,
      retrieval_internal::SpaceQuery::Make(snapshot, space, query, options.metric, options.level));
  PLEXUS_ASSIGN(const retrieval_internal::NearestRanks found,
                retrieval_internal::RankNearest(snapshot, prepared, options));
  NearestResult result;
  result.measured = found.measured;
  result.truncated = found.truncated;
  result.nodes.reserve(found.ranked.size());
  for (const retrieval_internal::RankedNode& r : found.ranked)
    result.nodes.push_back(prepared.ToSimilar(r));
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
