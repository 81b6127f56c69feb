// Shares by node, summed, sorted.
#include "algorithms/retrieval/plan.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace plexus::retrieval {

std::vector<FusedNode> FuseRanks(std::span<const std::vector<NodeId>> lists, double k,
                                 std::span<const double> weights) {
  std::vector<FusedNode> shares;
  for (std::size_t l = 0; l < lists.size(); ++l)
    for (std::size_t i = 0; i < lists[l].size(); ++i)
      shares.push_back(
          {lists[l][i], (weights.empty() ? 1 : weights[l]) / (k + static_cast<double>(i + 1))});
  std::ranges::stable_sort(shares, {}, &FusedNode::node);
  std::vector<FusedNode> fused;
  for (const FusedNode& share : shares) {
    if (fused.empty() || fused.back().node != share.node) fused.push_back({share.node, 0});
    fused.back().score += share.score;
  }
  std::ranges::stable_sort(fused, std::greater<>(), &FusedNode::score);
  return fused;
}

}  // namespace plexus::retrieval
