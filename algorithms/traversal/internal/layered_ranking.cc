// What labels come to: the bar under max, and at the end nodes with a score, best first.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "algorithms/traversal/internal/layered_search.h"
#include "algorithms/traversal/internal/max_weight.h"

namespace plexus::traversal_internal {
using namespace internal;

// From now on with a bar, if the weights allow one.
void LayeredSearch::TryBar() {
  bar_wanted_ = false;
  const std::optional<float> largest =
      LargestWeight(*selection_.snapshot, selection_.filter, options_.budget, executor_);
  if (!largest || *largest > 1) return;
  largest_weight_ = static_cast<double>(*largest);
  bar_on_ = true;
  StartBar();
}

// Counts what was met so far, from the bar up.
void LayeredSearch::StartBar() {
  auto counts = [&](const Label& label) {
    return !label.dominated && Listed(label) && label.value >= bar_.value();
  };
  double least = largest_seed_;
  for (const Label& label : labels_)
    if (counts(label)) least = std::min(least, label.value);
  bar_.Start(options_.top, least, largest_seed_);
  for (const Label& label : labels_)
    if (counts(label)) bar_.Add(label.value);
  bar_.Started();
}

// Labels become nodes with a score; below the bar nothing is among the best.
void LayeredSearch::Fold() {
  std::vector<ScoredLabel>& scored = scratch_->scored;
  scored.clear();
  if (options_.aggregate == Aggregate::kMax || options_.aggregate == Aggregate::kMin) {
    for (std::uint32_t i = 0; i < labels_.size(); ++i) {
      const Label& label = labels_[i];
      if (!label.dominated && label.value >= bar_.value() && Listed(label))
        scored.push_back({label.value, label.node, i});
    }
    return;
  }
  NodeMap places(selection_.snapshot->node_count());
  for (std::uint32_t i = 0; i < labels_.size(); ++i) {
    const Label& label = labels_[i];
    if (!Listed(label)) continue;
    std::uint32_t& place = places.at(label.node);
    if (place == NodeMap::kAbsent) {
      place = static_cast<std::uint32_t>(scored.size());
      scored.push_back({label.value, label.node, i});
      continue;
    }
    ScoredLabel& r = scored[place];
    if (label.best > labels_[r.label].best) r.label = i;
    r.value = options_.aggregate == Aggregate::kSum
                  ? std::min(r.value + label.value, std::numeric_limits<double>::max())
                  : r.value + label.value * (1.0 - r.value);
  }
}

std::span<const ScoredLabel> LayeredSearch::Best() {
  Fold();
  BucketOrder(scratch_->scored, options_.top, scratch_->spare);
  return scratch_->scored;
}

}  // namespace plexus::traversal_internal
