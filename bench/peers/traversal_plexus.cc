// Our side of traversal.h: Bfs, MatchPattern and Traverse on a snapshot, as users have it.
#include <span>

#include "algorithms/traversal/traversal.h"
#include "bench/peers/plexus_graph.h"
#include "bench/peers/traversal.h"
#include "bench/support.h"
#include "engine/vocabulary.h"

namespace plexus::peers {

using bench::Must;
static_assert(kManyKind == builtin::kReferential && kLastKind == builtin::kTemporal);

bool WalkWorks(Peer& peer) {
  const std::string& work = peer.work();
  if (!IsWalkWork(work)) return false;
  Executor& executor = bench::ExecutorOf(peer.threads());
  const auto starts = ReadArray<NodeId>(peer / "starts.u32");
  const Snapshot graph = peer.Load([&] { return InRam(ReadEdges(peer), executor); });
  if (work == "descendants" || work == "ancestors") {
    auto options = On<traversal::BfsOptions>(executor);
    options.max_depth = kReachHops;
    options.direction = work == "ancestors" ? Direction::kIn : Direction::kOut;
    peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
      const traversal::BfsResult result =
          Must(traversal::Bfs(graph, {&starts[i], 1}, options), "bfs");
      AppendList(std::span(result.nodes).subspan(1), answer,  // by depth, then id
                 [](const traversal::BfsNode& n) { return Row(n.node, n.depth); });
    });
    peer.Note("Bfs with a depth");
  } else if (work == "pattern") {
    const traversal::PathPattern pattern =
        Must(traversal::PathPattern::Parse("referential+ temporal", graph.schema()), "pattern");
    traversal::PatternOptions options;
    options.hops = kPatternHops;
    options.top = 0;
    options.paths = false;
    peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
      const NodeWeight seed{starts[i], 1.0};
      const traversal::TraverseResult result =
          Must(traversal::MatchPattern(graph, pattern, {&seed, 1}, options), "pattern");
      AppendList(result.hits, answer,  // by hops, then id
                 [](const traversal::TraverseHit& hit) { return Row(hit.node, hit.hops); });
    });
    peer.Note("MatchPattern, an automaton, 1 thread");
  } else {
    auto options = On<traversal::TraverseOptions>(executor);
    options.hops = kHops;
    options.top = kTraverseTop;
    options.aggregate = work == "sum"   ? traversal::Aggregate::kSum
                        : work == "min" ? traversal::Aggregate::kMin
                                        : traversal::Aggregate::kNoisyOr;
    options.paths = false;
    peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
      const NodeWeight seed{starts[i], 1.0};
      const traversal::TraverseResult result =
          Must(traversal::Traverse(graph, {&seed, 1}, options), "traverse");
      AppendList(result.hits, answer,
                 [](const traversal::TraverseHit& hit) { return Row(hit.node, hit.score); });
    });
    peer.Note("Traverse, no bar");
  }
  return true;
}

}  // namespace plexus::peers
