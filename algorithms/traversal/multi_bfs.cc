// Lanes: seen, now and next, one word a node each. Or-ing does not care for order, so
// neither threads nor the direction of a step can change a bit.
#include "algorithms/traversal/traversal.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "engine/arrays/aligned_array.h"
#include "engine/out_of_memory.h"

namespace plexus::traversal {

namespace {

constexpr std::size_t kGrain = 4096;
constexpr std::size_t kSettled = 1024;
constexpr std::uint64_t kPullShare = 32;  // pulled when a level has more than n / 32 nodes

using Lanes = AlignedArray<std::uint64_t>;

class LaneSearch {
 public:
  // A step goes along every view of `out`; `in` has their transposes. A source of kNoNode reaches
  // only itself.
  LaneSearch(std::span<const CsrView> out, std::span<const CsrView> in,
             std::span<const NodeId> sources, const MultiBfsOptions& options)
      : out_(out),
        in_(in),
        options_(options),
        executor_(common_internal::Pick(options.run.executor)),
        n_(out[0].node_count()),
        seen_(n_, 0),
        now_(n_, 0),
        next_(n_, 0) {
    result_.sources = static_cast<NodeId>(sources.size());
    result_.levels.resize(sources.size());
    if (options.depths) result_.depths.assign(std::size_t{n_} * sources.size(), kUnreached);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if (sources[s] == kNoNode) {  // it is not among the nodes and reaches none of them
        result_.levels[s] = {1};
        ++pairs_;
        continue;
      }
      if (next_[sources[s]] == 0) level_.push_back(sources[s]);
      next_[sources[s]] |= std::uint64_t{1} << s;
      all_ |= std::uint64_t{1} << s;
    }
    std::sort(level_.begin(), level_.end());
  }

  // Only the searches that begin at v reach it.
  void KeepToItself(NodeId v) { seen_[v] = ~next_[v]; }

  MultiBfsResult Run() {
    if (options_.run.budget.nodes == 0) {
      for (auto& sizes : result_.levels) sizes.clear();
      result_.truncated = true;
      return std::move(result_);
    }
    for (std::uint32_t depth = 0;; ++depth) {
      Settle(depth);
      if (level_.empty() || depth >= options_.max_depth) break;
      if (pairs_ >= options_.run.budget.nodes || arcs_ > options_.run.budget.edges ||
          options_.run.budget.Interrupted()) {
        result_.truncated = true;
        break;
      }
      if (level_.size() * kPullShare > n_)
        Pull();
      else
        Push();
    }
    return std::move(result_);
  }

 private:
  // What `next_` holds at the nodes of the level has been reached at this depth.
  void Settle(std::uint32_t depth) {
    const std::size_t width = result_.sources + std::size_t{1};  // nodes of each source; arcs
    const std::size_t blocks = (level_.size() + kSettled - 1) / kSettled;
    tallies_.assign(blocks * width, 0);
    ParallelFor(executor_, level_.size(), kSettled, [&](std::size_t begin, std::size_t end) {
      std::uint64_t* tally = tallies_.data() + begin / kSettled * width;
      for (std::size_t i = begin; i < end; ++i) {
        const NodeId v = level_[i];
        const std::uint64_t reached = now_[v] = next_[v];
        next_[v] = 0;
        seen_[v] |= reached;
        if (options_.run.budget.edges != Budget::kUnlimited)
          for (const CsrView& view : out_) tally[width - 1] += view.degree(v);
        std::uint32_t* depths =
            options_.depths ? result_.depths.data() + std::size_t{v} * result_.sources : nullptr;
        for (std::uint64_t lanes = reached; lanes; lanes &= lanes - 1) {
          const auto s = static_cast<std::size_t>(std::countr_zero(lanes));
          ++tally[s];
          if (depths) depths[s] = depth;
        }
      }
    });
    for (std::size_t b = 1; b < blocks; ++b)
      for (std::size_t s = 0; s < width; ++s) tallies_[s] += tallies_[b * width + s];
    if (blocks == 0) return;
    arcs_ += tallies_[width - 1];
    for (std::size_t s = 0; s + 1 < width; ++s) {
      pairs_ += tallies_[s];
      if (tallies_[s] > 0) result_.levels[s].push_back(tallies_[s]);
    }
  }

  void Push() {
    std::vector<NodeId> found;
    for (NodeId u : level_)
      for (const CsrView& view : out_)
        for (std::uint32_t a = view.offsets[u]; a < view.offsets[u + 1]; ++a) {
          const NodeId v = view.neighbors[a];
          const std::uint64_t lanes = now_[u] & ~seen_[v];
          if (lanes == 0) continue;
          if (next_[v] == 0) found.push_back(v);
          next_[v] |= lanes;
        }
    Leave();
    std::sort(found.begin(), found.end());
    level_ = std::move(found);
  }

  void Pull() {
    if (found_.empty()) {
      found_ = AlignedArray<NodeId>(n_);
      counts_.resize((n_ + kGrain - 1) / kGrain);
    }
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      NodeId& count = counts_[begin / kGrain];
      count = 0;
      for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
        const std::uint64_t wanted = all_ & ~seen_[v];
        if (wanted == 0) continue;
        std::uint64_t lanes = 0;
        for (const CsrView& view : in_)
          for (std::uint32_t a = view.offsets[v];
               a < view.offsets[v + 1] && (lanes & wanted) != wanted; ++a)
            lanes |= now_[view.neighbors[a]];
        if ((lanes & wanted) == 0) continue;
        next_[v] = lanes & wanted;
        found_[begin + count++] = v;  // a block has room for all its nodes
      }
    });
    Leave();
    level_.clear();
    for (std::size_t b = 0; b < counts_.size(); ++b) {
      const auto first = found_.begin() + b * kGrain;
      level_.insert(level_.end(), first, first + counts_[b]);
    }
  }

  void Leave() {
    for (NodeId u : level_) now_[u] = 0;
  }

  const std::span<const CsrView> out_, in_;
  const MultiBfsOptions& options_;
  Executor& executor_;
  const NodeId n_;
  Lanes seen_, now_, next_;  // next_ is zero but for the level being made
  std::uint64_t all_ = 0;
  std::vector<NodeId> level_;   // ascending
  AlignedArray<NodeId> found_;  // a pulled level, block by block
  std::vector<NodeId> counts_;
  std::vector<std::uint64_t> tallies_;  // of the blocks of a level
  std::uint64_t pairs_ = 0, arcs_ = 0;  // reached; that leave the levels so far
  MultiBfsResult result_;
};

}  // namespace

Result<MultiBfsResult> MultiBfsCsr(const CsrView& out, const CsrView& in,
                                   std::span<const NodeId> sources,
                                   const MultiBfsOptions& options) try {
  PLEXUS_CHECK(!sources.empty() && sources.size() <= kBfsLanes, "1 to 64 sources");
  return LaneSearch({&out, 1}, {&in, 1}, sources, options).Run();
}
PLEXUS_CATCH_NO_MEMORY

Result<MultiBfsResult> MultiBfs(const Snapshot& snapshot, std::span<const NodeId> sources,
                                const MultiBfsOptions& options) try {
  if (sources.empty() || sources.size() > kBfsLanes)
    return Invalid(sources.size(), " sources: 1 to ", kBfsLanes, " expected");
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.weights = false;
  PLEXUS_ASSIGN(const NodeSubset with,
                common_internal::WithSources(snapshot, options.filter.subset, sources));
  if (options.filter.subset) wanted.filter.subset = &with;
  PLEXUS_ASSIGN(const auto made, common_internal::ViewInTime(snapshot, wanted, options.run));
  if (!made) {
    MultiBfsResult nothing;
    nothing.sources = static_cast<NodeId>(sources.size());
    nothing.levels.assign(sources.size(), {1});
    if (options.depths)
      nothing.depths.assign(std::size_t{snapshot.node_count()} * sources.size(), kUnreached);
    for (std::size_t s = 0; options.depths && s < sources.size(); ++s)
      nothing.depths[std::size_t{sources[s]} * sources.size() + s] = 0;
    nothing.truncated = true;
    return nothing;
  }
  const DenseView& view = *made;
  std::vector<NodeId> places;
  for (NodeId source : sources) places.push_back(view.dense(source));
  const CsrView out = view.out(), in = view.in();
  const CsrView forth[] = {out, in}, back[] = {in, out};
  const std::size_t both = options.direction == Direction::kBoth ? 2 : 1;
  const bool turned = options.direction == Direction::kIn;
  const std::span<const CsrView> steps((turned ? back : forth), both);
  const std::span<const CsrView> returns((turned ? forth : back), both);
  LaneSearch search(steps, returns, places, options);
  for (std::size_t s = 0; s < sources.size(); ++s)
    if (places[s] != kNoNode && options.filter.subset &&
        !options.filter.subset->contains(sources[s]))
      search.KeepToItself(places[s]);
  MultiBfsResult result = search.Run();
  if (!view.packed() || !options.depths) return result;
  std::vector<std::uint32_t> depths(std::size_t{snapshot.node_count()} * sources.size(),
                                    kUnreached);
  for (NodeId v = 0; v < view.node_count(); ++v)
    std::copy_n(result.depths.begin() + static_cast<std::ptrdiff_t>(v * sources.size()),
                sources.size(),
                depths.begin() + static_cast<std::ptrdiff_t>(view.node(v) * sources.size()));
  for (std::size_t s = 0; s < sources.size(); ++s)
    if (!result.levels[s].empty())
      depths[std::size_t{sources[s]} * sources.size() + s] = 0;  // also of one without a place
  result.depths = std::move(depths);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::traversal
