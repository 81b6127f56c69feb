// Frontier: pairs and triples of facts that share rare index nodes and were never in one event.
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
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

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

}  // namespace plexus
