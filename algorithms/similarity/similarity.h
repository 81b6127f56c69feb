// Similarity of nodes by shared neighbours, and the frontier: pairs and sets that share much and
// have no edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::similarity {

// --- Similarity of nodes by the neighbours that they share.
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
  std::uint64_t min_shared = 1;  // Lists leave out nodes that share fewer. At least 1.
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
  std::vector<SimilarNeighbor> hits;  // Best first, ties by id.
  std::uint64_t neighbors = 0;        // |N(node)|. 0 when the budget ends within its row.
  std::uint64_t candidates = 0;       // Nodes that share a neighbour.
  std::uint64_t edges = 0;            // Arcs read, never more than the budget's.
  // The budget ran out. Neighbours are read from the shortest row on, so hubs are missing from
  // `shared` and sums, or the candidates that share least were not measured.
  bool truncated = false;
};

// Computes: the nodes most similar to one, exactly, among all that share a neighbour.
// Complexity: O(arcs of the node's neighbours), and for kJaccard and kOverlap of the candidates
//   that can still enter the list. Memory grows with what is touched.
// Errors: those of PairSimilarities. kInvalidArgument: a min_shared of 0.
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
//   kOverlap) have no bound; a larger `min_shared` lowers their wedges.
// Errors: kInvalidArgument: a kind, top or min_shared out of range. kResourceExhausted: a ratio
//   beyond `wedge_limit`, more arcs than a csr holds, or no memory.
// Threads: thread-safe. The list is the same at any thread count.
Result<SimilarPairsResult> SimilarPairs(const Snapshot& snapshot,
                                        const SimilarityOptions& options = {});

// --- Frontier: pairs and triples of facts that share rare index nodes and were never in one event.
//
// df(t) is the number of alive facts at index node t (a tag, term, file, session ...).
//   weight(t)  = 1 / ln(1 + df(t)); neighbours with df(t) < 2 are left out
//   pair(a, b) = sum of weight(t) over the t that both a and b have, each t once
//   score      = pair(a, b), or (pair(a,b) + pair(a,c) + pair(b,c)) / 3 for a triple
// (Adamic, Adar, "Friends and neighbors on the Web", 2003, over index nodes.) A pair shares a t,
// and every member of a triple shares a t with another member. A set is masked, so never listed,
// when one event has all its members, and with FrontierMask::kLinked when an edge between facts
// joins two of them. A masked pair still counts inside a triple. Masks have no time: `valid_at`
// does not unmask a pair. Sums run over falling df, then falling id; a triple's in the order (a,b),
// (a,c), (b,c) of ascending ids.
//
// The list is exact: order and ties equal those of comparing all sets.

inline constexpr std::size_t kMaxFrontierTop = std::size_t{1} << 20;

enum class FrontierMask : std::uint8_t {
  kEvents,  // One event has all members.
  kLinked,  // That, or a fact-plane edge joins two members, in any direction.
};

struct FrontierOptions {
  int arity = 2;          // 2 or 3.
  std::size_t top = 100;  // Best first, ties by ids. 0: all, at most kMaxFrontierTop.
  FrontierMask mask = FrontierMask::kEvents;
  // kinds: of the index plane, followed in either direction to shared index nodes. None: all but
  // those at events (member) and outcomes (labels). valid_at: of edges to index nodes. subset:
  // candidates; document frequencies count all facts.
  GraphFilter filter = {};
  const NodeSubset* anchors = nullptr;  // A set must hold one of these. Null: any set.
  const NodeSubset* inside = nullptr;   // Only events with all members in it count. Null: all.
  // budget: edges are comparisons (FrontierResult::compared; triples may exceed it by one round),
  // nodes are scored sets, checked between rounds. Reading the index does not count.
  RunOptions run = {};
};

struct SharedNeighbor {
  NodeId node = kNoNode;
  // Part of the score: weight(t) in a pair, weight(t) * pairs that share t / 3 in a triple.
  double share = 0;
  bool operator==(const SharedNeighbor&) const = default;
};

struct FrontierSet {
  std::vector<NodeId> members;  // Ascending, `arity` of them.
  double score = 0;
  std::vector<SharedNeighbor> shared;  // Largest share first, ties by id. They add up to score.
};

struct FrontierResult {
  std::vector<FrontierSet> sets;
  bool truncated = false;       // By the budget, or more than kMaxFrontierTop for top = 0.
  std::uint64_t facts = 0;      // Candidates with a neighbour of df >= 2.
  std::uint64_t neighbors = 0;  // These index nodes.
  std::uint64_t wedges = 0;     // Pairs of candidates over all of them: the exhaustive cost.
  std::uint64_t compared = 0;   // Comparisons of two facts, or of a pair and a third.
  std::uint64_t scored = 0;     // Sets scored exactly.
};

// Computes: the best unmasked pairs or triples.
// Complexity: O(arcs), then the sets that the bounds cannot exclude, far below the number of
//   wedges. A triple costs a search for each pair that scores as much as the worst triple kept:
//   triples suit graphs with few strong pairs.
// Memory: about 16 bytes an arc at index nodes and 64 a fact with such an arc.
// Errors: kInvalidArgument: arity or top out of range, a kind that is undefined or of the fact
//   plane. kUnsupported: 2^31 candidates or more. kResourceExhausted: no memory.
// Threads: thread-safe. The list is the same at any thread count.
Result<FrontierResult> Frontier(const Snapshot& snapshot, const FrontierOptions& options = {});

}  // namespace plexus::similarity
