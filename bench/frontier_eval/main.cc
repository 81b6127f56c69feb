// frontier_eval [--cuts SHARE,...] [--outcomes] [--only-pairs] REPOSITORY...: does the
// never-composed frontier name what comes next?
//
// The older part of a git history (70 % of its commits, or each share given) is a ledger
// (dataset.h). Each lens lists sets of files that no commit has together; what is first changed
// together in the newer part are the hits. Beside them stand link predictors over the same ledger,
// the lens likely without each of its parts, and the surface score without each of its terms
// (rankings.h). Constants of likely were chosen on other histories (bench/notes/frontier.md);
// nothing here comes from a newer part. Triples are taken among the 150 files changed most often,
// so that every one can be scored.
//
// --outcomes: only likely, where commits that were reverted, or have a file that was changed again
// within a day, are dead ends.
//
// The engine's surface lists are checked against every set scored again; a difference ends the
// program with an error. Output: tables in Markdown (report.h).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/similarity/similarity.h"
#include "bench/frontier_eval/dataset.h"
#include "bench/frontier_eval/history.h"
#include "bench/frontier_eval/rankings.h"
#include "bench/frontier_eval/report.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kDepth = 1000, kTriplePool = 150;

RankedSet ToRanked(const std::vector<NodeId>& members, double score) {
  RankedSet set{score, {}};
  std::copy(members.begin(), members.end(), set.files.begin());
  return set;
}

Ranking OfLens(const Snapshot& snapshot, memory::FrontierLens lens, int arity,
               const NodeSubset& pool, const char* name, const memory::LikelyOptions& likely = {}) {
  const memory::NeverComposedOptions options{
      .lens = lens, .arity = arity, .top = kDepth, .pool = &pool, .likely = likely};
  const double before = ProcessSeconds();
  const memory::NeverComposedPage page = Must(memory::NeverComposed(snapshot, options), name);
  Require(!page.truncated, name);
  Ranking ranking{.name = name, .sets = {}, .seconds = ProcessSeconds() - before};
  for (const memory::NeverComposedSet& set : page.sets)
    ranking.sets.push_back(ToRanked(set.members, set.score));
  return ranking;
}

// The lens, then what it is without one of its parts.
std::vector<Ranking> OfLikely(const Snapshot& snapshot, int arity, const NodeSubset& pool) {
  constexpr memory::FrontierLens kLens = memory::FrontierLens::kLikely;
  return {
      OfLens(snapshot, kLens, arity, pool, "likely"),
      OfLens(snapshot, kLens, arity, pool, "likely without tags and terms", {.shared_weight = 0}),
      OfLens(snapshot, kLens, arity, pool, "likely without activity", {.activity_weight = 0}),
      OfLens(snapshot, kLens, arity, pool, "likely without decay", {.half_life = 1e12})};
}

Ranking OfRare(const Snapshot& snapshot, int arity, const NodeSubset& pool) {
  similarity::FrontierOptions options{.arity = arity, .top = kDepth, .filter = {.subset = &pool}};
  const similarity::FrontierResult result = Must(similarity::Frontier(snapshot, options), "rare");
  Ranking ranking{"rare", {}};
  for (const similarity::FrontierSet& set : result.sets)
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

std::string NameOf(std::string path) {
  for (const std::string_view end : {"/", "/repo", "/.git"})
    if (path.ends_with(end)) path.resize(path.size() - end.size());
  return path.substr(path.rfind('/') + 1);
}

struct Pool {
  std::vector<std::uint32_t> files;
  NodeSubset subset;
  std::vector<bool> contains;
};

// All files, or for triples those changed most often.
Pool PoolFor(const Dataset& data, const Snapshot& snapshot, int arity) {
  std::vector<std::size_t> changes(data.size());
  for (const FileSet& event : data.events)
    for (const std::uint32_t file : event) ++changes[file];
  Pool pool;
  for (std::uint32_t file = 0; file < data.size(); ++file) pool.files.push_back(file);
  if (arity > 2 && pool.files.size() > kTriplePool) {
    std::stable_sort(pool.files.begin(), pool.files.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return changes[a] > changes[b]; });
    pool.files.resize(kTriplePool);
    std::sort(pool.files.begin(), pool.files.end());
  }
  pool.subset = Must(NodeSubset::Of(snapshot, pool.files), "the pool");
  pool.contains.resize(data.size());
  for (const std::uint32_t file : pool.files) pool.contains[file] = true;
  return pool;
}

std::vector<Ranking> AllRankings(const Dataset& data, const Snapshot& snapshot, const Pool& pool,
                                 int arity, std::size_t& candidates) {
  std::vector<Ranking> all = OfLikely(snapshot, arity, pool.subset);
  std::vector<Ranking> anew = RankAll(data, pool.files, arity, kDepth, candidates);
  const Ranking surface =
      OfLens(snapshot, memory::FrontierLens::kSurface, arity, pool.subset, "surface (engine)");
  for (const Ranking& ranking : anew)
    if (ranking.name == "surface") Check(surface, ranking);
  all.insert(all.end(), anew.begin(), anew.begin() + 4);
  all.push_back(OfRare(snapshot, arity, pool.subset));
  if (arity == 2) {
    all.push_back(OfLens(snapshot, memory::FrontierLens::kBridge, 2, pool.subset, "bridge"));
    all.push_back(OfLens(snapshot, memory::FrontierLens::kDivergent, 2, pool.subset, "divergent"));
  }
  all.insert(all.end(), anew.begin() + 4, anew.end());
  return all;
}

// What dead ends change: their weight by where they come from.
std::vector<Ranking> WithOutcomes(const Dataset& data, int arity) {
  std::vector<Ranking> all;
  for (const auto& [dead_ends, what] : {std::pair(DeadEnds::kReverted, "reverted"),
                                        std::pair(DeadEnds::kChangedAgain, "changed again")}) {
    const auto graph = MakeLedger(data, dead_ends);
    const Pool pool = PoolFor(data, graph->snapshot(), arity);
    for (const double weight : {0.0, 0.25, 1.0})
      all.push_back(
          OfLens(graph->snapshot(), memory::FrontierLens::kLikely, arity, pool.subset,
                 (std::string(what) + ", weight " + std::to_string(weight).substr(0, 4)).c_str(),
                 {.outcome_weight = weight}));
  }
  return all;
}

struct Arguments {
  std::vector<std::string> repositories;
  std::vector<double> shares = {0.7};
  bool outcomes = false, only_pairs = false;
};

int Main(const Arguments& arguments) {
  std::vector<Evaluation> all;
  for (const std::string& path : arguments.repositories) {
    const History history = Must(ReadHistory(path), "reading the history");
    for (const double share : arguments.shares) {
      const Dataset data = Cut(history, share);
      const auto graph = MakeLedger(data);
      std::printf(
          "\n%s: %zu commits: %zu older (%zu events, %zu files, %zu edges, %td reverted, %td "
          "changed "
          "again), %zu newer (%zu with two known files)\n",
          NameOf(path).c_str(), history.commits.size(), data.train_commits, data.events.size(),
          data.size(), data.edges.size(),
          std::count(data.reverted.begin(), data.reverted.end(), true),
          std::count(data.changed_again.begin(), data.changed_again.end(), true), data.test_commits,
          data.later.size());
      for (int arity = 2; arity <= (arguments.only_pairs ? 2 : 3); ++arity) {
        const Pool pool = PoolFor(data, graph->snapshot(), arity);
        std::size_t candidates = 0;
        const std::vector<Ranking> rankings =
            arguments.outcomes ? WithOutcomes(data, arity)
                               : AllRankings(data, graph->snapshot(), pool, arity, candidates);
        Evaluation evaluation =
            Measure(rankings, FirstTogether(data, pool.contains, arity), data.size(), arity);
        evaluation.history = NameOf(path);
        evaluation.share = share;
        evaluation.candidates = candidates;
        PrintEvaluation(evaluation);
        std::fflush(stdout);
        all.push_back(std::move(evaluation));
      }
    }
  }
  for (const int arity : {2, 3}) PrintSummary(all, arity);
  return FailedChecks() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Nothing: they are wrong.
std::optional<Arguments> Read(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--outcomes") {
      arguments.outcomes = true;
    } else if (word == "--only-pairs") {
      arguments.only_pairs = true;
    } else if (word == "--cuts" && i + 1 < argc) {
      arguments.shares.clear();
      for (std::string rest = argv[++i]; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const double share = std::atof(rest.substr(0, comma).c_str());
        if (!(share > 0 && share < 1)) return {};
        arguments.shares.push_back(share);
        rest.erase(0, comma + 1);
      }
    } else if (word.starts_with("--")) {
      return {};
    } else {
      arguments.repositories.emplace_back(word);
    }
  }
  if (arguments.repositories.empty() || arguments.shares.empty()) return {};
  return arguments;
}

}  // namespace
}  // namespace plexus::bench

int main(int argc, char** argv) {
  const auto arguments = plexus::bench::Read(argc, argv);
  if (!arguments) {
    std::fprintf(stderr,
                 "frontier_eval [--cuts SHARE,...] [--outcomes] [--only-pairs] REPOSITORY...\n"
                 "shares lie between 0 and 1\n");
    return 2;
  }
  return plexus::bench::Main(*arguments);
}
