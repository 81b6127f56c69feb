// igraph's side of centrality.h, one thread.
#include <igraph/igraph.h>

#include "bench/peers/centrality.h"
#include "bench/peers/igraph_graph.h"

namespace plexus::peers {

bool Scores(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsScoreWork(work)) return false;
  const Arcs arcs = MeasureArcs(all, false);
  igraph_t graph;
  igraph_vector_t weights;
  peer.Load([&] {
    LoadGraph(arcs, true, graph, weights);
    return 0;
  });
  igraph_vector_t scores;
  igraph_vector_init(&scores, 0);
  const auto as_answer = [&] {
    return Answer(VECTOR(scores), VECTOR(scores) + igraph_vector_size(&scores));
  };
  if (work == "weighted-pagerank") {
    peer.Trials([&] {
      double value = 0;
      if (igraph_pagerank(&graph, IGRAPH_PAGERANK_ALGO_PRPACK, &scores, &value, igraph_vss_all(),
                          IGRAPH_DIRECTED, kDamping, &weights, nullptr))
        Die("igraph: pagerank");
      return as_answer();
    });
    peer.Note("PRPACK with weights, fixed tolerance 1e-10, 1 thread");
  } else {
    const auto pairs = SimilarityPairs(arcs);
    igraph_vector_int_t list;
    igraph_vector_int_init(&list, static_cast<igraph_integer_t>(2 * pairs.size()));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      VECTOR(list)[2 * i] = pairs[i].first;
      VECTOR(list)[2 * i + 1] = pairs[i].second;
    }
    peer.Trials([&] {
      if (igraph_similarity_jaccard_pairs(&graph, &scores, &list, IGRAPH_OUT, false))
        Die("igraph: jaccard");
      return as_answer();
    });
    igraph_vector_int_destroy(&list);
    peer.Note("igraph_similarity_jaccard_pairs, 1 thread");
  }
  igraph_vector_destroy(&scores);
  igraph_vector_destroy(&weights);
  igraph_destroy(&graph);
  return true;
}

}  // namespace plexus::peers
