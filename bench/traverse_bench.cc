// PageRank, traversal and shallow searches over a live graph (skeleton: the side by side runs of
// the kernels are `gap`'s).
//
// Verified: PageRank sums to 1 and one more serial step moves it by no more than its
// tolerance; traversal equals a dense dynamic programme over hop layers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/pagerank/pagerank.h"
#include "algorithms/traversal/traversal.h"
#include "bench/graphs/agent_graph.h"
#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/graph.h"

namespace plexus::bench {
namespace {

const Snapshot& TheGraph() {
  static const std::unique_ptr<Graph> graph = [] {
    const NodeId nodes = static_cast<NodeId>(Size("PLEXUS_BENCH_NODES", 1 << 18, 1 << 11));
    return GraphOf(nodes, DistinctPairs(nodes, std::size_t{16} * nodes, 21));
  }();
  static const Snapshot snapshot = graph->snapshot();
  return snapshot;
}

void PageRankWeighted(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph();
  pagerank::PageRankOptions options;
  options.tolerance = 1e-8;
  options.run.executor = &ExecutorOf(static_cast<int>(state.range(0)));
  pagerank::PageRankResult result;
  for (auto _ : state) result = Must(pagerank::PageRank(snapshot, options), "pagerank");
  state.counters["iterations"] = result.iterations;
  state.counters["arcs/s"] =
      benchmark::Counter(static_cast<double>(result.edges) * result.iterations,
                         benchmark::Counter::kIsIterationInvariantRate);

  const NodeId n = snapshot.node_count();
  std::vector<double> next(n, 0);
  double sum = 0, dangling = 0, step = 0;
  const ArcFilter all = ArcFilter::All();
  for (NodeId u = 0; u < n; ++u) {
    double strength = 0;
    snapshot.ForEachArc(Direction::kOut, u, all,
                        [&](const Arc& arc) { strength += static_cast<double>(arc.weight); });
    sum += result.scores[u];
    if (strength == 0) dangling += result.scores[u];
    snapshot.ForEachArc(Direction::kOut, u, all, [&](const Arc& arc) {
      next[arc.neighbor] += 0.85 * result.scores[u] * static_cast<double>(arc.weight) / strength;
    });
  }
  for (NodeId v = 0; v < n; ++v)
    step += std::abs(next[v] + (0.15 + 0.85 * dangling) / n - result.scores[v]);
  Require(std::abs(sum - 1) < 1e-9, "PageRank sums to 1");
  Require(step <= options.tolerance, "PageRank is at its fixed point");
}
BENCHMARK(PageRankWeighted)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Best products over walks of 1..hops arcs from `start`, layer by layer over all nodes.
std::vector<double> BestProducts(const Snapshot& snapshot, NodeId start, int hops) {
  const NodeId n = snapshot.node_count();
  std::vector<double> layer(n, 0), best(n, 0);
  layer[start] = 1;
  for (int h = 0; h < hops; ++h) {
    std::vector<double> next(n, 0);
    for (NodeId u = 0; u < n; ++u)
      if (layer[u] > 0)
        snapshot.ForEachArc(Direction::kOut, u, ArcFilter::All(), [&](const Arc& arc) {
          next[arc.neighbor] =
              std::max(next[arc.neighbor], layer[u] * static_cast<double>(arc.weight));
        });
    for (NodeId v = 0; v < n; ++v) best[v] = std::max(best[v], next[v]);
    layer.swap(next);
  }
  best[start] = 0;  // seeds are not listed
  return best;
}

// The hits of a search against the dense programme over hop layers.
void CheckBest(const Snapshot& snapshot, NodeId start, const traversal::TraverseOptions& options) {
  const NodeWeight seed{start, 1.0};
  const traversal::TraverseResult result =
      Must(traversal::Traverse(snapshot, {&seed, 1}, options), "traverse");
  std::vector<double> best = BestProducts(snapshot, start, options.hops);
  for (const traversal::TraverseHit& hit : result.hits)
    Require(std::abs(hit.score - best[hit.node]) <= 1e-12, "traverse: score of a node");
  std::sort(best.begin(), best.end(), std::greater<>());
  for (std::size_t i = 0; i < result.hits.size(); ++i)
    Require(std::abs(result.hits[i].score - best[i]) <= 1e-12, "traverse: the i-th best");
  const auto positive = static_cast<std::size_t>(
      std::count_if(best.begin(), best.end(), [](double x) { return x > 0; }));
  Require(result.hits.size() == std::min(options.top, positive), "traverse: number of hits");
}

void TraverseBestProduct(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph();
  traversal::TraverseOptions options;
  options.hops = static_cast<int>(state.range(0));
  options.run.executor = &ExecutorOf(1);
  std::uint64_t edges = 0;
  NodeId start = 0;
  for (auto _ : state) {
    start = (start * 48271u + 11) % snapshot.node_count();
    const NodeWeight seed{start, 1.0};
    edges += Must(traversal::Traverse(snapshot, {&seed, 1}, options), "traverse").edges;
  }
  state.counters["edges"] =
      benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kAvgIterations);
  for (NodeId s : {NodeId{1}, NodeId{77}, NodeId{1234}}) CheckBest(snapshot, s, options);
}
BENCHMARK(TraverseBestProduct)->ArgName("hops")->Arg(2)->Arg(3)->Unit(benchmark::kMicrosecond);

// A grid of streets, both ways: few nodes in reach of any start.
const Snapshot& TheGrid() {
  static const NodeId side = static_cast<NodeId>(Size("PLEXUS_BENCH_GRID", 512, 64));
  static const std::unique_ptr<Graph> graph = [] {
    std::vector<NodePair> pairs;
    for (NodeId y = 0; y < side; ++y)
      for (NodeId x = 0; x < side; ++x) {
        const NodeId at = y * side + x;
        if (x + 1 < side) pairs.insert(pairs.end(), {{at, at + 1}, {at + 1, at}});
        if (y + 1 < side) pairs.insert(pairs.end(), {{at, at + side}, {at + side, at}});
      }
    return GraphOf(side * side, pairs);
  }();
  static const Snapshot snapshot = graph->snapshot();
  return snapshot;
}

// Against a queue over sets.
void CheckDepths(const Snapshot& snapshot, NodeId start, const traversal::BfsOptions& options) {
  const traversal::BfsResult result = Must(traversal::Bfs(snapshot, {&start, 1}, options), "bfs");
  std::map<NodeId, std::uint32_t> depths = {{start, 0}};
  std::vector<NodeId> queue = {start};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t depth = depths[queue[i]];
    if (depth == options.max_depth) break;
    snapshot.ForEachArc(Direction::kOut, queue[i], ArcFilter::All(), [&](const Arc& arc) {
      if (depths.emplace(arc.neighbor, depth + 1).second) queue.push_back(arc.neighbor);
    });
  }
  Require(result.nodes.size() == depths.size(), "bfs: nodes reached");
  for (const traversal::BfsNode& node : result.nodes)
    Require(depths.at(node.node) == node.depth, "bfs: depth of a node");
}

// Searches that reach few of the nodes: time per arc looked at, whatever the graph's
// size.
void BfsShallow(benchmark::State& state, const Snapshot& snapshot) {
  traversal::BfsOptions options;
  options.max_depth = static_cast<std::uint32_t>(state.range(0));
  options.run.executor = &ExecutorOf(1);
  std::uint64_t edges = 0, nodes = 0;
  NodeId start = 0;
  for (auto _ : state) {
    start = (start * 48271u + 11) % snapshot.node_count();
    const traversal::BfsResult result = Must(traversal::Bfs(snapshot, {&start, 1}, options), "bfs");
    edges += result.edges;
    nodes += result.nodes.size();
  }
  using benchmark::Counter;
  state.counters["time/edge"] =
      Counter(static_cast<double>(edges), Counter::kIsRate | Counter::kInvert);
  state.counters["nodes"] = Counter(static_cast<double>(nodes), Counter::kAvgIterations);
  for (NodeId s : {NodeId{1}, NodeId{77}, NodeId{1234}}) CheckDepths(snapshot, s, options);
}
void BfsShallowRandom(benchmark::State& state) { BfsShallow(state, TheGraph()); }

// For compare_gap.sh: what a suite that reads edge lists needs to search the same graph.
void WriteEdges(const Snapshot& snapshot, const std::string& name) {
  const char* folder = std::getenv("PLEXUS_BENCH_EDGE_LISTS");
  if (!folder) return;
  std::ofstream out(std::string(folder) + "/" + name + ".el");
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    snapshot.ForEachArc(Direction::kOut, v, ArcFilter::All(),
                        [&](const Arc& arc) { out << v << ' ' << arc.neighbor << '\n'; });
  Require(static_cast<bool>(out.flush()), "writing " + name + ".el");
}

const AgentGraph& TheTurns() {
  static const AgentGraph agents = [] {
    AgentGraphOptions options;
    options.turns = static_cast<NodeId>(Size("PLEXUS_BENCH_TURNS", 332'000, 20'000));
    return MakeAgentGraph(options);
  }();
  return agents;
}
const Snapshot& TheAgents() {
  static const std::unique_ptr<Graph> graph = GraphOf(TheTurns());
  static const Snapshot snapshot = graph->snapshot();
  return snapshot;
}

// The goals' row: best products over at most 4 hops, top 100, from the 1,000 stratified
// starts; an iteration is a pass over all of them, the counters are single queries'.
// Passes after the first one of a process: run.sh's traverse row has the first.
void TraverseStarts(benchmark::State& state) {
  const Snapshot& snapshot = TheAgents();
  const std::vector<NodeId> starts = StratifiedStarts(TheTurns());
  traversal::TraverseOptions options;
  options.hops = 4;
  options.paths = state.range(0) != 0;
  options.run.executor = &ExecutorOf(1);
  const auto ask = [&](NodeId start) {
    const NodeWeight seed{start, 1.0};
    benchmark::DoNotOptimize(
        Must(traversal::Traverse(snapshot, {&seed, 1}, options), "traverse").hits.size());
  };
  for (NodeId start : starts) ask(start);
  std::vector<double> each;
  each.reserve(std::size_t{1} << 20);
  for (auto _ : state)
    for (NodeId start : starts) each.push_back(Seconds([&] { ask(start); }));
  state.counters["query_median"] = Median(each);
  state.counters["query_p99"] = Quantile(each, 0.99);
  for (std::size_t i = 0; i < starts.size(); i += 50) CheckBest(snapshot, starts[i], options);
}
BENCHMARK(TraverseStarts)->ArgName("paths")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// The goals' row: depth 3 from those of the starts that reach at most 1 % of the nodes;
// beside it compare_gap.sh puts the suite's full search, which has no depth.
void BfsDepth3(benchmark::State& state, const Snapshot& snapshot, std::vector<NodeId> starts,
               const std::string& name) {
  WriteEdges(snapshot, name);
  traversal::BfsOptions options;
  options.max_depth = 3;
  options.run.executor = &ExecutorOf(1);
  std::erase_if(starts, [&](NodeId v) {
    return Must(traversal::Bfs(snapshot, {&v, 1}, options), "bfs").nodes.size() * 100 >
           snapshot.node_count();
  });
  Require(!starts.empty(), "bfs: starts that reach little");
  if (starts.empty()) return;
  std::uint64_t edges = 0, nodes = 0, runs = 0;
  for (auto _ : state) {
    const traversal::BfsResult result =
        Must(traversal::Bfs(snapshot, {&starts[runs++ % starts.size()], 1}, options), "bfs");
    edges += result.edges;
    nodes += result.nodes.size();
  }
  using benchmark::Counter;
  state.counters["time/edge"] =
      Counter(static_cast<double>(edges), Counter::kIsRate | Counter::kInvert);
  state.counters["edges"] = Counter(static_cast<double>(edges), Counter::kAvgIterations);
  state.counters["nodes"] = Counter(static_cast<double>(nodes), Counter::kAvgIterations);
  state.counters["starts"] = static_cast<double>(starts.size());
  for (NodeId s : starts) CheckDepths(snapshot, s, options);
}
// The 1,000 stratified starts of the traversal rows, and 1,000 of the grid.
void BfsDepth3Agents(benchmark::State& state) {
  BfsDepth3(state, TheAgents(), StratifiedStarts(TheTurns()), "agents");
}
void BfsDepth3Grid(benchmark::State& state) {
  std::vector<NodeId> starts;
  const NodeId n = TheGrid().node_count();
  for (std::uint64_t i = 0; i < 1000; ++i) starts.push_back(static_cast<NodeId>(i * 48271 % n));
  BfsDepth3(state, TheGrid(), starts, "grid");
}
BENCHMARK(BfsDepth3Agents)->Unit(benchmark::kMicrosecond);
BENCHMARK(BfsDepth3Grid)->Unit(benchmark::kMicrosecond);

void BfsShallowGrid(benchmark::State& state) { BfsShallow(state, TheGrid()); }
BENCHMARK(BfsShallowRandom)->ArgName("depth")->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);
BENCHMARK(BfsShallowGrid)->ArgName("depth")->Arg(3)->Arg(10)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace plexus::bench
