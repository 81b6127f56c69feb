// StoredLedgerIndex: the LedgerIndex that a state keeps; made from nothing, and carried.
//
// From nothing: the events, their member rows and labels are read once; the events of members are
// their transpose. Carried: the events that a batch touched are read again; what differs from the
// rows known of them changes the rows of their members.
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
#include <string_view>
#include <vector>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/arrays/paged_array.h"
#include "engine/error.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
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

class StoredLedgerIndex final : public Carried, public LedgerIndex {
 public:
  static constexpr std::string_view kName = "ledger_index";

  // Keeps nothing. Errors: those of OutcomesOf. Throws std::bad_alloc.
  static Result<std::shared_ptr<const StoredLedgerIndex>> Make(const Snapshot& snapshot,
                                                               Executor& executor);

  std::span<const NodeId> newest() const override { return newest_.ids(); }
  std::span<const NodeId> events(NodeId member) const override { return events_[member].ids(); }
  std::span<const NodeId> members(NodeId event) const override { return members_[event].ids(); }
  std::span<const NodeId> labels(NodeId event) const override { return labels_[event].ids(); }
  OutcomeSet event_outcomes(NodeId event) const override { return labels_[event].outcomes; }
  OutcomeSet member_outcomes(NodeId member) const override { return events_[member].outcomes; }

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

 private:
  friend class LedgerCarrier;
  // All rows in a store of their own, when most of the shared one is of the past.
  void Fold();

  FrontArray newest_;
  LedgerRows::View events_, members_, labels_;  // by member; by event; by event
  std::shared_ptr<RowStore> store_;
  std::size_t live_ = 0;  // ids in rows
};

// An event as its rows are now.
struct EventRows {
  std::vector<NodeId> members, labels;  // ascending, each once
  OutcomeSet outcomes = 0;
};

// Reads events one after the other.
class EventReader {
 public:
  explicit EventReader(const Snapshot& snapshot);
  bool IsEvent(NodeId node) const;  // and alive
  // kCorruption: an outcome cannot be read. REQUIRES IsEvent(event).
  Status Read(NodeId event, EventRows& rows) const;

 private:
  const Snapshot& snapshot_;
  ArcFilter members_, labels_;
};

// The type of an outcome, as a set of one: out of its key, where that was made of its content, else
// out of its properties. kCorruption: these cannot be read.
Result<OutcomeSet> OutcomeOf(const Snapshot& snapshot, NodeId outcome, NodeId event);

// Created later, or as late with a higher id. No time is before every time.
struct NewerEvent {
  const Snapshot& snapshot;
  bool operator()(NodeId a, NodeId b) const;
};

}  // namespace plexus::memory::internal
