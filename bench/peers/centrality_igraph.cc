// igraph's side of centrality.h, one thread.
#include "bench/peers/centrality.h"
#include "bench/peers/igraph_graph.h"

namespace plexus::peers {

bool Scores(Peer& peer, const Arcs& all) {
  if (!IsScoreWork(peer.work())) return false;
  const Arcs arcs = WeightedArcs(all, false);
  const auto loaded = peer.Load([&] { return std::make_unique<IgraphArcs>(arcs, true, true); });
  const igraph_t* graph = &loaded->graph;
  return peer.RunOneOf(
      {{"weighted-pagerank", "PRPACK with weights, fixed tolerance 1e-10, 1 thread",
        [&] {
          peer.Trials([&] {
            return Filled([&](auto* to) {
              double value = 0;
              return igraph_pagerank(graph, IGRAPH_PAGERANK_ALGO_PRPACK, to, &value,
                                     igraph_vss_all(), IGRAPH_DIRECTED, kDamping, &loaded->weights,
                                     nullptr);
            });
          });
        }},
       {"jaccard", "igraph_similarity_jaccard_pairs, 1 thread", [&] {
          std::vector<std::uint32_t> ends;
          for (const auto& [a, b] : SimilarityPairs(arcs)) ends.insert(ends.end(), {a, b});
          const IgraphIds pairs(ends);
          peer.Trials([&] {
            return Filled([&](auto* to) {
              return igraph_similarity_jaccard_pairs(graph, to, &pairs.ids, IGRAPH_OUT, false);
            });
          });
        }}});
}

}  // namespace plexus::peers
