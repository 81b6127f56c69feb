// Brandes: what one source adds to every node's betweenness.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/csr_view.h"
#include "engine/types.h"

namespace plexus::internal {

// One search at a time; keeps its arrays. A search costs the nodes and arcs it reaches,
// resetting included, and allocates nothing.
class Brandes {
 public:
  // What a search can hold. Depths fit a byte almost always, and a byte a node stays in
  // the second cache level; numbers of paths fit f64 but for a thousand diamonds in a row.
  enum class Width : std::uint8_t { kNarrow, kDeep, kWide };

  explicit Brandes(const CsrView& out);
  // Makes the arrays that a width needs.
  void Prepare(Width width);
  // False: deeper, or more paths, than the width holds; nothing was found then. Paths
  // longer than max_hops do not count. REQUIRES Prepare(width).
  bool Search(NodeId source, std::uint32_t max_hops, Width width);
  // What the last search reached, nearest first, the source at the front.
  const std::vector<NodeId>& reached() const { return queue_; }
  // The dependency of the last source on a node it reached.
  double dependency(NodeId v) const { return dependency_[v]; }

 private:
  // part * 2^power, part 0 or in [0.5, 1): numbers of shortest paths grow exponentially
  // with depth and leave f64 after a thousand diamonds in a row.
  struct Wide {
    double part = 0;
    std::int64_t power = 0;
  };
  static Wide Normal(double x, std::int64_t power);
  static Wide Sum(Wide a, Wide b);
  static double Sum(double a, double b) { return a + b; }
  static Wide Share(double dependency, Wide paths) {
    return Normal((1 + dependency) / paths.part, -paths.power);
  }
  static double Share(double dependency, double paths) { return (1 + dependency) / paths; }
  static double Product(Wide a, Wide b);
  static double Product(double a, double b) { return a * b; }

  template <class Number>
  struct Counts {
    std::vector<Number> paths;  // shortest paths from the source; 0 between searches
    std::vector<Number> share;  // (1 + dependency) / paths
  };
  template <class Depth, class Number>
  bool Forward(NodeId source, std::uint32_t max_hops, std::vector<Depth>& depth, Counts<Number>& counts);
  template <class Depth, class Number>
  void Backward(std::vector<Depth>& depth, Counts<Number>& counts);
  template <class Depth, class Number>
  bool Try(NodeId source, std::uint32_t max_hops, std::vector<Depth>& depth, Counts<Number>& counts);

  const CsrView out_;
  std::vector<std::uint8_t> depth_;
  std::vector<std::uint32_t> wide_depth_;
  Counts<double> counts_;
  Counts<Wide> wide_counts_;
  std::vector<double> dependency_;
  std::vector<NodeId> queue_;
};

}  // namespace plexus::internal
