// Similarity of nodes by the neighbours they share.
//
// N(v) = the nodes next to v in `direction`, each once however many edges lead there and
// never v itself; d(w) = how many nodes have w among theirs. Of two nodes a and b, with
// S = N(a) and N(b) in common (Liben-Nowell, Kleinberg, "The link-prediction problem for
// social networks", 2007, has them all):
//   kCommon              |S|
//   kJaccard             |S| / |N(a) or N(b)|, 0 when both are empty (Jaccard, 1901)
//   kOverlap             |S| / min(|N(a)|, |N(b)|), 0 when one is empty (Szymkiewicz, 1934)
//   kAdamicAdar          sum over w in S of 1 / ln d(w) (Adamic, Adar, 2003)
//   kResourceAllocation  sum over w in S of 1 / d(w) (Zhou, Lu, Zhang, 2009)
// d(w) >= 2, as a and b are two different nodes that have w: ln 1 is never divided by.
// Under kOut shared are the nodes both point at, and d(w) counts who points at w; under
// kIn those that point at both. Without index kinds named all are facts; with them (tags,
// terms, events) two facts share index nodes and two tags their facts.
//
// Edges, nodes and times are selected as everywhere (README). The nodes asked about need
// not be in the subset: a pair is judged among the subset's nodes and these two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/bulk/topology.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

enum class SimilarityMeasure : std::uint8_t {
  kCommon,
  kJaccard,
  kOverlap,
  kAdamicAdar,
  kResourceAllocation
};

inline constexpr std::size_t kMaxSimilarTop = std::size_t{1} << 20;

struct SimilarityOptions {
  SimilarityMeasure measure = SimilarityMeasure::kJaccard;
  Direction direction = Direction::kBoth;
  GraphFilter filter = {};
  std::size_t top =
      20;  // of lists: the best, ties by ids; 0 = all (SimilarPairs: at most kMaxSimilarTop)
  std::uint64_t least_shared = 1;  // of lists: leave out who shares fewer; 1 or more
  std::uint64_t wedge_limit = std::uint64_t{1} << 33;  // SimilarPairs: when it changes its way
  // budget: edges are arcs looked at (SimilarPairs: wedges, comparisons).
  RunOptions run = {};
};

struct PairSimilarity {
  NodeId a = kNoNode, b = kNoNode;
  double score = 0;
  std::uint64_t shared = 0;                        // |S|
  std::uint64_t neighbors_a = 0, neighbors_b = 0;  // |N(a)|, |N(b)|
};

struct PairSimilaritiesResult {
  std::vector<PairSimilarity> pairs;  // in the order they were given
  bool truncated = false;             // by the budget: then the pairs after the last are missing
};

// The given pairs. O(sum of the rows of a, b and, where d(w) counts, of what they share);
// a shared neighbour's d is counted once for 64 pairs in a row. Thread-safe, the same bits
// at any thread count; the budget's edges cut at the same pair. kInvalidArgument: a kind
// or node out of range, a pair of a node and itself. kNotFound: a node that was removed.
Result<PairSimilaritiesResult> PairSimilarities(const Snapshot& snapshot,
                                                std::span<const NodePair> pairs,
                                                const SimilarityOptions& options = {});

struct SimilarNeighbor {
  NodeId node = kNoNode;
  double score = 0;
  std::uint64_t shared = 0;
  std::uint64_t neighbors = 0;  // |N(node)|; kJaccard and kOverlap only, else 0
  bool operator==(const SimilarNeighbor&) const = default;
};

struct SimilarNodesResult {
  std::vector<SimilarNeighbor> nodes;  // best first, ties by id
  std::uint64_t neighbors = 0;         // |N(node)|; 0 when the budget ends within its row
  std::uint64_t candidates = 0;        // nodes that share something
  std::uint64_t edges = 0;             // arcs looked at, never more than the budget's
  // The budget ran out. Neighbours are looked at from those with the fewest arcs on: what
  // is missing are the last ones, hubs, and `shared` and sums count the others; or the
  // candidates that share least were not measured.
  bool truncated = false;
};

// The nodes most similar to one, among all that share a neighbour with it (two steps
// away). Exact. O(arcs of the node's neighbours), for kJaccard and kOverlap also of the
// candidates that can still enter the list; nothing is as large as the graph unless what
// is touched is. One thread. Errors as PairSimilarities', and
// kInvalidArgument for a least_shared of 0.
Result<SimilarNodesResult> SimilarNodes(const Snapshot& snapshot, NodeId node,
                                        const SimilarityOptions& options = {});

struct SimilarPairsResult {
  std::vector<PairSimilarity> pairs;  // a < b; best first, ties by ids
  bool truncated = false;             // by the budget, or more than kMaxSimilarTop for top = 0
  std::uint64_t wedges = 0;           // walked: two nodes at a shared one
  std::uint64_t compared = 0;         // by the pair miner, when the wedges were too many
};

// The most similar pairs of all. Exact, without looking at all pairs. O(arcs), then what
// the bounds leave: rows are walked from the heaviest on until none that is left can reach
// the k-th best (similarity/internal/wedge_join.h); where that would take more than `wedge_limit`
// wedges, the sums and counts go to frontier's miner (similarity/internal/top_pairs.h), which the
// budget can cut short. Ratios have no such bound, as two nodes of one neighbour each are as alike
// as can be: beyond the limit they are refused, and `least_shared` is what makes them fewer.
// Thread-safe, the same list at any thread count; sums are added in another order than
// SimilarNodes', and in the miner's where it is asked.
// kInvalidArgument: a kind or top out of range. kResourceExhausted: too many wedges (see
// above), more arcs than a csr holds.
Result<SimilarPairsResult> SimilarPairs(const Snapshot& snapshot,
                                        const SimilarityOptions& options = {});

}  // namespace plexus
