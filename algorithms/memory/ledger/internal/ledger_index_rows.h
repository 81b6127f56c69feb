// Where the rows of a LedgerIndex lie: spans that many states share.
//
// A row (the events of a member, the members of an event ...) is written once and never changed. A
// state names its rows by a page array, so that the next state copies the pages of the rows that
// differ, and puts these rows into the store that both share. The store only grows; the index
// moves its rows into a new one when most of the old one is rows of the past.
//
// Events by time lie in one array with room before the newest: an event that is newer than all
// others is written there, once, whoever of several states to come is first. Readers of earlier
// states see only what lies behind their own first event.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/arrays/paged_array.h"
#include "engine/types.h"

namespace plexus::memory::internal {

// Of one node. Lies in a RowStore.
struct LedgerRow {
  const NodeId* first = nullptr;
  std::uint32_t count = 0;
  OutcomeSet outcomes = 0;

  std::span<const NodeId> ids() const { return {first, count}; }
};
// No padding: pages of equal rows are found by their bytes.
static_assert(sizeof(LedgerRow) == 16);

using LedgerRows = PagedArray<LedgerRow>;

// Thread-safe. What it returned stays valid and unchanged as long as it lives.
class RowStore {
 public:
  // Room for `count` ids, to be filled before anyone else sees it. Throws std::bad_alloc.
  NodeId* Allocate(std::size_t count);
  const NodeId* Store(std::span<const NodeId> ids);
  std::size_t stored() const { return stored_.load(std::memory_order_relaxed); }
  std::uint64_t size_bytes() const { return allocated_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kBlock = 16'384;  // ids

  std::mutex mutex_;
  std::vector<std::unique_ptr<NodeId[]>> blocks_;
  NodeId* free_ = nullptr;
  std::size_t room_ = 0;
  std::atomic<std::size_t> stored_ = 0;
  std::atomic<std::uint64_t> allocated_ = 0;
};

// Ids in one array, to which more can be put in front.
class FrontArray {
 public:
  FrontArray() = default;
  explicit FrontArray(std::span<const NodeId> ids);

  std::span<const NodeId> ids() const { return {begin_, count_}; }
  // This one with `more` in front. O(more), unless there is no room or another one was continued
  // first; then O(all).
  FrontArray With(std::span<const NodeId> more) const;
  std::uint64_t size_bytes() const;

 private:
  struct Slots {
    std::size_t size = 0;
    std::unique_ptr<NodeId[]> ids;
    std::atomic<std::size_t> free = 0;  // slots in front that are free
  };
  std::shared_ptr<Slots> slots_;
  const NodeId* begin_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace plexus::memory::internal
