// What counts over oriented rows share: how far they get, their scratch, their rows ahead.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/community/internal/oriented_graph.h"
#include "engine/arrays/views.h"
#include "engine/internal/prefetch.h"
#include "engine/parallel.h"

namespace plexus::community::internal {

constexpr std::size_t kCountGrain = 512;        // rows a block
constexpr std::uint32_t kFar = 24, kNear = 12;  // arcs ahead whose row's place and row are fetched

// The row of v is so full that comparing words beats looking up its members.
inline bool ComparedByWords(const OrientedGraph& graph, NodeId v) {
  return v < graph.hubs && graph.offsets[v + 1] - graph.offsets[v] > v / 128;
}

inline void PrefetchRow(const OrientedGraph& graph, std::uint32_t arc) {
  const std::size_t arcs = graph.neighbors.size();
  if (arc + kFar < arcs) Prefetch(&graph.offsets[graph.neighbors[arc + kFar]]);
  if (arc + kNear >= arcs) return;
  const NodeId v = graph.neighbors[arc + kNear];
  const std::uint32_t begin = graph.offsets[v], end = graph.offsets[v + 1];
  if (v < graph.hubs || begin == end) return;
  Prefetch(&graph.neighbors[begin]);
  Prefetch(&graph.neighbors[end - 1]);
}

// How far a count gets: rows whose edges the budget covers, blocks until it is interrupted.
class Extent {
 public:
  Extent(const OrientedGraph& graph, const Budget& budget)
      : budget_(budget), rows_(graph.node_count()) {
    if (budget.edges >= graph.neighbors.size()) return;
    const auto past = std::upper_bound(graph.offsets.begin(), graph.offsets.end(), budget.edges);
    rows_ = static_cast<NodeId>(past - graph.offsets.begin() - 1);
    cut_ = true;
  }
  Extent(const CsrView& simple, const Budget& budget)
      : budget_(budget), rows_(simple.node_count()) {
    if (budget.edges >= simple.arc_count() / 2) return;
    std::uint64_t edges = 0;
    for (rows_ = 0; (edges += Below(simple, rows_)) <= budget.edges;) ++rows_;
    cut_ = true;
  }
  // Members of row v that are smaller than v.
  static std::uint64_t Below(const CsrView& simple, NodeId v) {
    const auto begin = simple.neighbors.begin() + simple.offsets[v],
               end = simple.neighbors.begin() + simple.offsets[v + 1];
    return static_cast<std::uint64_t>(std::lower_bound(begin, end, v) - begin);
  }
  NodeId rows() const { return rows_; }
  bool Goes() {
    if (budget_.Interrupted()) stop_.store(true, std::memory_order_relaxed);
    return !stop_.load(std::memory_order_relaxed);
  }
  bool truncated() const { return cut_ || stop_.load(); }

 private:
  const Budget& budget_;
  NodeId rows_;
  bool cut_ = false;
  std::atomic<bool> stop_ = false;
};

}  // namespace plexus::community::internal
