// Traverse: weighted multi-hop search from seeds, exact, with the path as proof.
//
// The value of a walk of k hops is seed weight * product over its arcs of (weight * decay). Values
// of all walks of 1..hops arcs are aggregated a node, layer by layer (L0 = the seeds; recurrences
// run over the followed arcs u->v):
//   max       L_k(v) = max L_{k-1}(u) w d;            score = max over k of L_k(v)
//   min       L_k(v) = min L_{k-1}(u) w d;            score = min over k of L_k(v)
//   sum       L_k(v) = sum L_{k-1}(u) w d;            score = sum over k of L_k(v)
//   noisy-or  L_k(v) = 1 - prod(1 - min(1, L_{k-1}(u) w d));
//             score = 1 - prod over k of (1 - L_k(v))
// Labels are a node and hop, because under a hop bound the best prefix may be the longer one. Walks
// may revisit nodes. With weights * decay in (0, 1] max is the best simple path, above 1 the best
// walk of at most `hops` arcs. A self-loop is one arc. Sources: Bellman ("On a routing problem",
// 1958) and Ford (1956), with products for sums; noisy-or: Pearl, "Probabilistic Reasoning in
// Intelligent Systems", 1988, 4.3.2, walks taken as independent.
//
// The path is the walk of the score (max, min) or the best single walk (sum, noisy-or). Ties go to
// the fewest hops, smaller ids, the edge out of the node walked from (or symmetric), then smaller
// kind and label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/options.h"
#include "algorithms/common/results.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

inline constexpr int kMaxHops = 16;

enum class Aggregate : std::uint8_t { kMax, kSum, kMin, kNoisyOr };

struct TraverseOptions {
  int hops = 3;  // 0..kMaxHops.
  Direction direction = Direction::kOut;
  Aggregate aggregate = Aggregate::kMax;
  double decay = 1.0;          // In (0, 1], applied once a hop.
  std::size_t top = 100;       // Best first, ties by id. 0: all.
  bool paths = true;           // Fills TraverseHit::path.
  bool include_seeds = false;  // Lists seeds, with their weight and returning walks.
  GraphFilter filter = {};     // subset: seeds need not be in it.
  RunOptions run = {};
  // TraverseResult::resume of an earlier call. Both budgets add up.
  std::string resume = {};
};

struct TraverseHit {
  NodeId node = kNoNode;
  double score = 0;
  int hops = 0;           // Of the path.
  NodeId seed = kNoNode;  // The start of the path.
  std::vector<PathEdge> path;
};

struct TraverseResult {
  std::vector<TraverseHit> hits;
  bool truncated = false;   // By the budget. `top` does not set it.
  std::uint64_t nodes = 0;  // Labels made, seeds included.
  std::uint64_t edges = 0;  // Arcs followed.
  std::string resume;       // When truncated: a token that continues the search (README).
  // MatchPattern: hits with an empty path.
  std::uint64_t paths_left_out = 0;
};

// Computes: the best nodes within `hops` of the seeds. A seed given twice has the larger weight
//   (max, noisy-or), the smaller (min) or the sum (sum).
// Complexity: O(nodes and arcs touched), at most O(hops * (nodes + arcs)). A layer with more than
//   one node in 16 is pulled over the selection, in parallel. Under max with `top` and weights at
//   most 1, labels that cannot enter the list are skipped; the first search of this kind reads all
//   weights once. Hits are the same, but `nodes`, `edges` and the point where their budgets stop
//   then depend on the storage shape.
// Memory: a label a node and layer reached, at most O(hops * nodes).
// Errors: kInvalidArgument: hops, decay, a kind, or a seed's id or weight out of range, or a
//   `resume` of another query. kNotFound: a removed seed. kFailedPrecondition: a `resume` of
//   another version of the graph. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<TraverseResult> Traverse(const Snapshot& snapshot, std::span<const NodeWeight> seeds,
                                const TraverseOptions& options = {});

}  // namespace plexus
