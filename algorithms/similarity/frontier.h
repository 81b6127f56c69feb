// Frontier: pairs and triples of facts that share much and were never put together.
//
// With df(t) = number of alive facts at index node t (a tag, term, file, session ...)
//   weight(t)  = 1 / ln(1 + df(t)); neighbours with df(t) < 2 are left out
//   pair(a, b) = sum of weight(t) over the t that both a and b have, each t once
//   score      = pair(a, b), or (pair(a,b) + pair(a,c) + pair(b,c)) / 3 for a triple
// (Adamic and Adar, "Friends and neighbors on the Web", 2003, over index nodes.) A pair
// must share something, and so must every member of a triple with another of it. A set
// is masked, so never listed, when one event has all its members, and with
// FrontierMask::kLinked also when an edge between facts joins two of them. A masked pair
// still counts inside a triple. Masks look at everything the snapshot shows: `valid_at`
// does not bring a pair back that an expired edge joined. Sums are taken over falling df,
// then falling id, and a triple's in the order (a,b), (a,c), (b,c) of ascending ids.
//
// Exact: the list is the one that comparing all sets would give, order and ties (by ids)
// included, at any number of threads. How, without comparing all: see
// similarity/internal/top_pairs.h and similarity/internal/top_triples.h. Pairs cost O(arcs) and
// then what the bound cannot rule out, far below the number of wedges (pairs of facts at one t);
// memory is about 16 bytes an arc at index nodes and 64 a fact that has one. Triples
// cost a search for each pair that scores as much as the worst triple kept: they are
// meant for graphs where strong pairs are few.
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
  kEvents,  // one event has all members
  kLinked,  // that, or an edge of the fact plane joins two members, in any direction
};

struct FrontierOptions {
  int arity = 2;          // 2 or 3
  std::size_t top = 100;  // best first, ties by ids; 0 = all, at most kMaxFrontierTop
  FrontierMask mask = FrontierMask::kEvents;
  // kinds: of the index plane; their index ends are what is shared, in either direction. None = all
  // of them but those at events (member) and outcomes (labels). valid_at: of edges to index nodes.
  // subset: candidates, such as the visible nodes; document frequencies count all.
  GraphFilter filter = {};
  const NodeSubset* anchors = nullptr;  // a set must hold one of these
  // budget: edges are comparisons (FrontierResult::compared; triples may pass it by one round),
  // nodes are sets scored, looked at between rounds. Reading the index is not counted.
  RunOptions run = {};
};

struct SharedNeighbor {
  NodeId node = kNoNode;
  double share = 0;  // of the score; pair: weight(t), triple: weight(t) * pairs sharing t / 3
  bool operator==(const SharedNeighbor&) const = default;
};

struct FrontierSet {
  std::vector<NodeId> members;  // ascending, `arity` of them
  double score = 0;
  std::vector<SharedNeighbor> shared;  // largest share first, ties by id; adds up to score
};

struct FrontierResult {
  std::vector<FrontierSet> sets;
  bool truncated = false;       // by the budget, or more than kMaxFrontierTop for top = 0
  std::uint64_t facts = 0;      // candidates that have a neighbour with df >= 2
  std::uint64_t neighbors = 0;  // such index nodes
  std::uint64_t wedges = 0;     // pairs of candidates over all of them: the exhaustive cost
  std::uint64_t compared = 0;   // comparisons made: of two facts, or of a pair and a third
  std::uint64_t scored = 0;     // sets scored exactly
};

// Thread-safe. kInvalidArgument: arity or top out of range, a kind that is not defined
// or is of the fact plane; kUnsupported: 2^31 candidates or more.
Result<FrontierResult> Frontier(const Snapshot& snapshot, const FrontierOptions& options = {});

}  // namespace plexus
