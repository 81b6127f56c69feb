// Graph: groups of writers, compaction beside them, limits on the delta, snapshots
// that outlive everything, and a journal that fails.
#include "engine/graph.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/vocabulary.h"
#include "engine/writer/state_writer.h"
#include "tests/support/dump.h"
#include "tests/support/fails_with.h"
#include "tests/support/property_map.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

std::unique_ptr<Graph> OpenOn(const std::shared_ptr<FakeStore>& store,
                              const GraphOptions& options = {}) {
  return Graph::Open(Snapshot(), store, options, store);
}

GraphOptions Options(Maintenance maintenance, std::uint64_t soft, std::uint64_t hard = 1 << 23) {
  GraphOptions options;
  options.maintenance = maintenance;
  options.delta_soft_arcs = soft;
  options.delta_hard_arcs = hard;
  return options;
}

WriteBatch Star(int hub, int arms, float weight = 1) {
  WriteBatch batch(1);
  batch.set_links_revive(true);
  NodeRef center = batch.Node("hub" + std::to_string(hub));
  for (int i = 0; i < arms; ++i) {
    NodeRef arm = batch.Node("arm" + std::to_string(i));
    batch.Link(center, kLink, arm, weight);
  }
  return batch;
}

TEST(Graph, InMemoryStartsEmptyAndKeepsPayloads) {
  auto graph = Graph::InMemory();
  Snapshot empty = graph->snapshot();
  EXPECT_EQ(empty.sequence(), 0u);
  EXPECT_EQ(empty.node_count(), 0u);
  EXPECT_FALSE(empty.has_delta());
  EXPECT_FALSE(empty.Find("a"));
  WriteBatch batch(5);
  batch.SetPayload(batch.UpsertNode("a"), NodeField::kText, "hello");
  auto report = graph->Apply(batch);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->sequence, 1u);
  EXPECT_EQ(graph->snapshot().Payload(0, NodeField::kText), "hello");
  EXPECT_FALSE(empty.Find("a"));
  EXPECT_TRUE(graph->WaitDurable(1));
  EXPECT_EQ(graph->stats().batches, 1u);
  EXPECT_FALSE(graph->read_only());
}

// Another state and journal in the place of these: writers wait, snapshots stay, an error changes
// nothing.
TEST(Graph, RenewInstallsAnotherStateAndJournal) {
  const auto store = std::make_shared<FakeStore>(), next = std::make_shared<FakeStore>();
  auto graph = OpenOn(store);
  ASSERT_TRUE(graph->Apply(Star(1, 3)));
  const Snapshot before = graph->snapshot();
  EXPECT_EQ(graph->Renew([] { return Fail(ErrorCode::kIo, "not now"); }).error().message,
            "not now");
  ASSERT_TRUE(graph->Renew([] { return std::nullopt; }));
  EXPECT_FALSE(graph->read_only());
  ASSERT_TRUE(graph->Apply(Star(2, 1)));
  std::thread writer;
  std::atomic<bool> written{false};
  ASSERT_TRUE(graph->Renew([&]() -> Result<std::optional<Graph::Renewal>> {
    const Snapshot state = graph->snapshot();
    writer = std::thread([&] {
      EXPECT_TRUE(graph->Apply(Star(3, 2)));
      written = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_FALSE(written);
    return Graph::Renewal{state, next};
  }));
  writer.join();
  EXPECT_EQ(store->appends(), 2u);
  EXPECT_EQ(next->appends(), 1u);
  EXPECT_EQ(graph->snapshot().sequence(), 3u);
  EXPECT_TRUE(graph->snapshot().Find("hub3"));
  EXPECT_EQ(before.CountEdges(Plane::kFact), 3u);
}

// In RAM as on disk: purged bytes are gone from every snapshot, new ones stay.
TEST(Graph, InMemoryPurgeErasesEverywhere) {
  auto graph = Graph::InMemory();
  auto apply = [&](auto fill) {
    WriteBatch batch(1);
    fill(batch);
    ASSERT_TRUE(graph->Apply(batch));
  };
  const std::string properties = PropertyBytes("p", 1);
  apply([&](WriteBatch& b) {
    NodeRef a = b.UpsertNode("a");
    b.SetPayload(a, NodeField::kText, "first");
    b.SetPayload(b.UpsertNode("b"), NodeField::kText, "kept");
    b.Link({.source = a, .target = b.Node("b"), .kind = kLink, .properties = properties});
  });
  Snapshot first = graph->snapshot();
  apply([](WriteBatch& b) { b.SetPayload(b.Node("a"), NodeField::kText, "second"); });
  Snapshot second = graph->snapshot();
  EXPECT_EQ(first.Payload(0, NodeField::kText), "first");
  ASSERT_TRUE(first.FindEdge(0, kLink, 1)->properties);
  EXPECT_EQ(first.Payload(first.FindEdge(0, kLink, 1)->properties), properties);
  apply([](WriteBatch& b) {
    b.PurgeNode(b.Node("a"));
    b.SetPayload(b.Node("a"), NodeField::kText, "third");
  });
  EXPECT_EQ(first.Payload(0, NodeField::kText).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(second.Payload(0, NodeField::kText).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(first.Payload(first.FindEdge(0, kLink, 1)->properties).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(graph->snapshot().Payload(0, NodeField::kText), "third");
  EXPECT_EQ(first.Payload(1, NodeField::kText), "kept");
}

TEST(Graph, WithoutAJournal) {
  auto graph = Graph::Open(Snapshot(), nullptr);
  WriteBatch batch(5);
  batch.SetPayload(batch.UpsertNode("a"), NodeField::kText, "lost");
  ASSERT_TRUE(graph->Apply(batch));
  EXPECT_TRUE(graph->snapshot().Find("a"));
  EXPECT_EQ(graph->snapshot().Payload(0, NodeField::kText).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(graph->WaitDurable(1));
}

TEST(Graph, DurabilityOfTheGroupIsTheStrictest) {
  auto store = std::make_shared<FakeStore>();
  GraphOptions options;
  options.durability = Durability::kBuffered;
  auto graph = OpenOn(store, options);
  int n = 0;
  auto apply = [&](Durability d) {
    WriteBatch batch(1);
    batch.UpsertNode("n" + std::to_string(n++));
    EXPECT_TRUE(graph->Apply(batch, {.durability = d}));
    return store->last_durability();
  };
  EXPECT_EQ(apply(Durability::kDefault), Durability::kBuffered);
  EXPECT_EQ(apply(Durability::kSync), Durability::kSync);
  EXPECT_EQ(apply(Durability::kNone), Durability::kNone);
  EXPECT_TRUE(graph->WaitDurable(3));
  EXPECT_FALSE(graph->WaitDurable(99)) << "the journal's error comes through";
}

// Writers that wait behind a slow journal are taken together.
TEST(Graph, WritersAreGrouped) {
  auto store = std::make_shared<FakeStore>();
  store->set_append_delay(std::chrono::milliseconds(2));
  auto graph = OpenOn(store);
  constexpr int kThreads = 6, kBatches = 40;
  std::vector<std::thread> writers;
  std::atomic<int> failures = 0;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&, t] {
      Sequence last = 0;
      for (int i = 0; i < kBatches; ++i) {
        WriteBatch batch(1);
        NodeRef node = batch.UpsertNode("t" + std::to_string(t));
        batch.SetI64(node, kAccessCount, i + 1);
        batch.SetPayload(node, NodeField::kText, "text " + std::to_string(i));
        auto report = graph->Apply(batch);
        if (!report || report->sequence <= last) {
          ++failures;
          return;
        }
        last = report->sequence;
        // What was acknowledged is visible.
        Snapshot s = graph->snapshot();
        auto id = s.Find("t" + std::to_string(t));
        if (s.sequence() < last || !id || s.i64(kAccessCount, *id) != i + 1) ++failures;
      }
    });
  }
  for (auto& w : writers) w.join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_EQ(store->violations(), 0);
  EXPECT_EQ(graph->snapshot().sequence(), Sequence{kThreads * kBatches});
  GraphStats stats = graph->stats();
  EXPECT_EQ(stats.batches, std::uint64_t{kThreads * kBatches});
  EXPECT_EQ(stats.groups, store->appends());
  EXPECT_LT(stats.groups, stats.batches) << "no two batches ever shared an fsync";
  EXPECT_GT(store->largest_group(), 1u);
  // The log replays to the same graph.
  StateWriter writer(WriterHarness::FirstState(store));
  for (const Record& record : store->Records()) ASSERT_TRUE(writer.Apply(record));
  EXPECT_TRUE(SameText(Dump(graph->snapshot()), Dump(Snapshot(writer.Publish()))));
}

// A group resolves each batch against the ones before it, payloads included; a bad
// batch in the middle fails alone.
TEST(Graph, OneBadBatchInAGroupFailsAlone) {
  auto store = std::make_shared<FakeStore>();
  store->set_append_delay(std::chrono::milliseconds(1));
  auto graph = OpenOn(store);
  std::atomic<int> good = 0, bad = 0, same = 0;
  std::vector<std::thread> writers;
  for (int t = 0; t < 6; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        WriteBatch batch(1);
        NodeRef node = batch.UpsertNode("shared");
        batch.SetPayload(node, NodeField::kText, "text " + std::to_string(i / 10));
        if (t % 3 == 0) batch.Link(node, kSupports, node);  // refused
        auto report = graph->Apply(batch);
        if (report && report->nodes.same == 1) ++same;
        ++(report ? good : bad);
      }
    });
  }
  for (auto& w : writers) w.join();
  EXPECT_EQ(good.load(), 4 * 30);
  EXPECT_EQ(bad.load(), 2 * 30);
  EXPECT_EQ(graph->stats().batches + static_cast<std::uint64_t>(same.load()), 4u * 30u);
  EXPECT_FALSE(graph->read_only());
  EXPECT_EQ(store->violations(), 0);
  EXPECT_EQ(graph->snapshot().CountEdges(Plane::kFact), 0u);
}

TEST(Graph, CompactFoldsTheDelta) {
  auto graph = Graph::InMemory();
  ASSERT_TRUE(graph->Compact()) << "of nothing";
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(graph->Apply(Star(i, 10)));
  Snapshot before = graph->snapshot();
  ASSERT_TRUE(before.has_delta());
  EXPECT_LE(before.state().runs.size(), engine_internal::kMaxRuns);
  ASSERT_TRUE(graph->Compact());
  Snapshot after = graph->snapshot();
  EXPECT_FALSE(after.has_delta());
  EXPECT_EQ(after.sequence(), before.sequence());
  EXPECT_EQ(after.base().arc_count(), 200u);
  EXPECT_EQ(after.base().sequence, 20u);
  EXPECT_TRUE(before.has_delta()) << "the old snapshot keeps its runs";
  EXPECT_TRUE(SameText(Dump(before), Dump(after)));
  EXPECT_GE(graph->stats().compactions, 1u);
}

TEST(Graph, HardLimitCompactsByItselfAndIsCounted) {
  for (Maintenance maintenance : {Maintenance::kManual, Maintenance::kBackground}) {
    auto graph = Graph::InMemory(Options(maintenance, 1 << 30, 50));
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(graph->Apply(Star(i, 10)));
    GraphStats stats = graph->stats();
    EXPECT_GT(stats.stalls, 0u);
    EXPECT_GT(stats.compactions, 0u);
    EXPECT_EQ(graph->snapshot().CountEdges(Plane::kFact), 400u);
    std::uint64_t delta = 0;
    for (const auto& run : graph->snapshot().state().runs) delta += run->arc_count();
    EXPECT_LE(delta, std::max<std::uint64_t>(50, 400 / 2) + 10);
  }
}

TEST(Graph, BackgroundCompactionAboveTheSoftLimit) {
  std::atomic<Sequence> compacted = 0;
  GraphOptions options = Options(Maintenance::kBackground, 20);
  options.on_compacted = [&](const Snapshot& s) {
    compacted = s.base().sequence;
    compacted.notify_all();
  };
  auto graph = Graph::InMemory(options);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(graph->Apply(Star(i, 10)));
  compacted.wait(0);
  EXPECT_GE(graph->stats().compactions, 1u);
  EXPECT_EQ(graph->stats().stalls, 0u);
  EXPECT_EQ(graph->snapshot().CountEdges(Plane::kFact), 100u);
}

// Too little for the soft limit: it is folded when the writers pause.
TEST(Graph, APauseFoldsWhatALoadLeft) {
  std::atomic<Sequence> compacted = 0;
  GraphOptions options = Options(Maintenance::kBackground, 20);
  options.on_compacted = [&](const Snapshot& s) {
    compacted = s.base().sequence;
    compacted.notify_all();
  };
  auto graph = Graph::InMemory(options);
  const auto wait = [&](Sequence sequence) {
    for (Sequence seen; (seen = compacted) < sequence;) compacted.wait(seen);
  };
  ASSERT_TRUE(graph->Apply(Star(0, 60)));
  wait(1);
  ASSERT_TRUE(graph->Apply(Star(1, 15)));
  wait(2);
  EXPECT_FALSE(graph->snapshot().has_delta());
  ASSERT_TRUE(graph->Apply(Star(2, 15)));
  wait(3);  // and the next one
  EXPECT_EQ(graph->snapshot().CountEdges(Plane::kFact), 90u);
}

TEST(Graph, SnapshotsOutliveManyBatchesAndTheGraph) {
  std::vector<std::pair<Snapshot, std::string>> held;
  {
    auto graph = Graph::InMemory(Options(Maintenance::kBackground, 30));
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(graph->Apply(Star(i % 7, 10, static_cast<float>(i))));
      WriteBatch batch(2);
      NodeRef arm = batch.Node("arm" + std::to_string(i % 10));
      if (i % 9 == 4)
        batch.RemoveNode(arm);
      else
        batch.SetF64(arm, kStability, i);
      ASSERT_TRUE(graph->Apply(batch));
      ASSERT_TRUE(i % 11 != 0 || graph->Compact());
      if (i % 5 == 0) held.emplace_back(graph->snapshot(), Dump(graph->snapshot()));
    }
    for (const auto& [s, text] : held) EXPECT_TRUE(SameText(text, Dump(s)));
  }
  for (const auto& [s, text] : held) EXPECT_TRUE(SameText(text, Dump(s)));
}

// Journal failure under several writers: some batches were acknowledged, all later
// ones are refused, the published state is exactly what was acknowledged.
TEST(Graph, JournalFailureUnderSeveralWriters) {
  for (std::uint64_t n : {1u, 2u, 3u, 5u, 8u, 13u}) {
    for (FailHow how : {FailHow::kNothingWritten, FailHow::kPrefixWritten, FailHow::kAllWritten}) {
      SCOPED_TRACE("call " + std::to_string(n) + " how " + std::to_string(static_cast<int>(how)));
      auto store = std::make_shared<FakeStore>();
      store->set_append_delay(std::chrono::microseconds(300));
      store->FailAt(n, how);
      auto graph = OpenOn(store);
      std::mutex mutex;
      std::vector<std::string> acknowledged, refused;
      std::atomic<int> other_errors = 0;
      std::vector<std::thread> writers;
      for (int t = 0; t < 4; ++t) {
        writers.emplace_back([&, t] {
          for (int i = 0; i < 20; ++i) {
            std::string key = std::to_string(t) + "/" + std::to_string(i);
            WriteBatch batch(1);
            batch.UpsertNode(key);
            auto report = graph->Apply(batch);
            std::lock_guard lock(mutex);
            (report ? acknowledged : refused).push_back(key);
            if (!report && report.error().code != ErrorCode::kIo &&
                report.error().code != ErrorCode::kReadOnly)
              ++other_errors;
          }
        });
      }
      for (auto& w : writers) w.join();
      EXPECT_EQ(other_errors.load(), 0);
      EXPECT_TRUE(graph->read_only());
      EXPECT_EQ(store->violations(), 0);
      EXPECT_FALSE(refused.empty());
      Snapshot s = graph->snapshot();
      EXPECT_EQ(s.sequence(), acknowledged.size());
      EXPECT_EQ(s.node_count(), acknowledged.size());
      for (const auto& key : acknowledged) EXPECT_TRUE(s.Find(key)) << key;
      for (const auto& key : refused) EXPECT_FALSE(s.Find(key)) << key;
      // A replay finds everything acknowledged, perhaps more, in whole records.
      StateWriter writer(WriterHarness::FirstState(store));
      for (const Record& record : store->Records()) ASSERT_TRUE(writer.Apply(record));
      Snapshot replayed(writer.Publish());
      EXPECT_GE(replayed.sequence(), s.sequence());
      for (const auto& key : acknowledged) EXPECT_TRUE(replayed.Find(key)) << key;
    }
  }
}

TEST(Graph, ReadOnlyGraphRefusesEvenNothing) {
  auto store = std::make_shared<FakeStore>();
  store->FailAt(1);
  auto graph = OpenOn(store);
  EXPECT_FALSE(graph->Apply(Star(0, 3)));
  EXPECT_TRUE(FailsWith(graph->Apply(WriteBatch(1)), ErrorCode::kReadOnly));
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
  EXPECT_EQ(graph->snapshot().node_count(), 0u);
  EXPECT_FALSE(graph->snapshot().Find("hub0"));
  (void)graph->Compact();
  EXPECT_EQ(graph->snapshot().node_count(), 0u) << "a compaction must not publish what failed";
}

}  // namespace
}  // namespace plexus
