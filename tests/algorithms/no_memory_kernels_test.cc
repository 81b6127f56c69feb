// Every kernel at its n-th allocation: an error, no end of the program, and the next call on the
// same snapshot gives what it always gives, so nothing half made was kept. A program of its own:
// it replaces operator new.
//
// All of the first allocations, then further and further apart; once alone and from then on; by
// one thread over a small graph, by two over one whose loops have several blocks.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "algorithms/centrality/betweenness.h"
#include "algorithms/centrality/closeness.h"
#include "algorithms/centrality/hits.h"
#include "algorithms/centrality/internal/betweenness_csr.h"
#include "algorithms/centrality/katz.h"
#include "algorithms/common/dense_view.h"
#include "algorithms/common/score_ranking.h"
#include "algorithms/community/internal/kcore_csr.h"
#include "algorithms/community/kcore.h"
#include "algorithms/community/label_propagation.h"
#include "algorithms/community/leiden.h"
#include "algorithms/community/triangles.h"
#include "algorithms/connectivity/biconnectivity.h"
#include "algorithms/connectivity/components.h"
#include "algorithms/connectivity/dominators.h"
#include "algorithms/connectivity/internal/components_csr.h"
#include "algorithms/connectivity/max_flow.h"
#include "algorithms/connectivity/spanning_forest.h"
#include "algorithms/connectivity/topological_order.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/pagerank_batch.h"
#include "algorithms/pagerank/pagerank_push.h"
#include "algorithms/pagerank/refresh_pagerank.h"
#include "algorithms/paths/distances.h"
#include "algorithms/paths/internal/distances_csr.h"
#include "algorithms/paths/shortest_path.h"
#include "algorithms/traversal/bfs.h"
#include "algorithms/traversal/internal/bfs_csr.h"
#include "algorithms/traversal/multi_bfs.h"
#include "algorithms/traversal/pattern.h"
#include "algorithms/traversal/traverse.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"
#include "tests/algorithms/no_memory_kernels.h"
#include "tests/support/failing_memory.h"

namespace plexus {
namespace {

TEST(NoMemoryKernels, PageRank) {
  const auto scores = [](const auto& r) { return Bytes(r.scores); };
  Fails("PageRank", ASK { return PageRank(s, With<PageRankOptions>(executor)); }, scores);
  Fails(
      "PageRank again",
      ASK {
        static std::vector<double> start;
        start.resize(s.node_count(), 1.0 / s.node_count());  // once for each graph
        const auto options = With<PageRankOptions>(executor);
        return RefreshPageRank(s, {std::span<const double>(start).first(s.node_count())}, options);
      },
      scores);
  Fails(
      "PageRankRefresher",
      ASK->Result<PageRankResult> {
        PageRankRefresher refresher(With<PageRankOptions>(executor));
        PLEXUS_TRY(refresher.Refresh(s));
        PLEXUS_ASSIGN(const PageRankResult* const last, refresher.Refresh(s));
        return OrNoMemory([&] { return Result<PageRankResult>(*last); });
      },
      scores);
  const std::vector<std::vector<NodeWeight>> sets = {{{1, 1.0}}, {{2, 0.5}, {3, 0.5}}};
  Fails(
      "PageRankBatch",
      [&](const Snapshot& s, Executor& executor) {
        auto options = With<PageRankOptions>(executor);
        options.precision = Precision::kF32;
        options.iterations = 5;
        return PageRankBatch(s, sets, options);
      },
      scores);
  const std::vector<NodeWeight> seeds = {{1, 1.0}};
  Fails(
      "PageRankPush", [&](const Snapshot& s, Executor&) { return PageRankPush(s, seeds); },
      [](const auto& r) { return Bytes(r.top); });
  static const std::vector<double> ones(100, 1.0);
  static const NodeSubset some(100, std::vector<std::uint64_t>{7, 0});
  Fails(
      "PercentileRanks", ASK { return PercentileRanks(ones, some); },
      [](const auto& r) { return Bytes(r); });
  Fails(
      "ScaleByMaximum", ASK { return ScaleByMaximum(ones, some); },
      [](const auto& r) { return Bytes(r); });
  Fails(
      "TopScores", ASK { return TopScores(ones, some, 3); },
      [](const auto& r) { return Bytes(r); });
}

TEST(NoMemoryKernels, Walks) {
  static const std::vector<NodeId> sources = {40, 17};
  static const std::vector<NodeWeight> seeds = {{40, 1.0}, {17, 0.5}};
  const auto hits = [](const auto& r) { return Bytes(r.hits); };
  Fails(
      "Bfs", ASK { return Bfs(s, sources, With<BfsOptions>(executor)); },
      [](const auto& r) { return Bytes(r.nodes); });
  Fails(
      "BfsCsr", ASK { return BfsCsr(s.base().out(), s.base().in(), 40, {true, &executor}); },
      [](const auto& r) { return Bytes(r.parents, r.depths); });
  Fails(
      "MultiBfs", ASK { return MultiBfs(s, sources, With<MultiBfsOptions>(executor)); },
      [](const auto& r) { return Bytes(r.depths); });
  Fails(
      "MultiBfsCsr",
      ASK {
        return MultiBfsCsr(s.base().out(), s.base().in(), sources,
                           {.depths = true, .run = {.executor = &executor}});
      },
      [](const auto& r) { return Bytes(r.depths); });
  for (const Aggregate how : {Aggregate::kMax, Aggregate::kSum})
    Fails(
        "Traverse",
        [&](const Snapshot& s, Executor& executor) {
          auto options = With<TraverseOptions>(executor);
          options.aggregate = how;
          return Traverse(s, seeds, options);
        },
        hits);
  Fails(
      "ShortestPath",
      ASK {
        ShortestPathOptions options;
        options.cost = PathCost::kLogWeight;
        options.count = 3;
        return ShortestPath(s, 40, 0, options);
      },
      [](const auto& r) { return Bytes(r.paths); });
  Fails(
      "Distances", ASK { return Distances(s, 40, With<DistancesOptions>(executor)); },
      [](const auto& r) { return Bytes(r.distances); });
  Fails(
      "MatchPattern",
      ASK {
        const auto pattern = PathPattern::Parse("supports/(causes|depends_on)*", s.schema());
        if (!pattern) return Result<TraverseResult>(std::unexpected(pattern.error()));
        return MatchPattern(s, *pattern, seeds);
      },
      hits);
  Fails(
      "DistancesCsr",
      ASK { return DistancesCsr(s.base().out(), 40, {.delta = 0, .executor = &executor}); },
      [](const auto& r) { return Bytes(r); });
  Fails(
      "Dominators", ASK { return Dominators(s, 40, With<DominatorsOptions>(executor)); },
      [](const auto& r) { return Bytes(r.dominators); });
  Fails(
      "MaxFlow", ASK { return MaxFlow(s, 40, 0, With<MaxFlowOptions>(executor)); },
      [](const auto& r) { return Bytes(r.flow, r.cut); });
}

TEST(NoMemoryKernels, Parts) {
  Fails(
      "Components", ASK { return Components(s, With<ComponentsOptions>(executor)); },
      [](const auto& r) { return Bytes(r.labels); });
  Fails(
      "ComponentsCsr", ASK { return ComponentsCsr(s.base().out(), s.base().in(), &executor); },
      [](const auto& r) { return Bytes(r); });
  Fails(
      "StrongComponents", ASK { return StrongComponents(s, With<ComponentsOptions>(executor)); },
      [](const auto& r) { return Bytes(r.labels); });
  Fails(
      "CutPoints",
      ASK { return CutPoints(s, {.list_blocks = true, .run = {.executor = &executor}}); },
      [](const auto& r) { return Bytes(r.points, r.bridges, r.block_nodes); });
  Fails(
      "SpanningForest", ASK { return SpanningForest(s, With<SpanningForestOptions>(executor)); },
      [](const auto& r) { return Bytes(r.edges); });
  Fails(
      "TopologicalOrder",
      ASK { return TopologicalOrder(s, With<TopologicalOrderOptions>(executor)); },
      [](const auto& r) { return Bytes(r.order); });
  Fails(
      "Leiden", ASK { return Leiden(s, With<LeidenOptions>(executor)); },
      [](const auto& r) { return Bytes(r.communities, r.modularity); });
  static const std::vector<std::uint32_t> thirds = [] {
    std::vector<std::uint32_t> parts(Large().graph->snapshot().node_count());
    for (std::size_t v = 0; v < parts.size(); ++v) parts[v] = static_cast<std::uint32_t>(v % 3);
    return parts;
  }();
  Fails(
      "Modularity",
      ASK {
        return Modularity(s, std::span(thirds).first(s.node_count()),
                          With<LeidenOptions>(executor));
      },
      [](double modularity) { return Bytes(modularity); });
  Fails(
      "LabelPropagation",
      ASK { return LabelPropagation(s, With<LabelPropagationOptions>(executor)); },
      [](const auto& r) { return Bytes(r.labels); });
  Fails(
      "KCore", ASK { return KCore(s, With<KCoreOptions>(executor)); },
      [](const auto& r) { return Bytes(r.cores); });
  Fails(
      "KCoreCsr", ASK { return KCoreCsr(s.base().out()); }, [](const auto& r) { return Bytes(r); });
  Fails(
      "DenseView", ASK { return DenseView::Make(s, With<DenseViewOptions>(executor)); },
      [](const auto& r) { return Bytes(r.node_count()); });
  Fails(
      "Triangles", ASK { return Triangles(s, With<TrianglesOptions>(executor)); },
      [](const auto& r) { return Bytes(r.triangles); });
  Fails(
      "Clustering", ASK { return Clustering(s, With<ClusteringOptions>(executor)); },
      [](const auto& r) { return Bytes(r.coefficients); });
}

TEST(NoMemoryKernels, Centrality) {
  Fails(
      "Betweenness",
      ASK { return Betweenness(s, {.samples = 24, .run = {.executor = &executor}}); },
      [](const auto& r) { return Bytes(r.scores); });
  static const std::vector<NodeId> sources = {3, 40};
  Fails(
      "BetweennessCsr",
      ASK { return BetweennessCsr(s.base().out(), s.base().in(), sources, &executor); },
      [](const auto& r) { return Bytes(r); });
  Fails(
      "Closeness", ASK { return Closeness(s, {.samples = 70, .run = {.executor = &executor}}); },
      [](const auto& r) { return Bytes(r.closeness); });
  Fails(
      "Katz", ASK { return Katz(s, With<KatzOptions>(executor)); },
      [](const auto& r) { return Bytes(r.scores); });
  Fails(
      "Eigenvector",
      ASK {
        return Eigenvector(s, {.direction = Direction::kBoth, .run = {.executor = &executor}});
      },
      [](const auto& r) { return Bytes(r.scores); });
  Fails(
      "Hits", ASK { return Hits(s, With<HitsOptions>(executor)); },
      [](const auto& r) { return Bytes(r.hubs); });
}

}  // namespace
}  // namespace plexus
