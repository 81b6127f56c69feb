// Opening after a crash that left many small batches in the log.
//
// A child process makes a database, appends BATCHES batches of one node and one edge each
// (kBuffered, no checkpoint), waits until they are durable and ends by _exit: nothing is closed.
// Then each of five copies of the directory is opened for writing, and each of five read-only.
// Prints the milliseconds and the growth of the largest resident set. Verified: every edge is
// there. Usage: crash_open [BATCHES], default 25,001. Exit 1 when something is missing.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/support.h"
#include "bench/timing.h"
#include "engine/vocabulary.h"
#include "storage/database.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

void Append(const std::string& directory, int batches) {
  OpenOptions options;
  options.create = true;
  options.graph.durability = Durability::kBuffered;
  auto database = Must(Database::Open(directory, options), "making the database");
  for (int i = 0; i < batches; ++i) {
    WriteBatch batch(1);
    const NodeRef node = batch.UpsertNode("m" + std::to_string(i), NameRef(builtin::kMemory));
    batch.SetPayload(node, NodeField::kText, "what was seen as number " + std::to_string(i));
    batch.Link(node, builtin::kTemporal, batch.Node(i > 0 ? "m" + std::to_string(i - 1) : "root"));
    Must(database->graph().Apply(batch), "appending");
  }
  Must(database->graph().WaitDurable(static_cast<Sequence>(batches)), "waiting");
  _exit(0);
}

bool OpenFiveTimes(const TempFolder& folder, bool read_only, int batches) {
  std::vector<double> times;
  bool right = true;
  for (int i = 0; i < 5; ++i) {
    const std::string copy = folder / "copy";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(folder / "db", copy, std::filesystem::copy_options::recursive);
    OpenOptions options;
    options.read_only = read_only;
    const auto start = Clock::now();
    const auto database = Must(Database::Open(copy, options), "opening");
    times.push_back(1e3 * SecondsSince(start));
    right = right &&
            database->snapshot().CountEdges(Plane::kFact) == static_cast<std::uint64_t>(batches);
    Must(database->Close(), "closing");
  }
  std::sort(times.begin(), times.end());
  std::printf("%s after a crash with %d batches: median %.0f ms, from %.0f to %.0f\n",
              read_only ? "read-only open" : "open", batches, times[2], times[0], times[4]);
  return Require(right, "every batch is there");
}

}  // namespace

int main(int argc, char** argv) {
  const int batches = argc > 1 ? std::atoi(argv[1]) : Small() ? 501 : 25'001;
  if (argc > 2 || batches < 1) {
    std::fprintf(stderr, "usage: crash_open [BATCHES]\n");
    return 2;
  }
  const TempFolder folder("crash-open");
  const pid_t child = fork();  // before anything has made a thread
  if (child < 0) Die("fork");
  if (child == 0) Append(folder / "db", batches);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) Die("the appending child failed");
  const bool written = OpenFiveTimes(folder, false, batches);
  const bool read = OpenFiveTimes(folder, true, batches);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("largest resident set %.0f MB\n", static_cast<double>(usage.ru_maxrss) / 1024);
  return written && read ? 0 : 1;
}
