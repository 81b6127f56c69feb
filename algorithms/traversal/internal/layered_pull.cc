// Pull: every node looks back along its rows for members of the layer, in parallel.
//
// Under sum and noisy-or the arcs of a row are taken in the order in which a push visits them,
// rising id of the neighbor and then as in its own rows: sorted where the row mixes kinds.
#include <algorithm>
#include <atomic>
#include <vector>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/traversal/internal/label_relaxation.h"
#include "algorithms/traversal/internal/layered_search.h"

namespace plexus::traversal::internal {

namespace {

constexpr std::size_t kPullGrain = 2048;
constexpr NodeId kMinPullNodes = 2048;    // below, a layer is always pushed
constexpr std::uint64_t kPullShare = 16;  // pull when a layer holds over 1/16 of the nodes

// An arc of a row looked back along, to be added in the order of a push.
struct Backward {
  Arc arc;
  std::uint32_t from, place;  // the label it comes from; where it stood in the row
};

}  // namespace

// Pulling looks at the whole layer or not at all, so the budget must hold for it.
bool LayeredSearch::PullFits(std::uint32_t begin, std::uint32_t end) const {
  const Snapshot& snapshot = *selection_.snapshot;
  const NodeId n = snapshot.node_count();
  if (n < kMinPullNodes || (end - begin) * kPullShare <= n) return false;
  if (threshold_on_) {
    std::uint64_t live = 0;
    for (std::uint32_t i = begin; i < end; ++i) live += Reaches(labels_[i].value);
    if (live * kPullShare <= n) return false;
  }
  if (labels_.size() + std::uint64_t{n} > max_labels_) return false;
  if (options_.run.budget.edges == Budget::kUnlimited) return true;
  std::uint64_t arcs = edges_;
  for (std::uint32_t i = begin; i < end && arcs <= options_.run.budget.edges; ++i)
    arcs += snapshot.Degree(options_.direction, labels_[i].node, selection_.filter);
  return arcs <= options_.run.budget.edges;
}

template <Aggregate A>
bool LayeredSearch::Pull(std::uint32_t begin, std::uint32_t end, int hop) {
  const Snapshot& snapshot = *selection_.snapshot;
  const NodeId n = snapshot.node_count();
  std::vector<std::uint32_t> layer(
      n, common_internal::NodeMap::kAbsent);  // node -> label of this layer
  for (std::uint32_t i = begin; i < end; ++i)
    if (!threshold_on_ || Reaches(labels_[i].value)) layer[labels_[i].node] = i;
  newest_.MakeDense();

  struct Block {
    std::vector<Label> labels;
    std::uint64_t edges = 0, scanned = 0;
    std::vector<Backward> row;  // scratch
  };
  std::vector<Block> found((n + kPullGrain - 1) / kPullGrain);
  std::atomic<bool> stop = false;
  const Direction back = Opposite(options_.direction);
  const bool both = back == Direction::kBoth;
  const bool sorted =
      !kDominates<A> && !common_internal::OneSortedRow(selection_, options_.direction);
  const Schema& schema = snapshot.schema();
  ParallelFor(executor_, n, kPullGrain, [&](std::size_t first, std::size_t past) {
    if (stop.load(std::memory_order_relaxed) || options_.run.budget.Interrupted()) {
      stop = true;
      return;
    }
    Block& mine = found[first / kPullGrain];
    for (auto v = static_cast<NodeId>(first); v < past; ++v) {
      const std::uint32_t old = newest_.get(v);
      if (old == kExcluded || (old == common_internal::NodeMap::kAbsent && !selection_.contains(v)))
        continue;
      Label label;
      Arc proof{};
      auto take = [&](const Arc& arc, std::uint32_t from) {
        const Label& walk = labels_[from];
        const double weight = static_cast<double>(arc.weight);
        const double value = std::min(walk.value * options_.decay * weight, kMaxValue);
        if (A == Aggregate::kMax && value < threshold_.value()) return;
        const Relaxation relaxation = Extend<A>(walk, from, value, weight, options_.decay);
        if (label.node == kNoNode) {
          WriteLabel(label, relaxation, v, arc, true, hop);
          proof = arc;
          return;
        }
        const bool before =
            kDominates<A> && both && from == label.parent && PushedBefore(schema, v, arc, proof);
        if (MergeLabel<A>(label, relaxation, labels_[label.parent].node, arc, true, before))
          proof = arc;
      };
      mine.row.clear();
      const bool whole = common_internal::ForEachArcInterruptible(
          snapshot, back, v, selection_.filter,
          [&] { return ++mine.scanned % kCheckEvery != 0 || !options_.run.budget.Interrupted(); },
          [&](const Arc& arc) {
            const std::uint32_t from = layer[arc.neighbor];
            if (from == common_internal::NodeMap::kAbsent) return true;
            ++mine.edges;
            if (sorted)
              mine.row.push_back({arc, from, static_cast<std::uint32_t>(mine.row.size())});
            else
              take(arc, from);
            return true;
          });
      if (!whole) {
        stop = true;
        return;
      }
      if (mine.row.size() > 1) {
        std::sort(mine.row.begin(), mine.row.end(), [&](const Backward& a, const Backward& b) {
          if (a.arc.neighbor != b.arc.neighbor) return a.arc.neighbor < b.arc.neighbor;
          auto before = [&](const Arc& x, const Arc& y) {
            return both ? PushedBefore(schema, v, x, y) : x.kind < y.kind;
          };
          if (before(a.arc, b.arc)) return true;
          return !before(b.arc, a.arc) && a.place < b.place;
        });
      }
      for (const Backward& b : mine.row) take(b.arc, b.from);
      if (label.node == kNoNode) continue;
      if (kDominates<A> && old != common_internal::NodeMap::kAbsent &&
          !IsBetter<A>(label.value, labels_[old].value))
        continue;
      label.of_seed = old != common_internal::NodeMap::kAbsent && labels_[old].of_seed;
      mine.labels.push_back(label);
    }
  });
  for (const Block& block : found) {
    edges_ += block.edges;
    for (const Label& label : block.labels) {
      std::uint32_t& at = newest_.at(label.node);
      if (kDominates<A> && at != common_internal::NodeMap::kAbsent) {
        if (threshold_on_) Uncount(labels_[at], labels_[at].value);
        labels_[at].dominated = true;
      }
      at = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(label);
      if (threshold_on_) Count(label);
    }
  }
  return !stop;
}

template bool LayeredSearch::Pull<Aggregate::kMax>(std::uint32_t, std::uint32_t, int);
template bool LayeredSearch::Pull<Aggregate::kMin>(std::uint32_t, std::uint32_t, int);
template bool LayeredSearch::Pull<Aggregate::kSum>(std::uint32_t, std::uint32_t, int);
template bool LayeredSearch::Pull<Aggregate::kNoisyOr>(std::uint32_t, std::uint32_t, int);

}  // namespace plexus::traversal::internal
