// Similarity of nodes by the neighbours that they share.
//
// N(v) holds the neighbours of v in `direction`, each once and never v itself. d(w) is the number
// of nodes with w among theirs. S = N(a) and N(b) in common (Liben-Nowell, Kleinberg, "The
// link-prediction problem for social networks", 2007):
//   kCommon              |S|
//   kJaccard             |S| / |N(a) or N(b)|, 0 when both are empty (Jaccard, 1901)
//   kOverlap             |S| / min(|N(a)|, |N(b)|), 0 when one is empty (Szymkiewicz, 1934)
//   kAdamicAdar          sum over w in S of 1 / ln d(w) (Adamic, Adar, 2003)
//   kResourceAllocation  sum over w in S of 1 / d(w) (Zhou, Lu, Zhang, 2009)
// d(w) >= 2 for every w in S. Under kOut S holds common targets and d(w) counts in-neighbours;
// under kIn common sources. Without index kinds all are facts; with them two facts share index
// nodes, two tags share facts. Named nodes may be outside the subset: a pair is scored among the
// subset's nodes and itself.
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
  // Length of lists: the best, ties by ids. 0: all (SimilarPairs: at most kMaxSimilarTop).
  std::size_t top = 20;
  std::uint64_t least_shared = 1;  // Lists leave out nodes that share fewer. At least 1.
  // SimilarPairs: beyond it the method changes.
  std::uint64_t wedge_limit = std::uint64_t{1} << 33;
  RunOptions run = {};  // budget: edges are arcs read (SimilarPairs: wedges, comparisons).
};

struct PairSimilarity {
  NodeId a = kNoNode, b = kNoNode;
  double score = 0;
  std::uint64_t shared = 0;                        // |S|.
  std::uint64_t neighbors_a = 0, neighbors_b = 0;  // |N(a)|, |N(b)|.
};

struct PairSimilaritiesResult {
  std::vector<PairSimilarity> pairs;  // In the order given.
  bool truncated = false;             // The budget ran out. Pairs after the last are missing.
};

// Computes: the similarity of the given pairs.
// Complexity: O(rows of a, b and, where d counts, of S; d of a neighbour once for 64 pairs in a
//   row).
// Errors: kInvalidArgument: a kind or node out of range, or a pair of a node and itself. kNotFound:
//   a node that was removed. kResourceExhausted: no memory.
// Threads: thread-safe. Bits and the pair at which a budget of edges ends do not depend on threads.
Result<PairSimilaritiesResult> PairSimilarities(const Snapshot& snapshot,
                                                std::span<const NodePair> pairs,
                                                const SimilarityOptions& options = {});

struct SimilarNeighbor {
  NodeId node = kNoNode;
  double score = 0;
  std::uint64_t shared = 0;
  std::uint64_t neighbors = 0;  // |N(node)| for kJaccard and kOverlap, else 0.
  bool operator==(const SimilarNeighbor&) const = default;
};

struct SimilarNodesResult {
  std::vector<SimilarNeighbor> nodes;  // Best first, ties by id.
  std::uint64_t neighbors = 0;         // |N(node)|. 0 when the budget ends within its row.
  std::uint64_t candidates = 0;        // Nodes that share a neighbour.
  std::uint64_t edges = 0;             // Arcs read, never more than the budget's.
  // The budget ran out. Neighbours are read from the shortest row on, so hubs are missing from
  // `shared` and sums, or the candidates that share least were not measured.
  bool truncated = false;
};

// Computes: the nodes most similar to one, exactly, among all that share a neighbour.
// Complexity: O(arcs of the node's neighbours), and for kJaccard and kOverlap of the candidates
//   that can still enter the list. Memory grows with what is touched.
// Errors: those of PairSimilarities. kInvalidArgument: a least_shared of 0.
// Threads: thread-safe, on one thread.
Result<SimilarNodesResult> SimilarNodes(const Snapshot& snapshot, NodeId node,
                                        const SimilarityOptions& options = {});

struct SimilarPairsResult {
  std::vector<PairSimilarity> pairs;  // a < b. Best first, ties by ids.
  bool truncated = false;             // By the budget, or more than kMaxSimilarTop for top = 0.
  std::uint64_t wedges = 0;           // Walked wedges: two nodes at a shared one.
  std::uint64_t compared = 0;         // Comparisons of the join, when the wedges were too many.
};

// Computes: the most similar pairs of the graph, exactly. Sums run in another order than in
//   SimilarNodes, so last bits may differ.
// Complexity: O(arcs), then the wedges that the bounds leave. Beyond `wedge_limit` wedges, sums and
//   counts continue with the join of Frontier, which the budget can stop. Ratios (kJaccard,
//   kOverlap) have no bound; a larger `least_shared` lowers their wedges.
// Errors: kInvalidArgument: a kind, top or least_shared out of range. kResourceExhausted: a ratio
//   beyond `wedge_limit`, more arcs than a csr holds, or no memory.
// Threads: thread-safe. The list is the same at any thread count.
Result<SimilarPairsResult> SimilarPairs(const Snapshot& snapshot,
                                        const SimilarityOptions& options = {});

}  // namespace plexus
