// What C++ itself takes for what C, Python and Node do through their doors: edges from arrays into
// a new directory, and PageRank of them and of a graph that is there already.
//
// The other programs are c_measure, measure.py and measure.js in tests/tools; all make the same
// edges, time 20 iterations in seconds of the processor, and print the exclusive or of the scores'
// bits, which is the same in all four. Usage: doors EDGES [DIRECTORY_OF_A_GRAPH]
#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <span>
#include <vector>

#include "algorithms/pagerank/pagerank.h"
#include "bench/support.h"
#include "engine/bulk/load.h"
#include "storage/database.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

double Processor() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Ends of edges as measure.py makes them.
std::vector<std::uint32_t> MakeEnds(std::uint32_t edges) {
  std::vector<std::uint32_t> ends(2 * std::size_t{edges});
  for (std::uint32_t i = 0; i < 2 * edges; ++i) {
    std::uint32_t mixed = i * 2654435761u;
    mixed = (mixed ^ (mixed >> 15)) * 2246822519u;
    ends[i] = (mixed ^ (mixed >> 13)) % (edges / 8);
  }
  return ends;
}

void Rank(const Snapshot& snapshot) {
  pagerank::PageRankOptions options;
  options.iterations = 20;
  double best = 1e9;
  std::uint64_t bits = 0;
  for (int round = 0; round < 9; ++round) {
    const double start = Processor();
    const pagerank::PageRankResult rank = Must(pagerank::PageRank(snapshot, options), "pagerank");
    best = std::min(best, Processor() - start);
    bits = 0;
    for (const double score : rank.scores) bits ^= std::bit_cast<std::uint64_t>(score);
  }
  std::printf("pagerank, 20 iterations: %.4f s, bits %016" PRIx64 "\n", best, bits);
}

void Load(std::uint32_t edges) {
  const std::vector<std::uint32_t> ends = MakeEnds(edges);
  GraphArrays arrays;
  arrays.sources = std::span(ends).first(edges);
  arrays.targets = std::span(ends).last(edges);
  const TempFolder folder("doors");
  OpenOptions options;
  options.create = true;
  auto database = Must(Database::Open(folder / "graph", options), "opening");
  const double start = Processor();
  Must(database->BeginBulk(), "bulk mode");
  Must(LoadArrays(database->graph(), arrays), "loading");
  Must(database->EndBulk(), "the end of bulk mode");
  const double seconds = Processor() - start;
  std::printf("put_edges: %.2f s, %.1f M edges/s\n", seconds, edges / seconds / 1e6);
  Rank(database->snapshot());
  Must(database->Close(), "closing");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  Load(static_cast<std::uint32_t>(std::atol(argv[1])));
  if (argc > 2) {
    auto database = Must(Database::Open(argv[2], {}), "opening");
    Rank(database->snapshot());
    Must(database->Close(), "closing");
  }
  return FailedChecks() == 0 ? 0 : 1;
}
