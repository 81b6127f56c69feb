// A ledger that changes at random, and a look whether its index is what the definition says.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/memory/ledger/internal/ledger_index_value.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"
#include "tests/reference/ledger.h"
#include "tests/support/memory_world.h"

namespace plexus::testing {

// The next batch of a ledger: an event recorded, one labeled, or changes of any sort.
inline WriteBatch NextOfLedger(MemoryWorld& world, const Snapshot& now) {
  constexpr Change kSorts[] = {
      Change::kRemoveFact,  Change::kPurgeFact,   Change::kRemoveEvent,   Change::kPurgeEvent,
      Change::kBareEvent,   Change::kEventTime,   Change::kEventTime,     Change::kMember,
      Change::kMember,      Change::kUnmember,    Change::kBareOutcome,   Change::kBareOutcome,
      Change::kOutcome,     Change::kUnlabel,     Change::kRemoveOutcome,
  };
  if (now.node_count() == 0 || world.Below(3) == 0) return world.Recorded(now);
  if (world.Below(4) == 0)
    if (WriteBatch labeled = world.Labeled(now); !labeled.empty()) return labeled;
  return world.Next(kSorts, 1 + world.Below(4));
}

inline MemoryWorld LedgerWorld(std::uint64_t seed, std::size_t most) {
  return MemoryWorld(seed, {.facts = most, .events = most, .now_ms = 1});
}

inline memory::OutcomeSet BitsOf(const std::vector<std::string>& types) {
  memory::OutcomeSet bits = 0;
  for (const std::string& type : types) bits |= memory::internal::OutcomeBit(type);
  return bits;
}

inline std::vector<NodeId> List(std::span<const NodeId> ids) { return {ids.begin(), ids.end()}; }

inline void ExpectIndex(const memory::LedgerIndex& index, const Snapshot& s,
                        const reference::FlatLedger& flat) {
  ASSERT_EQ(List(index.newest()), flat.Newest());
  for (NodeId v = 0; v < s.node_count(); ++v) {
    SCOPED_TRACE(s.key(v));
    ASSERT_EQ(List(index.events(v)), flat.EventsOf(v));
    ASSERT_EQ(List(index.members(v)), flat.MembersOf(v));
    ASSERT_EQ(List(index.labels(v)), flat.LabelsOf(v));
    ASSERT_EQ(index.event_outcomes(v), BitsOf(flat.TypesOf(v)));
    ASSERT_EQ(index.member_outcomes(v), BitsOf(flat.TypesAround(v)));
  }
}

// The index kept or carried, the one from nothing, and the definition.
inline void ExpectLedger(const Snapshot& s, Executor& executor) {
  const auto flat = reference::FlatLedger::Of(s);
  const auto kept = memory::LedgerIndex::Of(s, &executor);
  ASSERT_TRUE(kept) << kept.error().ToString();
  ExpectIndex(**kept, s, flat);
  if (::testing::Test::HasFatalFailure()) return;
  const auto made = memory::internal::StoredLedgerIndex::Make(s, executor);
  ASSERT_TRUE(made) << made.error().ToString();
  ExpectIndex(**made, s, flat);
}

}  // namespace plexus::testing
