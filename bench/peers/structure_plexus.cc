// Our side of connectivity.h: on a snapshot as users have it, and where a kernel takes bare
// rows (works that end in -csr) on rows that are ready made.
#include <numeric>

#include "algorithms/centrality/centrality.h"
#include "algorithms/centrality/internal/betweenness_csr.h"
#include "algorithms/common/common.h"
#include "algorithms/community/community.h"
#include "algorithms/community/internal/community_csr.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/internal/distances_csr.h"
#include "algorithms/paths/paths.h"
#include "algorithms/traversal/traversal.h"
#include "bench/peers/plexus_graph.h"
#include "bench/peers/structure.h"
#include "bench/support.h"
#include "engine/vocabulary.h"

namespace plexus::peers {
namespace {

using bench::Must;

std::string Iterations(int iterations, const char* stop) {
  return std::to_string(iterations) + " iterations, " + stop;
}

std::vector<Work> NodeScores(Peer& peer, const Snapshot& graph, Executor& executor) {
  constexpr char kUndirected[] = "the simple undirected graph made in the time";
  return {
      {"triangles", kUndirected,
       [&] {
         peer.Trials([&] {
           const auto found = Must(
               community::Triangles(graph, On<community::TrianglesOptions>(executor)), "triangles");
           return Answer{static_cast<double>(found.triangles)};
         });
       }},
      {"clustering", kUndirected,
       [&] {
         peer.Trials([&] {
           return Must(community::Clustering(graph, On<community::ClusteringOptions>(executor)),
                       "clustering")
               .coefficients;
         });
       }},
      {"kcore", "from the snapshot, two rows walked a node; peeling on 1 thread",
       [&] {
         peer.Trials(
             [&] {
               return Must(community::KCore(graph, On<community::KCoreOptions>(executor)), "kcore")
                   .cores;
             },
             [](const auto& cores) { return AsAnswer(cores); });
       }},
      {"betweenness", std::string("exact; ") + kUndirected,
       [&] {
         auto options = On<centrality::BetweennessOptions>(executor);
         options.samples = graph.node_count();
         peer.Trials(
             [&] { return Must(centrality::Betweenness(graph, options), "betweenness").scores; });
       }},
      // Neither halved nor scaled, from chosen sources: a view of a live graph and bare rows.
      {"betweenness-16", "a DenseView of the snapshot, then BetweennessCsr",
       [&] {
         const auto sources = DistinctStarts(peer);
         DenseViewOptions options;
         options.weights = false;
         options.executor = &executor;
         peer.Trials([&] {
           const DenseView view = Must(DenseView::Make(graph, options), "view");
           return centrality::BetweennessCsr(view.out(), view.in(), sources, &executor).value();
         });
       }},
      {"eigenvector", "",
       [&] {
         auto options = On<centrality::EigenvectorOptions>(executor);
         options.weighted = false;
         int iterations = 0;
         peer.Trials([&] {
           centrality::EigenvectorResult result =
               Must(centrality::Eigenvector(graph, options), "eigenvector");
           iterations = result.iterations;
           DivideBySum(result.scores);
           return std::move(result.scores);
         });
         peer.Note(Iterations(iterations, "to a step of 1e-9"));
       }},
      {"personal", "", [&] {
         auto options = On<pagerank::PageRankOptions>(executor);
         options.tolerance = kTrueError;
         options.weighted = false;
         options.seeds = {{FirstStarts(peer)[0], 1.0}};
         int iterations = 0;
         peer.Trials([&] {
           pagerank::PageRankResult result = Must(PageRank(graph, options), "pagerank");
           iterations = result.iterations;
           return std::move(result.scores);
         });
         peer.Note(Iterations(iterations, "stops by a bound on the true error"));
       }}};
}

// All starts in one search; depths by node, then start.
Answer LaneDepths(const traversal::MultiBfsResult& result) {
  const std::size_t nodes = result.depths.size() / result.sources;
  Answer answer(result.depths.size());
  for (std::size_t i = 0; i < result.depths.size(); ++i)
    answer[i % result.sources * nodes + i / result.sources] =
        result.depths[i] == traversal::kUnreached ? -1.0 : result.depths[i];
  return answer;
}
traversal::MultiBfsOptions Lanes(Executor& executor) {
  auto options = On<traversal::MultiBfsOptions>(executor);
  options.depths = true;
  return options;
}

std::vector<Work> Ways(Peer& peer, const Snapshot& graph, const std::vector<NodeId>& starts,
                       Executor& executor) {
  return {{"distances", "delta-stepping, f64",
           [&] {
             auto options = On<paths::DistancesOptions>(executor);
             options.cost = paths::PathCost::kWeight;
             peer.Trials([&] {
               Answer answer;
               for (const NodeId start : FirstStarts(peer))
                 for (double length :
                      Must(paths::Distances(graph, start, options), "distances").distances)
                   answer.push_back(Length(length));
               return answer;
             });
           }},
          {"point", "Dijkstra from both ends, 1 thread",
           [&] {
             paths::ShortestPathOptions options;
             options.cost = paths::PathCost::kWeight;
             peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
               const auto result = Must(
                   paths::ShortestPath(graph, starts[i], starts[(i + 1) % starts.size()], options),
                   "path");
               answer.push_back(result.paths.empty() ? -1 : result.paths[0].cost);
             });
           }},
          {"kpaths", "Yen with Lawler's rule, 1 thread",
           [&] {
             paths::ShortestPathOptions options;
             options.cost = paths::PathCost::kWeight;
             options.count = kPaths;
             peer.Trials([&] {
               Answer answer;
               AppendList(
                   Must(paths::ShortestPath(graph, starts[0], starts[1], options), "paths").paths,
                   answer, [](const paths::FoundPath& path) { return Row(path.cost); });
               return answer;
             });
           }},
          {"strong", "Tarjan, 1 thread",
           [&] {
             peer.Trials(
                 [&] {
                   return Must(connectivity::StrongComponents(
                                   graph, On<connectivity::ComponentsOptions>(executor)),
                               "strong")
                       .labels;
                 },
                 [](const auto& labels) { return AsAnswer(labels); });
           }},
          {"order", "smallest ids first, and the longest way to each; cycles looked for, 1 thread",
           [&] {
             auto options = On<connectivity::TopologicalOrderOptions>(executor);
             options.filter.kinds = {builtin::kLink};
             peer.Trials(
                 [&] {
                   return Must(connectivity::TopologicalOrder(graph, options), "order").order;
                 },
                 [&](const std::vector<connectivity::OrderedNode>& nodes) {
                   std::vector<NodeId> ids;
                   for (const connectivity::OrderedNode& node : nodes) ids.push_back(node.node);
                   return Places(graph.node_count(), ids);
                 });
           }},
          {"lanes", "all starts in one search, MultiBfs", [&] {
             peer.Trials(
                 [&] { return Must(traversal::MultiBfs(graph, starts, Lanes(executor)), "bfs"); },
                 LaneDepths);
           }}};
}

std::vector<Work> OnBareRows(Peer& peer, const Arcs& arcs, const Topology& graph,
                             const std::vector<NodeId>& starts, Executor& executor) {
  return {
      {"triangles-csr", "",
       [&] {
         peer.Trials([&] {
           return Answer{
               static_cast<double>(community::TrianglesCsr(graph.out(), &executor).value())};
         });
       }},
      {"kcore-csr", "",
       [&] {
         peer.Trials([&] { return community::KCoreCsr(graph.out()).value(); },
                     [](const auto& cores) { return AsAnswer(cores); });
       }},
      {"betweenness-csr", "",
       [&] {
         std::vector<NodeId> all(graph.node_count);
         std::iota(all.begin(), all.end(), NodeId{0});
         peer.Trials(
             [&] {
               return centrality::BetweennessCsr(graph.out(), graph.in(), all, &executor).value();
             },
             [](Answer scores) {
               for (double& score : scores) score /= 2;
               return scores;
             });
       }},
      {"betweenness-16-csr", "",
       [&] {
         const auto sources = DistinctStarts(peer);
         peer.Trials([&] {
           return centrality::BetweennessCsr(graph.out(), graph.in(), sources, &executor).value();
         });
       }},
      {"lanes-csr", "all starts in one search, MultiBfsCsr",
       [&] {
         peer.Trials(
             [&] {
               return traversal::MultiBfsCsr(graph.out(), graph.in(), starts, Lanes(executor))
                   .value();
             },
             LaneDepths);
       }},
      {"distances-csr", "f32", [&] {
         CsrView rows = graph.out();  // in the order of the arcs, which are by source and target
         rows.weights = arcs.weights;
         peer.Trials(
             [&] {
               std::vector<AlignedArray<float>> all;
               for (const NodeId start : FirstStarts(peer))
                 all.push_back(paths::DistancesCsr(rows, start, {.executor = &executor}).value());
               return all;
             },
             [](const std::vector<AlignedArray<float>>& all) {
               Answer answer;
               for (const auto& lengths : all)
                 for (float length : lengths) answer.push_back(Length(static_cast<double>(length)));
               return answer;
             });
       }}};
}

}  // namespace

bool Measures(Peer& peer, const Arcs& all) {
  const std::string work = WithoutCsr(peer.work());
  if (!IsMeasure(work)) return false;
  Executor& executor = bench::ExecutorOf(peer.threads());
  // Betweenness from chosen sources follows arcs as they are, so they go both ways.
  const Edges arcs = {WeightedArcs(all, MeasureOnce(work) && peer.work() != "betweenness-16")};
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  if (peer.work() != work) {
    const Topology graph = peer.Load([&] { return Bare(arcs, MeasureOnce(work), executor); });
    return peer.RunOneOf(OnBareRows(peer, arcs, graph, starts, executor));
  }
  const Snapshot graph = peer.Load([&] { return InRam(arcs, executor); });
  return peer.RunOneOf(NodeScores(peer, graph, executor)) ||
         peer.RunOneOf(Ways(peer, graph, starts, executor));
}

}  // namespace plexus::peers
