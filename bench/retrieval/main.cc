// retrieval_eval [FILE] [TUNE]: which plan finds the evidence of questions?
//
// FILE is as dataset.h says; without one a small made-up set shows that the program works. The
// questions at even places (at most TUNE of them, 500 by default) choose the weights of the hybrid
// plan by recall@5, then MRR; those at odd places are reported. Nothing is timed. The BM25 and
// vector lists are checked against their kernels. Output: a table in Markdown.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "algorithms/retrieval/bm25.h"
#include "algorithms/retrieval/nearest_neighbors.h"
#include "bench/retrieval/systems.h"
#include "bench/support.h"

namespace plexus::bench {
namespace {

// The plans of one list give the kernels' order.
void Check(const Snapshot& snapshot, const std::vector<AskedQuestion>& questions) {
  const std::vector<RetrievalSystem> systems = FixedSystems();
  const SpaceId space = *snapshot.schema().FindSpace("text");
  for (const AskedQuestion& asked : questions) {
    if (asked.terms.empty() || asked.vector.empty()) continue;
    const RetrieveQuestion question{.terms = asked.terms, .vector = asked.vector, .space = space};
    const auto words = Must(Retrieve(snapshot, systems[0].plan, question), "BM25");
    const auto bm25 = Must(Bm25(snapshot, asked.terms, {.top = 10}), "BM25");
    bool same = words.hits.size() == bm25.matches.size();
    for (std::size_t i = 0; same && i < words.hits.size(); ++i)
      same = words.hits[i].node == bm25.matches[i].node;
    if (!Require(same, "the plan's BM25 is not the kernel's")) return;
    const auto vectors = Must(Retrieve(snapshot, systems[2].plan, question), "vectors");
    const auto nearest = Must(Nearest(snapshot, space, asked.vector, {.top = 10}), "vectors");
    for (std::size_t i = 0; i < vectors.hits.size(); ++i)
      same &= vectors.hits[i].node == nearest.nodes[i].node || nearest.nodes[i].similarity <= 0;
    if (!Require(same, "the plan's vectors are not the kernel's")) return;
  }
}

void Print(const std::string& name, const Quality& quality) {
  std::printf("| %s |", name.c_str());
  for (const double recall : quality.recall) std::printf(" %.4f |", recall);
  std::printf(" %.4f |\n", quality.mrr);
}

int Main(const std::string& file, std::size_t tune) {
  const RetrievalData data = file.empty() ? MakeRetrievalData(1, Small() ? 240 : 1200, 200)
                                          : Must(ReadRetrievalData(file), file);
  const auto graph = MakePassageGraph(data);
  const Snapshot snapshot = graph->snapshot();
  std::vector<Question> halves[2];
  for (std::size_t q = 0; q < data.questions.size(); ++q)
    halves[q % 2].push_back(data.questions[q]);
  if (halves[0].size() > tune) halves[0].resize(tune);
  const std::vector<AskedQuestion> tuning = TakeApart(snapshot, halves[0]);
  const std::vector<AskedQuestion> reported = TakeApart(snapshot, halves[1]);
  std::printf("%zu passages, %zu links; %zu questions to tune, %zu reported\n\n",
              data.passages.size(), data.links.size(), tuning.size(), reported.size());
  Check(snapshot, reported);

  std::vector<RetrievalSystem> hybrids = HybridSystems();
  std::size_t best = 0;
  Quality most;
  for (std::size_t i = 0; i < hybrids.size(); ++i) {
    const Quality quality = Measure(snapshot, hybrids[i], tuning);
    const bool better = quality.recall[1] > most.recall[1] ||
                        (quality.recall[1] == most.recall[1] && quality.mrr > most.mrr);
    if (i > 0 && !better) continue;
    best = i;
    most = quality;
  }
  std::vector<RetrievalSystem> systems = FixedSystems();
  systems.push_back(std::move(hybrids[best]));
  std::printf("| plan |");
  for (const std::size_t depth : kRecallDepths) std::printf(" recall@%zu |", depth);
  std::printf(" MRR |\n|---|---:|---:|---:|---:|\n");
  for (const RetrievalSystem& system : systems)
    Print(system.name, Measure(snapshot, system, reported));
  return FailedChecks() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace plexus::bench

int main(int count, char** words) {
  const long tune = count > 2 ? std::atol(words[2]) : 500;
  return plexus::bench::Main(count > 1 ? words[1] : "",
                             static_cast<std::size_t>(std::max(tune, 1L)));
}
