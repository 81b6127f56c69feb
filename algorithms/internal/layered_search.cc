// Push and pull of one layer, for the four aggregates.
#include "algorithms/internal/layered_search.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "algorithms/internal/row_prefetch.h"

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

// A walk, or bundle of walks, extended by one arc.
struct Offer {
  double value;
  double best;
  std::uint32_t parent;  // label it extends
  NodeId parent_node;
};

template <Aggregate A>
Offer Extend(const Label& from, std::uint32_t index, float weight, double decay) {
  Offer offer;
  offer.value = std::min(from.value * decay * static_cast<double>(weight), kMost);
  offer.best = kDominates<A> ? offer.value
                             : std::min(from.best * decay * static_cast<double>(weight), kMost);
  if (A == Aggregate::kNoisyOr) offer.value = std::min(1.0, offer.value);
  offer.parent = index;
  offer.parent_node = from.node;
  return offer;
}

void Write(Label& label, const Offer& offer, NodeId node, const Arc& arc, bool pulled) {
  label.value = offer.value;
  label.best = offer.best;
  label.node = node;
  label.parent = offer.parent;
  label.position = arc.ref.position;
  label.weight = arc.weight;
  label.kind = arc.kind;
  label.run = static_cast<std::uint16_t>(arc.ref.run);
  label.direction = arc.ref.direction;
  label.pulled = pulled;
}

// The offer joins a label of its own layer. Ties of the proof go to the parent with
// the smaller node, then to the first arc.
template <Aggregate A>
void Merge(Label& label, Offer offer, NodeId label_parent, const Arc& arc, bool pulled) {
  const bool replaces = kDominates<A>
                            ? Better<A>(offer.value, label.value) ||
                                  (offer.value == label.value && offer.parent_node < label_parent)
                            : offer.best > label.best ||
                                  (offer.best == label.best && offer.parent_node < label_parent);
  if (A == Aggregate::kSum) offer.value = std::min(label.value + offer.value, kMost);
  if (A == Aggregate::kNoisyOr) offer.value = label.value + offer.value * (1.0 - label.value);
  if (replaces)
    Write(label, offer, label.node, arc, pulled);
  else if (!kDominates<A>)
    label.value = offer.value;
}

// One search's memory is kept per thread, unless it grew large: a small query then
// allocates nothing.
constexpr std::size_t kKeptBytes = 1 << 20;
thread_local std::unique_ptr<LayeredSearch::Scratch> kept_scratch;

std::unique_ptr<LayeredSearch::Scratch> TakeScratch() {
  return kept_scratch ? std::move(kept_scratch) : std::make_unique<LayeredSearch::Scratch>();
}

void GiveBack(std::unique_ptr<LayeredSearch::Scratch> scratch) {
  if (scratch->labels.capacity() * sizeof(Label) + scratch->newest.size_bytes() <= kKeptBytes)
    kept_scratch = std::move(scratch);
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
      scratch_(TakeScratch()),
      labels_(scratch_->labels),
      newest_(scratch_->newest) {
  labels_.clear();
  newest_.Reset(selection.snapshot->node_count());
}

LayeredSearch::~LayeredSearch() { GiveBack(std::move(scratch_)); }

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
  const RowPrefetch prefetch(snapshot, options_.direction);
  auto node_at = [&](std::size_t j) { return labels_[j].node; };
  prefetch.Start(begin, end, node_at);
  bool go_on = true;
  for (std::uint32_t i = begin; i < end && go_on; ++i) {
    prefetch.Ahead(i, end, node_at);
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
      const Offer offer = Extend<A>(from, i, arc.weight, options_.decay);
      if (at != NodeMap::kAbsent) {
        Label& old = labels_[at];
        if (at >= end) {
          Merge<A>(old, offer, labels_[old.parent].node, arc, false);
          return true;
        }
        if (kDominates<A>) {
          if (!Better<A>(offer.value, old.value)) return true;
          if (labels_.size() < max_labels_) old.dominated = true;
        }
      }
      if (labels_.size() >= max_labels_) return go_on = false;
      at = static_cast<std::uint32_t>(labels_.size());
      Write(labels_.emplace_back(), offer, arc.neighbor, arc, false);
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
        const Offer offer = Extend<A>(labels_[from], from, arc.weight, options_.decay);
        if (label.node == kNoNode)
          Write(label, offer, v, arc, true);
        else
          Merge<A>(label, offer, labels_[label.parent].node, arc, true);
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
      std::uint32_t& at = newest_.at(label.node);
      if (kDominates<A> && at != NodeMap::kAbsent) labels_[at].dominated = true;
      at = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(label);
    }
  }
  return !stop;
}

}  // namespace plexus::internal
