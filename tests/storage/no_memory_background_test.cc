// Memory that fails in the threads of the library itself, those that write checkpoints, move the
// anchor, sync and compact, and in what they call of RocksDB: no hang, no end of the program by the
// library, and after the next opening every acknowledged batch. Once an exception has come out of
// RocksDB it is not called again.
//
// Debian's RocksDB asserts in destructors, and some of them ask for memory: where one of those ends
// the program, the acknowledged batches must be there all the same. So each run is a process.
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <thread>

#include "engine/parallel.h"
#include "tests/support/no_memory_calls.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

using plexus::testing::FailingMemory;
using plexus::testing::Failure;
using plexus::testing::Sample;
using plexus::testing::Threads;

constexpr std::uint64_t kBefore = 8, kLast = 16;
constexpr unsigned kTooLong = 300;  // s, for one run: it hangs
constexpr int kEndedByRocksDB = 77;

// What a run tells its parent.
struct Seen {
  std::atomic<std::uint64_t> acknowledged = kBefore;
  std::atomic<bool> reached = false;
  std::atomic<int> dead = 0;  // instances of RocksDB that ran out of memory
};

OpenOptions Background(Durability durability, Maintenance maintenance = Maintenance::kBackground) {
  OpenOptions options = Create();
  options.graph.executor = &SerialExecutor();
  options.graph.maintenance = maintenance;
  options.graph.durability = durability;
  options.graph.delta_soft_arcs = 8;
  options.graph.return_freed_memory = false;
  options.checkpoint_log_bytes = 1;
  return options;
}

// Whose abort it was: the innermost frame that is of RocksDB or of the program. A destructor of a
// sorted file's writer is the program's to avoid (SortedFileWriter).
void OnAbort(int) {
  void* frames[96];
  Dl_info info;
  const int count = backtrace(frames, 96);
  bool handler = true, program = false, writer = false;
  int rocksdb = 0;
  for (int i = 0; i < count && !program; ++i) {
    if (dladdr(frames[i], &info) == 0 || !info.dli_fname) continue;
    const bool own = !std::strstr(info.dli_fname, ".so");
    handler = handler && own;  // this function, and what a sanitizer has in between
    if (handler) continue;
    writer = writer || (info.dli_sname && std::strstr(info.dli_sname, "SstFileWriterD"));
    rocksdb += std::strstr(info.dli_fname, "librocksdb") != nullptr;
    program = own;
  }
  if (rocksdb > 0 && !writer) _exit(kEndedByRocksDB);
  backtrace_symbols_fd(frames, count, STDERR_FILENO);
  _exit(1);
}

// The number that the process ends with; 1: a check failed in it.
int InProcess(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    void* frames[2];
    backtrace(frames, 2);  // the first call allocates itself
    std::signal(SIGABRT, OnAbort);
    alarm(kTooLong);
    act();
    std::fflush(nullptr);  // what failed
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// What the directory holds: at least what was acknowledged, and it can be written.
void Look(const std::string& directory, const OpenOptions& options, std::uint64_t acknowledged) {
  const auto opened = Database::Open(directory, options);
  ASSERT_TRUE(opened) << (opened ? "" : opened.error().message);
  const Sequence found = (*opened)->snapshot().sequence();
  EXPECT_GE(found, acknowledged);
  ASSERT_LE(found, kLast + 1);
  EXPECT_EQ(Dump((*opened)->snapshot()) == ScriptDumps(found).back(), true);
  EXPECT_TRUE((*opened)->graph().Apply(ScriptBatch(found + 1)));
  ExpectSound(**opened);
}

class NoMemoryInTheBackground : public ::testing::Test {
 protected:
  // write(db, seen): with memory that fails; then the directory is opened again in the same
  // process, and in another one. False: nothing failed.
  bool Run(const OpenOptions& options, const std::function<void(Database&, Seen&)>& write) {
    ScratchDirectory scratch;
    const std::string directory = scratch.path("db");
    void* shared =
        mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(shared, MAP_FAILED);
    Seen& seen = *new (shared) Seen;
    const int ended = InProcess([&] {
      {
        const auto db = MustOpen(directory, options);
        ApplyScript(*db, 1, kBefore);
        write(*db, seen);
      }
      Look(directory, options, seen.acknowledged);
    });
    EXPECT_TRUE(ended == 0 || ended == kEndedByRocksDB) << ended;
    if (ended == kEndedByRocksDB) ++ended_by_rocksdb_;
    EXPECT_EQ(InProcess([&] { Look(directory, options, seen.acknowledged); }), 0);
    const bool reached = seen.reached;
    dead_ += seen.dead;
    munmap(shared, sizeof(Seen));
    return reached;
  }
  void TearDown() override { RecordProperty("ended_by_rocksdb", ended_by_rocksdb_); }

  // With the n-th allocation of the library's threads failing.
  bool WriteBeside(std::int64_t n, Durability durability, Failure failure) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    return Run(Background(durability), [&](Database& db, Seen& seen) {
      {
        FailingMemory failing(n, failure, nullptr, Threads::kOthers);
        while (seen.acknowledged < kLast && db.graph().Apply(ScriptBatch(seen.acknowledged + 1)))
          ++seen.acknowledged;
        // Until the threads have come to it, or have done what there was to do.
        for (int i = 0; i < 100 && !failing.failed(); ++i) {
          const auto checkpoints = db.stats().checkpoints;
          if (!checkpoints.empty() && checkpoints.back() == seen.acknowledged && i > 5) break;
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        // And what they do next.
        if (failing.failed()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        seen.reached = failing.failed();
      }
      if (seen.acknowledged < kLast && db.graph().Apply(ScriptBatch(seen.acknowledged + 1)))
        ++seen.acknowledged;
      (void)db.Checkpoint();
      (void)db.snapshot().Payload(0, NodeField::kText);
      (void)db.Close();
    });
  }

  int ended_by_rocksdb_ = 0, dead_ = 0;
};

TEST_F(NoMemoryInTheBackground, Once) {
  for (const Durability durability : {Durability::kBuffered, Durability::kSync})
    Sample(2, 1.8, [&](std::int64_t n) { return WriteBeside(n, durability, Failure::kOnce); });
}

TEST_F(NoMemoryInTheBackground, FromThenOn) {
  Sample(1, 2.0, [&](std::int64_t n) {
    return WriteBeside(n, Durability::kBuffered, Failure::kFromThenOn);
  });
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
  const OpenOptions options = Background(Durability::kSync, Maintenance::kManual);
  for (const auto& call : calls)
    Sample(2, 2.2, [&](std::int64_t n) {
      SCOPED_TRACE("allocation " + std::to_string(n));
      return Run(options, [&](Database& db, Seen& seen) {
        {
          FailingMemory failing(n, Failure::kOnce, nullptr, Threads::kThis);
          (void)call(db);
          seen.reached = failing.failed();
        }
        const std::uint64_t acknowledged = seen.acknowledged = db.snapshot().sequence();
        const Status next = db.Checkpoint();
        if (next || next.error().message.find("RocksDB ran out of memory") == std::string::npos)
          return;
        ++seen.dead;
        EXPECT_EQ(next.error().code, ErrorCode::kFailedPrecondition);
        EXPECT_FALSE(db.graph().Apply(ScriptBatch(acknowledged + 1)));
        EXPECT_FALSE(db.Trim(6));
        EXPECT_FALSE(db.AsOf(3));
        EXPECT_FALSE(db.Verify() && db.Verify()->ok);
        (void)db.stats();
        EXPECT_FALSE(db.Close());
      });
    });
  EXPECT_GT(dead_, 0);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
