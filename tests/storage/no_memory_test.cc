// Every call of a database, every import and export at its n-th allocation: an error, no end of the
// program, and the graph still right, in RAM and on disk. A program of its own: it replaces
// operator new.
//
// What RocksDB asks for itself is served: its code does not survive bad_alloc (spare, in
// failing_memory.h). Sampled: the first allocations, then further and further apart.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "engine/vocabulary.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"
#include "storage/metrics.h"
#include "tests/support/failing_memory.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal {
namespace {

using plexus::testing::FailingMemory;
using plexus::testing::Failure;
using testing::ScratchDirectory;

constexpr std::uint64_t kBatches = 12;

// once(n): makes the n-th allocation fail and looks at what came of it; false: there was no n-th.
template <class Once>
void Sample(std::int64_t all, double growth, const Once& once) {
  std::int64_t n = 1;
  int tried = 0;
  while (once(n) && !::testing::Test::HasFatalFailure()) {
    ++tried;
    n = n < all ? n + 1 : static_cast<std::int64_t>(static_cast<double>(n) * growth) + 1;
  }
  EXPECT_GT(tried, 0);
}

struct Outcome {
  Status status;
  bool reached = false;
};
// `call` returns a Result or a Status, whose value is dropped where memory is there again.
template <class Call>
Outcome Failing(std::int64_t n, Call&& call) {
  Outcome outcome;
  auto result = [&] {
    FailingMemory failing(n, Failure::kOnce, "librocksdb");
    auto got = call();
    outcome.reached = failing.failed();
    return got;
  }();
  if (!result) outcome.status = std::unexpected(result.error());
  return outcome;
}

void ExpectNoMemory(const char* what, std::int64_t n, const Outcome& outcome) {
  if (outcome.status) return;
  EXPECT_EQ(outcome.status.error().code, ErrorCode::kResourceExhausted)
      << what << " " << n << ": " << outcome.status.error().message;
}

OpenOptions Quiet(OpenOptions options) {
  options.graph.executor = &SerialExecutor();
  options.graph.maintenance = Maintenance::kManual;
  options.graph.durability = Durability::kBuffered;
  options.graph.return_freed_memory = false;
  return options;
}

class NoMemoryStorage : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_ = new ScratchDirectory;
    const auto db = testing::MustOpen(made_->path(), Quiet(testing::Create()));
    testing::ApplyScript(*db, 1, kBatches);
    ASSERT_TRUE(db->Checkpoint());
    testing::ApplyScript(*db, kBatches + 1, kBatches + 4);
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
  // Of a call that writes files: afterwards the directory opens, sound, to what was there.
  template <class Call>
  void Writes(const char* what, double growth, const Call& call) {
    Sample(2, growth, [&](std::int64_t n) {
      const std::string directory = Copy();
      Outcome outcome;
      {
        const auto db = Open(directory);
        outcome = Failing(n, [&] { return call(*db); });
        ExpectNoMemory(what, n, outcome);
        (void)db->Close();
      }
      OpenOptions sound = Quiet({});
      const auto db = Database::Open(directory, sound);
      EXPECT_TRUE(db) << what << " " << n << ": " << (db ? "" : db.error().message);
      if (!db) return false;
      EXPECT_TRUE(call(**db)) << what << " once more, after allocation " << n;
      const auto report = (*db)->Verify();
      EXPECT_TRUE(report && report->ok) << what << " " << n;
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
  Reads("Metrics", *db, 10, 1.3, once([](Database& d) { return DatabaseMetrics(d); }));
  Sequence at = 0;  // each time another state that nobody has kept
  Reads("AsOf", *db, 2, 1.8, [&](Database& d) { return d.AsOf(1 + at++ % 9); });
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
    testing::ApplyScript(*writer, number, number);
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

// Into graphs in RAM: records before the failure may stay, so the whole is imported once more.
TEST_F(NoMemoryStorage, ImportAndExport) {
  const auto db = Open(Copy());
  const Snapshot s = db->snapshot();
  using Exporter = Status (*)(const Snapshot&, std::ostream&, const ExportOptions&);
  const std::pair<const char*, Exporter> exporters[] = {{"x.jsonl", ExportJsonLines},
                                                        {"x.csv", ExportCsv},
                                                        {"x.dot", ExportDot},
                                                        {"x.mtx", ExportMatrixMarket},
                                                        {"x.graphml", ExportGraphMl},
                                                        {"x.node-link.json", ExportNodeLink},
                                                        {"x.mcp.json", ExportMcpMemory},
                                                        {"x.gexf", ExportGexf}};
  GraphOptions plain;
  plain.executor = &SerialExecutor();
  for (const auto& [name, exporter] : exporters) {
    SCOPED_TRACE(name);
    std::ostringstream whole;
    ASSERT_TRUE(exporter(s, whole, {}));
    Sample(10, 1.5, [&](std::int64_t n) {
      std::ostringstream out;
      const Outcome outcome = Failing(n, [&] { return exporter(s, out, {}); });
      if (outcome.status) {
        EXPECT_EQ(out.str() == whole.str(), true) << n;
      } else {  // the stream's own memory: it says that it is bad
        EXPECT_TRUE(outcome.status.error().code == ErrorCode::kResourceExhausted ||
                    outcome.status.error().code == ErrorCode::kIo)
            << n << ": " << outcome.status.error().message;
      }
      return outcome.reached;
    });
    const std::string bytes = whole.str();
    if (!ImportBytes(*Graph::InMemory(plain), name, bytes)) continue;  // written only
    Sample(6, 1.6, [&](std::int64_t n) {
      const auto graph = Graph::InMemory(plain);
      const Outcome outcome = Failing(n, [&] { return ImportBytes(*graph, name, bytes); });
      ExpectNoMemory("Import", n, outcome);
      const auto again = ImportBytes(*graph, name, bytes);
      EXPECT_TRUE(again || again.error().code == ErrorCode::kReadOnly)
          << n << (again ? "" : again.error().message);
      return outcome.reached;
    });
  }
}

}  // namespace
}  // namespace plexus::storage_internal
