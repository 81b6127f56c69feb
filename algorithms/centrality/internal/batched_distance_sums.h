// BatchedDistanceSums: distances from up to 64 sources at once, added up at the nodes reached.
//
// One bit lane a source, as MultiBfs; but what is wanted are sums at the reached node over
// all sources, so a level costs one population count a node instead of a look at every
// lane. Integers all of them: sums of several objects may be added in any order. A search
// is serial; programs run many objects at once. One that its budget stops leaves no trace: its
// sums are kept apart until it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/types.h"

namespace plexus::centrality::internal {

struct DistanceSums {
  std::uint64_t reached = 0;      // pairs of a source and this node, the node itself left out
  std::uint64_t distances = 0;    // sum over them
  unsigned __int128 inverse = 0;  // sum of 1 / distance in units of 2^-64, each rounded down

  void Add(const DistanceSums& other) {
    reached += other.reached;
    distances += other.distances;
    inverse += other.inverse;
  }
  void Add(std::uint64_t count, std::uint32_t distance) {
    reached += count;
    distances += count * distance;
    inverse += ((static_cast<unsigned __int128>(1) << 64) / distance) * count;
  }
  // Sum of 1 / distance.
  double harmonic() const { return static_cast<double>(inverse) * 0x1p-64; }
};

class BatchedDistanceSums {
 public:
  // Searches step along `forth`; `back` is its transpose. Arrays of all nodes are made here.
  BatchedDistanceSums(const CsrView& forth, const CsrView& back);
  // Adds to sums(). REQUIRES 1 to 64 sources, each once. Returns the depth of the deepest; nothing
  // when the deadline or the cancel flag of the budget stopped it, which is looked at within a
  // level, too.
  std::optional<std::uint32_t> Search(std::span<const NodeId> sources, std::uint32_t max_depth,
                                      const Budget& budget);
  const AlignedArray<DistanceSums>& sums() const { return sums_; }

 private:
  // False when the budget said to stop.
  bool Push(const Budget& budget);
  bool Pull(std::uint64_t all, const Budget& budget);
  void Settle(std::uint32_t depth);
  bool Stopped(std::uint64_t steps, const Budget& budget);
  void Clear(bool keep);

  const CsrView forth_, back_;
  AlignedArray<std::uint64_t> seen_, now_, next_;  // zero between searches
  AlignedArray<DistanceSums> sums_, own_;          // of the searches that ended; of this one
  std::vector<NodeId> level_, found_;
  std::uint64_t steps_ = 0;  // nodes and arcs read since the clock was
};

}  // namespace plexus::centrality::internal
