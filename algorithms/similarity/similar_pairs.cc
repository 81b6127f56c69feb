// The graph's rows made simple, shares, wedges; the top-k join when there are too many.
#include <algorithm>

#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/simple_graph.h"
#include "algorithms/common/internal/wedge_join.h"
#include "algorithms/similarity/internal/neighbor_weight.h"
#include "algorithms/similarity/internal/top_pairs.h"
#include "algorithms/similarity/similarity.h"
#include "engine/out_of_memory.h"

namespace plexus::similarity {

namespace {

using common_internal::ScoredSet;
using internal::InvertedIndex;

// What a shared w adds; nothing when only one node has it.
std::vector<double> Shares(const CsrView& rows, SimilarityMeasure measure) {
  std::vector<std::uint32_t> degrees(rows.node_count(), 0);
  for (const NodeId w : rows.neighbors) ++degrees[w];
  std::vector<double> shares(rows.node_count(), 0);
  for (NodeId w = 0; w < rows.node_count(); ++w)
    if (degrees[w] >= 2)
      shares[w] = internal::IsSum(measure) ? internal::NeighborWeight(measure, degrees[w]) : 1.0;
  return shares;
}

// Goes on from the best pairs so far: pairs better than the k-th of them, and that one.
Result<std::vector<ScoredSet<2>>> Mine(const CsrView& rows, const std::vector<double>& shares,
                                       std::vector<ScoredSet<2>> found, internal::PairQuery query,
                                       Executor& executor, SimilarPairsResult& result) {
  PLEXUS_ASSIGN(const InvertedIndex index, internal::MakeInvertedIndex(rows, shares, executor));
  const auto row_of = [&](NodeId node) {
    return static_cast<std::uint32_t>(
        std::lower_bound(index.nodes.begin(), index.nodes.end(), node) - index.nodes.begin());
  };
  // In the join's order of addition, so that equal pairs have equal scores.
  for (ScoredSet<2>& pair : found)
    pair.score = index.PairScore(row_of(pair.members[0]), row_of(pair.members[1]));
  std::sort(found.begin(), found.end(), common_internal::Better());
  const bool full = found.size() == query.k;
  if (full) query.threshold = found.back();
  internal::TopSets<2> answer = internal::FindTopPairs(index, query, executor);
  result.compared = answer.compared;
  result.truncated = answer.truncated;
  std::vector<ScoredSet<2>> pairs = std::move(answer.sets);
  if (answer.truncated)  // it may not have found again what was found before
    pairs.insert(pairs.end(), found.begin(), found.end());
  else if (full)
    pairs.push_back(found.back());
  std::sort(pairs.begin(), pairs.end(), common_internal::Better());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (pairs.size() > query.k) pairs.resize(query.k);
  return pairs;
}

std::uint64_t CountShared(const CsrView& rows, NodeId a, NodeId b) {
  const auto row = [&](NodeId v) {
    return rows.neighbors.subspan(rows.offsets[v], rows.degree(v));
  };
  const auto x = row(a), y = row(b);
  std::uint64_t shared = 0;
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    shared += x[i] == y[j];
    const bool forth = x[i] <= y[j], other = y[j] <= x[i];
    i += forth;
    j += other;
  }
  return shared;
}

}  // namespace

Result<SimilarPairsResult> SimilarPairs(const Snapshot& snapshot,
                                        const SimilarityOptions& options) try {
  if (options.top > kMaxSimilarTop)
    return Invalid("top ", options.top, ": at most ", kMaxSimilarTop);
  if (options.min_shared == 0) return Invalid("min_shared is 1 or more");
  Executor& executor = common_internal::Pick(options.run.executor);
  PLEXUS_ASSIGN(const auto made, common_internal::InTime(options.run, [&](Executor& stopping) {
                  DenseViewOptions wanted = common_internal::ViewOptions(options);
                  wanted.executor = &stopping;
                  return common_internal::MakeSimpleGraph(snapshot, wanted, options.direction,
                                                          false);
                }));
  SimilarPairsResult result;
  result.truncated = !made;
  if (!made) return result;
  const CsrView rows = made->edges.out();
  const std::vector<double> shares = Shares(rows, options.measure);
  const bool ratio = options.measure == SimilarityMeasure::kJaccard ||
                     options.measure == SimilarityMeasure::kOverlap;

  common_internal::WedgeQuery query;
  query.score =
      options.measure == SimilarityMeasure::kJaccard   ? common_internal::WedgeScore::kJaccard
      : options.measure == SimilarityMeasure::kOverlap ? common_internal::WedgeScore::kOverlap
                                                       : common_internal::WedgeScore::kSum;
  query.k = options.top == 0 ? kMaxSimilarTop + 1 : options.top;
  query.min_shared = options.min_shared;
  query.budget = options.run.budget;
  query.most_wedges = options.wedge_limit;
  query.first_wedges = ratio ? 0 : std::min(query.first_wedges, options.wedge_limit);
  common_internal::WedgeResult walked = common_internal::WedgePairs(rows, shares, query, executor);
  result.wedges = walked.wedges;
  result.truncated = walked.truncated;
  std::vector<ScoredSet<2>> pairs = std::move(walked.pairs);
  if (!walked.finished && !walked.truncated) {
    if (ratio)
      return Exhausted("more than ", options.wedge_limit,
                       " pairs of nodes stand at a shared neighbour, too many for a ratio; ask for "
                       "pairs that share "
                       "more, for a sum (Adamic-Adar, resource allocation), or for the best of "
                       "single nodes");
    internal::PairQuery rest;
    rest.k = query.k;
    rest.least_common = query.min_shared;
    rest.budget = options.run.budget;
    if (rest.budget.edges != Budget::kUnlimited)
      rest.budget.edges -= std::min(rest.budget.edges, walked.wedges);
    PLEXUS_ASSIGN(pairs, Mine(rows, shares, std::move(pairs), rest, executor, result));
  }
  if (options.top == 0 && pairs.size() > kMaxSimilarTop) {
    pairs.resize(kMaxSimilarTop);
    result.truncated = true;
  }
  result.pairs.resize(pairs.size());
  ParallelForEach(executor, pairs.size(), 64, [&](std::size_t i) {
    const NodeId a = pairs[i].members[0], b = pairs[i].members[1];
    result.pairs[i] = {made->view.node(a),      made->view.node(b), pairs[i].score,
                       CountShared(rows, a, b), rows.degree(a),     rows.degree(b)};
  });
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::similarity
