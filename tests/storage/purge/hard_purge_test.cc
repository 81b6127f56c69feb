// A rewrite touches what it must, and whatever stops it leaves the old generation or the new one.
#include <sys/stat.h>

#include <algorithm>
#include <future>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "engine/bulk/edge_load.h"
#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "tests/support/files/faulty_files.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

constexpr char kSecret[] = "a text that nobody may ever find again";

// Sorted files below `directory` by their number on the disk: a hard link keeps it.
std::set<ino_t> SortedFiles(const std::string& directory) {
  std::set<ino_t> found;
  for (const std::string& file : FilesBelow(directory)) {
    struct stat status;
    if (file.ends_with(".sst") && stat(file.c_str(), &status) == 0) found.insert(status.st_ino);
  }
  return found;
}

// A node with a text, a word and strings of its own, in an event with another, and one of the
// script's.
void FillSecret(Database& db, std::uint64_t batches) {
  ApplyScript(db, 1, batches);
  WriteBatch batch(static_cast<std::int64_t>(1000 * batches + 1));
  const NodeRef node = batch.UpsertNode("secret-key", NameRef(kMemory));
  batch.SetPayload(node, NodeField::kText, kSecret);
  batch.Link(node, kHasTerm, batch.IndexNode(kTerm, "secretword"));
  const NodeRef event = batch.IndexNode(kEvent, "secretevent");
  batch.Link(event, kMember, node);
  batch.Link(event, kMember, batch.Node("m1"));
  batch.Link(event, kHasTerm, batch.IndexNode(kTerm, "secretquery"));
  batch.SetString(node, ColumnRef(kScope), "secretscope");
  batch.Link({.source = node,
              .target = batch.Node("m1"),
              .kind = EdgeKindRef(kCauses),
              .label = "secretlabel",
              .created_by = "secretauthor"});
  PLEXUS_OK(db.graph().Apply(batch));
}
const std::vector<std::string> kSecrets = {kSecret,       "secret-key",  "secretword",
                                           "secretevent", "secretquery", "secretscope",
                                           "secretlabel", "secretauthor"};

TEST(HardPurge, PayloadsOfOthersAreNotCopied) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  for (int step = 0; step < 4; ++step) {  // a sorted file of payloads each
    PLEXUS_OK(db->BeginBulk());
    WriteBatch batch(step + 1);
    for (int i = 0; i < 50; ++i) {
      const std::string name = std::to_string(step) + "-" + std::to_string(i) + "-";
      batch.SetPayload(batch.UpsertNode("key" + name), NodeField::kText, "the text of " + name);
    }
    PLEXUS_OK(db->graph().Apply(batch));
    PLEXUS_OK(db->EndBulk());
  }
  const std::set<ino_t> before = SortedFiles(scratch.path());
  std::filesystem::create_directory(scratch.path("held"));  // so that no number is given anew
  for (const std::string& file : FilesBelow(scratch.path()))
    std::filesystem::create_hard_link(
        file, scratch.path("held") + "/" + std::to_string(std::hash<std::string>()(file)));
  const NodeId node[] = {*db->snapshot().Find("key2-7-")};
  PLEXUS_OK(db->HardPurge(node));
  EXPECT_EQ(Found(scratch.path(), {"the text of 2-7-", "key2-7-"}), std::vector<std::string>{});
  std::size_t kept = 0;
  for (const ino_t file : SortedFiles(scratch.path())) kept += before.contains(file);
  EXPECT_EQ(kept, 3u) << "those of the other steps are links to the same bytes";
  EXPECT_EQ(*db->snapshot().Payload(*db->snapshot().Find("key1-9-"), NodeField::kText),
            "the text of 1-9-");
  ExpectSound(*db);
  PLEXUS_OK(db->Close());
  EXPECT_EQ(*MustOpen(scratch.path())->snapshot().Payload(3, NodeField::kText), "the text of 0-3-");
}

// Random nodes of a varied life, trimmed or not, one purge after another: the state that goes on is
// the one that the rewritten log gives, which Verify compares array by array.
TEST(HardPurge, GoesOnFromWhatTheLogSays) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    ScratchDirectory scratch;
    auto db = MustOpen(scratch.path(), Create());
    Sequence last = 0;
    for (int round = 0; round < 4; ++round) {
      ApplyScript(*db, last + 1, last + 8, seed);
      last = db->snapshot().sequence();
      WriteBatch batch(
          db->snapshot().time_ms());  // kinds that change, words, symmetric edges, events
      for (int i = 0; i < 6; ++i) {
        const std::string name = "k" + std::to_string(random() % 10);
        const NodeRef node = batch.UpsertNode(name, NameRef(random() % 2 ? kMemory : kNode));
        const auto text = [&](const char* what) { return what + std::to_string(random() % 40); };
        batch.SetString(node, ColumnRef(kScope), text("s"));
        batch.Link({.source = node,
                    .target = batch.Node("k" + std::to_string(random() % 10 + 10)),
                    .kind = EdgeKindRef(kRelatesTo),
                    .label = text("l"),
                    .created_by = text("a")});
        batch.Link(node, kHasTerm, batch.IndexNode(kTerm, "w" + std::to_string(random() % 30)));
        if (i < 2)
          batch.Link(batch.IndexNode(kEvent, "e" + std::to_string(random() % 8)), kMember, node);
      }
      PLEXUS_OK(db->graph().Apply(batch));
      if (round == 1 && seed % 3 == 0) PLEXUS_OK(db->Trim(db->snapshot().sequence() - 4));
      if (random() % 2) PLEXUS_OK(db->graph().Compact());
      const Snapshot now = db->snapshot();
      std::vector<NodeId> nodes;
      for (int i = 0; i < 3; ++i) nodes.push_back(static_cast<NodeId>(random() % now.node_count()));
      PLEXUS_OK(db->HardPurge(nodes));
      for (const NodeId node : nodes) {
        EXPECT_TRUE(db->snapshot().purged(node));
        EXPECT_EQ(db->snapshot().Degree(Direction::kBoth, node, ArcFilter::All()), 0u);
      }
      ExpectSound(*db);
      last = db->snapshot().sequence();
    }
    const std::string dump = Dump(db->snapshot());
    PLEXUS_OK(db->Close());
    EXPECT_EQ(Dump(MustOpen(scratch.path())->snapshot()), dump);
  }
}

// Strings of purged nodes only are in no file; those that another node has, or had within the
// history, stay under their ids, and a string that went is a new one when it comes again.
TEST(HardPurge, StringsOfPurgedNodesOnlyGo) {
  for (const bool trimmed : {false, true}) {
    SCOPED_TRACE(trimmed);
    ScratchDirectory scratch;
    auto db = MustOpen(scratch.path(), Create());
    const auto write = [&](const char* key, const char* scope, const char* label) {
      WriteBatch batch(db->snapshot().time_ms() + 1);
      const NodeRef node = batch.UpsertNode(key);
      batch.SetString(node, ColumnRef(kScope), scope);
      batch.SetString(node, ColumnRef(kCategory), std::string(scope) + "-category");
      batch.Link({.source = node,
                  .target = batch.UpsertNode("hub"),
                  .kind = EdgeKindRef(kRelatesTo),
                  .label = label,
                  .created_by = std::string(label) + "-author"});
      PLEXUS_OK(db->graph().Apply(batch));
    };
    write("other", "pastscope", "pastlabel");
    write("gone", "lonescope", "lonelabel");
    write("gone", "sharedscope", "sharedlabel");
    write("other", "sharedscope", "sharedlabel");
    WriteBatch unlink(db->snapshot().time_ms());
    unlink.Unlink(unlink.Node("other"), EdgeKindRef(kRelatesTo), unlink.Node("hub"), "pastlabel");
    PLEXUS_OK(db->graph().Apply(unlink));
    write("gone", "lastscope", "lastlabel");
    if (trimmed) PLEXUS_OK(db->Trim(2));
    const Snapshot before = db->snapshot();
    const std::vector<std::string> lone = {"lonescope", "lonelabel", "lastscope", "lastlabel"};
    EXPECT_FALSE(Found(scratch.path(), lone).empty());
    const NodeId node[] = {*before.Find("gone")};
    PLEXUS_OK(db->HardPurge(node));
    EXPECT_EQ(Found(scratch.path(), lone), std::vector<std::string>());
    EXPECT_EQ(db->snapshot().FindString("lonescope"), std::nullopt);
    EXPECT_EQ(before.string(*before.FindString("lonescope")), "lonescope") << "as with texts";
    const NodeId other = *before.Find("other");
    for (int opened = 0; opened < 2; ++opened) {
      const Snapshot now = db->snapshot();
      for (const char* stays : {"pastscope", "pastlabel", "pastscope-category", "sharedscope",
                                "sharedlabel", "sharedlabel-author"})
        EXPECT_EQ(now.FindString(stays), before.FindString(stays)) << stays;
      EXPECT_EQ(now.string(*now.string_column(kScope, other)), "sharedscope");
      const Snapshot past = Must(db->AsOf(3));
      EXPECT_EQ(past.string(*past.string_column(kScope, other)), "pastscope");
      EXPECT_TRUE(past.FindEdge(other, kRelatesTo, *now.Find("hub"),
                                past.FindString("pastlabel").value_or(0)));
      ExpectSound(*db);
      PLEXUS_OK(db->Close());
      EXPECT_EQ(Found(scratch.path(), lone), std::vector<std::string>());
      db = MustOpen(scratch.path());
    }
    write("new", "lonescope", "lonelabel");
    const Snapshot now = db->snapshot();
    EXPECT_GT(*now.FindString("lonescope"), *before.FindString("lastscope"));
    EXPECT_EQ(now.string(*now.string_column(kScope, *now.Find("new"))), "lonescope");
    ExpectSound(*db);
    PLEXUS_OK(db->HardPurge(std::vector{*now.Find("new")}));
    ExpectSound(*db);
    PLEXUS_OK(db->Close());
    EXPECT_EQ(Found(scratch.path(), lone), std::vector<std::string>());
    PLEXUS_OK(MustOpen(scratch.path())->Close());
  }
}

// The next record of another graph may name a string that nothing here does.
TEST(HardPurge, AFollowersStringsAreItsSourcesToForget) {
  ScratchDirectory scratch;
  auto source = MustOpen(scratch.path("source"), Create());
  auto db = MustOpen(scratch.path(), Create());
  const auto follow = [&] {
    PLEXUS_OK(db->graph().Replay(Must(source->ChangesSince(db->snapshot().sequence())).records));
  };
  FillSecret(*source, 2);
  WriteBatch purge(source->snapshot().time_ms());
  purge.PurgeNode(purge.Node("secret-key"));
  purge.RemoveNode(purge.IndexNode(kTerm, "secretword"));
  purge.RemoveNode(purge.Node("m1"));
  PLEXUS_OK(source->graph().Apply(purge));
  follow();
  for (const char* key : {"secret-key", "m1"})  // it is a follower after the first one, too
    PLEXUS_OK(db->HardPurge(std::vector{*db->snapshot().Find(key)}));
  WriteBatch batch(source->snapshot().time_ms());
  batch.SetString(batch.UpsertNode("later"), ColumnRef(kScope), "secretscope");
  PLEXUS_OK(source->graph().Apply(batch));
  follow();
  const Snapshot now = db->snapshot();
  EXPECT_EQ(now.string(*now.string_column(kScope, *now.Find("later"))), "secretscope");
  ExpectSound(*db);
}

// A load of an edge that is made ready over this state.
EdgeLoad OneEdge(const Snapshot& start) {
  EdgeLoad load;
  load.strings = StringTable(start.state().strings);
  load.keys = StringTable(start.state().keys);
  load.batches.resize(1);
  load.batches[0].edges = AlignedArray<NodePair>(1);
  load.batches[0].edges[0] = {*start.Find("m1"), *start.Find("m2")};
  load.batches[0].nodes = start.node_count();
  return load;
}

// A load that was made ready before a purge that writes no record knows its strings still.
TEST(HardPurge, NoLoadGoesOverIt) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  FillSecret(*db, 2);
  const NodeId node[] = {*db->snapshot().Find("secret-key")};
  PLEXUS_OK(db->Purge(std::vector<std::string_view>{"secret-key"}, db->snapshot().time_ms()));
  struct Purges : Progress {
    bool Report(std::string_view, std::uint64_t, std::uint64_t) override {
      if (!std::exchange(done, true))
        done = std::async(std::launch::async, [&] { return db.HardPurge(node); }).get().has_value();
      return true;
    }
    Purges(Database& d, std::span<const NodeId> n) : db(d), node(n) {}
    Database& db;
    std::span<const NodeId> node;
    bool done = false;
  } progress(*db, node);
  EdgeLoad load = OneEdge(db->snapshot());
  const auto loaded = db->graph().Load(std::move(load), {}, &progress);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(progress.done);
  ExpectSound(*db);
}

// Tables that were taken before it, with strings that were packed then.
TEST(HardPurge, NoLoadOfPackedTablesGoesOverIt) {
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), Create());
    FillSecret(*db, 2);
    WriteBatch made(db->snapshot().time_ms()), removed(db->snapshot().time_ms());
    for (int i = 0; i < 300; ++i) {
      const std::string key = "dead" + std::to_string(i);
      made.SetString(made.UpsertNode(key), ColumnRef(kScope), "of " + key);
      removed.RemoveNode(removed.Node(key));
    }
    PLEXUS_OK(db->graph().Apply(made));
    PLEXUS_OK(db->graph().Apply(removed));
  }
  auto db = MustOpen(scratch.path(), {});
  const Snapshot start = db->snapshot();
  ASSERT_GT(start.state().strings.packed_count(), 0u);
  EdgeLoad load = OneEdge(start);
  PLEXUS_OK(db->HardPurge(std::vector{*start.Find("dead7")}));
  const auto loaded = db->graph().Load(std::move(load));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kFailedPrecondition);
  ExpectSound(*db);
}

// What a crash at each point on the way leaves opens, to the graph with the node purged.
TEST(HardPurge, ACrashLeavesTheOldGenerationOrTheNewOne) {
  for (const bool trimmed : {false, true}) {
    ScratchDirectory scratch;
    std::vector<std::string> points;
    TestHooks hooks;
    bool watching = false;
    hooks.at_point = [&](const char* point) {
      // RocksDB's threads write at a point of its own: a copy then is no moment of the files.
      if (!watching || std::string_view(point).starts_with("rocks.")) return;
      points.push_back(point);
      CopyTree(scratch.path("live"), scratch.path("crash" + std::to_string(points.size())));
    };
    OpenOptions options = Create();
    options.hooks = &hooks;
    auto db = MustOpen(scratch.path("live"), options);
    FillSecret(*db, 10);
    if (trimmed) PLEXUS_OK(db->Trim(5));
    WriteBatch purge(db->snapshot().time_ms());
    purge.PurgeNode(purge.Node("secret-key"));
    purge.RemoveNode(purge.IndexNode(kTerm, "secretword"));  // as the purge does: no record more
    PLEXUS_OK(db->graph().Apply(purge));
    const NodeId node[] = {*db->snapshot().Find("secret-key")};
    watching = true;
    PLEXUS_OK(db->HardPurge(node));
    watching = false;
    EXPECT_EQ(Found(scratch.path("live"), kSecrets), std::vector<std::string>{});
    const std::string after = Dump(db->snapshot());
    for (const char* point : {"hard_purge.linked", "hard_purge.copied", "hard_purge.before_switch",
                              "hard_purge.switched"})
      EXPECT_EQ(std::count(points.begin(), points.end(), point), 1) << point;
    for (std::size_t i = 0; i < points.size(); ++i) {
      SCOPED_TRACE(points[i] + ", point " + std::to_string(i + 1));
      const std::string directory = scratch.path("crash" + std::to_string(i + 1));
      auto again = Must(Database::Open(directory));
      EXPECT_TRUE(again->snapshot().purged(node[0]));
      EXPECT_EQ(Found(directory, {kSecret, "secretword"}), std::vector<std::string>{});
      ExpectSound(*again);
      PLEXUS_OK(again->HardPurge(node));
      EXPECT_EQ(Dump(again->snapshot()), after);
      EXPECT_EQ(Found(directory, kSecrets), std::vector<std::string>{});
      for (const auto& entry : std::filesystem::directory_iterator(directory))
        EXPECT_FALSE(entry.path().filename().string().ends_with(".tmp")) << entry.path();
    }
  }
}

// The disk says no at writes of a hard purge, each one where the generations are switched: an error
// or none, and the database opens again.
TEST(HardPurge, EveryWriteMayFail) {
  std::uint64_t total = 0, switch_from = 0, switch_to = 0;
  const auto next = [&](std::uint64_t n) {
    if (n == 0) return n + 1;
    if (n >= switch_from && n < switch_to) return n + 1;
    return n < switch_from ? std::min(n + 13, switch_from) : n + 13;
  };
  for (std::uint64_t n = 0; n <= total; n = next(n)) {
    SCOPED_TRACE("write " + std::to_string(n) + " of " + std::to_string(total));
    ScratchDirectory scratch;
    Faults faults;
    TestHooks hooks;
    hooks.file_system = faults.Files();
    std::uint64_t before = 0;
    hooks.at_point = [&](const char* point) {
      if (n > 0) return;
      if (std::string_view(point) == "hard_purge.before_switch")
        switch_from = faults.operations - before;
      if (std::string_view(point) == "hard_purge.switched") switch_to = faults.operations - before;
    };
    OpenOptions options = Create();
    options.hooks = &hooks;
    auto db = MustOpen(scratch.path(), options);
    FillSecret(*db, 6);
    const NodeId node[] = {*db->snapshot().Find("secret-key")};
    before = faults.operations;
    if (n > 0) faults.fail_at = before + n;
    const Status status = db->HardPurge(node);
    if (n == 0) {
      PLEXUS_OK(status);
      total = faults.operations - before;
      ASSERT_LT(switch_from, switch_to);
    }
    (void)db->Close();
    db.reset();
    auto again = Must(Database::Open(scratch.path()));
    ExpectSound(*again);
    PLEXUS_OK(again->HardPurge(node));
    EXPECT_EQ(Found(scratch.path(), kSecrets), std::vector<std::string>{});
    EXPECT_TRUE(again->snapshot().Find("m1"));
  }
  EXPECT_GT(total, 20u);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
