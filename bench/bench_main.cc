// The main of every suite: Google Benchmark's, plus an exit code that tells the truth:
// non-zero when a result was wrong, when a benchmark failed or when none ran.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "bench/support.h"

namespace {

// Notes skipped (failed) runs, which the library itself forgives.
class Reporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) failed = failed || run.error_occurred;
    ConsoleReporter::ReportRuns(runs);
  }
  bool failed = false;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Reporter reporter;
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks(&reporter);
  if (ran == 0) std::fprintf(stderr, "bench: nothing ran\n");
  return ran == 0 || reporter.failed || plexus::bench::FailedChecks() > 0 ? 1 : 0;
}
