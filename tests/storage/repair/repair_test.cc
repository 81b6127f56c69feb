// Damage to every file, one at a time: worked round with a warning, or refused by name, and then
// repair saves the rest and names what is lost. Never silent, never a crash, nothing changed.
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include "storage/base/files.h"
#include "storage/log/rocks_db.h"
#include "storage/repair.h"
#include "storage/verify/checkpoint_damage.h"
#include "tests/support/child_process.h"
#include "tests/support/files/flipped.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

constexpr std::uint64_t kBatches = 14;

// A closed database with two checkpoints, of records 5 and 9, and a tail.
class DamagedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    OpenOptions options = Create();
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto db = MustOpen(scratch_.path("whole"), options);
    ApplyScript(*db, 1, 5);
    PLEXUS_OK(db->Checkpoint());
    ApplyScript(*db, 6, 9);
    PLEXUS_OK(db->Checkpoint());
    ApplyScript(*db, 10, kBatches);
    PLEXUS_OK(db->Close());
    dumps_ = ScriptDumps(kBatches);
  }
  std::map<std::string, std::string> Tree(const std::string& directory) const {
    std::map<std::string, std::string> tree;
    for (const std::string& path : FilesBelow(directory))
      tree[path.substr(directory.size())] = ReadFile(path);
    return tree;
  }
  void Damage(const std::string& relative, const std::string* bytes) {
    CopyTree(scratch_.path("whole"), scratch_.path("hurt"));
    const std::string path = scratch_.path("hurt") + relative;
    std::filesystem::remove(path);
    if (bytes) WriteFile(path, *bytes);
  }
  void Judge(const std::string& what);

  ScratchDirectory scratch_;
  std::vector<std::string> dumps_;
  std::uint64_t harmless_ = 0, worked_round_ = 0, refused_ = 0, whole_ = 0, partly_ = 0;
};

// Lines of two dumps that differ.
std::uint64_t Differences(const std::string& a, const std::string& b) {
  std::istringstream x(a), y(b);
  std::string line, other;
  std::uint64_t differences = 0;
  while (std::getline(x, line) && std::getline(y, other)) differences += line != other;
  while (std::getline(x, line)) ++differences;
  while (std::getline(y, other)) ++differences;
  return differences;
}

// Opens and repairs "hurt" in another process, as RocksDB may abort.
void DamagedFiles::Judge(const std::string& what) {
  SCOPED_TRACE(what);
  const std::string hurt = scratch_.path("hurt"), made = scratch_.path("made");
  std::filesystem::remove_all(made);
  const auto before = Tree(hurt);
  ChildProcess child({"damaged", hurt, made});
  std::string open_line, repair_line, more;
  ASSERT_TRUE(child.ReadLine(&open_line)) << "it died";
  ASSERT_TRUE(child.ReadLine(&repair_line)) << "it died after: " << open_line;
  EXPECT_FALSE(child.ReadLine(&more)) << more;
  EXPECT_EQ(child.Wait(), 0) << open_line << "; " << repair_line;
  EXPECT_TRUE(Tree(hurt) == before) << "the damaged directory was changed";

  std::istringstream opened(open_line);
  std::string word, code;
  opened >> word;
  bool said = false;  // that something is wrong
  if (word == "opened") {
    std::uint64_t sequence = 0, warnings = 0;
    opened >> sequence >> warnings;
    EXPECT_TRUE(ReadFile(made + ".opened") == dumps_[kBatches])
        << "another graph was served: " << open_line;
    ++(warnings ? worked_round_ : harmless_);
  } else {
    opened >> code;
    EXPECT_EQ(code, ErrorCodeName(ErrorCode::kCorruption));
    EXPECT_NE(open_line.find(hurt), std::string::npos) << open_line;
    if (code == "corruption") {
      EXPECT_NE(open_line.find("plexus repair"), std::string::npos) << open_line;
    }
    ++refused_;
    said = true;
  }

  std::istringstream repaired(repair_line);
  repaired >> word;
  ASSERT_EQ(word, "repaired") << repair_line;
  std::uint64_t complete = 0, sequence = 0, floor = 0, records = 0, contents = 0, history = 0,
                damage = 0;
  repaired >> complete >> sequence >> floor >> records >> contents >> history >> damage;
  const std::string dump = ReadFile(made + ".repaired");
  ASSERT_LE(sequence, kBatches);
  EXPECT_EQ(records > 0, sequence < kBatches) << repair_line;
  EXPECT_EQ(complete == 1, records == 0 && contents == 0) << repair_line;
  EXPECT_EQ(history > 0, floor > 0) << repair_line;
  EXPECT_LE(Differences(dump, dumps_[sequence]), contents) << repair_line;
  if (contents > 0) {
    EXPECT_GT(Differences(dump, dumps_[sequence]), 0u) << repair_line;
  }
  if (said) {
    EXPECT_GT(damage, 0u) << "repair names no damage: " << repair_line;
  }
  ++(complete ? whole_ : partly_);
}

TEST_F(DamagedFiles, OneAtATime) {
  std::mt19937_64 random(EnvNumber("PLEXUS_SEED", 5));
  const std::uint64_t flips = EnvNumber("PLEXUS_FLIPS", 1);
  for (const auto& [relative, bytes] : Tree(scratch_.path("whole"))) {
    Damage(relative, nullptr);
    Judge(relative + " deleted");
    if (bytes.empty() || relative.find("OPTIONS") != std::string::npos) continue;
    for (std::uint64_t i = 0; i < flips; ++i) {
      const std::size_t at = random() % bytes.size();
      const std::string hurt = Flipped(bytes, at, random() % 8);
      Damage(relative, &hurt);
      Judge(relative + " bit flipped in byte " + std::to_string(at));
    }
    const std::string cut = bytes.substr(0, random() % bytes.size());
    Damage(relative, &cut);
    Judge(relative + " cut to " + std::to_string(cut.size()));
    std::string garbage(bytes.size(), '\0');
    for (char& c : garbage) c = static_cast<char>(random());
    Damage(relative, &garbage);
    Judge(relative + " garbage");
    if (HasFatalFailure()) return;
  }
  std::printf("%llu harmless, %llu worked round, %llu refused; repair: %llu whole, %llu in part\n",
              static_cast<unsigned long long>(harmless_),
              static_cast<unsigned long long>(worked_round_),
              static_cast<unsigned long long>(refused_), static_cast<unsigned long long>(whole_),
              static_cast<unsigned long long>(partly_));
  EXPECT_GT(worked_round_, 0u);
  EXPECT_GT(refused_, 0u);
  EXPECT_GT(partly_, 0u);
}

// Where a checkpoint's bytes stand: the files whose damage a reader works round.
TEST_F(DamagedFiles, AWriterReplacesADamagedCheckpoint) {
  std::uint64_t replaced = 0;
  for (const auto& [relative, bytes] : Tree(scratch_.path("whole"))) {
    if (!relative.ends_with(".sst")) continue;
    const std::string hurt = Flipped(bytes, bytes.size() / 3, 0);
    Damage(relative, &hurt);
    OpenOptions strict = ReadOnly();
    strict.strict = true;
    EXPECT_FALSE(Database::Open(scratch_.path("hurt"), strict)) << relative;
    auto reader = Database::Open(scratch_.path("hurt"), ReadOnly());
    if (!reader) continue;
    ASSERT_EQ((*reader)->report().damaged_checkpoints.size(), 1u);
    const DamagedCheckpoint damaged = (*reader)->report().damaged_checkpoints[0];
    EXPECT_TRUE(damaged.file.ends_with(".sst")) << damaged.what;
    EXPECT_EQ(Dump((*reader)->snapshot()), dumps_[kBatches]);
    for (Sequence s = 0; s <= kBatches; ++s) EXPECT_EQ(Dump(*(*reader)->AsOf(s)), dumps_[s]) << s;
    EXPECT_FALSE((*reader)->Verify()->ok) << relative;
    reader->reset();
    auto writer = MustOpen(scratch_.path("hurt"));
    EXPECT_EQ(writer->report().damaged_checkpoints.size(), 1u);
    EXPECT_EQ(writer->stats().checkpoints.back(), kBatches);
    ExpectSound(*writer);
    for (Sequence s = 0; s <= kBatches; ++s) EXPECT_EQ(Dump(*writer->AsOf(s)), dumps_[s]) << s;
    PLEXUS_OK(writer->Close());
    auto again = Must(Database::Open(scratch_.path("hurt"), strict));
    EXPECT_TRUE(again->report().damaged_checkpoints.empty());
    ++replaced;
  }
  EXPECT_GE(replaced, 2u);
}

TEST_F(DamagedFiles, RepairNamesWhoLostWhatAndErasesWhatIsPurged) {
  // One text of "m3" is overwritten by another byte in the payloads' file.
  auto db = MustOpen(scratch_.path("whole"));
  WriteBatch batch(20'000);
  batch.SetPayload(batch.UpsertNode("precious"), NodeField::kText,
                   "a text that will be hurt by one bit");
  batch.SetPayload(batch.UpsertNode("secret"), NodeField::kText, "a text that is purged");
  PLEXUS_OK(db->graph().Apply(batch));
  PLEXUS_OK(db->Purge({{"secret"}}, 21'000));
  const Sequence last = db->snapshot().sequence();
  PLEXUS_OK(db->Close());
  std::uint64_t hurt = 0;
  for (const std::string& path : FilesBelow(scratch_.path("whole"))) {
    std::string bytes = ReadFile(path);
    const auto at = bytes.find("that will be hurt");
    if (at == std::string::npos) continue;
    bytes[at] = 'T';
    WriteFile(path, bytes);
    ++hurt;
  }
  ASSERT_EQ(hurt, 1u);
  auto refused = Database::Open(scratch_.path("whole"), ReadOnly());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("plexus repair"), std::string::npos);
  auto report = Must(Repair(scratch_.path("whole"), scratch_.path("made")));
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.sequence, last);
  ASSERT_EQ(report.lost_contents.size(), 1u);
  EXPECT_EQ(report.lost_contents[0].key, "precious");
  EXPECT_EQ(report.lost_contents[0].what, "text");
  EXPECT_TRUE(report.lost_records.empty() && report.lost_history.empty());
  db = MustOpen(scratch_.path("made"));
  EXPECT_FALSE(db->snapshot().Payload(*db->snapshot().Find("precious"), NodeField::kText));
  EXPECT_TRUE(db->snapshot().purged(*db->snapshot().Find("secret")));
  for (const std::string& path : FilesBelow(scratch_.path("made")))
    EXPECT_EQ(ReadFile(path).find("a text that is purged"), std::string::npos) << path;
  EXPECT_EQ(Dump(*db->AsOf(kBatches)), dumps_[kBatches]);
  EXPECT_EQ(Repair(scratch_.path("whole"), scratch_.path("made")).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(Repair(scratch_.path("none"), scratch_.path("new")).error().code, ErrorCode::kNotFound);
}

class StopsAt : public Progress {
 public:
  explicit StopsAt(int calls) : left_(calls) {}
  bool Report(std::string_view, std::uint64_t, std::uint64_t) override { return --left_ > 0; }
  bool stopped() const { return left_ <= 0; }

 private:
  int left_;
};

TEST_F(DamagedFiles, AStoppedRepairLeavesNothing) {
  for (int calls = 1; calls < 40; calls += 6) {
    StopsAt progress(calls);
    RepairOptions options;
    options.progress = &progress;
    auto report = Repair(scratch_.path("whole"), scratch_.path("made"), options);
    if (!progress.stopped()) {
      PLEXUS_OK(report);
      break;
    }
    EXPECT_TRUE(FailsWith(report, ErrorCode::kCancelled));
    EXPECT_FALSE(std::filesystem::exists(scratch_.path("made")));
  }
}

// A gap in the log: bridged by a checkpoint behind it, or the end.
TEST(RepairGap, ALaterCheckpointBridgesIt) {
  for (const bool bridged : {true, false}) {
    ScratchDirectory scratch;
    OpenOptions options = Create();
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto db = MustOpen(scratch.path("whole"), options);
    std::vector<std::string> dumps = {Dump(db->snapshot())};
    for (std::uint64_t i = 1; i <= 12; ++i) {
      WriteBatch batch(static_cast<std::int64_t>(1000 * i));
      batch.UpsertNode("node-of-record-" + std::to_string(i) + "-end");
      PLEXUS_OK(db->graph().Apply(batch));
      dumps.push_back(Dump(db->snapshot()));
      if (bridged && i == 8) PLEXUS_OK(db->Checkpoint());
    }
    PLEXUS_OK(db->Close());
    db.reset();
    // The key's bytes stand in record 5 of the log, too; a checkpoint has them without a record.
    for (const std::string& path : FilesBelow(scratch.path("whole"))) {
      std::string bytes = ReadFile(path);
      if (bytes.find("PLXR") == std::string::npos) continue;
      if (const auto at = bytes.find("node-of-record-5-end"); at != std::string::npos)
        bytes[at] = 'N';
      WriteFile(path, bytes);
    }
    ASSERT_FALSE(Database::Open(scratch.path("whole"), {}));
    auto report = Must(Repair(scratch.path("whole"), scratch.path("made")));
    EXPECT_EQ(report.complete, bridged);
    EXPECT_EQ(report.sequence, bridged ? 12u : 4u);
    EXPECT_EQ(report.history_floor, bridged ? 8u : 0u);
    db = MustOpen(scratch.path("made"));
    EXPECT_EQ(Dump(db->snapshot()), dumps[report.sequence]);
    for (Sequence s = report.history_floor; s <= report.sequence; ++s)
      EXPECT_EQ(Dump(*db->AsOf(s)), dumps[s]);
    const auto& ranges = bridged ? report.lost_history : report.lost_records;
    ASSERT_EQ(ranges.size(), 1u);
    EXPECT_EQ(ranges[0].from, bridged ? 1u : 5u);
    EXPECT_EQ(ranges[0].to, bridged ? 8u : 12u);
  }
}

// A crashed database whose only checkpointless log stands in a write-ahead log.
TEST(RepairGap, FromAWriteAheadLogWithoutAnAnchor) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path("live"), Create());
  ApplyScript(*db, 1, 6);
  const std::string dump = Dump(db->snapshot());
  CopyTree(scratch.path("live"), scratch.path("crashed"));
  std::filesystem::remove(scratch.path("crashed") + "/anchor");
  for (const std::string& path : FilesBelow(scratch.path("crashed")))
    if (path.find("MANIFEST") != std::string::npos) std::filesystem::remove(path);
  auto report = Must(Repair(scratch.path("crashed"), scratch.path("made")));
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.sequence, 6u);
  EXPECT_FALSE(report.notes.empty()) << "what followed cannot be known";
  EXPECT_EQ(Dump(MustOpen(scratch.path("made"))->snapshot()), dump);
}

// Sections and manifest stand in files of their own: a message about neither names no file.
TEST(DamagedCheckpoints, TheFileIsTheOneTheMessageIsAbout) {
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, 5);
    PLEXUS_OK(db->Checkpoint());
    PLEXUS_OK(db->Close());
  }
  auto rocks = Must(Rocks::Open(scratch.path() + "/generation-1", Rocks::Mode::kReadOnly,
                                std::make_shared<Files>()));
  auto file = [&](const std::string& what) {
    return DescribeDamage(rocks, 1, 0, "checkpoint 1" + what).file;
  };
  const std::string sections = file(", section 0: the digest does not match"),
                    manifest = file(", manifest: too short");
  EXPECT_TRUE(sections.ends_with(".sst"));
  EXPECT_TRUE(manifest.ends_with(".sst"));
  EXPECT_NE(sections, manifest);
  EXPECT_EQ(file(", out_offsets: they descend"), "") << "was the manifest's";
  EXPECT_EQ(
      file(", section 0: Corruption: block checksum mismatch in db/" + manifest + " offset 0"),
      manifest);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
