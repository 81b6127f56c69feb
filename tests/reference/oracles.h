// The slow, obvious twins of the kernels. Never use them in production.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/types.h"
#include "tests/reference/flat_graph.h"

namespace plexus::reference {

// PageRank by power iteration on Eigen's sparse matrix, f64: `iterations`, or 400 when
// 0 (the fixed point at a damping of 0.85 and below). `teleport` by NodeId, empty =
// uniform over the selected nodes.
std::vector<double> PageRank(const FlatGraph& graph, double damping, bool weighted,
                             const std::vector<double>& teleport, int iterations);

enum class Fold { kMax, kMin, kSum, kNoisyOr };

// By NodeId; nullopt = not reached. Max, min and sum by enumerating every walk of
// at most `hops` arcs; noisy-or by its layer recurrence over dense arrays.
// `seeds` by NodeId, 0 = not a seed. A seed's own weight counts as a walk of no arcs.
std::vector<std::optional<double>> Traverse(const FlatGraph& graph,
                                            const std::vector<double>& seeds, int hops,
                                            double decay, Direction direction, Fold fold);

// Best product by `hops` rounds of Bellman-Ford.
std::vector<std::optional<double>> BestProduct(const FlatGraph& graph,
                                               const std::vector<double>& seeds, int hops,
                                               double decay, Direction direction);

// Best product over simple paths of at most `hops` arcs from one node, by enumeration.
std::vector<std::optional<double>> BestSimplePath(const FlatGraph& graph, NodeId from, int hops,
                                                  Direction direction);

// Depth by NodeId, 0xFFFFFFFF = unreached.
std::vector<std::uint32_t> Depths(const FlatGraph& graph, const std::vector<NodeId>& sources,
                                  Direction direction);

// Smallest id of the component by NodeId, kNoNode = not selected. By depth-first search.
std::vector<NodeId> Components(const FlatGraph& graph);

// Cost of every simple path between two nodes, cheapest first, one per sequence of
// nodes. `costs` parallel to Walkable(graph, direction); negative = closed.
struct CostedPath {
  double cost;
  std::vector<NodeId> nodes;
};
std::vector<CostedPath> AllSimplePaths(const std::vector<FlatArc>& arcs,
                                       const std::vector<double>& costs, NodeId node_count,
                                       NodeId from, NodeId to);
// The first `count` of them by (cost, hops), as Yen wrote it down in 1971.
std::vector<CostedPath> PlainYen(const std::vector<FlatArc>& arcs, const std::vector<double>& costs,
                                 NodeId node_count, NodeId from, NodeId to, std::size_t count);

// Cost of the cheapest path by Bellman-Ford; nullopt = none.
std::optional<double> CheapestCost(const std::vector<FlatArc>& arcs,
                                   const std::vector<double>& costs, NodeId node_count, NodeId from,
                                   NodeId to);

// The same to every node; infinity = none.
std::vector<double> CheapestCosts(const std::vector<FlatArc>& arcs,
                                  const std::vector<double>& costs, NodeId node_count, NodeId from);

// By NodeId, over the simple undirected graph; `directed` by LDBC Graphalytics' LCC.
struct NodeClustering {
  std::uint64_t degree = 0, triangles = 0;
  double undirected = 0, directed = 0;
};
std::vector<NodeClustering> Clusterings(const FlatGraph& graph);

// Core numbers by taking nodes away until none is too poor, for k = 0, 1, ...
std::vector<std::uint32_t> Cores(const FlatGraph& graph);

// Betweenness by counting the paths of every pair that are at most `max_hops` long. O(n^3).
std::vector<double> Betweenness(const FlatGraph& graph, bool undirected,
                                std::uint32_t max_hops = 0xFFFFFFFFu);

// What two nodes share (algorithms/similarity/similarity.h has the definitions); [a][b], by NodeId.
struct SharedLikeness {
  std::uint64_t shared = 0, neighbors_a = 0, neighbors_b = 0;
  double jaccard = 0, overlap = 0, adamic_adar = 0, resource_allocation = 0;
};
std::vector<std::vector<SharedLikeness>> Similarities(const FlatGraph& graph, Direction direction);

// Over the other nodes at most `max_hops` away, by one search a node.
struct Closeness {
  std::uint64_t reached = 0, distances = 0;
  double harmonic = 0;
};
std::vector<Closeness> Closenesses(const FlatGraph& graph, Direction direction,
                                   std::uint32_t max_hops);

// x = alpha * A'x + 1 by so many steps from 0; A' + I by so many steps from equal scores,
// Euclidean norm 1; HITS by so many steps, each sum 1.
std::vector<double> Katz(const FlatGraph& graph, double alpha, bool weighted, Direction direction,
                         int steps);
std::vector<double> Eigenvector(const FlatGraph& graph, bool weighted, Direction direction);
// Whether there are walks of any length over arcs of weight above 0.
bool HasCycle(const FlatGraph& graph, Direction direction);
struct HubsAndAuthorities {
  std::vector<double> hubs, authorities;
};
HubsAndAuthorities Hits(const FlatGraph& graph, bool weighted);

// The matrix A of algorithms/community/community.h, and by it: modularity, pair by pair; whether
// the selected nodes of every community hang together by positive entries.
std::vector<std::vector<double>> UndirectedWeights(const FlatGraph& graph, bool weighted);
double Modularity(const std::vector<std::vector<double>>& a,
                  const std::vector<std::uint32_t>& communities, double resolution);
bool Connected(const std::vector<std::vector<double>>& a,
               const std::vector<std::uint32_t>& communities, const std::vector<bool>& selected);

// The cheapest (dearest) way to keep the components together, by Kruskal's rule.
struct Forest {
  double weight = 0;
  std::uint64_t trees = 0;
};
Forest SpanningForest(const FlatGraph& graph, bool maximum, bool weighted);

// By taking away every node and every edge in turn and counting components. An edge is
// its index among the arcs that are not mirrored.
struct Cuts {
  std::vector<NodeId> points;
  std::vector<FlatArc> bridges;
};
Cuts CutPoints(const FlatGraph& graph);

// Immediate dominators by taking away every node in turn; kNoNode for the root and what
// it does not reach. `arcs` as walked.
std::vector<NodeId> Dominators(const std::vector<FlatArc>& arcs, NodeId node_count, NodeId root);

// Maximum flow by shortest augmenting paths (Edmonds, Karp); exact where sums are.
double MaxFlow(const std::vector<FlatArc>& arcs, NodeId node_count, NodeId source, NodeId sink,
               bool unit);

// Nodes that supersession leaves standing, by definition: reachability of every
// node from every node. `active` are the suppressing edges in force; `alive` the
// candidates. O(n^3).
std::vector<bool> Standing(const std::vector<bool>& alive, const std::vector<FlatArc>& active);

// BM25 of every text for a query (algorithms/retrieval/terms.h has the formula); nullopt = has none
// of the terms. A text is its terms with their frequencies.
std::vector<std::optional<double>> Bm25(const std::vector<std::map<std::string, double>>& texts,
                                        const std::vector<std::string>& query, double k1, double b);

// The vector of every text (algorithms/retrieval/vectors.h has the formula), empty = none.
std::vector<std::vector<double>> TextVectors(
    const std::vector<std::map<std::string, double>>& texts, std::uint32_t dimensions,
    std::uint64_t seed);

// How near two vectors are, in f64: the cosine (0 when either is zero), the inner product
// or the distance.
enum class Likeness { kCosine, kInnerProduct, kDistance };
double Measure(Likeness likeness, const std::vector<float>& a, const std::vector<float>& b);

// Nearest first, ties by smaller id; `vectors` by NodeId, empty = none. Distances count
// as 1 / (1 + distance).
struct Similar {
  NodeId node;
  double similarity;
};
std::vector<Similar> Nearest(const FlatGraph& graph, const std::vector<std::vector<float>>& vectors,
                             Likeness likeness, const std::vector<float>& query);

// The rerank formula by definition, over candidates in any order.
struct Reranked {
  NodeId node;
  double score, similarity, graph;
};
std::vector<Reranked> Rerank(const FlatGraph& graph, const std::vector<Similar>& candidates,
                             double boost);

// Every walk of at most `hops` arcs from `from` as a word: an arc taken along its edge is
// letter(kind), against it letter(kind) in upper case; of symmetric kinds always the
// former. By node reached and word, the best product of weights. Exponential.
std::map<std::pair<NodeId, std::string>, double> WalkWords(
    const FlatGraph& graph, NodeId from, int hops, const std::map<EdgeKindId, char>& letters);

// Never-composed sets, by looking at every pair or triple (algorithms/similarity/similarity.h has
// the definition), best first, ties by ids.
struct FrontierInput {
  std::vector<bool> facts;                       // alive facts, by NodeId: they make df
  std::vector<bool> candidates;                  // of these
  std::vector<bool> anchors;                     // empty = no anchor is asked for
  std::vector<std::pair<NodeId, NodeId>> has;    // fact, index node; doubles are fine
  std::vector<std::vector<NodeId>> events;       // members
  std::vector<std::pair<NodeId, NodeId>> links;  // mask a set that has both; empty = none
};
struct FrontierRow {
  std::vector<NodeId> members;
  double score;
  std::map<NodeId, double> shares;
};
// The `top` best, 0 = all.
std::vector<FrontierRow> Frontier(const FrontierInput& input, int arity, std::size_t top = 0);

}  // namespace plexus::reference
