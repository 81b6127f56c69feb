// LayeredSearch: the layers of labels behind Traverse().
//
// Labels lie in one growing array, layer after layer; a label knows the label it
// came from and the arc taken, so the array is also the proof. A map from node to
// its newest label serves both to merge inside a layer and, under max and min, to
// drop labels that an earlier layer dominates.
//
// A small layer is pushed: its labels' rows are followed in order, serially. A big
// one is pulled: every node looks back along its row for members of the layer, in
// parallel blocks of node ids. Which of the two depends on the number of labels
// and nodes alone, never on threads or on how the graph is stored.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/internal/node_map.h"
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
  float weight = 0;
  KindId kind = 0;
  std::uint16_t run = 0;
  Direction direction = Direction::kOut;
  bool pulled = false;
  bool dominated = false;  // max, min: a later label of the node is better
};

class LayeredSearch {
 public:
  struct Scratch {
    std::vector<Label> labels;
    NodeMap newest;  // node -> index of its newest label
  };

  LayeredSearch(const Selection& selection, const TraverseOptions& options, Executor& executor);
  ~LayeredSearch();
  LayeredSearch(const LayeredSearch&) = delete;
  LayeredSearch& operator=(const LayeredSearch&) = delete;

  // REQUIRES checked seeds, ascending, each node once.
  void Run(std::span<const TraverseSeed> seeds);

  const std::vector<Label>& labels() const { return labels_; }
  bool truncated() const { return truncated_; }
  std::uint64_t edges() const { return edges_; }

 private:
  template <Aggregate A>
  void RunLayers();
  template <Aggregate A>
  bool Push(std::uint32_t begin, std::uint32_t end);
  template <Aggregate A>
  bool Pull(std::uint32_t begin, std::uint32_t end);
  bool PullFits(std::uint32_t begin, std::uint32_t end) const;

  const Selection& selection_;
  const TraverseOptions& options_;
  Executor& executor_;
  std::uint32_t max_labels_;
  std::unique_ptr<Scratch> scratch_;
  std::vector<Label>& labels_;
  NodeMap& newest_;
  bool truncated_ = false;
  std::uint64_t edges_ = 0;
};

}  // namespace plexus::internal
