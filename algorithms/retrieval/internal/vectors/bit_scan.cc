// A list of the best in each part, and the best of them all.
#include "algorithms/retrieval/internal/vectors/bit_scan.h"

#include <algorithm>

#include "algorithms/common/internal/top_k.h"
#include "algorithms/retrieval/internal/vectors/best_list.h"

namespace plexus::retrieval_internal {

std::vector<NodeId> BitCandidates(const VectorTable::View& view, const BitRows& bits,
                                  const BitQuery& query, const Selection& selection, NodeId skip,
                                  std::size_t keep, std::uint32_t rows, Executor& executor) {
  constexpr std::size_t kStretch = 256;  // rows estimated before any is looked at
  const std::size_t grain = std::max<std::size_t>(16'384, 4 * keep);
  std::vector<std::vector<RankedNode>> parts((rows + grain - 1) / grain);
  ParallelFor(executor, rows, grain, [&](std::size_t begin, std::size_t end) {
    BestList best(keep);
    double ranks[kStretch];
    std::size_t b = bits.BlockOf(static_cast<std::uint32_t>(begin));
    for (std::size_t row = begin; row < end; ++b) {
      const BitBlock& block = bits.block(b);
      const std::size_t first = bits.first_row(b);
      const std::size_t block_end = std::min(end, first + block.rows);
      while (row < block_end) {
        const std::size_t in_group = (row - first) % kBitGroup;
        const std::size_t count = std::min(kStretch, block_end - row + in_group);
        query.Estimate(block, row - first - in_group, count, ranks);
        for (std::size_t i = in_group; i < count; ++i) {
          if (!best.Admits(ranks[i])) continue;
          const NodeId node = view.node_of_row(static_cast<std::uint32_t>(row - in_group + i));
          if (node != kNoNode && node != skip && selection.contains(node))
            best.Add({ranks[i], node});
        }
        row += count - in_group;
      }
    }
    parts[begin / grain] = best.Take();
  });
  std::vector<RankedNode> all;
  for (const std::vector<RankedNode>& part : parts) all.insert(all.end(), part.begin(), part.end());
  SortTopK(all, keep);
  std::vector<NodeId> nodes;
  nodes.reserve(all.size());
  for (const RankedNode& r : all) nodes.push_back(r.node);
  std::ranges::sort(nodes);
  return nodes;
}

}  // namespace plexus::retrieval_internal
