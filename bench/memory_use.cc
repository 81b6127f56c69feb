// What a graph costs in RAM: the figures of `stats` against the process's resident set.
//
// Builds a database of EDGES random edges (default 20 million) over EDGES / 16 nodes,
// closes it, then opens it, and an empty one, each in a process of its own, and prints
// bytes per edge and node and resident set over stats. Keys, sparse columns and the
// rest are listed apart. Then a service: a process that has appended as many edges, 10,000 a batch,
// with background maintenance, and says where its memory is: at once, after a pause, compacted.
// Usage: memory_use [EDGES]. Exit 1 when a count is wrong.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "engine/monitoring/monitoring.h"
#include "storage/database.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

// In a child: opens and prints "rss total csr nodes keys per_edge per_node node_count edges".
int Measure(const char* directory) {
  auto database = Must(Database::Open(directory, {}), "opening");
  const Snapshot snapshot = database->snapshot();
  const std::uint64_t resident = metrics::MeasureProcess().resident;
  const metrics::GraphBytes bytes = metrics::MeasureBytes(snapshot);
  std::printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.17g %.17g %u %" PRIu64
              "\n",
              resident, bytes.total, bytes.csr, bytes.nodes, bytes.keys, bytes.per_edge,
              bytes.per_node, snapshot.node_count(), snapshot.CountEdges(Plane::kFact));
  Must(database->Close(), "closing");
  return 0;
}

// In a child: appends, then says what is where.
int Serve(const char* directory, std::size_t edges) {
  OpenOptions options;
  options.create = true;
  options.graph.maintenance = Maintenance::kBackground;
  auto database = Must(Database::Open(directory, options), "making the service's database");
  const NodeId nodes = static_cast<NodeId>(edges / 16);
  AddNodes(database->graph(), nodes);
  AddEdges(database->graph(), DistinctPairs(nodes, edges, 5), 0, edges, 10'000);
  const auto line = [](const char* what, std::uint64_t bytes) {
    std::printf("  %-28s %8.1f MB\n", what, static_cast<double>(bytes) / 1e6);
  };
  const auto tell = [&](const char* when) {
    const metrics::GraphBytes graph = metrics::MeasureBytes(database->snapshot());
    const StorageStats stored = database->stats();
    const metrics::ProcessBytes process = metrics::MeasureProcess();
    std::printf("service, %s\n", when);
    line("resident set", process.resident);
    line("graph (stats total)", graph.total);
    line("of it delta", graph.delta);
    line("memtables", stored.memtable_bytes);
    line("indexes of files", stored.table_reader_bytes);
    line("block and payload caches", stored.block_cache_bytes + stored.payload_cache_bytes);
    line("freed, kept by the allocator", process.allocator_free);
  };
  tell("after the last append");
  std::this_thread::sleep_for(std::chrono::seconds(5));  // the maintenance thread sees a pause
  tell("after a pause");
  Must(database->graph().Compact(), "compacting");
  tell("compacted");
  Must(database->Close(), "closing");
  return 0;
}

struct Figures {
  std::uint64_t resident = 0, total = 0, csr = 0, nodes = 0, keys = 0;
  double per_edge = 0, per_node = 0;
  unsigned node_count = 0;
  std::uint64_t edges = 0;
};
Figures MeasureInChild(const std::string& self, const std::string& directory) {
  Figures f;
  std::FILE* child = popen(("'" + self + "' --measure '" + directory + "'").c_str(), "r");
  if (!child ||
      std::fscanf(child,
                  "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %lf %lf %u %" SCNu64,
                  &f.resident, &f.total, &f.csr, &f.nodes, &f.keys, &f.per_edge, &f.per_node,
                  &f.node_count, &f.edges) != 9 ||
      pclose(child) != 0)
    Die("the measuring process failed");
  return f;
}

void Build(const std::string& directory, std::size_t edges) {
  OpenOptions options;
  options.create = true;
  auto database = Must(Database::Open(directory, options), "making the database");
  Must(database->BeginBulk(), "bulk");
  if (edges > 0) {
    const NodeId nodes = static_cast<NodeId>(edges / 16);
    AddNodes(database->graph(), nodes);
    AddEdges(database->graph(), DistinctPairs(nodes, edges, 3), 0, edges, 1 << 20);
  }
  Must(database->EndBulk(), "bulk");
  Must(database->Close(), "closing");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--measure") == 0) return Measure(argv[2]);
  if (argc == 4 && std::strcmp(argv[1], "--serve") == 0)
    return Serve(argv[2], std::strtoull(argv[3], nullptr, 10));
  std::size_t edges = static_cast<std::size_t>(Size("PLEXUS_BENCH_EDGES", 20'000'000, 32'000));
  if (argc == 2) edges = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2 || edges < 32) {
    std::fprintf(stderr, "usage: resident [EDGES]\n");
    return 2;
  }
  TempFolder folder("resident");
  Build(folder / "empty", 0);
  Build(folder / "full", edges);
  const Figures empty = MeasureInChild(argv[0], folder / "empty");
  const Figures full = MeasureInChild(argv[0], folder / "full");
  const double grown = static_cast<double>(full.resident) - static_cast<double>(empty.resident);
  std::printf("nodes %u, edges %" PRIu64 "\n", full.node_count, full.edges);
  std::printf("per edge        %.2f bytes (both directions, with times)\n", full.per_edge);
  std::printf("per node        %.2f bytes (offsets, kind, flags)\n", full.per_node);
  std::printf("keys            %.2f bytes a node\n",
              static_cast<double>(full.keys) / full.node_count);
  std::printf("stats total     %.1f MB\n", static_cast<double>(full.total) / 1e6);
  std::printf("resident set    %.1f MB (empty graph %.1f MB)\n",
              static_cast<double>(full.resident) / 1e6, static_cast<double>(empty.resident) / 1e6);
  std::printf("resident/stats  %.3f\n", grown / static_cast<double>(full.total));
  std::fflush(stdout);
  const std::string serve = "'" + std::string(argv[0]) + "' --serve '" + (folder / "service") +
                            "' " + std::to_string(edges);
  if (std::system(serve.c_str()) != 0) Die("the service failed");
  const bool right =
      Require(full.edges == edges && full.node_count == edges / 16, "counts after opening");
  return right ? 0 : 1;
}
