// peer_igraph: igraph's C library, as Debian builds it, one thread (it has no more).
//
// PageRank is PRPACK: strongly connected blocks, Gauss-Seidel, f64; its tolerance is
// fixed at 1e-10 and cannot be set, so it is more exact than it is asked to be here.
#include "bench/peers/centrality.h"
#include "bench/peers/connectivity.h"
#include "bench/peers/igraph_graph.h"
#include "bench/peers/structure.h"

namespace {

using namespace plexus::peers;  // NOLINT: a program of one file

// The graph as undirected, and for the quality function: strengths as node weights and
// 1 / 2m as resolution make igraph's quality modularity.
void Leiden(Peer& peer) {
  const Arcs pairs = ReadPairs(peer.folder());
  const auto loaded =
      peer.Load([&] { return std::make_unique<IgraphArcs>(pairs, false, !pairs.weights.empty()); });
  const igraph_vector_t* weights = pairs.weights.empty() ? nullptr : &loaded->weights;
  igraph_vector_t strengths;
  igraph_vector_init(&strengths, 0);
  igraph_strength(&loaded->graph, &strengths, igraph_vss_all(), IGRAPH_ALL, IGRAPH_LOOPS, weights);
  peer.Trials(
      [&] {
        igraph_rng_seed(igraph_rng_default(), 1);
        return FilledInt([&](auto* to) {
          return igraph_community_leiden(&loaded->graph, weights, &strengths,
                                         1 / igraph_vector_sum(&strengths), 0.01, false, 2, to,
                                         nullptr, nullptr);
        });
      },
      AsAnswer);
  igraph_vector_destroy(&strengths);
  peer.Note("igraph_community_leiden, 2 iterations, beta 0.01, seed 1, 1 thread");
}

Answer Depths(const igraph_t* graph, std::uint32_t start) {
  Answer depths = AsAnswer(FilledInt([&](auto* to) {
    return igraph_bfs(graph, start, nullptr, IGRAPH_OUT, false, nullptr, nullptr, nullptr, nullptr,
                      nullptr, nullptr, to, nullptr, nullptr);
  }));
  for (double& depth : depths) depth = std::max(depth, -1.0);
  return depths;
}

Answer Closeness(const igraph_t* graph, const IgraphIds& starts) {
  const Answer closeness = Filled([&](auto* to) {
    return igraph_closeness(graph, to, nullptr, nullptr, starts.nodes(), IGRAPH_OUT, nullptr, true);
  });
  const Answer harmonic = Filled([&](auto* to) {
    return igraph_harmonic_centrality(graph, to, starts.nodes(), IGRAPH_OUT, nullptr, false);
  });
  Answer answer;
  for (std::size_t i = 0; i < closeness.size(); ++i)
    answer.insert(answer.end(), {closeness[i], harmonic[i]});
  return answer;
}

Answer Hits(const igraph_t* graph) {
  igraph_arpack_options_t options;
  igraph_arpack_options_init(&options);
  Answer authorities;
  Answer hubs = Filled([&](auto* to) {
    igraph_error_t error = IGRAPH_SUCCESS;
    authorities = Filled([&](auto* and_to) {
      return error = igraph_hub_and_authority_scores(graph, to, and_to, nullptr, true, nullptr,
                                                     &options);
    });
    return error;
  });
  DivideBySum(hubs);
  DivideBySum(authorities);
  hubs.insert(hubs.end(), authorities.begin(), authorities.end());
  return hubs;
}

// All starts in one call, which makes a matrix of 16 rows over all nodes.
Answer Similar(const igraph_t* graph, const std::vector<std::uint32_t>& ids,
               const std::vector<std::uint32_t>& once, const IgraphIds& starts) {
  std::vector<Answer> of(once.size());  // it fills the row of a node named twice once
  EachRow(
      [&](auto* to) {
        return igraph_similarity_inverse_log_weighted(graph, to, starts.nodes(), IGRAPH_OUT);
      },
      [&](Answer& scores, std::size_t i) { of[i] = std::move(scores); });
  Answer answer;
  for (const std::uint32_t id : ids) {
    const Answer& scores =
        of[static_cast<std::size_t>(std::lower_bound(once.begin(), once.end(), id) - once.begin())];
    std::vector<Entry> entries;
    for (std::uint32_t v = 0; v < scores.size(); ++v)
      if (scores[v] > 0 && v != id) entries.push_back({scores[v], v});
    AppendBest(std::move(entries), kSimilarTop, false, answer);
  }
  return answer;
}

Answer Walks(const igraph_t* graph) {
  const auto degrees = [&](igraph_neimode_t mode) {
    return FilledInt(
        [&](auto* to) { return igraph_degree(graph, to, igraph_vss_all(), mode, true); });
  };
  const auto in = degrees(IGRAPH_IN), out = degrees(IGRAPH_OUT);
  double walks = 0;
  for (std::size_t v = 0; v < in.size(); ++v)
    walks += static_cast<double>(in[v]) * static_cast<double>(out[v]);
  return {static_cast<double>(igraph_vcount(graph)), static_cast<double>(igraph_ecount(graph)),
          walks};
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
  const auto load = [&] { return std::make_unique<IgraphArcs>(arcs, true, false); };
  if (Connections(peer, arcs) || Measures(peer, arcs) || Scores(peer, arcs)) return peer.Finish();
  if (peer.work() == "load") {
    peer.Trials(load, [](const auto& loaded) { return Walks(&loaded->graph); });
    peer.Note("igraph_create, 1 thread");
    return peer.Finish();
  }
  const auto loaded = peer.Load(load);
  const igraph_t* graph = &loaded->graph;
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  peer.RunOneOf(
      {{"pagerank", "PRPACK, f64, fixed tolerance 1e-10, 1 thread",
        [&] {
          peer.Trials([&] {
            return Filled([&](auto* to) {
              return igraph_pagerank(graph, IGRAPH_PAGERANK_ALGO_PRPACK, to, nullptr,
                                     igraph_vss_all(), IGRAPH_DIRECTED, kDamping, nullptr, nullptr);
            });
          });
        }},
       {"bfs", "igraph_bfs with depths, 1 thread",
        [&] {
          peer.Trials([&] {
            Answer answer;
            for (const std::uint32_t start : starts)
              for (const double depth : Depths(graph, start)) answer.push_back(depth);
            return answer;
          });
        }},
       {"components", "igraph_connected_components, weak, 1 thread",
        [&] {
          peer.Trials(
              [&] {
                return FilledInt([&](auto* to) {
                  return igraph_connected_components(graph, to, nullptr, nullptr, IGRAPH_WEAK);
                });
              },
              AsAnswer);
        }},
       {"closeness",
        "igraph_closeness, then igraph_harmonic_centrality: two searches a node, 1 thread",
        [&] {
          const IgraphIds ids(starts);
          peer.Trials([&] { return Closeness(graph, ids); });
        }},
       {"hits", "igraph_hub_and_authority_scores (ARPACK), 1 thread",
        [&] { peer.Trials([&] { return Hits(graph); }); }},
       {"similar", "igraph_similarity_inverse_log_weighted, 1 thread", [&] {
          const auto once = DistinctStarts(peer);
          const IgraphIds ids(once);
          peer.Trials([&] { return Similar(graph, starts, once, ids); });
        }}});
  return peer.Finish();
}
