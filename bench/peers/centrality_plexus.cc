// Our side of centrality.h, on a snapshot as users have it.
#include "algorithms/centrality/katz.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/similarity/similarity.h"
#include "bench/peers/centrality.h"
#include "bench/peers/plexus_graph.h"
#include "bench/support.h"

namespace plexus::peers {
namespace {

using bench::Must;

void WeightedPageRank(Peer& peer, const Snapshot& graph, Executor& executor) {
  PageRankOptions options;
  options.tolerance = kTrueError;
  options.run.executor = &executor;
  int iterations = 0;
  peer.Trials([&] {
    PageRankResult result = Must(PageRank(graph, options), "pagerank");
    iterations = result.iterations;
    return std::move(result.scores);
  });
  peer.Note(std::to_string(iterations) + " iterations, stops by a bound on the true error");
}

void KatzOf(Peer& peer, const Snapshot& graph, double alpha, Executor& executor) {
  KatzOptions options;
  options.alpha = alpha;
  options.tolerance = 1e-8;
  options.weighted = false;
  options.run.executor = &executor;
  int iterations = 0;
  peer.Trials([&] {
    KatzResult result = Must(Katz(graph, options), "katz");
    iterations = result.iterations;
    DivideBySum(result.scores);
    return std::move(result.scores);
  });
  peer.Note(std::to_string(iterations) + " iterations, no score off by more than 1e-8 of itself");
}

void OfPairs(Peer& peer, const Snapshot& graph, const Arcs& arcs, Executor& executor) {
  const std::string& work = peer.work();
  SimilarityOptions options;
  options.measure = work == "jaccard"   ? SimilarityMeasure::kJaccard
                    : work == "overlap" ? SimilarityMeasure::kOverlap
                    : work == "adamic"  ? SimilarityMeasure::kAdamicAdar
                                        : SimilarityMeasure::kResourceAllocation;
  options.direction = Direction::kOut;
  options.run.executor = &executor;
  std::vector<NodePair> pairs;
  for (const auto& [a, b] : SimilarityPairs(arcs)) pairs.push_back({a, b});
  peer.Trials([&] {
    Answer answer;
    for (const PairSimilarity& pair : Must(PairSimilarities(graph, pairs, options), "pairs").pairs)
      answer.push_back(pair.score);
    return answer;
  });
  peer.Note(std::to_string(pairs.size()) + " pairs");
}

}  // namespace

bool Scores(Peer& peer, const Arcs& all) {
  if (!IsScoreWork(peer.work())) return false;
  Executor& executor = bench::ExecutorOf(peer.threads());
  const Arcs arcs = MeasureArcs(all, false);
  const Snapshot graph = peer.Load([&] { return LoadLinks(arcs, executor); });
  if (peer.work() == "weighted-pagerank") WeightedPageRank(peer, graph, executor);
  if (peer.work() == "katz") KatzOf(peer, graph, KatzAlpha(arcs), executor);
  if (IsPairWork(peer.work())) OfPairs(peer, graph, arcs, executor);
  return true;
}

}  // namespace plexus::peers
