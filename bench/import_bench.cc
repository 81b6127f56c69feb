// A text edge list to a durable, checkpointed, queryable graph, on 1 and 2 threads.
//
// The file holds every arc of a Kronecker graph of PLEXUS_BENCH_SCALE ("u v" a line, as
// the GAP suite's converter writes it; scale 20: 436 MB) and is kept when
// PLEXUS_BENCH_EDGE_LIST names a path, so that GAP's reader and builder can be run on
// it: `gap_build -f FILE`. Time: import in bulk mode, log and checkpoint
// written and synced. Verified: nodes, edges, and identical ids, neighbors and offsets
// at every thread count.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "bench/graphs/pairs.h"
#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "engine/adjacency/csr.h"
#include "storage/database.h"
#include "storage/formats/import.h"

namespace plexus::bench {
namespace {

struct EdgeListFile {
  TempFolder folder{"edge-list"};
  std::string path;
  std::uint64_t arcs = 0;

  EdgeListFile() {
    const int scale = static_cast<int>(Size("PLEXUS_BENCH_SCALE", 20, 10));
    const char* named = std::getenv("PLEXUS_BENCH_EDGE_LIST");
    path = named ? named : folder / "graph.el";
    const PairList list = KroneckerPairs(scale, 16, DefaultExecutor());
    TopologyOptions options;
    options.symmetrize = true;
    const Topology graph = Must(BuildTopology(list.node_count, list.span(), options), "topology");
    arcs = graph.arc_count();
    if (std::filesystem::exists(path)) return;
    std::vector<NodePair> pairs;
    pairs.reserve(arcs);
    const CsrView out = graph.out();
    for (NodeId v = 0; v < graph.node_count; ++v)
      for (std::uint32_t a = out.offsets[v]; a < out.offsets[v + 1]; ++a)
        pairs.push_back({v, out.neighbors[a]});
    Must(WritePairs(pairs, path), "writing the edge list");
  }
};
const EdgeListFile& TheFile() {
  static const EdgeListFile file;
  return file;
}

// A number that changes with any id, key, neighbor or offset.
std::uint64_t Fingerprint(const Snapshot& snapshot) {
  std::uint64_t hash = 1469598103934665603ull;
  auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ull; };
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    for (char c : snapshot.key(v)) mix(static_cast<unsigned char>(c));
  for (std::uint32_t offset : snapshot.base().out_offsets) mix(offset);
  for (NodeId neighbor : snapshot.base().out_neighbors) mix(neighbor);
  return hash;
}

void ImportEdgeList(benchmark::State& state) {
  const EdgeListFile& file = TheFile();
  static std::optional<std::uint64_t> fingerprint;
  Executor& executor = ExecutorOf(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    TempFolder folder("import");
    OpenOptions options;
    options.create = true;
    options.graph.executor = &executor;
    state.ResumeTiming();
    auto database = Must(Database::Open(folder / "db", options), "opening");
    formats::ImportOptions import;
    import.format = formats::FileFormat::kEdgeList;
    import.now_ms = kBenchTime;
    import.executor = &executor;
    import.before = [&] { return database->BeginBulk(); };
    import.after = [&] { return database->EndBulk(); };
    const auto report =
        Must(formats::ImportFiles(database->graph(), {file.path}, import), "import");
    state.PauseTiming();
    Require(report.errors == 0 && report.edges.added == file.arcs, "every line is a new edge");
    Require(!database->stats().checkpoints.empty() &&
                database->stats().checkpoints.back() == database->snapshot().sequence(),
            "the checkpoint holds all of it");
    if (database->snapshot().has_delta()) Must(database->graph().Compact(), "compacting");
    const std::uint64_t found = Fingerprint(database->snapshot());
    Require(fingerprint.value_or(found) == found, "the same ids at every thread count");
    fingerprint = found;
    Must(database->Close(), "closing");
    database.reset();
    state.ResumeTiming();
  }
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(file.arcs),
                                                 benchmark::Counter::kIsIterationInvariantRate);
  state.SetBytesProcessed(static_cast<std::int64_t>(std::filesystem::file_size(file.path)) *
                          state.iterations());
}
BENCHMARK(ImportEdgeList)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace plexus::bench
