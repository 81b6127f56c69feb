// LayeredSearch: the layers of labels behind Traverse().
//
// Labels lie in one growing array, layer after layer; a label knows the label it
// came from and the arc taken, so the array is also the proof. A map from node to
// its newest label serves both to merge inside a layer and, under max and min, to
// drop labels that an earlier layer dominates.
//
// A small layer is pushed: its labels' rows are followed in order, serially. A big
// one is pulled: every node looks back along its row for members of the layer, in
// parallel blocks of node ids. Which of the two depends on the number of labels (with a threshold:
// of those that reach it), of nodes and on the budget, never on threads. Both leave the same
// labels, proofs included, to the last bit: ties go to the same parent and arc, and sums are
// taken by rising id of the parent's node, arcs of one parent as in its rows.
//
// Files: layered_search.cc the layers and what labels come to, layered_push.cc, layered_pull.cc,
// label_relaxation.h what an arc does to a label.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/traversal/internal/bucket_top_k.h"
#include "algorithms/traversal/internal/row_descriptors.h"
#include "algorithms/traversal/internal/row_prefetch.h"
#include "algorithms/traversal/internal/top_k_threshold.h"
#include "algorithms/traversal/traversal.h"

namespace plexus::traversal::internal {

// At least the weight of every arc that passes `filter`, 0 when none exists: what a bounded search
// needs to know before it may leave anything out. Runs know it from the start; of a base it is
// found once, by one pass over its weights in parallel, and kept with it and with what compaction
// makes of it. Arcs that the delta replaced still count. O(runs * kinds) when the base is known,
// else O(its arcs). Nothing when the deadline passed or the caller asked to stop meanwhile.
// Thread-safe.
std::optional<float> MaxWeight(const Snapshot& snapshot, const ArcFilter& filter,
                               const Budget& budget, Executor& executor);

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
static_assert(sizeof(Label) == 32 && engine_internal::kMaxRuns < 255 && kMaxHops < 255);

class LayeredSearch {
 public:
  struct Scratch {
    std::vector<Label> labels;
    common_internal::NodeMap newest;  // node -> index of its newest label
    TopKThreshold threshold;
    std::vector<ScoredLabel> scored, spare;
  };

  LayeredSearch(const common_internal::Selection& selection, const TraverseOptions& options,
                Executor& executor);
  ~LayeredSearch();
  LayeredSearch(const LayeredSearch&) = delete;
  LayeredSearch& operator=(const LayeredSearch&) = delete;

  // REQUIRES checked seeds, ascending, each node once.
  void Run(std::span<const NodeWeight> seeds);

  const std::vector<Label>& labels() const { return labels_; }
  // Best first, each node once with the label whose walk is its proof. Call once.
  std::span<const ScoredLabel> Best();
  // Adds the arcs followed to those that make row descriptors worth building; after Best.
  void RecordTraversal();
  bool truncated() const { return truncated_; }
  std::uint64_t edges() const { return edges_; }

 private:
  static constexpr std::uint32_t kExcluded =
      common_internal::NodeMap::kAbsent - 1;  // visited, not selected
  static constexpr std::uint32_t kMaxLabels = common_internal::NodeMap::kAbsent - 16;
  static constexpr std::uint64_t kCheckEvery = 4096;  // arcs between two polls of the budget
  enum class Found { kNothing, kLabel, kFull };

  template <Aggregate A>
  void RunLayers();
  template <Aggregate A>
  bool Push(std::uint32_t begin, std::uint32_t end, int hop);
  template <Aggregate A, bool kAllKinds>
  bool PushBaseRow(const RowDescriptor& descriptor, const Label& from, std::uint32_t index,
                   std::uint32_t end, bool last);
  template <Aggregate A, bool kAllKinds>
  bool PushArcs(const RowDescriptor& descriptor, std::uint32_t begin, std::uint32_t past,
                const Label& from, std::uint32_t index, std::uint32_t end, bool last);
  template <Aggregate A>
  bool PushMergedRow(const Label& from, std::uint32_t index, std::uint32_t end);
  template <Aggregate A>
  Found RelaxArc(const Label& from, std::uint32_t index, double value, std::uint32_t end,
                 const Arc& arc);
  void PrefetchRow(const Label& label) const;
  void SortLayer(std::uint32_t begin);
  template <Aggregate A>
  bool Pull(std::uint32_t begin, std::uint32_t end, int hop);
  bool PullFits(std::uint32_t begin, std::uint32_t end) const;

  bool Interrupted();
  void TryThreshold();
  void StartThreshold();
  bool Listed(const Label& label) const { return !label.of_seed || options_.include_seeds; }
  // With a threshold: a label was made, of a node without one; or a node's value was raised.
  void Count(const Label& label) {
    if (Listed(label) && threshold_.Add(label.value)) StartThreshold();
  }
  void Uncount(const Label& label, double value) {
    if (Listed(label)) threshold_.Drop(value);
  }
  void CollectScores();
  // The best that an arc can make of a value: further arcs add nothing.
  bool Reaches(double value) const {
    return value * options_.decay * max_weight_ >= threshold_.value();
  }

  const common_internal::Selection& selection_;
  const TraverseOptions& options_;
  Executor& executor_;
  std::uint32_t max_labels_;
  std::unique_ptr<Scratch> scratch_;
  std::vector<Label>& labels_;
  common_internal::NodeMap& newest_;
  TopKThreshold& threshold_;
  bool threshold_wanted_, threshold_on_ = false;
  double max_seed_ = 0, max_weight_ = 0;
  const engine_internal::BaseRows rows_;
  const RowPrefetch prefetch_;
  const bool all_kinds_, base_rows_;  // base rows: may be read as they are where the delta has none
  std::shared_ptr<const RowDescriptors> row_descriptors_;
  const RowDescriptor* descriptors_ = nullptr;  // by node of the base, when they are made
  std::uint64_t scanned_ = 0,
                next_check_ = 0;     // arcs passed over too: by them the clock is looked at
  std::uint64_t base_arcs_ = 0;      // of base rows read as they are
  std::size_t rows_prefetched_ = 0;  // rows of labels before it are prefetched
  bool truncated_ = false;
  std::uint64_t edges_ = 0;
};

}  // namespace plexus::traversal::internal
