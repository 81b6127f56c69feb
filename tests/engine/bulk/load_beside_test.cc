// A load into a graph that is not empty is what the same batches make of it: state, records and
// history to the bit, whatever was there before, the budget and the threads; stopped, it is a
// prefix of its batches.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/bulk/stored_batch.h"
#include "engine/graph.h"
#include "engine/writer/state_writer.h"
#include "tests/engine/bulk/edge_loads.h"
#include "tests/engine/bulk/loaded.h"
#include "tests/support/dump.h"

namespace plexus::testing {
using namespace builtin;
namespace {

// The batches of a load from `first` on, with the ids of a graph that has those before, and more.
EdgeLoad Beside(EdgeLoad load, std::size_t first, const Snapshot& now) {
  const StringTable::View keys = load.keys.Publish(), strings = load.strings.Publish();
  EdgeLoad beside;
  beside.time_ms = load.time_ms;
  beside.keys = StringTable(now.state().keys);
  beside.strings = StringTable(now.state().strings);
  Schema schema = now.schema();
  const auto define = [&](const auto& all, auto& left, std::size_t known) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i >= known) left.push_back(all[i]);
  };
  define(load.node_kind_definitions, beside.node_kind_definitions,
         schema.node_kinds().size() - kFirstUserNodeKind.value());
  define(load.edge_kind_definitions, beside.edge_kind_definitions,
         schema.edge_kinds().size() - kFirstUserEdgeKind.value());
  std::vector<NodeId> ids;
  std::vector<KindId> kinds;
  for (std::size_t b = 0; b < load.batches.size(); ++b) {
    LoadBatch& batch = load.batches[b];
    for (NodeId v = static_cast<NodeId>(ids.size()); v < batch.nodes; ++v) {
      const auto [id, is_new] = beside.keys.Insert(keys[v]);
      ids.push_back(id);
      if (is_new && !load.node_kinds.empty()) kinds.push_back(load.node_kinds[v]);
    }
    if (b < first) continue;
    batch.nodes = beside.keys.size();
    for (NodePair& edge : batch.edges) edge = {ids[edge.source], ids[edge.target]};
    for (StringId& label : batch.labels) label = beside.strings.Insert(strings[label]).id;
    beside.batches.push_back(std::move(batch));
  }
  beside.node_kinds = ArrayOf(kinds);
  return beside;
}

struct Before {
  EdgeLoad load;
  std::size_t first = 0;
  std::vector<WriteBatch> base, rest;
};

// Some batches of a random load, and what no load can say: properties, tags, removed edges.
Before RandomBefore(std::uint64_t seed, std::size_t most) {
  std::mt19937_64 random(seed + 77);
  Before before;
  before.load = RandomLoad(seed, most);
  const StringTable::View keys = before.load.keys.Publish();
  before.rest = BatchesOf(before.load, keys);
  const std::size_t batches = before.load.batches.size();
  before.first = batches > 1 ? 1 + random() % (batches - 1) : 0;
  const auto end = before.rest.begin() + static_cast<std::ptrdiff_t>(before.first);
  before.base.assign(std::make_move_iterator(before.rest.begin()), std::make_move_iterator(end));
  before.rest.erase(before.rest.begin(), end);
  const NodeId nodes = before.first == 0 ? 0 : before.load.batches[before.first - 1].nodes;
  WriteBatch more(900'000);
  const NodeRef tagged = more.UpsertNode(nodes > 0 ? keys[0] : "alone");
  more.Link(tagged, kHasTag, more.IndexNode(kTag, "blue"));
  if (nodes > 0) {
    WriteBatch::EdgeInput edge;
    edge.source = more.Node(keys[random() % nodes]);
    edge.target = more.Node(keys[random() % nodes]);
    edge.kind = kLink;
    edge.label = "with a past";
    edge.created_by = "somebody";
    edge.valid_from = 7;
    more.Link(edge);
    for (const NodePair pair : before.load.batches[0].edges)
      if (random() % 4 == 0)
        more.Unlink(more.Node(keys[pair.source]), kLink, more.Node(keys[pair.target]));
  }
  before.base.push_back(std::move(more));
  return before;
}

constexpr std::uint64_t kBesideBudgets[] = {~std::uint64_t{0}, 0, std::uint64_t{1} << 20};

TEST(LoadBeside, IsWhatItsBatchesMake) {
  const auto two = MakeThreadExecutor(2), three = MakeThreadExecutor(3);
  Executor* executors[] = {&SerialExecutor(), two.get(), three.get()};
  std::uint64_t changed = 0, same = 0;
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t most = seed % 20 == 0 ? 60'000 : seed % 3 ? 300 : 20;
    Before before = RandomBefore(seed, most);
    const Loaded applied = LoadInto({}, SerialExecutor(), nullptr, before.base);
    ASSERT_EQ(applied.report.error().code, ErrorCode::kFailedPrecondition);  // other keys
    const Snapshot start = applied.graph->snapshot();
    ChangeCounts edges;
    for (const WriteBatch& batch : before.rest) {
      const auto report = applied.graph->Apply(batch);
      ASSERT_TRUE(report) << report.error().ToString();
      edges.added += report->edges.added;
      edges.changed += report->edges.changed;
      edges.same += report->edges.same;
    }
    changed += edges.changed;
    same += edges.same;
    ASSERT_TRUE(applied.graph->Compact());
    for (std::size_t i = 0; i < std::size(kBesideBudgets); ++i) {
      SCOPED_TRACE(kBesideBudgets[i]);
      EdgeLoad load = Beside(RandomLoad(seed, most), before.first, start);
      std::vector<std::uint64_t> changed_of;
      load.changed_of = &changed_of;
      load.memory = kBesideBudgets[i];
      load.scratch = std::make_shared<MemoryScratch>();
      for (LoadBatch& batch : load.batches)
        if (i == 2 && seed % 2) {
          ASSERT_TRUE(StoreBatch(batch, *load.scratch));
        }
      const Loaded loaded =
          LoadInto(std::move(load), *executors[(seed + i) % 3], nullptr, before.base);
      ASSERT_TRUE(loaded.report) << loaded.report.error().ToString();
      EXPECT_EQ(loaded.report->edges.added, edges.added);
      EXPECT_EQ(loaded.report->edges.changed, edges.changed);
      EXPECT_EQ(loaded.report->edges.same, edges.same);
      EXPECT_FALSE(loaded.graph->snapshot().has_delta());
      ExpectSameGraphs(*applied.graph, *loaded.graph);
      ExpectSameRecords(applied.store->Records(), loaded.store->Records());
      EXPECT_EQ(loaded.store->violations(), 0);
      WriteBatch more(2'000'000);  // it goes on
      more.Link(more.Node("new"), kLink, more.UpsertNode("key 0"));
      ASSERT_TRUE(loaded.graph->Apply(more));
    }
  }
  EXPECT_GT(changed, 200u);
  EXPECT_GT(same, 1'000u);
}

TEST(LoadBeside, StoppedItIsAPrefixOfItsBatches) {
  int stopped = 0, partial = 0;
  for (const std::string_view phase : {"checking", "partitioning", "sorting", "writing"})
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      SCOPED_TRACE(std::string(phase) + " " + std::to_string(seed));
      const Before before = RandomBefore(seed, 300);
      const Loaded applied = LoadInto({}, SerialExecutor(), nullptr, before.base);
      const Snapshot start = applied.graph->snapshot();
      for (int passed = 0; passed < 20; ++passed) {
        StopAt stop(phase, passed);
        EdgeLoad load = Beside(RandomLoad(seed, 300), before.first, start);
        load.memory = seed % 2 ? 300 : ~std::uint64_t{0};
        load.scratch = std::make_shared<MemoryScratch>();
        const Loaded loaded = LoadInto(std::move(load), SerialExecutor(), &stop, before.base);
        if (loaded.report) break;
        ASSERT_EQ(loaded.report.error().code, ErrorCode::kCancelled);
        ++stopped;
        StateWriter writer(EmptyState());
        writer.SetPayloadStore(loaded.store);
        for (const Record& record : loaded.store->Records()) ASSERT_TRUE(writer.Apply(record));
        const Snapshot replayed(writer.Publish());
        ASSERT_EQ(loaded.graph->snapshot().sequence(), replayed.sequence());
        ASSERT_TRUE(SameText(Dump(replayed), Dump(loaded.graph->snapshot())));
        partial += replayed.sequence() > start.sequence();
        if (phase != "writing") {
          EXPECT_EQ(replayed.sequence(), start.sequence());
        }
      }
    }
  EXPECT_GT(stopped, 100);
  EXPECT_GT(partial, 1);
}

// A graph of two nodes and an edge with properties, the second one removed on demand.
std::unique_ptr<Graph> Small(bool removed) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  WriteBatch::EdgeInput edge;
  edge.source = batch.UpsertNode("a");
  edge.target = batch.UpsertNode("b");
  edge.kind = kLink;
  edge.created_by = "me";
  batch.Link(edge);
  EXPECT_TRUE(graph->Apply(batch));
  WriteBatch remove(2);
  remove.RemoveNode(remove.Node("b"));
  if (removed) {
    EXPECT_TRUE(graph->Apply(remove));
  }
  return graph;
}

TEST(LoadBeside, WhatALoadCannotSayIsRefused) {
  for (const bool removed : {false, true}) {
    const auto graph = Small(removed);
    const Snapshot now = graph->snapshot();
    const auto load = [&](std::vector<float> weights) {
      EdgeLoad made;
      made.time_ms = 5;
      made.keys = StringTable(now.state().keys);
      made.keys.Insert("c");
      made.batches.push_back(BatchOf({{0, 1}, {0, 2}}, 3, weights));
      return graph->Load(std::move(made));
    };
    const auto other = load({0.5f, 1});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code,
              removed ? ErrorCode::kInvalidArgument : ErrorCode::kFailedPrecondition);
    EXPECT_NE(other.error().message.find(removed ? "edge 0: node 1 is removed" : "created_by"),
              std::string::npos)
        << other.error().message;
    EXPECT_EQ(graph->snapshot().sequence(), now.sequence());
    if (removed) continue;
    const auto same = load({});
    ASSERT_TRUE(same) << same.error().ToString();
    EXPECT_EQ(same->edges.added, 1u);
    EXPECT_EQ(same->edges.same, 1u);
    EXPECT_EQ(same->nodes.added, 1u);
    EXPECT_NE(graph->snapshot().FindEdge(0, kLink, 1)->created_by, 0u);
  }
}

}  // namespace
}  // namespace plexus::testing
