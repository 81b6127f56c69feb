// The descriptors of all rows of a base, built once searches have followed enough arcs.
#include "algorithms/traversal/internal/row_descriptors.h"

#include <new>
#include <utility>

namespace plexus::traversal::internal {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 15;
constexpr std::uint64_t kBuildShare =
    32;  // an arc followed in cold rows costs as much as some 12 descriptors
constexpr std::uint64_t kMaxArcsPerNode = 2;  // a node

}  // namespace

std::shared_ptr<const RowDescriptors> RowDescriptors::Of(const Snapshot& snapshot) {
  const Csr& base = snapshot.base();
  if (base.arc_count() > kMaxArcsPerNode * base.node_count) return nullptr;
  if (auto there = base.derived.Find<RowDescriptors>()) return there;
  return base.derived.Keep<RowDescriptors>(std::make_shared<const RowDescriptors>());
}

std::uint64_t RowDescriptors::size_bytes() const {
  const std::lock_guard lock(build_mutex_);
  return sizeof(RowDescriptors) + sides_[0].descriptors.size_bytes() +
         sides_[1].descriptors.size_bytes();
}

void RowDescriptors::AddTraversedArcs(const Csr& base, Direction direction, std::uint64_t arcs,
                                      const Budget& budget, Executor& executor) const {
  OneSide& side = sides_[Side(direction)];
  if (arcs == 0 || side.ready.load(std::memory_order_relaxed)) return;
  const std::uint64_t traversed = side.traversed.fetch_add(arcs, std::memory_order_relaxed) + arcs;
  if (traversed < (base.arc_count() + base.node_count) / kBuildShare) return;
  const std::unique_lock lock(build_mutex_, std::try_to_lock);
  if (!lock || side.ready.load(std::memory_order_relaxed)) return;
  side.traversed.store(0, std::memory_order_relaxed);
  if (budget.Interrupted()) return;
  const engine_internal::BaseRows rows(base, base.view(direction), direction);
  AlignedArray<RowDescriptor> descriptors;
  try {
    descriptors = AlignedArray<RowDescriptor>(base.node_count);
  } catch (const std::bad_alloc&) {
    return;  // the search has its answer without
  }
  std::atomic<bool> stop = false;
  ParallelFor(executor, base.node_count, kGrain, [&](std::size_t begin, std::size_t end) {
    if (stop.load(std::memory_order_relaxed) || budget.Interrupted()) {
      stop = true;
      return;
    }
    for (auto v = static_cast<NodeId>(begin); v < end; ++v)
      descriptors[v] = RowDescriptor::Of(rows, v);
  });
  if (stop) return;
  side.descriptors = std::move(descriptors);
  side.ready.store(side.descriptors.data(), std::memory_order_release);
}

}  // namespace plexus::traversal::internal
