// Our side of traversal.h: Bfs, MatchPattern and Traverse on a snapshot, as users have it.
#include "algorithms/traversal/bfs.h"
#include "algorithms/traversal/pattern.h"
#include "algorithms/traversal/traverse.h"
#include "bench/graphs/random_graph.h"
#include "bench/peers/plexus_graph.h"
#include "bench/peers/traversal.h"
#include "bench/support.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus::peers {
namespace {

using bench::Must;
static_assert(kManyKind == kReferential && kLastKind == kTemporal);

Snapshot LoadKinds(const Peer& peer, Executor& executor) {
  const auto sources = ReadArray<NodeId>(peer / "sources.u32"),
             targets = ReadArray<NodeId>(peer / "targets.u32");
  const auto weights = ReadArray<float>(peer / "weights.f32");
  const auto kinds = ReadArray<std::uint8_t>(peer / "kinds.u8");
  GraphOptions options;
  options.executor = &executor;
  const auto graph = Graph::InMemory(options);
  bench::AddNodes(*graph, ReadNumber<NodeId>(peer / "nodes.u32"));
  WriteBatch batch(bench::kBenchTime);
  for (std::size_t i = 0; i < sources.size(); ++i)
    batch.Link(NodeRef::Id(sources[i]), EdgeKindId{kinds[i]}, NodeRef::Id(targets[i]), weights[i]);
  Must(graph->Apply(batch), "adding edges");
  Must(graph->Compact(), "compacting");
  return graph->snapshot();
}

}  // namespace

bool WalkWorks(Peer& peer) {
  const std::string& work = peer.work();
  if (!IsWalkWork(work)) return false;
  Executor& executor = bench::ExecutorOf(peer.threads());
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  const Snapshot graph = peer.Load([&] { return LoadKinds(peer, executor); });
  if (work == "descendants" || work == "ancestors") {
    BfsOptions options;
    options.max_depth = kReachHops;
    options.direction = work == "ancestors" ? Direction::kIn : Direction::kOut;
    options.run.executor = &executor;
    peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
      const BfsResult result = Must(Bfs(graph, {&starts[i], 1}, options), "bfs");
      answer.push_back(static_cast<double>(result.nodes.size() - 1));
      for (std::size_t k = 1; k < result.nodes.size(); ++k)  // by depth, then id
        answer.insert(answer.end(), {static_cast<double>(result.nodes[k].node),
                                     static_cast<double>(result.nodes[k].depth)});
    });
    peer.Note("Bfs with a depth");
  } else if (work == "pattern") {
    const PathPattern pattern =
        Must(PathPattern::Parse("referential+ temporal", graph.schema()), "pattern");
    PatternOptions options;
    options.hops = kPatternHops;
    options.top = 0;
    options.paths = false;
    peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
      const NodeWeight seed{starts[i], 1.0};
      const TraverseResult result =
          Must(MatchPattern(graph, pattern, {&seed, 1}, options), "pattern");
      answer.push_back(static_cast<double>(result.hits.size()));
      for (const TraverseHit& hit : result.hits)  // by hops, then id
        answer.insert(answer.end(), {static_cast<double>(hit.node), static_cast<double>(hit.hops)});
    });
    peer.Note("MatchPattern, an automaton, 1 thread");
  } else {
    TraverseOptions options;
    options.hops = kHops;
    options.top = kTraverseTop;
    options.aggregate = work == "sum"   ? Aggregate::kSum
                        : work == "min" ? Aggregate::kMin
                                        : Aggregate::kNoisyOr;
    options.paths = false;
    options.run.executor = &executor;
    peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
      const NodeWeight seed{starts[i], 1.0};
      const TraverseResult result = Must(Traverse(graph, {&seed, 1}, options), "traverse");
      answer.push_back(static_cast<double>(result.hits.size()));
      for (const TraverseHit& hit : result.hits)
        answer.insert(answer.end(), {static_cast<double>(hit.node), hit.score});
    });
    peer.Note("Traverse, no bar");
  }
  return true;
}

}  // namespace plexus::peers
