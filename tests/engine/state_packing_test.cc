// What removed nodes and unused strings leave behind: less after a compaction, and the
// same answers and ids as without one.
#include "engine/writer/state_packing.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/fakes.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

constexpr int kMemories = 40'000;
std::string MemoryKey(int i) { return "memory-" + std::to_string(1'000'000 + i); }

void Add(Graph& graph, int first, int last) {
  WriteBatch batch(1);
  for (int i = first; i < last; ++i) {
    const NodeRef node = batch.UpsertNode(MemoryKey(i), kMemory);
    batch.SetF64(node, kRetention, i);
    batch.SetString(node, kScope, "scope" + std::to_string(i / 2));
    batch.SetPayload(node, NodeField::kText, "text");
    const std::string label = "label" + std::to_string(i / 2);
    batch.Link({.source = node,
                .target = batch.IndexNode(kTag, std::to_string(i % 10)),
                .kind = kHasTag,
                .label = label});
  }
  ASSERT_TRUE(graph.Apply(batch));
}

void Remove(Graph& graph, int first, int last) {
  WriteBatch batch(2);
  for (int i = first; i < last; ++i) batch.RemoveNode(batch.Node(MemoryKey(i)));
  ASSERT_TRUE(graph.Apply(batch));
}

TEST(StatePacking, RemovedRangesTakeLittle) {
  auto graph = Graph::InMemory();
  Add(*graph, 0, kMemories);
  const metrics::GraphBytes full = metrics::MeasureBytes(graph->snapshot());
  Remove(*graph, 100, kMemories - 100);
  const Snapshot removed = graph->snapshot();
  const std::string before = Dump(removed);
  ASSERT_TRUE(graph->Compact());
  const Snapshot packed = graph->snapshot();
  const metrics::GraphBytes bytes = metrics::MeasureBytes(packed);
  EXPECT_LT(bytes.keys, full.keys / 3);
  EXPECT_LT(bytes.strings, full.strings / 2);
  EXPECT_LT(bytes.columns, full.columns / 4);
  EXPECT_LT(bytes.payload_refs, full.payload_refs / 4);
  EXPECT_LT(bytes.nodes, full.nodes / 2);
  EXPECT_LT(bytes.total, std::uint64_t{42} * kMemories)
      << "bytes a node, strings and offsets included";
  EXPECT_TRUE(SameText(Dump(packed), before));
  EXPECT_TRUE(SameText(Dump(removed), before)) << "a snapshot of before";
  EXPECT_EQ(graph->stats().packings, 1u);
}

TEST(StatePacking, WhatComesBackHasItsOldIds) {
  auto packed = Graph::InMemory(), plain = Graph::InMemory();
  for (Graph* graph : {packed.get(), plain.get()}) {
    Add(*graph, 0, 3000);
    Remove(*graph, 0, 2900);
  }
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(packed->Compact());
    for (Graph* graph : {packed.get(), plain.get()}) {
      Add(*graph, 400 * round, 400 * round + 700);  // some of them for the second time
      Add(*graph, 3000 + 100 * round, 3100 + 100 * round);
      Remove(*graph, 400 * round, 400 * round + 200);
    }
    ASSERT_TRUE(SameText(Dump(packed->snapshot()), Dump(plain->snapshot()))) << round;
  }
  EXPECT_EQ(packed->snapshot().Find(MemoryKey(5)), plain->snapshot().Find(MemoryKey(5)));
}

// Records of a graph that packs, replayed on one that does not and the other way round.
TEST(StatePacking, ReplicasGiveTheSameIds) {
  auto store = std::make_shared<FakeStore>();
  auto graph = Graph::Open(Snapshot(), store, {}, store);
  auto replica = Graph::Open(Snapshot(), nullptr, {}, store);  // whose payloads are the same
  for (int round = 0; round < 6; ++round) {
    Add(*graph, 0, 2000);
    Add(*graph, 2000 + round, 2100 + round);
    Remove(*graph, 50 * round, 1990);
    for (Graph* each : {graph.get(), replica.get()})
      if (each == graph.get() ? round % 2 == 0 : round % 3 != 0) {
        ASSERT_TRUE(each->Compact());
      }
    ASSERT_TRUE(ReplayNew(*replica, *store));
    ASSERT_TRUE(SameText(Dump(replica->snapshot()), Dump(graph->snapshot()))) << round;
  }
}

// Packing is made of a state that the writer has left behind.
TEST(StatePacking, CatchesUpWithTheWriter) {
  for (const bool caught : {false, true}) {
    WriterHarness live, plain;
    const auto both = [&](auto&& fill) {
      ASSERT_TRUE(live.Do(fill));
      ASSERT_TRUE(plain.Do(fill));
    };
    both([](WriteBatch& b) {
      for (int i = 0; i < 5000; ++i) {
        const NodeRef node = b.UpsertNode(MemoryKey(i));
        b.SetI64(node, kAccessCount, 7);
        b.SetString(node, kScope, "scope" + std::to_string(i));
      }
    });
    both([](WriteBatch& b) {
      for (int i = 0; i < 4000; ++i) b.RemoveNode(b.Node(MemoryKey(i)));
    });
    const Snapshot old = live.snapshot();
    StatePacking packing = StatePacking::Make(old.state(), {0, 64});
    both([](WriteBatch& b) {  // into pages that are shared, of nodes that are packed, and new ones
      for (int i = 0; i < 5200; i += 50) {
        b.SetI64(b.UpsertNode(MemoryKey(i)), kAccessCount, i);
        b.SetString(b.Node(MemoryKey(i)), kScope, "scope" + std::to_string(i / 2 * 3));
      }
    });
    if (caught) {
      EXPECT_GT(packing.CatchUp(live.snapshot().state()), 0u);
    }
    live.writer.InstallPacked(std::move(packing));
    ASSERT_TRUE(SameText(Dump(live.snapshot()), Dump(plain.snapshot())));
    both([](WriteBatch& b) {
      for (int i = 0; i < 5200; i += 13) {
        b.SetI64(b.UpsertNode(MemoryKey(i)), kAccessCount, -i);
        b.SetF64(b.Node(MemoryKey(i)), kStability, i);
      }
      b.RemoveNode(b.Node(MemoryKey(4999)));
    });
    ASSERT_TRUE(SameText(Dump(live.snapshot()), Dump(plain.snapshot())));
    EXPECT_EQ(old.i64(kAccessCount, 4999), 7);
  }
}

TEST(StatePacking, InTheBackground) {
  GraphOptions options;
  options.maintenance = Maintenance::kBackground;
  auto graph = Graph::InMemory(options);
  const auto batch = [&](auto&& each) {
    WriteBatch b(1);
    for (int i = 0; i < 80'000; ++i) each(b, i);
    ASSERT_TRUE(graph->Apply(b));
  };
  batch([](WriteBatch& b, int i) { b.UpsertNode(MemoryKey(i)); });
  const std::uint64_t before = metrics::MeasureBytes(graph->snapshot()).keys;
  batch([](WriteBatch& b, int i) { b.RemoveNode(b.Node(MemoryKey(i))); });
  for (int i = 0; graph->stats().packings == 0; ++i) {  // for as long as it takes
    WriteBatch more(1);
    more.UpsertNode("more" + std::to_string(i));
    ASSERT_TRUE(graph->Apply(more));
  }
  const Snapshot now = graph->snapshot();
  EXPECT_LT(metrics::MeasureBytes(now).keys - now.state().keys.packed_count() * 10,
            before / 2 + 64 * now.node_count());
  EXPECT_GE(now.state().keys.packed_count(), 80'000u);
  for (int i = 0; i < 80'000; i += 7) ASSERT_EQ(now.Find(MemoryKey(i)), i);
}

TEST(StatePacking, FewRemovedNodesAreLeftAlone) {
  auto graph = Graph::InMemory();
  Add(*graph, 0, 1000);
  Remove(*graph, 0, 10);
  ASSERT_TRUE(graph->Compact());
  EXPECT_EQ(graph->snapshot().state().keys.packed_count(), 0u);
  Remove(*graph, 10, 100);
  ASSERT_TRUE(graph->Compact());
  EXPECT_EQ(graph->snapshot().state().keys.packed_count(), 100u);
}

}  // namespace
}  // namespace plexus
