// Traverse: check the question, run the layers, fold labels into scored nodes,
// cut to the best and spell out their paths.
#include "algorithms/traverse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "algorithms/internal/keep_best.h"
#include "algorithms/internal/layered_search.h"
#include "algorithms/internal/node_map.h"
#include "algorithms/internal/selection.h"

namespace plexus {

namespace {

using internal::Label;
using internal::LayeredSearch;
using internal::NodeMap;

std::unexpected<Error> Bad(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Status CheckOptions(const TraverseOptions& o) {
  if (o.hops < 0 || o.hops > kMaxHops)
    return Bad("hops " + std::to_string(o.hops) + " is not in 0.." + std::to_string(kMaxHops));
  if (!(o.decay > 0 && o.decay <= 1))
    return Bad("decay " + std::to_string(o.decay) + " is not in (0, 1]");
  return {};
}

// Seeds ascending, each node once.
Result<std::vector<TraverseSeed>> CheckSeeds(const Snapshot& snapshot,
                                             std::span<const TraverseSeed> seeds,
                                             Aggregate aggregate) {
  std::vector<TraverseSeed> sorted(seeds.begin(), seeds.end());
  for (const TraverseSeed& s : sorted) {
    if (s.node >= snapshot.node_count())
      return Bad("seed node id " + std::to_string(s.node) + " is not below the graph's " +
                 std::to_string(snapshot.node_count()) + " nodes");
    if (!snapshot.alive(s.node))
      return Fail(ErrorCode::kNotFound,
                  "seed node '" + std::string(snapshot.key(s.node)) + "' was removed");
    const bool too_much = aggregate == Aggregate::kNoisyOr && s.weight > 1;
    if (!(s.weight > 0) || !std::isfinite(s.weight) || too_much)
      return Bad("weight " + std::to_string(s.weight) + " of seed '" +
                 std::string(snapshot.key(s.node)) + "' is not " +
                 (too_much ? "in (0, 1], which noisy-or needs" : "a finite number above 0"));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.node < b.node; });
  std::size_t kept = 0;
  for (const TraverseSeed& s : sorted) {
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

// A reached node with the label whose walk is its proof.
struct Reached {
  NodeId node;
  std::uint32_t label;
  double score;
};

std::vector<Reached> Fold(const LayeredSearch& search, Aggregate aggregate, NodeId node_count) {
  const std::vector<Label>& labels = search.labels();
  std::vector<Reached> reached;
  if (aggregate == Aggregate::kMax || aggregate == Aggregate::kMin) {
    for (std::uint32_t i = 0; i < labels.size(); ++i)
      if (!labels[i].dominated) reached.push_back({labels[i].node, i, labels[i].value});
    return reached;
  }
  NodeMap places(node_count);
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    const Label& label = labels[i];
    std::uint32_t& place = places.at(label.node);
    if (place == NodeMap::kAbsent) {
      place = static_cast<std::uint32_t>(reached.size());
      reached.push_back({label.node, i, label.value});
      continue;
    }
    Reached& r = reached[place];
    if (label.best > labels[r.label].best) r.label = i;
    r.score = aggregate == Aggregate::kSum
                  ? std::min(r.score + label.value, std::numeric_limits<double>::max())
                  : r.score + label.value * (1.0 - r.score);
  }
  return reached;
}

// The step into `label`, as the edge it took. Spelled out here and not by
// Snapshot::edge, which would also fetch what a path does not show.
PathEdge StepOf(const Snapshot& snapshot, const Label& label, const Label& parent) {
  const NodeId row = label.pulled ? label.node : parent.node;
  const NodeId neighbor = label.pulled ? parent.node : label.node;
  PathEdge step{row, neighbor, label.kind, 0, label.weight};
  if (label.direction == Direction::kIn) std::swap(step.source, step.target);
  if (step.source > step.target && snapshot.schema().edge_kind(step.kind).symmetric)
    std::swap(step.source, step.target);
  step.label =
      label.run != 0
          ? snapshot.state().runs[label.run - 1]->side(label.direction).arcs[label.position].label
          : internal::BaseLabel(snapshot.base(), label.direction, label.position);
  return step;
}

TraverseHit MakeHit(const Snapshot& snapshot, const std::vector<Label>& labels, const Reached& r,
                    bool with_path) {
  TraverseHit hit;
  hit.node = r.node;
  hit.score = r.score;
  std::uint32_t at = r.label;
  for (; labels[at].parent != Label::kSeed; at = labels[at].parent) {
    ++hit.hops;
    if (with_path) hit.path.push_back(StepOf(snapshot, labels[at], labels[labels[at].parent]));
  }
  hit.seed = labels[at].node;
  std::reverse(hit.path.begin(), hit.path.end());
  return hit;
}

}  // namespace

Result<TraverseResult> Traverse(const Snapshot& snapshot, std::span<const TraverseSeed> seeds,
                                const TraverseOptions& options) {
  PLEXUS_TRY(CheckOptions(options));
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  PLEXUS_ASSIGN(const std::vector<TraverseSeed> starts,
                CheckSeeds(snapshot, seeds, options.aggregate));
  LayeredSearch search(selection, options, internal::Pick(options.executor));
  search.Run(starts);

  std::vector<Reached> reached = Fold(search, options.aggregate, snapshot.node_count());
  if (!options.include_seeds) {
    std::erase_if(reached, [&](const Reached& r) {
      auto it = std::lower_bound(starts.begin(), starts.end(), r.node,
                                 [](const TraverseSeed& s, NodeId node) { return s.node < node; });
      return it != starts.end() && it->node == r.node;
    });
  }
  internal::KeepBest(reached, options.top, [](const Reached& a, const Reached& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  });

  TraverseResult result;
  result.truncated = search.truncated();
  result.nodes = search.labels().size();
  result.edges = search.edges();
  result.hits.reserve(reached.size());
  for (const Reached& r : reached)
    result.hits.push_back(MakeHit(snapshot, search.labels(), r, options.paths));
  return result;
}

}  // namespace plexus
