// Damaged files: refused or harmless; never served, never deleted, never an abort.
//
// Every byte with PLEXUS_EVERY_BYTE=1; sampled otherwise.
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/files/flipped.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

constexpr std::uint64_t kDamagedBatches = 14;

std::vector<std::size_t> Positions(std::size_t size, std::size_t samples, std::mt19937_64& random) {
  std::vector<std::size_t> positions;
  if (EnvNumber("PLEXUS_EVERY_BYTE", 0) || size <= samples) {
    for (std::size_t i = 0; i < size; ++i) positions.push_back(i);
  } else {
    for (std::size_t i = 0; i < samples; ++i) positions.push_back(random() % size);
  }
  return positions;
}

enum class Harm { kFlip, kCut };

// A small cleanly closed database: checkpoint, tail, payloads, vectors; and as a crash leaves it.
class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    OpenOptions options = Create();
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto db = MustOpen(scratch_.path("whole"), options);
    ApplyScript(*db, 1, 9);
    PLEXUS_OK(db->Checkpoint());
    ApplyScript(*db, 10, kDamagedBatches);
    dumps_ = ScriptDumps(kDamagedBatches);
    CopyTree(scratch_.path("whole"), scratch_.path("crashed"));  // as a crash leaves it
    PLEXUS_OK(db->Close());
  }

  // What opening a damaged copy comes to. Files must all still be there.
  struct Outcome {
    bool opened = false;
    bool same = false;    // everything as it was, the past and verify included
    bool prefix = false;  // an earlier state, and the report says so
    ErrorCode code = ErrorCode::kInternal;
    std::string message;
    bool refused_damage() const {
      return code == ErrorCode::kCorruption || code == ErrorCode::kUnsupported;
    }
  };
  Outcome Try(const std::string& directory, bool read_only) {
    Outcome outcome;
    OpenOptions options = read_only ? ReadOnly() : Create();
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    const std::vector<std::string> before = FilesBelow(directory);
    auto db = Database::Open(directory, options);
    if (!db) {
      outcome.code = db.error().code;
      outcome.message = db.error().message;
      for (const std::string& path : before)
        EXPECT_TRUE(std::filesystem::exists(path)) << path << " was deleted: " << outcome.message;
      return outcome;
    }
    outcome.opened = true;
    const Sequence found = (*db)->snapshot().sequence();
    if (found > kDamagedBatches || Dump((*db)->snapshot()) != dumps_[found]) {
      outcome.message = "another graph at " + std::to_string(found);
      return outcome;
    }
    outcome.prefix = found < kDamagedBatches && (*db)->report().tail_dropped;
    outcome.same = found == kDamagedBatches;
    for (Sequence s = 0; s < found && outcome.same; s += 3) {
      auto past = (*db)->AsOf(s);
      if (past && Dump(*past) != dumps_[s]) {
        outcome.same = false;
        outcome.message = "another past at " + std::to_string(s);
      }
    }
    return outcome;
  }

  // Opens copies of `state` in which one file is hurt, at `samples` places of each file.
  void HurtEach(const std::string& state, Harm harm, std::size_t samples, std::uint64_t seed,
                const std::function<void(const Outcome&)>& judge) {
    std::mt19937_64 random(EnvNumber("PLEXUS_SEED", seed));
    const std::string whole = scratch_.path(state), hurt = scratch_.path("hurt");
    std::uint64_t prefixes = 0;
    for (const std::string& path : FilesBelow(whole)) {
      const std::string name = path.substr(whole.size()), bytes = ReadFile(path);
      for (const std::size_t at : Positions(bytes.size(), samples, random)) {
        SCOPED_TRACE(name + (harm == Harm::kFlip ? " byte " : " cut to ") + std::to_string(at));
        CopyTree(whole, hurt);
        WriteFile(hurt + name,
                  harm == Harm::kFlip ? Flipped(bytes, at, random() % 8) : bytes.substr(0, at));
        const Outcome outcome = Try(hurt, hurt_++ % 2 == 0);
        refused_ += !outcome.opened;
        prefixes += outcome.prefix;
        judge(outcome);
        if (HasFatalFailure()) return;
      }
    }
    std::printf("%llu hurt, %llu refused, %llu opened to a reported prefix, rest whole\n",
                static_cast<unsigned long long>(hurt_), static_cast<unsigned long long>(refused_),
                static_cast<unsigned long long>(prefixes));
  }

  ScratchDirectory scratch_;
  std::vector<std::string> dumps_;
  std::uint64_t hurt_ = 0, refused_ = 0;
};

TEST_F(Damage, BitFlipsInAClosedDatabase) {
  HurtEach("whole", Harm::kFlip, 30, 1, [&](const Outcome& outcome) {
    if (outcome.opened) {
      ASSERT_TRUE(outcome.same) << outcome.message;
    } else {
      ASSERT_TRUE(outcome.refused_damage()) << outcome.message;
      ASSERT_NE(outcome.message.find(scratch_.path("hurt")), std::string::npos)
          << "names no file: " << outcome.message;
    }
  });
  EXPECT_GT(hurt_, 100u);
  EXPECT_GT(refused_, hurt_ / 2);
}

// After a crash the tail of the write-ahead log may be torn by right, so a flip at
// its end may cost the last records: then the report must say so.
TEST_F(Damage, BitFlipsAfterACrash) {
  HurtEach("crashed", Harm::kFlip, 20, 2, [&](const Outcome& outcome) {
    ASSERT_TRUE(outcome.opened ? outcome.same || outcome.prefix : outcome.refused_damage())
        << outcome.message;
  });
  EXPECT_GT(refused_, 0u);
}

TEST_F(Damage, TruncationsOfAClosedDatabase) {
  HurtEach("whole", Harm::kCut, 12, 3, [&](const Outcome& outcome) {
    ASSERT_TRUE(outcome.opened ? outcome.same : outcome.code == ErrorCode::kCorruption)
        << outcome.message;
  });
}

TEST_F(Damage, MissingFiles) {
  for (const std::string& path : FilesBelow(scratch_.path("whole"))) {
    const std::string name = std::filesystem::path(path).filename().string();
    const std::string relative = path.substr(scratch_.path("whole").size());
    CopyTree(scratch_.path("whole"), scratch_.path("hurt"));
    std::filesystem::remove(scratch_.path("hurt") + relative);
    const Outcome outcome = Try(scratch_.path("hurt"), false);
    const bool harmless =
        name == "lock" || name == "LOCK" || name == "IDENTITY" || name.starts_with("OPTIONS");
    EXPECT_EQ(outcome.opened && outcome.same, harmless) << name << ": " << outcome.message;
  }
}

// A torn tail after a crash: cut anywhere, the database opens to a whole prefix and
// says what it left out; strict refuses.
TEST_F(Damage, TornTail) {
  std::mt19937_64 random(4);
  std::string log;
  for (const std::string& path : FilesBelow(scratch_.path("crashed")))
    if (path.ends_with(".log") && ReadFile(path).size() > 100) log = path;
  ASSERT_FALSE(log.empty());
  const std::string relative = log.substr(scratch_.path("crashed").size());
  const std::string bytes = ReadFile(log);
  std::uint64_t dropped = 0;
  for (const std::size_t size : Positions(bytes.size(), 40, random)) {
    CopyTree(scratch_.path("crashed"), scratch_.path("hurt"));
    WriteFile(scratch_.path("hurt") + relative, bytes.substr(0, size));
    OpenOptions strict;
    strict.strict = true;
    auto refused = Database::Open(scratch_.path("hurt"), strict);
    if (refused) {  // cut between two records
      ASSERT_EQ(Dump((*refused)->snapshot()), dumps_[(*refused)->snapshot().sequence()]);
      continue;
    }
    auto db = Database::Open(scratch_.path("hurt"), {});
    if (!db) {  // even the checkpointed part is cut off
      ASSERT_EQ(db.error().code, ErrorCode::kCorruption) << db.error().message;
      continue;
    }
    ++dropped;
    EXPECT_TRUE((*db)->report().tail_dropped);
    EXPECT_FALSE((*db)->report().tail_message.empty());
    const Sequence found = (*db)->snapshot().sequence();
    ASSERT_GE(found, 9u);
    ASSERT_EQ(Dump((*db)->snapshot()), dumps_[found]);
    ApplyScript(**db, found + 1, found + 1);
  }
  EXPECT_GT(dropped, 0u);
}

TEST_F(Damage, NewerFormatIsNamed) {
  // A version nobody has written yet, with a right digest, is made by the codec test;
  // here: a directory that is none, and an anchor of another kind.
  EXPECT_TRUE(FailsWith(Database::Open(scratch_.path("nothing"), {}), ErrorCode::kNotFound));
  std::filesystem::create_directory(scratch_.path("empty"));
  EXPECT_TRUE(FailsWith(Database::Open(scratch_.path("empty"), {}), ErrorCode::kNotFound));
  WriteFile(scratch_.path("whole") + "/anchor", "not an anchor at all, just some text");
  EXPECT_TRUE(FailsWith(Database::Open(scratch_.path("whole"), {}), ErrorCode::kCorruption));
}

}  // namespace
}  // namespace plexus::storage_internal::testing
