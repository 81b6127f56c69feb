// Conditional batches on disk: what was refused left nothing in any file, what was added up is
// there after opening again.
#include <atomic>
#include <thread>

#include "engine/vocabulary.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

// Both checked and replayed from the log alone.
OpenOptions LogOnly() {
  OpenOptions options = Create();
  options.checkpoint_on_close = CheckpointOnClose::kNever;
  return options;
}

// One that would write a key, a kind, a label, a string, a text and a vector, and must not.
WriteBatch RefusedBatch(int number) {
  WriteBatch batch(1000);
  const std::string secret = "secret" + std::to_string(number);
  NodeRef node = batch.UpsertNode(secret + "key");
  batch.SetString(node, kScope, secret + "scope");
  batch.SetPayload(node, NodeField::kText, secret + "text");
  WriteBatch::EdgeInput edge;
  edge.source = node;
  edge.target = batch.Node("counter");
  edge.kind = batch.EdgeKindNamed(secret + "kind");
  const std::string label = secret + "label";
  edge.label = label;
  batch.Link(edge);
  batch.AddI64(batch.Node("counter"), kAccessCount, 1000);
  switch (number % 5) {
    case 0:
      batch.ExpectSequence(999);
      break;
    case 1:
      batch.ExpectNoNode("counter");
      break;
    case 2:
      batch.ExpectString(batch.Node("counter"), kScope, secret + "expected");
      break;
    case 3:
      batch.ExpectEdge(batch.Node("counter"), kLink, batch.Node(secret + "other"),
                       secret + "label2");
      break;
    default:
      batch.ExpectNode(secret + "missing");
      break;
  }
  return batch;
}

TEST(Conditional, RefusedBatchesLeaveNothing) {
  ScratchDirectory with, without;
  const auto live = [](const std::string& directory, bool refuse) {
    auto db = MustOpen(directory, LogOnly());
    for (int i = 0; i < 40; ++i) {
      WriteBatch batch(1000 + i);
      batch.ExpectSequence(static_cast<Sequence>(i));
      batch.AddI64(batch.Node("counter"), kAccessCount, i);
      PLEXUS_OK(db->graph().Apply(batch));
      if (!refuse) continue;
      EXPECT_TRUE(FailsWith(db->graph().Apply(RefusedBatch(i)), ErrorCode::kConflict));
    }
    PLEXUS_OK(db->Close());
  };
  live(with.path(), true);
  live(without.path(), false);
  EXPECT_EQ(Found(with.path(), {"secret"}), std::vector<std::string>());
  auto a = MustOpen(with.path()), b = MustOpen(without.path());
  EXPECT_EQ(a->stats().tail_bytes, b->stats().tail_bytes);
  EXPECT_EQ(Dump(a->snapshot()), Dump(b->snapshot()));
  EXPECT_EQ(a->snapshot().sequence(), 40u);
  EXPECT_EQ(a->snapshot().i64(kAccessCount, 0), 39 * 40 / 2);
  EXPECT_EQ(a->snapshot().node_count(), 1u);
}

TEST(Conditional, TwentyThousandIncrements) {
  constexpr int kThreads = 16, kEach = 1250;
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), LogOnly());
    WriteBatch first(1);
    first.DefineColumn({"sum", ColumnType::kF64});
    PLEXUS_OK(db->graph().Apply(first));
    std::atomic<int> conflicts = 0;
    std::vector<std::thread> writers;
    for (int t = 0; t < kThreads; ++t)
      writers.emplace_back([&, t] {
        WriteBatch batch(1);
        for (int i = 0; i < kEach; ++i) {
          batch.Clear();
          NodeRef counter = batch.Node("counter");
          batch.AddI64(counter, kAccessCount, 1);
          batch.AddF64(counter, batch.ColumnNamed("sum"), 0.25);
          EXPECT_TRUE(db->graph().Apply(batch, {.durability = Durability::kBuffered}));
          if (i % 50 != t) continue;  // in the same groups: one whose graph went on
          batch.ExpectI64(counter, kAccessCount, 0);
          if (!db->graph().Apply(batch, {.durability = Durability::kBuffered})) ++conflicts;
        }
      });
    for (auto& w : writers) w.join();
    EXPECT_EQ(conflicts.load(), kThreads * kEach / 50);
    EXPECT_EQ(db->snapshot().i64(kAccessCount, 0), kThreads * kEach);
    PLEXUS_OK(db->Close());
  }
  auto db = MustOpen(scratch.path());
  EXPECT_EQ(db->report().replayed_records, 1u + kThreads * kEach);
  EXPECT_EQ(db->snapshot().i64(kAccessCount, 0), kThreads * kEach);
  EXPECT_EQ(db->snapshot().f64(*db->snapshot().schema().FindColumn("sum"), 0),
            kThreads * kEach * 0.25);
}

// A count that a checkpoint holds goes on after it, and the past shows each value.
TEST(Conditional, OverCheckpointsAndThePast) {
  ScratchDirectory scratch;
  for (std::int64_t i = 0; i < 12; ++i) {
    auto db = MustOpen(scratch.path(), LogOnly());
    WriteBatch batch(1000);
    NodeRef counter = batch.Node("counter");
    batch.ExpectI64(counter, kAccessCount, i ? std::optional(i) : std::nullopt);
    batch.AddI64(counter, kAccessCount, 1);
    PLEXUS_OK(db->graph().Apply(batch));
    EXPECT_FALSE(db->graph().Apply(batch));
    if (i % 3 == 0) PLEXUS_OK(db->Checkpoint());
    PLEXUS_OK(db->Close());
  }
  auto db = MustOpen(scratch.path());
  for (std::int64_t i = 1; i <= 12; ++i) {
    const auto past = Must(db->AsOf(static_cast<Sequence>(i)));
    EXPECT_EQ(past.i64(kAccessCount, 0), i);
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
