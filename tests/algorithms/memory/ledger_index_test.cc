// The index of the ledger: carried from state to state it is what is made from nothing, and both
// are what the definition says.
#include "algorithms/memory/ledger/ledger.h"

#include <gtest/gtest.h>

#include "algorithms/memory/ledger/internal/ledger_index_value.h"
#include "engine/graph.h"
#include "engine/state.h"
#include "tests/algorithms/memory/ledger_world.h"

namespace plexus::testing {
using namespace memory;
namespace {

TEST(LedgerIndex, EqualsItsDefinitionOverRandomBatches) {
  const auto two = MakeTbbExecutor(2);
  int carried = 0, steps = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Executor& executor = seed % 2 ? SerialExecutor() : *two;
    GraphOptions options;
    options.executor = &executor;
    const auto graph = Graph::InMemory(options);
    MemoryWorld world = LedgerWorld(seed, seed % 3 ? 8 : 30);
    for (int step = 0; step < 60; ++step, ++steps) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      (void)graph->Apply(
          NextOfLedger(world, graph->snapshot()));  // what contradicts itself is refused
      if (world.Below(20) == 0) {
        ASSERT_TRUE(graph->Compact());
      }
      const Snapshot s = graph->snapshot();
      carried += s.state().derived.kept.Find<memory::internal::StoredLedgerIndex>() != nullptr;
      if (world.Below(5) != 0) ExpectLedger(s, executor);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(carried, steps * 8 / 10);
}

// States that go on from one each have their own future.
TEST(LedgerIndex, StatesThatPartDoNotMeet) {
  MemoryWorld world = LedgerWorld(7, 12);
  const auto graph = Graph::InMemory();
  for (int step = 0; step < 20; ++step) (void)graph->Apply(NextOfLedger(world, graph->snapshot()));
  const Snapshot start = graph->snapshot();
  ExpectLedger(start, SerialExecutor());
  std::vector<Snapshot> seen = {start};
  for (int branch = 0; branch < 3; ++branch) {
    Snapshot now = start;
    for (int step = 0; step < 15; ++step) {
      const auto preview = Preview(now, NextOfLedger(world, now));
      if (!preview) continue;
      now = preview->snapshot;
      seen.push_back(now);
      ExpectLedger(now, SerialExecutor());
      if (HasFailure()) return;
    }
  }
  for (const Snapshot& s : seen) {
    ExpectLedger(s, SerialExecutor());
    if (HasFailure()) return;
  }
}

// A value that is carried twice, as a writer and a reader may do at once.
TEST(LedgerIndex, OneValueIsCarriedTwice) {
  const auto graph = Graph::InMemory();
  MemoryWorld world = LedgerWorld(3, 10);
  int carried = 0;
  for (int step = 0; step < 60; ++step) {
    (void)graph->Apply(NextOfLedger(world, graph->snapshot()));
    const Snapshot before = graph->snapshot();
    const auto index = LedgerIndex::Of(before).value();
    for (int twice = 0; twice < 2; ++twice) {
      const auto preview = Preview(before, NextOfLedger(world, before));
      if (!preview) continue;
      const Snapshot& after = preview->snapshot;
      carried += after.state().derived.kept.Find<memory::internal::StoredLedgerIndex>() != nullptr;
      ExpectIndex(*LedgerIndex::Of(after).value(), after, reference::FlatLedger::Of(after));
    }
    ExpectIndex(*index, before, reference::FlatLedger::Of(before));
    if (HasFailure()) return;
  }
  EXPECT_GT(carried, 60);
}

TEST(LedgerIndex, MemoryOfRowsThatWereReplacedIsGivenBack) {
  const auto graph = Graph::InMemory();
  std::uint64_t most = 0;
  for (int step = 0; step < 1'500; ++step) {
    NewEvent event;
    event.created_at = step;
    event.stubs = true;
    for (int m = 0; m < 3; ++m) event.members.push_back({.key = "m" + std::to_string(m)});
    event.query = std::to_string(step);
    ASSERT_TRUE(graph->Apply(RecordEvent(graph->snapshot(), event).value().batch));
    const auto kept = LedgerIndex::Of(graph->snapshot()).value();
    most = std::max(most,
                    dynamic_cast<const memory::internal::StoredLedgerIndex&>(*kept).size_bytes());
  }
  EXPECT_EQ(LedgerIndex::Of(graph->snapshot()).value()->newest().size(), 1'500u);
  // Three rows of 1,500 events, written anew at every step, would be 13 MB.
  EXPECT_LT(most, 2u << 20);
}

TEST(LedgerIndex, ComposedIsSharingAnEvent) {
  const auto graph = Graph::InMemory();
  MemoryWorld world = LedgerWorld(11, 12);
  for (int step = 0; step < 60; ++step) (void)graph->Apply(NextOfLedger(world, graph->snapshot()));
  const Snapshot s = graph->snapshot();
  const auto index = LedgerIndex::Of(s).value();
  const auto flat = reference::FlatLedger::Of(s);
  for (NodeId a = 0; a < s.node_count(); ++a)
    for (NodeId b = 0; b < s.node_count(); ++b) {
      if (a == b) continue;
      const auto with = flat.ComposedWith(a);
      const bool together = std::ranges::any_of(with, [&](const auto& n) { return n.node == b; });
      ASSERT_EQ(index->Composed(a, b), together) << s.key(a) << " " << s.key(b);
    }
}

}  // namespace
}  // namespace plexus::testing
