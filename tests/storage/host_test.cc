// What a host does to a Database that lives in it for long: forks, exits with it, gives it
// wrong times, and lets its background work fail.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "engine/bulk/edge_load.h"
#include "engine/monitoring/monitoring.h"
#include "storage/base/fail_points.h"
#include "storage/database.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

// Runs `fn` in a child of fork, which ends without destructors. The number that it returns.
int InChild(const std::function<int()>& fn) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(fn());
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool Refused(const Status& status) {
  return !status && status.error().code == ErrorCode::kFailedPrecondition &&
         status.error().message.find("fork") != std::string::npos;
}
template <class T>
bool Refused(const Result<T>& result) {
  return !result && Refused(Status(std::unexpected(result.error())));
}

OpenOptions Background() {
  OpenOptions options = Create();
  options.graph.maintenance = Maintenance::kBackground;
  return options;
}

// A check that holds soon; the machine's speed decides only when.
bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 6'000 && !holds(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

TEST(Host, ChildThatDestroysItsCopyLeavesTheDirectoryAlone) {
  for (const bool background : {false, true}) {
    ScratchDirectory scratch;
    const auto dumps = ScriptDumps(30);
    auto db = MustOpen(scratch.path(), background ? Background() : Create());
    ApplyScript(*db, 1, 10);
    EXPECT_EQ(InChild([&] {
                db.reset();
                return 0;
              }),
              0);
    ApplyScript(*db, 11, 20);
    EXPECT_EQ(InChild([&] { return Refused(db->Close()) ? (db.reset(), 0) : 1; }), 0);
    EXPECT_EQ(InChild([&] { return Refused(db->graph().Apply(ScriptBatch(21))) ? 0 : 1; }), 0);
    ApplyScript(*db, 21, 30);
    EXPECT_EQ(Dump(db->snapshot()), dumps[30]);
    PLEXUS_OK(db->Close());
    db = MustOpen(scratch.path());
    EXPECT_EQ(Dump(db->snapshot()), dumps[30]);
    ExpectSound(*db);
  }
}

TEST(Host, CallsInAChildAreErrors) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 10);
  const Snapshot snapshot = db->snapshot();
  const NodeId count = snapshot.node_count();
  const NodeId nodes[] = {0};
  const Record record = [&] {
    auto changes = db->ChangesSince(0);
    return changes ? changes->records.at(0) : Record();
  }();
  EXPECT_EQ(InChild([&] {
              int call = 0;
              for (const bool refused : {Refused(db->graph().Compact()),
                                         Refused(db->graph().WaitDurable(1)),
                                         Refused(db->AsOf(3)),
                                         Refused(db->AsOfTime(3000)),
                                         Refused(db->SequenceAtTime(3000)),
                                         Refused(db->Checkpoint()),
                                         Refused(db->Trim(2)),
                                         Refused(db->Purge({{"a"}}, 99'000)),
                                         Refused(db->Scrub()),
                                         Refused(db->HardPurge(nodes)),
                                         Refused(db->BeginBulk()),
                                         Refused(db->EndBulk()),
                                         Refused(db->Verify()),
                                         Refused(db->Backup(scratch.path("copy"))),
                                         Refused(db->History(0)),
                                         Refused(db->NodesChanged(0, 1, 9)),
                                         Refused(db->Discard()),
                                         Refused(db->Refresh()),
                                         Refused(db->ChangesSince(0)),
                                         Refused(db->graph().Load(EdgeLoad())),
                                         Refused(db->graph().Replay({&record, 1})),
                                         Refused(db->graph().CheckProcess()),
                                         Refused(metrics::GraphMetrics(db->graph())),
                                         Refused(metrics::DatabaseMetrics(*db))}) {
                ++call;
                if (!refused) return call;
              }
              if (db->stats().disk_bytes != 0) return 100;
              return snapshot.node_count() == count ? 0 : 101;  // what is in RAM can be read
            }),
            0);
  ApplyScript(*db, 11, 12);
  PLEXUS_OK(db->Close());
  EXPECT_EQ(Dump(MustOpen(scratch.path())->snapshot()), ScriptDumps(12)[12]);
}

// What is in files: texts of any snapshot, vectors that none has read.
TEST(Host, PayloadsCannotBeReadInAChild) {
  ScratchDirectory scratch;
  {
    auto db = MustOpen(scratch.path(), Create());
    ApplyScript(*db, 1, 10);
    PLEXUS_OK(db->Close());
  }
  auto db = MustOpen(scratch.path());
  const Snapshot snapshot = db->snapshot();
  NodeId node = 0;
  while (node < snapshot.node_count() && !snapshot.payload_ref(node, NodeField::kText)) ++node;
  ASSERT_LT(node, snapshot.node_count());
  PLEXUS_OK(snapshot.Payload(node, NodeField::kText));  // cached, from then on
  const PayloadRef ref = snapshot.payload_ref(node, NodeField::kText);
  EXPECT_EQ(InChild([&] {
              if (!Refused(snapshot.Payload(node, NodeField::kText))) return 1;
              if (!Refused(snapshot.state().payload_store->GetEach({&ref, 1}, [](auto&&...) {})))
                return 2;
              return Refused(snapshot.vectors(SpaceId{})) ? 0 : 3;
            }),
            0);
  PLEXUS_OK(snapshot.vectors(SpaceId{}));
}

// The lock of the graph is held for ever there, by a thread that the child does not have.
TEST(Host, CountingInAChildDoesNotWaitForTheWriter) {
  ScratchDirectory scratch;
  std::atomic<bool> hold{false};
  std::promise<void> held, go_on;
  TestHooks hooks;
  hooks.at_point = [&](const char* point) {
    if (std::string_view(point) != "journal.before_write" || !hold.exchange(false)) return;
    held.set_value();
    go_on.get_future().wait();
  };
  OpenOptions options = Create();
  options.hooks = &hooks;
  auto db = MustOpen(scratch.path(), options);
  ApplyScript(*db, 1, 2);
  hold = true;
  auto writer = std::async(std::launch::async, [&] { return db->graph().Apply(ScriptBatch(3)); });
  held.get_future().wait();
  EXPECT_EQ(InChild([&] {
              if (!Refused(metrics::GraphMetrics(db->graph()))) return 1;
              if (!Refused(metrics::DatabaseMetrics(*db))) return 2;
              if (db->graph().stats().batches != 0) return 3;
              if (!db->graph().read_only()) return 4;
              return db->stats().disk_bytes == 0 ? 0 : 5;
            }),
            0);
  go_on.set_value();
  PLEXUS_OK(writer.get());
  EXPECT_FALSE(db->graph().read_only());
  EXPECT_EQ(db->graph().stats().batches, 3u);
}

// Other threads take and give back the lock of what is published all the time.
TEST(Host, AChildHasTheSnapshotOfTheFork) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  ApplyScript(*db, 1, 10);
  const std::string dump = Dump(db->snapshot());
  std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) (void)db->snapshot();
  });
  for (int fork = 0; fork < 40; ++fork)
    ASSERT_EQ(InChild([&] { return db->snapshot().sequence() == 10 ? 0 : 1; }), 0) << fork;
  reader.request_stop();
  reader.join();
  EXPECT_EQ(Dump(db->snapshot()), dump);
}

TEST(Host, ChildThatLivesOnDoesNotKeepTheLock) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(gate[1]);
    char c;
    alarm(60);
    _exit(read(gate[0], &c, 1) == 0 ? 0 : 1);
  }
  close(gate[0]);
  PLEXUS_OK(db->Close());
  EXPECT_TRUE(Database::Open(scratch.path(), {}));
  close(gate[1]);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// What the host did last decides which static objects RocksDB has made.
TEST(Host, GlobalDatabaseIsClosedAtTheEndOfTheProcess) {
  ScratchDirectory scratch;
  int last = 0;
  for (const char* mode : {"", "bulk", "keeper", "child", "child-reads", "refresh", "readonly"}) {
    for (int run = 1; run <= 3; ++run) {
      const std::string command = std::string(PLEXUS_GLOBAL_DATABASE) + " " + scratch.path("g") +
                                  " " + std::to_string(last += 7) + " " + mode;
      ASSERT_EQ(std::system(command.c_str()), 0) << command;
      auto db = MustOpen(scratch.path("g"), {});
      const bool writes = mode != std::string("readonly");
      EXPECT_TRUE(db->report().was_clean) << mode;
      EXPECT_EQ(db->snapshot().node_count() == static_cast<std::size_t>(last), writes) << mode;
    }
  }
}

// Whether or not the callbacks keep their word.
void FailInTheBackground(bool callbacks_throw) {
  ScratchDirectory scratch;
  std::atomic<int> failures_left{2}, told{0};
  const std::thread::id host = std::this_thread::get_id();
  TestHooks hooks;
  hooks.at_point = [&](const char* point) {
    if (std::string_view(point) != "checkpoint.sections_ingested") return;
    if (std::this_thread::get_id() != host && failures_left.fetch_sub(1) > 0)
      throw std::bad_alloc();
  };
  OpenOptions options = Background();
  options.hooks = &hooks;
  options.checkpoint_log_bytes = 1;
  options.checkpoint_on_close = CheckpointOnClose::kNever;
  options.on_background_error = [&](const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::kResourceExhausted);
    EXPECT_NE(std::this_thread::get_id(), host);
    ++told;
    if (callbacks_throw) throw std::runtime_error("of the host");
  };
  if (callbacks_throw)
    options.graph.on_log = [](const LogEntry&) { throw std::runtime_error("of the host"); };
  auto db = MustOpen(scratch.path(), options);
  ApplyScript(*db, 1, 5);
  EXPECT_TRUE(Eventually([&] { return !db->stats().checkpoints.empty() && told == 2; }));
  EXPECT_TRUE(Eventually([&] { return db->stats().background_error.empty(); }));
  EXPECT_EQ(db->stats().background_failures, 2u);
  ApplyScript(*db, 6, 10);
  PLEXUS_OK(db->Close());  // tells of its own work alone
  EXPECT_EQ(Dump(MustOpen(scratch.path())->snapshot()), ScriptDumps(10)[10]);
}

TEST(Host, BackgroundCheckpointsGoOnAfterFailures) { FailInTheBackground(false); }
TEST(Host, CallbacksThatThrowEndNothing) { FailInTheBackground(true); }

// Whatever the system refuses.
TEST(Host, OpenWithoutMemoryOrThreadsIsAnError) {
  const std::function<void()> refusals[] = {
      [] { throw std::bad_alloc(); }, [] { throw std::length_error("too long"); },
      [] {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      }};
  for (const auto& refuse : refusals) {
    ScratchDirectory scratch;
    TestHooks hooks;
    hooks.at_point = [&](const char* point) {
      if (std::string_view(point) == "open.created") refuse();
    };
    OpenOptions options = Create();
    options.hooks = &hooks;
    EXPECT_TRUE(FailsWith(Database::Open(scratch.path(), options), ErrorCode::kResourceExhausted));
    EXPECT_TRUE(Database::Open(scratch.path(), Create()));
  }
}

// Without a word about maintenance: compactions and checkpoints come by themselves.
TEST(Host, MaintenanceIsInTheBackgroundByDefault) {
  EXPECT_EQ(OpenOptions{}.graph.maintenance, Maintenance::kBackground);
  // However the options are made: with `.graph = {...}` it was lost.
  const OpenOptions named{.graph = {.now_ms = [] { return std::int64_t{1}; }}};
  EXPECT_EQ(named.graph.maintenance, Maintenance::kBackground);
  ScratchDirectory scratch;
  OpenOptions options;
  options.create = true;
  options.graph.delta_soft_arcs = 8;
  options.checkpoint_log_bytes = 1;
  auto db = MustOpen(scratch.path(), options);
  EXPECT_EQ(db->graph().options().maintenance, Maintenance::kBackground);
  ApplyScript(*db, 1, 30);
  EXPECT_TRUE(Eventually([&] { return db->graph().stats().compactions > 0; }));
  EXPECT_TRUE(Eventually([&] { return !db->stats().checkpoints.empty(); }));
  EXPECT_EQ(db->graph().stats().stalls, 0u);
  EXPECT_EQ(Dump(db->snapshot()), ScriptDumps(30)[30]);
}

TEST(Host, WrongTimesAreRefused) {
  ScratchDirectory scratch;
  OpenOptions options = Create();
  constexpr std::int64_t kNow = 1'700'000'000'000, kDay = 86'400'000;
  auto db = MustOpen(scratch.path(), options);
  const auto apply = [&](std::int64_t time) {
    WriteBatch batch(time);
    batch.UpsertNode("at " + std::to_string(time));
    return db->graph().Apply(batch);
  };
  for (const std::int64_t wrong : {kNow * 1000, kMaxTimeMs + 1, INT64_MAX}) {
    EXPECT_TRUE(FailsWith(apply(wrong), ErrorCode::kInvalidArgument, std::to_string(wrong)));
  }
  EXPECT_FALSE(db->graph().read_only());
  PLEXUS_OK(apply(kNow));
  const auto moved = Must(apply(kNow - 5));
  EXPECT_TRUE(moved.time_moved);
  EXPECT_EQ(moved.time_ms, kNow);
  const auto kept = Must(apply(kNow + 1));
  EXPECT_FALSE(kept.time_moved);
  EXPECT_EQ(kept.time_ms, kNow + 1);
  PLEXUS_OK(db->Close());
  options.graph.now_ms = [] { return kNow; };
  db = MustOpen(scratch.path(), options);
  EXPECT_FALSE(apply(kNow + kDay + 1));
  PLEXUS_OK(apply(kNow + kDay));
}

}  // namespace
}  // namespace plexus::storage_internal::testing
