// gap: our kernels on the GAP suite's graphs, printing the suite's lines.
//
// The same file or generated graph goes into the suite's program and into this one,
// and one parser reads both outputs ("Trial Time:", "Average Time:"). Bare arrays, no
// snapshot: what is compared is the kernel. Usage: see Usage().
#include <getopt.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "algorithms/centrality/centrality.h"
#include "algorithms/centrality/internal/betweenness_csr.h"
#include "algorithms/community/community.h"
#include "algorithms/community/internal/community_csr.h"
#include "algorithms/community/internal/oriented_graph.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/connectivity_csr.h"
#include "algorithms/paths/internal/distances_csr.h"
#include "algorithms/paths/paths.h"
#include "algorithms/traversal/internal/bfs_csr.h"
#include "algorithms/traversal/traversal.h"
#include "bench/gap/kernels.h"
#include "bench/graphs/pairs.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

struct Options {
  std::string kernel, file, layout = "kept";
  int scale = 0, degree = 16, trials = 16, iterations = -1;
  bool uniform = false, symmetrize = false, verify = false;
  double tolerance = 1e-4, delta = 0;
  NodeId source = kNoNode;
};

int Usage() {
  std::fprintf(
      stderr,
      "usage: gap KERNEL (-f FILE | -g SCALE | -u SCALE) [-k DEGREE] [-s] [-n TRIALS]\n"
      "           [-i ITERATIONS] [-t TOLERANCE] [-d DELTA] [-r SOURCE] [-l LAYOUT] [-v]\n"
      "KERNEL: build pr bfs sssp cc bc tc. FILE: .el .wel .sg .wsg; -s makes .el symmetric.\n"
      "sssp of a FILE wants a .wsg; bc searches from -i (4) sources a trial.\n"
      "LAYOUT of pr: kept (made once, its time printed apart), charged (made anew in\n"
      "every trial, where so few iterations repay it), pull (none).\n"
      "-v checks every trial against a serial reference.\n"
      "examples: gap pr -g 20 -i 20 -t 0 -n 5     gap bfs -f road.sg -r 1 -v\n");
  return 2;
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}
void PrintTime(const char* label, double seconds) {
  std::printf("%-21s%3.5lf\n", (std::string(label) + ":").c_str(), seconds);
  std::fflush(stdout);
}

// The whole of `text` as a number in [low, high].
template <class T>
bool Number(const char* text, T low, T high, T& value) {
  const char* end = text + std::strlen(text);
  auto [at, error] = std::from_chars(text, end, value);
  return error == std::errc() && at == end && value >= low && value <= high;
}

bool Parse(int argc, char** argv, Options& o) {
  const auto bad = [](const std::string& why) {
    std::fprintf(stderr, "gap: %s\n", why.c_str());
    return false;
  };
  if (argc < 2 || argv[1][0] == '-') return bad("which kernel?");
  o.kernel = argv[1];
  constexpr std::string_view kKernels[] = {"build", "pr", "bfs", "cc", "tc", "sssp", "bc"};
  if (std::ranges::find(kKernels, o.kernel) == std::end(kKernels))
    return bad("no kernel '" + o.kernel + "'");
  for (int c; (c = getopt(argc - 1, argv + 1, "f:g:u:k:n:i:t:d:r:l:sv")) != -1;) {
    bool ok = true;
    switch (c) {
      case 'f':
        o.file = optarg;
        break;
      case 'g':
        ok = Number(optarg, 1, 26, o.scale);
        break;
      case 'u':
        ok = Number(optarg, 1, 26, o.scale);
        o.uniform = true;
        break;
      case 'k':
        ok = Number(optarg, 1, 64, o.degree);
        break;
      case 'n':
        ok = Number(optarg, 1, 1'000'000, o.trials);
        break;
      case 'i':
        ok = Number(optarg, 0, 1'000'000, o.iterations);
        break;
      case 't':
        ok = Number(optarg, 0.0, 1.0, o.tolerance);
        break;
      case 'd':
        ok = Number(optarg, 0.0, 1e9, o.delta);
        break;
      case 'r':
        ok = Number(optarg, NodeId{0}, kNoNode - 1, o.source);
        break;
      case 'l':
        o.layout = optarg;
        ok = o.layout == "kept" || o.layout == "charged" || o.layout == "pull";
        break;
      case 's':
        o.symmetrize = true;
        break;
      case 'v':
        o.verify = true;
        break;
      default:
        return false;
    }
    if (!ok) return bad(std::string("-") + static_cast<char>(c) + " " + optarg + ": not in range");
  }
  if (o.scale) o.symmetrize = true;
  if (o.iterations < 0) o.iterations = o.kernel == "bc" ? 4 : 20;
  if (optind != argc - 1) return bad(std::string("unexpected '") + argv[1 + optind] + "'");
  if (o.file.empty() == (o.scale == 0))
    return bad("one graph is wanted: -f FILE, -g SCALE or -u SCALE");
  if (o.kernel == "sssp" && o.scale == 0 && !o.file.ends_with(".wsg"))
    return bad(
        "sssp needs weights, and of the files only a .wsg has them: the suite's converter -w "
        "writes one");
  return true;
}

Result<PairList> LoadPairs(const Options& o) {
  const auto start = std::chrono::steady_clock::now();
  if (o.scale) {
    PairList list = o.uniform ? UniformPairs(o.scale, o.degree, DefaultExecutor())
                              : KroneckerPairs(o.scale, o.degree, DefaultExecutor());
    PrintTime("Generate Time", Seconds(start));
    return list;
  }
  if (!o.file.ends_with(".el") && !o.file.ends_with(".wel"))
    return Fail(ErrorCode::kInvalidArgument, o.file + ": expected .el, .wel, .sg or .wsg");
  PLEXUS_ASSIGN(PairList list, ReadPairs(o.file));
  PrintTime("Read Time", Seconds(start));
  return list;
}

Result<Topology> Build(const Options& o, const PairList& list) {
  TopologyOptions options;
  options.symmetrize = o.symmetrize;
  return BuildTopology(list.node_count, list.span(), options);
}

void PrintGraph(const Topology& graph) {
  const std::uint64_t edges = graph.symmetric ? graph.arc_count() / 2 : graph.arc_count();
  std::printf("Graph has %u nodes and %llu %sdirected edges for degree: %llu\n", graph.node_count,
              static_cast<unsigned long long>(edges), graph.symmetric ? "un" : "",
              static_cast<unsigned long long>(graph.node_count ? edges / graph.node_count : 0));
}

// Runs and times `trial`, then `check`; false when a check fails.
template <class Trial, class Check>
bool RunTrials(const Options& o, Trial trial, Check check) {
  double total = 0;
  bool ok = true;
  for (int i = 0; i < o.trials; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = trial();
    const double seconds = Seconds(start);
    PrintTime("Trial Time", seconds);
    total += seconds;
    if (!o.verify) continue;
    const std::string problem = check(result);
    std::printf("%-21s%7s\n", "Verification:", problem.empty() ? "PASS" : "FAIL");
    if (!problem.empty()) std::fprintf(stderr, "gap: %s\n", problem.c_str());
    ok = ok && problem.empty();
  }
  PrintTime("Average Time", total / o.trials);
  return ok;
}

bool RunPageRank(const Options& o, const Topology& graph) {
  auto prepare = [&] {
    constexpr int kManyTrials = 1000;
    return PreparePageRank(graph, o.layout == "pull"      ? 0
                                  : o.layout == "charged" ? o.iterations
                                                          : kManyTrials);
  };
  GapPageRankInput kept;
  if (o.layout != "charged") {
    const auto start = std::chrono::steady_clock::now();
    kept = prepare();
    PrintTime("Preprocess Time", Seconds(start));
  }
  return RunTrials(
      o,
      [&] {
        return GapPageRank(graph, o.layout == "charged" ? prepare() : kept, o.iterations,
                           o.tolerance);
      },
      [&](const std::vector<float>& scores) {
        return CheckPageRank(graph, scores, o.iterations, o.tolerance);
      });
}

Result<bool> RunKernel(const Options& o) {
  const bool serialized = o.file.ends_with(".sg") || o.file.ends_with(".wsg");
  Topology graph;
  AlignedArray<float> weights;
  PairList list;
  if (serialized) {
    if (o.kernel == "build")
      return Fail(ErrorCode::kInvalidArgument,
                  o.file + ": is built already; build reads .el or .wel");
    const auto start = std::chrono::steady_clock::now();
    PLEXUS_ASSIGN(graph, ReadSerialized(o.file, &weights));
    PrintTime("Read Time", Seconds(start));
  } else {
    PLEXUS_ASSIGN(list, LoadPairs(o));
    const auto start = std::chrono::steady_clock::now();
    PLEXUS_ASSIGN(graph, Build(o, list));
    if (o.kernel == "sssp") weights = GeneratedWeights(list, graph, DefaultExecutor());
    PrintTime("Build Time", Seconds(start));
    if (o.kernel != "build") list = PairList();
  }
  PrintGraph(graph);
  if (o.kernel == "build")
    return RunTrials(
        o, [&] { return Build(o, list); },
        [&](const Result<Topology>& built) {
          return built ? CheckBuild(list.span(), o.symmetrize, *built) : built.error().message;
        });
  if (o.kernel == "pr") return RunPageRank(o, graph);
  if (o.kernel == "cc")
    return RunTrials(
        o, [&] { return connectivity::ComponentsCsr(graph.out(), graph.in()).value(); },
        [&](const AlignedArray<NodeId>& labels) { return CheckComponents(graph, labels.span()); });
  if (o.kernel == "tc") {
    if (!graph.symmetric)
      return Fail(ErrorCode::kInvalidArgument, "tc needs an undirected graph: give -s");
    if (community::internal::WorthOrienting(graph.out(), DefaultExecutor())) {
      const auto start = std::chrono::steady_clock::now();
      const community::internal::OrientedGraph oriented =
          community::internal::Orient(graph.out(), DefaultExecutor());
      PrintTime("Preprocess Time", Seconds(start));  // a trial pays it again, as the suite's does
    }
    return RunTrials(
        o, [&] { return community::TrianglesCsr(graph.out()).value(); },
        [&](std::uint64_t count) { return CheckTriangles(graph, count); });
  }
  // Those that start somewhere: bfs, sssp, bc.
  if (o.source != kNoNode && o.source >= graph.node_count)
    return Fail(ErrorCode::kInvalidArgument,
                "-r: the graph has " + std::to_string(graph.node_count) + " nodes");
  if (o.source == kNoNode && graph.arc_count() == 0)
    return Fail(ErrorCode::kInvalidArgument, "no node has an edge to start from: name one with -r");
  SourcePicker picker(graph);
  NodeId source = o.source;
  auto next = [&] { return o.source == kNoNode ? picker.Next() : o.source; };
  if (o.kernel == "sssp") {
    CsrView out = graph.out();
    out.weights = weights.span();
    return RunTrials(
        o,
        [&] {
          source = next();
          return paths::DistancesCsr(out, source, {.delta = static_cast<float>(o.delta)}).value();
        },
        [&](const AlignedArray<float>& distances) {
          return CheckDistances(out, source, distances.span());
        });
  }
  if (o.kernel == "bc") {
    std::vector<NodeId> sources(static_cast<std::size_t>(o.iterations));
    return RunTrials(
        o,
        [&] {
          for (NodeId& s : sources) s = next();
          return centrality::BetweennessCsr(graph.out(), graph.in(), sources).value();
        },
        [&](const std::vector<double>& scores) {
          return CheckBetweenness(graph, sources, scores);
        });
  }
  return RunTrials(
      o,
      [&] {
        source = next();
        return traversal::BfsCsr(graph.out(), graph.in(), source, {.depths = false}).value();
      },
      [&](const traversal::BfsCsrResult& result) { return CheckBfs(graph, source, result); });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!Parse(argc, argv, options)) return Usage();
  const Result<bool> ok = RunKernel(options);
  if (!ok) {
    std::fprintf(stderr, "gap: %s\n", ok.error().ToString().c_str());
    return 1;
  }
  return *ok ? 0 : 1;
}
