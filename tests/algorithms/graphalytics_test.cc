// BFS, PR, WCC, CDLP, LCC and SSSP as LDBC Graphalytics defines them (specification
// 1.0.1, chapter "Definition"): our kernels against the values printed beside its two common
// example graphs (Apache-2.0). Random graphs: the tests of each kernel.
//
// A Graphalytics graph is simple. Undirected edges are edges of a symmetric kind here.
// What differs is told where it is used: vertex ids, "unreachable", PageRank's weights.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "algorithms/community/community.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/paths.h"
#include "algorithms/traversal/traversal.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace community;
using namespace connectivity;
using namespace pagerank;
using namespace paths;
using namespace traversal;
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Edge3 {
  NodeId source, target;
  float weight;
};

struct Graphalytics {
  NodeId n;
  bool directed;
  std::vector<Edge3> edges;

  // NodeId v is the vertex v.
  Snapshot Load(CaseGraph& g) const {
    g.AddNodes(n);
    for (const Edge3& e : edges) g.Link(e.source, directed ? kLink : kSimilar, e.target, e.weight);
    g.Commit();
    g.Compact();
    return g.snapshot();
  }
};

// What our kernels say, in Graphalytics' terms.
struct Ours {
  std::vector<double> bfs, pr, lcc, sssp;
  std::vector<NodeId> wcc, cdlp;
};

Ours Run(const Graphalytics& g, NodeId root, int iterations) {
  CaseGraph graph;
  const Snapshot s = g.Load(graph);
  Ours ours;
  // Bfs lists what it reached; all else is unreachable, Graphalytics' infinity.
  const auto reached = traversal::Bfs(s, std::vector<NodeId>{root});
  ours.bfs.assign(g.n, kInfinity);
  for (const BfsNode& node : reached.value().nodes) ours.bfs[node.node] = node.depth;
  // Ranks go along the number of out-edges, not their weights.
  PageRankOptions pr;
  pr.weighted = false;
  pr.iterations = iterations;
  ours.pr = PageRank(s, pr).value().scores;
  ours.wcc = Components(s).value().labels;
  LabelPropagationOptions cdlp;
  cdlp.iterations = iterations;
  ours.cdlp = LabelPropagation(s, cdlp).value().labels;
  ClusteringOptions lcc;
  lcc.directed = true;
  ours.lcc = Clustering(s, lcc).value().coefficients;
  DistancesOptions sssp;
  sssp.cost = PathCost::kWeight;
  ours.sssp = Distances(s, root, sssp).value().distances;
  return ours;
}

// example-directed and example-undirected. Their vertices are numbered from 1 and from 2, ours
// from 0; a shift keeps the order of ids, so the smallest label stays the smallest.
struct Printed {
  NodeId vertex;
  double lcc, pr, sssp, bfs;
  NodeId cdlp, wcc;
};

void CheckPrinted(const std::vector<Printed>& printed, bool directed, NodeId root,
                  std::vector<Edge3> edges) {
  const NodeId first = printed.front().vertex;  // becomes node 0; the order of ids stays
  for (Edge3& e : edges) {
    e.source -= first;
    e.target -= first;
  }
  const Graphalytics g{static_cast<NodeId>(printed.size()), directed, edges};
  const Ours ours = Run(g, root - first, 2);
  for (const Printed& p : printed) {
    SCOPED_TRACE(p.vertex);
    const NodeId v = p.vertex - first;
    EXPECT_NEAR(ours.lcc[v], p.lcc, 0.005001);
    EXPECT_NEAR(ours.pr[v], p.pr, 0.005001);
    if (p.sssp == kInfinity)
      EXPECT_EQ(ours.sssp[v], kInfinity);
    else
      EXPECT_NEAR(ours.sssp[v], p.sssp, 0.005001);
    EXPECT_EQ(ours.bfs[v], p.bfs);
    EXPECT_EQ(ours.cdlp[v] + first, p.cdlp);
    EXPECT_EQ(ours.wcc[v] + first, p.wcc);
  }
}

TEST(Graphalytics, ExampleDirected) {
  CheckPrinted({{1, 0.67, 0.15, 0.00, 0, 1, 1},
                {2, 0.17, 0.05, kInfinity, kInfinity, 2, 1},
                {3, 0.15, 0.16, 0.50, 1, 3, 1},
                {4, 0.05, 0.16, 0.83, 2, 4, 1},
                {5, 0.25, 0.15, 0.30, 1, 1, 1},
                {6, 0.00, 0.05, kInfinity, kInfinity, 1, 1},
                {7, 0.00, 0.05, kInfinity, kInfinity, 2, 1},
                {8, 0.83, 0.11, 0.40, 2, 3, 1},
                {9, 0.00, 0.05, kInfinity, kInfinity, 2, 1},
                {10, 0.00, 0.09, 1.02, 2, 1, 1}},
               true, 1,
               {{1, 3, 0.5f},
                {1, 5, 0.3f},
                {2, 4, 0.1f},
                {2, 5, 0.3f},
                {2, 10, 0.12f},
                {3, 1, 0.53f},
                {3, 5, 0.62f},
                {3, 8, 0.21f},
                {3, 10, 0.52f},
                {5, 3, 0.69f},
                {5, 4, 0.53f},
                {5, 8, 0.1f},
                {6, 3, 0.23f},
                {6, 4, 0.39f},
                {7, 4, 0.83f},
                {8, 1, 0.39f},
                {9, 4, 0.69f}});
}

TEST(Graphalytics, ExampleUndirected) {
  CheckPrinted({{2, 1.00, 0.09, 0.00, 0, 2, 2},
                {3, 0.33, 0.14, 0.82, 1, 3, 2},
                {4, 1.00, 0.09, 0.69, 1, 2, 2},
                {5, 0.67, 0.12, 1.26, 2, 2, 2},
                {6, 0.20, 0.17, 1.78, 3, 6, 2},
                {7, 1.00, 0.10, 2.31, 4, 5, 2},
                {8, 0.67, 0.12, 1.14, 2, 2, 2},
                {9, 1.00, 0.10, 2.01, 4, 5, 2},
                {10, 0.00, 0.06, 2.41, 4, 5, 2}},
               false, 2,
               {{2, 3, 0.9f},
                {2, 4, 0.69f},
                {3, 4, 0.13f},
                {3, 5, 0.5f},
                {3, 8, 0.32f},
                {5, 6, 0.63f},
                {5, 8, 0.12f},
                {6, 7, 0.53f},
                {6, 8, 0.64f},
                {6, 9, 0.23f},
                {6, 10, 0.63f},
                {7, 9, 0.36f}});
}

}  // namespace
}  // namespace plexus::testing
