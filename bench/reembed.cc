// What embedding the same nodes again and again costs: memory, and the time of a search.
//
// NODES vectors of DIMENSIONS floats are set once, then ROUNDS times more, a thousand a batch,
// in RAM and in a directory, while background maintenance compacts; each in a process of its own.
// Prints resident set and median time of the nearest ten after the first and the last round.
// Usage: reembed [NODES [DIMENSIONS [ROUNDS]]], default 20,000 384 20. Exit 1 when an answer is
// wrong.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/retrieval/vectors.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/monitoring/monitoring.h"
#include "engine/vectors/vector_view.h"
#include "storage/database.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

struct Sizes {
  int nodes = 20'000, dimensions = 384, rounds = 20;
};

// The vector of a node in a round.
std::vector<float> Vector(const Sizes& sizes, int node, int round) {
  std::mt19937 random(static_cast<unsigned>(round * sizes.nodes + node));
  std::vector<float> values(static_cast<std::size_t>(sizes.dimensions));
  for (float& v : values) v = static_cast<float>(random()) / 4294967296.0f - 0.5f;
  return values;
}

void Embed(Graph& graph, const Sizes& sizes, int round) {
  for (int first = 0; first < sizes.nodes; first += 1000) {
    WriteBatch batch(round + 1);
    batch.DefineSpace({"text", static_cast<std::uint32_t>(sizes.dimensions), Metric::kCosine});
    const SpaceRef space = batch.SpaceNamed("text");
    for (int i = first; i < std::min(first + 1000, sizes.nodes); ++i)
      batch.SetVector(batch.Node("n" + std::to_string(i)), space, Vector(sizes, i, round));
    Must(graph.Apply(batch), "embedding");
  }
}

// Megabytes and milliseconds. The maintenance thread gets a moment to end its work.
bool Tell(Graph& graph, const Sizes& sizes, int round) {
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const Snapshot snapshot = graph.snapshot();
  std::vector<double> times;
  bool right = true;
  for (int i = 0; i < 301; ++i) {
    const int node = i * 7919 % sizes.nodes;
    const std::vector<float> query = Vector(sizes, node, round);
    const auto start = Clock::now();
    const retrieval::NearestResult found =
        Must(retrieval::Nearest(snapshot, SpaceId{}, query, {}), "searching");
    times.push_back(1e3 * SecondsSince(start));
    right = right && !found.hits.empty() &&
            snapshot.key(found.hits[0].node) == "n" + std::to_string(node);
  }
  const metrics::ProcessBytes process = metrics::MeasureProcess();
  const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  std::printf(
      "  %3d times: resident %7.1f MB (graph %7.1f MB, freed and kept %7.1f MB), nearest %6.3f ms, "
      "rows %u, compactions %llu\n",
      round, megabytes(process.resident), megabytes(metrics::MeasureBytes(snapshot).total),
      megabytes(process.allocator_free), Median(times), snapshot.space(SpaceId{})->row_count(),
      static_cast<unsigned long long>(graph.stats().vector_compactions));
  return Require(right, "the nearest vector is the one asked for");
}

bool Run(Graph& graph, const Sizes& sizes) {
  bool right = true;
  for (int round = 1; round <= sizes.rounds; ++round) {
    Embed(graph, sizes, round);
    if (round == 1 || round == sizes.rounds) right = Tell(graph, sizes, round) && right;
  }
  return right;
}

int InRam(const Sizes& sizes) {
  GraphOptions options;
  options.maintenance = Maintenance::kBackground;
  std::printf("in RAM\n");
  return Run(*Graph::InMemory(options), sizes) ? 0 : 1;
}

int Durable(const Sizes& sizes) {
  TempFolder folder("reembed");
  OpenOptions options;
  options.create = true;
  bool right = true;
  {
    auto database = Must(Database::Open(folder / "db", options), "making the database");
    std::printf("in a directory\n");
    right = Run(database->graph(), sizes);
    Must(database->Close(), "closing");
  }
  auto database = Must(Database::Open(folder / "db", {}), "opening");
  std::printf("opened again\n");
  right = Tell(database->graph(), sizes, sizes.rounds) && right;
  Must(database->Close(), "closing");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  if (Small()) sizes = {2'000, 64, 20};
  const char* way = argc > 1 && std::strncmp(argv[1], "--", 2) == 0 ? argv[1] : nullptr;
  const int first = way ? 2 : 1;
  if (argc > first) sizes.nodes = std::atoi(argv[first]);
  if (argc > first + 1) sizes.dimensions = std::atoi(argv[first + 1]);
  if (argc > first + 2) sizes.rounds = std::atoi(argv[first + 2]);
  if (argc > first + 3 || sizes.nodes < 1 || sizes.dimensions < 1 || sizes.rounds < 2) {
    std::fprintf(stderr, "usage: reembed [NODES [DIMENSIONS [ROUNDS]]]\n");
    return 2;
  }
  if (way && std::strcmp(way, "--ram") == 0) return InRam(sizes);
  if (way && std::strcmp(way, "--durable") == 0) return Durable(sizes);
  bool right = true;
  for (const char* each : {"--ram", "--durable"}) {
    const std::string command =
        "'" + std::string(argv[0]) + "' " + each + " " + std::to_string(sizes.nodes) + " " +
        std::to_string(sizes.dimensions) + " " + std::to_string(sizes.rounds);
    right = std::system(command.c_str()) == 0 && right;
  }
  return right ? 0 : 1;
}
