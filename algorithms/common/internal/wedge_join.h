// WedgePairs: the k most similar pairs of a whole graph by walking wedges a - w - b.
//
// Rows are taken from the heaviest on, weight(a) = the largest score of a with any row (the sum of
// its neighbours' shares; |N(a)| for counts and ratios). The rows before it are found in the lists
// of its neighbours, which ascend in that order; what each shares with it is added up in an array.
// No score exceeds the smaller weight, so once a row weighs less than the k-th best score (the
// threshold), it and all after it are done. The bound is of the f64 sums themselves: a part of a
// row is added in the row's own order. For the ratios weights give no bound: all wedges are walked.
//
// General rows: an arc may carry a value, so a shared w adds share(w) times both values; a
// PairJudge may turn a sum into a score and refuse pairs. With a judge the longest lists of a row
// are not walked while what they add at most cannot lift a pair to the threshold; pairs that the
// others leave in the running are added up again, in the row's own order.
//
// Exact when it finishes. It does not begin what it cannot afford: before each round it
// counts the wedges among the rows that still reach the threshold and stops above a limit
// (many rows of equal weight at common neighbours), for FindTopPairs to go on from the threshold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/top_k_sets.h"
#include "engine/arrays/views.h"
#include "engine/parallel.h"

namespace plexus::common_internal {

// What a sum is worth. Thread-safe. `Most` and `Need` may be off by rounding, outwards.
class PairJudge {
 public:
  virtual ~PairJudge() = default;
  // No pair with `a` whose sum is at most `sum` scores more. Rises with `sum`.
  virtual double Most(NodeId a, double sum) const = 0;
  // A pair with `a` that scores `score` or more has this sum at least; 0 or less: any.
  virtual double Need(NodeId a, double score) const = 0;
  // Nothing when the pair may not be listed. a < b.
  virtual std::optional<double> Score(NodeId a, NodeId b, double sum) const = 0;
};

// The sum; the number shared over that of the union, or of the shorter row.
enum class WedgeScore : std::uint8_t { kSum, kJaccard, kOverlap };

struct WedgeQuery {
  WedgeScore score = WedgeScore::kSum;  // Without a judge.
  std::size_t k = 100;
  std::uint64_t min_shared = 1;
  Budget budget;                                        // edges: wedges walked
  std::uint64_t most_wedges = std::uint64_t{1} << 33;   // of the rest, or it stops
  std::uint64_t first_wedges = std::uint64_t{1} << 27;  // walked at least, to raise the threshold
  std::span<const double> values = {};                  // by arc, >= 0; empty: 1
  const PairJudge* judge = nullptr;                     // null: `score`
};

struct WedgeResult {
  std::vector<ScoredSet<2>> pairs;  // best first; when not finished, the best so far
  bool finished = false;            // these are the best of all
  bool truncated = false;           // the budget ran out
  std::uint64_t wedges = 0;
  std::uint64_t scored = 0;  // pairs that a judge was asked for
};

// `rows` without doubles and loops, ascending; shares[w] >= 0 by node, what a shared w adds
// (1 for counts and ratios). O(arcs) and the wedges that the bound leaves. Same answer at
// any thread count. Memory: 4 bytes an arc, 20 a node and 20 more a thread.
WedgeResult WedgePairs(const CsrView& rows, std::span<const double> shares, const WedgeQuery& query,
                       Executor& executor);

}  // namespace plexus::common_internal
