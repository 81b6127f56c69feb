// Commands that rank nodes: --top and --max-seconds beside the selection, and the nodes worth a
// row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/score_ranking.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/edge_options.h"

namespace plexus::tools {

struct RankedSelection : EdgeSelection, BudgetOption {
  std::optional<std::uint64_t> top;

  std::uint64_t shown() const { return top.value_or(20); }  // 0 = all
};

// `all`: which nodes have a row at all, said after "0 = all".
inline Command& AddRanked(Command& command, RankedSelection& given,
                          const char* all = " that score above 0") {
  return AddMaxSeconds(AddSelection(command, given), given)
      .Option("--top", "K", given.top,
              std::string("list the K first; 0 = all") + all + " (default 20)");
}

// The best of the nodes for which `counts(node)`. `scores` by NodeId.
template <class Counts>
Result<std::vector<ScoredNode>> Best(const std::vector<double>& scores,
                                     const RankedSelection& given, Counts&& counts) {
  std::vector<std::uint64_t> words((scores.size() + 63) / 64, 0);
  for (std::size_t v = 0; v < scores.size(); ++v)
    if (counts(static_cast<NodeId>(v))) words[v / 64] |= std::uint64_t{1} << (v % 64);
  return TopScores(scores, NodeSubset(static_cast<NodeId>(scores.size()), std::move(words)),
                   given.shown());
}
// Of those that score above 0.
inline Result<std::vector<ScoredNode>> Best(const std::vector<double>& scores,
                                            const RankedSelection& given) {
  return Best(scores, given, [&](NodeId v) { return scores[v] > 0; });
}

}  // namespace plexus::tools
