// Words and tags that only purged nodes had go with them, from every live file and from the past.
#include <algorithm>

#include "engine/vocabulary.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

// Two texts with their words: "shared" is in both, the others in one of them. Both texts
// are replaced: of "formerword" no arc is left, "onceword" moves from one to the other.
void FillTerms(Database& db) {
  WriteBatch batch(1000);
  const NodeRef secret = batch.UpsertNode("secret-node", NodeKindRef(kMemory)),
                other = batch.UpsertNode("other");
  for (const char* word : {"hunterword", "sharedword", "formerword"})
    batch.Link(secret, kHasTerm, batch.IndexNode(kTerm, word));
  for (const char* word : {"otherword", "sharedword", "onceword"})
    batch.Link(other, kHasTerm, batch.IndexNode(kTerm, word));
  PLEXUS_OK(db.graph().Apply(batch));
  WriteBatch later(2000);
  later.Unlink(later.Node("secret-node"), kHasTerm, later.IndexNode(kTerm, "formerword"));
  later.Unlink(later.Node("other"), kHasTerm, later.IndexNode(kTerm, "onceword"));
  later.Link(later.Node("secret-node"), kHasTerm, later.IndexNode(kTerm, "onceword"));
  PLEXUS_OK(db.graph().Apply(later));
}

std::string AliveTerms(const Snapshot& s) {
  std::string words;
  for (NodeId v = 0; v < s.node_count(); ++v)
    if (s.alive(v) && s.node_kind(v) == kTerm) words += std::string(DisplayName(s.key(v))) + " ";
  return words;
}

TEST(Purge, WordsOfThePurgedTextAloneGoWithIt) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  FillTerms(*db);
  EXPECT_EQ(AliveTerms(db->snapshot()), "hunterword sharedword formerword otherword onceword ");
  PLEXUS_OK(db->Purge({{"secret-node"}}, 3000));
  EXPECT_EQ(AliveTerms(db->snapshot()), "sharedword otherword ");
  ExpectSound(*db);
  WriteBatch again(4000);
  again.Link(again.Node("other"), kHasTerm, again.IndexNode(kTerm, "hunterword"));
  PLEXUS_OK(db->graph().Apply(again));
  EXPECT_EQ(AliveTerms(db->snapshot()), "sharedword otherword hunterword ");
}

// Every way to purge, with and without a history floor: no live file holds a word or a tag that
// only purged nodes had, the past shows none of theirs, and what others have stays.
void FillWordsAndTags(Database& db) {
  FillTerms(db);
  WriteBatch batch(2500);
  for (const char* tag : {"tagsecret", "tagshared"})
    batch.Link(batch.Node("secret-node"), kHasTag, batch.IndexNode(kTag, tag));
  for (const char* tag : {"tagother", "tagshared"})
    batch.Link(batch.Node("other"), kHasTag, batch.IndexNode(kTag, tag));
  batch.UpsertNode(IndexKey("tag", "tagofnobody"), NodeKindRef(kTag));
  PLEXUS_OK(db.graph().Apply(batch));
  WriteBatch later(2600);
  later.Link(later.Node("secret-node"), kHasTag, later.IndexNode(kTag, "tagformer"));
  PLEXUS_OK(db.graph().Apply(later));
  WriteBatch last(2700);
  last.Unlink(last.Node("secret-node"), kHasTag, last.IndexNode(kTag, "tagformer"));
  PLEXUS_OK(db.graph().Apply(last));
}

const std::vector<std::string> kOwnWords = {"hunterword", "formerword", "tagsecret", "tagformer"};
const std::vector<std::string> kOthersWords = {"sharedword", "otherword", "onceword",
                                               "tagshared",  "tagother",  "tagofnobody"};

void ExpectWordsGone(Database& db, const std::string& directory, Sequence floor) {
  EXPECT_EQ(Found(directory, kOwnWords), std::vector<std::string>{});
  for (const std::string& word : kOthersWords)
    if (floor == 0 || word != "onceword") {
      EXPECT_FALSE(Found(directory, {word}).empty()) << word;
    }
  const Snapshot now = db.snapshot();
  const NodeId node = *now.Find("secret-node");
  EXPECT_TRUE(now.purged(node));
  for (Sequence s = std::max<Sequence>(floor, 1); s <= now.sequence(); ++s) {
    auto past = Must(db.AsOf(s));
    past.ForEachArc(Direction::kBoth, node, ArcFilter::All(),
                    [&](const Arc&) { ADD_FAILURE() << "record " << s << " tells of an arc"; });
  }
  ExpectSound(db);
}

TEST(Purge, WordsAndTagsOfItsOwnAreInNoFile) {
  enum class By { kPurge, kApplyAndClose, kApplyAndCrash, kCheckpointThenClose };
  for (const By by :
       {By::kPurge, By::kApplyAndClose, By::kApplyAndCrash, By::kCheckpointThenClose}) {
    for (const bool trimmed : {false, true}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(by)) + (trimmed ? " trimmed" : ""));
      ScratchDirectory scratch;
      auto db = MustOpen(scratch.path("live"), Create());
      FillWordsAndTags(*db);
      PLEXUS_OK(db->Checkpoint());
      const Sequence floor = trimmed ? 4 : 0;
      if (trimmed) PLEXUS_OK(db->Trim(floor));
      EXPECT_EQ(Found(scratch.path("live"), {"hunterword"}).empty(), false);
      std::string directory = scratch.path("live");
      if (by == By::kPurge) {
        PLEXUS_OK(db->Purge({{"secret-node"}}, 3000));
        ExpectWordsGone(*db, directory, floor);
      } else {
        WriteBatch batch(3000);
        batch.PurgeNode(batch.Node("secret-node"));
        PLEXUS_OK(db->graph().Apply(batch));
        if (by == By::kCheckpointThenClose) {
          PLEXUS_OK(db->Checkpoint());
          WriteBatch again(3500);  // a tag that is somebody's by then stays
          again.Link(again.Node("other"), kHasTag, again.IndexNode(kTag, "tagsecret"));
          PLEXUS_OK(db->graph().Apply(again));
          PLEXUS_OK(db->Close());
          EXPECT_EQ(Found(directory, {"hunterword", "formerword", "tagformer"}),
                    std::vector<std::string>{});
          db = MustOpen(directory);
          EXPECT_TRUE(db->snapshot().alive(*db->snapshot().Find(IndexKey("tag", "tagsecret"))));
          EXPECT_EQ(db->snapshot().Degree(Direction::kIn,
                                          *db->snapshot().Find(IndexKey("tag", "tagsecret")),
                                          ArcFilter::All()),
                    1u);
          continue;
        }
        if (by == By::kApplyAndCrash) {
          directory = scratch.path("crashed");
          CopyTree(scratch.path("live"), directory);
        } else {
          PLEXUS_OK(db->Close());
          EXPECT_EQ(Found(directory, kOwnWords), std::vector<std::string>{}) << "closed";
        }
        db = MustOpen(directory);
        ExpectWordsGone(*db, directory, floor);
      }
      const std::string dump = Dump(db->snapshot());
      PLEXUS_OK(db->Close());
      db = MustOpen(directory);
      EXPECT_EQ(Dump(db->snapshot()), dump);
    }
  }
}

TEST(Purge, NothingIsRewrittenWithoutAWordOfItsOwn) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  WriteBatch batch(1000);
  for (const char* key : {"a", "b"}) {
    const NodeRef node = batch.UpsertNode(key);
    batch.Link(node, kHasTag, batch.IndexNode(kTag, "both"));
    batch.SetPayload(node, NodeField::kText, std::string("text of ") + key);
  }
  PLEXUS_OK(db->graph().Apply(batch));
  PLEXUS_OK(db->Purge({{"a"}}, 2000));
  PLEXUS_OK(db->Close());
  EXPECT_TRUE(std::filesystem::exists(scratch.path() + "/generation-1"));
  EXPECT_EQ(Found(scratch.path(), {"text of a"}), std::vector<std::string>{});
}

TEST(Purge, HistoryTellsNumbersOnly) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  FillWordsAndTags(*db);
  WriteBatch batch(2800);
  batch.SetPayload(batch.Node("secret-node"), NodeField::kText, "a text");
  PLEXUS_OK(db->graph().Apply(batch));
  PLEXUS_OK(db->Purge({{"secret-node"}}, 3000));
  WriteBatch again(4000);  // its next life is told
  again.Link(again.UpsertNode("secret-node"), kHasTag, again.IndexNode(kTag, "tagshared"));
  PLEXUS_OK(db->graph().Apply(again));
  const NodeId node = *db->snapshot().Find("secret-node");
  using What = HistoryEntry::What;
  auto entries = Must(db->History(node));
  std::vector<What> told;
  for (const HistoryEntry& e : entries) {
    if (e.what != What::kColumnSet && e.what != What::kColumnCleared) told.push_back(e.what);
    if (e.what == What::kPurged) {
      EXPECT_GT(e.erased, 5u);
    }
  }
  EXPECT_EQ(told, (std::vector<What>{What::kCreated, What::kPurged, What::kKindSet, What::kRevived,
                                     What::kLinked}));
  // Nor does the history of a tag that both had.
  auto of_tag = Must(db->History(*db->snapshot().Find(IndexKey("tag", "tagshared"))));
  for (const HistoryEntry& e : of_tag)
    EXPECT_TRUE(e.other != node || e.sequence == db->snapshot().sequence());
}

TEST(HardPurge, WordsOfOnlyPurgedNodesAreInNoFile) {
  for (const bool trimmed : {false, true}) {
    ScratchDirectory scratch;
    auto db = MustOpen(scratch.path(), Create());
    FillTerms(*db);
    if (trimmed) PLEXUS_OK(db->Trim(2));
    const NodeId node = *db->snapshot().Find("secret-node");
    ASSERT_FALSE(Found(scratch.path(), {"hunterword"}).empty());
    PLEXUS_OK(db->HardPurge({&node, 1}));
    // Trimmed, no record is left that says whose word "formerword" was.
    EXPECT_EQ(Found(scratch.path(), {"hunterword", "formerword", "secret-node"}),
              std::vector<std::string>{});
    // What the history knows of another node stays in it; below the floor nobody knows.
    EXPECT_EQ(Found(scratch.path(), {"onceword"}).empty(), trimmed);
    EXPECT_EQ(AliveTerms(db->snapshot()), "sharedword otherword ")
        << "a word without an arc is nobody's";
    if (!trimmed) {
      EXPECT_EQ(AliveTerms(*db->AsOf(1)), "sharedword otherword onceword ");
    }
    ExpectSound(*db);
    for (Sequence s = trimmed ? 2 : 1; s <= db->snapshot().sequence(); ++s) PLEXUS_OK(db->AsOf(s));
    PLEXUS_OK(db->Close());
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
