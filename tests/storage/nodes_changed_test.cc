// NodesChanged against the two states themselves: no difference lies elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "engine/monitoring/monitoring.h"
#include "tests/support/dump.h"
#include "tests/support/random_batches.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal {
namespace {

using plexus::testing::RandomBatches;
using testing::CountedReports;
using testing::ScratchDirectory;

OpenOptions Create() {
  OpenOptions options;
  options.create = true;
  return options;
}

// Everything that is said of the node and of its edges. Ids of payloads are part of it.
std::string DumpOf(const Snapshot& s, NodeId v) {
  if (v >= s.node_count()) return "";
  std::ostringstream out;
  plexus::testing::DumpNode(out, s, v);
  return std::move(out).str();
}

TEST(NodesChanged, HoldsEveryDifferenceOfTwoStates) {
  int answered = 0, unanswered = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    ScratchDirectory scratch;
    auto made = Database::Open(scratch.path(), Create());
    ASSERT_TRUE(made);
    Database& db = **made;
    RandomBatches batches(seed);
    Sequence last_purge = 0;
    for (int i = 1; i <= 24; ++i) {
      WriteBatch batch = batches.Next(i * 1000);
      ASSERT_TRUE(db.graph().Apply(batch));
      if (i % 9 == 0) {
        ASSERT_TRUE(db.Checkpoint());
      }
    }
    const Sequence last = db.snapshot().sequence();
    const auto changes = db.ChangesSince(0);
    ASSERT_TRUE(changes);
    for (const Record& record : changes->records)
      for (const NodeChange& c : record.node_changes)
        if (c.what == NodeChange::kPurge) last_purge = record.sequence;
    for (Sequence from = 0; from <= last; ++from)
      for (Sequence to = from; to <= last; to += 1 + to % 3) {
        const auto got = db.NodesChanged(from, to, 1 << 20);
        ASSERT_TRUE(got) << got.error().message;
        if (last_purge > from) {
          EXPECT_FALSE(*got);
          ++unanswered;
          continue;
        }
        ASSERT_TRUE(*got);
        ++answered;
        const std::vector<NodeId>& nodes = **got;
        EXPECT_TRUE(std::ranges::is_sorted(nodes));
        EXPECT_TRUE(std::ranges::adjacent_find(nodes) == nodes.end());
        const auto before = db.AsOf(from), after = db.AsOf(to);
        ASSERT_TRUE(before && after);
        for (NodeId v = 0; v < after->node_count(); ++v) {
          if (std::ranges::binary_search(nodes, v)) continue;
          EXPECT_EQ(DumpOf(*before, v), DumpOf(*after, v)) << from << " to " << to << ", " << v;
        }
        if (!nodes.empty()) {
          EXPECT_FALSE(db.NodesChanged(from, to, nodes.size() - 1).value());
        }
        EXPECT_TRUE(db.NodesChanged(from, to, nodes.size()).value());
      }
  }
  EXPECT_GT(answered, 100);
  EXPECT_GT(unanswered, 100);
}

std::unique_ptr<Database> OneNodeARecord(const std::string& path, int records) {
  auto made = Database::Open(path, Create());
  if (!made) return nullptr;
  for (int i = 1; i <= records; ++i) {
    WriteBatch batch(i * 1000);
    (void)batch.UpsertNode("n" + std::to_string(i));
    EXPECT_TRUE((*made)->graph().Apply(batch));
  }
  return *std::move(made);
}

// The work is counted: of 320 records the last 16 cost one look, all cost twenty.
TEST(NodesChanged, ReadsTheRecordsBetween) {
  ScratchDirectory scratch;
  const auto made = OneNodeARecord(scratch.path(), 320);
  ASSERT_TRUE(made);
  Database& db = *made;
  CountedReports few, all;
  EXPECT_EQ(db.NodesChanged(304, 320, 999, &few).value()->size(), 16u);
  EXPECT_EQ(db.NodesChanged(0, 320, 999, &all).value()->size(), 320u);
  EXPECT_EQ(few.count, 1);
  EXPECT_EQ(all.count, 20);
}

TEST(NodesChanged, RefusesWhatIsNotThereAndCanBeStopped) {
  ScratchDirectory scratch;
  const auto made = OneNodeARecord(scratch.path(), 5);
  ASSERT_TRUE(made);
  Database& db = *made;
  EXPECT_EQ(db.NodesChanged(4, 6, 9).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(db.NodesChanged(6, 4, 9).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(db.NodesChanged(4, 2, 9).value()->empty());
  EXPECT_EQ(*db.NodesChanged(3, 5, 9).value(), (std::vector<NodeId>{3, 4}));
  CountedReports stops;
  stops.most = 1;
  EXPECT_EQ(db.NodesChanged(0, 5, 9, &stops).error().code, ErrorCode::kCancelled);
  ASSERT_TRUE(db.Trim(2));
  EXPECT_EQ(db.NodesChanged(1, 5, 9).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*db.NodesChanged(2, 4, 9).value(), (std::vector<NodeId>{2, 3}));
}

}  // namespace
}  // namespace plexus::storage_internal
