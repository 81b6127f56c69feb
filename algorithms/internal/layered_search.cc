// Push and pull of one layer, for the four aggregates.
#include "algorithms/internal/layered_search.h"

#include <algorithm>
#include <atomic>
#include <limits>

namespace plexus::internal {

namespace {

constexpr std::uint32_t kExcluded = NodeMap::kAbsent - 1;  // looked at, not selected
constexpr std::uint32_t kMostLabels = NodeMap::kAbsent - 16;
constexpr std::size_t kPullGrain = 2048;
constexpr NodeId kPullLeastNodes = 2048;  // below, a layer is always pushed
constexpr std::uint64_t kPullShare = 16;  // pull when a layer holds over 1/16 of the nodes

// Huge weights saturate here instead of reaching infinity (and 0 * inf).
constexpr double kMost = std::numeric_limits<double>::max();

// Better by value (max: larger, min: smaller).
template <Aggregate A>
bool Better(double a, double b) {
  return A == Aggregate::kMin ? a < b : a > b;
}
// Under max and min a later label must beat the node's earlier ones.
template <Aggregate A>
constexpr bool kDominates = A == Aggregate::kMax || A == Aggregate::kMin;

// One more walk, or bundle of walks, arriving at a label of the same layer.
// Ties of the proof go to the parent with the smaller node, then to the first arc.
template <Aggregate A>
void Merge(Label& label, const Label& offer, NodeId offer_parent, NodeId label_parent) {
  const bool replaces =
      kDominates<A>
          ? Better<A>(offer.value, label.value) ||
                (offer.value == label.value && offer_parent < label_parent)
          : offer.best > label.best || (offer.best == label.best && offer_parent < label_parent);
  double value = offer.value;
  if (A == Aggregate::kSum) value = std::min(label.value + offer.value, kMost);
  if (A == Aggregate::kNoisyOr) value = label.value + offer.value * (1.0 - label.value);
  if (replaces) {
    label = offer;
    label.value = value;
  } else if (!kDominates<A>) {
    label.value = value;
  }
}

template <Aggregate A>
Label Step(const Label& from, std::uint32_t from_index, NodeId to, const Arc& arc, double decay,
           bool pulled) {
  Label label;
  label.value = std::min(from.value * decay * static_cast<double>(arc.weight), kMost);
  label.best = std::min(from.best * decay * static_cast<double>(arc.weight), kMost);
  if (A == Aggregate::kNoisyOr) label.value = std::min(1.0, label.value);
  label.node = to;
  label.parent = from_index;
  label.position = arc.ref.position;
  label.weight = arc.weight;
  label.kind = arc.kind;
  label.run = static_cast<std::uint16_t>(arc.ref.run);
  label.direction = arc.ref.direction;
  label.pulled = pulled;
  return label;
}

Direction Reverse(Direction direction) {
  return direction == Direction::kOut  ? Direction::kIn
         : direction == Direction::kIn ? Direction::kOut
                                       : Direction::kBoth;
}

}  // namespace

LayeredSearch::LayeredSearch(const Selection& selection, const TraverseOptions& options,
                             Executor& executor)
    : selection_(selection),
      options_(options),
      executor_(executor),
      max_labels_(
          static_cast<std::uint32_t>(std::min<std::uint64_t>(options.budget.nodes, kMostLabels))),
      newest_(selection.snapshot->node_count()) {}

void LayeredSearch::Run(std::span<const TraverseSeed> seeds) {
  for (const TraverseSeed& seed : seeds) {
    if (labels_.size() >= max_labels_) {
      truncated_ = true;
      return;
    }
    newest_.at(seed.node) = static_cast<std::uint32_t>(labels_.size());
    Label label;
    label.value = label.best = seed.weight;
    label.node = seed.node;
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
    if (options_.budget.Interrupted()) {
      truncated_ = true;
      return;
    }
    const bool go_on = PullFits(begin, end) ? Pull<A>(begin, end) : Push<A>(begin, end);
    if (!go_on) {
      truncated_ = true;
      return;
    }
    begin = end;
  }
}

// False when the budget ran out.
template <Aggregate A>
bool LayeredSearch::Push(std::uint32_t begin, std::uint32_t end) {
  const Snapshot& snapshot = *selection_.snapshot;
  const std::uint64_t most_edges = options_.budget.edges;
  bool go_on = true;
  for (std::uint32_t i = begin; i < end && go_on; ++i) {
    const Label from = labels_[i];  // a copy: labels_ grows below
    snapshot.ForEachArc(options_.direction, from.node, selection_.filter, [&](const Arc& arc) {
      if (edges_ >= most_edges || ((edges_ & 4095) == 4095 && options_.budget.Interrupted()))
        return go_on = false;
      ++edges_;
      std::uint32_t& at = newest_.at(arc.neighbor);
      if (at == kExcluded) return true;
      if (at == NodeMap::kAbsent && !selection_.contains(arc.neighbor)) {
        at = kExcluded;
        return true;
      }
      const Label offer = Step<A>(from, i, arc.neighbor, arc, options_.decay, false);
      if (at != NodeMap::kAbsent && at >= end) {
        Label& label = labels_[at];
        Merge<A>(label, offer, from.node, labels_[label.parent].node);
        return true;
      }
      if (kDominates<A> && at != NodeMap::kAbsent && !Better<A>(offer.value, labels_[at].value))
        return true;
      if (labels_.size() >= max_labels_) return go_on = false;
      at = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(offer);
      return true;
    });
  }
  return go_on;
}

// Pulling looks at the whole layer or not at all, so the budget must hold for it.
bool LayeredSearch::PullFits(std::uint32_t begin, std::uint32_t end) const {
  const Snapshot& snapshot = *selection_.snapshot;
  const NodeId n = snapshot.node_count();
  if (n < kPullLeastNodes || (end - begin) * kPullShare <= n) return false;
  if (labels_.size() + std::uint64_t{n} > max_labels_) return false;
  if (options_.budget.edges == Budget::kUnlimited) return true;
  std::uint64_t arcs = edges_;
  for (std::uint32_t i = begin; i < end && arcs <= options_.budget.edges; ++i)
    arcs += snapshot.Degree(options_.direction, labels_[i].node, selection_.filter);
  return arcs <= options_.budget.edges;
}

template <Aggregate A>
bool LayeredSearch::Pull(std::uint32_t begin, std::uint32_t end) {
  const Snapshot& snapshot = *selection_.snapshot;
  const NodeId n = snapshot.node_count();
  std::vector<std::uint32_t> layer(n, NodeMap::kAbsent);  // node -> label of this layer
  for (std::uint32_t i = begin; i < end; ++i) layer[labels_[i].node] = i;
  newest_.MakeDense();

  struct Found {
    std::vector<Label> labels;
    std::uint64_t edges = 0;
  };
  std::vector<Found> found((n + kPullGrain - 1) / kPullGrain);
  std::atomic<bool> stop = false;
  const Direction back = Reverse(options_.direction);
  ParallelFor(executor_, n, kPullGrain, [&](std::size_t first, std::size_t past) {
    if (stop.load(std::memory_order_relaxed) || options_.budget.Interrupted()) {
      stop = true;
      return;
    }
    Found& mine = found[first / kPullGrain];
    for (auto v = static_cast<NodeId>(first); v < past; ++v) {
      const std::uint32_t old = newest_.get(v);
      if (old == kExcluded || (old == NodeMap::kAbsent && !selection_.contains(v))) continue;
      Label label;
      snapshot.ForEachArc(back, v, selection_.filter, [&](const Arc& arc) {
        const std::uint32_t from = layer[arc.neighbor];
        if (from == NodeMap::kAbsent) return;
        ++mine.edges;
        const Label offer = Step<A>(labels_[from], from, v, arc, options_.decay, true);
        if (label.node == kNoNode)
          label = offer;
        else
          Merge<A>(label, offer, arc.neighbor, labels_[label.parent].node);
      });
      if (label.node == kNoNode) continue;
      if (kDominates<A> && old != NodeMap::kAbsent && !Better<A>(label.value, labels_[old].value))
        continue;
      mine.labels.push_back(label);
    }
  });
  for (const Found& block : found) {
    edges_ += block.edges;
    for (const Label& label : block.labels) {
      newest_.at(label.node) = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(label);
    }
  }
  return !stop;
}

}  // namespace plexus::internal
