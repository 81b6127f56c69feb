// Checkpoints that the anchor does not know of, since the work on them did not end. That of a floor
// is without what was purged after it: records cannot be replayed over it as over others.
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "storage/checkpoint/checkpoint.h"
#include "tests/support/change_files.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

class Unfinished : public ::testing::Test {
 protected:
  Unfinished() {
    hooks_.at_point = [this](const char* point) {
      if (std::string_view(point) == fail_at_) throw std::bad_alloc();
    };
    options_ = Create();
    options_.hooks = &hooks_;
    options_.past_cache_bytes = 0;
    options_.checkpoint_on_close = CheckpointOnClose::kNever;
  }

  // Records 1 to 12: a node each with a text and a tag, but the eighth purges n2.
  void SetUp() override {
    db_ = MustOpen(scratch_.path(), options_);
    for (int step = 1; step <= 12; ++step) {
      if (step == 8) {
        PLEXUS_OK(db_->Purge({{"n2"}}, step));
        continue;
      }
      WriteBatch batch(step);
      const std::string number = std::to_string(step);
      const NodeRef node = batch.UpsertNode("n" + number, kMemory);
      batch.SetPayload(node, NodeField::kText, "text " + number);
      batch.Link(node, kHasTag, batch.IndexNode(kTag, step < 3 ? "early" : "late"));
      PLEXUS_OK(db_->graph().Apply(batch));
    }
    past_ = Dump(*db_->AsOf(10));
    present_ = Dump(db_->snapshot());
  }

  void FailTrim(Sequence at, const char* point) {
    fail_at_ = point;
    EXPECT_FALSE(db_->Trim(at));
    fail_at_ = {};
  }
  void FailCheckpoint(const char* point) {
    fail_at_ = point;
    EXPECT_FALSE(db_->Checkpoint());
    fail_at_ = {};
  }
  void Check() {
    const auto past = Must(db_->AsOf(10));
    EXPECT_EQ(Dump(past), past_);
    EXPECT_EQ(Dump(db_->snapshot()), present_);
    ExpectSound(*db_);
  }
  void Reopen(const OpenOptions& options) {
    PLEXUS_OK(db_->Close());
    db_ = MustOpen(scratch_.path(), options);
  }
  // A close would write the anchor, so a copy of the open files is what a crash leaves.
  void Crash() {
    std::filesystem::copy(scratch_.path(), scratch_.path() + ".crashed",
                          std::filesystem::copy_options::recursive);
    db_.reset();
    std::filesystem::remove_all(scratch_.path());
    std::filesystem::rename(scratch_.path() + ".crashed", scratch_.path());
    db_ = MustOpen(scratch_.path(), options_);
  }
  std::vector<Sequence> Checkpoints() const { return db_->stats().checkpoints; }

  ScratchDirectory scratch_;
  TestHooks hooks_;
  std::string_view fail_at_;
  OpenOptions options_;
  std::unique_ptr<Database> db_;
  std::string past_, present_;
};

TEST_F(Unfinished, OfATrimIsNotRead) {
  FailTrim(5, "trim.before_anchor");
  EXPECT_EQ(Checkpoints(), std::vector<Sequence>{5});  // left behind
  Check();
  Reopen(ReadOnly());
  Check();
  Reopen(options_);
  Check();
  Crash();
  Check();
  FailTrim(6, "trim.before_anchor");
  EXPECT_EQ(Checkpoints(), std::vector<Sequence>{6});
  PLEXUS_OK(db_->Checkpoint());
  EXPECT_EQ(Checkpoints(), std::vector<Sequence>{12});
  FailTrim(7, "trim.before_anchor");
  Check();
  PLEXUS_OK(db_->Trim(9));
  EXPECT_EQ(Checkpoints(), (std::vector<Sequence>{9, 12}));
  Check();  // the floor's has the larger id
  Reopen(ReadOnly());
  Check();
  Reopen(options_);
  Check();
  PLEXUS_OK(db_->Backup(scratch_.path("copy")));
}

// The new anchor is in its place, but its directory was not synced: which one a crash leaves is not
// known. So none of the checkpoints that it may name goes before another is.
TEST_F(Unfinished, ThatTheAnchorMayNameStays) {
  FailTrim(9, "file.renamed");
  FailCheckpoint("checkpoint.sections_written");
  Crash();
  Check();
  FailTrim(10, "file.renamed");
  FailCheckpoint("checkpoint.manifest_ingested");
  Crash();
  Check();
  FailTrim(11, "file.renamed");
  PLEXUS_OK(db_->Checkpoint());
  EXPECT_EQ(Checkpoints(), (std::vector<Sequence>{10, 12}));
  Crash();
  Check();
}

// When the floor's is damaged there is nothing else that history could begin with.
TEST_F(Unfinished, IsTheLastResort) {
  PLEXUS_OK(db_->Trim(5));
  FailCheckpoint("checkpoint.manifest_ingested");
  EXPECT_EQ(Checkpoints(), (std::vector<Sequence>{5, 12}));
  PLEXUS_OK(db_->Close());
  db_.reset();
  ChangeFiles(scratch_.path(), [](const std::shared_ptr<Rocks>& rocks, Anchor& anchor) {
    PLEXUS_OK(DropCheckpoint(rocks, anchor.checkpoint_id));
  });
  db_ = MustOpen(scratch_.path(), options_);
  EXPECT_EQ(Dump(db_->snapshot()), present_);
  EXPECT_FALSE(db_->report().damaged_checkpoints.empty());
}

}  // namespace
}  // namespace plexus::storage_internal::testing
