// StoredLedgerIndex: the LedgerIndex that a state keeps; made from nothing, and carried.
//
// From nothing: the events, their member rows and labels are read once; the events of members are
// their transpose. Carried: the events that a batch touched are read again; what differs from the
// rows known of them changes the rows of their members.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/memory/ledger/internal/ledger_index_rows.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/error.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

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
