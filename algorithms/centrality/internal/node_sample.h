// A sample of the nodes, drawn from a seed with arithmetic of our own: a library's
// distribution may differ from the next one's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/types.h"

namespace plexus::centrality::internal {

// As many of the nodes [0, nodes) as the options say, without replacement, all of them when there
// are fewer, in the order drawn. O(nodes).
template <class Options>
std::vector<NodeId> DrawNodes(NodeId nodes, const Options& options) {
  std::uint64_t count = options.samples;
  if (count == 0) count = nodes <= Options::kAllUpTo ? nodes : Options::kSampled;
  std::vector<NodeId> all(nodes);
  for (NodeId v = 0; v < nodes; ++v) all[v] = v;
  std::mt19937_64 random(options.seed);
  count = std::min<std::uint64_t>(count, nodes);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t j = i + static_cast<std::uint64_t>(
                                    (static_cast<unsigned __int128>(random()) * (nodes - i)) >> 64);
    std::swap(all[i], all[j]);
  }
  all.resize(count);
  return all;
}

// How many of `sources` searches there are edges for: `at_once` of them look at each arc once.
inline std::size_t SourcesWithin(const Budget& budget, std::size_t sources, std::uint64_t arcs,
                                 std::uint64_t at_once) {
  const std::uint64_t searches = budget.edges / std::max<std::uint64_t>(arcs, 1);
  return searches >= (sources + at_once - 1) / at_once ? sources : searches * at_once;
}

}  // namespace plexus::centrality::internal
