// Our side of centrality.h, on a snapshot as users have it.
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

void OfPairs(Peer& peer, const Snapshot& graph, const Arcs& arcs, Executor& executor) {
  SimilarityOptions options;
  options.measure = SimilarityMeasure::kJaccard;
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
  if (peer.work() == "jaccard") OfPairs(peer, graph, arcs, executor);
  return true;
}

}  // namespace plexus::peers
