// PageRank over a live graph: unweighted against weighted, 16 rankings in one batch
// against 16 runs, preparation apart. Side by side with other programs: `gap`.
//
// Verified: one more serial step from the result moves it by no more than f32 allows,
// and every ranking of a batch is the one that a run of its own gives.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/pagerank/pagerank.h"
#include "bench/graphs/agent_graph.h"
#include "bench/graphs/pairs.h"
#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "engine/graph.h"
#include "engine/state.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr int kIterations = 20;

// 0 = Kronecker, 1 = uniform, both directed with weights in (0, 1]; 2 = agents' memory.
const Snapshot& TheGraph(std::int64_t which) {
  static std::optional<Snapshot> made[3];
  std::optional<Snapshot>& snapshot = made[which];
  if (snapshot) return *snapshot;
  const int scale = static_cast<int>(Size("PLEXUS_BENCH_SCALE", 20, 10));
  if (which == 2) {
    AgentGraphOptions options;
    options.turns = static_cast<NodeId>(Size("PLEXUS_BENCH_TURNS", options.turns, 2000));
    return snapshot.emplace(GraphOf(MakeAgentGraph(options))->snapshot());
  }
  const PairList list = which == 1 ? UniformPairs(scale, 16, DefaultExecutor())
                                   : KroneckerPairs(scale, 16, DefaultExecutor());
  const std::vector<NodePair> pairs(list.span().begin(), list.span().end());
  return snapshot.emplace(GraphOf(NodeId{1} << scale, pairs)->snapshot());
}

pagerank::PageRankOptions Options(bool weighted) {
  pagerank::PageRankOptions options;
  options.precision = pagerank::Precision::kF32;
  options.weighted = weighted;
  options.iterations = kIterations;
  options.run.executor = &ExecutorOf(2);
  return options;
}

std::vector<std::vector<NodeWeight>> SixteenSeeds(const Snapshot& snapshot) {
  std::vector<std::vector<NodeWeight>> sets;
  const ArcFilter all = ArcFilter::All();
  for (NodeId v = 1; sets.size() < 16; v = v * 48271u % snapshot.node_count())
    if (snapshot.Degree(Direction::kOut, v, all) > 0) sets.push_back({{v, 1.0}});
  return sets;
}

void CheckOneMoreStep(const Snapshot& s, const pagerank::PageRankResult& result, bool weighted) {
  const NodeId n = s.node_count();
  std::vector<double> next(n, 0);
  double dangling = 0, step = 0, sum = 0;
  const ArcFilter all = ArcFilter::All();
  for (NodeId u = 0; u < n; ++u) {
    auto weight = [&](const Arc& arc) { return weighted ? static_cast<double>(arc.weight) : 1.0; };
    double strength = 0;
    s.ForEachArc(Direction::kOut, u, all, [&](const Arc& arc) { strength += weight(arc); });
    sum += result.scores[u];
    if (strength == 0) dangling += result.scores[u];
    s.ForEachArc(Direction::kOut, u, all, [&](const Arc& arc) {
      next[arc.neighbor] += 0.85 * result.scores[u] * weight(arc) / strength;
    });
  }
  for (NodeId v = 0; v < n; ++v)
    step += std::abs(next[v] + (0.15 + 0.85 * dangling) / n - result.scores[v]);
  Require(std::abs(sum - 1) < 1e-5, "PageRank sums to 1");
  Require(step <= result.error * 0.15 + 1e-5, "one more step moves it by less than the last");
}

void PageRankF32(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph(state.range(0));
  const bool weighted = state.range(1) != 0;
  const double prepared =
      Must(pagerank::PageRank(snapshot, Options(weighted)), "pagerank").stats.preparation_ms;
  pagerank::PageRankResult result;
  for (auto _ : state) result = Must(pagerank::PageRank(snapshot, Options(weighted)), "pagerank");
  CheckOneMoreStep(snapshot, result, weighted);
  state.counters["arcs/s"] = benchmark::Counter(static_cast<double>(result.edges) * kIterations,
                                                benchmark::Counter::kIsIterationInvariantRate);
  state.counters["tiled"] = result.stats.layout_bytes > 0;
  state.counters["prepare_ms"] = prepared;  // 0 where an earlier benchmark of the process did it
  state.counters["bytes/arc"] =
      static_cast<double>(result.stats.bytes_per_iteration) / static_cast<double>(result.edges);
}
BENCHMARK(PageRankF32)
    ->ArgNames({"uniform", "weighted"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void SixteenRuns(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph(state.range(0));
  pagerank::PageRankOptions options = Options(false);
  for (auto _ : state)
    for (const auto& seeds : SixteenSeeds(snapshot)) {
      options.seeds = seeds;
      benchmark::DoNotOptimize(Must(pagerank::PageRank(snapshot, options), "pagerank"));
    }
}
BENCHMARK(SixteenRuns)
    ->ArgName("uniform")
    ->Arg(0)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BatchOfSixteen(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph(state.range(0));
  const auto sets = SixteenSeeds(snapshot);
  Must(pagerank::PageRankBatch(snapshot, sets, Options(false)), "preparing");
  pagerank::PageRankBatchResult result;
  for (auto _ : state)
    result = Must(pagerank::PageRankBatch(snapshot, sets, Options(false)), "batch");
  for (const std::size_t s : {0, 7, 15}) {
    pagerank::PageRankOptions options = Options(false);
    options.seeds = sets[s];
    const pagerank::PageRankResult alone = Must(pagerank::PageRank(snapshot, options), "pagerank");
    double distance = 0;
    for (NodeId v = 0; v < snapshot.node_count(); ++v)
      distance += std::abs(alone.scores[v] - static_cast<double>(result.score(v, s)));
    Require(distance < 1e-5, "a ranking of the batch is the one of its own run");
  }
}
BENCHMARK(BatchOfSixteen)
    ->ArgName("uniform")
    ->Arg(0)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// After a ten-thousandth of the edges was added: from nothing (0), from the earlier scores (1),
// the same over a layout that the base has kept (2), each to a true L1 error of 1e-6 in f64,
// preparation included but for that layout.
void Refresh(benchmark::State& state) {
  const Snapshot& before = TheGraph(state.range(0));
  const bool refresh = state.range(1) != 0;
  auto graph = Graph::Open(before, nullptr);
  const NodeId n = before.node_count();
  WriteBatch batch(kBenchTime);
  std::uint64_t x = 88172645463325252u;
  const std::uint64_t added =
      std::max<std::uint64_t>(before.base_rows(Direction::kOut).arc_count() / 10000, 1);
  for (std::uint64_t i = 0; i < added; ++i) {
    NodeId ends[2];
    for (NodeId& end : ends) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      end = static_cast<NodeId>(x % n);
    }
    batch.Link(NodeRef::Id(ends[0]), builtin::kLink, NodeRef::Id(ends[1]));
  }
  pagerank::PageRankOptions options;
  options.tolerance = 1e-6;
  options.weighted = false;
  options.run.executor = &ExecutorOf(2);
  const pagerank::PageRankResult earlier = Must(pagerank::PageRank(before, options), "pagerank");
  Must(graph->Apply(batch), "appending");
  const Snapshot after = graph->snapshot();
  options.use_cache = false;
  pagerank::PageRankRefresher keeper(options);
  if (state.range(1) == 2) Must(keeper.Refresh(before), "pagerank");
  const auto ask = [&](pagerank::PageRankRefresher& from) {
    if (state.range(1) == 2) return *Must(from.Refresh(after), "pagerank");
    return refresh ? Must(pagerank::RefreshPageRank(after, {earlier.scores, &before}, options),
                          "pagerank")
                   : Must(pagerank::PageRank(after, options), "pagerank");
  };
  pagerank::PageRankRefresher first = keeper;
  pagerank::PageRankResult result = ask(first);
  for (auto _ : state) {
    state.PauseTiming();
    pagerank::PageRankRefresher next = keeper;
    state.ResumeTiming();
    result = ask(next);
  }
  Require(result.converged, "converged");
  options.tolerance = 1e-9;
  const pagerank::PageRankResult exact = Must(pagerank::PageRank(after, options), "pagerank");
  double distance = 0;
  for (NodeId v = 0; v < n; ++v) distance += std::abs(exact.scores[v] - result.scores[v]);
  Require(distance <= 1.01e-6, "within the error stated");
  state.counters["iterations"] = result.iterations;
  state.counters["prepare_ms"] = result.stats.preparation_ms;
  state.counters["tiled"] = result.stats.layout_bytes > 0;
}
BENCHMARK(Refresh)
    ->ArgNames({"graph", "refresh"})
    ->ArgsProduct({{0, 1, 2}, {0, 1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plexus::bench
