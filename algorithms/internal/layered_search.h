// LayeredSearch: the layers of labels behind Traverse().
//
// Labels lie in one growing array, layer after layer; a label knows the label it
// came from and the arc taken, so the array is also the proof. A map from node to
// its newest label serves both to merge inside a layer and, under max and min, to
// drop labels that an earlier layer dominates.
//
// A small layer is pushed: its labels' rows are followed in order, serially. A big
// one is pulled: every node looks back along its row for members of the layer, in
// parallel blocks of node ids. Which of the two depends on the number of labels (with a bar:
// of those that reach it), of nodes and on the budget, never on threads. Both leave the same
// labels under max and min, proofs included: ties go to the same parent and arc. Under sum
// and noisy-or they add in another order, so values agree to rounding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/internal/bucket_order.h"
#include "algorithms/internal/node_map.h"
#include "algorithms/internal/row_prefetch.h"
#include "algorithms/internal/selection.h"
#include "algorithms/traverse.h"

namespace plexus::internal {

struct Label {
  static constexpr std::uint32_t kSeed = 0xFFFFFFFFu;
  double value = 0;  // aggregate over the walks of this many hops
  double best = 0;   // largest single walk (max, min: == value)
  NodeId node = kNoNode;
  std::uint32_t parent = kSeed;  // label of the best (min: smallest) walk's prefix
  // The arc taken, as seen from `node` when pulled, else from the parent's node.
  std::uint32_t position = 0;
  std::uint8_t run = 0;
  std::uint8_t hop = 0;
  Direction direction = Direction::kOut;
  bool pulled : 1 = false;
  bool dominated : 1 = false;  // max, min: a later label of the node is better
  bool of_seed : 1 = false;    // the node is one of the seeds
};
static_assert(sizeof(Label) == 32 && kMaxRuns < 255 && kMaxHops < 255);

class LayeredSearch {
 public:
  struct Scratch {
    std::vector<Label> labels;
    NodeMap newest;  // node -> index of its newest label
    std::vector<ScoredLabel> candidates, spare;
  };

  LayeredSearch(const Selection& selection, const TraverseOptions& options, Executor& executor);
  ~LayeredSearch();
  LayeredSearch(const LayeredSearch&) = delete;
  LayeredSearch& operator=(const LayeredSearch&) = delete;

  // REQUIRES checked seeds, ascending, each node once.
  void Run(std::span<const TraverseSeed> seeds);

  const std::vector<Label>& labels() const { return labels_; }
  // Best first, each node once with the label whose walk is its proof. Call once.
  std::span<const ScoredLabel> Best();
  bool truncated() const { return truncated_; }
  std::uint64_t edges() const { return edges_; }

 private:
  enum class Found { kNothing, kLabel, kFull };

  template <Aggregate A>
  void RunLayers();
  template <Aggregate A>
  bool Push(std::uint32_t begin, std::uint32_t end, int hop);
  template <Aggregate A, bool kAllKinds>
  bool PushBaseRow(const BaseRows& rows, const RowPrefetch* prefetch, std::uint32_t from,
                   std::uint32_t end);
  template <Aggregate A>
  Found Take(const Label& from, std::uint32_t index, double value, std::uint32_t end, const Arc& arc);
  template <Aggregate A>
  bool Pull(std::uint32_t begin, std::uint32_t end, int hop);
  bool PullFits(std::uint32_t begin, std::uint32_t end) const;

  bool Interrupted();
  void TryBar();
  void AddCandidate(std::uint32_t label) {
    if (labels_[label].of_seed && !options_.include_seeds) return;
    candidates_.push_back({labels_[label].value, labels_[label].node, label});
    if (candidates_.size() >= next_raise_) RaiseBar();
  }
  void RaiseBar();
  void RenewCandidates();
  void Fold();
  // The best that an arc can make of a value: more arcs make no more of it.
  bool Reaches(double value) const { return value * options_.decay * largest_weight_ >= bar_; }

  const Selection& selection_;
  const TraverseOptions& options_;
  Executor& executor_;
  std::uint32_t max_labels_;
  std::unique_ptr<Scratch> scratch_;
  std::vector<Label>& labels_;
  NodeMap& newest_;
  std::vector<ScoredLabel>& candidates_;  // with a bar: all that can be listed
  bool bar_wanted_, bar_on_ = false;
  double bar_ = -1, largest_weight_ = 0;
  std::size_t next_raise_ = 0;
  std::uint64_t looked_ = 0, next_check_ = 0;  // arcs passed over too: by them the clock is looked at
  std::size_t rows_asked_ = 0;  // labels before it had their rows asked for
  bool truncated_ = false;
  std::uint64_t edges_ = 0;
};

}  // namespace plexus::internal
