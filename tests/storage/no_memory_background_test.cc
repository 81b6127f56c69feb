// Memory that fails in the threads of the library itself, those that write checkpoints, move the
// anchor, sync and compact, and in what they call of RocksDB: no hang, no end of the program, and
// after the next opening every acknowledged batch. Once an exception has come out of RocksDB it is
// not called again.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/no_memory_calls.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

using plexus::testing::Failure;
using plexus::testing::Sample;
using plexus::testing::Threads;

constexpr std::uint64_t kBefore = 8, kLast = 16;
constexpr unsigned kTooLong = 300;  // s, for one run: it hangs

OpenOptions Background(Durability durability) {
  OpenOptions options = Create();
  options.graph.executor = &SerialExecutor();
  options.graph.maintenance = Maintenance::kBackground;
  options.graph.durability = durability;
  options.graph.delta_soft_arcs = 8;
  options.graph.return_freed_memory = false;
  options.checkpoint_log_bytes = 1;
  return options;
}

class NoMemoryInTheBackground : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { dumps_ = new std::vector<std::string>(ScriptDumps(kLast + 1)); }
  static void TearDownTestSuite() { delete dumps_; }

  // Writes with the n-th allocation of `threads` failing, and looks at what the directory has then.
  bool Run(std::int64_t n, Durability durability, Failure failure) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    alarm(kTooLong);
    const std::string directory = scratch_.path("db");
    std::filesystem::remove_all(directory);
    const OpenOptions options = Background(durability);
    bool reached = false;
    std::uint64_t acknowledged = kBefore;
    {
      const auto db = MustOpen(directory, options);
      ApplyScript(*db, 1, kBefore);
      {
        plexus::testing::FailingMemory failing(n, failure, nullptr, Threads::kOthers);
        while (acknowledged < kLast && db->graph().Apply(ScriptBatch(acknowledged + 1)))
          ++acknowledged;
        // Until the threads have come to it, or have done what there was to do.
        for (int i = 0; i < 100 && !failing.failed(); ++i) {
          const auto checkpoints = db->stats().checkpoints;
          if (!checkpoints.empty() && checkpoints.back() == acknowledged && i > 5) break;
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        // And what they do next.
        if (failing.failed()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        reached = failing.failed();
      }
      if (const auto applied = db->graph().Apply(ScriptBatch(acknowledged + 1))) ++acknowledged;
      (void)db->Checkpoint();
      (void)db->snapshot().Payload(0, NodeField::kText);
      (void)db->Close();
    }
    const auto opened = Database::Open(directory, options);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    if (!opened) return false;
    const Sequence found = (*opened)->snapshot().sequence();
    EXPECT_GE(found, acknowledged);
    EXPECT_LE(found, kLast + 1);
    EXPECT_EQ(Dump((*opened)->snapshot()) == (*dumps_)[found], true);
    const auto report = (*opened)->Verify();
    EXPECT_TRUE(report && report->ok);
    alarm(0);
    return reached;
  }

  static std::vector<std::string>* dumps_;
  ScratchDirectory scratch_;
};
std::vector<std::string>* NoMemoryInTheBackground::dumps_ = nullptr;

TEST_F(NoMemoryInTheBackground, Once) {
  for (const Durability durability : {Durability::kBuffered, Durability::kSync})
    Sample(2, 1.35, [&](std::int64_t n) { return Run(n, durability, Failure::kOnce); });
}

// In the caller's own thread, inside of RocksDB, too.
TEST_F(NoMemoryInTheBackground, AndInCallsOfRocksDB) {
  const WriteBatch batch = ScriptBatch(kBefore + 1);
  const std::function<Status(Database&)> calls[] = {[&](Database& db) -> Status {
                                                      PLEXUS_TRY(db.graph().Apply(batch));
                                                      return {};
                                                    },
                                                    [](Database& db) { return db.Checkpoint(); },
                                                    [](Database& db) { return db.Trim(4); },
                                                    [](Database& db) -> Status {
                                                      PLEXUS_TRY(db.AsOf(5));
                                                      return {};
                                                    }};
  int dead = 0;
  for (const auto& call : calls)
    Sample(2, 1.5, [&](std::int64_t n) {
      SCOPED_TRACE("allocation " + std::to_string(n));
      alarm(kTooLong);
      const std::string directory = scratch_.path("db");
      std::filesystem::remove_all(directory);
      OpenOptions options = Background(Durability::kSync);
      options.graph.maintenance = Maintenance::kManual;
      bool reached = false;
      std::uint64_t acknowledged = kBefore;
      {
        const auto db = MustOpen(directory, options);
        ApplyScript(*db, 1, kBefore);
        {
          plexus::testing::FailingMemory failing(n, Failure::kOnce, nullptr, Threads::kThis);
          (void)call(*db);
          reached = failing.failed();
        }
        acknowledged = db->snapshot().sequence();
        const Status next = db->Checkpoint();
        if (!next && next.error().message.find("RocksDB ran out of memory") != std::string::npos) {
          ++dead;
          EXPECT_EQ(next.error().code, ErrorCode::kFailedPrecondition);
          EXPECT_FALSE(db->graph().Apply(ScriptBatch(acknowledged + 1)));
          EXPECT_FALSE(db->Trim(6));
          EXPECT_FALSE(db->AsOf(3));
          EXPECT_FALSE(db->Verify() && db->Verify()->ok);
          (void)db->stats();
          EXPECT_FALSE(db->Close());
        }
      }
      const auto opened = Database::Open(directory, options);  // in the same process
      EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
      if (!opened) return false;
      const Sequence found = (*opened)->snapshot().sequence();
      EXPECT_GE(found, acknowledged);
      EXPECT_EQ(Dump((*opened)->snapshot()) == (*dumps_)[found], true);
      EXPECT_TRUE((*opened)->graph().Apply(ScriptBatch(found + 1)));
      const auto report = (*opened)->Verify();
      EXPECT_TRUE(report && report->ok);
      alarm(0);
      return reached;
    });
  EXPECT_GT(dead, 0);
}

TEST_F(NoMemoryInTheBackground, FromThenOn) {
  Sample(1, 2.0,
         [&](std::int64_t n) { return Run(n, Durability::kBuffered, Failure::kFromThenOn); });
}

}  // namespace
}  // namespace plexus::storage_internal::testing
