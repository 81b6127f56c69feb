// Durable batches: 1,000 edges each, acknowledged after fsync, against the disk itself.
//
// DurableBatches appends for PLEXUS_BENCH_SECONDS and waits until all is durable (in
// the time); the contender appends as many bytes a batch to a plain file, each followed by
// fdatasync, for as long. The bytes of a batch are what Plexus's own log took for it.
// Verified: after reopening, every acknowledged edge is there. Needs a real file system
// (not tmpfs) under PLEXUS_BENCH_DIR; RocksDB writes with sync=true.
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/vocabulary.h"
#include "storage/database.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kBatch = 1'000;
constexpr NodeId kNodes = 1 << 16;

double SecondsToRun() { return static_cast<double>(Size("PLEXUS_BENCH_SECONDS", 20, 1)); }

std::uint64_t bytes_per_batch = 0;  // measured by DurableBatches, used by RawAppend

void DurableBatches(benchmark::State& state) {
  for (auto _ : state) {
    TempFolder folder("durable");
    OpenOptions options;
    options.create = true;
    options.graph.durability = Durability::kSync;
    options.graph.maintenance = Maintenance::kBackground;
    auto database = Must(Database::Open(folder / "db", options), "opening");
    AddNodes(database->graph(), kNodes);
    Must(database->Checkpoint(), "checkpoint");
    std::mt19937_64 random(9);
    std::size_t batches = 0;
    const auto start = Clock::now();
    while (SecondsSince(start) < SecondsToRun()) {
      WriteBatch batch(kBenchTime + static_cast<std::int64_t>(batches));
      batch.ReserveEdges(kBatch);
      for (std::size_t i = 0; i < kBatch; ++i) {
        // Distinct by construction: the batch's number is in the pair.
        const std::uint64_t n = batches * kBatch + i;
        const auto source = static_cast<NodeId>(n % kNodes);
        const auto target = static_cast<NodeId>((n / kNodes + 1 + source) % kNodes);
        batch.Link(NodeRef::Id(source), builtin::kLink, NodeRef::Id(target),
                   static_cast<float>(random() % 1000 + 1) / 1000.0f);
      }
      Must(database->graph().Apply(batch), "append");
      // Early, before a checkpoint shortens the tail.
      if (++batches == 16) bytes_per_batch = database->stats().tail_bytes / batches;
    }
    const double appending = SecondsSince(start);
    Must(database->graph().WaitDurable(database->snapshot().sequence()), "the final flush");
    const double seconds = SecondsSince(start);
    Must(database->Close(), "closing");
    database.reset();
    state.SetIterationTime(seconds);
    state.counters["batches/s"] = static_cast<double>(batches) / seconds;
    state.counters["edges/s"] = static_cast<double>(batches * kBatch) / seconds;
    state.counters["bytes/batch"] = static_cast<double>(bytes_per_batch);
    state.counters["flush_s"] = seconds - appending;
    auto reopened = Must(Database::Open(folder / "db", {}), "reopening");
    Require(reopened->snapshot().CountEdges(Plane::kFact) == batches * kBatch,
            "every acknowledged edge is there after reopening");
    Must(reopened->Close(), "closing");
  }
}
BENCHMARK(DurableBatches)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

void RawAppend(benchmark::State& state) {
  if (bytes_per_batch == 0) {
    state.SkipWithError("needs DurableBatches before it, for the bytes of a batch");
    return;
  }
  for (auto _ : state) {
    TempFolder folder("raw");
    const RawFile file(folder / "log", bytes_per_batch);
    std::size_t batches = 0;
    const auto start = Clock::now();
    for (; SecondsSince(start) < SecondsToRun(); ++batches) file.Append();
    const double seconds = SecondsSince(start);
    state.SetIterationTime(seconds);
    state.counters["batches/s"] = static_cast<double>(batches) / seconds;
    Require(std::filesystem::file_size(folder / "log") == batches * bytes_per_batch, "raw bytes");
  }
}
BENCHMARK(RawAppend)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

}  // namespace
}  // namespace plexus::bench
