// Blocks of rows, and the room in front; see ledger_index_rows.h.
#include "algorithms/memory/ledger/internal/ledger_index_rows.h"

#include <algorithm>

namespace plexus::memory::internal {

NodeId* RowStore::Allocate(std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (count > room_) {
    const std::size_t size = std::max(kBlock, count);
    blocks_.push_back(std::make_unique_for_overwrite<NodeId[]>(size));
    free_ = blocks_.back().get();
    room_ = size;
    allocated_.fetch_add(size * sizeof(NodeId), std::memory_order_relaxed);
  }
  NodeId* const row = free_;
  free_ += count;
  room_ -= count;
  stored_.fetch_add(count, std::memory_order_relaxed);
  return row;
}

const NodeId* RowStore::Store(std::span<const NodeId> ids) {
  if (ids.empty()) return nullptr;
  NodeId* const row = Allocate(ids.size());
  std::ranges::copy(ids, row);
  return row;
}

FrontArray::FrontArray(std::span<const NodeId> ids) : count_(ids.size()) {
  constexpr std::size_t kLeastRoom = 1'024;
  const std::size_t room = std::max(kLeastRoom, ids.size() / 4);
  slots_ = std::make_shared<Slots>();
  slots_->size = room + ids.size();
  slots_->ids = std::make_unique_for_overwrite<NodeId[]>(slots_->size);
  slots_->free = room;
  std::ranges::copy(ids, slots_->ids.get() + room);
  begin_ = slots_->ids.get() + room;
}

FrontArray FrontArray::With(std::span<const NodeId> more) const {
  if (more.empty()) return *this;
  if (slots_) {
    auto before = static_cast<std::size_t>(begin_ - slots_->ids.get());
    if (before >= more.size() &&
        slots_->free.compare_exchange_strong(before, before - more.size())) {
      FrontArray made = *this;
      NodeId* const to = slots_->ids.get() + (before - more.size());
      std::ranges::copy(more, to);
      made.begin_ = to;
      made.count_ += more.size();
      return made;
    }
  }
  std::vector<NodeId> all(more.begin(), more.end());
  all.insert(all.end(), begin_, begin_ + count_);
  return FrontArray(all);
}

std::uint64_t FrontArray::size_bytes() const { return slots_ ? slots_->size * sizeof(NodeId) : 0; }

}  // namespace plexus::memory::internal
