// BrandesBatch: what up to 16 sources add to every node's betweenness, in one sweep.
//
// One lane a source. Level by level all searches step together: which lanes stand at a
// node is a 16-bit mask a level, in the second cache level; the numbers of shortest paths
// are 16 doubles a node, side by side, so that one fetch of a neighbour serves every lane
// that comes from there. A row is scanned for neighbours with wanted lanes first, branch
// free, then those are fetched ahead and added under their masks. Backwards the same, and
// a node's (1 + dependency) / paths overwrites its paths, which are not needed any more.
// Nodes pull, and lanes of even and of odd levels live in two arrays, so no thread reads what
// another writes, and sums have the order of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::centrality::internal {

class BrandesBatch {
 public:
  static constexpr std::size_t kLanes = 16;

  // `in` is the transpose of `out`. 264 bytes a node, 2 more a level, and
  // 8 for each node of a frontier.
  BrandesBatch(const CsrView& out, const CsrView& in, Executor& executor);
  // Adds the sources' dependencies to `scores`; a source's own is 0. False, nothing added: deeper,
  // or more paths, than lanes are made for, or the deadline or the cancel flag of the budget
  // stopped it. REQUIRES 1 to 16 sources, doubles are fine.
  bool Add(std::span<const NodeId> sources, std::uint32_t max_hops, const Budget& budget,
           std::vector<double>& scores);

 private:
  using Level = AlignedArray<std::uint16_t>;
  bool Forward(std::span<const NodeId> sources, std::uint32_t max_hops, const Budget& budget);
  bool Push(std::size_t depth);
  bool Pull(std::size_t depth, std::uint16_t all);

  const CsrView out_, in_;
  Executor& executor_;
  // By the level's parity: node * kLanes + lane; lanes that have been there.
  AlignedArray<double> values_[2];
  Level seen_[2];
  std::vector<Level> levels_;  // by depth: lanes that stand at a node; kept between calls
  std::size_t depth_ = 0;      // levels of this search
  std::vector<NodeId> front_, found_;
  std::vector<std::vector<NodeId>> block_found_;
};

}  // namespace plexus::centrality::internal
