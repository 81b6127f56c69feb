// Our side of structure.h: on a snapshot as users have it, and where a kernel takes bare
// rows (works that end in -csr) on rows that are ready made.
#include <numeric>

#include "algorithms/centrality/betweenness.h"
#include "algorithms/centrality/internal/betweenness_csr.h"
#include "algorithms/centrality/katz.h"
#include "algorithms/common/dense_view.h"
#include "algorithms/community/internal/kcore_csr.h"
#include "algorithms/community/internal/triangles_csr.h"
#include "algorithms/community/kcore.h"
#include "algorithms/community/triangles.h"
#include "algorithms/connectivity/components.h"
#include "algorithms/connectivity/topological_order.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/distances.h"
#include "algorithms/paths/internal/distances_csr.h"
#include "algorithms/paths/shortest_path.h"
#include "algorithms/traversal/multi_bfs.h"
#include "bench/peers/plexus_graph.h"
#include "bench/peers/structure.h"
#include "bench/support.h"
#include "engine/bulk/topology.h"
#include "engine/vocabulary.h"

namespace plexus::peers {
namespace {

using bench::Must;

const auto as_answer = [](const auto& values) { return Answer(values.begin(), values.end()); };

void Undirected(Peer& peer, const Snapshot& graph, Executor& executor) {
  const std::string& work = peer.work();
  if (work == "triangles") {
    TrianglesOptions options;
    options.run.executor = &executor;
    peer.Trials([&] {
      return Answer{static_cast<double>(Must(Triangles(graph, options), "triangles").triangles)};
    });
    peer.Note("the simple undirected graph made in the time");
  }
  if (work == "clustering") {
    ClusteringOptions options;
    options.run.executor = &executor;
    peer.Trials([&] { return Must(Clustering(graph, options), "clustering").coefficients; },
                as_answer);
    peer.Note("the simple undirected graph made in the time");
  }
  if (work == "kcore") {
    KCoreOptions options;
    options.run.executor = &executor;
    peer.Trials([&] { return Must(KCore(graph, options), "kcore").cores; }, as_answer);
    peer.Note("from the snapshot, two rows walked a node; peeling on 1 thread");
  }
  if (work == "betweenness") {
    BetweennessOptions options;
    options.samples = graph.node_count();
    options.run.executor = &executor;
    peer.Trials([&] { return Must(Betweenness(graph, options), "betweenness").scores; }, as_answer);
    peer.Note("exact; the simple undirected graph made in the time");
  }
}

// Neither halved nor scaled, from chosen sources: a view of a live graph and bare rows.
void BetweennessFrom(Peer& peer, const Snapshot& graph, Executor& executor) {
  const auto sources = DistinctStarts(peer);
  DenseViewOptions options;
  options.weights = false;
  options.executor = &executor;
  peer.Trials([&] {
    const DenseView view = Must(DenseView::Make(graph, options), "view");
    return BetweennessCsr(view.out(), view.in(), sources, &executor).value();
  });
  peer.Note("a DenseView of the snapshot, then BetweennessCsr");
}

void Scores(Peer& peer, const Snapshot& graph, Executor& executor) {
  if (peer.work() == "eigenvector") {
    EigenvectorOptions options;
    options.weighted = false;
    options.run.executor = &executor;
    int iterations = 0;
    peer.Trials([&] {
      EigenvectorResult result = Must(Eigenvector(graph, options), "eigenvector");
      iterations = result.iterations;
      DivideBySum(result.scores);
      return std::move(result.scores);
    });
    peer.Note(std::to_string(iterations) + " iterations, to a step of 1e-9");
  }
  if (peer.work() == "personal") {
    PageRankOptions options;
    options.tolerance = kTrueError;
    options.weighted = false;
    options.seeds = {{FirstStarts(peer)[0], 1.0}};
    options.run.executor = &executor;
    int iterations = 0;
    peer.Trials([&] {
      PageRankResult result = Must(PageRank(graph, options), "pagerank");
      iterations = result.iterations;
      return std::move(result.scores);
    });
    peer.Note(std::to_string(iterations) + " iterations, stops by a bound on the true error");
  }
}

void Ways(Peer& peer, const Snapshot& graph, Executor& executor) {
  const std::string& work = peer.work();
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  if (work == "distances") {
    DistancesOptions options;
    options.cost = PathCost::kWeight;
    options.run.executor = &executor;
    peer.Trials([&] {
      Answer answer;
      for (const NodeId start : FirstStarts(peer))
        for (double length : Must(Distances(graph, start, options), "distances").distances)
          answer.push_back(Length(length));
      return answer;
    });
    peer.Note("delta-stepping, f64");
  }
  ShortestPathOptions options;
  options.cost = PathCost::kWeight;
  if (work == "point") {
    peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
      const auto result =
          Must(ShortestPath(graph, starts[i], starts[(i + 1) % starts.size()], options), "path");
      answer.push_back(result.paths.empty() ? -1 : result.paths[0].cost);
    });
    peer.Note("Dijkstra from both ends, 1 thread");
  }
  if (work == "kpaths") {
    options.count = kPaths;
    peer.Trials([&] {
      const auto result = Must(ShortestPath(graph, starts[0], starts[1], options), "paths");
      Answer answer = {static_cast<double>(result.paths.size())};
      for (const FoundPath& path : result.paths) answer.push_back(path.cost);
      return answer;
    });
    peer.Note("Yen with Lawler's rule, 1 thread");
  }
  if (work == "strong") {
    ComponentsOptions strong;
    strong.run.executor = &executor;
    peer.Trials([&] { return Must(StrongComponents(graph, strong), "strong").labels; }, as_answer);
    peer.Note("Tarjan, 1 thread");
  }
  if (work == "order") {
    TopologicalOrderOptions order;
    order.filter.kinds = {kLink};
    order.run.executor = &executor;
    peer.Trials([&] { return Must(TopologicalOrder(graph, order), "order").order; },
                [&](const std::vector<OrderedNode>& nodes) {
                  std::vector<NodeId> ids;
                  for (const OrderedNode& node : nodes) ids.push_back(node.node);
                  return Places(graph.node_count(), ids);
                });
    peer.Note("smallest ids first, and the longest way to each; cycles looked for, 1 thread");
  }
}

// All starts in one search; depths by node, then start.
Answer LaneDepths(const MultiBfsResult& result) {
  const std::size_t nodes = result.depths.size() / result.sources;
  Answer answer(result.depths.size());
  for (std::size_t i = 0; i < result.depths.size(); ++i)
    answer[i % result.sources * nodes + i / result.sources] =
        result.depths[i] == kUnreached ? -1.0 : result.depths[i];
  return answer;
}
void LanesOf(Peer& peer, const Snapshot& graph, Executor& executor) {
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  MultiBfsOptions options;
  options.depths = true;
  options.run.executor = &executor;
  peer.Trials([&] { return Must(MultiBfs(graph, starts, options), "bfs"); }, LaneDepths);
  peer.Note("all starts in one search, MultiBfs");
}
void LanesOf(Peer& peer, const Topology& graph, Executor& executor) {
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  MultiBfsOptions options;
  options.depths = true;
  options.run.executor = &executor;
  peer.Trials([&] { return MultiBfsCsr(graph.out(), graph.in(), starts, options).value(); },
              LaneDepths);
  peer.Note("all starts in one search, MultiBfsCsr");
}

void Bare(Peer& peer, const Arcs& arcs, Executor& executor) {
  const std::string work = WithoutCsr(peer.work());
  const Topology graph = peer.Load([&] {
    std::vector<NodePair> pairs(arcs.sources.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {arcs.sources[i], arcs.targets[i]};
    TopologyOptions options;
    options.symmetrize = MeasureOnce(work);
    options.executor = &executor;
    return Must(BuildTopology(arcs.nodes, pairs, options), "building");
  });
  if (work == "triangles")
    peer.Trials(
        [&] { return Answer{static_cast<double>(TrianglesCsr(graph.out(), &executor).value())}; });
  if (work == "kcore") peer.Trials([&] { return KCoreCsr(graph.out()).value(); }, as_answer);
  if (work == "betweenness") {
    std::vector<NodeId> all(graph.node_count);
    std::iota(all.begin(), all.end(), NodeId{0});
    peer.Trials([&] { return BetweennessCsr(graph.out(), graph.in(), all, &executor).value(); },
                [](Answer scores) {
                  for (double& score : scores) score /= 2;
                  return scores;
                });
  }
  if (work == "betweenness-16") {
    const auto sources = DistinctStarts(peer);
    peer.Trials(
        [&] { return BetweennessCsr(graph.out(), graph.in(), sources, &executor).value(); });
  }
  if (work == "lanes") LanesOf(peer, graph, executor);
  if (work == "distances") {
    CsrView rows = graph.out();  // in the order of the arcs, which are by source and target
    rows.weights = arcs.weights;
    peer.Trials(
        [&] {
          std::vector<AlignedArray<float>> all;
          for (const NodeId start : FirstStarts(peer))
            all.push_back(DistancesCsr(rows, start, {.executor = &executor}).value());
          return all;
        },
        [](const std::vector<AlignedArray<float>>& all) {
          Answer answer;
          for (const auto& lengths : all)
            for (float length : lengths) answer.push_back(Length(static_cast<double>(length)));
          return answer;
        });
    peer.Note("f32");
  }
}

}  // namespace

bool Measures(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsMeasure(work)) return false;
  Executor& executor = bench::ExecutorOf(peer.threads());
  // Betweenness from chosen sources follows arcs as they are, so they go both ways.
  const Arcs arcs = MeasureArcs(all, MeasureOnce(work) && work != "betweenness-16");
  if (work.ends_with("-csr")) {
    Bare(peer, arcs, executor);
    return true;
  }
  const Snapshot graph = peer.Load([&] { return LoadLinks(arcs, executor); });
  if (work == "betweenness-16") BetweennessFrom(peer, graph, executor);
  Undirected(peer, graph, executor);
  Scores(peer, graph, executor);
  Ways(peer, graph, executor);
  if (work == "lanes") LanesOf(peer, graph, executor);
  return true;
}

}  // namespace plexus::peers
