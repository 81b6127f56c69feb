// Purged bytes are in no file: every live file is searched for them.
#include <array>
#include <cstring>
#include <filesystem>

#include "engine/vocabulary.h"
#include "storage/log/rocks_journal.h"
#include "storage/state_loader.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

constexpr char kText[] = "the secret text of the purged memory";
constexpr char kOldText[] = "an older secret text, replaced long ago";
constexpr char kProps[] = "secret-property";
constexpr char kPreview[] = "secret-preview-in-an-event";
constexpr float kVector[5] = {0.123456789f, 0.987654321f, 0.55555f, 0.77777f, 0.31415926f};

std::string Floats(const float* values, std::size_t count) {
  return std::string(reinterpret_cast<const char*>(values), count * sizeof(float));
}

const std::string kEventText = "what the event was asked for";  // goes with a hard purge
std::vector<std::string> Secrets() {
  return {kText, kOldText, kProps, kPreview, Floats(kVector, 5)};
}

// A memory with two versions of text, properties, a vector, a tag, a preview in an
// event, among others; `between` runs in the middle.
template <class Fn>
void Fill(Database& db, Fn&& between) {
  ApplyScript(db, 1, 6);
  WriteBatch first(7000);
  const NodeRef node = first.UpsertNode("secret", NodeKindRef(kMemory));
  first.SetPayload(node, NodeField::kText, kOldText);
  first.SetVector(node, first.SpaceNamed("default"), kVector);
  first.Link(node, EdgeKindRef(kHasTag), first.IndexNode(kTag, "tag1"));
  const NodeRef event = first.IndexNode(kEvent, "e1");
  first.SetPayload(event, NodeField::kText, kEventText);
  WriteBatch::EdgeInput member;
  member.source = event;
  member.target = node;
  member.kind = EdgeKindRef(kMember);
  member.label = "primary";
  const std::string preview = PropertyMap(kPreview);
  member.properties = preview;
  first.Link(member);
  PLEXUS_OK(db.graph().Apply(first));
  between();
  WriteBatch second(8000);
  const NodeRef again = second.UpsertNode("secret");
  second.SetPayload(again, NodeField::kText, kText);
  second.SetPayload(again, NodeField::kProperties, PropertyMap(kProps));
  PLEXUS_OK(db.graph().Apply(second));
}

const std::string_view kKeys[] = {"secret"};

TEST(Purge, NoLiveFileHoldsTheBytes) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  Fill(*db, [&] { PLEXUS_OK(db->Checkpoint()); });
  PLEXUS_OK(db->Checkpoint());
  EXPECT_EQ(Found(scratch.path(), Secrets()).empty(), false)
      << "the search must be able to find them";
  const Snapshot before = db->snapshot();
  PLEXUS_OK(db->Purge(kKeys, 9000));
  EXPECT_EQ(Found(scratch.path(), Secrets()), std::vector<std::string>{}) << "while it is open";
  const Snapshot now = db->snapshot();
  const NodeId node = *now.Find("secret");
  EXPECT_TRUE(now.purged(node));
  EXPECT_FALSE(now.alive(node));
  EXPECT_EQ(before.Payload(node, NodeField::kText).error().code, ErrorCode::kNotFound)
      << "old snapshots cannot read it either";
  // At every point of the past: no text, no properties, no vector, no tag, no preview.
  for (Sequence s = 7; s <= now.sequence(); ++s) {
    auto past = db->AsOf(s);
    PLEXUS_OK(past);
    EXPECT_FALSE(past->Payload(node, NodeField::kText));
    EXPECT_FALSE(past->Payload(node, NodeField::kProperties));
    EXPECT_FALSE(past->space(SpaceId{})->has(node));
    past->ForEachArc(Direction::kOut, node, ArcFilter::All(),
                     [&](const Arc& arc) { EXPECT_NE(arc.kind, kHasTag) << "at " << s; });
    const NodeId event = *past->Find(IndexKey("event", "e1"));
    auto edge = past->FindEdge(event, kMember, node, *now.FindString("primary"));
    ASSERT_TRUE(edge) << "the event stays";
    if (edge->properties) {
      EXPECT_FALSE(past->Payload(edge->properties));
    }
  }
  ExpectSound(*db);
  const std::string dump = Dump(now);
  PLEXUS_OK(db->Close());
  EXPECT_EQ(Found(scratch.path(), Secrets()), std::vector<std::string>{}) << "closed";
  db = MustOpen(scratch.path());
  EXPECT_EQ(Dump(db->snapshot()), dump);
  EXPECT_FALSE((*db->AsOf(8)).Payload(node, NodeField::kText));
}

// Sessions that close without a checkpoint keep their write-ahead logs, which hold the bytes, too.
TEST(Purge, WhatEarlierSessionsWroteIsInNoFile) {
  for (const CheckpointOnClose mode :
       {CheckpointOnClose::kNever, CheckpointOnClose::kWhenReplayIsSlower,
        CheckpointOnClose::kAlways})
    for (int sessions = 0; sessions < 3; ++sessions)
      for (const bool by_apply : {false, true}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(mode)) + ", sessions between " +
                     std::to_string(sessions) + (by_apply ? ", by Apply" : ""));
        ScratchDirectory scratch;
        OpenOptions options = Create();
        options.checkpoint_on_close = mode;
        auto db = MustOpen(scratch.path(), options);
        Fill(*db, [] {});
        for (int i = 0; i < sessions; ++i) {
          PLEXUS_OK(db->Close());
          db = MustOpen(scratch.path(), options);
          WriteBatch batch(8500 + i);
          batch.Link(batch.Node("other" + std::to_string(i)), kCauses, batch.Node("secret"));
          PLEXUS_OK(db->graph().Apply(batch));
        }
        EXPECT_FALSE(Found(scratch.path(), Secrets()).empty());
        if (by_apply) {
          WriteBatch batch(9000);
          batch.PurgeNode(batch.Node("secret"));
          PLEXUS_OK(db->graph().Apply(batch));
        } else {
          PLEXUS_OK(db->Purge(kKeys, 9000));
          EXPECT_EQ(Found(scratch.path(), Secrets()), std::vector<std::string>{}) << "open";
        }
        PLEXUS_OK(db->Close());
        EXPECT_EQ(Found(scratch.path(), Secrets()), std::vector<std::string>{}) << "closed";
        db = MustOpen(scratch.path(), options);
        EXPECT_EQ(Found(scratch.path(), Secrets()), std::vector<std::string>{}) << "opened again";
        ExpectSound(*db);
      }
}

TEST(Purge, OthersKeepTheirs) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  Fill(*db, [] {});
  std::vector<std::string> before;
  const Snapshot old = db->snapshot();
  for (NodeId v = 0; v < old.node_count(); ++v)
    before.push_back(old.Payload(v, NodeField::kText).value_or("-"));
  PLEXUS_OK(db->Purge(kKeys, 9000));
  const Snapshot now = db->snapshot();
  for (NodeId v = 0; v < old.node_count(); ++v)
    if (v != *now.Find("secret")) {
      EXPECT_EQ(now.Payload(v, NodeField::kText).value_or("-"), before[v]);
    }
  EXPECT_EQ(db->Purge({{"nobody"}}, 9000).error().code, ErrorCode::kNotFound);
}

TEST(Purge, NextLifeIsItsOwn) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  Fill(*db, [] {});
  PLEXUS_OK(db->Purge(kKeys, 9000));
  WriteBatch batch(10'000);
  const NodeRef node = batch.UpsertNode("secret", NodeKindRef(kMemory));
  batch.SetPayload(node, NodeField::kText, "a new life");
  batch.Link(node, EdgeKindRef(kHasTag), batch.IndexNode(kTag, "tag2"));
  PLEXUS_OK(db->graph().Apply(batch));
  const NodeId id = *db->snapshot().Find("secret");
  EXPECT_EQ(*db->snapshot().Payload(id, NodeField::kText), "a new life");
  PLEXUS_OK(db->Close());
  db = MustOpen(scratch.path());
  EXPECT_EQ(*db->snapshot().Payload(id, NodeField::kText), "a new life");
  EXPECT_EQ(db->snapshot().Degree(Direction::kOut, id, ArcFilter::All()), 1u);
}

TEST(Purge, ByApplyIsScrubbedAtTheNextOpenAfterACrash) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path("live"), Create());
  Fill(*db, [&] { PLEXUS_OK(db->Checkpoint()); });
  WriteBatch batch(9000);
  batch.PurgeNode(batch.Node("secret"));
  PLEXUS_OK(db->graph().Apply(batch));
  CopyTree(scratch.path("live"), scratch.path("crashed"));
  EXPECT_FALSE(Found(scratch.path("crashed"), Secrets()).empty());
  auto again = MustOpen(scratch.path("crashed"));
  EXPECT_EQ(again->report().finished_purges, 1u);
  EXPECT_EQ(Found(scratch.path("crashed"), Secrets()), std::vector<std::string>{});
  // And without a crash at the close.
  PLEXUS_OK(db->Close());
  EXPECT_EQ(Found(scratch.path("live"), Secrets()), std::vector<std::string>{});
}

TEST(Purge, BehindAHistoryFloorAndInBulk) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  PLEXUS_OK(db->BeginBulk());
  Fill(*db, [&] { PLEXUS_OK(db->Checkpoint()); });
  PLEXUS_OK(db->EndBulk());
  ApplyScript(*db, 9, 10);
  PLEXUS_OK(db->Trim(9));
  EXPECT_EQ(Found(scratch.path(), {kOldText}), std::vector<std::string>{}) << "trimmed away";
  PLEXUS_OK(db->Purge(kKeys, 20'000));
  EXPECT_EQ(Found(scratch.path(), Secrets()), std::vector<std::string>{});
  const NodeId node = *db->snapshot().Find("secret");
  auto past = Must(db->AsOf(9));
  EXPECT_FALSE(past.Payload(node, NodeField::kText));
  ExpectSound(*db);
}

// The checkpoint of a floor below a purge is written masked: what is replayed over it must
// not remove once more what it leaves out.
TEST(Purge, AboveALaterFloorIsReplayed) {
  enum class End { kKilled, kHardPurge, kCheckpoint };
  for (const End end : {End::kKilled, End::kHardPurge, End::kCheckpoint}) {
    SCOPED_TRACE(static_cast<int>(end));
    ScratchDirectory scratch;
    OpenOptions options = Create();
    options.checkpoint_on_close =
        end == End::kCheckpoint ? CheckpointOnClose::kAlways : CheckpointOnClose::kNever;
    auto db = MustOpen(scratch.path(), options);
    auto tag = [](WriteBatch& batch, const char* key, const char* name) {
      batch.Link(batch.UpsertNode(key), kHasTag, batch.IndexNode(kTag, name));
    };
    WriteBatch first(1000);
    tag(first, "a", "secret");
    first.UpsertNode("c");
    PLEXUS_OK(db->graph().Apply(first));  // record 1
    WriteBatch second(2000);
    tag(second, "b", "open");
    PLEXUS_OK(db->graph().Apply(second));
    WriteBatch third(2500);
    tag(third, "a", "again");
    PLEXUS_OK(db->graph().Apply(third));
    PLEXUS_OK(db->Purge({{"a"}}, 3000));  // record 4
    WriteBatch fifth(4000);
    tag(fifth, "a", "reborn");
    PLEXUS_OK(db->graph().Apply(fifth));
    const std::uint64_t links = db->snapshot().CountEdges(kHasTag);
    PLEXUS_OK(db->Trim(2));
    if (end == End::kHardPurge) {
      const NodeId gone[] = {*db->snapshot().Find("c")};
      PLEXUS_OK(db->HardPurge(gone));
    }
    PLEXUS_OK(db->Close());
    db.reset();
    auto again = Must(Database::Open(scratch.path(), options));
    EXPECT_EQ(again->snapshot().CountEdges(kHasTag), links);
    for (const auto& [sequence, tags] :
         {std::pair<Sequence, std::uint64_t>{2, 1}, {3, 1}, {4, 1}, {5, links}}) {
      auto past = Must(again->AsOf(sequence));
      EXPECT_EQ(past.CountEdges(kHasTag), tags) << "record " << sequence;
    }
    ExpectSound(*again);
  }
}
TEST(HardPurge, KeysAndEventsAreGoneToo) {
  for (const bool trimmed : {false, true}) {
    ScratchDirectory scratch;
    std::string dump;
    {
      auto db = MustOpen(scratch.path(), Create());
      Fill(*db, [&] { PLEXUS_OK(db->Checkpoint()); });
      ApplyScript(*db, 9, 12);
      if (trimmed) PLEXUS_OK(db->Trim(8));
      const NodeId node = *db->snapshot().Find("secret");
      const std::string other =
          *db->snapshot().Payload(*db->snapshot().Find("m3"), NodeField::kText);
      PLEXUS_OK(db->HardPurge({&node, 1}));
      std::vector<std::string> secrets = Secrets();
      secrets.push_back("secret");
      secrets.push_back(
          "event\x1f"
          "e1");
      secrets.push_back(kEventText);
      EXPECT_EQ(Found(scratch.path(), secrets), std::vector<std::string>{});
      const Snapshot now = db->snapshot();
      EXPECT_FALSE(now.Find("secret"));
      EXPECT_FALSE(now.alive(node));
      EXPECT_EQ(now.Degree(Direction::kBoth, node, ArcFilter::All()), 0u);
      EXPECT_EQ(*now.Payload(*now.Find("m3"), NodeField::kText), other) << "others stay";
      ExpectSound(*db);
      for (Sequence s = trimmed ? 8 : 1; s <= now.sequence(); ++s) PLEXUS_OK(db->AsOf(s));
      ApplyScript(*db, now.sequence() + 1, now.sequence() + 2);
      dump = Dump(db->snapshot());
      PLEXUS_OK(db->Close());
      EXPECT_FALSE(std::filesystem::exists(scratch.path() + "/generation-1"));
    }
    auto db = MustOpen(scratch.path());
    EXPECT_EQ(Dump(db->snapshot()), dump);
  }
}

// A purge masks states of before it; below the history floor there are none.
TEST(Purge, ATrimForgetsIt) {
  ScratchDirectory scratch;
  const auto entries = [&] {
    auto rocks = Rocks::Open(GenerationPath(scratch.path(), 1), Rocks::Mode::kReadOnly,
                             std::make_shared<Files>());
    EXPECT_TRUE(rocks);
    return ReadPurges(*rocks, kPurgedPrefix, ~Sequence{0})->size();
  };
  auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 6);
  const std::array<std::string, 3> keys = {"p0", "p1", "p2"};  // without a tag or term
  WriteBatch made(9'000);
  for (const std::string& key : keys) made.SetPayload(made.UpsertNode(key), NodeField::kText, key);
  PLEXUS_OK(db->graph().Apply(made));
  for (int i = 0; i < 3; ++i) {
    WriteBatch batch(10'000 + i);
    batch.PurgeNode(batch.Node(keys[static_cast<std::size_t>(i)]));
    PLEXUS_OK(db->graph().Apply(batch));
  }
  const std::string last = Dump(db->snapshot()), past = Dump(*db->AsOf(9));
  PLEXUS_OK(db->Trim(9));  // of two of the three
  EXPECT_EQ(Dump(*db->AsOf(9)), past);
  PLEXUS_OK(db->Close());
  EXPECT_EQ(entries(), 3u) << "the files forget them when they are opened";
  db = MustOpen(scratch.path());
  EXPECT_EQ(Dump(db->snapshot()), last);
  EXPECT_EQ(Dump(*db->AsOf(9)), past);
  ExpectSound(*db, {.against_replay = true});
  PLEXUS_OK(db->Close());
  EXPECT_EQ(entries(), 1u);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
