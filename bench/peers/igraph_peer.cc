// peer_igraph: igraph's C library, as Debian builds it, one thread (it has no more).
//
// PageRank is PRPACK: strongly connected blocks, Gauss-Seidel, f64; its tolerance is
// fixed at 1e-10 and cannot be set, so it is more exact than it is asked to be here.
#include <igraph/igraph.h>

#include <memory>

#include "bench/peers/centrality.h"
#include "bench/peers/connectivity.h"
#include "bench/peers/peer.h"
#include "bench/peers/structure.h"

namespace {

using namespace plexus::peers;  // NOLINT: a program of one file

struct Graph {
  igraph_t g;
  Graph() = default;
  Graph(const Graph&) = delete;
  ~Graph() { igraph_destroy(&g); }
};

void Load(const Arcs& arcs, Graph& graph, igraph_bool_t directed = IGRAPH_DIRECTED) {
  igraph_vector_int_t edges;
  igraph_vector_int_init(&edges, static_cast<igraph_integer_t>(2 * arcs.sources.size()));
  for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
    VECTOR(edges)[2 * i] = arcs.sources[i];
    VECTOR(edges)[2 * i + 1] = arcs.targets[i];
  }
  igraph_create(&graph.g, &edges, arcs.nodes, directed);
  igraph_vector_int_destroy(&edges);
}

void PageRank(Peer& peer, const Graph& graph) {
  peer.Trials([&] {
    igraph_vector_t scores;
    igraph_vector_init(&scores, 0);
    igraph_pagerank(&graph.g, IGRAPH_PAGERANK_ALGO_PRPACK, &scores, nullptr, igraph_vss_all(),
                    IGRAPH_DIRECTED, kDamping, nullptr, nullptr);
    Answer answer(VECTOR(scores), VECTOR(scores) + igraph_vector_size(&scores));
    igraph_vector_destroy(&scores);
    return answer;
  });
  peer.Note("PRPACK, f64, fixed tolerance 1e-10, 1 thread");
}

void Bfs(Peer& peer, const Graph& graph) {
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  peer.Trials([&] {
    Answer answer;
    for (std::uint32_t start : starts) {
      igraph_vector_int_t depth;
      igraph_vector_int_init(&depth, 0);
      igraph_bfs(&graph.g, start, nullptr, IGRAPH_OUT, false, nullptr, nullptr, nullptr, nullptr,
                 nullptr, nullptr, &depth, nullptr, nullptr);
      for (igraph_integer_t v = 0; v < igraph_vector_int_size(&depth); ++v)
        answer.push_back(VECTOR(depth)[v] < 0 ? -1.0 : static_cast<double>(VECTOR(depth)[v]));
      igraph_vector_int_destroy(&depth);
    }
    return answer;
  });
  peer.Note("igraph_bfs with depths, 1 thread");
}

void Components(Peer& peer, const Graph& graph) {
  peer.Trials([&] {
    igraph_vector_int_t labels;
    igraph_vector_int_init(&labels, 0);
    igraph_connected_components(&graph.g, &labels, nullptr, nullptr, IGRAPH_WEAK);
    Answer answer(VECTOR(labels), VECTOR(labels) + igraph_vector_int_size(&labels));
    igraph_vector_int_destroy(&labels);
    return answer;
  });
  peer.Note("igraph_connected_components, weak, 1 thread");
}

// The graph as undirected, and for the quality function: strengths as node weights and
// 1 / 2m as resolution make igraph's quality modularity.
void Leiden(Peer& peer) {
  const Arcs pairs = ReadPairs(peer.folder());
  igraph_vector_t weights, strengths;
  igraph_vector_init(&weights, 0);
  igraph_vector_init(&strengths, 0);
  for (std::size_t i = 0; i < pairs.sources.size(); ++i)
    igraph_vector_push_back(&weights, static_cast<double>(pairs.weight(i)));
  const igraph_vector_t* used = pairs.weights.empty() ? nullptr : &weights;
  const auto graph = peer.Load([&] {
    auto made = std::make_unique<Graph>();
    Load(pairs, *made, IGRAPH_UNDIRECTED);
    return made;
  });
  igraph_strength(&graph->g, &strengths, igraph_vss_all(), IGRAPH_ALL, IGRAPH_LOOPS, used);
  peer.Trials([&] {
    igraph_vector_int_t labels;
    igraph_vector_int_init(&labels, 0);
    igraph_rng_seed(igraph_rng_default(), 1);
    igraph_community_leiden(&graph->g, used, &strengths, 1 / igraph_vector_sum(&strengths), 0.01,
                            false, 2, &labels, nullptr, nullptr);
    Answer answer(VECTOR(labels), VECTOR(labels) + igraph_vector_int_size(&labels));
    igraph_vector_int_destroy(&labels);
    return answer;
  });
  igraph_vector_destroy(&weights);
  igraph_vector_destroy(&strengths);
  peer.Note("igraph_community_leiden, 2 iterations, beta 0.01, seed 1, 1 thread");
}

struct Starts {
  igraph_vector_int_t ids;
  explicit Starts(const std::vector<std::uint32_t>& starts) {
    igraph_vector_int_init(&ids, static_cast<igraph_integer_t>(starts.size()));
    for (std::size_t i = 0; i < starts.size(); ++i) VECTOR(ids)[i] = starts[i];
  }
  Starts(const Starts&) = delete;
  ~Starts() { igraph_vector_int_destroy(&ids); }
};

void Closeness(Peer& peer, const Graph& graph) {
  const Starts starts(ReadArray<std::uint32_t>(peer / "starts.u32"));
  peer.Trials([&] {
    igraph_vector_t closeness, harmonic;
    igraph_vector_init(&closeness, 0);
    igraph_vector_init(&harmonic, 0);
    igraph_closeness(&graph.g, &closeness, nullptr, nullptr, igraph_vss_vector(&starts.ids),
                     IGRAPH_OUT, nullptr, true);
    igraph_harmonic_centrality(&graph.g, &harmonic, igraph_vss_vector(&starts.ids), IGRAPH_OUT,
                               nullptr, false);
    Answer answer;
    for (igraph_integer_t i = 0; i < igraph_vector_size(&closeness); ++i)
      answer.insert(answer.end(), {VECTOR(closeness)[i], VECTOR(harmonic)[i]});
    igraph_vector_destroy(&closeness);
    igraph_vector_destroy(&harmonic);
    return answer;
  });
  peer.Note("igraph_closeness, then igraph_harmonic_centrality: two searches a node, 1 thread");
}

void Hits(Peer& peer, const Graph& graph) {
  peer.Trials([&] {
    igraph_vector_t hubs, authorities;
    igraph_vector_init(&hubs, 0);
    igraph_vector_init(&authorities, 0);
    igraph_arpack_options_t options;
    igraph_arpack_options_init(&options);
    igraph_hub_and_authority_scores(&graph.g, &hubs, &authorities, nullptr, true, nullptr,
                                    &options);
    Answer answer;
    for (const igraph_vector_t* scores : {&hubs, &authorities}) {
      const double sum = igraph_vector_sum(scores);
      for (igraph_integer_t v = 0; v < igraph_vector_size(scores); ++v)
        answer.push_back(VECTOR(*scores)[v] / sum);
    }
    igraph_vector_destroy(&hubs);
    igraph_vector_destroy(&authorities);
    return answer;
  });
  peer.Note("igraph_hub_and_authority_scores (ARPACK), 1 thread");
}

// All starts in one call, which makes a matrix of 16 rows over all nodes.
void Similar(Peer& peer, const Graph& graph) {
  const auto ids = ReadArray<std::uint32_t>(peer / "starts.u32");
  std::vector<std::uint32_t> once = ids;  // it fills the row of a node named twice once
  std::sort(once.begin(), once.end());
  once.erase(std::unique(once.begin(), once.end()), once.end());
  const Starts starts(once);
  peer.Trials([&] {
    igraph_matrix_t scores;
    igraph_matrix_init(&scores, 0, 0);
    igraph_similarity_inverse_log_weighted(&graph.g, &scores, igraph_vss_vector(&starts.ids),
                                           IGRAPH_OUT);
    Answer answer;
    for (const std::uint32_t id : ids) {
      const auto row = std::lower_bound(once.begin(), once.end(), id) - once.begin();
      std::vector<Entry> entries;
      for (igraph_integer_t v = 0; v < igraph_matrix_ncol(&scores); ++v)
        if (const double score = MATRIX(scores, row, v); score > 0 && v != id)
          entries.push_back({score, static_cast<std::uint32_t>(v)});
      AppendBest(std::move(entries), kSimilarTop, false, answer);
    }
    igraph_matrix_destroy(&scores);
    return answer;
  });
  peer.Note("igraph_similarity_inverse_log_weighted, 1 thread");
}

Answer Walks(const Graph& graph) {
  igraph_vector_int_t in, out;
  igraph_vector_int_init(&in, 0);
  igraph_vector_int_init(&out, 0);
  igraph_degree(&graph.g, &in, igraph_vss_all(), IGRAPH_IN, true);
  igraph_degree(&graph.g, &out, igraph_vss_all(), IGRAPH_OUT, true);
  double walks = 0;
  for (igraph_integer_t v = 0; v < igraph_vector_int_size(&in); ++v)
    walks += static_cast<double>(VECTOR(in)[v]) * static_cast<double>(VECTOR(out)[v]);
  igraph_vector_int_destroy(&in);
  igraph_vector_int_destroy(&out);
  return {static_cast<double>(igraph_vcount(&graph.g)),
          static_cast<double>(igraph_ecount(&graph.g)), walks};
}

}  // namespace

int main(int argc, char** argv) {
  const char* version = nullptr;
  igraph_version(&version, nullptr, nullptr, nullptr);
  Peer peer(argc, argv, std::string("igraph ") + version + ", Debian's build");
  if (peer.work() == "leiden") {
    Leiden(peer);
    return peer.Finish();
  }
  const Arcs arcs = ReadArcs(peer.folder());
  auto load = [&] {
    auto graph = std::make_unique<Graph>();
    Load(arcs, *graph);
    return graph;
  };
  if (Connections(peer, arcs) || Measures(peer, arcs) || Scores(peer, arcs)) return peer.Finish();
  if (peer.work() == "load") {
    peer.Trials(load, [](const auto& graph) { return Walks(*graph); });
    peer.Note("igraph_create, 1 thread");
    return peer.Finish();
  }
  const auto graph = peer.Load(load);
  if (peer.work() == "pagerank") PageRank(peer, *graph);
  if (peer.work() == "bfs") Bfs(peer, *graph);
  if (peer.work() == "components") Components(peer, *graph);
  if (peer.work() == "closeness") Closeness(peer, *graph);
  if (peer.work() == "hits") Hits(peer, *graph);
  if (peer.work() == "similar") Similar(peer, *graph);
  return peer.Finish();
}
