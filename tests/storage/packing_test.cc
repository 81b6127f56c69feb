// Removed nodes and unused labels that come back have their old ids: in the live graph, opened
// again, of the past, in a view that follows and in a replica, packed or not.
#include "engine/monitoring/monitoring.h"
#include "engine/state.h"
#include "engine/vocabulary.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

constexpr int kMemories = 3000;
std::string MemoryKey(int i) { return "memory-" + std::to_string(100'000 + i); }

// Batch `number` of a life that adds, removes almost all, and brings some back, with new ones
// between.
WriteBatch LifeBatch(int number) {
  WriteBatch batch(1000 * number);
  const auto add = [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      const NodeRef node = batch.UpsertNode(MemoryKey(i), kMemory);
      batch.SetI64(node, kAccessCount, i * number);
      batch.SetString(node, kScope, "scope" + std::to_string(i / 3));
      if (i % 50 == 0) batch.SetPayload(node, NodeField::kText, "text " + std::to_string(number));
      const std::string label = "label" + std::to_string(i / 2),
                        by = "somebody " + std::to_string(i / 7);
      batch.Link({.source = node,
                  .target = batch.IndexNode(kTag, std::to_string(i / 100)),
                  .kind = kHasTag,
                  .label = label,
                  .created_by = by});
    }
  };
  switch (number % 4) {
    case 1:
      add(0, number == 1 ? kMemories : 300);
      break;
    case 2:
      for (int i = number; i < kMemories; ++i) batch.RemoveNode(batch.Node(MemoryKey(i)));
      break;
    case 3:
      add(100 * number, 100 * number + 50);
      break;
    default:
      add(kMemories + number, kMemories + number + 20);
      add(50 * number, 50 * number + 30);
  }
  return batch;
}

void ApplyLife(Graph& graph, int from, int to) {
  for (int i = from; i <= to; ++i) PLEXUS_OK(graph.Apply(LifeBatch(i)));
}

// The same graph, ids and interned strings included.
void ExpectSame(const Snapshot& a, const Snapshot& b) {
  ASSERT_EQ(Dump(a), Dump(b));
  ASSERT_EQ(a.node_count(), b.node_count());
  for (NodeId v = 0; v < a.node_count(); ++v) {
    ASSERT_EQ(a.key(v), b.key(v));
    ASSERT_EQ(b.Find(a.key(v)), v);
    ASSERT_EQ(a.Find(a.key(v)), v);
  }
  ASSERT_EQ(a.state().strings.size(), b.state().strings.size());
  for (StringId id = 0; id < a.state().strings.size(); ++id) {
    ASSERT_EQ(a.string(id), b.string(id));
    ASSERT_EQ(a.FindString(a.string(id)), id);
  }
}

TEST(Packing, TheSameIdsWhereverTheyAreAskedFor) {
  constexpr int kBatches = 16;
  auto plain = Graph::InMemory();  // packs nothing
  std::vector<Snapshot> past = {plain->snapshot()};
  for (int i = 1; i <= kBatches; ++i) {
    ApplyLife(*plain, i, i);
    past.push_back(plain->snapshot());
  }
  ScratchDirectory scratch;
  OpenOptions options = Create();
  options.graph.maintenance = Maintenance::kManual;
  auto db = MustOpen(scratch.path(), options);
  options.create = false;
  ApplyLife(db->graph(), 1, 1);
  auto view = MustOpen(scratch.path(), ReadOnly());
  auto replica = Graph::InMemory();
  Sequence trimmed = 0;
  for (int i = 2; i <= kBatches; ++i) {
    ApplyLife(db->graph(), i, i);
    if (i % 2 == 0) {
      PLEXUS_OK(db->graph().Compact());
    }
    if (i % 3 == 0) {
      PLEXUS_OK(db->Close());
      db = MustOpen(scratch.path(), options);
    }
    if (i % 5 == 0) {
      PLEXUS_OK(db->Checkpoint());
    }
    ExpectSame(db->snapshot(), past[static_cast<std::size_t>(i)]);
    if (i == 7 || i == 10) {
      EXPECT_GT(db->snapshot().state().keys.packed_count(), kMemories / 2u) << i;
      EXPECT_GT(db->snapshot().state().strings.packed_count(), kMemories / 2u) << i;
    }
    PLEXUS_OK(view->Refresh());
    if (i % 4 == 0) {
      PLEXUS_OK(replica->Compact());
    }
    const auto changes = Must(db->ChangesSince(replica->snapshot().sequence()));
    PLEXUS_OK(replica->Replay(changes.records));
    ExpectSame(view->snapshot(), past[static_cast<std::size_t>(i)]);
    ExpectSame(replica->snapshot(), past[static_cast<std::size_t>(i)]);
    if (i == 11) {
      PLEXUS_OK(db->Trim(trimmed = 10));
    }
  }
  for (int i = static_cast<int>(trimmed); i <= kBatches; ++i) {
    const auto as_of = Must(db->AsOf(static_cast<Sequence>(i)));
    EXPECT_EQ(as_of.node_count(), past[static_cast<std::size_t>(i)].node_count());
    for (NodeId v = 0; v < as_of.node_count(); v += 7)
      ASSERT_EQ(as_of.Find(past[static_cast<std::size_t>(i)].key(v)), v) << i;
  }
  ExpectSound(*db);
}

// Opened from a checkpoint, and from one with a tail that removes.
TEST(Packing, OpeningPacks) {
  ScratchDirectory scratch;
  for (const bool tail : {false, true}) {
    const std::string path = scratch.path(tail ? "tail" : "checkpoint");
    OpenOptions options = Create();
    options.checkpoint_on_close = tail ? CheckpointOnClose::kNever : CheckpointOnClose::kAlways;
    auto db = MustOpen(path, options);
    ApplyLife(db->graph(), 1, 1);
    PLEXUS_OK(db->Checkpoint());
    const std::uint64_t full = metrics::MeasureBytes(db->snapshot()).total;
    ApplyLife(db->graph(), 2, 2);
    const std::string dump = Dump(db->snapshot());
    PLEXUS_OK(db->Close());
    db = MustOpen(path);
    const Snapshot now = db->snapshot();
    EXPECT_GT(now.state().keys.packed_count(), kMemories * 9u / 10) << tail;
    // The base has the labels until the tail is folded into it.
    EXPECT_GT(now.state().strings.packed_count(), kMemories * (tail ? 3u : 9u) / 10) << tail;
    if (!tail) {
      const metrics::GraphBytes bytes = metrics::MeasureBytes(now);
      EXPECT_LT(bytes.keys + bytes.strings + bytes.columns, full / 2);
    }
    EXPECT_EQ(Dump(now), dump);
    PLEXUS_OK(db->Close());
  }
}

// Trimmed and hard purged, too.
TEST(Packing, AHardPurgeKeepsIds) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  ApplyLife(db->graph(), 1, 6);
  PLEXUS_OK(db->Trim(6));
  const NodeId node = *db->snapshot().Find(MemoryKey(2500));
  PLEXUS_OK(db->HardPurge({{node}}));
  EXPECT_FALSE(db->snapshot().Find(MemoryKey(2500)));
  for (int i = 0; i < 2500; i += 11) {
    const auto id = db->snapshot().Find(MemoryKey(i));
    ASSERT_TRUE(id) << i;
    WriteBatch batch(100'000);
    batch.UpsertNode(MemoryKey(i));
    PLEXUS_OK(db->graph().Apply(batch));
    EXPECT_EQ(db->snapshot().Find(MemoryKey(i)), id);
    EXPECT_TRUE(db->snapshot().alive(*id));
  }
  PLEXUS_OK(db->Close());
  db = MustOpen(scratch.path());
  ExpectSound(*db);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
