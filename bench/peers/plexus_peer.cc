// peer_plexus: our side of every row, through the public interface, as a user would.
//
// Graphs are in RAM, loaded through write batches (nodes by string key, edges by id) and
// compacted; works that end in -csr run on bare arrays (Topology) instead, without keys,
// kinds, weights or history. `open` is a database on disk.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/centrality/centrality.h"
#include "algorithms/community/community.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/connectivity_csr.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/retrieval/vectors.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/internal/bfs_csr.h"
#include "algorithms/traversal/traversal.h"
#include "bench/graphs/random_graph.h"
#include "bench/peers/centrality.h"
#include "bench/peers/connectivity.h"
#include "bench/peers/peer.h"
#include "bench/peers/plexus_graph.h"
#include "bench/peers/structure.h"
#include "bench/peers/traversal.h"
#include "bench/support.h"
#include "engine/bulk/topology.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "storage/database.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::peers;  // NOLINT
using bench::kBenchTime;
using bench::Must;

void PageRankOf(Peer& peer, const Snapshot& graph, Executor& executor) {
  auto options = On<pagerank::PageRankOptions>(executor);
  options.tolerance = kTrueError;
  options.weighted = false;
  int iterations = 0;
  double preparation_ms = 0;  // of the first trial; later ones find the layout
  peer.Trials([&] {
    auto result = Must(PageRank(graph, options), "pagerank");
    iterations = result.iterations;
    preparation_ms = std::max(preparation_ms, result.stats.preparation_ms);
    return std::move(result.scores);
  });
  peer.Note(std::to_string(iterations) +
            " iterations, stops by a bound on the true error; preparation " +
            std::to_string(static_cast<int>(preparation_ms + 0.5)) + " ms, once a snapshot");
}

// Depths of all starts, one search after the other.
void BfsOf(Peer& peer, const Snapshot& graph, Executor& executor) {
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  const auto options = On<traversal::BfsOptions>(executor);
  peer.Trials(
      [&] {
        std::vector<traversal::BfsResult> results;
        for (const NodeId& start : starts)
          results.push_back(Must(traversal::Bfs(graph, {&start, 1}, options), "bfs"));
        return results;
      },
      [&](const std::vector<traversal::BfsResult>& results) {
        Answer answer(results.size() * graph.node_count(), -1);
        for (std::size_t i = 0; i < results.size(); ++i)
          for (const traversal::BfsNode& node : results[i].nodes)
            answer[i * graph.node_count() + node.node] = node.depth;
        return answer;
      });
}

void BfsOf(Peer& peer, const Topology& graph, Executor& executor) {
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  peer.Trials(
      [&] {
        std::vector<AlignedArray<std::uint32_t>> depths;
        for (NodeId start : starts)
          depths.push_back(traversal::BfsCsr(graph.out(), graph.in(), start,
                                             {.depths = true, .executor = &executor})
                               .value()
                               .depths);
        return depths;
      },
      [](const std::vector<AlignedArray<std::uint32_t>>& depths) {
        Answer answer;
        for (const auto& one : depths)
          for (std::uint32_t depth : one)
            answer.push_back(depth == traversal::kUnreached ? -1.0 : depth);
        return answer;
      });
}

void ClosenessOf(Peer& peer, const Snapshot& graph, Executor& executor) {
  auto options = On<centrality::ClosenessOptions>(executor);
  options.of = ReadArray<NodeId>(peer / "starts.u32");
  options.direction = Direction::kOut;
  options.scaled = false;
  peer.Trials([&] {
    const centrality::ClosenessResult result = Must(Closeness(graph, options), "closeness");
    Answer answer;
    for (const NodeId v : options.of)
      answer.insert(answer.end(), {result.closeness[v], result.harmonic[v]});
    return answer;
  });
  peer.Note("both from one search of 16 lanes");
}

void HitsOf(Peer& peer, const Snapshot& graph, Executor& executor) {
  const auto options = On<centrality::HitsOptions>(executor);
  int iterations = 0;
  peer.Trials([&] {
    centrality::HitsResult result = Must(Hits(graph, options), "hits");
    iterations = result.iterations;
    result.hubs.insert(result.hubs.end(), result.authorities.begin(), result.authorities.end());
    return result.hubs;
  });
  peer.Note(std::to_string(iterations) + " iterations, to a step of 1e-9");
}

void SimilarOf(Peer& peer, const Snapshot& graph) {
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  similarity::SimilarityOptions options;
  options.measure = similarity::SimilarityMeasure::kAdamicAdar;
  options.direction = Direction::kOut;
  options.top = kSimilarTop;
  peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
    const similarity::SimilarNodesResult result =
        Must(similarity::SimilarNodes(graph, starts[i], options), "similar");
    AppendList(result.hits, answer, [](const auto& node) { return Row(node.node, node.score); });
  });
  peer.Note("one thread");
}

void SimilarPairsOf(Peer& peer, const Snapshot& graph, Executor& executor) {
  auto options = On<similarity::SimilarityOptions>(executor);
  options.measure = similarity::SimilarityMeasure::kAdamicAdar;
  options.direction = Direction::kOut;
  options.top = kPairsTop;
  std::uint64_t wedges = 0, compared = 0;
  peer.Trials([&] {
    const similarity::SimilarPairsResult result =
        Must(similarity::SimilarPairs(graph, options), "similar pairs");
    wedges = result.wedges;
    compared = result.compared;
    Answer answer;
    AppendList(result.pairs, answer, [](const similarity::PairSimilarity& pair) {
      return Row(pair.a, pair.b, pair.score);
    });
    return answer;
  });
  peer.Note(std::to_string(wedges) + " wedges walked, " + std::to_string(compared) +
            " compared by the miner");
}

// warm: after one untimed pass over the starts, which prepares what later ones read.
void TraverseOf(Peer& peer, const Snapshot& graph, bool paths, bool warm, Executor& executor) {
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  auto options = On<traversal::TraverseOptions>(executor);
  options.hops = kHops;
  options.top = kTraverseTop;
  options.paths = paths;
  for (std::size_t i = 0; warm && i < starts.size(); ++i) {
    const NodeWeight seed{starts[i], 1.0};
    Must(traversal::Traverse(graph, {&seed, 1}, options), "traverse");
  }
  peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
    const NodeWeight seed{starts[i], 1.0};
    const traversal::TraverseResult result =
        Must(traversal::Traverse(graph, {&seed, 1}, options), "traverse");
    AppendList(result.hits, answer, [](const auto& hit) { return Row(hit.node, hit.score); });
  });
  peer.Note(warm    ? "after one pass over the starts"
            : paths ? "with paths; the first pass of a process"
                    : "the first pass of a process");
}

Answer Walks(const Snapshot& graph) {
  double arcs = 0, walks = 0;
  for (NodeId v = 0; v < graph.node_count(); ++v) {
    const double out = static_cast<double>(graph.Degree(Direction::kOut, v, ArcFilter::All()));
    arcs += out;
    walks += out * static_cast<double>(graph.Degree(Direction::kIn, v, ArcFilter::All()));
  }
  return {static_cast<double>(graph.node_count()), arcs, walks};
}

Answer Walks(const Topology& graph) {
  double walks = 0;
  for (NodeId v = 0; v < graph.node_count; ++v)
    walks += static_cast<double>(graph.out().degree(v)) * graph.in().degree(v);
  return {static_cast<double>(graph.node_count), static_cast<double>(graph.arc_count()), walks};
}

// From files in the page cache to one pass over all arcs.
void OpenOf(Peer& peer, const Edges& edges, Executor& executor) {
  OpenOptions options;
  options.create = true;
  options.graph.executor = &executor;
  const std::string folder = peer / "plexus.db";
  if (!Database::Exists(folder)) {
    const auto database = Must(Database::Open(folder, options), "creating");
    Fill(database->graph(), edges);
    Must(database->Checkpoint(), "checkpoint");
    Must(database->Close(), "closing");
  }
  options.create = false;
  options.read_only = true;
  peer.Trials(
      [&] {
        auto database = Must(Database::Open(folder, options), "opening");
        const Snapshot graph = database->snapshot();
        double arcs = 0, weights = 0;
        graph.ScanArcs(Direction::kOut, 0, graph.node_count(), ArcFilter::All(),
                       [&](NodeId, const Arc& arc) {
                         ++arcs;
                         weights += static_cast<double>(arc.weight);
                       });
        return std::pair(std::move(database),
                         Answer{static_cast<double>(graph.node_count()), arcs, weights});
      },
      [](const auto& opened) { return opened.second; });
}

// Facts get the first ids, so a fact's number is its id.
Snapshot LoadSharing(const Sharing& s) {
  const auto graph = Graph::InMemory();
  bench::AddNodes(*graph, s.facts);
  WriteBatch batch(kBenchTime);
  std::vector<NodeRef> tags, events;
  for (std::uint32_t t = 0; t < s.tags; ++t)
    tags.push_back(batch.IndexNode(builtin::kTag, "t" + std::to_string(t)));
  for (std::uint32_t e = 0; e < s.events; ++e)
    events.push_back(batch.IndexNode(builtin::kEvent, "e" + std::to_string(e)));
  for (std::size_t i = 0; i < s.fact.size(); ++i)
    batch.Link(NodeRef::Id(s.fact[i]), builtin::kHasTag, tags[s.tag[i]]);
  for (std::size_t i = 0; i < s.event.size(); ++i)
    batch.Link(events[s.event[i]], builtin::kMember, NodeRef::Id(s.event_fact[i]));
  Must(graph->Apply(batch), "adding tags and events");
  Must(graph->Compact(), "compacting");
  return graph->snapshot();
}

void PairsOf(Peer& peer, Executor& executor) {
  const Sharing sharing = ReadSharing(peer.folder());
  const Snapshot graph = peer.Load([&] { return LoadSharing(sharing); });
  auto options = On<similarity::FrontierOptions>(executor);
  options.top = kPairsTop;
  similarity::FrontierResult result;
  peer.Trials([&] { return result = Must(similarity::Frontier(graph, options), "frontier"); },
              [](const similarity::FrontierResult& found) {
                Answer answer;
                AppendList(found.sets, answer, [](const similarity::FrontierSet& set) {
                  return Row(set.members[0], set.members[1], set.score);
                });
                return answer;
              });
  peer.Note(std::to_string(result.wedges) + " wedges, " + std::to_string(result.scored) +
            " pairs scored; names the shared tags, too");
}

void NearestOf(Peer& peer, bool inside, Executor& executor) {
  const Vectors vectors = ReadVectors(peer.folder());
  const auto rows = static_cast<NodeId>(vectors.count());
  const Snapshot graph = peer.Load([&] {
    const auto made = Graph::InMemory();
    bench::AddNodes(*made, rows);
    for (NodeId v = 0; v < rows;) {
      WriteBatch batch(kBenchTime);
      if (v == 0) batch.DefineSpace({"default", vectors.dimensions, Metric::kCosine});
      for (const NodeId end = std::min(rows, v + 50'000); v < end; ++v)
        batch.SetVector(NodeRef::Id(v), batch.SpaceNamed("default"),
                        {vectors.row(v), vectors.dimensions});
      Must(made->Apply(batch), "adding vectors");
    }
    Must(made->Compact(), "compacting");
    return made->snapshot();
  });
  const NodeSubset subset = Must(NodeSubset::Of(graph, vectors.subset), "subset");
  auto options = On<retrieval::NearestOptions>(executor);
  options.top = kNearestTop;
  options.subset = inside ? &subset : nullptr;
  peer.Queries(vectors.query_count(), [&](std::size_t q, Answer& answer) {
    const auto result =
        Must(retrieval::Nearest(graph, SpaceId{}, {vectors.query(q), vectors.dimensions}, options),
             "nearest");
    AppendList(result.hits, answer,
               [](const retrieval::NearestHit& node) { return Row(node.node, node.similarity); });
  });
}

void GraphWork(Peer& peer, Executor& executor) {
  const std::string& work = peer.work();
  const Edges edges = ReadEdges(peer);
  if (work == "open") return OpenOf(peer, edges, executor);
  if (work == "load")
    return peer.Trials([&] { return InRam(edges, executor); },
                       [](const Snapshot& graph) { return Walks(graph); });
  if (work == "load-csr")
    return peer.Trials([&] { return Bare(edges, false, executor); },
                       [](const Topology& graph) { return Walks(graph); });
  const auto labels = [](const auto& all) { return AsAnswer(all); };
  if (work.ends_with("-csr")) {
    const Topology graph = peer.Load([&] { return Bare(edges, false, executor); });
    if (work == "bfs-csr") BfsOf(peer, graph, executor);
    if (work == "components-csr")
      peer.Trials(
          [&] { return connectivity::ComponentsCsr(graph.out(), graph.in(), &executor).value(); },
          labels);
    return;
  }
  const Snapshot graph = peer.Load([&] { return InRam(edges, executor); });
  if (work == "pagerank") PageRankOf(peer, graph, executor);
  if (work == "bfs") BfsOf(peer, graph, executor);
  if (work == "components") {
    peer.Trials(
        [&] {
          return Must(
                     connectivity::Components(graph, On<connectivity::ComponentsOptions>(executor)),
                     "components")
              .labels;
        },
        labels);
  }
  if (work == "leiden") {
    const auto options = On<community::LeidenOptions>(executor);
    int iterations = 0;
    peer.Trials(
        [&] {
          community::LeidenResult result = Must(Leiden(graph, options), "leiden");
          iterations = result.iterations;
          return std::move(result.communities);
        },
        labels);
    peer.Note(std::to_string(iterations) + " iterations, " + std::to_string(peer.threads()) +
              " threads; the undirected graph is made in the time");
  }
  if (work == "closeness") ClosenessOf(peer, graph, executor);
  if (work == "hits") HitsOf(peer, graph, executor);
  if (work == "similar") SimilarOf(peer, graph);
  if (work == "similar-pairs") SimilarPairsOf(peer, graph, executor);
  if (work.starts_with("traverse"))
    TraverseOf(peer, graph, work == "traverse-paths", work == "traverse-warm", executor);
}

bool OfArcs(const std::string& work) {
  return IsConnectionWork(work) || IsMeasure(work) || IsScoreWork(work);
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv, "Plexus 0.1");
  Executor& executor = bench::ExecutorOf(peer.threads());
  if (peer.work() == "pairs")
    PairsOf(peer, executor);
  else if (peer.work() == "nearest" || peer.work() == "nearest-inside")
    NearestOf(peer, peer.work() != "nearest", executor);
  else if (OfArcs(peer.work())) {
    const Arcs arcs = ReadArcs(peer.folder());
    (void)(Connections(peer, arcs) || Measures(peer, arcs) || Scores(peer, arcs));
  } else if (!WalkWorks(peer)) {
    GraphWork(peer, executor);
  }
  return peer.Finish();
}
