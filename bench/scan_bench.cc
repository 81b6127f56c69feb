// Scanning every row: compacted, and with 1 % and 10 % of the edges in the delta.
//
// All three hold the same edges; the delta's are drawn at random from the whole graph,
// applied in batches of 10,000 after the rest was compacted. One scan = the sum of the
// weights over all out rows (or all in rows), on one thread, through Snapshot::ScanArcs. Verified:
// equal bits in all three, since rows come out in the same order. Run with
// --benchmark_enable_random_interleaving=true.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>

#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "engine/graph.h"
#include "engine/state.h"

namespace plexus::bench {
namespace {

struct Input {
  NodeId nodes;
  std::vector<NodePair> pairs;
};
const Input& TheInput() {
  static const Input input = [] {
    Input made;
    made.nodes = static_cast<NodeId>(Size("PLEXUS_BENCH_NODES", 1 << 19, 1 << 12));
    made.pairs = DistinctPairs(made.nodes, std::size_t{16} * made.nodes, 5);
    return made;
  }();
  return input;
}

// The graph with `percent` of its edges in the delta; made once.
const Snapshot& WithDelta(int percent) {
  static std::map<int, std::pair<std::unique_ptr<Graph>, Snapshot>> graphs;
  auto& entry = graphs[percent];
  if (entry.first) return entry.second;
  const Input& input = TheInput();
  GraphOptions options;
  options.delta_soft_arcs = options.delta_hard_arcs = std::uint64_t{1} << 40;  // never by itself
  entry.first = Graph::InMemory(options);
  AddNodes(*entry.first, input.nodes);
  const std::size_t base = input.pairs.size() / 100 * static_cast<std::size_t>(100 - percent);
  AddEdges(*entry.first, input.pairs, 0, base, 1 << 20);
  Must(entry.first->Compact(), "compacting");
  AddEdges(*entry.first, input.pairs, base, input.pairs.size(), 10'000);
  if (percent == 0) Must(entry.first->Compact(), "compacting");
  entry.second = entry.first->snapshot();
  Require(entry.second.has_delta() == (percent > 0), "the delta is what the bench says");
  return entry.second;
}

double Scan(const Snapshot& snapshot, Direction direction) {
  const ArcFilter all = ArcFilter::All();
  double sum = 0;
  snapshot.ScanArcs(direction, 0, snapshot.node_count(), all,
                    [&](NodeId, const Arc& arc) { sum += static_cast<double>(arc.weight); });
  return sum;
}

void RowScan(benchmark::State& state) {
  const Snapshot& snapshot = WithDelta(static_cast<int>(state.range(0)));
  const Direction direction = state.range(1) ? Direction::kIn : Direction::kOut;
  double sum = 0;
  for (auto _ : state) benchmark::DoNotOptimize(sum = Scan(snapshot, direction));
  Require(sum == Scan(WithDelta(0), direction),
          "the same sum, bit for bit, as the compacted graph");
  state.counters["arcs/s"] = benchmark::Counter(static_cast<double>(TheInput().pairs.size()),
                                                benchmark::Counter::kIsIterationInvariantRate);
  state.counters["runs"] = static_cast<double>(snapshot.state().runs.size());
}
BENCHMARK(RowScan)
    ->ArgNames({"delta_percent", "in_rows"})
    ->ArgsProduct({{0, 1, 10}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plexus::bench
