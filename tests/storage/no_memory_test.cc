// Every call of a database at its n-th allocation: an error, no end of the program, and the graph
// still right, in RAM and on disk. A program of its own: it replaces operator new.
//
// What RocksDB asks for itself is served: its code does not survive bad_alloc (spare, in
// failing_memory.h). Sampled: the first allocations, then further and further apart.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/vocabulary.h"
#include "storage/database.h"
#include "storage/repair.h"
#include "tests/support/no_memory_calls.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal {
namespace {

using plexus::testing::ExpectNoMemory;
using plexus::testing::Failing;
using plexus::testing::Outcome;
using plexus::testing::Sample;
using testing::ScratchDirectory;

constexpr std::uint64_t kBatches = 12;

OpenOptions Quiet(OpenOptions options) {
  options.graph.executor = &SerialExecutor();
  options.graph.maintenance = Maintenance::kManual;
  options.graph.durability = Durability::kBuffered;
  options.graph.return_freed_memory = false;
  return options;
}

EdgeLoad SomeLoad() {
  EdgeLoad load;
  load.time_ms = 1000;
  for (int b = 0; b < 3; ++b) {
    AlignedArray<NodePair> pairs(40);
    for (int i = 0; i < 40; ++i) {
      const auto id = [&](int k) {
        return load.keys.Insert("a node with a long key, number " + std::to_string(k)).id;
      };
      const NodeId source = id(i % 7);
      pairs[static_cast<std::size_t>(i)] = {source, id(b * 10 + i)};
    }
    load.batches.push_back({std::move(pairs), {}, load.keys.size()});
  }
  return load;
}

class NoMemoryStorage : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_ = new ScratchDirectory;
    const auto db = testing::MustOpen(made_->path(), Quiet(testing::Create()));
    WriteBatch defines(0);
    defines.DefineNodeKind({"a kind of nodes with a long name"});
    defines.DefineEdgeKind({"a kind of edges with a long name", ""});
    defines.DefineColumn({"a column with a long name"});
    ASSERT_TRUE(db->graph().Apply(defines));
    for (std::uint64_t i = 1; i <= kBatches + 4; ++i) {
      ASSERT_TRUE(db->graph().Apply(testing::ScriptBatch(i)));
      if (i == kBatches) {
        ASSERT_TRUE(db->Checkpoint());
      }
    }
    ASSERT_TRUE(db->Close());
    const auto again = testing::MustOpen(made_->path(), Quiet(testing::ReadOnly()));
    dump_ = new std::string(testing::Dump(again->snapshot()));
  }
  static void TearDownTestSuite() {
    delete made_;
    delete dump_;
  }
  // A copy of the database to work in.
  std::string Copy() {
    const std::string to = scratch_.path("copy");
    std::filesystem::remove_all(to);
    testing::CopyTree(made_->path(), to);
    return to;
  }
  static std::unique_ptr<Database> Open(const std::string& directory) {
    return testing::MustOpen(directory, Quiet({}));
  }
  // Of a call that changes nothing that a reader sees: works the next time, too.
  template <class Call>
  void Reads(const char* what, Database& db, std::int64_t all, double growth, const Call& call) {
    SCOPED_TRACE(what);
    Sample(all, growth, [&](std::int64_t n) {
      const Outcome outcome = Failing(n, [&] { return call(db); });
      ExpectNoMemory(what, n, outcome);
      const auto again = call(db);
      EXPECT_TRUE(again) << what << " after allocation " << n << ": "
                         << (again ? "" : again.error().message);
      return outcome.reached;
    });
    EXPECT_EQ(testing::Dump(db.snapshot()) == *dump_, true) << what;
  }
  // Of a call that writes files, after `first`: afterwards the directory opens, sound, to what was
  // there.
  template <class Call>
  void Writes(const char* what, double growth, const Call& call,
              const std::function<Status(Database&)>& first = {}) {
    Sample(2, growth, [&](std::int64_t n) {
      const std::string directory = Copy();
      Outcome outcome;
      {
        const auto db = Open(directory);
        if (first) {
          EXPECT_TRUE(first(*db)) << what;
        }
        outcome = Failing(n, [&] { return call(*db); });
        ExpectNoMemory(what, n, outcome);
        (void)db->Close();
      }
      OpenOptions sound = Quiet({});
      const auto db = Database::Open(directory, sound);
      EXPECT_TRUE(db) << what << " " << n << ": " << (db ? "" : db.error().message);
      if (!db) return false;
      const auto again = call(**db);
      EXPECT_TRUE(again) << what << " once more, after allocation " << n << ": "
                         << (again ? "" : again.error().message);
      testing::ExpectSound(**db);
      return outcome.reached;
    });
  }

  static ScratchDirectory* made_;
  static std::string* dump_;
  ScratchDirectory scratch_;
};
ScratchDirectory* NoMemoryStorage::made_ = nullptr;
std::string* NoMemoryStorage::dump_ = nullptr;

TEST_F(NoMemoryStorage, Open) {
  for (const bool read_only : {true, false}) {
    const std::string directory = Copy();
    OpenOptions options = Quiet({});
    options.read_only = read_only;
    Sample(3, 2.4, [&](std::int64_t n) {
      const Outcome outcome = Failing(n, [&] { return Database::Open(directory, options); });
      ExpectNoMemory("Open", n, outcome);
      const auto again = Database::Open(directory, options);
      EXPECT_TRUE(again) << n << ": " << (again ? "" : again.error().message);
      if (!again) return false;
      EXPECT_EQ(testing::Dump((*again)->snapshot()) == *dump_, true) << n;
      return outcome.reached;
    });
  }
}

TEST_F(NoMemoryStorage, Reading) {
  const auto db = Open(Copy());
  const auto once = [](auto&& call) { return call; };
  Reads("ChangesSince", *db, 6, 1.5, once([](Database& d) { return d.ChangesSince(3); }));
  Reads("History", *db, 6, 1.5, once([](Database& d) { return d.History(0); }));
  Reads("Verify", *db, 2, 2.5, once([](Database& d) { return d.Verify(); }));
  Reads("Metrics", *db, 10, 1.3, once([](Database& d) { return metrics::DatabaseMetrics(d); }));
  Sequence at = 0;  // each time another state that nobody has kept
  Reads("AsOf", *db, 2, 1.8, [&](Database& d) { return d.AsOf(1 + at++ % 9); });
}

// Of texts and property maps, from files and from a cache that holds few of them.
TEST_F(NoMemoryStorage, Payloads) {
  OpenOptions options = Quiet({});
  options.payload_cache_bytes = 2048;
  const auto db = testing::MustOpen(Copy(), options);
  const Snapshot s = db->snapshot();
  std::vector<PayloadRef> refs;
  for (NodeId v = 0; v < s.node_count(); ++v)
    for (const NodeField field : {NodeField::kText, NodeField::kProperties})
      if (s.payload_ref(v, field)) refs.push_back(s.payload_ref(v, field));
  ASSERT_GT(refs.size(), 14u);  // more than the cache holds
  std::size_t at = 0;
  for (const std::size_t step :
       {std::size_t{1}, std::size_t{0}})  // the next one each time; one that is kept
    Reads("Payload", *db, 40, 1.5,
          [&](Database&) { return s.Payload(refs[(at += step) % refs.size()]); });
  // As often as entries of the cache come and go.
  for (int round = 0; round < 200; ++round) {
    const Outcome outcome =
        Failing(1 + round % 9, [&] { return s.Payload(refs[(at += 1) % refs.size()]); });
    ExpectNoMemory("Payload", round, outcome);
    EXPECT_LE(db->stats().payload_cache_bytes, options.payload_cache_bytes);
  }
}

TEST_F(NoMemoryStorage, Vectors) {
  const std::string directory = Copy();
  (void)testing::MustOpen(directory, Quiet(testing::ReadOnly()))->snapshot().vectors(SpaceId(0));
  Sample(8, 1.5, [&](std::int64_t n) {
    const auto db = testing::MustOpen(directory, Quiet(testing::ReadOnly()));
    const Snapshot s = db->snapshot();
    const Outcome outcome = Failing(n, [&] { return s.vectors(SpaceId(0)); });
    ExpectNoMemory("vectors", n, outcome);
    EXPECT_TRUE(s.vectors(SpaceId(0))) << n;
    EXPECT_EQ(testing::Dump(s) == *dump_, true) << n;
    return outcome.reached;
  });
}

TEST_F(NoMemoryStorage, Backup) {
  const auto db = Open(Copy());
  const std::string to = scratch_.path("backup");
  Sample(2, 3.0, [&](std::int64_t n) {
    const Outcome outcome = Failing(n, [&] { return db->Backup(to); });
    ExpectNoMemory("Backup", n, outcome);
    EXPECT_EQ(Database::Exists(to), outcome.status.has_value()) << n;
    std::filesystem::remove_all(to);
    return outcome.reached;
  });
  EXPECT_TRUE(db->Backup(to));
}

// Of new directories: there is nothing, or all of it.
TEST_F(NoMemoryStorage, RestoreAndRepair) {
  const std::string from = made_->path(), to = scratch_.path("new");
  RepairOptions repair;
  repair.executor = &SerialExecutor();
  const std::pair<const char*, std::function<Status()>> calls[] = {
      {"Restore", [&] { return Database::Restore(from, to); }},
      {"Repair", [&]() -> Status {
         PLEXUS_TRY(Repair(from, to, repair));
         return {};
       }}};
  for (const auto& [what, call] : calls)
    Sample(2, 3.0, [&, what = what, &call = call](std::int64_t n) {
      const Outcome outcome = Failing(n, call);
      ExpectNoMemory(what, n, outcome);
      if (!outcome.status) {
        EXPECT_FALSE(Database::Exists(to)) << what << " " << n;
        EXPECT_TRUE(call()) << what << " after allocation " << n;
      }
      EXPECT_EQ(testing::Dump(Open(to)->snapshot()) == *dump_, true) << what << " " << n;
      std::filesystem::remove_all(to);
      return outcome.reached;
    });
}

TEST_F(NoMemoryStorage, Checkpoint) {
  Writes("Checkpoint", 2.2, [](Database& d) { return d.Checkpoint(); });
}
TEST_F(NoMemoryStorage, Trim) {
  Writes("Trim", 3.2, [](Database& d) { return d.Trim(5); });
}
TEST_F(NoMemoryStorage, Purge) {
  Writes("Purge", 2.0, [](Database& d) {
    const Snapshot s = d.snapshot();
    const std::string_view key = s.key(1);
    return d.Purge({&key, 1}, s.time_ms());
  });
}
TEST_F(NoMemoryStorage, Scrub) {
  const NodeId node = 1;
  WriteBatch purge(100'000);
  purge.PurgeNode(NodeRef::Id(node));
  Writes(
      "Scrub", 2.4, [](Database& d) { return d.Scrub(); },
      [&](Database& d) -> Status {
        PLEXUS_TRY(d.graph().Apply(purge));
        return {};
      });
}
TEST_F(NoMemoryStorage, Bulk) {
  const WriteBatch first = testing::ScriptBatch(kBatches + 5),
                   second = testing::ScriptBatch(kBatches + 6);
  Writes("BeginBulk to EndBulk", 1.8, [&](Database& d) -> Status {
    PLEXUS_TRY(d.BeginBulk());
    PLEXUS_TRY(d.graph().Apply(first));
    const auto text = d.snapshot().Payload(0, NodeField::kText);  // which may need what is pending
    if (!text && text.error().code != ErrorCode::kNotFound) return std::unexpected(text.error());
    PLEXUS_TRY(d.graph().Apply(second));
    return d.EndBulk();
  });
}
TEST_F(NoMemoryStorage, Close) {
  const WriteBatch batch = testing::ScriptBatch(kBatches + 5);
  Sample(2, 1.8, [&](std::int64_t n) {
    const std::string directory = Copy();
    OpenOptions options = Quiet({});
    options.checkpoint_on_close = CheckpointOnClose::kAlways;
    auto db = testing::MustOpen(directory, options);
    EXPECT_TRUE(db->graph().Apply(batch));
    const std::string dump = testing::Dump(db->snapshot());
    const Sequence durable = db->stats().synced_sequence;
    const Outcome outcome = Failing(n, [&] { return db->Close(); });
    ExpectNoMemory("Close", n, outcome);
    db.reset();
    db = Open(directory);
    EXPECT_GE(db->snapshot().sequence(), durable) << n;
    EXPECT_EQ(testing::Dump(db->snapshot()) == dump, true) << n;  // the machine did not fail
    return outcome.reached;
  });
}
TEST_F(NoMemoryStorage, HardPurge) {
  Writes("HardPurge", 4.0, [](Database& d) {
    const NodeId node = 0;
    return d.HardPurge({&node, 1});
  });
}

// A batch is there whole, or not at all; a graph that may be ahead of its log takes no more until
// it is opened again, and then shows what the log has.
TEST_F(NoMemoryStorage, Apply) {
  Sample(12, 1.3, [&](std::int64_t n) {
    const std::string directory = Copy();
    const WriteBatch batch = testing::ScriptBatch(kBatches + 5);
    Sequence before = 0;
    Outcome outcome;
    {
      const auto db = Open(directory);
      before = db->snapshot().sequence();
      outcome = Failing(n, [&] { return db->graph().Apply(batch); });
      ExpectNoMemory("Apply", n, outcome);
      EXPECT_EQ(db->snapshot().sequence(), before + (outcome.status ? 1 : 0)) << n;
      const auto again = db->graph().Apply(batch);
      EXPECT_TRUE(again || again.error().code == ErrorCode::kReadOnly) << n;
    }
    const auto db = Open(directory);
    EXPECT_GE(db->snapshot().sequence(), before + (outcome.status ? 1 : 0)) << n;
    EXPECT_TRUE(db->graph().Apply(testing::ScriptBatch(kBatches + 6))) << n;
    return outcome.reached;
  });
}

TEST_F(NoMemoryStorage, RefreshAndReplay) {
  const std::string directory = Copy();
  const auto writer = Open(directory);
  std::uint64_t number = kBatches + 5;
  Sample(4, 1.5, [&](std::int64_t n) {
    OpenOptions options = Quiet({});
    options.read_only = true;
    const auto view = Database::Open(directory, options);
    EXPECT_TRUE(view);
    if (!view) return false;
    EXPECT_TRUE(writer->graph().Apply(testing::ScriptBatch(number)));
    ++number;
    EXPECT_TRUE(writer->graph().WaitDurable(writer->snapshot().sequence()));
    const Outcome outcome = Failing(n, [&] { return (*view)->Refresh(); });
    ExpectNoMemory("Refresh", n, outcome);
    EXPECT_TRUE((*view)->Refresh()) << n;
    EXPECT_EQ((*view)->snapshot().sequence(), writer->snapshot().sequence()) << n;
    return outcome.reached;
  });
  const auto changes = writer->ChangesSince(0);
  ASSERT_TRUE(changes);
  GraphOptions plain;
  plain.executor = &SerialExecutor();
  Sample(10, 1.5, [&](std::int64_t n) {
    const auto replica = Graph::InMemory(plain);
    const Outcome outcome = Failing(n, [&] { return replica->Replay(changes->records); });
    ExpectNoMemory("Replay", n, outcome);
    const Sequence done = replica->snapshot().sequence();
    const Status rest = replica->Replay(std::span(changes->records).subspan(done));
    EXPECT_TRUE(rest || rest.error().code == ErrorCode::kReadOnly) << n;
    EXPECT_EQ(!rest || replica->snapshot().sequence() == changes->next, true) << n;
    return outcome.reached;
  });
}

// A prefix of the load is there, or nothing.
TEST_F(NoMemoryStorage, Load) {
  for (const bool bulk : {false, true})
    Sample(2, 1.6, [&](std::int64_t n) {
      const std::string directory = scratch_.path("load");
      std::filesystem::remove_all(directory);
      Outcome outcome;
      {
        const auto db = testing::MustOpen(directory, Quiet(testing::Create()));
        if (bulk) {
          EXPECT_TRUE(db->BeginBulk());
        }
        EdgeLoad load = SomeLoad();
        outcome = Failing(n, [&] { return db->graph().Load(std::move(load)); });
        ExpectNoMemory("Load", n, outcome);
        EXPECT_EQ(db->snapshot().sequence(), outcome.status ? 3u : 0u) << n;
      }
      const auto db = Open(directory);
      if (outcome.status) {
        EXPECT_EQ(db->snapshot().sequence(), 3u) << n;
      }
      EXPECT_LE(db->snapshot().sequence(), 3u) << n;
      testing::ExpectSound(*db);
      return outcome.reached;
    });
}

}  // namespace
}  // namespace plexus::storage_internal
