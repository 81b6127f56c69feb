// Following a writer: Refresh of a read-only view after ten small batches, and a feed.
//
// A database of PLEXUS_BENCH_NODES memories (default 1,000,000), each linked to the one before,
// is made once. A writer appends; a view of the same directory in this process follows. Counters
// are of one Refresh or one piece of the feed. Contender: opening the directory anew, which is what
// Refresh did before it followed. Verified: sequence, nodes and edges of the follower.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "bench/support.h"
#include "engine/vocabulary.h"
#include "storage/database.h"

namespace plexus::bench {
namespace {

constexpr int kBatches = 10;
constexpr int kRounds = 300;  // each appends, which takes longer than what is measured

OpenOptions ReadOnly() {
  OpenOptions options;
  options.read_only = true;
  return options;
}

struct Made {
  TempFolder folder{"follow"};
  std::string directory = folder / "db";
  std::unique_ptr<Database> writer;
  std::int64_t nodes = Size("PLEXUS_BENCH_NODES", 1'000'000, 5'000);

  Made() {
    OpenOptions options;
    options.create = true;
    writer = Must(Database::Open(directory, options), "making the database");
    Must(writer->BeginBulk(), "bulk");
    for (std::int64_t first = 0; first < nodes; first += 10'000) {
      WriteBatch batch(1);
      for (std::int64_t i = first; i < std::min(nodes, first + 10'000); ++i) Add(batch, i);
      Must(writer->graph().Apply(batch), "filling");
    }
    Must(writer->EndBulk(), "bulk");
  }
  static void Add(WriteBatch& batch, std::int64_t i) {
    const NodeRef node = batch.UpsertNode("memory" + std::to_string(i));
    batch.SetPayload(node, NodeField::kText, "what was seen as number " + std::to_string(i));
    if (i > 0) batch.Link(node, builtin::kLink, batch.Node("memory" + std::to_string(i - 1)));
  }
  void AppendSmall() {
    for (int i = 0; i < kBatches; ++i) {
      WriteBatch batch(1);
      Add(batch, nodes++);
      Must(writer->graph().Apply(batch), "appending");
    }
  }
  void Check(const Snapshot& follower) const {
    const Snapshot now = writer->snapshot();
    Require(follower.sequence() == now.sequence() && follower.node_count() == now.node_count() &&
                follower.CountEdges(Plane::kFact) == now.CountEdges(Plane::kFact),
            "the follower has what the writer has");
  }
};
Made& TheDatabase() {
  static Made made;
  return made;
}

void Refresh(benchmark::State& state) {
  Made& made = TheDatabase();
  const auto view = Must(Database::Open(made.directory, ReadOnly()), "opening");
  const Graph* graph = &view->graph();
  for (auto _ : state) {
    state.PauseTiming();
    made.AppendSmall();
    state.ResumeTiming();
    Must(view->Refresh(), "refreshing");
  }
  made.Check(view->snapshot());
  Require(&view->graph() == graph, "the view was followed, not opened anew");
}
BENCHMARK(Refresh)
    ->Name("follow/refresh/10_batches")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(kRounds);

void NothingNew(benchmark::State& state) {
  Made& made = TheDatabase();
  const auto view = Must(Database::Open(made.directory, ReadOnly()), "opening");
  for (auto _ : state) Must(view->Refresh(), "refreshing");
  made.Check(view->snapshot());
}
BENCHMARK(NothingNew)
    ->Name("follow/refresh/nothing_new")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void OpenAnew(benchmark::State& state) {
  Made& made = TheDatabase();
  for (auto _ : state) {
    const auto view = Must(Database::Open(made.directory, ReadOnly()), "opening");
    made.Check(view->snapshot());
  }
}
BENCHMARK(OpenAnew)->Name("follow/open_anew")->Unit(benchmark::kMillisecond)->UseRealTime();

void Feed(benchmark::State& state) {
  Made& made = TheDatabase();
  Sequence since = made.writer->snapshot().sequence();
  for (auto _ : state) {
    state.PauseTiming();
    made.AppendSmall();
    state.ResumeTiming();
    const Changes got = Must(made.writer->ChangesSince(since), "reading");
    state.PauseTiming();
    Require(got.records.size() == kBatches && !got.has_more, "the feed has ten records");
    since = got.next;
    state.ResumeTiming();
  }
}
BENCHMARK(Feed)
    ->Name("follow/feed/10_batches")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(kRounds);

}  // namespace
}  // namespace plexus::bench
