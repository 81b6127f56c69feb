// What connectivity.h lists by igraph's C library, one thread. Triangles are counted at every
// node and the counts added up: the release that Debian has knows no shorter way but to list them.
#include <numeric>

#include "bench/peers/igraph_graph.h"
#include "bench/peers/structure.h"

namespace plexus::peers {
namespace {

double LengthOf(const igraph_vector_t& weights, const igraph_vector_int_t& edges) {
  double length = 0;
  for (igraph_integer_t i = 0; i < igraph_vector_int_size(&edges); ++i)
    length += VECTOR(weights)[VECTOR(edges)[i]];
  return length;
}

// Of nodes.
std::vector<Work> Counts(Peer& peer, const igraph_t* graph) {
  const auto count = [=, &peer](auto fill) {
    return [=, &peer] { peer.Trials([&] { return FilledInt(fill); }, AsAnswer); };
  };
  return {{"triangles", "igraph_adjacent_triangles of all nodes, 1 thread",
           [=, &peer] {
             peer.Trials(
                 [&] {
                   return Filled([&](auto* to) {
                     return igraph_adjacent_triangles(graph, to, igraph_vss_all());
                   });
                 },
                 [](const Answer& at) {
                   return Answer{std::accumulate(at.begin(), at.end(), 0.0) / 3};
                 });
           }},
          {"kcore", "igraph_coreness, 1 thread",
           count([=](auto* to) { return igraph_coreness(graph, to, IGRAPH_ALL); })},
          {"strong", "igraph_connected_components, strong, 1 thread", count([=](auto* to) {
             return igraph_connected_components(graph, to, nullptr, nullptr, IGRAPH_STRONG);
           })},
          {"order", "igraph_topological_sorting, 1 thread", [=, &peer] {
             peer.Trials(
                 [&] {
                   return FilledInt(
                       [&](auto* to) { return igraph_topological_sorting(graph, to, IGRAPH_OUT); });
                 },
                 [&](const auto& order) {
                   return Places(static_cast<std::uint32_t>(igraph_vcount(graph)), order);
                 });
           }}};
}

std::vector<Work> NodeScores(Peer& peer, const igraph_t* graph) {
  const auto score = [=, &peer](auto fill) {
    return [=, &peer] { peer.Trials([&] { return Filled(fill); }); };
  };
  return {{"clustering", "igraph_transitivity_local_undirected, 1 thread", score([=](auto* to) {
             return igraph_transitivity_local_undirected(graph, to, igraph_vss_all(),
                                                         IGRAPH_TRANSITIVITY_ZERO);
           })},
          {"betweenness", "igraph_betweenness, 1 thread", score([=](auto* to) {
             return igraph_betweenness(graph, to, igraph_vss_all(), false, nullptr);
           })},
          {"betweenness-16", "igraph_betweenness_subset, 1 thread",
           [=, &peer] {
             const IgraphIds sources(DistinctStarts(peer));
             peer.Trials(
                 [&] {
                   return Filled([&](auto* to) {
                     return igraph_betweenness_subset(graph, to, igraph_vss_all(), false,
                                                      sources.nodes(), igraph_vss_all(), nullptr);
                   });
                 },
                 [](Answer scores) {  // it halves what undirected graphs give
                   for (double& score : scores) score *= 2;
                   return scores;
                 });
           }},
          {"eigenvector", "igraph_eigenvector_centrality (ARPACK), undirected, 1 thread",
           [=, &peer] {
             igraph_arpack_options_t options;
             igraph_arpack_options_init(&options);
             peer.Trials([&] {
               Answer scores = Filled([&](auto* to) {
                 double value = 0;
                 return igraph_eigenvector_centrality(graph, to, &value, false, true, nullptr,
                                                      &options);
               });
               DivideBySum(scores);
               return scores;
             });
           }},
          {"personal", "igraph_personalized_pagerank_vs, PRPACK, fixed tolerance 1e-10, 1 thread",
           [=, &peer] {
             const auto seed = static_cast<igraph_integer_t>(FirstStarts(peer)[0]);
             peer.Trials([&] {
               return Filled([&](auto* to) {
                 double value = 0;
                 return igraph_personalized_pagerank_vs(graph, IGRAPH_PAGERANK_ALGO_PRPACK, to,
                                                        &value, igraph_vss_all(), true, kDamping,
                                                        igraph_vss_1(seed), nullptr, nullptr);
               });
             });
           }}};
}

std::vector<Work> Ways(Peer& peer, const IgraphArcs& loaded) {
  const igraph_t* graph = &loaded.graph;
  const igraph_vector_t* weights = &loaded.weights;
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  igraph_set_warning_handler(igraph_warning_handler_ignore);  // nodes that are not reached
  return {
      {"distances", "igraph_distances_dijkstra, 1 thread",
       [=, &peer] {
         const IgraphIds from(FirstStarts(peer));
         peer.Trials([&] {
           Answer answer;
           EachRow(
               [&](auto* to) {
                 return igraph_distances_dijkstra(graph, to, from.nodes(), igraph_vss_all(),
                                                  weights, IGRAPH_OUT);
               },
               [&](const Answer& lengths, std::size_t) {
                 for (const double length : lengths) answer.push_back(Length(length));
               });
           return answer;
         });
       }},
      {"point", "igraph_get_shortest_path_dijkstra, 1 thread",
       [=, &peer] {
         peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
           igraph_vector_int_t nodes, edges;
           igraph_vector_int_init(&nodes, 0);
           igraph_vector_int_init(&edges, 0);
           igraph_get_shortest_path_dijkstra(graph, &nodes, &edges, starts[i],
                                             starts[(i + 1) % starts.size()], weights, IGRAPH_OUT);
           answer.push_back(igraph_vector_int_size(&nodes) == 0 ? -1 : LengthOf(*weights, edges));
           igraph_vector_int_destroy(&nodes);
           igraph_vector_int_destroy(&edges);
         });
       }},
      {"kpaths", "igraph_get_k_shortest_paths (Yen), 1 thread", [=, &peer] {
         peer.Trials([&] {
           igraph_vector_int_list_t paths;
           igraph_vector_int_list_init(&paths, 0);
           igraph_get_k_shortest_paths(graph, weights, nullptr, &paths, kPaths, starts[0],
                                       starts[1], IGRAPH_OUT);
           Answer answer = {static_cast<double>(igraph_vector_int_list_size(&paths))};
           for (igraph_integer_t i = 0; i < igraph_vector_int_list_size(&paths); ++i)
             answer.push_back(LengthOf(*weights, *igraph_vector_int_list_get_ptr(&paths, i)));
           igraph_vector_int_list_destroy(&paths);
           return answer;
         });
       }}};
}

}  // namespace

bool Measures(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsMeasure(work)) return false;
  const auto loaded = peer.Load([&] {
    const bool once = MeasureOnce(work) || work == "eigenvector";
    return std::make_unique<IgraphArcs>(WeightedArcs(all, once), !once || work == "order", true);
  });
  return peer.RunOneOf(Counts(peer, &loaded->graph)) ||
         peer.RunOneOf(NodeScores(peer, &loaded->graph)) || peer.RunOneOf(Ways(peer, *loaded));
}

}  // namespace plexus::peers
