// Exact vector search: one f32 query over about 350,000 vectors of 100 dimensions, a
// search inside a subset, and the rerank of candidates.
//
// One query over all vectors is bound by memory, so its bar is the bandwidth that plain
// reading reaches here and now: each iteration also reads an array of the same bytes
// with the same threads (untimed for the benchmark, timed for itself), and `share` is
// the median of the one over the median of the other. Bytes are those of the rows as
// they lie in memory, padding included: whole cache lines are moved in any case.
//
// Vectors: PLEXUS_BENCH_VECTORS names a .fvecs or .npy file (bench/word_vectors.sh makes
// one of real words), else normal random numbers: PLEXUS_BENCH_ROWS of PLEXUS_BENCH_DIMENSIONS,
// around PLEXUS_BENCH_CLUSTERS centres where that is not 0. Verified: every value within 1e-6 of
// f64 loops, and nothing better left out.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/retrieval/vectors.h"
#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/arrays/aligned_array.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "storage/formats/import.h"

namespace plexus::bench {
namespace {

void FillRandom(Graph& graph) {
  const auto rows = static_cast<std::size_t>(Size("PLEXUS_BENCH_ROWS", 350'000, 5'000));
  const auto dimensions = static_cast<std::uint32_t>(Size("PLEXUS_BENCH_DIMENSIONS", 100, 100));
  const auto clusters = static_cast<std::size_t>(Size("PLEXUS_BENCH_CLUSTERS", 0, 0));
  AddVectors(graph, rows, dimensions, clusters);
  std::fprintf(stderr, "vectors: %zu random of %u dimensions, %zu clusters\n", rows, dimensions,
               clusters);
}

// Vectors by row number, and three random edges a node.
const Snapshot& TheGraph() {
  static const std::unique_ptr<Graph> graph = [] {
    auto made = Graph::InMemory();
    if (const char* file = std::getenv("PLEXUS_BENCH_VECTORS"); file && !Small()) {
      const auto report = Must(formats::ImportVectors(*made, {file}, {}, {}), "reading vectors");
      if (report.errors > 0) Die(report.kept_errors.at(0).ToString());
      std::fprintf(stderr, "vectors: %llu of %s\n", static_cast<unsigned long long>(report.vectors),
                   file);
    } else {
      FillRandom(*made);
    }
    WriteBatch batch(kBenchTime);
    for (const NodePair& pair : DistinctPairs(made->snapshot().node_count(),
                                              std::size_t{3} * made->snapshot().node_count(), 9))
      batch.Link(NodeRef::Id(pair.source), builtin::kRelatesTo, NodeRef::Id(pair.target),
                 WeightOf(pair));
    Must(made->Apply(batch), "adding edges");
    Must(made->Compact(), "compacting");
    return made;
  }();
  static const Snapshot snapshot = graph->snapshot();
  return snapshot;
}

const VectorView& TheVectors() { return *TheGraph().space(SpaceId{}); }
std::vector<float> TheVector(NodeId node) {
  VectorBuffer buffer;
  const std::span<const float> values = TheVectors().vector(node, buffer);
  return {values.begin(), values.end()};
}
std::uint64_t RowBytes() {
  return TheVectors().row_count() * std::uint64_t{TheVectors().layout().row_bytes()};
}

// Reads as many bytes as the rows have, in blocks, with all threads of the executor.
double SecondsToRead(Executor& executor) {
  static const AlignedArray<std::uint64_t> words(RowBytes() / 8, 3);
  const auto start = Clock::now();
  const std::uint64_t sum = ParallelReduce(
      executor, words.size(), std::size_t{1} << 16, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t part = 0;
        for (std::size_t i = begin; i < end; ++i) part += words[i];
        return part;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
  const double seconds = SecondsSince(start);
  Require(sum == 3 * words.size(), "the sum of the words read");
  return seconds;
}

double Exact(Metric metric, std::span<const float> a, std::span<const float> b) {
  double dot = 0, aa = 0, bb = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    dot += x * y;
    aa += x * x;
    bb += y * y;
    squares += (x - y) * (x - y);
  }
  if (metric == Metric::kL2) return -std::sqrt(squares);
  if (metric == Metric::kInnerProduct) return dot;
  return aa == 0 || bb == 0 ? 0 : dot / std::sqrt(aa * bb);
}

void Verify(std::span<const float> query, const NodeSubset* subset, Metric metric,
            const std::vector<retrieval::NearestHit>& got) {
  const auto zero = std::vector<float>(query.size());
  const double scale =
      metric == Metric::kCosine ? 1 : 20 * std::abs(Exact(Metric::kL2, query, zero));
  double worst = INFINITY;
  for (const retrieval::NearestHit& node : got) {
    const double exact = Exact(metric, query, TheVector(node.node));
    const double measure = metric == Metric::kL2 ? -node.measure : node.measure;
    Require(std::abs(measure - exact) <= 1e-6 * scale, "a measure differs from f64");
    worst = std::min(worst, exact);
  }
  std::size_t better = 0;
  for (NodeId v = 0; v < TheGraph().node_count(); ++v)
    if ((!subset || subset->contains(v)) && TheVectors().has(v))
      better += Exact(metric, query, TheVector(v)) > worst + 2e-6 * scale;
  Require(better < got.size(), "a better vector was left out");
}

// Queries are rows from all over the table.
NodeId QueryNode(std::size_t i) {
  return static_cast<NodeId>((i * 7919 + 13) % TheGraph().node_count());
}

void OneQuery(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph();
  retrieval::NearestOptions options;
  options.metric = static_cast<Metric>(state.range(1));
  options.level = static_cast<SimdLevel>(state.range(2));
  if (!HasSimdLevel(options.level)) return state.SkipWithError("no such instruction level here");
  options.run.executor = &ExecutorOf(static_cast<int>(state.range(0)));
  std::vector<double> reads, scans;
  std::size_t i = 0;
  for (auto _ : state) {
    const auto query = TheVector(QueryNode(i++));
    reads.push_back(SecondsToRead(*options.run.executor));
    retrieval::NearestResult result;
    scans.push_back(Seconds([&] {
      result = Must(retrieval::Nearest(snapshot, SpaceId{}, query, options), "nearest");
    }));
    state.SetIterationTime(scans.back());
    Require(result.hits.size() == 10, "ten nearest");
  }
  const auto bytes = static_cast<double>(RowBytes());
  state.counters["share"] = Median(reads) / Median(scans);
  state.counters["scan_GB/s"] = bytes / Median(scans) / 1e9;
  state.counters["read_GB/s"] = bytes / Median(reads) / 1e9;
  for (std::size_t q : {0u, 1u}) {
    const auto query = TheVector(QueryNode(q));
    Verify(query, nullptr, *options.metric,
           Must(retrieval::Nearest(snapshot, SpaceId{}, query, options), "nearest").hits);
  }
}
BENCHMARK(OneQuery)
    ->ArgNames({"threads", "metric", "level"})
    ->Args({2, 0, static_cast<int>(SimdLevel::kBest)})
    ->Args({2, 1, static_cast<int>(SimdLevel::kBest)})
    ->Args({2, 2, static_cast<int>(SimdLevel::kBest)})
    ->Args({2, 0, static_cast<int>(SimdLevel::kAvx2)})
    ->Args({2, 0, static_cast<int>(SimdLevel::kScalar)})
    ->Args({1, 0, static_cast<int>(SimdLevel::kBest)})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// The same question with the narrow copy of the rows, in turns with the plain scan: `times` is
// the median of the one over the median of the other, `exact` the share of rows left to measure.
void Prefiltered(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph();
  retrieval::NearestOptions plain;
  plain.metric = static_cast<Metric>(state.range(1));
  plain.run.executor = &ExecutorOf(static_cast<int>(state.range(0)));
  retrieval::NearestOptions narrow = plain;
  narrow.prefilter = Prefilter::kInt8;
  const auto seconds = [&](std::span<const float> query, const retrieval::NearestOptions& options,
                           retrieval::NearestResult& result) {
    return Seconds(
        [&] { result = Must(retrieval::Nearest(snapshot, SpaceId{}, query, options), "nearest"); });
  };
  retrieval::NearestResult want, got;
  seconds(TheVector(QueryNode(0)), narrow, got);  // makes the copy
  std::vector<double> scans, filtered;
  std::uint64_t exact = 0;
  std::size_t i = 0;
  for (auto _ : state) {
    const auto query = TheVector(QueryNode(i++));
    scans.push_back(seconds(query, plain, want));
    filtered.push_back(seconds(query, narrow, got));
    state.SetIterationTime(filtered.back());
    Require(got.hits == want.hits, "the same bits with and without");
    exact += got.exact;
  }
  state.counters["times"] = Median(scans) / Median(filtered);
  state.counters["exact"] =
      static_cast<double>(exact) / static_cast<double>(i * TheVectors().row_count());
}
BENCHMARK(Prefiltered)
    ->ArgNames({"threads", "metric"})
    ->ArgsProduct({{1, 2}, {0, 1, 2}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// The same vectors in an f16 space.
const Snapshot& TheHalves() {
  static const std::unique_ptr<Graph> graph = [] {
    auto made = Graph::InMemory();
    const VectorView& from = TheVectors();
    for (NodeId v = 0; v < TheGraph().node_count();) {
      WriteBatch batch(kBenchTime);
      batch.DefineSpace(
          {.name = "default", .dimensions = from.dimensions(), .element = VectorElement::kF16});
      for (const NodeId end = std::min(TheGraph().node_count(), v + 50'000); v < end; ++v)
        batch.SetVector(batch.Node(TheGraph().key(v)), batch.SpaceNamed("default"), TheVector(v));
      Must(made->Apply(batch), "adding vectors");
    }
    Must(made->Compact(), "compacting");
    return made;
  }();
  static const Snapshot snapshot = graph->snapshot();
  return snapshot;
}

// One question of the f32 rows and of the f16 rows in turns, in processor time of all threads;
// `same` is the share of the nearest that both find.
void Halves(benchmark::State& state) {
  retrieval::NearestOptions options;
  options.run.executor = &ExecutorOf(static_cast<int>(state.range(0)));
  options.metric = static_cast<Metric>(state.range(1));
  options.prefilter = static_cast<Prefilter>(state.range(2));
  const auto seconds = [&](const Snapshot& snapshot, std::span<const float> query,
                           retrieval::NearestResult& result) {
    const double start = ProcessSeconds();
    result = Must(retrieval::Nearest(snapshot, SpaceId{}, query, options), "nearest");
    return ProcessSeconds() - start;
  };
  const VectorView& halves = *TheHalves().space(SpaceId{});
  retrieval::NearestResult of_floats, of_halves;
  std::vector<double> floats, rounded;
  std::size_t same = 0, wanted = 0;
  std::size_t i = 0;
  for (auto _ : state) {
    const auto query = TheVector(QueryNode(i++));
    const double f32 = seconds(TheGraph(), query, of_floats);
    const double f16 = seconds(TheHalves(), query, of_halves);
    if (i > 1) {  // the first makes copies
      floats.push_back(f32);
      rounded.push_back(f16);
    }
    state.SetIterationTime(f16);
    for (const retrieval::NearestHit& hit : of_floats.hits)
      same += static_cast<std::size_t>(
          std::ranges::count(of_halves.hits, hit.node, &retrieval::NearestHit::node));
    wanted += of_floats.hits.size();
    VectorBuffer buffer;
    for (const retrieval::NearestHit& hit : of_halves.hits) {
      const double exact = Exact(*options.metric, query, halves.vector(hit.node, buffer));
      const double measure = options.metric == Metric::kL2 ? -hit.measure : hit.measure;
      Require(std::abs(measure - exact) <= 1e-5 * (1 + std::abs(exact)), "a measure differs");
    }
  }
  if (floats.empty()) return;
  state.counters["same"] = static_cast<double>(same) / static_cast<double>(wanted);
  state.counters["f32_cpu_ms"] = 1e3 * Median(floats);
  state.counters["f16_cpu_ms"] = 1e3 * Median(rounded);
  state.counters["f32_MB"] = static_cast<double>(metrics::MeasureBytes(TheGraph()).vectors) / 1e6;
  state.counters["f16_MB"] = static_cast<double>(metrics::MeasureBytes(TheHalves()).vectors) / 1e6;
}
BENCHMARK(Halves)
    ->ArgNames({"threads", "metric", "prefilter"})
    ->ArgsProduct({{1, 2}, {0, 1, 2}, {0, 1}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// Queries that share a pass, in turns with one query: `times` is the median of one over the median
// of a query in company.
void ManyQueries(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph();
  retrieval::NearestOptions options;
  options.run.executor = &ExecutorOf(static_cast<int>(state.range(0)));
  const auto count = static_cast<std::size_t>(state.range(1));
  std::vector<double> alone, together;
  std::size_t i = 0;
  for (auto _ : state) {
    std::vector<std::vector<float>> vectors;
    for (std::size_t q = 0; q < count; ++q) vectors.push_back(TheVector(QueryNode(i++)));
    const std::vector<std::span<const float>> queries(vectors.begin(), vectors.end());
    retrieval::NearestResult one;
    std::vector<retrieval::NearestResult> all;
    alone.push_back(Seconds([&] {
      one = Must(retrieval::Nearest(snapshot, SpaceId{}, queries[0], options), "nearest");
    }));
    const double took = Seconds([&] {
      all = Must(retrieval::NearestMany(snapshot, SpaceId{}, queries, options), "nearest");
    });
    together.push_back(took / static_cast<double>(count));
    state.SetIterationTime(took);
    Require(all[0].hits == one.hits, "the same bits alone and in company");
  }
  state.counters["times"] = Median(alone) / Median(together);
}
BENCHMARK(ManyQueries)
    ->ArgNames({"threads", "queries"})
    ->ArgsProduct({{1, 2}, {4, 16}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void InsideASubset(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph();
  std::vector<NodeId> nodes;
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    if (v * 2654435761u % 100 < static_cast<std::uint32_t>(state.range(0))) nodes.push_back(v);
  const NodeSubset subset = Must(NodeSubset::Of(snapshot, nodes), "subset");
  retrieval::NearestOptions options;
  options.subset = &subset;
  std::size_t i = 0;
  for (auto _ : state) {
    const auto query = TheVector(QueryNode(i++));
    benchmark::DoNotOptimize(
        Must(retrieval::Nearest(snapshot, SpaceId{}, query, options), "nearest").hits.data());
  }
  state.counters["vectors"] = static_cast<double>(subset.count());
  const auto query = TheVector(QueryNode(0));
  Verify(query, &subset, Metric::kCosine,
         Must(retrieval::Nearest(snapshot, SpaceId{}, query, options), "nearest").hits);
}
BENCHMARK(InsideASubset)
    ->ArgName("percent")
    ->Arg(1)
    ->Arg(10)
    ->Arg(50)
    ->Unit(benchmark::kMicrosecond);

// The candidates of another search, reranked: what the graph term costs.
void RerankNamed(benchmark::State& state) {
  const Snapshot& snapshot = TheGraph();
  const auto query = TheVector(QueryNode(3));
  retrieval::NearestOptions nearest;
  nearest.top = static_cast<std::size_t>(state.range(0));
  std::vector<NodeId> candidates;
  for (const retrieval::NearestHit& node :
       Must(retrieval::Nearest(snapshot, SpaceId{}, query, nearest), "nearest").hits)
    candidates.push_back(node.node);
  retrieval::RerankResult result;
  for (auto _ : state)
    result =
        Must(retrieval::RerankCandidates(snapshot, SpaceId{}, query, candidates, {}), "rerank");
  Require(result.hits.size() == candidates.size(), "every candidate is ranked");
  for (std::size_t i = 0; i < result.hits.size(); ++i) {
    const retrieval::RerankHit& hit = result.hits[i];
    Require(std::abs(hit.score - 0.7 * hit.similarity - 0.3 * hit.graph) < 1e-12,
            "score is the mixture of its terms");
    Require(i == 0 || result.hits[i - 1].score >= hit.score, "best first");
  }
}
BENCHMARK(RerankNamed)->ArgName("candidates")->Arg(30)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace plexus::bench
