// ReverseTree: the cheapest ways to the end of a path query, from as many nodes as were needed.
//
// A search from the end, backwards: breadth-first by hops, Dijkstra by cost. It is suspended and
// resumed, so a query expands the nodes near the end that it needs and no others, and all searches
// for next paths share it. What it has settled is exact; of everything else it knows how far it has
// come, which is a lower bound. The bounds are consistent: At(u) <= step + At(v), at any one time.
// They only grow. The start is never passed through, as no path comes back to it.
//
// A tree may also leave out the beginning of a path: then it serves one search only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/stored_edges.h"
#include "algorithms/paths/internal/path_query.h"

namespace plexus::paths::internal {

class ReverseTree {
 public:
  struct Bound {
    Length least;                               // no way to the end is shorter
    std::uint32_t place = ReachedNodes::kNone;  // the node's, when `least` is exact
    bool unreachable = false;                   // there is no way at all
    bool exact() const { return place != ReachedNodes::kNone; }
  };

  explicit ReverseTree(PathWalk& walk);
  // Begins again, without the nodes whose index is `last` or less. Keeps a pointer to `index`.
  void Restart(const common_internal::NodeMap* index, std::uint32_t last);

  Bound LowerBound(NodeId node) const;
  // Goes on until it has looked at `arcs` in all, the budget is gone or nothing is left.
  Status Grow(std::uint64_t arcs);

  std::uint64_t arcs() const { return arcs_; }
  bool finished() const { return finished_; }
  std::size_t size() const { return reached_.size(); }

  // The way from a settled place: place 0 is the end itself.
  NodeId node(std::uint32_t place) const { return reached_[place].node; }
  std::uint32_t next(std::uint32_t place) const { return reached_[place].parent; }
  PathEdge edge(std::uint32_t place) const {
    return common_internal::EdgeOf(walk_.snapshot(), reached_[place].arc, node(next(place)));
  }

 private:
  Status Expand(std::uint32_t place);

  PathWalk& walk_;
  const common_internal::NodeMap* index_ = nullptr;
  std::uint32_t last_ = 0;
  ReachedNodes reached_;      // by hops in order of depth, all settled; parents are nearer the end
  MinHeap<OpenNode> heap_;    // by cost
  std::uint32_t cursor_ = 0;  // by hops: the next to expand
  std::uint64_t arcs_ = 0;
  bool finished_ = false;
};

}  // namespace plexus::paths::internal
