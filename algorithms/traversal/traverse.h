// Traverse: weighted multi-hop search from seeds, exact, with the path as proof.
//
// Value of a walk of k hops = seed weight * product over its arcs of (weight *
// decay). Per node the values of all walks of 1..hops arcs are aggregated, layer
// by layer (L0 = the seeds; every recurrence runs over the arcs u->v followed):
//   max       L_k(v) = max L_{k-1}(u) w d;            score = max over k of L_k(v)
//   min       L_k(v) = min L_{k-1}(u) w d;            score = min over k of L_k(v)
//   sum       L_k(v) = sum L_{k-1}(u) w d;            score = sum over k of L_k(v)
//   noisy-or  L_k(v) = 1 - prod(1 - min(1, L_{k-1}(u) w d));
//             score = 1 - prod over k of (1 - L_k(v))
// One label per node AND hop: with a hop bound, the best prefix may be the longer
// one, and a single label per node would lose it. Under max (min) a label that is
// no better than an earlier one of the same node is dropped, which is exact: the
// earlier one has more hops left. Walks may revisit nodes; with weights * decay
// in (0, 1] a cycle never improves a product, so max is then the best simple path.
// Above 1 it is the best walk of at most `hops` arcs. A self-loop is one arc, under kBoth too.
// Sources: max and min are `hops` rounds of the recurrence of Bellman ("On a routing problem",
// 1958) and Ford (1956) with products for sums, the other two the same rounds with another sum;
// noisy-or as in Pearl, "Probabilistic Reasoning in Intelligent Systems", 1988, 4.3.2, walks taken
// as independent.
//
// The path is the walk that gave the score (max, min) or the best single walk
// (sum, noisy-or); among equals the fewest hops, then smaller ids, then the edge that points
// out of the node walked from (or is symmetric), then the smaller kind and label.
//
// A small query costs O(nodes and arcs touched). A layer that holds more than one
// node in 16 is computed by pulling over all nodes, in parallel: O(nodes + arcs) of the whole
// selection for that layer, so no search takes more than O(hops * (nodes + arcs)), and
// labels, one a node and layer that reaches it, no more memory than O(hops * nodes). Under max,
// with `top` given and no weight above 1, what cannot be among the best is left out once some 256
// arcs were followed. The hits, paths included, are the same; `nodes` and `edges` then
// count what was looked at, which depends on how the graph is stored: rows in a delta are
// counted arc by arc, rows of the base as a whole, so a compacted graph may count
// otherwise, and with a budget of nodes or edges stop elsewhere (other `truncated`, other
// hits in a truncated reply). The first such search of a graph looks once at all its weights.
// Searches out of or into nodes of a base with few arcs a node make, once they followed a 32nd of
// it, 16 bytes a node that later ones read instead of three arrays
// (traversal/internal/row_descriptors.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/edge_step.h"
#include "algorithms/common/graph_filter.h"
#include "algorithms/common/node_weight.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

inline constexpr int kMaxHops = 16;

enum class Aggregate : std::uint8_t { kMax, kSum, kMin, kNoisyOr };

struct TraverseOptions {
  int hops = 3;  // 0..kMaxHops
  Direction direction = Direction::kOut;
  Aggregate aggregate = Aggregate::kMax;
  double decay = 1.0;          // in (0, 1], applied once per hop
  std::size_t top = 100;       // best first, ties by id; 0 = all
  bool paths = true;           // fill TraverseHit::path
  bool include_seeds = false;  // seeds are never listed unless set (score: their own
                               // weight and the walks that return)
  // subset: such as the visible nodes; seeds need not be in it.
  GraphFilter filter = {};
  RunOptions run = {};
  std::string
      resume;  // TraverseResult::resume of an earlier call: its budget and this one's together
};

struct TraverseHit {
  NodeId node = kNoNode;
  double score = 0;
  int hops = 0;           // of the path
  NodeId seed = kNoNode;  // where the path starts
  std::vector<PathEdge> path;
};

struct TraverseResult {
  std::vector<TraverseHit> hits;
  bool truncated = false;   // by the budget; `top` alone does not set it
  std::uint64_t nodes = 0;  // labels made, seeds included
  std::uint64_t edges = 0;  // arcs followed
  std::string resume;       // when truncated: goes on from here, see README "Going on"
  std::uint64_t paths_left_out =
      0;  // MatchPattern alone: hits whose path was too much to spell out
};

// Thread-safe. kInvalidArgument: hops, decay, a kind, a seed's id or weight out of
// range, a `resume` that does not belong to this question; kNotFound: a seed that was
// removed; kFailedPrecondition: a `resume` of another version of the graph. The same seed twice:
// the larger weight (max, noisy-or), the smaller (min), the sum (sum).
Result<TraverseResult> Traverse(const Snapshot& snapshot, std::span<const NodeWeight> seeds,
                                const TraverseOptions& options = {});

}  // namespace plexus
