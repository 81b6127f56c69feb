// Building adjacency: bare topology from pairs, and the full csr from edge records.
//
// Topology (sorted, deduplicated rows) has the GAP suite's builder as contender:
// `gap build` and bench/compare_gap.sh run both on the same graph. Verified against
// sorting, on every size.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "bench/graphs/pairs.h"
#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "engine/adjacency/csr.h"
#include "engine/bulk/topology.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

std::vector<std::uint64_t> SortedArcs(std::span<const NodePair> pairs, bool symmetrize) {
  std::vector<std::uint64_t> arcs;
  for (const NodePair& pair : pairs) {
    if (pair.source == pair.target) continue;
    arcs.push_back(std::uint64_t{pair.source} << 32 | pair.target);
    if (symmetrize) arcs.push_back(std::uint64_t{pair.target} << 32 | pair.source);
  }
  std::sort(arcs.begin(), arcs.end());
  arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  return arcs;
}

bool SameRows(const CsrView& view, const std::vector<std::uint64_t>& arcs) {
  if (view.arc_count() != arcs.size()) return false;
  std::size_t i = 0;
  for (NodeId v = 0; v < view.node_count(); ++v)
    for (std::uint32_t a = view.offsets[v]; a < view.offsets[v + 1]; ++a, ++i)
      if (arcs[i] != (std::uint64_t{v} << 32 | view.neighbors[a])) return false;
  return true;
}

// symmetric: 1 = both directions in one set of rows; 0 = out rows and their inverse.
void TopologyOfKronecker(benchmark::State& state) {
  const int scale = static_cast<int>(Size("PLEXUS_BENCH_SCALE", 20, 12));
  static const PairList list = KroneckerPairs(scale, 16, DefaultExecutor());
  TopologyOptions options;
  options.symmetrize = state.range(0) != 0;
  options.executor = &ExecutorOf(static_cast<int>(state.range(1)));
  Topology topology;
  for (auto _ : state) {
    topology = Must(BuildTopology(list.node_count, list.span(), options), "topology");
    benchmark::ClobberMemory();
  }
  state.counters["pairs/s"] = benchmark::Counter(static_cast<double>(list.pairs.size()),
                                                 benchmark::Counter::kIsIterationInvariantRate);
  Require(SameRows(topology.out(), SortedArcs(list.span(), options.symmetrize)), "topology rows");
}
BENCHMARK(TopologyOfKronecker)
    ->ArgNames({"symmetric", "threads"})
    ->ArgsProduct({{1, 0}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// The csr of a live graph: kinds, weights, times, slots, both directions.
void CsrOfEdges(benchmark::State& state) {
  const int scale = static_cast<int>(Size("PLEXUS_BENCH_SCALE", 20, 12));
  const NodeId nodes = NodeId{1} << scale;
  static const std::vector<EdgeChange> edges = [nodes] {
    const PairList list = UniformPairs(std::bit_width(nodes) - 1, 8, DefaultExecutor());
    std::vector<EdgeChange> made;
    made.reserve(list.pairs.size());
    for (const NodePair& pair : list.pairs) {
      EdgeChange edge;
      edge.source = pair.source;
      edge.target = pair.target;
      edge.weight = WeightOf(pair);
      edge.created_at = kBenchTime;
      edge.kind = builtin::kLink;
      made.push_back(edge);
    }
    return made;
  }();
  const Schema schema;
  Executor& executor = ExecutorOf(static_cast<int>(state.range(0)));
  std::shared_ptr<Csr> csr;
  for (auto _ : state) csr = Must(BuildCsr(nodes, edges, {}, schema, 1, executor), "csr");
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges.size()),
                                                 benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/arc"] =
      static_cast<double>(csr->dense_bytes()) / static_cast<double>(csr->arc_count());

  std::vector<std::uint64_t> arcs;
  for (const EdgeChange& edge : edges)
    arcs.push_back(std::uint64_t{edge.source} << 32 | edge.target);
  std::sort(arcs.begin(), arcs.end());
  arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  Require(SameRows(csr->out().Unweighted(), arcs), "csr out rows");
  for (std::uint64_t& arc : arcs) arc = arc << 32 | arc >> 32;
  std::sort(arcs.begin(), arcs.end());
  Require(SameRows(csr->in().Unweighted(), arcs), "csr in rows");
}
BENCHMARK(CsrOfEdges)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plexus::bench
