// peer_boost: Boost.Graph on its own compressed_sparse_row_graph, one thread (it has no more).
//
// page_rank has no stop by error: an untimed run counts the iterations after which the
// step bounds the error by 1e-6, and the timed ones make exactly that many. It lets the
// mass of dangling nodes leak; with a uniform teleport that only scales the scores, so
// they are divided by their sum. (Its `n` only sets the
// first scores; 1 gives them the scale that its teleport has.) Components are
// incremental_components (union-find).
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/incremental_components.hpp>
#include <boost/graph/page_rank.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/version.hpp>
#include <cmath>
#include <numeric>

#include "bench/peers/connectivity.h"
#include "bench/peers/peer.h"
#include "bench/peers/structure.h"

namespace {

using namespace plexus::peers;  // NOLINT: a program of one file
using Graph = boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property,
                                                 boost::no_property, boost::no_property,
                                                 std::uint32_t, std::uint32_t>;

Graph Load(const Arcs& arcs) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(arcs.sources.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {arcs.sources[i], arcs.targets[i]};
  return Graph(boost::edges_are_unsorted_multi_pass, pairs.begin(), pairs.end(), arcs.nodes);
}

auto RankMap(const Graph& g, Answer& scores) {
  return boost::make_iterator_property_map(scores.begin(), get(boost::vertex_index, g));
}

void Normalise(Answer& scores) {
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  for (double& score : scores) score /= sum;
}

// Iterations after which d / (1 - d) * |step| <= 1e-6, on scores that sum to 1.
struct Counter {
  Answer before;
  std::size_t* iterations;
  template <class Map>
  bool operator()(const Map& map, const Graph& g) {
    Answer now(num_vertices(g));
    for (std::size_t v = 0; v < now.size(); ++v) now[v] = get(map, static_cast<std::uint32_t>(v));
    Normalise(now);
    double step = before.empty() ? 1 : 0;
    for (std::size_t v = 0; v < before.size(); ++v) step += std::abs(now[v] - before[v]);
    before = std::move(now);
    if (step * kDamping / (1 - kDamping) <= kTrueError) return true;
    ++*iterations;
    return false;
  }
};

void PageRank(Peer& peer, const Graph& g) {
  Answer scores(num_vertices(g)), scratch(num_vertices(g));
  std::size_t iterations = 0;
  boost::graph::page_rank(g, RankMap(g, scores), Counter{{}, &iterations}, kDamping, 1.0,
                          RankMap(g, scratch));
  peer.Trials([&] {
    boost::graph::page_rank(g, RankMap(g, scores), boost::graph::n_iterations(iterations), kDamping,
                            1.0, RankMap(g, scratch));
    Normalise(scores);
    return scores;
  });
  peer.Note("page_rank, f64, " + std::to_string(iterations) +
            " iterations, counted beforehand, 1 thread");
}

void Bfs(Peer& peer, const Graph& g) {
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  peer.Trials([&] {
    Answer answer;
    for (std::uint32_t start : starts) {
      Answer depth(num_vertices(g), -1);
      depth[start] = 0;
      auto map = boost::make_iterator_property_map(depth.begin(), get(boost::vertex_index, g));
      boost::breadth_first_search(g, start,
                                  boost::visitor(boost::make_bfs_visitor(
                                      boost::record_distances(map, boost::on_tree_edge()))));
      answer.insert(answer.end(), depth.begin(), depth.end());
    }
    return answer;
  });
  peer.Note("breadth_first_search, 1 thread");
}

void Components(Peer& peer, const Graph& g) {
  peer.Trials([&] {
    std::vector<std::uint32_t> rank(num_vertices(g)), parent(num_vertices(g));
    boost::identity_property_map id;
    auto ranks = boost::make_iterator_property_map(rank.begin(), id);
    auto parents = boost::make_iterator_property_map(parent.begin(), id);
    boost::disjoint_sets sets(ranks, parents);
    boost::initialize_incremental_components(g, sets);
    boost::incremental_components(g, sets);
    Answer labels(num_vertices(g));
    for (std::uint32_t v = 0; v < labels.size(); ++v) labels[v] = sets.find_set(v);
    return labels;
  });
  peer.Note("incremental_components, 1 thread");
}

Answer Walks(const Graph& g) {
  double walks = 0;
  for (std::uint32_t v = 0; v < num_vertices(g); ++v)
    walks += static_cast<double>(out_degree(v, g)) * static_cast<double>(in_degree(v, g));
  return {static_cast<double>(num_vertices(g)), static_cast<double>(num_edges(g)), walks};
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv,
            "Boost " + std::to_string(BOOST_VERSION / 100000) + "." +
                std::to_string(BOOST_VERSION / 100 % 1000) + ", header only, our -O3");
  const Arcs arcs = ReadArcs(peer.folder());
  if (Connections(peer, arcs) || Measures(peer, arcs)) return peer.Finish();
  if (peer.work() == "load") {
    peer.Trials([&] { return Load(arcs); }, [](const Graph& g) { return Walks(g); });
    peer.Note("compressed_sparse_row_graph, bidirectional, from pairs in memory, 1 thread");
    return peer.Finish();
  }
  const Graph graph = peer.Load([&] { return Load(arcs); });
  if (peer.work() == "pagerank") PageRank(peer, graph);
  if (peer.work() == "bfs") Bfs(peer, graph);
  if (peer.work() == "components") Components(peer, graph);
  return peer.Finish();
}
