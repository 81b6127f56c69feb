// Top lists, shares of the maximum and percentile ranks.
#include "algorithms/common/common.h"

#include <algorithm>

#include "algorithms/common/internal/top_k.h"
#include "engine/out_of_memory.h"

namespace plexus {

Result<std::vector<ScoredNode>> TopScores(std::span<const double> scores, const NodeSubset& nodes,
                                          std::size_t top) try {
  std::vector<ScoredNode> list;
  list.reserve(nodes.count());
  for (NodeId v : nodes.ToList())
    if (v < scores.size()) list.push_back({v, scores[v]});
  auto better = [](const ScoredNode& a, const ScoredNode& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  };
  common_internal::SortTopK(list, top, better);
  return list;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<double>> ScaleByMaximum(std::span<const double> scores,
                                           const NodeSubset& nodes) try {
  std::vector<double> scaled(scores.size(), 0.0);
  const std::vector<NodeId> list = nodes.ToList();
  double largest = 0;
  for (NodeId v : list)
    if (v < scores.size()) largest = std::max(largest, scores[v]);
  if (largest == 0) return scaled;
  for (NodeId v : list)
    if (v < scores.size()) scaled[v] = scores[v] / largest;
  return scaled;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<double>> PercentileRanks(std::span<const double> scores,
                                            const NodeSubset& nodes) try {
  std::vector<double> ranks(scores.size(), 0.0);
  PLEXUS_ASSIGN(const std::vector<ScoredNode> list, TopScores(scores, nodes, 0));
  const std::size_t n = list.size();
  if (n == 1) ranks[list[0].node] = 0.5;  // better than nobody, and worse
  if (n <= 1) return ranks;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && list[end].score == list[begin].score) ++end;
    // `n - end` score less, `end - begin - 1` others tie.
    const double rank =
        (static_cast<double>(n - end) + 0.5 * static_cast<double>(end - begin - 1)) /
        static_cast<double>(n - 1);
    for (std::size_t i = begin; i < end; ++i) ranks[list[i].node] = rank;
    begin = end;
  }
  return ranks;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
