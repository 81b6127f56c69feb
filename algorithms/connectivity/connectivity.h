// Connectivity: components, cut points and bridges, dominators, maximum flow, spanning forest,
// topological order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::connectivity {

// --- Connected components: weak ones ignore the direction of edges, strong ones follow it.
//
// Weak components use Afforest (Sutton, Ben-Nun, Barak, 2018): a union-find that links the larger
// root under the smaller one. A few arcs a node join most of the graph, and members of the largest
// component need no further work. Strong components use Tarjan's algorithm (1972).

struct ComponentsOptions {
  GraphFilter filter = {};
  // budget: only the deadline and the cancel flag. Weak components check them before each block of
  // at most 16,384 rows.
  RunOptions run = {};
};

struct ComponentsResult {
  std::vector<NodeId> labels;      // By NodeId: the smallest id of the component. kNoNode: none.
  std::uint64_t count = 0;         // Components.
  std::uint64_t largest = 0;       // Nodes of the largest component.
  NodeId largest_label = kNoNode;  // Of several largest ones the smaller label.
  // The budget ran out. Then all labels are kNoNode and there are 0 components.
  bool truncated = false;
};

// Computes: the weak component of every selected node.
// Complexity: almost O(nodes + arcs).
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe. Labels do not depend on the thread count.
Result<ComponentsResult> Components(const Snapshot& snapshot,
                                    const ComponentsOptions& options = {});

// Computes: the strong components, of nodes that reach each other along the direction of edges.
//   Symmetric kinds lead both ways.
// Complexity: O(nodes + arcs).
// Errors: as Components.
// Threads: thread-safe. It runs on one thread, without recursion.
Result<ComponentsResult> StrongComponents(const Snapshot& snapshot,
                                          const ComponentsOptions& options = {});

// Computes: strong components of bare rows. The row of v is targets[offsets[v], offsets[v + 1]).
//   Returns a component number for each node. A component has a smaller number than those that
//   reach it.
// Threads: thread-safe.
std::vector<std::uint32_t> StrongComponents(std::span<const std::uint32_t> offsets,
                                            std::span<const std::uint32_t> targets);

// --- Articulation points, bridges and blocks of the undirected graph.
//
// An articulation point is a node whose removal raises the number of components. A bridge is an
// edge of which the same is true. A block (biconnected component) has no articulation point of its
// own. The method is one depth-first search without recursion (Hopcroft, Tarjan, 1973). Parallel
// edges are no bridges, and loops do not count.

struct CutPointsOptions {
  bool list_blocks = false;  // True: lists the nodes of blocks, not only their number.
  GraphFilter filter = {};
  // budget: only the deadline and the cancel flag. executor: packs rows where the base arrays do
  // not serve.
  RunOptions run = {};
};

struct CutPointsResult {
  std::vector<NodeId> points;       // Articulation points, ascending.
  std::vector<PathEdge> bridges;    // By smaller end, then larger end.
  std::uint64_t nodes = 0;          // Selected nodes.
  std::uint64_t blocks = 0;         // Blocks of two nodes and more. A bridge is one of two.
  std::uint64_t largest_block = 0;  // Its nodes.
  // With list_blocks: block i holds block_nodes[block_begins[i], block_begins[i + 1]), ascending.
  // Blocks are ordered by their smallest nodes. An articulation point is in several.
  std::vector<std::uint64_t> block_begins;
  std::vector<NodeId> block_nodes;
  bool truncated = false;  // The budget ran out. Listed items are right, but incomplete.
};

// Computes: the articulation points, bridges and blocks of the selected nodes.
// Complexity: O(nodes + arcs).
// Memory: 32 bytes a node.
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe and deterministic. The search runs on one thread.
Result<CutPointsResult> CutPoints(const Snapshot& snapshot, const CutPointsOptions& options = {});

// --- Dominators: the nodes that every path from a root must pass.
//
// d dominates v when every path from the root to v passes d. The immediate dominator of v is the
// last of these nodes before v. The method is the simple version of Lengauer and Tarjan (1979),
// with path compression and without recursion.

struct DominatorsOptions {
  Direction direction = Direction::kOut;  // kIn: of the paths that lead to the root.
  GraphFilter filter = {};                // subset: the root need not be in it.
  RunOptions run = {};                    // budget: only the deadline and the cancel flag.
};

struct DominatorsResult {
  // By NodeId: the immediate dominator. kNoNode for the root and for unreached nodes.
  std::vector<NodeId> dominators;
  // By NodeId: the number of other nodes that the root reaches only through this one.
  std::vector<std::uint32_t> dominated;
  std::uint64_t reached = 0;  // Nodes, the root included.
  bool truncated = false;     // The budget ran out. Then only `reached` is filled.
};

// Computes: the dominator tree of a root. A root of the index plane reaches nothing while only fact
//   kinds are followed.
// Complexity: O(nodes + arcs * log(nodes)), nearly linear in practice.
// Memory: 40 bytes a node.
// Errors: kInvalidArgument: a kind or root out of range, or direction kBoth. kNotFound: a root that
//   was removed. kResourceExhausted: no memory.
// Threads: thread-safe, on one thread. Dominators are unique, so the result is deterministic.
Result<DominatorsResult> Dominators(const Snapshot& snapshot, NodeId root,
                                    const DominatorsOptions& options = {});

// --- Maximum flow and minimum cut between two nodes.
//
// The most that flows from source to sink when no edge carries more than its capacity equals the
// least capacity of edges whose removal separates them (Ford, Fulkerson, 1956). With unit
// capacities it is the number of edge-disjoint paths. The method is augmenting paths between two
// trees (Boykov, Kolmogorov, 2004) by Boost.Graph, on the nodes that lie on a path from source to
// sink. Parallel edges are one.
//
// Capacities are integers: weights in units of 2^-k, with the largest k that keeps their sum below
// 2^61. Rounding occurs only where weights lie farther apart; `error` then bounds it.

struct MaxFlowOptions {
  bool unit_capacities = false;  // Every edge carries 1.
  bool undirected = false;       // Edges carry as much either way, one way at a time.
  GraphFilter filter = {};       // subset: source and sink need not be in it.
  // budget: only the deadline and the cancel flag. executor: makes the network; one thread searches
  // it.
  RunOptions run = {};
};

struct MaxFlowResult {
  static constexpr std::uint64_t kMaxPairs = std::uint64_t{1} << 30;

  double flow = 0;
  double error = 0;               // The flow is off by this at most. 0: exact to f64.
  std::vector<PathEdge> cut;      // Edges from the source's side to the sink's, by node and row.
  std::uint64_t nodes = 0;        // On a path from source to sink, both included; or 0.
  std::uint64_t pairs = 0;        // Of neighbours among `nodes`.
  std::uint64_t source_side = 0;  // Of `nodes`, those on the source's side of the cut.
  bool truncated = false;         // The budget ran out. Then there is no flow and no cut.
};

// Computes: the maximum flow and the minimum cut nearest to the source, which is unique. Edges of
//   weight 0 carry nothing, unless capacities are unit ones. An index node has no flow while only
//   fact kinds are followed.
// Complexity: O(nodes^2 * pairs * paths) at worst, in practice near the size of the network.
// Memory: 32 bytes a pair and 60 a node of the network.
// Errors: kInvalidArgument: a kind or node out of range, or a source that is the sink. kNotFound:
//   an end that was removed. kResourceExhausted: more than kMaxPairs, or no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<MaxFlowResult> MaxFlow(const Snapshot& snapshot, NodeId source, NodeId sink,
                              const MaxFlowOptions& options = {});

// --- Minimum spanning forest: the cheapest edges that keep every component connected.
//
// Edges are undirected, and every component gets a tree. Of the forests of least weight it is the
// one of Kruskal (1956) when edges of equal weight are in row order: by source, kind, target,
// label. The method is Filter-Kruskal (Osipov, Sanders, Singler, 2009): the lightest edges are
// sorted and joined first, and edges that then lie inside a tree are dropped before they are
// sorted.

struct SpanningForestOptions {
  bool maximum = false;  // The heaviest edges, not the lightest.
  bool weighted = true;  // False: every edge weighs 1.
  GraphFilter filter = {};
  RunOptions run = {};  // budget: only the deadline and the cancel flag.
};

struct SpanningForestResult {
  std::vector<PathEdge> edges;  // nodes - trees of them, by source, kind, target, label.
  double weight = 0;            // The sum of their weights, added in that order.
  std::uint64_t nodes = 0;      // Selected nodes.
  std::uint64_t trees = 0;      // A node without edges is one.
  bool truncated = false;       // The budget ran out. Then only the cheapest edges of the forest.
};

// Computes: the spanning forest of the selected nodes.
// Complexity: O(nodes + arcs + light * log(light)), where light is a few times the number of nodes.
//   At worst O(arcs * log(arcs)).
// Memory: 20 to 40 bytes a light arc and a bit an arc, without the view.
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe. The result is the same at any thread count. One thread joins trees, the
//   rest is parallel.
Result<SpanningForestResult> SpanningForest(const Snapshot& snapshot,
                                            const SpanningForestOptions& options = {});

// --- Topological order: every node before the nodes that its edges point to, or the cycles that
// prevent it.
//
// Of several nodes that can come next, the smallest id comes next (Kahn, 1962). The members of a
// cycle come together, in order of id, and the rest stays in order. Nodes without followed edges
// take no part.

struct TopologicalOrderOptions {
  GraphFilter filter = {};  // kinds: none = the kinds declared acyclic.
  bool reverse = false;     // Targets first: dependencies before dependents.
  // budget: only the deadline and the cancel flag. They are checked every 65,536 steps of ordering,
  // not in the passes over all arcs before.
  RunOptions run = {};
};

struct OrderedNode {
  NodeId node = kNoNode;
  // Edges on the longest path to the node. A cycle counts as one node.
  std::uint32_t level = 0;
};

// A set of nodes that reach each other.
struct OrderCycle {
  // A shortest cycle through the smallest id, which comes first. The last node points to it. A loop
  // is one node.
  std::vector<NodeId> nodes = {};
  std::uint64_t size = 0;  // Nodes of the whole set.
};

struct TopologicalOrderResult {
  std::vector<OrderedNode> order;
  std::vector<OrderCycle> cycles;  // By smallest id. None: the order is exact.
  // The budget ran out. `order` is the beginning of the whole order, maybe empty. `cycles` are
  // those among its nodes. The rest is unknown.
  bool truncated = false;
};

// Computes: the order, every node with its level, and the cycles.
// Complexity: O(nodes + arcs). With cycles log(ordered) more a node.
// Errors: kInvalidArgument: a kind out of range, or a symmetric kind, which has no direction.
//   kFailedPrecondition: no kinds given and none declared acyclic. kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<TopologicalOrderResult> TopologicalOrder(const Snapshot& snapshot,
                                                const TopologicalOrderOptions& options = {});

}  // namespace plexus::connectivity
