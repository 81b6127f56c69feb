// retrieval_eval [--words FOLDER] [--untuned | --reported] [--stem NAME|none] [FILE...]: which plan
// finds the evidence of questions?
//
// FILE is as dataset.h says; without one a small made-up set shows that the program works. FOLDER
// is as bench/word_vectors.sh makes it; without it vectors are those of `plexus embed`. By a hash
// of their ids half of the questions, 100 of a file, choose one setting of the hybrid plan for all
// files, by the mean of recall@5 over the files, then of the MRR. The other half is reported.
// --untuned leaves the hybrid plan out and reports all questions, --reported leaves it out and
// reports the same half. --stem: of the words (default english). Nothing is timed. The BM25 and
// vector lists are checked against their kernels. Output: a table of each file, and one of all with
// the interval of what the default is above BM25, in Markdown.
#include <algorithm>
#include <cstdio>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "bench/retrieval/systems.h"
#include "bench/support.h"

namespace plexus::bench {
namespace {

// The plans of one list give the kernels' order.
void Check(const Snapshot& snapshot, const std::vector<AskedQuestion>& questions) {
  const std::vector<RetrievalSystem> systems = FixedSystems();
  const SpaceId space = *snapshot.schema().FindSpace("text");
  for (const AskedQuestion& asked : questions) {
    if (asked.terms.empty() || asked.projected.empty()) continue;
    const retrieval::RetrieveQuery question{
        .terms = asked.terms, .vector = asked.projected, .space = space};
    const auto words = Must(retrieval::Retrieve(snapshot, systems[0].plan, question), "BM25");
    const auto bm25 = Must(retrieval::Bm25(snapshot, asked.terms, {.top = 10}), "BM25");
    bool same = words.hits.size() == bm25.hits.size();
    for (std::size_t i = 0; same && i < words.hits.size(); ++i)
      same = words.hits[i].node == bm25.hits[i].node;
    if (!Require(same, "the plan's BM25 is not the kernel's")) return;
    const auto vectors = Must(retrieval::Retrieve(snapshot, systems[2].plan, question), "vectors");
    const auto nearest =
        Must(retrieval::Nearest(snapshot, space, asked.projected, {.top = 10}), "vectors");
    for (std::size_t i = 0; i < vectors.hits.size(); ++i)
      same &= vectors.hits[i].node == nearest.hits[i].node || nearest.hits[i].similarity <= 0;
    if (!Require(same, "the plan's vectors are not the kernel's")) return;
  }
}

void Print(const std::string& name, const Quality& quality) {
  std::printf("| %s |", name.c_str());
  for (const double recall : quality.recall) std::printf(" %.4f |", recall);
  std::printf(" %.4f |\n", quality.mrr);
}

constexpr std::size_t kTunedAtMost = 100;  // Questions of a file.

// One file, taken apart.
struct Set {
  std::string name;
  RetrievalData data;
  std::unique_ptr<Graph> graph;
  std::vector<Question> halves[2];
  std::vector<AskedQuestion> tuning, reported;
};

Set MakeSet(const std::string& file, const std::string& folder, const std::string& stemmer,
            bool all) {
  Set set;
  set.name = file.substr(file.rfind('/') + 1);
  set.data = file.empty() ? MakeRetrievalData(1, Small() ? 240 : 1200, 200)
                          : Must(ReadRetrievalData(file), file);
  set.graph = MakePassageGraph(set.data, stemmer);
  for (const Question& question : set.data.questions)
    set.halves[all || IsReported(question)].push_back(question);
  std::optional<WordVectors> words;
  if (!folder.empty()) {
    words = Must(WordVectors::Read(folder, set.data), folder);
    AddWordVectors(*set.graph, set.data, *words);
  }
  const Snapshot snapshot = set.graph->snapshot();
  set.tuning = TakeApart(snapshot, set.halves[0], words ? &*words : nullptr, stemmer);
  set.reported = TakeApart(snapshot, set.halves[1], words ? &*words : nullptr, stemmer);
  return set;
}

int Main(const std::vector<std::string>& files, const std::string& folder,
         const std::string& stemmer, bool tuned, bool all) {
  std::vector<Set> sets;
  for (const std::string& file : files) sets.push_back(MakeSet(file, folder, stemmer, all));
  const auto value = [&](const HybridSetting& setting) {
    const RetrievalSystem system = HybridSystem(setting);
    std::vector<std::future<Quality>> measured;
    for (const Set& set : sets)
      measured.push_back(std::async(std::launch::async, [&] {
        const auto some =
            std::span(set.tuning).first(std::min<std::size_t>(kTunedAtMost, set.tuning.size()));
        return Measure(set.graph->snapshot(), system, some);
      }));
    double sum = 0;
    for (std::future<Quality>& one : measured) {
      const Quality quality = one.get();
      sum += quality.recall[3] + quality.mrr / 1024;
    }
    return sum;
  };
  std::vector<RetrievalSystem> systems = FixedSystems();
  if (tuned) systems.push_back(HybridSystem(Tune(value)));
  std::vector<std::vector<Quality>> measured(systems.size());
  for (const Set& set : sets) {
    const Snapshot snapshot = set.graph->snapshot();
    std::printf("%s%s%zu passages, %zu links; %zu questions to tune, %zu reported\n\n",
                set.name.c_str(), set.name.empty() ? "" : ": ", set.data.passages.size(),
                set.data.links.size(), set.tuning.size(), set.reported.size());
    Check(snapshot, set.reported);
    std::printf("| plan |");
    for (const std::size_t depth : kRecallDepths) std::printf(" recall@%zu |", depth);
    std::printf(" MRR |\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (std::size_t i = 0; i < systems.size(); ++i) {
      measured[i].push_back(Measure(snapshot, systems[i], set.reported));
      Print(systems[i].name, measured[i].back());
    }
    std::printf("\n");
  }
  std::printf("recall@1 / recall@3 / recall@5 / MRR\n\n| plan |");
  for (const Set& set : sets)
    std::printf(" %s (%zu; %zu) |", set.name.c_str(), set.reported.size(),
                set.data.passages.size());
  std::printf("\n|---|");
  for (std::size_t i = 0; i < sets.size(); ++i) std::printf("---|");
  for (std::size_t i = 0; i < systems.size(); ++i) {
    std::printf("\n| %s |", systems[i].name.c_str());
    for (const Quality& quality : measured[i])
      std::printf(" %.3f / %.3f / %.3f / %.3f |", quality.recall[0], quality.recall[2],
                  quality.recall[3], quality.mrr);
  }
  std::printf("\n| default above BM25 in recall@5 / MRR, 95 %% |");
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const Quality &best = measured[FixedSystems().size() - 1][set], &bm25 = measured[0][set];
    const Interval recall = DifferenceOf(best.at_5, bm25.at_5),
                   rank = DifferenceOf(best.reciprocal, bm25.reciprocal);
    std::printf(" %+.3f to %+.3f / %+.3f to %+.3f |", recall.low, recall.high, rank.low, rank.high);
  }
  std::printf("\n");
  return FailedChecks() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace plexus::bench

int main(int count, char** words) {
  std::vector<std::string> files;
  std::string folder, stemmer = plexus::bench::kStemmer;
  bool tuned = true, all = false;
  for (int i = 1; i < count; ++i) {
    if (std::string(words[i]) == "--words" && i + 1 < count)
      folder = words[++i];
    else if (std::string(words[i]) == "--stem" && i + 1 < count)
      stemmer = std::string(words[++i]) == "none" ? "" : words[i];
    else if (std::string(words[i]) == "--untuned")
      tuned = !(all = true);
    else if (std::string(words[i]) == "--reported")
      tuned = false;
    else
      files.emplace_back(words[i]);
  }
  if (files.empty()) files.emplace_back();
  return plexus::bench::Main(files, folder, stemmer, tuned, all);
}
