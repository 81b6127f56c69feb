// Push and pull of one layer, for the four aggregates. The bar: layered_bar.cc.
#include "algorithms/internal/layered_search.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

namespace plexus::internal {

namespace {

constexpr std::uint32_t kExcluded = NodeMap::kAbsent - 1;  // looked at, not selected
constexpr std::uint32_t kMostLabels = NodeMap::kAbsent - 16;
constexpr std::size_t kPullGrain = 2048;
constexpr NodeId kPullLeastNodes = 2048;  // below, a layer is always pushed
constexpr std::uint64_t kPullShare = 16;  // pull when a layer holds over 1/16 of the nodes

constexpr std::uint64_t kArcsBeforeBar = 256;  // fewer are followed without a bar
constexpr std::uint64_t kCheckEvery = 4096;    // arcs between looks at the clock
constexpr std::size_t kRowsAhead = 48;         // labels whose rows are asked for ahead of their turn
constexpr std::size_t kRipe = 8;               // a label's offset has arrived when so many came after it

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
Offer Extend(const Label& from, std::uint32_t index, double value, double weight, double decay) {
  Offer offer;
  offer.value = value;
  offer.best = kDominates<A> ? value : std::min(from.best * decay * weight, kMost);
  if (A == Aggregate::kNoisyOr) offer.value = std::min(1.0, offer.value);
  offer.parent = index;
  offer.parent_node = from.node;
  return offer;
}

void Write(Label& label, const Offer& offer, NodeId node, const Arc& arc, bool pulled, int hop) {
  label.value = offer.value;
  label.best = offer.best;
  label.node = node;
  label.parent = offer.parent;
  label.position = arc.ref.position;
  label.run = static_cast<std::uint8_t>(arc.ref.run);
  label.hop = static_cast<std::uint8_t>(hop);
  label.direction = arc.ref.direction;
  label.pulled = pulled;
}

// The offer joins a label of its own layer. Ties of the proof go to the parent with
// the smaller node; of one parent, to the arc that comes first in the parent's row
// (`before`: this one does). True when the proof is now this arc.
template <Aggregate A>
bool Merge(Label& label, Offer offer, NodeId label_parent, const Arc& arc, bool pulled, bool before = false) {
  const bool wins_tie = offer.parent_node < label_parent || before;
  const bool replaces = kDominates<A>
                            ? Better<A>(offer.value, label.value) ||
                                  (offer.value == label.value && wins_tie)
                            : offer.best > label.best ||
                                  (offer.best == label.best && wins_tie);
  if (A == Aggregate::kSum) offer.value = std::min(label.value + offer.value, kMost);
  if (A == Aggregate::kNoisyOr) offer.value = label.value + offer.value * (1.0 - label.value);
  if (replaces)
    Write(label, offer, label.node, arc, pulled, label.hop);
  else if (!kDominates<A>)
    label.value = offer.value;
  return replaces;
}

// Of two arcs to one parent, seen from the node pulled to: which comes first in the parent's
// rows, where a push finds it? Its out row has what leads here and symmetric kinds, by kind
// and label; its in row, the rest.
bool PushedBefore(const Schema& schema, const Arc& a, const Arc& b) {
  const bool a_out = a.ref.direction == Direction::kIn || schema.edge_kind(a.kind).symmetric;
  const bool b_out = b.ref.direction == Direction::kIn || schema.edge_kind(b.kind).symmetric;
  return a_out != b_out ? a_out : a.kind < b.kind;
}

// One search's memory is kept per thread, unless it grew large: a small query then
// allocates nothing.
constexpr std::size_t kKeptBytes = 1 << 20;
thread_local std::unique_ptr<LayeredSearch::Scratch> kept_scratch;

std::unique_ptr<LayeredSearch::Scratch> TakeScratch() {
  return kept_scratch ? std::move(kept_scratch) : std::make_unique<LayeredSearch::Scratch>();
}

void GiveBack(std::unique_ptr<LayeredSearch::Scratch> scratch) {
  if (scratch->labels.capacity() * sizeof(Label) + scratch->newest.size_bytes() +
          scratch->candidates.capacity() * sizeof(ScoredLabel) <=
      kKeptBytes)
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
      newest_(scratch_->newest),
      candidates_(scratch_->candidates),
      bar_wanted_(options.aggregate == Aggregate::kMax && options.top != 0) {
  labels_.clear();
  candidates_.clear();
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
    label.of_seed = true;
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
    const bool go_on = PullFits(begin, end) ? Pull<A>(begin, end, hop) : Push<A>(begin, end, hop);
    if (!go_on) {
      truncated_ = true;
      return;
    }
    begin = end;
  }
}

// Looks at the clock now and then.
bool LayeredSearch::Interrupted() {
  if (looked_ < next_check_) return false;
  next_check_ = looked_ + kCheckEvery;
  return options_.budget.Interrupted();
}

// One arc of a label's row; `end` is where the layer being made begins.
template <Aggregate A>
LayeredSearch::Found LayeredSearch::Take(const Label& from, std::uint32_t index, double value,
                                         std::uint32_t end, const Arc& arc) {
  std::uint32_t& at = newest_.at(arc.neighbor);
  if (at == kExcluded) return Found::kNothing;
  bool of_seed = false;
  if (at == NodeMap::kAbsent) {
    if (!selection_.contains(arc.neighbor)) {
      at = kExcluded;
      return Found::kNothing;
    }
    if (labels_.size() >= max_labels_) return Found::kFull;
  } else {
    Label& old = labels_[at];
    if (at >= end) {
      const bool below = old.value < bar_;  // then it is no candidate any more
      Merge<A>(old, Extend<A>(from, index, value, static_cast<double>(arc.weight), options_.decay),
               labels_[old.parent].node, arc, false);
      if (A == Aggregate::kMax && below) AddCandidate(at);
      return Found::kNothing;
    }
    if (kDominates<A> && !Better<A>(value, old.value)) return Found::kNothing;
    if (labels_.size() >= max_labels_) return Found::kFull;
    old.dominated = kDominates<A>;
    of_seed = old.of_seed;
  }
  at = static_cast<std::uint32_t>(labels_.size());
  const Offer offer = Extend<A>(from, index, value, static_cast<double>(arc.weight), options_.decay);
  Label& made = labels_.emplace_back();
  Write(made, offer, arc.neighbor, arc, false, from.hop + 1);
  made.of_seed = of_seed;
  if (A == Aggregate::kMax && bar_on_) AddCandidate(static_cast<std::uint32_t>(labels_.size()) - 1);
  return Found::kLabel;
}

// A whole row of the base. False when no more labels may be made, or time is up.
template <Aggregate A, bool kAllKinds>
bool LayeredSearch::PushBaseRow(const BaseRows& rows, const RowPrefetch* prefetch, std::uint32_t index,
                                std::uint32_t end) {
  const Label from = labels_[index];  // a copy: labels_ grows below
  const double scaled = from.value * options_.decay;
  const std::uint32_t past = rows.offsets[from.node + 1];
  for (std::uint32_t i = rows.offsets[from.node]; i < past;) {
    const std::uint32_t first = i, stop = i + std::min<std::uint32_t>(past - i, kCheckEvery);
    std::uint64_t passed = 0;
    for (; i < stop; ++i) {
      if (!kAllKinds && !selection_.filter.allows(rows.kind(i))) continue;
      ++passed;
      const float weight = rows.weights[i];
      const double value = std::min(scaled * static_cast<double>(weight), kMost);
      if (A == Aggregate::kMax && value < bar_) continue;
      const NodeId node = rows.neighbors[i];
      const Found found = Take<A>(from, index, value, end, Arc{node, 0, weight, {0, i, rows.direction}});
      if (found == Found::kNothing) continue;
      if (found == Found::kFull) {
        edges_ += passed;
        return false;
      }
      if (prefetch) prefetch->Offsets(node);
    }
    edges_ += passed;
    looked_ += stop - first;
    if (i < past && Interrupted()) return false;
  }
  return true;
}

// False when the budget ran out.
template <Aggregate A>
bool LayeredSearch::Push(std::uint32_t begin, std::uint32_t end, int hop) {
  const Snapshot& snapshot = *selection_.snapshot;
  const std::uint64_t most_edges = options_.budget.edges;
  const bool all_kinds = selection_.filter.all_kinds();
  const RowPrefetch prefetch(snapshot, options_.direction, !all_kinds);
  const BaseRows rows(snapshot.base(), options_.direction);
  const bool base_rows = options_.direction != Direction::kBoth && !selection_.filter.checks_time();
  const bool last = hop == options_.hops;
  if (begin == 0)
    for (std::uint32_t i = 0; i < std::min<std::size_t>(end, kRowsAhead); ++i) prefetch.Offsets(labels_[i].node);
  // Labels are expanded in the order they are made, so the next layer's rows are asked for
  // while this one is expanded: between two layers nothing waits for memory twice.
  rows_asked_ = std::max<std::size_t>(rows_asked_, begin);
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::size_t ripe = last || labels_.size() < end + kRipe ? end : labels_.size() - kRipe;
    for (const std::size_t past = std::min(i + kRowsAhead, ripe); rows_asked_ < past; ++rows_asked_)
      if (!bar_on_ || Reaches(labels_[rows_asked_].value)) prefetch.Arcs(labels_[rows_asked_].node);
    const NodeId node = labels_[i].node;
    if (bar_on_ && !Reaches(labels_[i].value)) continue;
    if (Interrupted()) return false;
    if (base_rows && snapshot.clean(options_.direction, node)) {
      const std::uint32_t degree = rows.offsets[node + 1] - rows.offsets[node];
      if (most_edges - edges_ >= degree) {
        if (bar_wanted_ && edges_ + degree > kArcsBeforeBar) TryBar();
        if (!(all_kinds ? PushBaseRow<A, true>(rows, last ? nullptr : &prefetch, i, end)
                        : PushBaseRow<A, false>(rows, last ? nullptr : &prefetch, i, end)))
          return false;
        continue;
      }
    }
    if (bar_wanted_ && edges_ > kArcsBeforeBar) TryBar();
    const Label from = labels_[i];
    const double scaled = from.value * options_.decay;
    bool go_on = true;
    looked_ += BaseArcs(snapshot, options_.direction, node);  // those that the filter hides are not seen below
    snapshot.ForEachArc(options_.direction, node, selection_.filter, [&](const Arc& arc) {
      if (edges_ >= most_edges || Interrupted()) return go_on = false;
      ++edges_, ++looked_;
      const double value = std::min(scaled * static_cast<double>(arc.weight), kMost);
      if (A == Aggregate::kMax && value < bar_) return true;
      const Found found = Take<A>(from, i, value, end, arc);
      return go_on = found != Found::kFull;
    });
    if (!go_on) return false;
  }
  return true;
}

// Pulling looks at the whole layer or not at all, so the budget must hold for it.
bool LayeredSearch::PullFits(std::uint32_t begin, std::uint32_t end) const {
  const Snapshot& snapshot = *selection_.snapshot;
  const NodeId n = snapshot.node_count();
  if (n < kPullLeastNodes || (end - begin) * kPullShare <= n) return false;
  if (bar_on_) {
    std::uint64_t live = 0;
    for (std::uint32_t i = begin; i < end; ++i) live += Reaches(labels_[i].value);
    if (live * kPullShare <= n) return false;
  }
  if (labels_.size() + std::uint64_t{n} > max_labels_) return false;
  if (options_.budget.edges == Budget::kUnlimited) return true;
  std::uint64_t arcs = edges_;
  for (std::uint32_t i = begin; i < end && arcs <= options_.budget.edges; ++i)
    arcs += snapshot.Degree(options_.direction, labels_[i].node, selection_.filter);
  return arcs <= options_.budget.edges;
}

template <Aggregate A>
bool LayeredSearch::Pull(std::uint32_t begin, std::uint32_t end, int hop) {
  const Snapshot& snapshot = *selection_.snapshot;
  const NodeId n = snapshot.node_count();
  std::vector<std::uint32_t> layer(n, NodeMap::kAbsent);  // node -> label of this layer
  for (std::uint32_t i = begin; i < end; ++i)
    if (!bar_on_ || Reaches(labels_[i].value)) layer[labels_[i].node] = i;
  newest_.MakeDense();

  struct Block {
    std::vector<Label> labels;
    std::uint64_t edges = 0;
  };
  std::vector<Block> found((n + kPullGrain - 1) / kPullGrain);
  std::atomic<bool> stop = false;
  const Direction back = Reverse(options_.direction);
  const bool both = back == Direction::kBoth;
  const Schema& schema = snapshot.schema();
  ParallelFor(executor_, n, kPullGrain, [&](std::size_t first, std::size_t past) {
    if (stop.load(std::memory_order_relaxed) || options_.budget.Interrupted()) {
      stop = true;
      return;
    }
    Block& mine = found[first / kPullGrain];
    for (auto v = static_cast<NodeId>(first); v < past; ++v) {
      const std::uint32_t old = newest_.get(v);
      if (old == kExcluded || (old == NodeMap::kAbsent && !selection_.contains(v))) continue;
      Label label;
      Arc proof{};
      snapshot.ForEachArc(back, v, selection_.filter, [&](const Arc& arc) {
        const std::uint32_t from = layer[arc.neighbor];
        if (from == NodeMap::kAbsent) return;
        ++mine.edges;
        const Label& walk = labels_[from];
        const double weight = static_cast<double>(arc.weight);
        const double value = std::min(walk.value * options_.decay * weight, kMost);
        if (A == Aggregate::kMax && value < bar_) return;
        const Offer offer = Extend<A>(walk, from, value, weight, options_.decay);
        if (label.node == kNoNode) {
          Write(label, offer, v, arc, true, hop);
          proof = arc;
          return;
        }
        const bool before = both && from == label.parent && PushedBefore(schema, arc, proof);
        if (Merge<A>(label, offer, labels_[label.parent].node, arc, true, before)) proof = arc;
      });
      if (label.node == kNoNode) continue;
      if (kDominates<A> && old != NodeMap::kAbsent && !Better<A>(label.value, labels_[old].value))
        continue;
      label.of_seed = old != NodeMap::kAbsent && labels_[old].of_seed;
      mine.labels.push_back(label);
    }
  });
  for (const Block& block : found) {
    edges_ += block.edges;
    for (const Label& label : block.labels) {
      std::uint32_t& at = newest_.at(label.node);
      if (kDominates<A> && at != NodeMap::kAbsent) labels_[at].dominated = true;
      at = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(label);
      if (bar_on_) AddCandidate(at);
    }
  }
  return !stop;
}

}  // namespace plexus::internal
