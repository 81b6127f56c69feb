// The layers of a search: seeds, then hop after hop, pushed or pulled; what labels come to: the
// threshold under max, and at the end nodes with a score, best first; and its kept memory.
#include "algorithms/traversal/internal/layered_search.h"

#include <algorithm>
#include <utility>

#include "algorithms/traversal/internal/label_relaxation.h"
#include "engine/adjacency/heaviest_arcs.h"
#include "engine/state.h"

namespace plexus::traversal::internal {

namespace {

// One search's memory is kept per thread, unless it grew large: a small query then
// allocates nothing.
constexpr std::size_t kKeptBytes = 1 << 20;
thread_local std::unique_ptr<LayeredSearch::Scratch> kept_scratch;

}  // namespace

std::optional<float> MaxWeight(const Snapshot& snapshot, const ArcFilter& filter,
                               const Budget& budget, Executor& executor) {
  float most = 0;
  auto add = [&](const std::vector<float>& by_kind) {
    for (std::size_t kind = 0; kind < by_kind.size(); ++kind)
      if (filter.allows(static_cast<EdgeKindId>(kind))) most = std::max(most, by_kind[kind]);
  };
  const Csr& base = snapshot.base();
  std::shared_ptr<const HeaviestArcs> of_base = base.derived.Find<HeaviestArcs>();
  if (!of_base) {
    of_base = FindHeaviestArcs(base, executor, [&budget] { return budget.Interrupted(); });
    if (!of_base) return std::nullopt;
    of_base = base.derived.Keep(std::move(of_base));
  }
  add(of_base->by_kind);
  for (const auto& run : snapshot.state().runs) add(run->heaviest);
  return most;
}

LayeredSearch::LayeredSearch(const common_internal::Selection& selection,
                             const TraverseOptions& options, Executor& executor)
    : selection_(selection),
      options_(options),
      executor_(executor),
      max_labels_(static_cast<std::uint32_t>(
          std::min<std::uint64_t>(options.run.budget.nodes, kMaxLabels))),
      scratch_(kept_scratch ? std::move(kept_scratch) : std::make_unique<Scratch>()),
      labels_(scratch_->labels),
      newest_(scratch_->newest),
      threshold_(scratch_->threshold),
      threshold_wanted_(options.aggregate == Aggregate::kMax && options.top != 0),
      rows_(*selection.snapshot, options.direction),
      prefetch_(*selection.snapshot, options.direction, !selection.filter.all_kinds()),
      all_kinds_(selection.filter.all_kinds()),
      base_rows_(options.direction != Direction::kBoth && !selection.filter.checks_time()) {
  labels_.clear();
  threshold_.Reset();
  if (base_rows_) {
    row_descriptors_ = RowDescriptors::Of(*selection.snapshot);
    if (row_descriptors_) descriptors_ = row_descriptors_->get(options.direction);
  }
  newest_.Reset(selection.snapshot->node_count());
}

LayeredSearch::~LayeredSearch() {
  if (labels_.capacity() * sizeof(Label) + newest_.size_bytes() +
          (scratch_->scored.capacity() + scratch_->spare.capacity()) * sizeof(ScoredLabel) <=
      kKeptBytes)
    kept_scratch = std::move(scratch_);
}

void LayeredSearch::Run(std::span<const NodeWeight> seeds) {
  for (const NodeWeight& seed : seeds) {
    if (labels_.size() >= max_labels_) {
      truncated_ = true;
      return;
    }
    newest_.at(seed.node) = static_cast<std::uint32_t>(labels_.size());
    Label label;
    label.value = label.best = seed.weight;
    label.node = seed.node;
    label.of_seed = true;
    max_seed_ = std::max(max_seed_, seed.weight);
    labels_.push_back(label);
  }
  switch (options_.aggregate) {
    case Aggregate::kMax:
      return RunLayers<Aggregate::kMax>();
    case Aggregate::kMin:
      return RunLayers<Aggregate::kMin>();
    case Aggregate::kSum:
      return RunLayers<Aggregate::kSum>();
    case Aggregate::kNoisyOr:
      return RunLayers<Aggregate::kNoisyOr>();
  }
}

template <Aggregate A>
void LayeredSearch::RunLayers() {
  std::uint32_t begin = 0;
  for (int hop = 1; hop <= options_.hops; ++hop) {
    const auto end = static_cast<std::uint32_t>(labels_.size());
    if (begin == end) return;
    if (options_.run.budget.Interrupted()) {
      truncated_ = true;
      return;
    }
    const bool go_on = PullFits(begin, end) ? Pull<A>(begin, end, hop) : Push<A>(begin, end, hop);
    if (!go_on) {
      truncated_ = true;
      return;
    }
    if (!kDominates<A> && hop < options_.hops) SortLayer(end);
    begin = end;
  }
}

// Sums are taken by rising id of the parent's node, whether the layer after this is pushed or
// pulled.
void LayeredSearch::SortLayer(std::uint32_t begin) {
  auto less = [](const Label& a, const Label& b) { return a.node < b.node; };
  const auto first = labels_.begin() + static_cast<std::ptrdiff_t>(begin);
  if (std::is_sorted(first, labels_.end(), less)) return;
  std::sort(first, labels_.end(), less);
  for (std::uint32_t i = begin; i < labels_.size(); ++i) newest_.at(labels_[i].node) = i;
}

// From now on with a threshold, if the weights allow one.
void LayeredSearch::TryThreshold() {
  threshold_wanted_ = false;
  const std::optional<float> largest =
      MaxWeight(*selection_.snapshot, selection_.filter, options_.run.budget, executor_);
  if (!largest || *largest > 1) return;
  max_weight_ = static_cast<double>(*largest);
  threshold_on_ = true;
  StartThreshold();
}

// Counts the labels made so far, from the threshold up.
void LayeredSearch::StartThreshold() {
  auto counts = [&](const Label& label) {
    return !label.dominated && Listed(label) && label.value >= threshold_.value();
  };
  double least = max_seed_;
  for (const Label& label : labels_)
    if (counts(label)) least = std::min(least, label.value);
  threshold_.Start(options_.top, least, max_seed_);
  for (const Label& label : labels_)
    if (counts(label)) threshold_.Add(label.value);
  threshold_.Started();
}

// Labels become nodes with a score; below the threshold nothing is among the best.
void LayeredSearch::CollectScores() {
  std::vector<ScoredLabel>& scored = scratch_->scored;
  scored.clear();
  if (options_.aggregate == Aggregate::kMax || options_.aggregate == Aggregate::kMin) {
    for (std::uint32_t i = 0; i < labels_.size(); ++i) {
      const Label& label = labels_[i];
      if (!label.dominated && label.value >= threshold_.value() && Listed(label))
        scored.push_back({label.value, label.node, i});
    }
    return;
  }
  common_internal::NodeMap places(selection_.snapshot->node_count());
  for (std::uint32_t i = 0; i < labels_.size(); ++i) {
    const Label& label = labels_[i];
    if (!Listed(label)) continue;
    std::uint32_t& place = places.at(label.node);
    if (place == common_internal::NodeMap::kAbsent) {
      place = static_cast<std::uint32_t>(scored.size());
      scored.push_back({label.value, label.node, i});
      continue;
    }
    ScoredLabel& r = scored[place];
    if (label.best > labels_[r.label].best) r.label = i;
    r.value = options_.aggregate == Aggregate::kSum ? std::min(r.value + label.value, kMaxValue)
                                                    : r.value + label.value * (1.0 - r.value);
  }
}

std::span<const ScoredLabel> LayeredSearch::Best() {
  CollectScores();
  BucketSortTopK(scratch_->scored, options_.top, scratch_->spare);
  return scratch_->scored;
}

void LayeredSearch::RecordTraversal() {
  if (row_descriptors_ && !descriptors_)
    row_descriptors_->AddTraversedArcs(selection_.snapshot->base(), options_.direction, base_arcs_,
                                       options_.run.budget, executor_);
}

}  // namespace plexus::traversal::internal
