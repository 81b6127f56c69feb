// What structure.h lists by igraph's C library, one thread. Triangles are counted at every
// node and the counts added up: the release that Debian has knows no shorter way but to list them.
#include <igraph/igraph.h>

#include "bench/peers/igraph_graph.h"
#include "bench/peers/structure.h"

namespace plexus::peers {
namespace {

igraph_t graph;
igraph_vector_t weights;

// What fill(vector) puts into a new vector.
template <class Fill>
Answer Filled(Fill&& fill) {
  igraph_vector_t values;
  igraph_vector_init(&values, 0);
  if (const igraph_error_t error = fill(&values))
    Die(std::string("igraph: ") + igraph_strerror(error));
  Answer answer(VECTOR(values), VECTOR(values) + igraph_vector_size(&values));
  igraph_vector_destroy(&values);
  return answer;
}
template <class Fill>
std::vector<igraph_integer_t> FilledInt(Fill&& fill) {
  igraph_vector_int_t values;
  igraph_vector_int_init(&values, 0);
  if (const igraph_error_t error = fill(&values))
    Die(std::string("igraph: ") + igraph_strerror(error));
  std::vector<igraph_integer_t> all(VECTOR(values),
                                    VECTOR(values) + igraph_vector_int_size(&values));
  igraph_vector_int_destroy(&values);
  return all;
}
Answer AsAnswer(const std::vector<igraph_integer_t>& values) {
  return Answer(values.begin(), values.end());
}

struct Ids {
  igraph_vector_int_t ids;
  explicit Ids(const std::vector<std::uint32_t>& from) {
    igraph_vector_int_init(&ids, static_cast<igraph_integer_t>(from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) VECTOR(ids)[i] = from[i];
  }
  Ids(const Ids&) = delete;
  ~Ids() { igraph_vector_int_destroy(&ids); }
};

double LengthOf(const igraph_vector_int_t& edges) {
  double length = 0;
  for (igraph_integer_t i = 0; i < igraph_vector_int_size(&edges); ++i)
    length += VECTOR(weights)[VECTOR(edges)[i]];
  return length;
}

void Counts(Peer& peer) {
  const std::string& work = peer.work();
  if (work == "triangles") {
    peer.Trials(
        [&] {
          return Filled(
              [&](auto* to) { return igraph_adjacent_triangles(&graph, to, igraph_vss_all()); });
        },
        [](const Answer& at) {
          double sum = 0;
          for (double count : at) sum += count;
          return Answer{sum / 3};
        });
    peer.Note("igraph_adjacent_triangles of all nodes, 1 thread");
  }
  if (work == "clustering") {
    peer.Trials([&] {
      return Filled([&](auto* to) {
        return igraph_transitivity_local_undirected(&graph, to, igraph_vss_all(),
                                                    IGRAPH_TRANSITIVITY_ZERO);
      });
    });
    peer.Note("igraph_transitivity_local_undirected, 1 thread");
  }
  if (work == "kcore") {
    peer.Trials(
        [&] {
          return FilledInt([&](auto* to) { return igraph_coreness(&graph, to, IGRAPH_ALL); });
        },
        AsAnswer);
    peer.Note("igraph_coreness, 1 thread");
  }
  if (work == "strong") {
    peer.Trials(
        [&] {
          return FilledInt([&](auto* to) {
            return igraph_connected_components(&graph, to, nullptr, nullptr, IGRAPH_STRONG);
          });
        },
        AsAnswer);
    peer.Note("igraph_connected_components, strong, 1 thread");
  }
  if (work == "order") {
    peer.Trials(
        [&] {
          return FilledInt(
              [&](auto* to) { return igraph_topological_sorting(&graph, to, IGRAPH_OUT); });
        },
        [](const auto& order) {
          return Places(static_cast<std::uint32_t>(igraph_vcount(&graph)), order);
        });
    peer.Note("igraph_topological_sorting, 1 thread");
  }
}

void Scores(Peer& peer) {
  const std::string& work = peer.work();
  if (work == "betweenness") {
    peer.Trials([&] {
      return Filled([&](auto* to) {
        return igraph_betweenness(&graph, to, igraph_vss_all(), false, nullptr);
      });
    });
    peer.Note("igraph_betweenness, 1 thread");
  }
  if (work == "betweenness-16") {
    const Ids sources(DistinctStarts(peer));
    peer.Trials(
        [&] {
          return Filled([&](auto* to) {
            return igraph_betweenness_subset(&graph, to, igraph_vss_all(), false,
                                             igraph_vss_vector(&sources.ids), igraph_vss_all(),
                                             nullptr);
          });
        },
        [](Answer scores) {  // it halves what undirected graphs give
          for (double& score : scores) score *= 2;
          return scores;
        });
    peer.Note("igraph_betweenness_subset, 1 thread");
  }
  if (work == "eigenvector") {
    igraph_arpack_options_t options;
    igraph_arpack_options_init(&options);
    peer.Trials([&] {
      Answer scores = Filled([&](auto* to) {
        double value = 0;
        return igraph_eigenvector_centrality(&graph, to, &value, false, true, nullptr, &options);
      });
      DivideBySum(scores);
      return scores;
    });
    peer.Note("igraph_eigenvector_centrality (ARPACK), undirected, 1 thread");
  }
  if (work == "personal") {
    const auto seed = static_cast<igraph_integer_t>(FirstStarts(peer)[0]);
    peer.Trials([&] {
      return Filled([&](auto* to) {
        double value = 0;
        return igraph_personalized_pagerank_vs(&graph, IGRAPH_PAGERANK_ALGO_PRPACK, to, &value,
                                               igraph_vss_all(), true, kDamping, igraph_vss_1(seed),
                                               nullptr, nullptr);
      });
    });
    peer.Note("igraph_personalized_pagerank_vs, PRPACK, fixed tolerance 1e-10, 1 thread");
  }
}

void Distances(Peer& peer) {
  const Ids starts(FirstStarts(peer));
  peer.Trials([&] {
    igraph_matrix_t lengths;
    igraph_matrix_init(&lengths, 0, 0);
    igraph_distances_dijkstra(&graph, &lengths, igraph_vss_vector(&starts.ids), igraph_vss_all(),
                              &weights, IGRAPH_OUT);
    Answer answer;
    for (igraph_integer_t i = 0; i < igraph_matrix_nrow(&lengths); ++i)
      for (igraph_integer_t v = 0; v < igraph_matrix_ncol(&lengths); ++v)
        answer.push_back(Length(MATRIX(lengths, i, v)));
    igraph_matrix_destroy(&lengths);
    return answer;
  });
  peer.Note("igraph_distances_dijkstra, 1 thread");
}

void Ways(Peer& peer) {
  const std::string& work = peer.work();
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  igraph_set_warning_handler(igraph_warning_handler_ignore);  // nodes that are not reached
  if (work == "distances") Distances(peer);
  if (work == "point") {
    peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
      igraph_vector_int_t nodes, edges;
      igraph_vector_int_init(&nodes, 0);
      igraph_vector_int_init(&edges, 0);
      igraph_get_shortest_path_dijkstra(&graph, &nodes, &edges, starts[i],
                                        starts[(i + 1) % starts.size()], &weights, IGRAPH_OUT);
      answer.push_back(igraph_vector_int_size(&nodes) == 0 ? -1 : LengthOf(edges));
      igraph_vector_int_destroy(&nodes);
      igraph_vector_int_destroy(&edges);
    });
    peer.Note("igraph_get_shortest_path_dijkstra, 1 thread");
  }
  if (work == "kpaths") {
    peer.Trials([&] {
      igraph_vector_int_list_t paths;
      igraph_vector_int_list_init(&paths, 0);
      igraph_get_k_shortest_paths(&graph, &weights, nullptr, &paths, kPaths, starts[0], starts[1],
                                  IGRAPH_OUT);
      Answer answer = {static_cast<double>(igraph_vector_int_list_size(&paths))};
      for (igraph_integer_t i = 0; i < igraph_vector_int_list_size(&paths); ++i)
        answer.push_back(LengthOf(*igraph_vector_int_list_get_ptr(&paths, i)));
      igraph_vector_int_list_destroy(&paths);
      return answer;
    });
    peer.Note("igraph_get_k_shortest_paths (Yen), 1 thread");
  }
}

}  // namespace

bool Measures(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsMeasure(work)) return false;
  peer.Load([&] {
    const bool once = MeasureOnce(work) || work == "eigenvector";
    LoadGraph(MeasureArcs(all, once), !once || work == "order", graph, weights);
    return 0;
  });
  Counts(peer);
  Scores(peer);
  Ways(peer);
  return true;
}

}  // namespace plexus::peers
