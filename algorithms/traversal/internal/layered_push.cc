// Push: the rows of a layer's labels followed in order, serially, with the next rows prefetched.
//
// Labels are expanded in the order they are made, so the next layer's rows are prefetched while
// this one is expanded: a node's descriptor (or offset) as soon as it has a label, its row and the
// descriptor of its first neighbor when some more labels were made and the descriptor has come.
// Between two layers nothing waits for memory twice.
#include <algorithm>
#include <span>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/traversal/internal/label_relaxation.h"
#include "algorithms/traversal/internal/layered_search.h"

namespace plexus::traversal::internal {

namespace {

constexpr std::uint64_t kArcsBeforeThreshold = 256;  // fewer are followed without a threshold
constexpr std::size_t kRowsAhead = 48;               // labels whose rows are prefetched
constexpr std::size_t kPrefetchLead =
    8;  // a label's descriptor has arrived when so many labels came after it

}  // namespace

// Polls the budget now and then.
bool LayeredSearch::Interrupted() {
  if (scanned_ < next_check_) return false;
  next_check_ = scanned_ + kCheckEvery;
  return options_.run.budget.Interrupted();
}

// One arc of a label's row; `end` is where the layer being made begins.
template <Aggregate A>
[[gnu::always_inline]] inline LayeredSearch::Found LayeredSearch::RelaxArc(
    const Label& from, std::uint32_t index, double value, std::uint32_t end, const Arc& arc) {
  std::uint32_t& at = newest_.at(arc.neighbor);
  if (at == kExcluded) return Found::kNothing;
  bool of_seed = false;
  if (at == common_internal::NodeMap::kAbsent) {
    if (!selection_.contains(arc.neighbor)) {
      at = kExcluded;
      return Found::kNothing;
    }
    if (labels_.size() >= max_labels_) return Found::kFull;
  } else {
    Label& old = labels_[at];
    if (at >= end) {
      const double before = old.value;
      MergeLabel<A>(old,
                    Extend<A>(from, index, value, static_cast<double>(arc.weight), options_.decay),
                    labels_[old.parent].node, arc, false);
      if (A == Aggregate::kMax && threshold_on_ && old.value > before) {
        Uncount(old, before);
        Count(old);
      }
      return Found::kNothing;
    }
    if (kDominates<A> && !IsBetter<A>(value, old.value)) return Found::kNothing;
    if (labels_.size() >= max_labels_) return Found::kFull;
    old.dominated = kDominates<A>;
    of_seed = old.of_seed;
    if (A == Aggregate::kMax && threshold_on_) Uncount(old, old.value);
  }
  at = static_cast<std::uint32_t>(labels_.size());
  const Relaxation relaxation =
      Extend<A>(from, index, value, static_cast<double>(arc.weight), options_.decay);
  Label& made = labels_.emplace_back();
  WriteLabel(made, relaxation, arc.neighbor, arc, false, from.hop + 1);
  made.of_seed = of_seed;
  if (A == Aggregate::kMax && threshold_on_) Count(made);
  return Found::kLabel;
}

// Prefetches the rest of a label's row, its descriptor having come, and the descriptor of its first
// neighbor.
void LayeredSearch::PrefetchRow(const Label& label) const {
  if (threshold_on_ && !Reaches(label.value)) return;
  if (!descriptors_ || label.node >= rows_.nodes) return prefetch_.Arcs(label.node);
  const RowDescriptor& descriptor = descriptors_[label.node];
  if (descriptor.degree == 0) return;
  if (label.hop + 1 < options_.hops && descriptor.first < rows_.nodes)
    __builtin_prefetch(&descriptors_[descriptor.first]);
  if (!all_kinds_) __builtin_prefetch(&rows_.low[descriptor.begin]);
  if (descriptor.degree == 1) return;
  const std::uint32_t last = descriptor.begin + std::min(descriptor.degree - 1, 16u);
  __builtin_prefetch(&rows_.neighbors[descriptor.begin + 1]);
  __builtin_prefetch(rows_.weights.at(descriptor.begin + 1));
  __builtin_prefetch(&rows_.neighbors[last]);
  __builtin_prefetch(rows_.weights.at(last));
}

// A whole row of the base; of a long one what may be of the kinds. False when no more labels may be
// made, or time is up.
template <Aggregate A, bool kAllKinds>
bool LayeredSearch::PushBaseRow(const RowDescriptor& descriptor, const Label& from,
                                std::uint32_t index, std::uint32_t end, bool last) {
  const std::uint32_t past = descriptor.begin + descriptor.degree;
  const std::span<const ArcFilter::Range> ranges = selection_.filter.ranges();
  if (kAllKinds || ranges.empty() || descriptor.degree <= common_internal::kSearchedRow)
    return PushArcs<A, kAllKinds>(descriptor, descriptor.begin, past, from, index, end, last);
  for (const ArcFilter::Range kinds : ranges) {
    const auto [first, stop] = rows_.Part(descriptor.begin, past, kinds);
    if (!PushArcs<A, kAllKinds>(descriptor, first, stop, from, index, end, last)) return false;
  }
  return true;
}

template <Aggregate A, bool kAllKinds>
bool LayeredSearch::PushArcs(const RowDescriptor& descriptor, std::uint32_t i, std::uint32_t past,
                             const Label& from, std::uint32_t index, std::uint32_t end, bool last) {
  const double scaled = from.value * options_.decay;
  const WeightView weights = rows_.weights;
  base_arcs_ += past - i;
  while (i < past) {
    const std::uint32_t first = i, stop = i + std::min<std::uint32_t>(past - i, kCheckEvery);
    std::uint64_t passed = 0;
    for (; i < stop; ++i) {
      if (!kAllKinds && !selection_.filter.allows(rows_.kind(i))) continue;
      ++passed;
      const float weight = i == descriptor.begin ? descriptor.weight : weights[i];
      const double value = std::min(scaled * static_cast<double>(weight), kMaxValue);
      if (A == Aggregate::kMax && value < threshold_.value()) continue;
      const NodeId node = i == descriptor.begin ? descriptor.first : rows_.neighbors[i];
      const Found found =
          RelaxArc<A>(from, index, value, end, Arc{node, {}, weight, {0, i, rows_.direction}});
      if (found == Found::kNothing) continue;
      if (found == Found::kFull) {
        edges_ += passed;
        return false;
      }
      if (last) continue;
      if (!descriptors_)
        prefetch_.Offsets(node);
      else if (node < rows_.nodes)
        __builtin_prefetch(&descriptors_[node]);
    }
    edges_ += passed;
    scanned_ += stop - first;
    if (i < past && Interrupted()) return false;
  }
  return true;
}

// A row arc by arc, in the base, the delta or both. False as above, or when the arcs are spent.
template <Aggregate A>
bool LayeredSearch::PushMergedRow(const Label& from, std::uint32_t index, std::uint32_t end) {
  const double scaled = from.value * options_.decay;
  return common_internal::ForEachArcInterruptible(
      *selection_.snapshot, options_.direction, from.node, selection_.filter,
      [&] {
        ++scanned_;
        return !Interrupted();
      },
      [&](const Arc& arc) {
        if (edges_ >= options_.run.budget.edges) return false;
        ++edges_;
        const double value = std::min(scaled * static_cast<double>(arc.weight), kMaxValue);
        if (A == Aggregate::kMax && value < threshold_.value()) return true;
        return RelaxArc<A>(from, index, value, end, arc) != Found::kFull;
      });
}

// False when the budget ran out.
template <Aggregate A>
bool LayeredSearch::Push(std::uint32_t begin, std::uint32_t end, int hop) {
  const Snapshot& snapshot = *selection_.snapshot;
  const bool last = hop == options_.hops;
  if (begin == 0)
    for (std::uint32_t i = 0; i < std::min<std::size_t>(end, kRowsAhead); ++i) {
      const NodeId node = labels_[i].node;
      if (descriptors_ && node < rows_.nodes)
        __builtin_prefetch(&descriptors_[node]);
      else
        prefetch_.Offsets(node);
    }
  rows_prefetched_ = std::max<std::size_t>(rows_prefetched_, begin);
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::size_t arrived =
        last || labels_.size() < end + kPrefetchLead ? end : labels_.size() - kPrefetchLead;
    for (const std::size_t past = std::min(i + kRowsAhead, arrived); rows_prefetched_ < past;
         ++rows_prefetched_)
      PrefetchRow(labels_[rows_prefetched_]);
    if (threshold_on_ && !Reaches(labels_[i].value)) continue;
    if (Interrupted()) return false;
    const Label from = labels_[i];  // a copy: labels_ grows below
    if (base_rows_ && snapshot.clean(options_.direction, from.node)) {
      const RowDescriptor descriptor =
          descriptors_ ? descriptors_[from.node] : RowDescriptor::Of(rows_, from.node);
      if (options_.run.budget.edges - edges_ >= descriptor.degree) {
        if (threshold_wanted_ && edges_ + descriptor.degree > kArcsBeforeThreshold) TryThreshold();
        if (!(all_kinds_ ? PushBaseRow<A, true>(descriptor, from, i, end, last)
                         : PushBaseRow<A, false>(descriptor, from, i, end, last)))
          return false;
        continue;
      }
    }
    if (threshold_wanted_ && edges_ > kArcsBeforeThreshold) TryThreshold();
    if (!PushMergedRow<A>(from, i, end)) return false;
  }
  return true;
}

template bool LayeredSearch::Push<Aggregate::kMax>(std::uint32_t, std::uint32_t, int);
template bool LayeredSearch::Push<Aggregate::kMin>(std::uint32_t, std::uint32_t, int);
template bool LayeredSearch::Push<Aggregate::kSum>(std::uint32_t, std::uint32_t, int);
template bool LayeredSearch::Push<Aggregate::kNoisyOr>(std::uint32_t, std::uint32_t, int);

}  // namespace plexus::traversal::internal
