// The first CommunityGraph: rows of any walk over arcs, equal neighbours added up.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "algorithms/budget.h"
#include "algorithms/internal/community_graph.h"

namespace plexus::internal {

// An order of nodes in which the busy ones stand together, so that what most arcs point
// to stays in the cache: by quarter octaves of degree, falling, then by id. Empty where
// degrees are even and the ids' own order is worth more (a rule on the graph, as
// triangles have it: the mean square degree is at most twice the squared mean).
std::vector<NodeId> HubsFirst(const std::vector<std::uint64_t>& degrees);

// walk(v, fn) calls fn(u, weight) for everything at v, in a fixed order; weights finite
// and >= 0, those of zero are left out, those with u == v go to the loops. `arcs`: at
// least as many as there are calls in all. None when `budget` (null = none) says to stop,
// which is asked before every block of nodes; how much it allows to look at does not count.
template <class Walk>
std::optional<CommunityGraph> SumRows(NodeId nodes, std::uint64_t arcs, Executor& executor, const Budget* budget,
                                      Walk&& walk) {
  constexpr std::size_t kGrain = 1024;
  struct Range {
    double least = std::numeric_limits<double>::infinity(), most = 0;
  };
  std::atomic<bool> stopped = budget && budget->Interrupted();
  if (stopped) return std::nullopt;
  Pool<Tally> tallies;
  tallies.Reserve(executor, nodes);
  for (auto& tally : tallies.idle()) tally->Resize<false>(nodes);
  CommunityGraph graph;
  graph.Reserve(nodes, arcs, true);
  std::atomic<std::uint64_t> used = 0;
  const Range weights = ParallelReduce(
      executor, nodes, kGrain, Range(),
      [&](std::size_t begin, std::size_t end) {
        Range range;
        if (stopped.load(std::memory_order_relaxed)) return range;
        if (budget && budget->Interrupted()) {
          stopped.store(true, std::memory_order_relaxed);
          return range;
        }
        auto tally = tallies.Take();
        for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
          double loop = 0, strength = 0;
          Tally::Row<false> row(*tally);
          walk(v, [&](NodeId u, double weight) {
            if (u == v)
              loop += weight;
            else if (weight > 0)
              row.Add(u, weight);
          });
          std::uint64_t at = used.fetch_add(row.count(), std::memory_order_relaxed);
          graph.rows[v].begin = at;
          row.Drain([&](NodeId u, double sum) {
            graph.neighbors[at] = u;
            graph.weights[at++] = sum;
            strength += sum;
            range.least = std::min(range.least, sum);
            range.most = std::max(range.most, sum);
          });
          graph.rows[v].end = at;
          graph.loops[v] = loop;
          graph.strengths[v] = strength + loop;
        }
        tallies.Give(std::move(tally));
        return range;
      },
      [](Range a, Range b) { return Range{std::min(a.least, b.least), std::max(a.most, b.most)}; });
  if (stopped) return std::nullopt;
  // All alike: counted in that unit, exactly.
  graph.unit = weights.least >= weights.most && used < (std::uint64_t{1} << 32);
  if (graph.unit && weights.most > 0) {
    for (NodeId v = 0; v < nodes; ++v) {
      graph.loops[v] /= weights.most;
      graph.strengths[v] = static_cast<double>(graph.degree(v)) + graph.loops[v];
    }
    graph.weights = AlignedArray<double>();
  }
  for (NodeId v = 0; v < nodes; ++v) graph.total += graph.strengths[v];
  return graph;
}

}  // namespace plexus::internal
