// EventAttributes: the tool and the mode of every event, as hashes, so that a filter reads no
// payload of an event that it passes over.
//
// Read once for all events, when a filter first asks; then carried by the events that a batch
// changed. Two names may have one hash: who finds one compares the name.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/arrays/paged_array.h"
#include "engine/error.h"
#include "engine/lineage.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

class EventAttributes final : public Carried {
 public:
  static constexpr std::string_view kName = "event attributes";

  // Computes: kept, carried or made. O(events) once, then O(change).
  // Errors: the payload store's, kCorruption. Throws std::bad_alloc.
  static Result<std::shared_ptr<const EventAttributes>> Of(const Snapshot& snapshot,
                                                           const LedgerIndex& index);

  static std::uint64_t HashOf(std::string_view name);
  // REQUIRES an alive event.
  std::uint64_t tool(NodeId event) const { return rows_[event].tool; }
  std::uint64_t mode(NodeId event) const { return rows_[event].mode; }

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

 private:
  struct Row {
    std::uint64_t tool = 0, mode = 0;
  };
  static Status Read(const Snapshot& snapshot, NodeId event, PagedArray<Row>& rows);

  PagedView<Row> rows_;
};

}  // namespace plexus::memory::internal
