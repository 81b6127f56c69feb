// Frontier: index, mask, find the top sets, explain.
#include "algorithms/similarity/similarity.h"

#include <algorithm>
#include <span>

#include "algorithms/common/internal/selection.h"
#include "algorithms/similarity/internal/cooccurrence.h"
#include "algorithms/similarity/internal/inverted_index.h"
#include "algorithms/similarity/internal/top_pairs.h"
#include "engine/out_of_memory.h"

namespace plexus::similarity {

namespace {

using common_internal::ScoredSet;
using internal::IndexEntry;
using internal::InvertedIndex;

Status CheckOptions(const FrontierOptions& options) {
  if (options.arity != 2 && options.arity != 3)
    return Invalid("arity ", options.arity, ": sets have 2 or 3 members");
  if (options.top > kMaxFrontierTop)
    return Invalid("top ", options.top, ": at most ", kMaxFrontierTop);
  return {};
}

std::uint32_t RowOf(const InvertedIndex& index, NodeId node) {
  // Leaders first, both parts ascending.
  const auto begin = index.nodes.begin(), middle = begin + index.anchors, end = index.nodes.end();
  auto at = std::lower_bound(begin, middle, node);
  if (at == middle || *at != node) at = std::lower_bound(middle, end, node);
  return static_cast<std::uint32_t>(at - begin);
}

// The terms that two members have, or two or three of three. Terms fall in weight, and a
// triple's shares are ordered again.
std::vector<SharedNeighbor> Explain(const InvertedIndex& index, std::span<const NodeId> members) {
  std::vector<std::uint32_t> terms;
  for (NodeId v : members)
    for (const IndexEntry& e : index.row(RowOf(index, v))) terms.push_back(e.term);
  std::sort(terms.begin(), terms.end());
  std::vector<SharedNeighbor> shared;
  for (std::size_t i = 0; i < terms.size();) {
    std::size_t end = i + 1;
    while (end < terms.size() && terms[end] == terms[i]) ++end;
    const double weight = index.weights[terms[i]];
    const auto holders = static_cast<double>(end - i);
    if (holders > 1)
      shared.push_back({index.term_nodes[terms[i]],
                        members.size() == 2 ? weight : weight * (holders * (holders - 1) / 2) / 3});
    i = end;
  }
  std::stable_sort(shared.begin(), shared.end(),
                   [](const SharedNeighbor& a, const SharedNeighbor& b) {
                     return a.share != b.share ? a.share > b.share : a.node < b.node;
                   });
  return shared;
}

template <int kMembers>
void Reply(const InvertedIndex& index, const internal::TopSets<kMembers>& found,
           const FrontierOptions& options, FrontierResult& result) {
  result.truncated = found.truncated;
  result.compared = found.compared;
  result.scored = found.scored;
  for (const ScoredSet<kMembers>& set : found.sets) {
    if (options.top == 0 && result.sets.size() == kMaxFrontierTop) {
      result.truncated = true;
      return;
    }
    result.sets.push_back(
        {{set.members.begin(), set.members.end()}, set.score, Explain(index, set.members)});
  }
}

}  // namespace

Result<FrontierResult> Frontier(const Snapshot& snapshot, const FrontierOptions& options) try {
  PLEXUS_TRY(CheckOptions(options));
  Executor& executor = common_internal::Pick(options.run.executor);
  PLEXUS_ASSIGN(
      const InvertedIndex index,
      internal::MakeInvertedIndex(snapshot, options.filter,
                                  options.arity == 2 ? options.anchors : nullptr, executor));
  const internal::CooccurrenceIndex mask(snapshot, index, options.mask == FrontierMask::kLinked,
                                         options.inside, executor);
  const std::size_t k = options.top == 0 ? kMaxFrontierTop + 1 : options.top;

  FrontierResult result;
  result.facts = index.row_count();
  result.neighbors = index.term_count();
  result.wedges = index.wedges;
  if (options.arity == 2) {
    internal::PairQuery query;
    query.k = k;
    query.mask = &mask;
    query.anchors_only = options.anchors != nullptr;
    query.budget = options.run.budget;
    Reply(index, FindTopPairs(index, query, executor), options, result);
  } else {
    const internal::TripleQuery query{k, &mask, options.anchors, options.run.budget};
    Reply(index, FindTopTriples(index, query, executor), options, result);
  }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::similarity
