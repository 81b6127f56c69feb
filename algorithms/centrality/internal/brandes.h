// Brandes: what one source adds to every node's betweenness.
#pragma once

#include <cstdint>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/types.h"

namespace plexus::centrality::internal {

// One search at a time; keeps its arrays. A search costs the nodes and arcs it reaches,
// resetting included, and allocates nothing.
class Brandes {
 public:
  // What a search can hold. Depths fit a byte almost always, a byte a node stays in the
  // second cache level, and most arcs read nothing else. Wide: any depth and any number
  // of paths, all of a node in one place.
  enum class Width : std::uint8_t { kNarrow, kWide };

  explicit Brandes(const CsrView& out);
  // Makes the arrays that a width needs.
  void Prepare(Width width);
  // Writes the source's dependency on each node that it reaches, 0 for itself, and nothing
  // elsewhere. False: deeper, or more paths, than the width holds; nothing was written then.
  // Paths longer than max_hops do not count. REQUIRES Prepare(width).
  bool Search(NodeId source, std::uint32_t max_hops, Width width, double* dependencies);

 private:
  // part * 2^(512 power), part at least 2^-256 and, once Settled, below 2^256. Numbers of shortest
  // paths grow exponentially with depth and leave f64 after a thousand diamonds in a row; those
  // that are added up hardly ever differ in power.
  struct Scaled {
    double part = 0;
    std::int32_t power = 0;
  };
  static double Sum(double a, double b) { return a + b; }
  static Scaled Sum(Scaled a, Scaled b);
  static double Settled(double x) { return x; }
  static Scaled Settled(Scaled x);
  static double Product(double a, double b) { return a * b; }
  static double Product(Scaled a, Scaled b);
  static double Share(double dependency, double paths) { return (1 + dependency) / paths; }
  static Scaled Share(double dependency, Scaled paths) {
    return Settled(Scaled{(1 + dependency) / paths.part, -paths.power});
  }

  // Of each node its depth, all ones where no search is, and its number of paths from the source;
  // behind the backward sweep (1 + dependency) / paths.
  struct NarrowNodes {
    using Depth = std::uint8_t;
    using Number = double;
    AlignedArray<Depth> depths;
    AlignedArray<Number> numbers;
    Depth& depth(NodeId v) { return depths[v]; }
    Number number(NodeId v) const { return numbers[v]; }
    void Set(NodeId v, Number x) { numbers[v] = x; }
  };
  struct WideNodes {
    using Depth = std::uint32_t;
    using Number = Scaled;
    struct Node {
      double part;
      std::int32_t power;
      Depth depth;
    };
    AlignedArray<Node> nodes;
    Depth& depth(NodeId v) { return nodes[v].depth; }
    Number number(NodeId v) const { return {nodes[v].part, nodes[v].power}; }
    void Set(NodeId v, Number x) { nodes[v].part = x.part, nodes[v].power = x.power; }
  };

  template <class Nodes>
  bool Run(NodeId source, std::uint32_t max_hops, Nodes& nodes, double* dependencies);
  template <class Nodes>
  bool Forward(NodeId source, std::uint32_t max_hops, Nodes& nodes);
  template <class Nodes>
  void Backward(Nodes& nodes, double* dependencies);

  const CsrView out_;
  NarrowNodes narrow_;
  WideNodes wide_;
  AlignedArray<NodeId> queue_;  // what the search reached, nearest first
  std::size_t reached_ = 0;
};

}  // namespace plexus::centrality::internal
