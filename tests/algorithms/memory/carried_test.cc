// What is carried from state to state equals what is made from nothing, bit for bit: visible nodes
// at several times and term lengths, over random batches of everything that can change them.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "algorithms/memory/visibility/internal/visible_set.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/terms.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "engine/writer/state_writer.h"
#include "tests/algorithms/memory/carried_world.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

TEST(Carried, EqualsFromNothingOverRandomBatches) {
  const auto two = MakeTbbExecutor(2);
  int applied = 0, carried = 0, steps = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Executor& executor = seed % 2 ? SerialExecutor() : *two;
    GraphOptions options;
    options.maintenance = Maintenance::kManual;
    options.executor = &executor;
    auto graph = Graph::InMemory(options);
    MemoryWorld world = CarriedWorld(seed, seed % 3 ? 30 : 400);
    std::int64_t clock = 0;
    for (int step = 0; step < 120; ++step, ++steps) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      applied +=
          graph->Apply(NextOfCarried(world)).has_value();  // what contradicts itself is refused
      if (world.Below(40) == 0) {
        ASSERT_TRUE(graph->Compact());
      }
      const Snapshot s = graph->snapshot();
      carried += s.state().derived.kept.Find<memory::internal::VisibleSet>() != nullptr;
      // One clock that goes on, mostly; else times in any order.
      if (world.Below(8) != 0) {
        const std::int64_t now[] = {clock += static_cast<std::int64_t>(world.Below(2))};
        ExpectSame(s, now, executor);
      } else {
        ExpectSame(s, kTimes, executor);
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(applied, steps / 2);
  EXPECT_GT(carried, steps * 9 / 10) << "nearly every state had its set from the one before";
}

// Once more from the state's parts, as a reopened database has them, and as of earlier.
TEST(Carried, ContinuedStatesGoOnByThemselves) {
  MemoryWorld world = CarriedWorld(77, 60);
  auto graph = Graph::InMemory();
  std::vector<Snapshot> earlier;
  for (int step = 0; step < 60; ++step) {
    (void)graph->Apply(NextOfCarried(world));
    ExpectSame(graph->snapshot(), kTimes, SerialExecutor());
    if (step % 15 == 0) earlier.push_back(graph->snapshot());
  }
  for (const Snapshot& s : earlier) ExpectSame(s, kTimes, SerialExecutor());
  for (const Snapshot& s : earlier) {
    StateWriter writer(s.state());
    for (int step = 0; step < 20; ++step) {
      ApplyReport report;
      auto record = writer.Resolve(NextOfCarried(world), &report);
      if (!record || record->sequence == 0) continue;
      ASSERT_TRUE(writer.Apply(*record));
      ExpectSame(Snapshot(writer.Publish()), kTimes, SerialExecutor());
      if (HasFailure()) return;
    }
  }
}

// Long chains and large cycles: local where that is possible, from nothing where not, right always.
TEST(Carried, LongChainsAndLargeCycles) {
  auto graph = Graph::InMemory();
  constexpr int kLength = 30'000;
  WriteBatch batch(1);
  for (int i = 0; i <= kLength; ++i)
    batch.UpsertNode("n" + std::to_string(i), NodeKindRef(kMemory));
  ASSERT_TRUE(graph->Apply(batch));
  batch.Clear();
  for (int i = 0; i < kLength; ++i)
    batch.Link(NodeRef::Id(static_cast<NodeId>(i + 1)), kSupersedes,
               NodeRef::Id(static_cast<NodeId>(i)));
  ASSERT_TRUE(graph->Apply(batch));
  ASSERT_EQ(VisibleNodes(graph->snapshot(), 0).value()->ToList(), std::vector<NodeId>{kLength});
  const auto carried = [&] {
    return graph->snapshot().state().derived.kept.Find<memory::internal::VisibleSet>();
  };
  // A new head; an old node superseded once more; a link out of the middle taken away: all local.
  WriteBatch next(1);
  next.Link(next.UpsertNode("head", NodeKindRef(kMemory)), kSupersedes, NodeRef::Id(kLength));
  next.Link(next.UpsertNode("side", NodeKindRef(kMemory)), kSupersedes, NodeRef::Id(kLength / 2));
  next.Unlink(NodeRef::Id(101), kSupersedes, NodeRef::Id(100));
  ASSERT_TRUE(graph->Apply(next));
  ASSERT_TRUE(carried());
  EXPECT_EQ(carried()->nodes()->ToList(), (std::vector<NodeId>{100, kLength + 1, kLength + 2}));
  // The chain bites its tail: too much to search, and a cycle of all.
  WriteBatch bite(1);
  bite.Link(NodeRef::Id(101), kSupersedes, NodeRef::Id(100));
  WriteBatch::EdgeInput in;
  in.source = NodeRef::Id(0);
  in.target = NodeRef::Id(kLength + 1);
  in.kind = kSupersedes;
  in.created_at = 5;
  bite.Link(in);
  ASSERT_TRUE(graph->Apply(bite));
  EXPECT_EQ(*VisibleNodes(graph->snapshot(), 0).value(),
            *VisibleNodes(graph->snapshot(), 0, {false, false}).value());
  WriteBatch open(1);
  open.Unlink(NodeRef::Id(501), kSupersedes, NodeRef::Id(500));
  ASSERT_TRUE(graph->Apply(open));
  EXPECT_EQ(*VisibleNodes(graph->snapshot(), 0).value(),
            *VisibleNodes(graph->snapshot(), 0, {false, false}).value());
}

// More valid times than are kept ahead.
TEST(Carried, ManyMomentsAhead) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  for (int i = 0; i < 20'000; ++i)
    batch.SetI64(batch.UpsertNode("n" + std::to_string(i), NodeKindRef(kMemory)), kValidUntil,
                 10 + (i * 7919) % 20'000);
  ASSERT_TRUE(graph->Apply(batch));
  for (std::int64_t now : {0, 11, 500, 8'000, 9'000, 19'000, 30'000, 100}) {
    const Snapshot s = graph->snapshot();
    const auto got = VisibleNodes(s, now).value();
    EXPECT_EQ(*got, *VisibleNodes(s, now, {false, false}).value()) << now;
    EXPECT_EQ(VisibleNodes(s, now).value(), got);
    WriteBatch more(1);
    more.SetI64(more.UpsertNode("m" + std::to_string(now), NodeKindRef(kMemory)), kValidUntil,
                now + 5);
    ASSERT_TRUE(graph->Apply(more));
  }
}

// A set found for a time that passes is moved to the next, and serves the states to come.
TEST(Carried, TheClockGoesOn) {
  auto graph = Graph::InMemory();
  std::int64_t now = 1000;
  for (int i = 0; i < 300; ++i, now += 3) {
    WriteBatch batch(now);
    const NodeRef node = batch.UpsertNode("n" + std::to_string(i), NodeKindRef(kMemory));
    batch.SetI64(node, kValidFrom, now);
    if (i % 3 == 0) batch.SetI64(node, kValidUntil, now + 40);
    ASSERT_TRUE(graph->Apply(batch));
    const Snapshot s = graph->snapshot();
    if (i > 0) {
      EXPECT_TRUE(s.state().derived.kept.Find<memory::internal::VisibleSet>(0) ||
                  s.state().derived.kept.Find<memory::internal::VisibleSet>(1));
    }
    ASSERT_EQ(*VisibleNodes(s, now + 1).value(), *VisibleNodes(s, now + 1, {false, false}).value())
        << i;
  }
}

TEST(Carried, SubsetsShareWhatIsTheSame) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> words(3000);
  for (std::uint64_t& w : words) w = random();
  NodeSubset set(static_cast<NodeId>(3000 * 64 - 17), words);
  std::vector<bool> model;
  for (NodeId v = 0; v < set.capacity(); ++v) model.push_back(set.contains(v));
  for (int step = 0; step < 200; ++step) {
    const auto capacity = static_cast<NodeId>(set.capacity() + (step % 3 ? 0 : random() % 3000));
    model.resize(capacity);
    std::vector<NodeSubset::Change> changes;
    for (int i = 0; i < 10; ++i) {
      changes.push_back({static_cast<NodeId>(random() % capacity), random() % 2 == 0});
      model[changes.back().node] = changes.back().member;
    }
    set = set.With(capacity, changes);
    ASSERT_EQ(set.capacity(), capacity);
    if (step % 20) continue;
    std::vector<std::uint64_t> bits((std::size_t{capacity} + 63) / 64);
    for (NodeId v = 0; v < capacity; ++v) bits[v / 64] |= std::uint64_t{model[v]} << (v % 64);
    const NodeSubset anew(capacity, bits);
    ASSERT_EQ(set, anew);
    ASSERT_EQ(set.count(), anew.count());
    ASSERT_EQ(set.ToList(), anew.ToList());
    for (std::size_t w = 0; w < bits.size(); ++w) ASSERT_EQ(set.word(w), bits[w]);
  }
}

}  // namespace
}  // namespace plexus::testing
