// The seeds of a plan: one list an entry, merged by node.
#include <algorithm>
#include <string>

#include "algorithms/pagerank/pagerank.h"
#include "algorithms/retrieval/internal/plan/plan_run.h"
#include "algorithms/retrieval/vectors.h"

namespace plexus::retrieval::internal {

namespace {

using SeedList = std::vector<NodeWeight>;

Result<SeedList> ByVector(PlanRun& run, const PlanSeeds& seeds, std::size_t top,
                          RetrieveStage& stage) {
  const SpaceId space = seeds.space.value_or(*run.question.space);
  NearestOptions options;
  options.top = top;
  options.subset = run.found_subset();
  options.level = run.options.level;
  options.run = run.options.run;
  options.prefilter = run.options.prefilter;
  PLEXUS_ASSIGN(const NearestResult found,
                Nearest(run.snapshot, space, run.question.vector, options));
  stage.read = found.measured;
  stage.truncated = found.truncated;
  const Metric metric = run.snapshot.schema().spaces()[space].metric;
  SeedList list;
  for (const NearestHit& hit : found.hits) {
    list.push_back({hit.node, SimilarityTerm(hit.similarity, metric)});
    if (run.plan.fuse == Fusion::kLists)
      run.found[static_cast<std::size_t>(PlanTerm::kSimilarity)].push_back(
          {hit.node, hit.similarity});
  }
  return list;
}

std::span<const Bm25Hit> FirstByWords(const PlanRun& run, std::size_t top) {
  const std::span<const Bm25Hit> all = run.words->hits;
  return top == 0 ? all : all.first(std::min(top, all.size()));
}

Result<SeedList> ByWords(PlanRun& run, std::size_t top, RetrieveStage& stage) {
  PLEXUS_TRY(AskWords(run, stage));
  const double bound = Bm25Bound(run.words->terms);
  SeedList list;
  for (const Bm25Hit& match : FirstByWords(run, top)) {
    list.push_back({match.node, TextTerm(match.score, bound)});
    if (run.plan.fuse == Fusion::kLists)
      run.found[static_cast<std::size_t>(PlanTerm::kWords)].push_back({match.node, match.score});
  }
  return list;
}

Result<SeedList> ByNames(PlanRun& run, std::size_t top, RetrieveStage& stage) {
  PLEXUS_TRY(AskWords(run, stage));
  std::vector<NodeId> nodes;
  for (const Bm25Hit& match : FirstByWords(run, top)) nodes.push_back(match.node);
  stage.read = nodes.size();
  return NamedNodes(run, nodes);
}

// From the seeds before, or from the keys where there are none. Shares of the largest.
Result<SeedList> ByPageRank(PlanRun& run, std::size_t top, RetrieveStage& stage) {
  pagerank::PageRankPushOptions options;
  options.top = 0;
  options.most_arcs = PlanLimits::kPushArcs;
  options.filter = {run.plan.expand.kinds, run.options.valid_at, run.options.subset};
  options.run = run.options.run;
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(run.snapshot, options.filter));
  SeedList starts;
  for (const Seed& seed : run.seeds)
    if (seed.own > 0 && selection.contains(seed.node)) starts.push_back({seed.node, seed.own});
  if (run.seeds.empty())
    for (const NodeWeight& key : run.question.keys)
      if (selection.contains(key.node)) starts.push_back(key);
  SeedList list;
  run.pagerank.clear();
  if (starts.empty()) return list;
  PLEXUS_ASSIGN(const pagerank::PageRankPushResult ranked,
                pagerank::PageRankPush(run.snapshot, starts, options));
  stage.read = ranked.edges;
  stage.truncated = ranked.truncated;
  for (const ScoredNode& node : ranked.top) {
    if (top != 0 && list.size() == top) break;
    if (node.score > 0 && run.findable.contains(node.node)) list.push_back({node.node, node.score});
  }
  if (!list.empty()) {
    const double largest = list.front().weight;
    for (NodeWeight& share : list) share.weight /= largest;
  }
  run.pagerank = list;
  std::ranges::sort(run.pagerank, {}, &NodeWeight::node);
  return list;
}

// The question has something for the entry.
bool CanRun(const PlanRun& run, const PlanSeeds& seeds, bool any_before) {
  switch (seeds.by) {
    case SeedBy::kVector:
      return !run.question.vector.empty();
    case SeedBy::kWords:
    case SeedBy::kNames:
      return !run.question.terms.empty();
    case SeedBy::kKeys:
      return !run.question.keys.empty();
    case SeedBy::kPageRank:
      break;
  }
  return any_before || !run.question.keys.empty();
}

// What all of a full list have, where only its first ones start: it says nothing of these.
double Common(const SeedList& list, const PlanSeeds& entry, std::size_t top) {
  return list.size() == top && entry.starts < top ? list.back().weight : 0;
}

void Merge(std::vector<Seed>& seeds, const SeedList& list, const PlanSeeds& entry, std::size_t top,
           std::uint32_t bit, bool walks) {
  const bool keys = entry.by == SeedBy::kKeys;
  const double common = keys ? 0 : Common(list, entry, top);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double own = keys || i < entry.starts ? list[i].weight : 0;
    seeds.push_back({.node = list[i].node,
                     .own = own,
                     .start = walks ? std::max(0.0, own - common) : 0,
                     .found_by = bit,
                     .keep = entry.keep});
  }
  std::ranges::stable_sort(seeds, {}, &Seed::node);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (kept == 0 || seeds[kept - 1].node != seeds[i].node) {
      seeds[kept++] = seeds[i];
      continue;
    }
    Seed& one = seeds[kept - 1];
    one.own = std::max(one.own, seeds[i].own);
    one.start = std::max(one.start, seeds[i].start);
    one.found_by |= seeds[i].found_by;
    one.keep |= seeds[i].keep;
  }
  seeds.resize(kept);
}

}  // namespace

std::optional<PlanTerm> PlanRun::OnlyList() const {
  std::optional<PlanTerm> only;
  std::size_t lists = 0;
  for (const PlanTerm term : {PlanTerm::kSimilarity, PlanTerm::kWords, PlanTerm::kPath})
    if (Weighs(term)) ++lists, only = term;
  const bool required = std::ranges::find(plan.score.required, true) != plan.score.required.end();
  return plan.fuse == Fusion::kLists && lists == 1 && !required ? only : std::nullopt;
}

std::size_t PlanRun::CountOf(const PlanSeeds& seeds) const {
  if (seeds.per_hit == 0) return seeds.top;
  const std::optional<PlanTerm> only = OnlyList();
  const bool is_list =
      seeds.keep && ((seeds.by == SeedBy::kWords && only == PlanTerm::kWords) ||
                     (seeds.by == SeedBy::kVector && only == PlanTerm::kSimilarity));
  if (plan.top == 0 || is_list) return top();
  return std::min(std::max(seeds.per_hit * plan.top, seeds.least), PlanLimits::kMaxTop);
}

std::size_t PlanRun::CountReached() const {
  if (plan.expand.per_hit == 0) return plan.expand.top;
  if (plan.top == 0 || OnlyList() == PlanTerm::kPath) return top();
  return std::min(std::max(plan.expand.per_hit * plan.top, plan.expand.top),
                  PlanLimits::kMaxReached);
}

Status AskWords(PlanRun& run, RetrieveStage& stage) {
  if (!run.words) {
    Bm25Options options;
    options.top = 1;
    for (const PlanSeeds& seeds : run.plan.seeds)
      if (seeds.by == SeedBy::kWords || seeds.by == SeedBy::kNames) {
        const std::size_t top = run.CountOf(seeds);
        options.top = top == 0 || options.top == 0 ? 0 : std::max(options.top, top);
      }
    options.subset = run.found_subset();
    options.phrases = run.question.phrases;
    options.run = run.options.run;
    PLEXUS_ASSIGN(run.words, Bm25(run.snapshot, run.question.terms, options));
  }
  stage.read = run.words->found;
  stage.truncated |= run.words->truncated;
  return {};
}

Status SeedStages(PlanRun& run) {
  bool any = false;
  for (std::size_t i = 0; i < run.plan.seeds.size(); ++i) {
    const PlanSeeds& seeds = run.plan.seeds[i];
    const std::size_t top = run.CountOf(seeds);
    StageClock clock(run.result, SeedByName(seeds.by));
    clock.stage.skipped = !CanRun(run, seeds, any);
    SeedList list;
    if (!clock.stage.skipped) {
      any = true;
      switch (seeds.by) {
        case SeedBy::kVector:
          PLEXUS_SET(list, ByVector(run, seeds, top, clock.stage));
          break;
        case SeedBy::kWords:
          PLEXUS_SET(list, ByWords(run, top, clock.stage));
          break;
        case SeedBy::kKeys:
          list.assign(run.question.keys.begin(), run.question.keys.end());
          clock.stage.read = list.size();
          break;
        case SeedBy::kNames:
          PLEXUS_SET(list, ByNames(run, top, clock.stage));
          break;
        case SeedBy::kPageRank:
          PLEXUS_SET(list, ByPageRank(run, top, clock.stage));
          break;
      }
    }
    clock.stage.kept = list.size();
    Merge(run.seeds, list, seeds, top, std::uint32_t{1} << i,
          seeds.by == SeedBy::kKeys || run.plan.expand.from != ExpandFrom::kKeys);
    clock.Done();
  }
  if (any) return {};
  std::string wanted;
  for (const PlanSeeds& seeds : run.plan.seeds)
    wanted += (wanted.empty() ? "" : ", ") + std::string(SeedByName(seeds.by));
  return Invalid("the question has nothing for the plan's seeds: ", wanted);
}

}  // namespace plexus::retrieval::internal
