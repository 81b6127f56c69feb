// Our side of centrality.h, on a snapshot as users have it.
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/similarity/similarity.h"
#include "bench/peers/centrality.h"
#include "bench/peers/plexus_graph.h"
#include "bench/support.h"

namespace plexus::peers {

using bench::Must;

bool Scores(Peer& peer, const Arcs& all) {
  if (!IsScoreWork(peer.work())) return false;
  Executor& executor = bench::ExecutorOf(peer.threads());
  const Edges arcs = {WeightedArcs(all, false)};
  const Snapshot graph = peer.Load([&] { return InRam(arcs, executor); });
  return peer.RunOneOf({{"weighted-pagerank", "",
                         [&] {
                           auto options = On<pagerank::PageRankOptions>(executor);
                           options.tolerance = kTrueError;
                           int iterations = 0;
                           peer.Trials([&] {
                             pagerank::PageRankResult result =
                                 Must(PageRank(graph, options), "pagerank");
                             iterations = result.iterations;
                             return std::move(result.scores);
                           });
                           peer.Note(std::to_string(iterations) +
                                     " iterations, stops by a bound on the true error");
                         }},
                        {"jaccard", "", [&] {
                           auto options = On<similarity::SimilarityOptions>(executor);
                           options.measure = similarity::SimilarityMeasure::kJaccard;
                           options.direction = Direction::kOut;
                           std::vector<NodePair> pairs;
                           for (const auto& [a, b] : SimilarityPairs(arcs)) pairs.push_back({a, b});
                           peer.Trials([&] {
                             Answer answer;
                             for (const similarity::PairSimilarity& pair :
                                  Must(similarity::PairSimilarities(graph, pairs, options), "pairs")
                                      .pairs)
                               answer.push_back(pair.score);
                             return answer;
                           });
                           peer.Note(std::to_string(pairs.size()) + " pairs");
                         }}});
}

}  // namespace plexus::peers
