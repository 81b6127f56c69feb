// The heads of all rows of a base, once searches have paid for them.
#include "algorithms/traversal/internal/row_descriptors.h"

#include <new>
#include <utility>

namespace plexus::traversal_internal {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 15;
constexpr std::uint64_t kShare = 32;  // an arc followed in cold rows costs as much as some 12 heads
constexpr std::uint64_t kMostArcs = 2;  // a node

}  // namespace

std::shared_ptr<const RowHeads> RowHeads::Of(const Snapshot& snapshot) {
  const Csr& base = snapshot.base();
  if (base.arc_count() > kMostArcs * base.node_count) return nullptr;
  if (auto there = base.derived.Find<RowHeads>()) return there;
  return base.derived.Keep<RowHeads>(std::make_shared<const RowHeads>());
}

std::uint64_t RowHeads::size_bytes() const {
  const std::lock_guard lock(making_);
  return sizeof(RowHeads) + sides_[0].heads.size_bytes() + sides_[1].heads.size_bytes();
}

void RowHeads::Paid(const Csr& base, Direction direction, std::uint64_t arcs, const Budget& budget,
                    Executor& executor) const {
  OneSide& side = sides_[Side(direction)];
  if (arcs == 0 || side.made.load(std::memory_order_relaxed)) return;
  const std::uint64_t paid = side.paid.fetch_add(arcs, std::memory_order_relaxed) + arcs;
  if (paid < (base.arc_count() + base.node_count) / kShare) return;
  const std::unique_lock lock(making_, std::try_to_lock);
  if (!lock || side.made.load(std::memory_order_relaxed)) return;
  side.paid.store(0, std::memory_order_relaxed);
  if (budget.Interrupted()) return;
  const engine_internal::BaseRows rows(base, direction);
  AlignedArray<RowHead> heads;
  try {
    heads = AlignedArray<RowHead>(base.node_count);
  } catch (const std::bad_alloc&) {
    return;  // the search has its answer without
  }
  std::atomic<bool> stop = false;
  ParallelFor(executor, base.node_count, kGrain, [&](std::size_t begin, std::size_t end) {
    if (stop.load(std::memory_order_relaxed) || budget.Interrupted()) {
      stop = true;
      return;
    }
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) heads[v] = RowHead::Of(rows, v);
  });
  if (stop) return;
  side.heads = std::move(heads);
  side.made.store(side.heads.data(), std::memory_order_release);
}

}  // namespace plexus::traversal_internal
