// The GAP kernels of `gap`, each with the serial check that judges it.
//
// A kernel is ours (algorithms/ and engine/ over bare arrays); a check is slow,
// obvious and shares nothing with it. Checks return "" or what is wrong.
#pragma once

#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "algorithms/pagerank/internal/pagerank_csr.h"
#include "algorithms/traversal/internal/bfs_csr.h"
#include "algorithms/traversal/traversal.h"
#include "bench/graphs/uniform_draw.h"
#include "engine/bulk/topology.h"

namespace plexus::bench {

// What does not change from run to run: 1 / out-degree, and the layout that pays within
// `iterations` (null = pull).
struct GapPageRankInput {
  std::vector<float> reciprocal;
  std::shared_ptr<const pagerank::internal::PageRankTiles> layout;
};
GapPageRankInput PreparePageRank(const Topology& graph, int iterations);

// PageRank as the suite defines it: f32, all scores 1/n at first, damping 0.85, the
// mass of nodes without out-arcs is lost (Plexus itself redistributes it), at most
// `iterations`, an early stop when the L1 change falls below `tolerance` (0: never).
std::vector<float> GapPageRank(const Topology& graph, const GapPageRankInput& input, int iterations,
                               double tolerance);

// Against the same number of iterations in f64, pushed, serially: L1 within 1e-4.
std::string CheckPageRank(const Topology& graph, std::span<const float> scores, int iterations,
                          double tolerance);
// Reached exactly what a serial search reaches; parents are one level up.
std::string CheckBfs(const Topology& graph, NodeId source, const traversal::BfsCsrResult& result);
// Same partition as a serial union-find.
std::string CheckComponents(const Topology& graph, std::span<const NodeId> labels);
// As many as intersecting the sorted rows of every edge's ends finds.
std::string CheckTriangles(const Topology& graph, std::uint64_t count);
// Costs equal those of a heap (Dijkstra, 1959).
std::string CheckDistances(const CsrView& out, NodeId source, std::span<const float> distances);
// Brandes once more, levels by hand: every sum within 1e-9 of the largest.
std::string CheckBetweenness(const Topology& graph, std::span<const NodeId> sources,
                             std::span<const double> scores);
// Same rows as sorting the pairs.
std::string CheckBuild(std::span<const NodePair> pairs, bool symmetrize, const Topology& graph);

// Non-isolated start nodes in the suite's order.
class SourcePicker {
 public:
  // REQUIRES a node with an out-arc.
  explicit SourcePicker(const Topology& graph)
      : graph_(graph), random_(27491095), draw_(graph.node_count - 1, random_) {}
  NodeId Next() {
    NodeId node = draw_();
    while (graph_.out().degree(node) == 0) node = draw_();
    return node;
  }

 private:
  const Topology& graph_;
  std::mt19937_64 random_;
  UniformDraw<std::mt19937_64> draw_;
};

}  // namespace plexus::bench
