// What labels come to: the threshold under max, and at the end nodes with a score, best first.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "algorithms/traversal/internal/layered_search.h"
#include "algorithms/traversal/internal/max_weight.h"

namespace plexus::traversal::internal {

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
    r.value = options_.aggregate == Aggregate::kSum
                  ? std::min(r.value + label.value, std::numeric_limits<double>::max())
                  : r.value + label.value * (1.0 - r.value);
  }
}

std::span<const ScoredLabel> LayeredSearch::Best() {
  CollectScores();
  BucketSortTopK(scratch_->scored, options_.top, scratch_->spare);
  return scratch_->scored;
}

}  // namespace plexus::traversal::internal
