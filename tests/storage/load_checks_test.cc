// Graph::Load into a directory: a wrong load leaves it empty and sound, a right one is there when
// it is opened again. Before the checks such directories were refused as corrupt.
#include "storage/encoding/record_codec.h"
#include "tests/engine/bulk/edge_loads.h"
#include "tests/support/dump.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

TEST(LoadChecks, ADirectoryIsSoundAfterEveryLoad) {
  for (const plexus::testing::LoadCase& c : plexus::testing::LoadCases()) {
    SCOPED_TRACE(c.name);
    ScratchDirectory scratch;
    OpenOptions options = Create();
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto db = MustOpen(scratch.path(), options);
    EXPECT_EQ(db->graph().Load(c.make()).has_value(), c.error.empty());
    const std::string before = plexus::testing::Dump(db->snapshot());
    EXPECT_EQ(db->snapshot().sequence() > 0, c.error.empty());
    ExpectSound(*db);
    PLEXUS_OK(db->Close());
    db = MustOpen(scratch.path(), options);
    ASSERT_TRUE(db);
    EXPECT_EQ(plexus::testing::Dump(db->snapshot()), before);
    WriteBatch batch(10);
    batch.Link(batch.Node("a"), kLink, batch.Node("new"));
    PLEXUS_OK(db->graph().Apply(batch));
    PLEXUS_OK(db->Close());
  }
}

// What the log says of every node, in order.
std::string Histories(Database& db) {
  std::string all;
  for (NodeId v = 0; v < db.snapshot().node_count(); ++v) {
    const auto history = db.History(v);
    if (!history) return history.error().ToString();
    for (const HistoryEntry& e : *history)
      all += std::to_string(v) + ' ' + std::to_string(static_cast<int>(e.what)) + ' ' +
             std::to_string(e.sequence) + ' ' + std::to_string(e.other) + ' ' +
             std::to_string(e.edge_kind.value()) + ' ' + std::to_string(e.label) + ' ' +
             std::to_string(e.weight) + '\n';
  }
  return all;
}

// The log to the bit, every past state and what the checkpoint holds are those that the batches
// write.
TEST(LoadChecks, TheLogIsThatOfItsBatches) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    ScratchDirectory scratch;
    std::vector<std::string> dumps[2];
    std::string histories[2];
    std::vector<std::string> records[2];
    for (const bool at_once : {false, true}) {
      const std::string path = scratch.path(at_once ? "loaded" : "applied");
      OpenOptions options = Create();
      options.checkpoint_on_close = CheckpointOnClose::kNever;
      auto db = MustOpen(path, options);
      ASSERT_TRUE(db);
      EdgeLoad load = plexus::testing::RandomLoad(seed, seed % 4 ? 40 : 400);
      const StringTable::View keys = load.keys.Publish();
      if (at_once)
        PLEXUS_OK(db->graph().Load(std::move(load)));
      else
        for (const WriteBatch& batch : plexus::testing::BatchesOf(load, keys))
          PLEXUS_OK(db->graph().Apply(batch));
      PLEXUS_OK(db->graph().Compact());
      PLEXUS_OK(db->Close());
      db = MustOpen(path, options);  // from the log
      ASSERT_TRUE(db);
      histories[at_once] = Histories(*db);
      for (Sequence s = 0; s <= db->snapshot().sequence(); ++s) {
        const auto past = Must(db->AsOf(s));
        dumps[at_once].push_back(plexus::testing::Dump(past));
      }
      PLEXUS_OK(db->graph().Compact());
      PLEXUS_OK(db->Checkpoint());
      ExpectSound(*db, {.against_replay = true});
      PLEXUS_OK(db->Close());
      db = MustOpen(path, ReadOnly());  // from the checkpoint
      ASSERT_TRUE(db);
      dumps[at_once].push_back(plexus::testing::Dump(db->snapshot()));
      auto changes = Must(db->ChangesSince(0));
      for (const Record& record : changes.records)
        records[at_once].push_back(EncodeRecord(record, 1)->bytes);
    }
    ASSERT_EQ(dumps[0].size(), dumps[1].size());
    for (std::size_t i = 0; i < dumps[0].size(); ++i)
      ASSERT_TRUE(plexus::testing::SameText(dumps[0][i], dumps[1][i])) << i;
    EXPECT_EQ(histories[0], histories[1]);
    EXPECT_FALSE(records[0].empty());
    EXPECT_TRUE(records[0] == records[1]) << "other records";
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
