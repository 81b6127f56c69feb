// What an index of near neighbours costs and finds, beside the exact scan and its pre-filter.
//
// Builds the index of a space on one thread, then asks: for each width the recall of the ten best
// and the median time of a question, in turns with the scan and the pre-filtered one, all on one
// thread. Then the ten best inside 1 % of the vectors: gathered exactly, and by over-fetching from
// the index until the recall is 0.99. Times are processor seconds of this process.
//
// Usage: vector_index [FILE.fvecs]: bench/word_vectors.sh makes one. Without a file: ROWS vectors
// of DIMENSIONS around CENTRES, by PLEXUS_BENCH_ROWS, _DIMENSIONS and _CLUSTERS. Exit 1 when an
// answer is wrong.
#include "algorithms/retrieval/vectors.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/graph.h"
#include "engine/vectors/vector_view.h"
#include "storage/formats/import.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

constexpr std::size_t kTop = 10;

struct Question {
  NodeId node;
  std::vector<float> vector;
  std::vector<retrieval::NearestHit> exact;
};

double Recall(const std::vector<retrieval::NearestHit>& got,
              const std::vector<retrieval::NearestHit>& exact) {
  std::size_t hits = 0;
  for (const retrieval::NearestHit& hit : got) hits += hit.similarity >= exact.back().similarity;
  return static_cast<double>(std::min(hits, exact.size())) / static_cast<double>(exact.size());
}

// Milliseconds, median of the questions.
template <class Ask>
double Milliseconds(const std::vector<Question>& questions, Ask&& ask) {
  std::vector<double> times;
  for (const Question& question : questions) {
    const double start = ProcessSeconds();
    ask(question);
    times.push_back((ProcessSeconds() - start) * 1e3);
  }
  return Median(times);
}

void Whole(const Snapshot& snapshot, const retrieval::VectorIndex& index,
           std::vector<Question>& questions) {
  retrieval::NearestOptions plain{.top = kTop, .run = {.executor = &SerialExecutor()}};
  retrieval::NearestOptions narrow = plain;
  narrow.prefilter = Prefilter::kInt8;
  const auto exact = [&](const Question& question, retrieval::NearestOptions options) {
    options.skip = question.node;
    return Must(retrieval::Nearest(snapshot, SpaceId{}, question.vector, options), "nearest").hits;
  };
  for (Question& question : questions) question.exact = exact(question, plain);
  exact(questions[0], narrow);  // makes the copy
  std::printf("%8s %8s %12s %12s %12s\n", "width", "recall", "index ms", "scan ms", "8 bits ms");
  for (const std::size_t width : {10u, 20u, 40u, 80u, 160u, 320u, 640u, 1280u}) {
    double recall = 0;
    const double took = Milliseconds(questions, [&](const Question& question) {
      const auto got = Must(index.Nearest(snapshot, question.vector,
                                          {.top = kTop, .width = width, .skip = question.node}),
                            "index");
      recall += Recall(got.hits, question.exact) / static_cast<double>(questions.size());
    });
    const double scan = Milliseconds(questions, [&](const Question& q) { exact(q, plain); });
    const double bits = Milliseconds(questions, [&](const Question& question) {
      Require(exact(question, narrow) == question.exact, "the same bits with the pre-filter");
    });
    std::printf("%8zu %8.4f %12.3f %12.3f %12.3f\n", width, recall, took, scan, bits);
    if (recall > 0.999) break;
  }
}

void Inside(const Snapshot& snapshot, const retrieval::VectorIndex& index,
            std::vector<Question>& questions) {
  std::vector<NodeId> nodes;
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    if (v * 2654435761u % 100 < 1) nodes.push_back(v);
  const NodeSubset subset = Must(NodeSubset::Of(snapshot, nodes), "subset");
  const auto gather = [&](const Question& question) {
    return Must(retrieval::Nearest(
                    snapshot, SpaceId{}, question.vector,
                    {.top = kTop, .subset = &subset, .run = {.executor = &SerialExecutor()}}),
                "gather")
        .hits;
  };
  for (Question& question : questions) question.exact = gather(question);
  const double gathered = Milliseconds(questions, gather);
  for (std::size_t fetch = 512; fetch <= snapshot.node_count() / 8; fetch *= 2) {
    double recall = 0;
    const double took = Milliseconds(questions, [&](const Question& question) {
      auto got =
          Must(index.Nearest(snapshot, question.vector, {.top = fetch, .width = fetch}), "index")
              .hits;
      std::erase_if(got,
                    [&](const retrieval::NearestHit& hit) { return !subset.contains(hit.node); });
      got.resize(std::min(got.size(), kTop));
      recall += Recall(got, question.exact) / static_cast<double>(questions.size());
    });
    std::printf("inside %zu: over-fetching %zu recall %.4f %.3f ms, exactly %.3f ms: %.1f times\n",
                nodes.size(), fetch, recall, took, gathered, took / gathered);
    if (recall >= 0.99) break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto graph = Graph::InMemory();
  if (argc > 1)
    Must(formats::ImportVectors(*graph, {argv[1]}, {}, {}), "reading vectors");
  else
    AddVectors(*graph, static_cast<std::size_t>(Size("PLEXUS_BENCH_ROWS", 100'000, 3'000)),
               static_cast<std::uint32_t>(Size("PLEXUS_BENCH_DIMENSIONS", 384, 32)),
               static_cast<std::size_t>(Size("PLEXUS_BENCH_CLUSTERS", 1'000, 30)));
  const Snapshot snapshot = graph->snapshot();
  const VectorView& view = **snapshot.vectors(SpaceId{});
  const auto index =
      Must(retrieval::VectorIndex::Make(snapshot, SpaceId{}, {.build_width = 100}), "making");
  const double start = ProcessSeconds();
  const retrieval::IndexUpdate update = Must(index->Update(snapshot), "building");
  Require(update.added == view.live_count() && update.pending == 0, "every row is in");
  std::printf("%llu vectors of %u: built in %.1f s of processor time, %.1f MB\n",
              static_cast<unsigned long long>(update.added), view.dimensions(),
              ProcessSeconds() - start, static_cast<double>(index->size_bytes()) / 1e6);
  std::vector<Question> questions;
  VectorBuffer buffer;
  for (std::size_t i = 0; i < 200; ++i) {
    const auto node = static_cast<NodeId>((i * 7919 + 13) % snapshot.node_count());
    const std::span<const float> vector = view.vector(node, buffer);
    questions.push_back({node, {vector.begin(), vector.end()}, {}});
  }
  Whole(snapshot, *index, questions);
  Inside(snapshot, *index, questions);
  return FailedChecks() == 0 ? 0 : 1;
}
