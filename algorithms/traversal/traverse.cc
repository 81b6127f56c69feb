// Traverse: check the question, run the layers, spell out the best nodes' paths.
#include "algorithms/traversal/traversal.h"

#include <algorithm>
#include <cmath>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stored_edges.h"
#include "algorithms/traversal/internal/layered_search.h"
#include "algorithms/traversal/internal/resume_token.h"
#include "engine/out_of_memory.h"

namespace plexus::traversal {

namespace {

using internal::Label;
using internal::LayeredSearch;
using internal::ScoredLabel;

Status CheckOptions(const TraverseOptions& o) {
  if (o.hops < 0 || o.hops > kMaxHops) return Invalid("hops ", o.hops, " is not in 0..", kMaxHops);
  if (!(o.decay > 0 && o.decay <= 1)) return Invalid("decay ", o.decay, " is not in (0, 1]");
  return {};
}

// Seeds ascending, each node once.
Result<std::vector<NodeWeight>> CheckSeeds(const Snapshot& snapshot,
                                           std::span<const NodeWeight> seeds, Aggregate aggregate) {
  std::vector<NodeWeight> sorted(seeds.begin(), seeds.end());
  for (const NodeWeight& s : sorted) {
    if (s.node >= snapshot.node_count() || !snapshot.alive(s.node))
      return common_internal::NotSelected(snapshot, "seed", s.node, {});
    const bool too_much = aggregate == Aggregate::kNoisyOr && s.weight > 1;
    if (!(s.weight > 0) || !std::isfinite(s.weight) || too_much)
      return Invalid("weight ", s.weight, " of seed ", common_internal::NodeName(snapshot, s.node),
                     " is not ",
                     (too_much ? "in (0, 1], which noisy-or needs" : "a finite number above 0"));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.node < b.node; });
  std::size_t kept = 0;
  for (const NodeWeight& s : sorted) {
    if (kept == 0 || sorted[kept - 1].node != s.node) {
      sorted[kept++] = s;
      continue;
    }
    double& w = sorted[kept - 1].weight;
    w = aggregate == Aggregate::kSum   ? w + s.weight
        : aggregate == Aggregate::kMin ? std::min(w, s.weight)
                                       : std::max(w, s.weight);
  }
  sorted.resize(kept);
  return sorted;
}

// The step into `label`.
PathEdge StepOf(const Snapshot& snapshot, const Label& label, const Label& parent) {
  const ArcRef ref{label.run, label.position, label.direction};
  return label.pulled ? common_internal::ArcAsEdge(snapshot, label.node, parent.node, ref)
                      : common_internal::ArcAsEdge(snapshot, parent.node, label.node, ref);
}

// Kinds were not read by a search that follows all of them, nor weights where a row's descriptor
// had them: prefetched before the first is needed.
void PrefetchSteps(const Snapshot& snapshot, const std::vector<Label>& labels,
                   std::span<const ScoredLabel> reached) {
  const StoredCsrView views[] = {snapshot.base_rows(Direction::kOut),
                                 snapshot.base_rows(Direction::kIn)};
  for (const ScoredLabel& r : reached)
    for (std::uint32_t at = r.label; labels[at].parent != Label::kSeed; at = labels[at].parent)
      if (labels[at].run == 0) {
        const StoredCsrView& view = views[labels[at].direction == Direction::kIn];
        __builtin_prefetch(&view.kinds[labels[at].position]);
        __builtin_prefetch(view.weights.at(labels[at].position));
      }
}

void FillHit(const Snapshot& snapshot, const std::vector<Label>& labels, const ScoredLabel& r,
             bool with_path, bool one_seed, TraverseHit& hit) {
  hit.node = r.node;
  hit.score = r.value;
  hit.hops = labels[r.label].hop;
  if (with_path) hit.path.resize(labels[r.label].hop);
  if (!with_path && one_seed) {
    hit.seed = labels[0].node;
    return;
  }
  std::uint32_t at = r.label;
  for (; labels[at].parent != Label::kSeed; at = labels[at].parent)
    if (with_path)
      hit.path[labels[at].hop - 1u] = StepOf(snapshot, labels[at], labels[labels[at].parent]);
  hit.seed = labels[at].node;
}

internal::QueryDigest MakeDigest(const Snapshot& snapshot, std::span<const NodeWeight> starts,
                                 const TraverseOptions& o) {
  internal::QueryDigest digest(snapshot, internal::SearchKind::kTraverse);
  digest.Add(static_cast<std::uint64_t>(o.hops));
  digest.Add(static_cast<std::uint64_t>(o.direction));
  digest.Add(static_cast<std::uint64_t>(o.aggregate));
  digest.Add(o.decay);
  digest.Add(std::uint64_t{o.top});
  digest.Add(std::uint64_t{o.include_seeds});
  digest.Add(o.filter.kinds);
  digest.Add(static_cast<std::uint64_t>(o.filter.valid_at));
  digest.Add(o.filter.subset);
  for (const NodeWeight& s : starts) {
    digest.AddNode(s.node);
    digest.Add(s.weight);
  }
  return digest;
}

}  // namespace

Result<TraverseResult> Traverse(const Snapshot& snapshot, std::span<const NodeWeight> seeds,
                                const TraverseOptions& given) try {
  PLEXUS_TRY(CheckOptions(given));
  if (!given.resume.empty()) {
    PLEXUS_ASSIGN(const std::vector<NodeWeight> starts,
                  CheckSeeds(snapshot, seeds, given.aggregate));
    TraverseOptions further = given;
    further.resume.clear();
    PLEXUS_SET(further.run.budget,
               MakeDigest(snapshot, starts, given).BudgetFrom(given.resume, given.run.budget));
    return Traverse(snapshot, seeds, further);
  }
  const TraverseOptions& options = given;
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  PLEXUS_ASSIGN(const std::vector<NodeWeight> starts,
                CheckSeeds(snapshot, seeds, options.aggregate));
  LayeredSearch search(selection, options, common_internal::Pick(options.run.executor));
  search.Run(starts);

  const std::span<const ScoredLabel> reached = search.Best();
  TraverseResult result;
  result.truncated = search.truncated();
  result.nodes = search.labels().size();
  result.edges = search.edges();
  if (result.truncated)
    result.resume = MakeDigest(snapshot, starts, options).TokenAt({result.nodes, result.edges});
  result.hits.resize(reached.size());
  if (options.paths) PrefetchSteps(snapshot, search.labels(), reached);
  for (std::size_t i = 0; i < reached.size(); ++i)
    FillHit(snapshot, search.labels(), reached[i], options.paths, starts.size() == 1,
            result.hits[i]);
  search.RecordTraversal();
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::traversal
