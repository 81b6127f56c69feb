// After a clean close whose checkpoint holds everything, the anchor proves the files and RocksDB is
// not asked: what is damaged, swapped or older is refused or worked around as by its look.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <map>
#include <random>
#include <thread>

#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "storage/encoding/anchor.h"
#include "tests/support/expected.h"
#include "tests/support/files/flipped.h"
#include "tests/support/files/watched_files.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

constexpr std::uint64_t kClosedBatches = 12, kNodes = 3000;

// Sorted files are longer than the ends that the anchor knows.
class Closed : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.checkpoint_on_close = CheckpointOnClose::kAlways;
    auto db = MustOpen(whole_, options_);
    ApplyScript(*db, 1, kClosedBatches);
    PLEXUS_OK(db->Close());
    CopyTree(whole_, scratch_.path("older"));
    db = MustOpen(whole_);
    WriteBatch batch(1000 * (kClosedBatches + 1));
    std::vector<NodeRef> nodes;
    for (std::uint64_t i = 0; i < kNodes; ++i)
      nodes.push_back(batch.UpsertNode("a node with a long name " + std::to_string(i), kMemory));
    for (std::uint64_t i = 0; i < 3 * kNodes; ++i)
      batch.Link(nodes[i % kNodes], kSupports, nodes[(i + 1 + i * i) % kNodes], 0.5f);
    PLEXUS_OK(db->graph().Apply(batch));
    digest_ = DumpDigest(db->snapshot());
    PLEXUS_OK(db->Checkpoint());
    PLEXUS_OK(db->Close());
  }

  // So that RocksDB is asked.
  static void DropNoPurges(const std::string& directory) {
    const Files files;
    auto anchor = ReadAnchor(directory, files);
    if (!anchor) return;
    anchor->no_purges = false;
    PLEXUS_OK(WriteAnchor(directory, *anchor, files));
  }

  struct Outcome {
    std::string error;         // empty: it opened
    bool same = false;         // and shows what was there
    std::string worked_round;  // damage that was reported
    bool operator==(const Outcome&) const = default;
  };
  Outcome Try(const std::string& directory, bool read_only) {
    Outcome outcome;
    OpenOptions options = read_only ? ReadOnly() : options_;
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    const std::vector<std::string> before = FilesBelow(directory);
    auto db = Database::Open(directory, options);
    if (!db) {
      outcome.error = db.error().message;
      EXPECT_TRUE(db.error().code == ErrorCode::kCorruption ||
                  db.error().code == ErrorCode::kUnsupported)
          << outcome.error;
      for (const std::string& path : before)
        EXPECT_TRUE(std::filesystem::exists(path)) << path << " was deleted: " << outcome.error;
      return outcome;
    }
    outcome.same = DumpDigest((*db)->snapshot()) == digest_;
    for (const DamagedCheckpoint& d : (*db)->report().damaged_checkpoints)
      outcome.worked_round += DamageMessage(d) + "\n";
    return outcome;
  }

  // The copy with `bytes` in the place of the file `relative`, opened with and without the look.
  void SameAsByLook(const std::string& relative, const std::string& bytes, bool read_only,
                    const std::string& what) {
    Outcome outcomes[2];
    for (const bool look : {false, true}) {
      CopyTree(whole_, hurt_);
      WriteFile(hurt_ + relative, bytes);
      if (look) DropNoPurges(hurt_);
      outcomes[look] = Try(hurt_, read_only);
    }
    ++tries_;
    refused_ += !outcomes[0].error.empty();
    worked_round_ += !outcomes[0].worked_round.empty();
    ASSERT_TRUE(!outcomes[0].error.empty() || outcomes[0].same) << relative << ", " << what;
    // An anchor that was hurt is not rewritten, and a list of files is no part of the look.
    ASSERT_EQ(outcomes[0].error, outcomes[1].error) << relative << ", " << what;
    ASSERT_EQ(outcomes[0].worked_round, outcomes[1].worked_round) << relative << ", " << what;
  }

  std::vector<std::string> Names(const std::string& directory) const {
    std::vector<std::string> names;
    for (const std::string& path : FilesBelow(directory))
      names.push_back(path.substr(directory.size()));
    return names;
  }
  static bool Small(const std::string& name) { return !name.ends_with(".sst"); }

  ScratchDirectory scratch_;
  const std::string whole_ = scratch_.path("whole"), hurt_ = scratch_.path("hurt");
  OpenOptions options_ = Create();
  std::uint64_t digest_ = 0, tries_ = 0, refused_ = 0, worked_round_ = 0;
};

// Every byte with PLEXUS_EVERY_BYTE=1; sampled otherwise.
TEST_F(Closed, ChangedBytes) {
  std::mt19937_64 random(EnvNumber("PLEXUS_SEED", 5));
  const bool every = EnvNumber("PLEXUS_EVERY_BYTE", 0) != 0;
  for (const std::string& name : Names(whole_)) {
    const std::string bytes = ReadFile(whole_ + name);
    const std::size_t flips = every ? bytes.size() : Small(name) ? 12 : 24;
    for (std::size_t i = 0; i < flips && !bytes.empty(); ++i) {
      const std::size_t at = every ? i : random() % bytes.size();
      SameAsByLook(name, Flipped(bytes, at, random() % 8), i % 2 == 0,
                   "byte " + std::to_string(at));
      if (HasFatalFailure()) return;
    }
  }
  std::printf("%llu flips, %llu refused, %llu worked around\n",
              static_cast<unsigned long long>(tries_), static_cast<unsigned long long>(refused_),
              static_cast<unsigned long long>(worked_round_));
  EXPECT_GT(worked_round_, 0u) << "sections that are damaged";
  EXPECT_GT(refused_, 0u);
}

TEST_F(Closed, CutAndLongerFiles) {
  std::mt19937_64 random(6);
  for (const std::string& name : Names(whole_)) {
    const std::string bytes = ReadFile(whole_ + name);
    for (int i = 0; i < 3; ++i) {
      const std::size_t size = bytes.empty() ? 0 : random() % bytes.size();
      SameAsByLook(name, bytes.substr(0, size), i % 2 == 0, "cut to " + std::to_string(size));
      const std::string more(i == 0 ? 1 : random() % 5000, static_cast<char>(i));
      SameAsByLook(name, bytes + more, i % 2 == 0, "longer by " + std::to_string(more.size()));
      if (HasFatalFailure()) return;
    }
  }
}

// Files of an earlier close, and the anchor of that one or of another graph.
TEST_F(Closed, OlderFilesAndForeignAnchors) {
  const std::string older = scratch_.path("older");
  std::uint64_t replaced = 0;
  for (const std::string& name : Names(older)) {
    const std::string bytes = ReadFile(older + name);
    if (std::filesystem::exists(whole_ + name) && ReadFile(whole_ + name) == bytes) continue;
    CopyTree(whole_, hurt_);
    WriteFile(hurt_ + name, bytes);
    const bool harmless = name == "/lock" || name.ends_with("/LOCK") || name.ends_with("/IDENTITY");
    for (const bool read_only : {true, false}) {
      const Outcome outcome = Try(hurt_, read_only);
      EXPECT_EQ(!outcome.error.empty(), !harmless) << name;
    }
    ++replaced;
  }
  EXPECT_GE(replaced, 3u);
  const std::string other = scratch_.path("other");
  auto db = MustOpen(other, options_);
  ApplyScript(*db, 1, 3);
  PLEXUS_OK(db->Close());
  CopyTree(whole_, hurt_);
  WriteFile(hurt_ + "/anchor", ReadFile(other + "/anchor"));
  for (const bool read_only : {true, false}) EXPECT_NE(Try(hurt_, read_only).error, "");
  // An anchor that lists other files right and names another checkpoint.
  CopyTree(whole_, hurt_);
  const Files files;
  auto anchor = Must(ReadAnchor(hurt_, files));
  const Anchor right = anchor;
  for (const int what : {0, 1, 2, 3}) {
    anchor = right;
    if (what == 0) anchor.checkpoint_digest ^= 1;
    if (what == 1) anchor.log_hash ^= 1;
    if (what == 2) anchor.graph_id.high ^= 1;
    if (what == 3) --anchor.sequence, --anchor.checkpoint_sequence;
    PLEXUS_OK(WriteAnchor(hurt_, anchor, files));
    const Outcome outcome = Try(hurt_, true);
    EXPECT_TRUE(!outcome.error.empty() || (what == 0 && outcome.same && outcome.worked_round != ""))
        << what << outcome.worked_round;
  }
}

TEST_F(Closed, OpensRocksDBOnce) {
  for (const bool tail : {false, true}) {
    int manifests = 0;
    TestHooks hooks;
    hooks.file_system = std::make_shared<WatchedFiles>([&](const FileEvent& event) {
      manifests += event.what == FileOperation::kScan && event.path.contains("/MANIFEST-");
      return rocksdb::IOStatus::OK();
    });
    OpenOptions options;
    options.hooks = &hooks;
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto db = MustOpen(whole_, options);
    EXPECT_TRUE(db->report().was_clean);
    // Compared with the anchor, opened for writing; with records to replay looked at before.
    const int old_ones = manifests - (tail ? 3 : 2);
    EXPECT_GE(old_ones, 0) << tail;
    EXPECT_LE(old_ones, 1) << "of an earlier opening, compared only";
    ApplyScript(*db, kClosedBatches + 2, kClosedBatches + 2);  // the next opening finds a tail
    PLEXUS_OK(db->Close());
  }
}

TEST_F(Closed, ViewAsksRocksDBForWhatTheCheckpointLacks) {
  auto db = MustOpen(whole_, ReadOnly());
  const Snapshot now = db->snapshot();
  EXPECT_EQ(DumpDigest(now), digest_);  // texts and vectors come from the payloads
  const std::vector<std::string> dumps = ScriptDumps(kClosedBatches);
  for (const Sequence s : {Sequence{3}, kClosedBatches}) {
    const auto past = Must(db->AsOf(s));
    EXPECT_EQ(Dump(past), dumps[s]);
  }
  ExpectSound(*db);
  // And follows a writer.
  auto view = MustOpen(whole_, ReadOnly());
  OpenOptions options;
  options.checkpoint_on_close = CheckpointOnClose::kNever;
  auto writer = MustOpen(whole_, options);
  ApplyScript(*writer, kClosedBatches + 2, kClosedBatches + 4);
  PLEXUS_OK(view->Refresh());
  EXPECT_EQ(Dump(view->snapshot()), Dump(writer->snapshot()));
}

// The files of a view are hurt in place before it asks RocksDB for the first time.
TEST_F(Closed, ViewWhoseRocksDBDoesNotOpenAnswersWithErrors) {
  auto db = MustOpen(whole_, ReadOnly());
  for (const std::string& name : Names(whole_))
    if (name.ends_with(".sst")) std::filesystem::resize_file(whole_ + name, 100);
  const Snapshot now = db->snapshot();
  const auto node = now.Find("m1");
  ASSERT_TRUE(node);
  EXPECT_TRUE(FailsWith(now.Payload(*node, NodeField::kText), ErrorCode::kCorruption));
  EXPECT_TRUE(FailsWith(db->AsOf(3), ErrorCode::kCorruption));
  const auto verified = db->Verify();
  EXPECT_TRUE(!verified || !verified->ok);
  EXPECT_EQ(db->stats().log_bytes, 0u);
  PLEXUS_OK(db->Close());
}

// A bit that changes in place after the view was opened, in a file that RocksDB reads whole: what
// it cannot see ends the log early.
TEST_F(Closed, FilesAreComparedAgainWhenAViewAsksRocksDB) {
  for (const std::string& name : Names(whole_)) {
    if (name.find("/CURRENT") == name.npos && name.find("/MANIFEST-") == name.npos &&
        !name.ends_with(".log"))
      continue;
    const std::string bytes = ReadFile(whole_ + name);
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 60) {
      auto db = MustOpen(whole_, ReadOnly());
      WriteFile(whole_ + name, Flipped(bytes, i, i % 8));
      const auto history = db->History(0);
      const auto changes = db->ChangesSince(0);
      const auto text = db->snapshot().Payload(0, NodeField::kText);
      WriteFile(whole_ + name, bytes);
      EXPECT_TRUE(FailsWith(history, ErrorCode::kCorruption))
          << name << ", byte " << i << ": " << history->size();
      EXPECT_TRUE(FailsWith(changes, ErrorCode::kCorruption)) << name << ", byte " << i;
      ASSERT_TRUE(text || text.error().code == ErrorCode::kCorruption) << text.error().message;
    }
  }
}

// Without memory for RocksDB a view says so, and goes on when there is some.
TEST_F(Closed, ViewTriesToOpenRocksDBAgain) {
  int failures = 0;
  TestHooks hooks;
  hooks.at_point = [&](const char* point) {
    if (std::string_view(point) == "rocks.open_later" && failures-- > 0) throw std::bad_alloc();
  };
  OpenOptions options = ReadOnly();
  options.hooks = &hooks;
  auto db = MustOpen(whole_, options);
  failures = 1000;
  EXPECT_TRUE(FailsWith(db->History(0), ErrorCode::kResourceExhausted));
  EXPECT_TRUE(FailsWith(db->ChangesSince(0), ErrorCode::kResourceExhausted));
  EXPECT_EQ(db->stats().log_bytes, 0u);
  failures = 1;  // between the database and its family
  (void)db->History(0);
  failures = 0;
  const auto history = Must(db->History(0));
  EXPECT_FALSE(history.empty());
  PLEXUS_OK(db->Close());
}

// What a look would have found is found by the opening for writing, which has changed nothing. Only
// what is missing or changed is damage.
TEST_F(Closed, RefusedOpeningForWriting) {
  using rocksdb::IOStatus;
  const std::pair<IOStatus, ErrorCode> failures[] = {
      {IOStatus::Corruption("a simulated one"), ErrorCode::kCorruption},
      {IOStatus::PathNotFound("No such file or directory", "x.sst"), ErrorCode::kCorruption},
      {IOStatus::IOError("x.sst", "No such file or directory"), ErrorCode::kCorruption},
      {IOStatus::IOError("x.sst", "Too many open files"), ErrorCode::kIo},
      {IOStatus::IOError("x.sst", "a strange one"), ErrorCode::kIo}};
  for (const auto& [failure, code] : failures) {
    CopyTree(whole_, hurt_);
    bool anchored = false;
    TestHooks hooks;
    hooks.file_system = std::make_shared<WatchedFiles>([&](const FileEvent& event) {
      anchored |= event.what == FileOperation::kRename && event.path.ends_with("/anchor");
      const bool fails =
          anchored && event.what == FileOperation::kRead && event.path.ends_with(".sst");
      return fails ? failure : IOStatus::OK();
    });
    OpenOptions options;
    options.hooks = &hooks;
    EXPECT_TRUE(FailsWith(Database::Open(hurt_, options), code));
    EXPECT_TRUE(anchored);
    const auto anchor = ReadAnchor(hurt_, Files());
    PLEXUS_OK(anchor);
    // An old MANIFEST that was removed may come back: then the anchor is not that of the close.
    const bool removed = Names(hurt_) != Names(whole_);
    EXPECT_EQ(anchor->clean, !removed);
    EXPECT_EQ(anchor->no_purges, !removed);
    auto db = MustOpen(hurt_);
    EXPECT_EQ(db->report().was_clean, !removed);
    EXPECT_EQ(DumpDigest(db->snapshot()), digest_);
    EXPECT_TRUE(db->report().damaged_checkpoints.empty());
  }
}

// A child of fork has no thread that goes on opening RocksDB.
TEST_F(Closed, ForkWhileAThreadOpensRocksDB) {
  std::promise<void> reached, go_on;
  TestHooks hooks;
  hooks.at_point = [&](const char* point) {
    if (std::string_view(point) != "rocks.open_later") return;
    reached.set_value();
    go_on.get_future().wait();
  };
  OpenOptions options = ReadOnly();
  options.hooks = &hooks;
  auto db = MustOpen(whole_, options);
  std::thread opens([&] { EXPECT_TRUE(db->History(0)); });
  reached.get_future().wait();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(db->ChangesSince(0) ? 1 : 0);
  }
  go_on.set_value();
  opens.join();
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// A mark that is left keeps the look, until it is dropped.
TEST_F(Closed, AnchorSaysWhetherPurgesCount) {
  auto no_purges = [&] { return ReadAnchor(whole_, Files())->no_purges; };
  EXPECT_TRUE(no_purges());
  auto db = MustOpen(whole_, options_);
  PLEXUS_OK(db->Purge({{"m1"}}, 99'000));
  const std::string after = Dump(db->snapshot());
  PLEXUS_OK(db->Close());
  EXPECT_FALSE(no_purges());
  for (const bool read_only : {true, false}) {
    db = MustOpen(whole_, read_only ? ReadOnly() : options_);
    EXPECT_EQ(Dump(db->snapshot()), after);
    const auto past = db->AsOf(5);  // what was purged is not shown there, either
    PLEXUS_OK(past);
    const auto node = past->Find("m1");
    ASSERT_TRUE(node);
    EXPECT_FALSE(past->Payload(*node, NodeField::kText));
    PLEXUS_OK(db->Close());
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
