// Rows of kernels on a graph as it is: walks, ranks, parts, centrality.
#include <memory>
#include <vector>

#include "algorithms/centrality/centrality.h"
#include "algorithms/centrality/internal/betweenness_csr.h"
#include "algorithms/common/common.h"
#include "algorithms/community/community.h"
#include "algorithms/community/internal/community_csr.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/connectivity_csr.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/internal/distances_csr.h"
#include "algorithms/paths/paths.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/internal/bfs_csr.h"
#include "algorithms/traversal/traversal.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"
#include "tests/support/kernels/kernel.h"

namespace plexus::testing {

namespace {

// Arcs of the base, for kernels that read no weights.
CsrView OutOf(const Snapshot& s) { return s.base_rows(Direction::kOut).Unweighted(); }
CsrView InOf(const Snapshot& s) { return s.base_rows(Direction::kIn).Unweighted(); }

const std::vector<NodeId> kSources = {40, 17};
const std::vector<NodeWeight> kSeeds = {{40, 1.0}, {17, 0.5}};
const std::vector<std::vector<NodeWeight>> kSets = {{{40, 1.0}}, {{17, 0.5}, {3, 0.5}}};
const std::vector<NodePair> kPairs = {{1, 2}, {40, 41}};

void AddWalks(KernelRows& rows) {
  for (const Direction direction : {Direction::kOut, Direction::kBoth})
    rows.Add(
        direction == Direction::kOut ? "Bfs" : "Bfs both ways", FILTERED {
          return traversal::Bfs(s, kSources,
                                {.direction = direction, .filter = filter, .run = run});
        });
  rows.AddOfBase(
      "BfsCsr", ASK { return traversal::BfsCsr(OutOf(s), InOf(s), 40, {true, run.executor}); });
  rows.Add(
      "MultiBfs", FILTERED {
        return traversal::MultiBfs(s, kSources, {.depths = true, .filter = filter, .run = run});
      });
  rows.AddOfBase(
      "MultiBfsCsr", ASK {
        return traversal::MultiBfsCsr(OutOf(s), InOf(s), kSources, {.depths = true, .run = run});
      });
  for (const traversal::Aggregate how :
       {traversal::Aggregate::kMax, traversal::Aggregate::kMin, traversal::Aggregate::kSum,
        traversal::Aggregate::kNoisyOr})
    rows.Add(
        "Traverse " + std::to_string(static_cast<int>(how)), FILTERED {
          return traversal::Traverse(s, kSeeds,
                                     {.hops = 4,
                                      .direction = Direction::kBoth,
                                      .aggregate = how,
                                      .top = how == traversal::Aggregate::kMax ? 20u : 0u,
                                      .filter = filter,
                                      .run = run});
        });
  for (const traversal::PatternOrder order :
       {traversal::PatternOrder::kFewestHops, traversal::PatternOrder::kBestProduct})
    rows.Add(
        "MatchPattern " + std::to_string(static_cast<int>(order)),
        ASK->Result<traversal::TraverseResult> {
          PLEXUS_ASSIGN(
              const traversal::PathPattern pattern,
              traversal::PathPattern::Parse("(supports|^causes)+ relates_to?", s.schema()));
          return traversal::MatchPattern(s, pattern, kSeeds,
                                         {.order = order, .hops = 5, .run = run});
        });
  for (const paths::PathCost cost :
       {paths::PathCost::kHops, paths::PathCost::kLogWeight, paths::PathCost::kWeight}) {
    rows.Add(
        "ShortestPath " + std::to_string(static_cast<int>(cost)), FILTERED {
          return paths::ShortestPath(s, 40, 0,
                                     {.cost = cost, .count = 3, .filter = filter, .run = run});
        });
    rows.Add(
        "Distances " + std::to_string(static_cast<int>(cost)),
        FILTERED { return paths::Distances(s, 40, {.cost = cost, .filter = filter, .run = run}); });
  }
  rows.AddOfBase(
      "DistancesCsr", ASK->Result<AlignedArray<float>> {
        PLEXUS_ASSIGN(const DenseView view, DenseView::Make(s, {.in = false}));
        return paths::DistancesCsr(view.out(), 40, {.delta = 0, .executor = run.executor});
      });
}

void AddRanks(KernelRows& rows) {
  for (const pagerank::Precision precision : {pagerank::Precision::kF64, pagerank::Precision::kF32})
    rows.Add(
        precision == pagerank::Precision::kF64 ? "PageRank" : "PageRank, single", FILTERED {
          pagerank::PageRankOptions options{.filter = filter, .run = run};
          options.precision = precision;
          options.tolerance = 1e-5;
          return pagerank::PageRank(s, options);
        });
  rows.Add(
      "PageRank, personalised", FILTERED->Result<pagerank::PageRankResult> {
        PLEXUS_ASSIGN(const pagerank::PageRankOptions options, OrNoMemory([&] {
                        return Result<pagerank::PageRankOptions>(
                            {.seeds = kSeeds, .filter = filter, .run = run});
                      }));
        return pagerank::PageRank(s, options);
      });
  rows.Add(
      "RefreshPageRank", FILTERED->Result<pagerank::PageRankResult> {
        PLEXUS_ASSIGN(std::vector<double> start, OrNoMemory([&] {
                        return Result<std::vector<double>>(std::in_place, s.node_count(), 1.0);
                      }));
        for (std::size_t v = 0; v < start.size(); v += 5) start[v] *= 1.1;
        return pagerank::RefreshPageRank(s, {start},
                                         {.tolerance = 1e-7, .filter = filter, .run = run});
      });
  // No filter: over a layout of the base its bits tell where the base ends.
  rows.Add(
      "PageRankRefresher", ASK->Result<pagerank::PageRankResult> {
        pagerank::PageRankRefresher refresher({.run = run});
        PLEXUS_TRY(refresher.Refresh(s));
        PLEXUS_ASSIGN(const pagerank::PageRankResult* const last, refresher.Refresh(s));
        return OrNoMemory([&] { return Result<pagerank::PageRankResult>(*last); });
      });
  rows.Add(
      "PageRankBatch", FILTERED {
        pagerank::PageRankOptions options{.filter = filter, .run = run};
        options.precision = pagerank::Precision::kF32;
        options.iterations = 5;
        return pagerank::PageRankBatch(s, kSets, options);
      });
  rows.Add("PageRankPush",
           FILTERED { return pagerank::PageRankPush(s, kSeeds, {.filter = filter, .run = run}); },
           std::identity(), {.pushes = true});
  static const std::vector<double> ones(100, 1.0);
  static const NodeSubset some(100, std::vector<std::uint64_t>{7, 0});
  rows.Add(
      "PercentileRanks", ASK { return PercentileRanks(ones, some); });
  rows.Add(
      "ScaleByMaximum", ASK { return ScaleByMaximum(ones, some); });
  rows.Add(
      "TopScores", ASK { return TopScores(ones, some, 3); });

  rows.Add(
      "Betweenness", FILTERED {
        return centrality::Betweenness(s, {.samples = 24, .filter = filter, .run = run});
      });
  rows.AddOfBase(
      "BetweennessCsr",
      ASK { return centrality::BetweennessCsr(OutOf(s), InOf(s), kSources, run.executor); });
  rows.Add(
      "Closeness",
      FILTERED { return centrality::Closeness(s, {.samples = 70, .filter = filter, .run = run}); });
  rows.Add("Katz", FILTERED { return centrality::Katz(s, {.filter = filter, .run = run}); });
  rows.Add(
      "Eigenvector", FILTERED {
        return centrality::Eigenvector(
            s, {.direction = Direction::kBoth, .filter = filter, .run = run});
      });
  rows.Add("Hits", FILTERED { return centrality::Hits(s, {.filter = filter, .run = run}); });
}

void AddParts(KernelRows& rows) {
  rows.Add(
      "Components",
      FILTERED { return connectivity::Components(s, {.filter = filter, .run = run}); });
  rows.AddOfBase(
      "ComponentsCsr",
      ASK { return connectivity::ComponentsCsr(OutOf(s), InOf(s), run.executor); });
  rows.Add(
      "StrongComponents",
      FILTERED { return connectivity::StrongComponents(s, {.filter = filter, .run = run}); });
  rows.Add(
      "CutPoints", FILTERED {
        return connectivity::CutPoints(s, {.list_blocks = true, .filter = filter, .run = run});
      });
  rows.Add(
      "SpanningForest",
      FILTERED { return connectivity::SpanningForest(s, {.filter = filter, .run = run}); });
  rows.Add(
      "TopologicalOrder",
      FILTERED { return connectivity::TopologicalOrder(s, {.filter = filter, .run = run}); });
  rows.Add(
      "Dominators",
      FILTERED { return connectivity::Dominators(s, 40, {.filter = filter, .run = run}); });
  rows.Add(
      "MaxFlow",
      FILTERED { return connectivity::MaxFlow(s, 40, 0, {.filter = filter, .run = run}); });
  rows.Add("Leiden", FILTERED { return community::Leiden(s, {.filter = filter, .run = run}); });
  rows.Add(
      "CommunityLayout",
      FILTERED { return community::CommunityLayout(s, {.filter = filter, .run = run}); });
  rows.Add(
      "Modularity", FILTERED->Result<double> {
        PLEXUS_ASSIGN(const std::vector<std::uint32_t> thirds, OrNoMemory([&] {
                        std::vector<std::uint32_t> parts(s.node_count());
                        for (NodeId v = 0; v < s.node_count(); ++v) parts[v] = v % 3;
                        return Result<std::vector<std::uint32_t>>(std::move(parts));
                      }));
        return community::Modularity(s, thirds, {.filter = filter, .run = run});
      });
  rows.Add(
      "LabelPropagation",
      FILTERED { return community::LabelPropagation(s, {.filter = filter, .run = run}); });
  rows.Add("KCore", FILTERED { return community::KCore(s, {.filter = filter, .run = run}); });
  rows.AddOfBase("KCoreCsr", ASK { return community::KCoreCsr(OutOf(s)); });
  rows.Add(
      "Triangles", FILTERED { return community::Triangles(s, {.filter = filter, .run = run}); });
  rows.Add(
      "Clustering", FILTERED { return community::Clustering(s, {.filter = filter, .run = run}); });
  rows.Add(
      "DenseView",
      FILTERED { return DenseView::Make(s, {.filter = filter, .executor = run.executor}); },
      [](const DenseView& view) { return view.nodes(); });

  rows.Add(
      "PairSimilarities",
      FILTERED { return similarity::PairSimilarities(s, kPairs, {.filter = filter, .run = run}); });
  rows.Add(
      "SimilarNodes",
      FILTERED { return similarity::SimilarNodes(s, 40, {.filter = filter, .run = run}); });
  rows.Add(
      "SimilarPairs", FILTERED {  // of a hub's pairs there are too many
        return similarity::SimilarPairs(s, {.filter = filter, .wedge_limit = 1 << 22, .run = run});
      });
  rows.Add(
      "SimilarPairs by a join", FILTERED {
        return similarity::SimilarPairs(s, {.measure = similarity::SimilarityMeasure::kAdamicAdar,
                                            .filter = filter,
                                            .top = 50,
                                            .wedge_limit = 1 << 12,
                                            .run = run});
      });
  for (const int arity : {2, 3})
    rows.Add(
        "Frontier of " + std::to_string(arity), ASK {
          similarity::FrontierOptions options{.run = run};
          options.arity = arity;
          options.top = 10;
          return similarity::Frontier(s, options);
        });
}

}  // namespace

void AddGraphKernels(KernelRows& rows) {
  AddWalks(rows);
  AddRanks(rows);
  AddParts(rows);
}

}  // namespace plexus::testing
