// Opening a checkpoint and writing one.
//
// A database of PLEXUS_BENCH_EDGES random edges (30 bytes and more each in a
// checkpoint) is made once. Open: load the checkpoint on N threads, page cache warm,
// no log tail; contender: read() of as many bytes from a plain file into fresh memory
// by way of a 1 MiB buffer (read + memcpy), on as many threads. Checkpoint: one record
// is appended and the whole graph written again. Verified: nodes, edges and the sum of
// all weights of what was opened.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "engine/adjacency/csr.h"
#include "engine/arrays/aligned_array.h"
#include "engine/vocabulary.h"
#include "storage/database.h"

namespace plexus::bench {
namespace {

double SumOfWeights(const Snapshot& snapshot) {
  double sum = 0;
  const WeightView weights = snapshot.base().out_weights.view();
  for (std::size_t i = 0; i < weights.size(); ++i) sum += static_cast<double>(weights[i]);
  return sum;
}

// One database for all runs of the program.
struct Made {
  TempFolder folder{"open"};
  std::string directory = folder / "db", flat = folder / "flat";
  NodeId nodes = 0;
  std::size_t edges = 0;
  double sum = 0;
  std::uint64_t checkpoint_bytes = 0;

  Made() {
    edges = static_cast<std::size_t>(Size("PLEXUS_BENCH_EDGES", 20'000'000, 20'000));
    nodes = static_cast<NodeId>(edges / 16);
    const std::vector<NodePair> pairs = DistinctPairs(nodes, edges, 3);
    OpenOptions options;
    options.create = true;
    auto database = Must(Database::Open(directory, options), "making the database");
    Must(database->BeginBulk(), "bulk");
    AddNodes(database->graph(), nodes);
    AddEdges(database->graph(), pairs, 0, edges, 1 << 20);
    Must(database->EndBulk(), "bulk");
    Must(database->graph().Compact(), "compacting");
    sum = SumOfWeights(database->snapshot());
    Must(database->Close(), "closing");
    database.reset();
    database = Must(Database::Open(directory, {}), "opening");
    checkpoint_bytes = database->report().checkpoint_bytes;
    Must(database->Close(), "closing");
    WriteFlat();
  }
  void WriteFlat() {
    const int file = open(flat.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    std::vector<char> block(1 << 20, 'x');
    std::uint64_t left = checkpoint_bytes;
    while (file >= 0 && left > 0) {
      const ssize_t wrote = write(file, block.data(), std::min<std::uint64_t>(left, block.size()));
      if (wrote <= 0) Die("writing the flat file");
      left -= static_cast<std::uint64_t>(wrote);
    }
    if (file < 0 || fsync(file) != 0 || close(file) != 0) Die("writing the flat file");
  }
};
Made& TheDatabase() {
  static Made made;
  return made;
}

void OpenCheckpoint(benchmark::State& state) {
  Made& made = TheDatabase();
  OpenOptions options;
  options.graph.executor = &ExecutorOf(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    auto database = Must(Database::Open(made.directory, options), "opening");
    state.PauseTiming();
    const Snapshot snapshot = database->snapshot();
    Require(database->report().replayed_records == 0, "no tail to replay");
    Require(snapshot.CountEdges(Plane::kFact) == made.edges, "edges after opening");
    Require(snapshot.CountNodes(Plane::kFact) == made.nodes, "nodes after opening");
    Require(SumOfWeights(snapshot) == made.sum, "weights after opening");
    Must(database->Close(), "closing");
    database.reset();
    state.ResumeTiming();
  }
  state.counters["checkpoint_MB"] = static_cast<double>(made.checkpoint_bytes) / 1e6;
  state.SetBytesProcessed(static_cast<std::int64_t>(made.checkpoint_bytes) * state.iterations());
}
BENCHMARK(OpenCheckpoint)
    ->ArgName("threads")
    ->Arg(2)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void ReadAndCopy(benchmark::State& state) {
  Made& made = TheDatabase();
  const std::size_t threads = static_cast<std::size_t>(state.range(0));
  Executor& executor = ExecutorOf(static_cast<int>(threads));
  constexpr std::size_t kBlock = 1 << 20;
  auto read_and_copy = [&] {
    AlignedArray<char> to(made.checkpoint_bytes);
    const int file = open(made.flat.c_str(), O_RDONLY);
    if (file < 0) Die("opening the flat file");
    ParallelFor(executor, to.size(), (to.size() + threads - 1) / threads,
                [&](std::size_t begin, std::size_t end) {
                  std::vector<char> buffer(kBlock);
                  while (begin < end) {
                    const ssize_t got = pread(file, buffer.data(), std::min(kBlock, end - begin),
                                              static_cast<off_t>(begin));
                    if (got <= 0) return;
                    std::memcpy(to.data() + begin, buffer.data(), static_cast<std::size_t>(got));
                    begin += static_cast<std::size_t>(got);
                  }
                });
    close(file);
    Require(to[0] == 'x' && to[to.size() - 1] == 'x' && to[to.size() / 2] == 'x', "bytes read");
  };
  read_and_copy();  // the page cache is warm from here on
  for (auto _ : state) read_and_copy();
  state.SetBytesProcessed(static_cast<std::int64_t>(made.checkpoint_bytes) * state.iterations());
}
BENCHMARK(ReadAndCopy)
    ->ArgName("threads")
    ->Arg(2)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void WriteCheckpoint(benchmark::State& state) {
  Made& made = TheDatabase();
  // A copy: the other benchmarks want theirs without a change.
  TempFolder folder("checkpoint");
  std::filesystem::copy(made.directory, folder / "db", std::filesystem::copy_options::recursive);
  auto database = Must(Database::Open(folder / "db", {}), "opening");
  std::int64_t round = 0;
  for (auto _ : state) {
    state.PauseTiming();
    WriteBatch batch(kBenchTime + ++round);
    batch.SetF64(NodeRef::Id(0), builtin::kTrust, 1.0 / static_cast<double>(round + 1));
    const ApplyReport report = Must(database->graph().Apply(batch), "appending");
    state.ResumeTiming();
    Must(database->Checkpoint(), "checkpoint");
    state.PauseTiming();
    const auto checkpoints = database->stats().checkpoints;
    Require(!checkpoints.empty() && checkpoints.back() == report.sequence,
            "the checkpoint is there");
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(made.checkpoint_bytes) * state.iterations());
  Must(database->Close(), "closing");
}
BENCHMARK(WriteCheckpoint)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plexus::bench
