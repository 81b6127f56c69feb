// Appends to a graph in RAM while two readers run.
//
// Each batch: 10,000 edges, a tenth of them updates of earlier edges (new weight),
// filled, applied and visible (a snapshot taken after it shows its sequence). Readers
// take a snapshot, walk 256 rows, and check that sequences never go back and that a
// snapshot shows whole batches only. Compaction runs in the background and is part of
// the time. Verified: the number of edges, and the weight of every updated edge.
#include <benchmark/benchmark.h>

#include <atomic>
#include <string>
#include <thread>

#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kBatch = 10'000, kUpdates = 1'000, kNew = kBatch - kUpdates;

struct Input {
  NodeId nodes;
  std::size_t batches;
  std::vector<NodePair> pairs;  // the new edges of all batches
  std::vector<std::string> keys;
};

const Input& TheInput() {
  static const Input input = [] {
    Input made;
    made.nodes = static_cast<NodeId>(Size("PLEXUS_BENCH_NODES", 1 << 20, 1 << 12));
    made.batches = static_cast<std::size_t>(Size("PLEXUS_BENCH_BATCHES", 600, 8));
    made.pairs = DistinctPairs(made.nodes, made.batches * kNew, 11);
    for (NodeId v = 0; v < made.nodes; ++v)
      made.keys.push_back(std::to_string(v).insert(0, 1, 'n'));
    return made;
  }();
  return input;
}

// The edge that update `u` of batch `b` changes, an edge of an earlier batch.
const NodePair& Updated(const Input& input, std::size_t b, std::size_t u) {
  return input.pairs[((b - 1) * kNew + u * 9) % (b * kNew)];
}
constexpr float kUpdatedWeight = 0.25f;

void Fill(const Input& input, std::size_t b, bool by_key, WriteBatch& batch) {
  batch.ReserveEdges(kBatch);
  auto ref = [&](NodeId v) { return by_key ? batch.Node(input.keys[v]) : NodeRef::Id(v); };
  for (std::size_t i = b * kNew; i < (b + 1) * kNew; ++i) {
    const NodePair& pair = input.pairs[i];
    const NodeRef source = ref(pair.source), target = ref(pair.target);
    batch.Link(source, builtin::kLink, target, WeightOf(pair));
  }
  for (std::size_t u = 0; u < kUpdates && b > 0; ++u) {
    const NodePair& pair = Updated(input, b, u);
    const NodeRef source = ref(pair.source), target = ref(pair.target);
    batch.Link(source, builtin::kLink, target, kUpdatedWeight);
  }
}

// Reads until told to stop; counts rows.
void Read(const Graph& graph, Sequence nodes_loaded, std::uint64_t seed,
          const std::atomic<bool>& stop, std::atomic<std::uint64_t>& rows) {
  const ArcFilter all = ArcFilter::All();
  Sequence last = 0;
  double sum = 0;
  while (!stop) {
    const Snapshot snapshot = graph.snapshot();
    Require(snapshot.sequence() >= last, "a later snapshot has an earlier sequence");
    last = snapshot.sequence();
    Require(snapshot.CountEdges(Plane::kFact) == (last - nodes_loaded) * kNew,
            "a snapshot shows part of a batch");
    for (int i = 0; i < 256; ++i) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      snapshot.ForEachArc(Direction::kOut,
                          static_cast<NodeId>((seed >> 33) % snapshot.node_count()), all,
                          [&](const Arc& arc) { sum += arc.weight; });
    }
    rows += 256;
  }
  Require(sum >= 0, "weights are positive");
}

void Append(benchmark::State& state) {
  const bool by_key = state.range(0) != 0;
  const int readers = static_cast<int>(state.range(1));
  const Input& input = TheInput();
  for (auto _ : state) {
    GraphOptions options;
    options.maintenance = Maintenance::kBackground;
    auto graph = Graph::InMemory(options);
    AddNodes(*graph, input.nodes);
    const Sequence loaded = graph->snapshot().sequence();
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> rows{0};
    std::vector<std::thread> threads;
    for (int r = 0; r < readers; ++r)
      threads.emplace_back(
          [&, r] { Read(*graph, loaded, 77 + static_cast<std::uint64_t>(r), stop, rows); });
    const auto start = Clock::now();
    for (std::size_t b = 0; b < input.batches; ++b) {
      WriteBatch batch(kBenchTime + static_cast<std::int64_t>(b));
      Fill(input, b, by_key, batch);
      const ApplyReport report = Must(graph->Apply(batch), "append");
      Require(graph->snapshot().sequence() >= report.sequence, "an applied batch is not visible");
    }
    const double seconds = SecondsSince(start);
    stop = true;
    for (auto& thread : threads) thread.join();
    state.SetIterationTime(seconds);
    // All batches but the first carry updates.
    state.counters["edges/s"] = static_cast<double>(input.batches * kBatch - kUpdates) / seconds;
    state.counters["rows_read/s"] = static_cast<double>(rows) / seconds;
    const GraphStats stats = graph->stats();
    state.counters["compactions"] = static_cast<double>(stats.compactions);
    state.counters["stall_ms"] = static_cast<double>(stats.stall_ns) / 1e6;

    const Snapshot last = graph->snapshot();
    Require(last.CountEdges(Plane::kFact) == input.pairs.size(), "number of edges");
    for (std::size_t b = 1; b < input.batches; ++b) {
      for (std::size_t u = 0; u < kUpdates; u += 97) {
        const NodePair& pair = Updated(input, b, u);
        const auto edge = last.FindEdge(pair.source, builtin::kLink, pair.target);
        Require(edge && edge->weight == kUpdatedWeight, "an update is lost");
      }
    }
  }
}
BENCHMARK(Append)
    ->ArgNames({"string_keys", "readers"})
    ->Args({0, 2})
    ->Args({1, 2})
    ->Args({0, 0})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plexus::bench
