// Random changes of a ledger, and a look whether the index and the lists are what the definition
// says.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "algorithms/memory/internal/ledger/ledger_index_value.h"
#include "algorithms/memory/internal/ledger/outcome_types.h"
#include "algorithms/memory/ledger.h"
#include "engine/properties/properties.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"
#include "tests/reference/ledger.h"

namespace plexus::testing {

// Batches over up to `most` memories and events.
class LedgerChanger {
 public:
  LedgerChanger(std::uint64_t seed, std::size_t most) : random_(seed), most_(most) {}

  std::size_t Below(std::size_t n) { return random_() % n; }

  WriteBatch Next(const Snapshot& now) {
    WriteBatch batch(1);
    if (now.node_count() == 0 || Below(3) == 0) return Recorded(now);
    if (Below(4) == 0) {
      WriteBatch labeled = Labeled(now);
      if (!labeled.empty()) return labeled;
    }
    for (std::size_t i = 1 + Below(4); i > 0; --i) One(batch);
    return batch;
  }

 private:
  std::string MemoryKey() { return "m" + std::to_string(Below(most_)); }
  NodeRef Memory(WriteBatch& batch) { return batch.Node(MemoryKey()); }
  NodeRef Event(WriteBatch& batch) {
    return batch.IndexNode(kEvent, "x" + std::to_string(Below(most_)));
  }
  std::string Type() {
    const auto types = BuiltinOutcomeTypes();
    const std::size_t which = Below(types.size() + 2);
    return which < types.size() ? std::string(types[which]) : "a/b%" + std::to_string(which);
  }

  WriteBatch Recorded(const Snapshot& now) {
    NewEvent event;
    event.query = "q" + std::to_string(Below(1000));
    event.tool = Below(2) ? "recall" : "bounty";
    event.mode = Below(3) ? "deep_reference" : "quick";
    clock_ += static_cast<std::int64_t>(Below(3));
    event.created_at = Below(6) ? clock_ : static_cast<std::int64_t>(Below(100));
    event.stubs = true;
    for (std::size_t i = 1 + Below(5); i > 0; --i) {
      NewMember member;
      member.key = MemoryKey();
      member.role = BuiltinRoles()[Below(5)];
      if (Below(2)) member.rank = static_cast<double>(Below(4));
      bool twice = false;
      for (const NewMember& m : event.members)
        twice |= m.key == member.key && m.role == member.role;
      if (!twice) event.members.push_back(std::move(member));
    }
    auto recorded = RecordEvent(now, event);
    EXPECT_TRUE(recorded) << recorded.error().ToString();
    return recorded ? std::move(recorded->batch) : WriteBatch(1);
  }

  WriteBatch Labeled(const Snapshot& now) {
    std::vector<NodeId> events;
    for (NodeId v = 0; v < now.node_count(); ++v)
      if (now.alive(v) && now.node_kind(v) == kEvent) events.push_back(v);
    if (events.empty()) return WriteBatch(1);
    NewLabel label;
    label.type = BuiltinOutcomeTypes()[Below(15)];
    label.labeled_at = static_cast<std::int64_t>(Below(50));
    if (Below(2)) label.notes = "n" + std::to_string(Below(3));
    if (Below(3) == 0) label.confidence_delta = 0.25;
    auto labeled = LabelEvent(now, events[Below(events.size())], label);
    EXPECT_TRUE(labeled) << labeled.error().ToString();
    return labeled ? std::move(labeled->batch) : WriteBatch(1);
  }

  void One(WriteBatch& batch) {
    switch (Below(14)) {
      case 0:
        batch.RemoveNode(Memory(batch));
        break;
      case 1:
        if (Below(2) == 0) batch.PurgeNode(Memory(batch));
        break;
      case 2:
        batch.RemoveNode(Event(batch));
        break;
      case 3:
        if (Below(3) == 0) batch.PurgeNode(Event(batch));
        break;
      case 4:
        batch.UpsertNode(Event(batch));  // perhaps one that was removed, or without members
        break;
      case 5:
        batch.SetI64(Event(batch), kCreatedAt, static_cast<std::int64_t>(Below(60)));
        break;
      case 6:
        batch.ClearColumn(Event(batch), kCreatedAt);
        break;
      case 7:
      case 8: {
        WriteBatch::EdgeInput edge;
        edge.source = Event(batch);
        edge.target = Memory(batch);
        edge.kind = kMember;
        edge.label = BuiltinRoles()[Below(2)];
        batch.Link(edge);
        break;
      }
      case 9:
        batch.Unlink(Event(batch), kMember, Memory(batch), BuiltinRoles()[Below(2)]);
        break;
      case 10:
      case 11: {  // an outcome whose key tells nothing
        const NodeRef outcome = Outcome(batch);
        PropertyMapBuilder map;
        const std::string type = Type();
        map.String("type", type);
        batch.SetPayload(outcome, NodeField::kProperties, map.Finish().value());
        batch.Link(outcome, kLabels, Event(batch));
        break;
      }
      case 12:
        batch.RemoveNode(Outcome(batch));
        break;
      default:
        batch.Unlink(Outcome(batch), kLabels, Event(batch));
    }
  }
  NodeRef Outcome(WriteBatch& batch) {
    return batch.IndexNode(kOutcome, "o" + std::to_string(Below(most_)));
  }

  std::mt19937_64 random_;
  std::size_t most_;
  std::int64_t clock_ = 50;
};

inline OutcomeSet BitsOf(const std::vector<std::string>& types) {
  OutcomeSet bits = 0;
  for (const std::string& type : types) bits |= memory_internal::OutcomeBit(type);
  return bits;
}

inline std::vector<NodeId> List(std::span<const NodeId> ids) { return {ids.begin(), ids.end()}; }

inline void ExpectIndex(const LedgerIndex& index, const Snapshot& s,
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
  const auto kept = LedgerIndex::Of(s, &executor);
  ASSERT_TRUE(kept) << kept.error().ToString();
  ExpectIndex(**kept, s, flat);
  if (::testing::Test::HasFatalFailure()) return;
  const auto made = memory_internal::StoredLedgerIndex::Make(s, executor);
  ASSERT_TRUE(made) << made.error().ToString();
  ExpectIndex(**made, s, flat);
}

}  // namespace plexus::testing
