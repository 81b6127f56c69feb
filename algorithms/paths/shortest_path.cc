// Shortest paths: checks, the first path from both ends, the next ones as they are wanted.
//
// From both ends: by hops whole levels are grown, the smaller one first; the first level that
// reaches the other side is exact. By cost it is Dijkstra with labels (cost, hops) in lexicographic
// order, which also makes edges of cost 0 harmless; it stops when the two smallest open labels
// together cannot beat the best meeting.
#include "algorithms/paths/paths.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stored_edges.h"
#include "algorithms/paths/internal/k_shortest_paths.h"
#include "algorithms/paths/internal/path_query.h"
#include "engine/out_of_memory.h"

namespace plexus::paths {

namespace {

using internal::Length;
using internal::ReachedNodes;

constexpr int kMaxPaths = 1000;

// One cheapest path between two nodes, searched from both ends.
class PointSearch {
 public:
  explicit PointSearch(internal::PathWalk& walk) : walk_(walk) { backward_.backward = true; }

  // The path, or nothing when none exists or the budget ran out.
  Result<std::optional<FoundPath>> Run() {
    for (Side* side : {&forward_, &backward_}) {
      const NodeId start = side->backward ? walk_.to() : walk_.from();
      side->reached.Begin(walk_.snapshot().node_count(), start, {}, false);
      side->heap.Push({{}, start, 0});
    }
    if (walk_.from() == walk_.to()) best_ = Meeting{{}, 0, 0};
    if (!best_) {
      if (walk_.by_hops())
        ByHops();
      else
        PLEXUS_TRY(ByCost());
    }
    if (!best_ || walk_.truncated()) return std::nullopt;
    return Spell();
  }

 private:
  struct Side {
    ReachedNodes reached;
    internal::MinHeap<internal::OpenNode> heap;
    bool backward = false;
    std::size_t level = 0;  // by hops: the open level begins here
  };
  struct Meeting {
    Length length;
    std::uint32_t forward, backward;
  };

  // Nodes reached from both ends.
  std::size_t Held() const { return forward_.reached.size() + backward_.reached.size(); }

  // Notes that the arc's end was reached and whether the other side knows it.
  void Reached(Side& side, Side& other, std::uint32_t parent, Length length, const Arc& arc) {
    const std::uint32_t mine = side.reached.Offer(arc, parent, length);
    if (mine == ReachedNodes::kNone) return;
    if (!walk_.by_hops()) side.heap.Push({length, arc.neighbor, mine});
    const std::uint32_t met = other.reached.places.get(arc.neighbor);
    if (met == ReachedNodes::kNone) return;
    const Length whole = length + other.reached[met].length;
    if (best_ && whole >= best_->length) return;
    best_ = side.backward ? Meeting{whole, met, mine} : Meeting{whole, mine, met};
  }

  void GrowLevel(Side& side, Side& other) {
    const std::size_t begin = side.level, end = side.reached.size();
    side.level = end;
    bool go_on = true;
    for (auto i = static_cast<std::uint32_t>(begin); i < end && go_on; ++i) {
      const NodeId from = side.reached[i].node;
      const Length length = side.reached[i].length + Length{1.0, 1};
      // No meeting of this level is shorter than its first: nodes that the other side has
      // expanded have all their neighbors there, so one of them would have been a meeting before.
      go_on = walk_.ForEachArc(
          side.backward, from, [&] { return Held(); },
          [&](const Arc& arc) {
            if (side.reached.places.get(arc.neighbor) == ReachedNodes::kNone &&
                walk_.MayEnter(arc.neighbor))
              Reached(side, other, i, length, arc);
            return !best_;
          });
    }
  }

  void ByHops() {
    // A meeting in the n-th level that is grown is n edges long.
    for (std::uint32_t hops = 0; !best_ && !walk_.truncated(); ++hops) {
      if (hops == walk_.options().max_hops) break;
      const std::size_t ahead = forward_.reached.size() - forward_.level;
      const std::size_t behind = backward_.reached.size() - backward_.level;
      if (ahead == 0 || behind == 0) break;
      if (ahead <= behind)
        GrowLevel(forward_, backward_);
      else
        GrowLevel(backward_, forward_);
    }
  }

  // Settles the nearest open node of a side and looks along its row.
  Status Settle(Side& side, Side& other) {
    const internal::OpenNode open = side.heap.Pop();
    if (side.reached[open.place].settled) return {};
    side.reached[open.place].settled = true;
    return walk_.ForEachStep(
        side.backward, open.node, [&] { return Held(); },
        [&](const Arc& arc, Length step) {
          Reached(side, other, open.place, open.length + step, arc);
          return true;
        });
  }

  Status ByCost() {
    while (!walk_.truncated() && !forward_.heap.empty() && !backward_.heap.empty()) {
      const Length ahead = forward_.heap.front().length, behind = backward_.heap.front().length;
      if (best_ && ahead + behind >= best_->length) break;
      if (forward_.heap.size() <= backward_.heap.size())
        PLEXUS_TRY(Settle(forward_, backward_));
      else
        PLEXUS_TRY(Settle(backward_, forward_));
    }
    return {};
  }

  FoundPath Spell() const {
    FoundPath path;
    // Down to where the side began; the node met is only listed by one of them.
    auto spell = [&](const ReachedNodes& reached, std::uint32_t at, bool first) {
      for (; at != ReachedNodes::kNone; at = reached[at].parent) {
        if (first) path.nodes.push_back(reached[at].node);
        first = true;
        if (const std::uint32_t parent = reached[at].parent; parent != ReachedNodes::kNone)
          path.edges.push_back(
              common_internal::EdgeOf(walk_.snapshot(), reached[at].arc, reached[parent].node));
      }
    };
    spell(forward_.reached, best_->forward, true);
    std::reverse(path.nodes.begin(), path.nodes.end());
    std::reverse(path.edges.begin(), path.edges.end());
    spell(backward_.reached, best_->backward, false);
    path.cost = walk_.CostOf(path);
    return path;
  }

  internal::PathWalk& walk_;
  Side forward_, backward_;
  std::optional<Meeting> best_;
};

Status CheckEnd(const Snapshot& snapshot, NodeId node, const char* which) {
  if (node >= snapshot.node_count())
    return Invalid(which, " node id ", node, " is not below the graph's ", snapshot.node_count(),
                   " nodes");
  if (!snapshot.alive(node)) return NotFound(which, " node '", snapshot.key(node), "' was removed");
  return {};
}

Status CheckOptions(const Snapshot& snapshot, const ShortestPathOptions& options) {
  if (options.count < 1 || options.count > kMaxPaths)
    return Invalid("count ", options.count, " is not in 1..", kMaxPaths);
  if (options.max_hops != UINT32_MAX && options.cost != PathCost::kHops)
    return Invalid("max_hops is for paths by hops");
  if (options.cost != PathCost::kColumn) return {};
  const auto& columns = snapshot.schema().columns();
  if (options.column >= columns.size() || columns[options.column].name.empty() ||
      columns[options.column].type != ColumnType::kF64)
    return Invalid("column ", options.column, " is not a column of f64");
  return {};
}

}  // namespace

Result<ShortestPathResult> ShortestPath(const Snapshot& snapshot, NodeId from, NodeId to,
                                        const ShortestPathOptions& options) try {
  PLEXUS_TRY(CheckEnd(snapshot, from, "start"));
  PLEXUS_TRY(CheckEnd(snapshot, to, "end"));
  PLEXUS_TRY(CheckOptions(snapshot, options));
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  internal::PathWalk walk(selection, options, from, to);
  ShortestPathResult result;
  PLEXUS_ASSIGN(std::optional<FoundPath> first, PointSearch(walk).Run());
  if (first) {
    result.paths.push_back(*std::move(first));
    if (options.count > 1) {
      internal::KShortestPaths next(walk, result.paths);
      for (bool more = true;
           more && result.paths.size() < static_cast<std::size_t>(options.count);) {
        PLEXUS_ASSIGN(more, next.Find());
        if (!more || result.paths.back().edges.size() <= options.max_hops) continue;
        result.paths.pop_back();
        more = false;
      }
    }
  }
  result.truncated = walk.truncated();
  result.edges = walk.edges();
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::paths
