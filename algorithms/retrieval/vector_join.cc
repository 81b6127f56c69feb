// Blocks of queries against tiles of rows. A tile is gathered once a block, so rows may lie
// anywhere, and a block's queries meet it while it is in the cache.
#include "algorithms/retrieval/vectors.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stop_flag.h"
#include "algorithms/retrieval/internal/best_list.h"
#include "algorithms/retrieval/internal/vectors/candidate_search.h"
#include "algorithms/retrieval/internal/vectors/row_reader.h"
#include "engine/arrays/aligned_array.h"
#include "engine/out_of_memory.h"

namespace plexus::retrieval {

namespace {

using namespace internal;

constexpr std::size_t kQueries = 64, kTile = 128;

class Join {
 public:
  Join(const VectorView& view, std::vector<NodeId> nodes, const VectorJoinOptions& options)
      : view_(view), nodes_(std::move(nodes)), options_(options) {}

  std::size_t blocks() const { return (nodes_.size() + kQueries - 1) / kQueries; }

  // The pairs of a block of nodes.
  std::vector<VectorJoinPair> Block(std::size_t block) const {
    const std::size_t begin = block * kQueries, end = std::min(begin + kQueries, nodes_.size());
    RowReader reader(view_, options_.level);
    const std::size_t stride = view_.stride();
    std::vector<VectorQuery> queries;
    queries.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      queries.emplace_back(std::span(reader.Vector(nodes_[i]), view_.dimensions()), stride,
                           Metric::kCosine, options_.level);
    std::vector<BestList<RankedNode>> found(end - begin, BestList<RankedNode>(options_.top));
    AlignedArray<float> tile(kTile * stride);
    std::vector<double> cosines(kTile);
    // Of all pairs above a threshold each is found once, with the smaller id as a.
    for (std::size_t at = options_.top == 0 ? begin : 0; at < nodes_.size(); at += kTile) {
      const std::size_t count = std::min(kTile, nodes_.size() - at);
      for (std::size_t r = 0; r < count; ++r)
        std::copy_n(reader.Vector(nodes_[at + r]), stride, tile.data() + r * stride);
      for (std::size_t q = 0; q < queries.size(); ++q) {
        queries[q].Measure({tile.data(), stride, count}, cosines.data());
        for (std::size_t r = 0; r < count; ++r) {
          const NodeId node = nodes_[begin + q], other = nodes_[at + r];
          if (cosines[r] > options_.above && (options_.top == 0 ? other > node : other != node))
            found[q].Add({cosines[r], other});
        }
      }
    }
    std::vector<VectorJoinPair> pairs;
    for (std::size_t q = 0; q < found.size(); ++q) {
      std::vector<RankedNode> best = found[q].Take();
      if (options_.top != 0) std::ranges::sort(best, std::less<>());
      for (const RankedNode& other : best)
        pairs.push_back({nodes_[begin + q], other.node, other.rank});
    }
    return pairs;
  }

 private:
  const VectorView& view_;
  const std::vector<NodeId> nodes_;
  const VectorJoinOptions& options_;
};

}  // namespace

Result<VectorJoinResult> JoinVectors(const Snapshot& snapshot, SpaceId space,
                                     const VectorJoinOptions& options,
                                     const TakeVectorPairs& take) try {
  if (!std::isfinite(options.above)) return Invalid("the threshold is not a finite number");
  PLEXUS_ASSIGN(const VectorView* view, snapshot.vectors(space));
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, GraphFilter{.subset = options.subset}));
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < snapshot.node_count(); ++node)
    if (view->has(node) && selection.contains(node)) nodes.push_back(node);
  VectorJoinResult report{.measured = nodes.size()};
  const Join join(*view, std::move(nodes), options);
  Executor& executor = options.run.executor ? *options.run.executor : DefaultExecutor();
  constexpr std::size_t kWave = 8;  // blocks whose pairs are held
  common_internal::StopFlag stop(&options.run.budget);
  for (std::size_t at = 0; at < join.blocks(); at += kWave) {
    std::vector<std::vector<VectorJoinPair>> wave(std::min(kWave, join.blocks() - at));
    RunBlocks(executor, wave.size(), [&](std::size_t b) {
      if (!stop.Poll()) wave[b] = join.Block(at + b);
    });
    report.truncated = stop.stopped();
    if (report.truncated) break;
    for (const auto& pairs : wave) {
      PLEXUS_ASSIGN(const bool more, take(pairs));
      report.truncated |= !more;
    }
    if (report.truncated) break;
  }
  return report;
}
PLEXUS_CATCH_NO_MEMORY

void Cosines(std::span<const float> query, std::span<const std::span<const float>> rows,
             std::span<double> out, SimdLevel level) {
  PLEXUS_CHECK(rows.size() == out.size(), "a place for each cosine");
  const VectorQuery made(query, query.size(), Metric::kCosine, level);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PLEXUS_CHECK(rows[i].size() == query.size(), "vectors of one length");
    made.Measure({rows[i].data(), query.size(), 1}, &out[i]);
  }
}

}  // namespace plexus::retrieval
