// Brandes: what one source adds to every node's betweenness.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/csr_view.h"
#include "engine/types.h"

namespace plexus::internal {

// One search at a time; keeps its arrays. A search costs the nodes and arcs it reaches,
// resetting included.
class Brandes {
 public:
  explicit Brandes(const CsrView& out);
  void Search(NodeId source);
  // What the last search reached, nearest first, the source at the front.
  const std::vector<NodeId>& reached() const { return queue_; }
  // The dependency of the last source on a node it reached.
  double dependency(NodeId v) const { return dependency_[v]; }

 private:
  template <class Depth>
  bool Forward(NodeId source, std::vector<Depth>& depth);
  template <class Depth>
  void Backward(std::vector<Depth>& depth);

  const CsrView out_;
  // Depths fit a byte almost always, and a byte a node stays in the second cache level;
  // a search that gets deeper is done again with the wide ones.
  std::vector<std::uint8_t> depth_;
  std::vector<std::uint32_t> wide_depth_;
  std::vector<double> paths_;       // shortest paths from the source; 0 between searches
  std::vector<double> share_;       // (1 + dependency) / paths
  std::vector<double> dependency_;
  std::vector<NodeId> queue_;
};

}  // namespace plexus::internal
