// Replicas over a stream: files, pages, what a source forgot, forks, promotion.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>

#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "storage/replica.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

OpenOptions AsReplica(TestHooks* hooks = nullptr) {
  OpenOptions options;
  options.replica_of = "http://source";
  options.hooks = hooks;
  return options;
}

// What SendFiles sends, as pieces of odd lengths.
Result<std::string> Files(Database& from) {
  std::string all;
  PLEXUS_TRY(from.SendFiles([&](std::string_view piece) -> Status {
    all += piece;
    return {};
  }));
  return all;
}

Result<std::uint64_t> Receive(const std::string& directory, const std::string& bytes) {
  std::size_t at = 0;
  return replica::ReceiveFiles(directory, "http://source", [&]() -> Result<std::string> {
    const std::string piece = bytes.substr(at, 1000);
    at += piece.size();
    return piece;
  });
}

// Batches of the script, whatever sequence the graph has reached.
void Write(Database& db, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i <= to; ++i) PLEXUS_OK(db.graph().Apply(ScriptBatch(i)));
}

void Copy(Database& from, const std::string& to) {
  const std::string bytes = Must(Files(from));
  PLEXUS_OK(replica::SwapIn(to, Must(Receive(to, bytes))));
}

// One page over the wire, as a follower takes it. Where the source has another generation, first
// what it forgot.
Status TakePage(Database& from, Database& to, std::uint64_t most) {
  const replica::GraphLineage mine = Must(to.ReadLineage());
  PLEXUS_TRY(replica::CheckSource(mine, Must(from.ReadLineage())));
  PLEXUS_ASSIGN(const Changes changes,
                from.ChangesSince(to.snapshot().sequence(), {.max_records = most}));
  if (changes.generation != mine.source_generation) {
    PLEXUS_ASSIGN(const replica::ForgottenIds forgotten, from.Forgotten());
    return to.Forget(forgotten);
  }
  PLEXUS_ASSIGN(const std::string page, replica::EncodeChanges(changes));
  PLEXUS_ASSIGN(const Changes taken, replica::DecodeChanges(page));
  return to.Follow(taken);
}

void TakeAll(Database& from, Database& to, std::uint64_t most = 3) {
  while (Must(to.ReadLineage()).source_generation != Must(from.ReadLineage()).generation ||
         to.snapshot().sequence() < from.snapshot().sequence())
    PLEXUS_OK(TakePage(from, to, most));
}

class ReplicaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    source_ = MustOpen(scratch_.path("source"), Create());
    Write(*source_, 1, 20);
  }
  void Begin() {
    Copy(*source_, scratch_.path("replica"));
    replica_ = MustOpen(scratch_.path("replica"), AsReplica(&hooks_));
  }
  // A memory with a word of its own, purged by a record that the replica has; the source has
  // forgotten the word since.
  void PurgeAWord() {
    WriteBatch batch(100'000);
    batch.Link(batch.UpsertNode("secret"), kHasTerm, batch.IndexNode(kTerm, "zirconiumword"));
    PLEXUS_OK(source_->graph().Apply(batch));
    WriteBatch purge(100'000);
    purge.PurgeNode(purge.Node("secret"));
    PLEXUS_OK(source_->graph().Apply(purge));
    TakeAll(*source_, *replica_);
    EXPECT_TRUE(HasWord(*replica_)) << "the source has it, too";
    PLEXUS_OK(source_->Scrub());
    EXPECT_FALSE(HasWord(*source_));
  }
  static bool HasWord(const Database& db) {
    return db.snapshot().Find(IndexKey("term", "zirconiumword")).has_value();
  }
  void Reopen() {
    PLEXUS_OK(replica_->Close());
    replica_ = MustOpen(scratch_.path("replica"), AsReplica());
  }
  void ExpectEqual() { EXPECT_EQ(Dump(replica_->snapshot()), Dump(source_->snapshot())); }

  ScratchDirectory scratch_;
  TestHooks hooks_;  // of the replica, until it is opened again
  std::unique_ptr<Database> source_, replica_;
};

TEST_F(ReplicaTest, FilesThenPagesAnyStopAnyReopening) {
  Begin();
  ExpectEqual();
  for (std::uint64_t i = 21; i <= 40; ++i) {
    Write(*source_, i, i);
    if (i % 3 == 0) PLEXUS_OK(TakePage(*source_, *replica_, 2));
    if (i % 7 == 0) Reopen();
  }
  TakeAll(*source_, *replica_);
  ExpectEqual();
  ExpectSound(*replica_);
  for (Sequence s = 21; s <= 40; ++s)
    EXPECT_EQ(Dump(Must(replica_->AsOf(s))), Dump(Must(source_->AsOf(s)))) << s;
}

TEST_F(ReplicaTest, OthersOnlyReadIt) {
  Begin();
  PLEXUS_OK(replica_->Close());
  const auto opened = Database::Open(scratch_.path("replica"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kReadOnly);
  EXPECT_NE(opened.error().message.find("a replica of http://source"), std::string::npos);
  EXPECT_EQ(Dump(MustOpen(scratch_.path("replica"), ReadOnly())->snapshot()),
            Dump(source_->snapshot()));
}

// A copy of a replica is one, too.
TEST_F(ReplicaTest, ABackupOfAReplicaIsAReplica) {
  Begin();
  PLEXUS_OK(replica_->Backup(scratch_.path("backup")));
  EXPECT_EQ(Database::Open(scratch_.path("backup")).error().code, ErrorCode::kReadOnly);
  replica_ = nullptr;
  replica_ = MustOpen(scratch_.path("backup"), AsReplica());
  Write(*source_, 21, 25);
  TakeAll(*source_, *replica_);
  ExpectEqual();
}

// The words of a memory that is purged: the source writes its log anew, the replica forgets the
// same, at whatever record it stands, and nothing of them is in its files.
TEST_F(ReplicaTest, PurgedWordsLeaveIt) {
  const std::string secret = "zirconiumword", text = "a text of bismuthphrase";
  for (const bool behind : {false, true}) {
    SCOPED_TRACE(behind);
    const std::string key = behind ? "secret2" : "secret1";
    if (!replica_) Begin();
    WriteBatch batch(100'000);
    const NodeRef node = batch.UpsertNode(key);
    batch.SetPayload(node, NodeField::kText, text);
    batch.Link(node, kHasTerm, batch.IndexNode(kTerm, secret + key));
    batch.Link(batch.IndexNode(kEvent, "event" + key), kMember, node);
    batch.Link(node, kCauses, batch.UpsertNode("other"));
    PLEXUS_OK(source_->graph().Apply(batch));
    TakeAll(*source_, *replica_);
    ExpectEqual();
    const std::uint64_t generation = Must(source_->ReadLineage()).generation;
    const std::string_view keys[] = {key};
    PLEXUS_OK(source_->Purge(keys, 100'000));
    ASSERT_GT(Must(source_->ReadLineage()).generation, generation) << "no words were purged";
    if (behind) Write(*source_, 21, 24);
    TakeAll(*source_, *replica_, 1);
    ExpectEqual();
    ExpectSound(*replica_);
    Reopen();
    ExpectEqual();
    replica_ = nullptr;
    EXPECT_EQ(Found(scratch_.path("replica"), {secret, "bismuthphrase"}),
              std::vector<std::string>());
    replica_ = MustOpen(scratch_.path("replica"), AsReplica());
  }
}

// It answers without the words before it writes its log again, which the disk may hold up, and a
// crash on the way does not bring them back.
TEST_F(ReplicaTest, PurgedWordsAreNotAnsweredWhileTheLogIsRewritten) {
  Begin();
  PurgeAWord();
  std::vector<std::string> points;
  hooks_.at_point = [&](const char* point) {
    if (!std::string_view(point).starts_with("hard_purge.")) return;
    points.push_back(point);
    EXPECT_FALSE(HasWord(*replica_)) << point;
    CopyTree(scratch_.path("replica"), scratch_.path(point));
  };
  PLEXUS_OK(TakePage(*source_, *replica_, 1));
  hooks_.at_point = nullptr;
  EXPECT_EQ(points, (std::vector<std::string>{"hard_purge.linked", "hard_purge.copied",
                                              "hard_purge.before_switch", "hard_purge.switched"}));
  ExpectEqual();
  std::uint64_t next = 21;
  for (const std::string& point : points) {
    SCOPED_TRACE(point);
    replica_ = MustOpen(scratch_.path(point), AsReplica());
    EXPECT_FALSE(HasWord(*replica_));
    EXPECT_EQ(Found(scratch_.path(point), {"zirconiumword"}), std::vector<std::string>());
    Write(*source_, next, next);
    ++next;
    TakeAll(*source_, *replica_);
    ExpectEqual();
    ExpectSound(*replica_);
  }
}

TEST_F(ReplicaTest, ARewriteThatFailedIsDoneByTheNextCall) {
  Begin();
  PurgeAWord();
  hooks_.at_point = [&](const char* point) {
    if (std::string_view(point) == "hard_purge.linked") throw std::bad_alloc();
  };
  EXPECT_EQ(TakePage(*source_, *replica_, 1).error().code, ErrorCode::kResourceExhausted);
  EXPECT_FALSE(HasWord(*replica_));
  EXPECT_FALSE(Found(scratch_.path("replica"), {"zirconiumword"}).empty());
  // Nor does an opening that cannot write the log either bring it back; no checkpoint is made.
  CopyTree(scratch_.path("replica"), scratch_.path("again"));
  OpenOptions options = AsReplica();
  options.hooks = &hooks_;
  {
    const auto again = MustOpen(scratch_.path("again"), options);
    EXPECT_FALSE(HasWord(*again));
    EXPECT_FALSE(again->Checkpoint());
  }
  hooks_.at_point = nullptr;
  TakeAll(*source_, *replica_);
  ExpectEqual();
  ExpectSound(*replica_);
  EXPECT_EQ(Found(scratch_.path("replica"), {"zirconiumword"}), std::vector<std::string>());
}

// Neither changes anything of the list, and both may take long.
TEST_F(ReplicaTest, WhatIsForgottenIsSaidWhileTheSourceTrimsOrWrites) {
  std::vector<std::future<bool>> asked;
  const auto ask = [&] {
    asked.push_back(
        std::async(std::launch::async, [&] { return source_->Forgotten().has_value(); }));
    EXPECT_EQ(asked.back().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  };
  OpenOptions options;
  options.hooks = &hooks_;
  PLEXUS_OK(source_->Close());
  source_ = MustOpen(scratch_.path("source"), options);
  hooks_.at_point = [&](const char* point) {
    if (std::string_view(point) == "trim.before_anchor") ask();
  };
  PLEXUS_OK(source_->Trim(10));
  hooks_.at_point = nullptr;
  // The writers' turn, as who writes has it.
  PLEXUS_OK(source_->graph().Renew([&]() -> Result<std::optional<Graph::Renewal>> {
    ask();
    return std::nullopt;
  }));
  ASSERT_EQ(asked.size(), 2u);
  for (std::future<bool>& one : asked) EXPECT_TRUE(one.get());
}

TEST_F(ReplicaTest, AHardPurgeAtAnyRecord) {
  for (std::uint64_t behind = 0; behind < 5; ++behind) {
    SCOPED_TRACE(behind);
    replica_ = nullptr;
    std::filesystem::remove_all(scratch_.path("replica"));
    Begin();
    const Snapshot now = source_->snapshot();
    std::vector<NodeId> nodes;
    for (NodeId v = 0; v < now.node_count() && nodes.size() < 2; ++v)
      if (now.alive(v) && now.is_fact(v)) nodes.push_back(v);
    ASSERT_EQ(nodes.size(), 2u);
    Write(*source_, 21 + 5 * behind, 21 + 5 * behind + behind);
    PLEXUS_OK(source_->HardPurge(nodes));
    Write(*source_, 23 + 5 * behind + behind, 24 + 5 * behind + behind);
    TakeAll(*source_, *replica_, 1);
    ExpectEqual();
    ExpectSound(*replica_);
    Reopen();
    ExpectEqual();
  }
}

// The strings of a hard purge leave the replica's files under the same ids, at whatever record it
// is, and with a longer history than its source's, in which others had them; then they come again.
TEST_F(ReplicaTest, PurgedStringsLeaveIt) {
  const std::vector<std::string> secrets = {"osmiumscope", "osmiumlabel", "osmiumauthor",
                                            "osmiumpast"};
  const auto write = [&](const char* key, std::string_view scope, std::string_view label) {
    WriteBatch batch(100'000);
    const NodeRef node = batch.UpsertNode(key);
    batch.SetString(node, ColumnRef(kScope), scope);
    batch.Link({.source = node,
                .target = batch.UpsertNode("hub"),
                .kind = EdgeKindRef(kRelatesTo),
                .label = label,
                .created_by = "osmiumauthor"});
    PLEXUS_OK(source_->graph().Apply(batch));
  };
  Begin();
  write("gone", "osmiumpast", "osmiumlabel");
  write("survivor", "osmiumpast", "");
  write("survivor", "now", "");
  const Sequence past = source_->snapshot().sequence() - 1;  // the survivor's former scope
  WriteBatch unlink(100'000);
  unlink.Unlink(unlink.Node("survivor"), EdgeKindRef(kRelatesTo), unlink.Node("hub"));
  PLEXUS_OK(source_->graph().Apply(unlink));
  write("gone", "osmiumscope", "osmiumlabel");
  TakeAll(*source_, *replica_);
  PLEXUS_OK(source_->Trim(source_->snapshot().sequence() - 1));
  write("later", "now", "osmiumlabel2");  // a record that the replica lacks
  const Snapshot whole = source_->snapshot();
  PLEXUS_OK(source_->HardPurge(std::vector{*whole.Find("gone"), *whole.Find("later")}));
  EXPECT_EQ(Found(scratch_.path("source"), secrets), std::vector<std::string>());
  std::vector<std::string> points;
  hooks_.at_point = [&](const char* point) {
    if (!std::string_view(point).starts_with("hard_purge.")) return;
    points.push_back(point);
    EXPECT_FALSE(replica_->snapshot().FindString("osmiumscope")) << point;
    CopyTree(scratch_.path("replica"), scratch_.path(point));
  };
  TakeAll(*source_, *replica_, 1);
  hooks_.at_point = nullptr;
  ASSERT_EQ(points.size(), 4u);
  write("again", "osmiumscope", "osmiumlabel");  // known to no replica
  points.push_back("replica");
  replica_ = nullptr;
  for (const std::string& point : points) {
    SCOPED_TRACE(point);
    replica_ = MustOpen(scratch_.path(point), AsReplica());
    EXPECT_FALSE(replica_->snapshot().FindString("osmiumscope"));
    EXPECT_EQ(Found(scratch_.path(point), secrets), std::vector<std::string>());
    TakeAll(*source_, *replica_);
    ExpectEqual();
    ExpectSound(*replica_);
    const Snapshot then = Must(replica_->AsOf(past)), now = replica_->snapshot();
    EXPECT_TRUE(then.string(*then.string_column(kScope, *now.Find("survivor")))
                    .starts_with("purged-string-"));
    PLEXUS_OK(replica_->Close());
  }
}

// A state below the source's floor may have what nothing above it refers to: its copy is next.
TEST_F(ReplicaTest, StringsBelowTheFloorStayUntilTheCopy) {
  Begin();
  const auto set = [&](std::string_view scope) {
    WriteBatch batch(100'000);
    batch.SetString(batch.UpsertNode("survivor"), ColumnRef(kScope), scope);
    batch.UpsertNode("gone");
    PLEXUS_OK(source_->graph().Apply(batch));
  };
  set("osmiumscope");
  TakeAll(*source_, *replica_);
  set("now");
  PLEXUS_OK(source_->Trim(source_->snapshot().sequence()));
  PLEXUS_OK(source_->HardPurge(std::vector{*source_->snapshot().Find("gone")}));
  PLEXUS_OK(replica_->Forget(Must(source_->Forgotten())));
  const Snapshot now = replica_->snapshot();
  EXPECT_EQ(now.string(*now.string_column(kScope, *now.Find("survivor"))), "osmiumscope");
  EXPECT_EQ(TakePage(*source_, *replica_, 1).error().code, ErrorCode::kFailedPrecondition);
  replica_ = nullptr;
  Copy(*source_, scratch_.path("replica"));
  replica_ = MustOpen(scratch_.path("replica"), AsReplica());
  EXPECT_EQ(Found(scratch_.path("replica"), {"osmiumscope"}), std::vector<std::string>());
  ExpectEqual();
}

TEST_F(ReplicaTest, ATrimmedSourceIsCopiedBesideAndSwappedIn) {
  Begin();
  Write(*source_, 21, 40);
  PLEXUS_OK(source_->Trim(30));
  EXPECT_EQ(TakePage(*source_, *replica_, 5).error().code, ErrorCode::kFailedPrecondition);
  const std::string before = Dump(replica_->snapshot());
  const std::uint64_t generation = Must(Receive(scratch_.path("replica"), Must(Files(*source_))));
  EXPECT_EQ(Dump(replica_->snapshot()), before) << "until it is swapped in";
  PLEXUS_OK(replica_->Close());
  PLEXUS_OK(replica::SwapIn(scratch_.path("replica"), generation));
  replica_ = MustOpen(scratch_.path("replica"), AsReplica());
  ExpectEqual();
  Write(*source_, 41, 45);
  TakeAll(*source_, *replica_);
  ExpectEqual();
  ExpectSound(*replica_);
}

// Whatever of the files comes: nothing of them is taken, and the replica stays.
TEST_F(ReplicaTest, FilesThatAreCutOrChangedAreRefused) {
  Begin();
  Write(*source_, 21, 22);
  const std::string bytes = Must(Files(*source_));
  for (std::size_t i = 0; i < 80; ++i) {  // the list, and all over the files
    const std::size_t at = i < 40 ? 40 * i : bytes.size() * (i - 40) / 40;
    EXPECT_FALSE(Receive(scratch_.path("replica"), bytes.substr(0, at))) << at;
    std::string changed = bytes;
    changed[at] ^= 0x20;
    const auto received = Receive(scratch_.path("replica"), changed);
    EXPECT_FALSE(received) << at;
  }
  EXPECT_FALSE(Receive(scratch_.path("replica"), bytes + "x"));
  Reopen();
  TakeAll(*source_, *replica_);
  ExpectEqual();
}

TEST_F(ReplicaTest, PagesThatAreCutOrChangedAreRefused) {
  const std::string page = Must(replica::EncodeChanges(Must(source_->ChangesSince(0))));
  EXPECT_TRUE(replica::DecodeChanges(page));
  for (std::size_t at = 0; at < page.size(); at += 1 + page.size() / 200) {
    EXPECT_EQ(replica::DecodeChanges(page.substr(0, at)).error().code, ErrorCode::kCorruption)
        << at;
    std::string changed = page;
    changed[at] ^= 1;
    EXPECT_EQ(replica::DecodeChanges(changed).error().code, ErrorCode::kCorruption) << at;
  }
}

TEST_F(ReplicaTest, OtherSourcesAreRefused) {
  Begin();
  auto other = MustOpen(scratch_.path("other"), Create());
  Write(*other, 1, 30);
  const Status another = TakePage(*other, *replica_, 5);
  EXPECT_NE(another.error().message.find("another graph"), std::string::npos);
  EXPECT_FALSE(Receive(scratch_.path("replica"), Must(Files(*other))));
  EXPECT_FALSE(Receive(scratch_.path("source"), Must(Files(*source_)))) << "no replica";

  // Set back to a copy of before: behind, then another history.
  PLEXUS_OK(source_->Backup(scratch_.path("old")));
  Write(*source_, 21, 25);
  TakeAll(*source_, *replica_);
  auto old = MustOpen(scratch_.path("old"));
  EXPECT_EQ(TakePage(*old, *replica_, 5).error().code, ErrorCode::kNotFound);
  Write(*old, 41, 50);
  const Status forked = TakePage(*old, *replica_, 5);
  EXPECT_EQ(forked.error().code, ErrorCode::kConflict);
  EXPECT_NE(forked.error().message.find("forked"), std::string::npos);
  ExpectEqual();

  replica::GraphLineage newer = Must(source_->ReadLineage());
  newer.format += 1;
  EXPECT_EQ(replica::CheckSource(Must(replica_->ReadLineage()), newer).error().code,
            ErrorCode::kUnsupported);
}

TEST_F(ReplicaTest, APromotedReplicaRefusesItsSourceAndServesOthers) {
  Begin();
  Copy(*source_, scratch_.path("second"));
  auto second = MustOpen(scratch_.path("second"), AsReplica());
  Write(*source_, 21, 25);
  TakeAll(*source_, *replica_);
  EXPECT_EQ(source_->Promote().error().code, ErrorCode::kFailedPrecondition);
  PLEXUS_OK(replica_->Promote());
  PLEXUS_OK(replica_->Close());
  auto writer = MustOpen(scratch_.path("replica"));
  Write(*writer, 26, 30);
  PLEXUS_OK(replica::CheckSource(Must(second->ReadLineage()), Must(writer->ReadLineage())));
  // The old source as a source of what was promoted, or of who follows that.
  EXPECT_EQ(
      replica::CheckSource(Must(writer->ReadLineage()), Must(source_->ReadLineage())).error().code,
      ErrorCode::kFailedPrecondition);
  // One that has more of the old writer than the new one began with.
  Write(*source_, 31, 33);
  TakeAll(*source_, *second);
  EXPECT_EQ(
      replica::CheckSource(Must(second->ReadLineage()), Must(writer->ReadLineage())).error().code,
      ErrorCode::kFailedPrecondition);
  PLEXUS_OK(writer->Close());
  writer = MustOpen(scratch_.path("replica"));
  EXPECT_EQ(Must(writer->ReadLineage()).marks.size(), 1u) << "it stays";
}

// Words that wait to be forgotten when the files are taken: the replica leaves them to its source.
TEST_F(ReplicaTest, BegunWhilePurgedWordsWait) {
  WriteBatch batch(100'000);
  const NodeRef node = batch.UpsertNode("secret");
  batch.Link(node, kHasTag, batch.IndexNode(kTag, "shared"));
  PLEXUS_OK(source_->graph().Apply(batch));
  WriteBatch purge(100'001);
  purge.PurgeNode(purge.Node("secret"));
  PLEXUS_OK(source_->graph().Apply(purge));
  Begin();
  PLEXUS_OK(source_->Backup(scratch_.path("backup")));
  Reopen();
  ExpectEqual();
  EXPECT_EQ(Dump(MustOpen(scratch_.path("backup"))->snapshot()), Dump(source_->snapshot()));
  WriteBatch again(100'002);
  again.Link(again.UpsertNode("later"), kHasTag, again.IndexNode(kTag, "shared"));
  PLEXUS_OK(source_->graph().Apply(again));
  TakeAll(*source_, *replica_);
  ExpectEqual();
  ExpectSound(*replica_);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
