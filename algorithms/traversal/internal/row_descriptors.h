// RowDescriptors: where a node's row begins, how long it is and its first arc, in 16 bytes.
//
// A small search waits for memory: of every node it expands a line of the offsets, then one
// of the neighbors and one of the weights, the last two known only when the first has come.
// Where most rows hold one arc (the turns of a session), the descriptor is all of it, and the next
// node of a chain mostly is in the same line; longer rows go on in the base arrays, unchanged.
// Same arcs, same order: the result has the same bits with and without descriptors. Bases of more
// than two arcs a node get none: there a line of offsets serves more nodes than one of descriptors,
// and the rows are read anyway.
//
// The build is amortised: searches add the arcs they followed in a base, and once these are a 32nd
// of its nodes and arcs (about half of what the build costs) the last search builds them, in
// parallel, after its own work. 16 bytes a node and direction, kept with the base
// (engine/lineage.h).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "algorithms/common/common.h"
#include "engine/adjacency/csr.h"
#include "engine/arrays/aligned_array.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::traversal::internal {

struct RowDescriptor {
  std::uint32_t begin = 0, degree = 0;
  NodeId first = kNoNode;  // neighbor and weight of the arc at `begin`, when there is one
  float weight = 0;

  // Of a node of the base.
  static RowDescriptor Of(const engine_internal::BaseRows& rows, NodeId node) {
    RowDescriptor descriptor;
    descriptor.begin = rows.offsets[node];
    descriptor.degree = rows.offsets[node + 1] - descriptor.begin;
    if (descriptor.degree == 0) return descriptor;
    descriptor.first = rows.neighbors[descriptor.begin];
    descriptor.weight = rows.weights[descriptor.begin];
    return descriptor;
  }
};
static_assert(sizeof(RowDescriptor) == 16);

// Of one base. Thread-safe.
class RowDescriptors final : public Derived {
 public:
  static constexpr std::string_view kName = "row heads";
  // Those of the snapshot's base, made or not; null when it never gets any. Keep it while
  // they are used.
  static std::shared_ptr<const RowDescriptors> Of(const Snapshot& snapshot);

  // By node of the base, or null as long as they are not made. REQUIRES out or in.
  const RowDescriptor* get(Direction direction) const {
    return sides_[Side(direction)].ready.load(std::memory_order_acquire);
  }
  // `arcs` more were followed in this direction. May build the descriptors, O(nodes); when the
  // budget is interrupted the build is dropped and the count begins again. REQUIRES the base that
  // these are of.
  void AddTraversedArcs(const Csr& base, Direction direction, std::uint64_t arcs,
                        const Budget& budget, Executor& executor) const;
  std::uint64_t size_bytes() const override;

 private:
  struct OneSide {
    std::atomic<const RowDescriptor*> ready = nullptr;
    std::atomic<std::uint64_t> traversed = 0;
    AlignedArray<RowDescriptor> descriptors;
  };
  static std::size_t Side(Direction direction) { return direction == Direction::kIn; }

  mutable std::array<OneSide, 2> sides_;
  mutable std::mutex build_mutex_;
};

}  // namespace plexus::traversal::internal
