// Breadth-first search on a Snapshot: level by level, in the space it touches.
//
// A level is pushed from its nodes in id order. When it holds more than one node
// in 16 it is pulled instead: unvisited nodes look back for a member of it, in
// parallel, and stop at the first. The choice depends on counts alone.
#include "algorithms/bfs.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "algorithms/internal/node_map.h"
#include "algorithms/internal/row_prefetch.h"
#include "algorithms/internal/selection.h"

namespace plexus {

namespace {

using internal::NodeMap;

constexpr std::size_t kPullGrain = 2048;
constexpr NodeId kPullLeastNodes = 2048;
constexpr std::uint64_t kPullShare = 16;
constexpr std::uint32_t kExcluded = kUnreached - 1;  // looked at, not selected

class Search {
 public:
  Search(const internal::Selection& selection, const BfsOptions& options, Executor& executor)
      : selection_(selection),
        options_(options),
        executor_(executor),
        depths_(selection.snapshot->node_count()) {}

  void Run(std::span<const NodeId> sources) {
    for (NodeId v : sources) {
      if (depths_.get(v) == 0) continue;
      if (!Add({v, 0, kNoNode})) return;
    }
    SortFrom(0);
    std::size_t begin = 0;
    for (std::uint32_t depth = 0; depth < options_.max_depth; ++depth) {
      const std::size_t end = result_.nodes.size();
      if (begin == end) return;
      const bool pull = PullFits(end - begin);
      const bool go_on = pull ? Pull(begin, end, depth + 1) : Push(begin, end, depth + 1);
      if (!pull) SortFrom(end);
      if (!go_on) {
        result_.truncated = true;
        return;
      }
      begin = end;
    }
  }

  BfsResult Take() { return std::move(result_); }

 private:
  // False when the budget holds no more nodes.
  bool Add(BfsNode node) {
    if (result_.nodes.size() >= options_.budget.nodes) {
      result_.truncated = true;
      return false;
    }
    depths_.at(node.node) = node.depth;
    result_.nodes.push_back(node);
    return true;
  }

  void SortFrom(std::size_t begin) {
    std::sort(result_.nodes.begin() + static_cast<std::ptrdiff_t>(begin), result_.nodes.end(),
              [](const BfsNode& a, const BfsNode& b) { return a.node < b.node; });
  }

  bool Push(std::size_t begin, std::size_t end, std::uint32_t depth) {
    if (options_.budget.Interrupted()) return false;
    const internal::RowPrefetch prefetch(*selection_.snapshot, options_.direction);
    auto node_at = [&](std::size_t j) { return result_.nodes[j].node; };
    prefetch.Start(begin, end, node_at);
    bool go_on = true;
    for (std::size_t i = begin; i < end && go_on; ++i) {
      prefetch.Ahead(i, end, node_at);
      const NodeId from = result_.nodes[i].node;
      selection_.snapshot->ForEachArc(
          options_.direction, from, selection_.filter, [&](const Arc& arc) {
            if (result_.edges >= options_.budget.edges ||
                ((result_.edges & 4095) == 4095 && options_.budget.Interrupted()))
              return go_on = false;
            ++result_.edges;
            std::uint32_t& at = depths_.at(arc.neighbor);
            if (at != kUnreached) return true;
            if (selection_.contains(arc.neighbor)) return go_on = Add({arc.neighbor, depth, from});
            at = kExcluded;
            return true;
          });
    }
    return go_on;
  }

  // Pulling cannot stop half way through a level, so it needs an open budget.
  bool PullFits(std::size_t level) const {
    const NodeId n = selection_.snapshot->node_count();
    return n >= kPullLeastNodes && level * kPullShare > n &&
           options_.budget.edges == Budget::kUnlimited && options_.budget.nodes >= n;
  }

  bool Pull(std::size_t begin, std::size_t end, std::uint32_t depth) {
    const Snapshot& snapshot = *selection_.snapshot;
    const NodeId n = snapshot.node_count();
    std::vector<std::uint64_t> level((std::size_t{n} + 63) / 64);
    for (std::size_t i = begin; i < end; ++i)
      level[result_.nodes[i].node / 64] |= std::uint64_t{1} << (result_.nodes[i].node % 64);
    depths_.MakeDense();

    struct Found {
      std::vector<BfsNode> nodes;
      std::uint64_t edges = 0;
    };
    std::vector<Found> found((n + kPullGrain - 1) / kPullGrain);
    std::atomic<bool> stop = false;
    const Direction back = options_.direction == Direction::kOut  ? Direction::kIn
                           : options_.direction == Direction::kIn ? Direction::kOut
                                                                  : Direction::kBoth;
    ParallelFor(executor_, n, kPullGrain, [&](std::size_t first, std::size_t past) {
      if (stop.load(std::memory_order_relaxed) || options_.budget.Interrupted()) {
        stop = true;
        return;
      }
      Found& mine = found[first / kPullGrain];
      for (auto v = static_cast<NodeId>(first); v < past; ++v) {
        if (depths_.get(v) != kUnreached || !selection_.contains(v)) continue;
        snapshot.ForEachArc(back, v, selection_.filter, [&](const Arc& arc) {
          ++mine.edges;
          if (!((level[arc.neighbor / 64] >> (arc.neighbor % 64)) & 1)) return true;
          mine.nodes.push_back({v, depth, arc.neighbor});
          return false;
        });
      }
    });
    for (const Found& block : found) {
      result_.edges += block.edges;
      for (const BfsNode& node : block.nodes) Add(node);
    }
    return !stop;
  }

  const internal::Selection& selection_;
  const BfsOptions& options_;
  Executor& executor_;
  NodeMap depths_;  // depth of a reached node, kExcluded, or absent
  BfsResult result_;
};

static_assert(kUnreached == NodeMap::kAbsent);

}  // namespace

Result<BfsResult> Bfs(const Snapshot& snapshot, std::span<const NodeId> sources,
                      const BfsOptions& options) {
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  for (NodeId v : sources) {
    if (v >= snapshot.node_count())
      return Fail(ErrorCode::kInvalidArgument,
                  "source node id " + std::to_string(v) + " is not below the graph's " +
                      std::to_string(snapshot.node_count()) + " nodes");
    if (!snapshot.alive(v))
      return Fail(ErrorCode::kNotFound,
                  "source node '" + std::string(snapshot.key(v)) + "' was removed");
  }
  Search search(selection, options, internal::Pick(options.executor));
  search.Run(sources);
  return search.Take();
}

}  // namespace plexus
