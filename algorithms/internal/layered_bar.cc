// What labels come to: the bar under max, and at the end nodes with a score, best first.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "algorithms/internal/layered_search.h"
#include "algorithms/internal/weight_bound.h"

namespace plexus::internal {

// From now on with a bar, if the weights allow one.
void LayeredSearch::TryBar() {
  bar_wanted_ = false;
  const std::optional<float> largest =
      LargestWeight(*selection_.snapshot, selection_.filter, options_.budget, executor_);
  if (!largest || *largest > 1) return;
  largest_weight_ = static_cast<double>(*largest);
  bar_on_ = true;
  next_raise_ = std::numeric_limits<std::size_t>::max();
  for (std::uint32_t i = 0; i < labels_.size(); ++i)
    if (!labels_[i].dominated) AddCandidate(i);
  next_raise_ = 0;
  if (!candidates_.empty()) RaiseBar();
}

// Labels may have been dominated, or got better, since they became candidates.
void LayeredSearch::RenewCandidates() {
  std::erase_if(candidates_, [&](const ScoredLabel& c) { return labels_[c.label].dominated; });
  for (ScoredLabel& c : candidates_) c.value = labels_[c.label].value;
}

// Keeps the `top` best candidates and those as good as the last of them.
void LayeredSearch::RaiseBar() {
  RenewCandidates();
  if (candidates_.size() >= options_.top) {
    const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(options_.top) - 1;
    std::nth_element(candidates_.begin(), last, candidates_.end(),
                     [](const ScoredLabel& a, const ScoredLabel& b) { return a.value > b.value; });
    bar_ = last->value;
    std::erase_if(candidates_, [&](const ScoredLabel& c) { return c.value < bar_; });
  }
  // Saturating: `top` may be anything.
  const std::size_t kept = candidates_.size();
  next_raise_ = kept + std::max(std::min<std::size_t>(options_.top, std::size_t{1} << 40), kept);
}

// Labels become nodes with a score, in candidates_.
void LayeredSearch::Fold() {
  auto listed = [&](const Label& label) { return !label.of_seed || options_.include_seeds; };
  if (options_.aggregate == Aggregate::kMax || options_.aggregate == Aggregate::kMin) {
    for (std::uint32_t i = 0; i < labels_.size(); ++i) {
      const Label& label = labels_[i];
      if (!label.dominated && listed(label)) candidates_.push_back({label.value, label.node, i});
    }
    return;
  }
  NodeMap places(selection_.snapshot->node_count());
  for (std::uint32_t i = 0; i < labels_.size(); ++i) {
    const Label& label = labels_[i];
    if (!listed(label)) continue;
    std::uint32_t& place = places.at(label.node);
    if (place == NodeMap::kAbsent) {
      place = static_cast<std::uint32_t>(candidates_.size());
      candidates_.push_back({label.value, label.node, i});
      continue;
    }
    ScoredLabel& r = candidates_[place];
    if (label.best > labels_[r.label].best) r.label = i;
    r.value = options_.aggregate == Aggregate::kSum ? std::min(r.value + label.value, std::numeric_limits<double>::max())
                                                    : r.value + label.value * (1.0 - r.value);
  }
}

std::span<const ScoredLabel> LayeredSearch::Best() {
  if (bar_on_)
    RenewCandidates();
  else
    Fold();
  BucketOrder(candidates_, options_.top, scratch_->spare);
  return candidates_;
}

}  // namespace plexus::internal
