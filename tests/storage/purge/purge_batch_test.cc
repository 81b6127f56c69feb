// Purges beside other operations of their batch.
#include <string>
#include <vector>

#include "engine/vocabulary.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

// What the purge's own batch says after it belongs to the next life, for the bytes on disk, for
// what is replayed over a floor and for the history.
TEST(Purge, NextLifeMayBeginInItsBatch) {
  for (const bool trimmed : {false, true}) {
    SCOPED_TRACE(trimmed);
    ScratchDirectory scratch;
    OpenOptions options = Create();
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto db = MustOpen(scratch.path(), options);
    const auto live = [](WriteBatch& batch, const std::string& text) {
      const NodeRef a = batch.UpsertNode("a");
      batch.SetPayload(a, NodeField::kText, text);
      const float values[] = {1, 2};
      batch.SetVector(a, batch.SpaceNamed("default"), values);
      batch.Link(a, kHasTag, batch.IndexNode(kTag, "kept"));
      const std::string properties = PropertyMap(text);
      WriteBatch::EdgeInput edge;
      edge.source = a;
      edge.target = batch.UpsertNode("b");
      edge.kind = kCauses;
      edge.properties = properties;
      batch.Link(edge);
    };
    WriteBatch first(1000);
    first.DefineSpace({"default", 2, Metric::kCosine});
    live(first, "the first life");
    PLEXUS_OK(db->graph().Apply(first));
    WriteBatch second(1000);
    second.Link(second.UpsertNode("b"), kHasTag, second.IndexNode(kTag, "kept"));
    PLEXUS_OK(db->graph().Apply(second));
    WriteBatch third(1000);
    third.PurgeNode(third.Node("a"));
    live(third, "the next life");
    PLEXUS_OK(db->graph().Apply(third));
    const std::string before = Dump(db->snapshot());
    if (trimmed) {
      PLEXUS_OK(db->Trim(2));
    }
    PLEXUS_OK(db->Scrub());
    EXPECT_EQ(Dump(db->snapshot()), before);
    EXPECT_EQ(Found(scratch.path(), {"the first life"}), std::vector<std::string>{});
    std::vector<std::string> linked;
    const auto history = db->History(*db->snapshot().Find("a"));
    PLEXUS_OK(history);
    for (const HistoryEntry& entry : *history)
      if (entry.sequence == 3 && entry.edge_kind == kHasTag && entry.other != kNoNode)
        linked.emplace_back(HistoryWhatName(entry.what));
    EXPECT_EQ(linked, std::vector<std::string>{"linked"});
    const auto report = db->Verify();
    PLEXUS_OK(report);
    EXPECT_TRUE(report->ok) << report->problems[0].where << ": " << report->problems[0].what;
    PLEXUS_OK(db->Close());
    db = MustOpen(scratch.path(), options);
    EXPECT_EQ(Dump(db->snapshot()), before) << "opened again";
    PLEXUS_OK(db->Checkpoint());
    EXPECT_TRUE(db->Verify()->ok);
  }
}

// A checkpoint above the floor may name a vector that the trim dropped, as its node is purged
// later.
TEST(Purge, ACheckpointBelowItIsSoundAboveALaterFloor) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  WriteBatch first(1000);
  first.DefineSpace({"default", 2, Metric::kCosine});
  const float values[] = {1, 2};
  first.SetVector(first.UpsertNode("a"), first.SpaceNamed("default"), values);
  PLEXUS_OK(db->graph().Apply(first));
  for (const char* key : {"b", "c"}) {
    WriteBatch batch(2000);
    batch.UpsertNode(key);
    PLEXUS_OK(db->graph().Apply(batch));
  }
  PLEXUS_OK(db->Checkpoint());  // of record 3
  WriteBatch purge(3000);
  purge.PurgeNode(purge.Node("a"));
  PLEXUS_OK(db->graph().Apply(purge));
  PLEXUS_OK(db->Trim(2));
  const auto report = db->Verify();
  PLEXUS_OK(report);
  EXPECT_TRUE(report->ok) << report->problems[0].where << ": " << report->problems[0].what;
  PLEXUS_OK(db->Backup(scratch.path("copy")));
}

}  // namespace
}  // namespace plexus::storage_internal::testing
