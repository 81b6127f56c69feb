// The disk says no: EIO and ENOSPC at every third write of a life with 50 batches, those of the one
// between those of the other (PLEXUS_EVERY_FAULT=1: at each).
//
// Each run fails one operation (or all from there on). The database must report an
// error, accept nothing afterwards, and open again to every acknowledged batch.
#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "tests/support/expected.h"
#include "tests/support/files/faulty_files.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

constexpr std::uint64_t kBatches = 50;

struct RunOutcome {
  Sequence acknowledged = 0;
  bool failed = false;
  std::string first_error;
  bool refused_afterwards = true;
};

// 50 batches, a checkpoint after 20, a bulk step at 30, a close.
RunOutcome RunWithFaults(const std::string& directory, Faults& faults) {
  RunOutcome outcome;
  TestHooks hooks;
  hooks.file_system = faults.Files();
  OpenOptions options = Create();
  options.hooks = &hooks;
  auto note = [&](const Status& status) {
    if (status || outcome.failed) return;
    outcome.failed = true;
    outcome.first_error = status.error().ToString();
  };
  auto db = Database::Open(directory, options);
  if (!db) {
    note(std::unexpected(db.error()));
    return outcome;
  }
  bool graph_failed = false;
  for (std::uint64_t i = 1; i <= kBatches; ++i) {
    if (i == 30) note((*db)->BeginBulk());
    auto applied = (*db)->graph().Apply(ScriptBatch(i));
    if (applied && graph_failed) outcome.refused_afterwards = false;
    if (!applied) {
      graph_failed = true;
      note(std::unexpected(applied.error()));
    }
    if (i == 32) {
      const Status done = (*db)->EndBulk();
      note(done);
      if (!done) return outcome;  // 30 to 32 are not acknowledged
    }
    if (applied && (i < 30 || i >= 32)) outcome.acknowledged = i;
    if (i == 20) note((*db)->Checkpoint());
  }
  note((*db)->Close());
  return outcome;
}

void FailEverywhere(bool no_space, bool stay) {
  Expected expected;
  std::uint64_t total = 0;
  {
    ScratchDirectory scratch;
    Faults faults;
    const RunOutcome outcome = RunWithFaults(scratch.path(), faults);
    ASSERT_FALSE(outcome.failed) << outcome.first_error;
    ASSERT_EQ(outcome.acknowledged, kBatches);
    total = faults.operations;
  }
  const std::uint64_t step = EnvNumber("PLEXUS_EVERY_FAULT", 0) ? 1 : 3;
  std::uint64_t failed = 0, reopened = 0;
  for (std::uint64_t n = stay ? 2 : 1; n <= total; n += step) {
    ScratchDirectory scratch;
    Faults faults;
    faults.fail_at = n;
    faults.stay = stay;
    faults.no_space = no_space;
    const RunOutcome outcome = RunWithFaults(scratch.path(), faults);
    failed += outcome.failed;
    ASSERT_TRUE(outcome.refused_afterwards) << "write " << n;
    if (stay) {
      ASSERT_TRUE(outcome.failed) << "write " << n << " failed and nobody said so";
    }
    auto db = Database::Open(scratch.path(), Create());
    ASSERT_TRUE(db) << "write " << n << " of " << total << ": " << db.error().ToString()
                    << "\nafter: " << outcome.first_error;
    const Sequence found = (*db)->snapshot().sequence();
    ASSERT_GE(found, outcome.acknowledged) << "write " << n << ", after: " << outcome.first_error;
    ASSERT_EQ(DumpDigest((*db)->snapshot()), expected.At(found)) << "write " << n;
    ++reopened;
    ApplyScript(**db, found + 1, found + 1);
  }
  std::printf("%s, %s: %llu writes, %llu runs told of an error, %llu reopened to a whole prefix\n",
              no_space ? "ENOSPC" : "EIO", stay ? "from the n-th on" : "once",
              static_cast<unsigned long long>(total), static_cast<unsigned long long>(failed),
              static_cast<unsigned long long>(reopened));
}

TEST(Faults, IoErrorOnce) { FailEverywhere(false, false); }
TEST(Faults, NoSpaceFromThenOn) { FailEverywhere(true, true); }

// A purge of a node with a tag of its own, so that the log is written anew; the disk says no from
// `point` on. Whoever calls gets an error, and the database closes and opens again.
void FailRewriting(const char* point, bool at_close) {
  ScratchDirectory scratch;
  Faults faults;
  TestHooks hooks;
  hooks.file_system = faults.Files();
  hooks.at_point = [&](const char* reached) {
    if (std::string_view(reached) != point) return;
    faults.stay = true;
    faults.fail_at = faults.operations + 1;
  };
  OpenOptions options = Create();
  options.hooks = &hooks;
  options.graph.maintenance = Maintenance::kBackground;
  auto db = MustOpen(scratch.path(), options);
  WriteBatch batch(1000);
  batch.Link(batch.UpsertNode("secret"), kHasTag, batch.IndexNode(kTag, "tagsecret"));
  batch.UpsertNode("other");
  PLEXUS_OK(db->graph().Apply(batch));
  if (at_close) {
    WriteBatch purge(2000);
    purge.PurgeNode(purge.Node("secret"));
    PLEXUS_OK(db->graph().Apply(purge));
    EXPECT_FALSE(db->Close());
  } else {
    EXPECT_FALSE(db->Purge({{"secret"}}, 2000));
    (void)db->stats();
    (void)db->Close();
  }
  EXPECT_GT(faults.fail_at, 0u) << point << " was not reached";
  db.reset();
  auto again = Must(Database::Open(scratch.path(), Create()));
  EXPECT_TRUE(again->snapshot().purged(*again->snapshot().Find("secret")));
  PLEXUS_OK(again->Close());
}

TEST(Faults, ARewriteThatFailsIsAnError) {
  for (const char* point : {"hard_purge.before_switch", "hard_purge.switched"})
    for (const bool at_close : {false, true}) {
      SCOPED_TRACE(std::string(point) + (at_close ? " at close" : ""));
      FailRewriting(point, at_close);
    }
}

// Large batches are folded in while the disk writes them (Journal::BeginAppend).
constexpr std::uint32_t kLargeBatches = 6, kLargeEdges = 300;

std::uint32_t ApplyLargeBatches(const std::string& directory, Faults& faults) {
  TestHooks hooks;
  hooks.file_system = faults.Files();
  OpenOptions options = Create();
  options.hooks = &hooks;
  auto db = Database::Open(directory, options);
  if (!db) return 0;
  std::uint32_t acknowledged = 0;
  for (std::uint32_t b = 0; b < kLargeBatches; ++b) {
    WriteBatch batch(1000 + b);
    for (std::uint32_t i = 0; i < kLargeEdges; ++i)
      batch.Link(batch.Node("s" + std::to_string(b)), kLink, batch.Node("t" + std::to_string(i)));
    const auto applied = (*db)->graph().Apply(batch);
    EXPECT_EQ((*db)->snapshot().sequence(), applied ? b + 1 : acknowledged);
    if (!applied) break;
    acknowledged = b + 1;
  }
  (void)(*db)->Close();
  return acknowledged;
}

TEST(Faults, LargeBatchesAreWhole) {
  std::uint64_t total = 0;
  {
    ScratchDirectory scratch;
    Faults faults;
    ASSERT_EQ(ApplyLargeBatches(scratch.path(), faults), kLargeBatches);
    total = faults.operations;
  }
  for (std::uint64_t n = 1; n <= total; ++n) {
    SCOPED_TRACE(n);
    ScratchDirectory scratch;
    Faults faults;
    faults.fail_at = n;
    faults.stay = true;
    const std::uint32_t acknowledged = ApplyLargeBatches(scratch.path(), faults);
    auto db = Database::Open(scratch.path(), Create());
    ASSERT_TRUE(db) << db.error().ToString();
    const Snapshot found = (*db)->snapshot();
    EXPECT_GE(found.sequence(), acknowledged);
    EXPECT_EQ(found.CountEdges(Plane::kFact), found.sequence() * kLargeEdges);
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
