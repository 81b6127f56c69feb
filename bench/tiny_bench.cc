// Tiny durable batches: one node and one edge each, acknowledged after fsync, by 1 and 16 writers.
//
// Writers of one process append for PLEXUS_BENCH_SECONDS each way. Contenders: SQLite with
// journal_mode WAL and synchronous FULL, a transaction of two inserts (16 writers share a
// connection behind a mutex, which measured faster than a connection each: those wait in sleeps),
// and a plain file that gets 200 bytes and an fdatasync a batch: what the disk allows. Verified:
// after reopening, every acknowledged batch is there. Needs a real file system under
// PLEXUS_BENCH_DIR.
#include <benchmark/benchmark.h>
#ifdef PLEXUS_BENCH_SQLITE
#include <sqlite3.h>
#endif

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/support.h"
#include "bench/timing.h"
#include "engine/vocabulary.h"
#include "storage/database.h"

namespace plexus::bench {
namespace {

// Calls write(writer, i) in `writers` threads until the time is over; how often in all.
template <class Write>
std::int64_t Run(benchmark::State& state, int writers, Write&& write) {
  const double seconds = static_cast<double>(Size("PLEXUS_BENCH_SECONDS", 5, 1));
  std::atomic<std::int64_t> batches{0};
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w)
    threads.emplace_back([&, w] {
      std::int64_t i = 0;
      for (; SecondsSince(start) < seconds; ++i) write(w, i);
      batches += i;
    });
  for (std::thread& thread : threads) thread.join();
  const double took = SecondsSince(start);
  state.SetIterationTime(took);
  state.counters["batches/s"] = static_cast<double>(batches) / took;
  return batches;
}

void AppendTo(Graph& graph, int writer, std::int64_t i) {
  WriteBatch batch(1);
  const std::string prefix = "w" + std::to_string(writer) + "-";
  const NodeRef node = batch.UpsertNode(prefix + std::to_string(i), NameRef(builtin::kMemory));
  batch.Link(node, builtin::kTemporal,
             batch.Node(prefix + (i > 0 ? std::to_string(i - 1) : "root")));
  Must(graph.Apply(batch), "appending");
}

void Tiny(benchmark::State& state, Durability durability) {
  const int writers = static_cast<int>(state.range(0));
  for (auto _ : state) {
    TempFolder folder("tiny");
    OpenOptions options;
    options.create = true;
    options.graph.durability = durability;
    auto database = Must(Database::Open(folder / "db", options), "opening");
    const std::int64_t batches = Run(state, writers, [&](int writer, std::int64_t i) {
      AppendTo(database->graph(), writer, i);
    });
    Must(database->Close(), "closing");
    database.reset();
    auto reopened = Must(Database::Open(folder / "db", {}), "reopening");
    Require(reopened->snapshot().CountEdges(Plane::kFact) == static_cast<std::uint64_t>(batches),
            "every acknowledged batch is there");
    Must(reopened->Close(), "closing");
  }
}
BENCHMARK_CAPTURE(Tiny, sync, Durability::kSync)->Arg(1)->Arg(16)->Iterations(1)->UseManualTime();
BENCHMARK_CAPTURE(Tiny, buffered, Durability::kBuffered)
    ->Arg(1)
    ->Arg(16)
    ->Iterations(1)
    ->UseManualTime();

void TinyInRam(benchmark::State& state) {
  for (auto _ : state) {
    GraphOptions options;
    options.maintenance = Maintenance::kBackground;
    const auto graph = Graph::InMemory(options);
    Run(state, static_cast<int>(state.range(0)),
        [&](int writer, std::int64_t i) { AppendTo(*graph, writer, i); });
  }
}
BENCHMARK(TinyInRam)->Arg(1)->Arg(16)->Iterations(1)->UseManualTime();

#ifdef PLEXUS_BENCH_SQLITE
void Sql(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    Die(std::string("SQLite: ") + sqlite3_errmsg(db));
}

void Step(sqlite3* db, sqlite3_stmt* statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) Die(std::string("SQLite: ") + sqlite3_errmsg(db));
  sqlite3_reset(statement);
}

void TinySqlite(benchmark::State& state) {
  for (auto _ : state) {
    TempFolder folder("tiny-sqlite");
    sqlite3* db = nullptr;
    if (sqlite3_open((folder / "db").c_str(), &db) != SQLITE_OK) Die("opening SQLite");
    Sql(db,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE node(id INTEGER PRIMARY KEY, key TEXT UNIQUE, kind INTEGER);"
        "CREATE TABLE edge(source INTEGER, target INTEGER, kind INTEGER, weight REAL,"
        " PRIMARY KEY(source, target, kind)) WITHOUT ROWID;");
    sqlite3_stmt *node = nullptr, *edge = nullptr, *begin = nullptr, *commit = nullptr;
    for (const auto& [sql, statement] :
         {std::pair("INSERT INTO node(key, kind) VALUES(?, 1)", &node),
          std::pair("INSERT INTO edge VALUES(?, ?, 1, 1.0)", &edge), std::pair("BEGIN", &begin),
          std::pair("COMMIT", &commit)})
      if (sqlite3_prepare_v2(db, sql, -1, statement, nullptr) != SQLITE_OK) Die("preparing");
    std::mutex mutex;
    const std::int64_t batches =
        Run(state, static_cast<int>(state.range(0)), [&](int writer, std::int64_t i) {
          const std::string key = "w" + std::to_string(writer) + "-" + std::to_string(i);
          const std::lock_guard lock(mutex);
          Step(db, begin);
          sqlite3_bind_text(node, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
          Step(db, node);
          const std::int64_t id = sqlite3_last_insert_rowid(db);
          sqlite3_bind_int64(edge, 1, id);
          sqlite3_bind_int64(edge, 2, id > 1 ? id - 1 : 1);
          Step(db, edge);
          Step(db, commit);
        });
    for (sqlite3_stmt* statement : {node, edge, begin, commit}) sqlite3_finalize(statement);
    sqlite3_stmt* count = nullptr;
    sqlite3_prepare_v2(db, "SELECT count(*) FROM edge", -1, &count, nullptr);
    Require(sqlite3_step(count) == SQLITE_ROW && sqlite3_column_int64(count, 0) == batches,
            "every row is there");
    sqlite3_finalize(count);
    sqlite3_close(db);
  }
}
BENCHMARK(TinySqlite)->Arg(1)->Arg(16)->Iterations(1)->UseManualTime();
#endif

void TinyRaw(benchmark::State& state) {
  for (auto _ : state) {
    TempFolder folder("tiny-raw");
    const RawFile file(folder / "log", 200);
    Run(state, 1, [&](int, std::int64_t) { file.Append(); });
  }
}
BENCHMARK(TinyRaw)->Iterations(1)->UseManualTime();

}  // namespace
}  // namespace plexus::bench
