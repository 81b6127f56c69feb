// frontier_eval REPOSITORY [TRAIN_SHARE]: does the never-composed frontier name what comes next?
//
// The older part of a git history (70 % of its commits) is a ledger (dataset.h). Each lens lists
// sets of files that no commit has together; what is first changed together in the newer part are
// the hits. Beside them stand link predictors over the same ledger, random choice, and the surface
// score without each of its terms (rankings.h). Nothing is tuned: no constant here comes from a
// newer part. Triples are taken among the 150 files changed most often, so that every one can be
// scored.
//
// The engine's surface lists are checked against every set scored again; a difference ends the
// program with an error. Output: two tables in Markdown.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "algorithms/memory/never_composed.h"
#include "algorithms/similarity/frontier.h"
#include "bench/frontier_eval/dataset.h"
#include "bench/frontier_eval/history.h"
#include "bench/frontier_eval/rankings.h"
#include "bench/support.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kDepths[] = {10, 50, 100, 500, 1000};
constexpr std::size_t kDepth = 1000, kTriplePool = 150;

RankedSet ToRanked(const std::vector<NodeId>& members, double score) {
  RankedSet set{score, {}};
  std::copy(members.begin(), members.end(), set.files.begin());
  return set;
}

Ranking OfLens(const Snapshot& snapshot, FrontierLens lens, int arity, const NodeSubset& pool,
               const char* name) {
  NeverComposedOptions options{.lens = lens, .arity = arity, .top = kDepth, .pool = &pool};
  const NeverComposedPage page = Must(NeverComposed(snapshot, options), name);
  Ranking ranking{name, {}};
  for (const NeverComposedSet& set : page.sets)
    ranking.sets.push_back(ToRanked(set.members, set.score));
  return ranking;
}

Ranking OfRare(const Snapshot& snapshot, int arity, const NodeSubset& pool) {
  FrontierOptions options{.arity = arity, .top = kDepth, .filter = {.subset = &pool}};
  const FrontierResult result = Must(Frontier(snapshot, options), "rare");
  Ranking ranking{"rare", {}};
  for (const FrontierSet& set : result.sets)
    ranking.sets.push_back(ToRanked(set.members, set.score));
  return ranking;
}

// Same scores at every place; ties may be named in another order where sums round otherwise.
void Check(const Ranking& engine, const Ranking& anew) {
  Require(engine.sets.size() == anew.sets.size(), "surface: number of sets");
  for (std::size_t i = 0; i < std::min(engine.sets.size(), anew.sets.size()); ++i)
    if (!Require(std::abs(engine.sets[i].score - anew.sets[i].score) < 1e-9,
                 "surface: score at place " + std::to_string(i)))
      return;
}

void Print(const std::vector<Ranking>& rankings, const std::set<FileSet>& positives,
           std::size_t candidates, int arity) {
  const double base = static_cast<double>(positives.size()) / static_cast<double>(candidates);
  std::printf("\n%s: %zu candidates, %zu first together later (1 of %.0f)\n\n",
              arity == 2 ? "Pairs" : "Triples", candidates, positives.size(), 1 / base);
  std::printf("| ranking |");
  for (const std::size_t k : kDepths) std::printf(" hits@%zu |", k);
  std::printf(" lift@100 | lift@1000 |\n|---|");
  for (std::size_t i = 0; i < std::size(kDepths) + 2; ++i) std::printf("---:|");
  std::printf("\n| random (expected) |");
  for (const std::size_t k : kDepths) std::printf(" %.2f |", base * static_cast<double>(k));
  std::printf(" 1.0 | 1.0 |\n");
  for (const Ranking& ranking : rankings) {
    std::printf("| %s |", ranking.name.c_str());
    std::size_t hits = 0, at = 0;
    double lift_100 = 0, lift_1000 = 0;
    for (const std::size_t k : kDepths) {
      for (; at < std::min(k, ranking.sets.size()); ++at) {
        const auto& files = ranking.sets[at].files;
        hits += positives.contains(FileSet(files.begin(), files.begin() + arity));
      }
      // A list that ends early is judged by its length.
      const double lift = at == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(at) / base;
      if (k == 100) lift_100 = lift;
      if (k == 1000) lift_1000 = lift;
      if (at < k)
        std::printf(" %zu of %zu |", hits, at);
      else
        std::printf(" %zu |", hits);
    }
    std::printf(" %.1f | %.1f |\n", lift_100, lift_1000);
  }
}

int Main(const std::string& path, double share) {
  const History history = Must(ReadHistory(path), "reading the history");
  const Dataset data = Cut(history, share);
  const auto graph = MakeLedger(data);
  const Snapshot snapshot = graph->snapshot();
  std::printf(
      "%zu commits: %zu older (%zu events, %zu files, %zu edges), %zu newer (%zu with two "
      "known files)\n",
      history.commits.size(), data.train_commits, data.events.size(), data.size(),
      data.edges.size(), data.test_commits, data.later.size());

  std::vector<std::size_t> changes(data.size());
  for (const FileSet& event : data.events)
    for (const std::uint32_t file : event) ++changes[file];
  std::vector<std::uint32_t> all(data.size());
  for (std::uint32_t file = 0; file < all.size(); ++file) all[file] = file;
  std::vector<std::uint32_t> often = all;
  std::stable_sort(often.begin(), often.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return changes[a] > changes[b]; });
  if (often.size() > kTriplePool) often.resize(kTriplePool);
  std::sort(often.begin(), often.end());

  for (const int arity : {2, 3}) {
    const std::vector<std::uint32_t>& pool = arity == 2 ? all : often;
    std::vector<bool> in_pool(data.size());
    for (const std::uint32_t file : pool) in_pool[file] = true;
    std::size_t candidates = 0;
    std::vector<Ranking> rankings = RankAll(data, pool, arity, kDepth, candidates);
    const NodeSubset subset = Must(NodeSubset::Of(snapshot, pool), "the pool");
    const Ranking surface =
        OfLens(snapshot, FrontierLens::kSurface, arity, subset, "surface (engine)");
    for (const Ranking& ranking : rankings)
      if (ranking.name == "surface") Check(surface, ranking);
    rankings.insert(rankings.begin() + 4, OfRare(snapshot, arity, subset));
    if (arity == 2) {
      rankings.insert(rankings.begin() + 5,
                      OfLens(snapshot, FrontierLens::kBridge, 2, subset, "bridge"));
      rankings.insert(rankings.begin() + 6,
                      OfLens(snapshot, FrontierLens::kDivergent, 2, subset, "divergent"));
    }
    Print(rankings, FirstTogether(data, in_pool, arity), candidates, arity);
  }
  return FailedChecks() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace plexus::bench

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "frontier_eval REPOSITORY [TRAIN_SHARE, 0.7]\n");
    return 2;
  }
  const double share = argc == 3 ? std::atof(argv[2]) : 0.7;
  if (!(share > 0 && share < 1)) {
    std::fprintf(stderr, "TRAIN_SHARE lies between 0 and 1\n");
    return 2;
  }
  return plexus::bench::Main(argv[1], share);
}
