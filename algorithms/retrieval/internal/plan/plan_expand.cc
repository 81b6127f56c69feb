// The expansion of a plan: one traversal from all seeds, then who the candidates are.
#include <algorithm>
#include <span>

#include "algorithms/common/internal/selection.h"
#include "algorithms/retrieval/internal/plan/plan_run.h"

namespace plexus::retrieval::internal {

namespace {

// `seeds` and `candidates` are ascending.
bool IsSeed(const std::vector<Seed>& seeds, NodeId node) {
  return std::ranges::binary_search(seeds, node, {}, &Seed::node);
}
Candidate* Find(std::span<Candidate> candidates, NodeId node) {
  const auto at = std::ranges::lower_bound(candidates, node, {}, &Candidate::node);
  return at != candidates.end() && at->node == node ? &*at : nullptr;
}

// More arcs than a walk may follow from there.
bool IsHub(const PlanRun& run, const ArcFilter& filter, NodeId node) {
  const PlanExpand& expand = run.plan.expand;
  return expand.arcs > 0 && run.snapshot.Degree(expand.direction, node, filter) > expand.arcs;
}

// Walks of no hops, where none that is better arrives.
void AddOwnWalks(const std::vector<Seed>& seeds, traversal::TraverseResult& walks) {
  std::vector<bool> listed(seeds.size());
  for (traversal::TraverseHit& hit : walks.hits) {
    const auto at = std::ranges::lower_bound(seeds, hit.node, {}, &Seed::node);
    if (at == seeds.end() || at->node != hit.node) continue;
    listed[static_cast<std::size_t>(at - seeds.begin())] = true;
    if (hit.score <= at->own) hit = {at->node, at->own, 0, at->node, {}};
  }
  for (std::size_t i = 0; i < seeds.size(); ++i)
    if (!listed[i] && seeds[i].own > 0)
      walks.hits.push_back({seeds[i].node, seeds[i].own, 0, seeds[i].node, {}});
}

Result<traversal::TraverseResult> Walk(const PlanRun& run, int hops) {
  const PlanExpand& expand = run.plan.expand;
  PLEXUS_ASSIGN(
      const common_internal::Selection selection,
      common_internal::Select(run.snapshot, GraphFilter{expand.kinds, run.options.valid_at}));
  std::vector<NodeWeight> starts;
  for (const Seed& seed : run.seeds)
    if (seed.start > 0 && (hops == 0 || !IsHub(run, selection.filter, seed.node)))
      starts.push_back({seed.node, seed.start});
  traversal::TraverseOptions options;
  options.hops = hops;
  options.direction = expand.direction;
  options.decay = expand.decay;
  options.include_seeds = expand.from != ExpandFrom::kKeys;
  options.filter = {expand.kinds, run.options.valid_at, run.options.subset};
  options.run = run.options.run;
  if (expand.max_arcs > 0)
    options.run.budget.edges = std::min(options.run.budget.edges, expand.max_arcs);
  // Of a list that is filtered afterwards nothing can be cut before.
  if (const std::size_t top = run.CountReached(); top > 0 && !run.filtered)
    options.top = top + (options.include_seeds ? run.seeds.size() : 0);
  else
    options.top = 0;
  if (starts.empty() && !options.include_seeds) return traversal::TraverseResult();
  PLEXUS_ASSIGN(traversal::TraverseResult walks,
                traversal::Traverse(run.snapshot, starts, options));
  if (!options.include_seeds) return walks;
  // Cut: where many nodes are nearer than a seed, the walk to the seed itself may be missing.
  if (options.top > 0 && walks.hits.size() >= options.top &&
      std::ranges::count_if(walks.hits, [&](const traversal::TraverseHit& hit) {
        return IsSeed(run.seeds, hit.node);
      }) < std::ssize(run.seeds)) {
    options.top = 0;
    PLEXUS_ASSIGN(walks, traversal::Traverse(run.snapshot, starts, options));
  }
  AddOwnWalks(run.seeds, walks);
  return walks;
}

}  // namespace

Status ExpandStage(PlanRun& run, int hops) {
  StageClock clock(run.result, "expand");
  PLEXUS_ASSIGN(run.walks, Walk(run, hops));
  const std::size_t top = run.CountReached();
  const bool seeds_count = run.plan.expand.from == ExpandFrom::kKeys;
  run.candidates.clear();
  for (const Seed& seed : run.seeds)
    if (seed.keep && run.findable.contains(seed.node))
      run.candidates.push_back({.node = seed.node, .found_by = seed.found_by});
  std::vector<Candidate> reached;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < run.walks.hits.size(); ++i) {
    const NodeId node = run.walks.hits[i].node;
    const bool seed = IsSeed(run.seeds, node);
    if (!seed || seeds_count) {
      if (!run.findable.contains(node) || (top != 0 && counted == top)) continue;
      ++counted;
    }
    if (!seed)
      reached.push_back({.node = node, .walk = i});
    else if (Candidate* kept = Find(run.candidates, node))
      kept->walk = i;
  }
  run.candidates.insert(run.candidates.end(), reached.begin(), reached.end());
  std::ranges::sort(run.candidates, {}, &Candidate::node);
  clock.stage.read = run.walks.edges;
  clock.stage.kept = run.candidates.size();
  clock.stage.truncated = run.walks.truncated;
  clock.Done();
  return {};
}

}  // namespace plexus::retrieval::internal
