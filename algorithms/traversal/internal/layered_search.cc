// The layers of a search: seeds, then hop after hop, pushed or pulled; and its kept memory.
#include "algorithms/traversal/internal/layered_search.h"

#include <algorithm>
#include <utility>

#include "algorithms/traversal/internal/label_relaxation.h"

namespace plexus::traversal::internal {

namespace {

// One search's memory is kept per thread, unless it grew large: a small query then
// allocates nothing.
constexpr std::size_t kKeptBytes = 1 << 20;
thread_local std::unique_ptr<LayeredSearch::Scratch> kept_scratch;

std::unique_ptr<LayeredSearch::Scratch> AcquireScratch() {
  return kept_scratch ? std::move(kept_scratch) : std::make_unique<LayeredSearch::Scratch>();
}

void ReleaseScratch(std::unique_ptr<LayeredSearch::Scratch> scratch) {
  if (scratch->labels.capacity() * sizeof(Label) + scratch->newest.size_bytes() +
          (scratch->scored.capacity() + scratch->spare.capacity()) * sizeof(ScoredLabel) <=
      kKeptBytes)
    kept_scratch = std::move(scratch);
}

}  // namespace

LayeredSearch::LayeredSearch(const common_internal::Selection& selection,
                             const TraverseOptions& options, Executor& executor)
    : selection_(selection),
      options_(options),
      executor_(executor),
      max_labels_(static_cast<std::uint32_t>(
          std::min<std::uint64_t>(options.run.budget.nodes, kMaxLabels))),
      scratch_(AcquireScratch()),
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

LayeredSearch::~LayeredSearch() { ReleaseScratch(std::move(scratch_)); }

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

void LayeredSearch::RecordTraversal() {
  if (row_descriptors_ && !descriptors_)
    row_descriptors_->AddTraversedArcs(selection_.snapshot->base(), options_.direction, base_arcs_,
                                       options_.run.budget, executor_);
}

}  // namespace plexus::traversal::internal
