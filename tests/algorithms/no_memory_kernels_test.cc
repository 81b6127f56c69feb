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
#include "algorithms/memory/never_composed.h"
#include "algorithms/memory/turns.h"
#include "algorithms/memory/visibility.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/pagerank_batch.h"
#include "algorithms/pagerank/pagerank_push.h"
#include "algorithms/pagerank/refresh_pagerank.h"
#include "algorithms/paths/distances.h"
#include "algorithms/paths/internal/distances_csr.h"
#include "algorithms/paths/shortest_path.h"
#include "algorithms/retrieval/bm25.h"
#include "algorithms/retrieval/nearest_neighbors.h"
#include "algorithms/retrieval/path_rank.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/remove_nodes.h"
#include "algorithms/retrieval/rerank.h"
#include "algorithms/retrieval/scan_nodes.h"
#include "algorithms/retrieval/term_index.h"
#include "algorithms/retrieval/text_vectors.h"
#include "algorithms/retrieval/vector_index.h"
#include "algorithms/similarity/frontier.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/bfs.h"
#include "algorithms/traversal/internal/bfs_csr.h"
#include "algorithms/traversal/multi_bfs.h"
#include "algorithms/traversal/pattern.h"
#include "algorithms/traversal/traverse.h"
#include "engine/graph.h"
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

// With a filter, which is a stage of its own.
RetrievalPlan Filtered(std::string_view name) {
  RetrievalPlan plan = FindPlan(name)->plan;
  plan.filter.where = "kind = 'node' or kind = 'memory'";
  return plan;
}

Result<RetrieveResult> RunPlan(const RetrievalPlan& plan, const Snapshot& s,
                               const std::vector<float>& query, Executor& executor) {
  const NodeWeight key{1, 1};
  return Retrieve(s, plan, {.vector = query, .space = kSpace, .keys = {&key, 1}},
                  With<RetrieveOptions>(executor));
}

std::string HitBytes(const RetrieveResult& result) {
  std::vector<double> scores;
  for (const RetrieveHit& hit : result.hits)
    scores.insert(scores.end(), {hit.score, static_cast<double>(hit.node)});
  return Bytes(scores);
}

TEST(NoMemoryKernels, Likeness) {
  static const std::vector<float> query(8, 0.5f);
  static const std::vector<NodePair> pairs = {{1, 2}, {40, 41}};
  static const RetrievalPlan dual = Filtered("dual"), multi_hop = Filtered("multi-hop");
  Fails(
      "Nearest", ASK { return Nearest(s, kSpace, query, With<NearestOptions>(executor)); },
      [](const auto& r) { return Bytes(r.nodes); });
  Fails(
      "VectorIndex",
      ASK {
        auto index = VectorIndex::Make(s, kSpace, {.links = 4, .build_width = 8});
        if (!index) return Result<IndexNearestResult>(std::unexpected(index.error()));
        if (auto update = (*index)->Update(s); !update)
          return Result<IndexNearestResult>(std::unexpected(update.error()));
        return (*index)->Nearest(s, query, {.top = 5, .width = 5, .run = {.executor = &executor}});
      },
      [](const auto& r) { return Bytes(r.nodes); });
  Fails(
      "Rerank", ASK { return Rerank(s, kSpace, query, With<RerankOptions>(executor)); },
      [](const auto& r) { return Bytes(r.hits); });
  Fails("Retrieve, dual", ASK { return RunPlan(dual, s, query, executor); }, HitBytes);
  Fails("Retrieve, multi-hop", ASK { return RunPlan(multi_hop, s, query, executor); }, HitBytes);
  Fails(
      "PairSimilarities",
      ASK { return PairSimilarities(s, pairs, With<SimilarityOptions>(executor)); },
      [](const auto& r) { return Bytes(r.pairs); });
  Fails(
      "SimilarNodes", ASK { return SimilarNodes(s, 40, With<SimilarityOptions>(executor)); },
      [](const auto& r) { return Bytes(r.nodes); });
  Fails(
      "SimilarPairs", ASK { return SimilarPairs(s, With<SimilarityOptions>(executor)); },
      [](const auto& r) { return Bytes(r.pairs); });
  for (const int arity : {2, 3})
    Fails(
        "Frontier",
        [&](const Snapshot& s, Executor& executor) {
          auto options = With<FrontierOptions>(executor);
          options.arity = arity;
          options.top = 10;
          return Frontier(s, options);
        },
        [](const auto& r) { return Bytes(r.sets); });
  static const std::vector<NodeId> few = {1, 3, 5, 6, 8, 11, 14, 20, 21, 30, 33, 40};
  for (const FrontierLens lens : {FrontierLens::kBridge, FrontierLens::kDivergent})
    Fails(
        "NeverComposed",
        [&](const Snapshot& s, Executor& executor) -> Result<NeverComposedPage> {
          PLEXUS_ASSIGN(const NodeSubset pool, NodeSubset::Of(s, few));
          NeverComposedOptions options{.lens = lens, .top = 5, .now_ms = 1500, .pool = &pool};
          options.structural_fit = true;
          options.run.executor = &executor;
          return NeverComposed(s, options);
        },
        [](const auto& r) { return Bytes(r.sets); });
  for (const char* recipe : {"similar", "temporal", "referential", "co-retrieval"})
    Fails(
        "BuildEdges",
        [&](const Snapshot& s, Executor& executor) -> Result<BuildReport> {
          PLEXUS_ASSIGN(const NodeSubset facts, NodeSubset::Of(s, few));
          BuildOptions options{.space = kSpace, .turns = &facts};
          options.run.executor = &executor;
          return BuildEdges(s, *FindRecipe(recipe), options, {});
        },
        [](const auto& r) { return std::to_string(r.added + r.dropped); });
  static const std::vector<NodeWeight> seeds = {{40, 1.0}};
  Fails(
      "RankPaths",
      ASK {
        const auto hits = Traverse(s, seeds);
        if (!hits) return Result<PathRankResult>(std::unexpected(hits.error()));
        return RankPaths(s, kSpace, query, hits->hits, With<PathRankOptions>(executor));
      },
      [](const auto& r) { return Bytes(r.hits); });
}

TEST(NoMemoryKernels, WordsAndLists) {
  static const std::vector<std::string> terms = {"graph", "delta"};
  const auto take = [](const WriteBatch&) { return Status(); };
  Fails(
      "Bm25", ASK { return Bm25(s, terms, With<Bm25Options>(executor)); },
      [](const auto& r) { return Bytes(r.matches); });
  Fails(
      "IndexTerms",
      [&](const Snapshot& s, Executor& e) {
        return IndexTerms(s, With<IndexTermsOptions>(e), take);
      },
      [](const auto& r) { return Bytes(r.texts, r.linked); });
  static const WriteBatch texts = [] {
    WriteBatch batch(3000);
    batch.SetPayload(batch.UpsertNode("a new fact"), NodeField::kText,
                     "graph of memory, delta of graph");
    return batch;
  }();
  Fails(
      "AddTerms",
      ASK {
        return OrNoMemory([&] {
          WriteBatch batch = texts;
          return AddTerms(s, {}, batch, &executor);
        });
      },
      [](const auto& r) { return Bytes(r.texts, r.linked); });
  Fails(
      "MakeTextVectors",
      [&](const Snapshot& s, Executor& e) {
        return MakeTextVectors(s, With<TextVectorOptions>(e), take);
      },
      [](const auto& r) { return Bytes(r.documents, r.added); });
  static const std::vector<TermCount> counts = {{"graph", 1}, {"delta", 2}};
  Fails(
      "TextVector", ASK { return TextVector(s, counts, With<TextVectorOptions>(executor)); },
      [](const auto& r) { return Bytes(r.values); });
  Fails(
      "VisibleNodes", ASK { return VisibleNodes(s, 1500, {.executor = &executor}); },
      [](const auto& r) { return Bytes(*r); });
  Fails(
      "ScanNodes",
      ASK {
        NodeScan scan;
        scan.column = kCreatedAt;
        return ScanNodes(s, scan);
      },
      [](const auto& r) { return Bytes(r.nodes); });
}

// Of a graph that is changed: what was removed is gone, and nothing else.
TEST(NoMemoryKernels, RemoveNodes) {
  std::int64_t n = 1;
  for (bool reached = true; reached; n = n < 40 ? n + 1 : n * 5 / 4) {
    GraphOptions plain;
    plain.executor = &SerialExecutor();
    const auto graph = Graph::InMemory(plain);
    WriteBatch batch(1000);
    for (int i = 0; i < 30; ++i)
      batch.UpsertNode("fact " + std::to_string(i), NameRef(i % 2 ? kMemory : kNode));
    ASSERT_TRUE(graph->Apply(batch));
    NodeScan scan;
    scan.kind = kMemory;
    RemoveOptions options;
    options.now_ms = 2000;
    options.batch_nodes = 4;
    const auto removed = [&] {
      FailingMemory failing(n, Failure::kOnce);
      auto report = RemoveNodes(*graph, scan, options);
      reached = failing.failed();
      return report;
    }();
    std::uint64_t of_kind = 0, others = 0;
    const Snapshot s = graph->snapshot();
    for (NodeId v = 0; v < s.node_count(); ++v)
      if (s.alive(v)) ++(s.node_kind(v) == kMemory ? of_kind : others);
    EXPECT_EQ(others, 15u) << n;
    if (removed)
      EXPECT_EQ(of_kind, 0u) << n;
    else
      EXPECT_EQ(removed.error().code, ErrorCode::kResourceExhausted) << n;
  }
  EXPECT_GT(n, 40);
}

}  // namespace
}  // namespace plexus
