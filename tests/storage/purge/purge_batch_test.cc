// Purges beside other operations of their batch, and in steps of bulk mode.
#include <string>
#include <vector>

#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
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
      batch.Link({.source = a,
                  .target = batch.UpsertNode("b"),
                  .kind = kCauses,
                  .properties = properties});
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
    const auto history = Must(db->History(*db->snapshot().Find("a")));
    for (const HistoryEntry& entry : history)
      if (entry.sequence == 3 && entry.edge_kind == kHasTag && entry.other != kNoNode)
        linked.emplace_back(HistoryWhatName(entry.what));
    EXPECT_EQ(linked, std::vector<std::string>{"linked"});
    ExpectSound(*db);
    PLEXUS_OK(db->Close());
    db = MustOpen(scratch.path(), options);
    EXPECT_EQ(Dump(db->snapshot()), before) << "opened again";
    PLEXUS_OK(db->Checkpoint());
    ExpectSound(*db);
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
  ExpectSound(*db);
  PLEXUS_OK(db->Backup(scratch.path("copy")));
}

// Killed between two steps of bulk mode: the purge is lost, and its mark must be as well, or it
// would stand for another record that has its number later.
TEST(Purge, LostWithItsBulkStepItHidesAndErasesNothing) {
  ScratchDirectory scratch;
  TestHooks hooks;
  OpenOptions options = Create();
  options.checkpoint_on_close = CheckpointOnClose::kNever;
  options.hooks = &hooks;
  auto db = MustOpen(scratch.path("live"), options);
  const auto say = [&](Database& to, const char* text) {
    WriteBatch batch(1000);
    batch.SetPayload(batch.UpsertNode("a"), NodeField::kText, text);
    PLEXUS_OK(to.graph().Apply(batch));
  };
  say(*db, "first");
  PLEXUS_OK(db->BeginBulk());
  say(*db, "second");
  WriteBatch purge(1000);
  purge.PurgeNode(purge.Node("a"));
  PLEXUS_OK(db->graph().Apply(purge));  // record 3
  hooks.at_point = [&](const char* point) {
    if (point == std::string_view("bulk.before_ingest"))
      CopyTree(scratch.path("live"), scratch.path("killed"));
  };
  PLEXUS_OK(db->EndBulk());
  hooks.at_point = nullptr;
  options.hooks = nullptr;
  auto killed = MustOpen(scratch.path("killed"), options);
  ASSERT_EQ(killed->snapshot().sequence(), 1u);
  for (const char* text : {"other", "and another", "the last"}) say(*killed, text);
  const std::string before = Dump(killed->snapshot());
  const auto past = Must(killed->AsOf(2));
  const std::string then = Dump(past);
  PLEXUS_OK(killed->Close());
  killed = MustOpen(scratch.path("killed"), options);
  EXPECT_EQ(killed->report().finished_purges, 0u);
  EXPECT_EQ(Dump(killed->snapshot()), before);
  const auto again = Must(killed->AsOf(2));
  EXPECT_EQ(Dump(again), then);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
