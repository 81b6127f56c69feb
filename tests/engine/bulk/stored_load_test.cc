// A load that its memory does not hold is the same load: state, records and history to the bit,
// whatever the budget, the threads and the part that is stored before; and what fails in the
// scratch changes nothing, or leaves the records that are written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <tuple>
#include <vector>

#include "engine/bulk/load_entries.h"
#include "engine/bulk/stored_batch.h"
#include "engine/graph.h"
#include "engine/state_writer.h"
#include "tests/engine/bulk/edge_loads.h"
#include "tests/support/dump.h"
#include "tests/support/fakes.h"

namespace plexus::testing {
namespace {

// Bytes in memory; the n-th call fails on demand, and what was never written cannot be read.
class MemoryScratch final : public LoadScratch {
 public:
  Status Write(std::uint64_t at, std::span<const std::byte> bytes) override {
    const std::lock_guard lock(mutex_);
    if (++calls_ == fail_at_) return Fail(ErrorCode::kIo, "injected fault of the scratch");
    const std::size_t end = at + bytes.size();
    if (bytes_.size() < end) {
      bytes_.resize(end);
      written_.resize(end);
    }
    if (!bytes.empty()) std::memcpy(bytes_.data() + at, bytes.data(), bytes.size());
    std::fill_n(written_.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), true);
    return {};
  }
  Status Read(std::uint64_t at, std::span<std::byte> bytes) override {
    const std::lock_guard lock(mutex_);
    if (++calls_ == fail_at_) return Fail(ErrorCode::kIo, "injected fault of the scratch");
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (at + i >= bytes_.size() || !written_[at + i])
        return Fail(ErrorCode::kInternal, "reads what was not written");
    if (!bytes.empty()) std::memcpy(bytes.data(), bytes_.data() + at, bytes.size());
    if (!bytes.empty() && ++reads_ == flip_at_) bytes[bytes.size() / 2] ^= std::byte{4};
    return {};
  }
  void Forget(std::uint64_t at, std::uint64_t bytes) noexcept override {
    const std::lock_guard lock(mutex_);
    for (std::uint64_t i = at; i < at + bytes && i < written_.size(); ++i) written_[i] = false;
  }
  void FailAt(std::size_t call) { fail_at_ = call; }
  // What this read returns has a wrong bit.
  void FlipAt(std::size_t read) { flip_at_ = read; }
  std::size_t reads() const { return reads_; }
  std::size_t calls() const { return calls_; }

 private:
  std::mutex mutex_;
  std::size_t calls_ = 0, fail_at_ = 0, reads_ = 0, flip_at_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<bool> written_;
};

struct Loaded {
  Result<ApplyReport> report = ApplyReport();
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  std::unique_ptr<Graph> graph;
};

Loaded LoadInto(EdgeLoad load, Executor& executor, Progress* progress = nullptr) {
  Loaded loaded;
  GraphState state = EmptyState();
  state.payload_store = loaded.store;
  GraphOptions options;
  options.executor = &executor;
  loaded.graph = Graph::Open(std::move(state), loaded.store, options);
  loaded.report = loaded.graph->Load(std::move(load), {}, progress);
  return loaded;
}

template <class T>
bool SameBytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void ExpectSameRecords(const std::vector<Record>& a, const std::vector<Record>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Record &x = a[i], &y = b[i];
    EXPECT_EQ(std::tie(x.sequence, x.time_ms, x.first_string, x.string_offsets, x.string_bytes,
                       x.first_node, x.node_kinds, x.key_offsets, x.key_bytes),
              std::tie(y.sequence, y.time_ms, y.first_string, y.string_offsets, y.string_bytes,
                       y.first_node, y.node_kinds, y.key_offsets, y.key_bytes));
    EXPECT_EQ(x.node_kind_definitions.size(), y.node_kind_definitions.size());
    EXPECT_EQ(x.edge_kind_definitions.size(), y.edge_kind_definitions.size());
    EXPECT_TRUE(SameBytes(x.edges, y.edges)) << "record " << i;
    ASSERT_EQ(x.edge_extras.size(), y.edge_extras.size());
    for (std::size_t e = 0; e < x.edge_extras.size(); ++e)
      EXPECT_EQ(std::tie(x.edge_extras[e].index, x.edge_extras[e].valid_from,
                         x.edge_extras[e].valid_until),
                std::tie(y.edge_extras[e].index, y.edge_extras[e].valid_from,
                         y.edge_extras[e].valid_until));
  }
}

void ExpectSameGraphs(const Graph& a, const Graph& b) {
  ASSERT_TRUE(SameText(Dump(a.snapshot()), Dump(b.snapshot())));
  const GraphState &x = a.snapshot().state(), &y = b.snapshot().state();
  EXPECT_EQ(std::tie(x.sequence, x.edges_by_kind, x.nodes_by_kind),
            std::tie(y.sequence, y.edges_by_kind, y.nodes_by_kind));
  const auto same = [](const auto& left, const auto& right) {
    return std::ranges::equal(left.span(), right.span());
  };
  const Csr &p = *x.base, &q = *y.base;
  EXPECT_TRUE(same(p.out_offsets, q.out_offsets) && same(p.out_neighbors, q.out_neighbors) &&
              same(p.out_weights, q.out_weights) && same(p.out_kinds, q.out_kinds) &&
              same(p.out_kinds_high, q.out_kinds_high) && same(p.out_created_at, q.out_created_at));
  EXPECT_TRUE(same(p.in_offsets, q.in_offsets) && same(p.in_neighbors, q.in_neighbors) &&
              same(p.in_weights, q.in_weights) && same(p.in_kinds, q.in_kinds) &&
              same(p.in_kinds_high, q.in_kinds_high) && same(p.in_slots, q.in_slots));
  EXPECT_EQ(std::tie(p.labels.slots, p.labels.values, p.valid_from.slots, p.valid_until.values),
            std::tie(q.labels.slots, q.labels.values, q.valid_from.slots, q.valid_until.values));
}

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

// Stops at a report of a phase, the first one or a later one.
class StopAt final : public Progress {
 public:
  StopAt(std::string_view phase, int passed) : phase_(phase), passed_(passed) {}
  bool Report(std::string_view phase, std::uint64_t, std::uint64_t) override {
    if (phase != phase_) return true;
    ++reports_;
    return passed_-- > 0;
  }
  int reports() const { return reports_; }

 private:
  const std::string_view phase_;
  int passed_, reports_ = 0;
};

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
  EXPECT_EQ(engine_internal::KeepChanges(entries.data(), entries.size(), stated, 5, values,
                                         inverted, [](std::uint64_t) {}),
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
