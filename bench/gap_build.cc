// The contender for `gap build`: the GAP suite's own builder, timed as ours is.
//
// The suite prints the time of MakeGraphFromEL only; SquishGraph (sort, deduplicate)
// is part of the same work and is timed here as well. Not part of Plexus: compiled by
// bench/compare_gap.sh against a checkout of the suite that the user names, and by CMake
// when PLEXUS_GAPBS_DIR is set. Usage as the suite's programs: -g SCALE | -u SCALE |
// -f FILE, [-n TRIALS].
#include <cstdio>
#include <iostream>

#include <benchmark.h>

int main(int argc, char** argv) {
  CLApp cli(argc, argv, "build");
  if (!cli.ParseArgs()) return 2;
  double total = 0;
  for (int trial = 0; trial < cli.num_trials(); ++trial) {
    pvector<EdgePair<NodeID, NodeID>> edges;
    Timer timer;
    timer.Start();
    if (!cli.filename().empty()) {
      bool needs_weights = false;
      Reader<NodeID> reader(cli.filename());
      edges = reader.ReadFile(needs_weights);
    } else {
      Generator<NodeID, NodeID> generator(cli.scale(), cli.degree());
      edges = generator.GenerateEL(cli.uniform());
      timer.Start();  // generating is nobody's work
    }
    Builder builder(cli);
    Graph raw = builder.MakeGraphFromEL(edges);
    Graph graph = builder.SquishGraph(raw);
    timer.Stop();
    if (trial == 0) graph.PrintStats();
    PrintTime("Trial Time", timer.Seconds());
    total += timer.Seconds();
  }
  PrintTime("Average Time", total / cli.num_trials());
  return 0;
}
