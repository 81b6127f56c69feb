// A load that its memory does not hold is the same load: state, records and history to the bit,
// whatever the budget, the threads and the part that is stored before; and what fails in the
// scratch changes nothing, or leaves the records that are written.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/bulk/load_entries.h"
#include "engine/bulk/stored_batch.h"
#include "engine/graph.h"
#include "engine/writer/state_writer.h"
#include "tests/engine/bulk/edge_loads.h"
#include "tests/engine/bulk/loaded.h"
#include "tests/support/dump.h"

namespace plexus::testing {
namespace {

constexpr std::uint64_t kBudgets[] = {0, 500, 20'000, std::uint64_t{1} << 20};

// The load of a seed with a budget, some of its batches stored.
EdgeLoad WithBudget(std::uint64_t seed, std::size_t most, std::uint64_t memory,
                    const std::shared_ptr<MemoryScratch>& scratch, std::uint64_t stored) {
  EdgeLoad load = RandomLoad(seed, most);
  load.memory = memory;
  load.scratch = scratch;
  for (std::size_t b = 0; b < load.batches.size(); ++b)
    if (stored >> (b % 8) & 1) {
      EXPECT_TRUE(StoreBatch(load.batches[b], *scratch));
    }
  return load;
}

TEST(StoredLoad, IsTheLoadInMemory) {
  const auto two = MakeThreadExecutor(2), three = MakeThreadExecutor(3);
  Executor* executors[] = {&SerialExecutor(), two.get(), three.get()};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t most = seed % 20 == 0 ? 60'000 : seed % 3 ? 300 : 20;
    std::vector<std::uint64_t> changed_in_memory;
    EdgeLoad load = RandomLoad(seed, most);
    load.changed_of = &changed_in_memory;
    const Loaded memory = LoadInto(std::move(load), *executors[seed % 3]);
    ASSERT_TRUE(memory.report) << memory.report.error().ToString();
    for (std::size_t i = 0; i < std::size(kBudgets); ++i) {
      SCOPED_TRACE(kBudgets[i]);
      const auto scratch = std::make_shared<MemoryScratch>();
      std::vector<std::uint64_t> changed;
      EdgeLoad again = WithBudget(seed, most, kBudgets[i], scratch, i == 1 ? 0 : seed * 37 + i);
      again.changed_of = &changed;
      const Loaded stored = LoadInto(std::move(again), *executors[(seed + i) % 3]);
      ASSERT_TRUE(stored.report) << stored.report.error().ToString();
      if (kBudgets[i] == 0) {
        EXPECT_TRUE(scratch->calls() > 0 || memory.report->edges.added == 0);
      }
      EXPECT_EQ(stored.report->edges.added, memory.report->edges.added);
      EXPECT_EQ(stored.report->edges.changed, memory.report->edges.changed);
      EXPECT_EQ(stored.report->edges.same, memory.report->edges.same);
      EXPECT_EQ(changed, changed_in_memory);
      ExpectSameGraphs(*memory.graph, *stored.graph);
      ExpectSameRecords(memory.store->Records(), stored.store->Records());
      EXPECT_EQ(stored.store->violations(), 0);
    }
  }
}

TEST(StoredLoad, StoppedItIsAPrefixOfItsBatches) {
  int partial = 0;
  for (const std::string_view phase : {"partitioning", "sorting", "writing"}) {
    int stopped = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE(std::string(phase) + " " + std::to_string(seed));
      std::vector<Sequence> prefixes;
      for (int passed = 0;; ++passed) {
        const auto scratch = std::make_shared<MemoryScratch>();
        StopAt stop(phase, passed);
        const Loaded stored =
            LoadInto(WithBudget(seed, 300, 300, scratch, seed), SerialExecutor(), &stop);
        if (stored.report) {
          for (const Sequence prefix : prefixes) partial += prefix < stored.report->sequence;
          break;
        }
        ++stopped;
        ASSERT_EQ(stored.report.error().code, ErrorCode::kCancelled);
        EXPECT_FALSE(stored.graph->read_only());
        StateWriter writer(EmptyState());
        for (const Record& record : stored.store->Records()) ASSERT_TRUE(writer.Apply(record));
        const Snapshot replayed(writer.Publish());
        ASSERT_EQ(stored.graph->snapshot().sequence(), replayed.sequence());
        ASSERT_TRUE(SameText(Dump(replayed), Dump(stored.graph->snapshot())));
        if (replayed.sequence() > 0) prefixes.push_back(replayed.sequence());
      }
    }
    EXPECT_GT(stopped, 30) << phase;
  }
  EXPECT_GT(partial, 10);
}

// Three batches of a memory's size are a run: their changes with values and arrays are as large.
TEST(StoredLoad, ARunIsWhatTheMemoryHoldsOfItsChanges) {
  constexpr std::uint64_t kEdges = 1000, kBytes = 16 + 32 + 8 + 4 + 8;
  EdgeLoad load;
  load.time_ms = 5;
  for (std::uint64_t v = 0; v <= kEdges; ++v) load.keys.Insert(std::to_string(v));
  for (NodeId b = 0; b < 12; ++b) {
    std::vector<NodePair> edges;
    for (NodeId v = 0; v < kEdges; ++v) edges.push_back({v, (v + b) % (NodeId{kEdges} + 1)});
    LoadBatch& batch = load.batches.emplace_back(BatchOf(edges, NodeId{kEdges} + 1));
    batch.created_at = ArrayOf(std::vector<std::int64_t>(kEdges, b));
  }
  load.memory = 3 * kEdges * kBytes;
  load.scratch = std::make_shared<MemoryScratch>();
  StopAt runs("partitioning", 100);
  ASSERT_TRUE(LoadInto(std::move(load), SerialExecutor(), &runs).report);
  EXPECT_EQ(runs.reports(), 4);
}

TEST(StoredLoad, ValuesOfAPartTakeTheRoomOfItsEntries) {
  std::vector<engine_internal::ValuedEntry> entries;
  for (std::uint64_t i = 0; i < 33; ++i) entries.push_back({i, 0, 0, 0});
  std::vector<engine_internal::LoadValue> values;
  bool inverted = false;
  const auto stated = [](const engine_internal::ValuedEntry&) {
    return engine_internal::LoadValue();
  };
  const auto no_edge = [](std::uint64_t, engine_internal::LoadValue&) { return false; };
  EXPECT_EQ(engine_internal::KeepChanges(entries.data(), entries.size(), stated, 5, values,
                                         inverted, no_edge, [](std::uint64_t) {}),
            33u);
  EXPECT_EQ(values.size(), 33u);
  EXPECT_LE(values.capacity(), 33u);
}

// One wrong bit in what is read, of batches, of entries and of changes, is found wherever it is.
TEST(StoredLoad, AWrongBitInTheScratchIsFound) {
  int unchanged = 0, ahead = 0;
  for (const std::uint64_t seed : {1, 2, 6, 7, 11}) {
    SCOPED_TRACE(seed);
    for (std::size_t n = 1;; n += n < 40 ? 1 : 7) {
      const auto scratch = std::make_shared<MemoryScratch>();
      EdgeLoad load = WithBudget(seed, 300, 2'000, scratch, seed);
      scratch->FlipAt(n);
      const Loaded stored = LoadInto(std::move(load), SerialExecutor());
      if (scratch->reads() < n) break;
      ASSERT_FALSE(stored.report) << n;
      ASSERT_EQ(stored.report.error().code, ErrorCode::kCorruption)
          << stored.report.error().ToString();
      (stored.graph->read_only() ? ahead : unchanged) += 1;
    }
  }
  EXPECT_GT(unchanged, 20);
  EXPECT_GT(ahead, 5);
}

TEST(StoredLoad, WhatAStoredBatchSaysOfItselfIsChecked) {
  const auto scratch = std::make_shared<MemoryScratch>();
  for (const bool kinds : {true, false}) {
    EdgeLoad load = RandomLoad(6, 300);
    for (LoadBatch& batch : load.batches) ASSERT_TRUE(StoreBatch(batch, *scratch));
    const auto stored = std::ranges::find_if(
        load.batches, [](const LoadBatch& batch) { return batch.stored.edges > 0; });
    ASSERT_NE(stored, load.batches.end());
    if (kinds)
      stored->stored.kinds.push_back(60'000);
    else
      stored->stored.strings = 1'000'000;
    load.scratch = scratch;
    const Loaded refused = LoadInto(std::move(load), SerialExecutor());
    ASSERT_FALSE(refused.report);
    EXPECT_EQ(refused.report.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.report.error().message.find(kinds ? "kind 60000" : "more labels"),
              std::string::npos)
        << refused.report.error().message;
  }
}

// Each call of the scratch fails once: nothing is changed, or the journal is ahead and says so.
TEST(StoredLoad, WhateverFailsInTheScratchIsAnError) {
  int unchanged = 0, ahead = 0;
  for (const std::uint64_t seed : {1, 2, 6, 7, 11}) {
    SCOPED_TRACE(seed);
    for (std::size_t n = 1;; n += n < 40 ? 1 : 7) {
      const auto scratch = std::make_shared<MemoryScratch>();
      EdgeLoad load = WithBudget(seed, 300, 2'000, scratch, 0);
      scratch->FailAt(n);
      const Loaded stored = LoadInto(std::move(load), SerialExecutor());
      if (stored.report) break;
      ASSERT_EQ(stored.report.error().code, ErrorCode::kIo) << stored.report.error().ToString();
      EXPECT_EQ(stored.graph->snapshot().sequence(), 0u);
      if (stored.store->calls() == 0 && !stored.graph->read_only()) {
        ++unchanged;
        EXPECT_TRUE(stored.graph->Load(RandomLoad(seed, 300)));
      } else {
        ++ahead;
        EXPECT_TRUE(stored.graph->read_only());
      }
    }
  }
  EXPECT_GT(unchanged, 20);
  EXPECT_GT(ahead, 5);
}

TEST(StoredLoad, AStoredBatchIsCheckedLikeOthers) {
  for (const LoadCase& c : LoadCases()) {
    SCOPED_TRACE(c.name);
    EdgeLoad load = c.make();
    const auto scratch = std::make_shared<MemoryScratch>();
    bool fits = true;
    for (LoadBatch& batch : load.batches) {  // arrays of other lengths cannot be stored
      ForEachColumn(batch, [&](const auto& array) {
        fits &= array.empty() || array.size() == batch.edges.size();
      });
      if (!fits) continue;
      ASSERT_TRUE(StoreBatch(batch, *scratch));
    }
    load.scratch = scratch;
    load.memory = 0;
    const Loaded stored = LoadInto(std::move(load), SerialExecutor());
    ASSERT_EQ(stored.report.has_value(), c.error.empty());
    if (stored.report) continue;
    EXPECT_EQ(stored.report.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(stored.report.error().message.find(c.error), std::string::npos)
        << stored.report.error().message;
    EXPECT_EQ(stored.graph->snapshot().sequence(), 0u);
  }
  EdgeLoad lost = RandomLoad(1, 300);
  MemoryScratch elsewhere;
  for (LoadBatch& batch : lost.batches) ASSERT_TRUE(StoreBatch(batch, elsewhere));
  EXPECT_EQ(LoadInto(std::move(lost), SerialExecutor()).report.error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace plexus::testing
