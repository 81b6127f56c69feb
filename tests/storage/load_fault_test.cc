// Files of plain edges loaded at once, when the disk says no and when the process dies: the graph
// before, or a whole prefix of the batches; never more, never less, and history as always.
#include <random>
#include <sstream>

#include "engine/writer/state_writer.h"
#include "storage/base/fail_points.h"
#include "storage/formats/import.h"
#include "tests/support/fakes.h"
#include "tests/support/files/faulty_files.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

std::string Lines(int lines, unsigned keys) {
  std::mt19937_64 random(30);
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += std::to_string(random() % keys) + " " + std::to_string(random() % keys) +
            (random() % 3 ? "\n" : " 0." + std::to_string(random() % 10) + "\n");
  return text;
}

struct File {
  std::string name, text;
};

// The same edges as a file of that name.
File Written(const std::string& name, const std::string& lines) {
  if (name.ends_with(".el")) return {name, lines};
  std::string table = "source,target,weight\n";
  std::istringstream rows(lines);
  for (std::string row; std::getline(rows, row);) {
    std::istringstream cells(row);
    std::string source, target, weight = "1";
    cells >> source >> target;
    cells >> weight;
    table += source + "," + target + "," + (weight.empty() ? "1" : weight) + "\n";
  }
  return {name, table};
}

formats::ImportOptions Options(std::size_t batch_ops) {
  formats::ImportOptions options;
  options.now_ms = 1'700'000'000'000;
  options.batch_ops = batch_ops;
  return options;
}

// What the batches leave, one by one, told by the graph that takes them one by one.
std::vector<Record> RecordsOf(const File& file, formats::ImportOptions options) {
  auto store = std::make_shared<plexus::testing::FakeStore>();
  const auto graph = Graph::Open(Snapshot(), store);
  options.limits.load_bytes = 0;
  EXPECT_TRUE(formats::ImportBytes(*graph, file.name, file.text, options));
  return store->Records();
}

std::vector<std::uint64_t> DigestsOf(const std::vector<Record>& records) {
  StateWriter writer(EmptyState());
  std::vector<std::uint64_t> digests = {DumpDigest(Snapshot(writer.Publish()))};
  for (const Record& record : records) {
    EXPECT_TRUE(writer.Apply(record));
    digests.push_back(DumpDigest(Snapshot(writer.Publish())));
  }
  return digests;
}

struct LoadOutcome {
  bool failed = false;
  bool imported = false;
};

LoadOutcome LoadWithFaults(const std::string& directory, const File& file,
                           formats::ImportOptions asked, TestHooks& hooks, bool bulk) {
  LoadOutcome outcome;
  OpenOptions options = Create();
  options.hooks = &hooks;
  auto db = Database::Open(directory, options);
  if (!db) return {true, false};
  if (bulk) {
    asked.before = [&] { return (*db)->BeginBulk(); };
    asked.after = [&] { return (*db)->EndBulk(); };
  }
  if (file.name.starts_with("stored")) {
    asked.limits.load_bytes = 1'000;
    asked.scratch_folder = directory;
  }
  const auto report = formats::ImportBytes((*db)->graph(), file.name, file.text, asked);
  outcome.imported = report.has_value();
  outcome.failed = !report;
  if (!(*db)->Close()) outcome.failed = true;
  return outcome;
}

class LoadFaults : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, LoadFaults, ::testing::Values("f.el", "f.csv", "stored.csv"),
                         [](const auto& format) {
                           const std::string name = format.param;
                           return name == "f.el"    ? "EdgeList"
                                  : name == "f.csv" ? "Table"
                                                    : "StoredTable";
                         });

TEST_P(LoadFaults, EveryWrite) {
  const File file = Written(GetParam(), Lines(400, 60));
  const formats::ImportOptions options = Options(20);
  const std::vector<std::uint64_t> expected = DigestsOf(RecordsOf(file, options));
  ASSERT_GT(expected.size(), 10u);
  for (const bool bulk : {true, false})
    for (const bool stay : {false, true}) {
      std::uint64_t total = 1;
      const std::uint64_t step = EnvNumber("PLEXUS_EVERY_FAULT", 0) ? 1 : 3;
      for (std::uint64_t n = 0; n <= total; n += n == 0 ? 1 : step) {  // 0: none fails
        ScratchDirectory scratch;
        Faults faults;
        faults.fail_at = n;
        faults.stay = faults.no_space = stay;
        TestHooks hooks;
        hooks.file_system = faults.Files();
        const LoadOutcome outcome = LoadWithFaults(scratch.path(), file, options, hooks, bulk);
        if (n == 0) {
          ASSERT_FALSE(outcome.failed);
          total = faults.operations;
        }
        ASSERT_TRUE(outcome.failed || n == 0 || !stay)
            << "write " << n << " failed and nobody said so";
        auto db = Database::Open(scratch.path(), Create());
        ASSERT_TRUE(db) << "write " << n << ": " << db.error().ToString();
        const Sequence found = (*db)->snapshot().sequence();
        ASSERT_LT(found, expected.size());
        if (outcome.imported) {
          ASSERT_EQ(found + 1, expected.size()) << "write " << n;
        }
        ASSERT_EQ(DumpDigest((*db)->snapshot()), expected[found]) << "write " << n;
      }
    }
}

// A copy of the directory at each point is what a kill there leaves.
void CrashEverywhere(const File& file, const formats::ImportOptions& options, bool bulk,
                     const std::function<void(Database&, Sequence)>& check, std::size_t records,
                     std::uint64_t bulk_file_bytes = 0) {
  ScratchDirectory scratch;
  std::vector<std::string> points;
  TestHooks hooks;
  hooks.bulk_file_bytes = bulk_file_bytes;
  std::size_t most_files = 0;  // of the log, that wait to be ingested
  hooks.at_point = [&](const char* point) {
    points.push_back(point);
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
      files += entry.path().string().find("/bulk.tmp/log") != std::string::npos &&
               entry.path().string().find("/copy") == std::string::npos;
    most_files = std::max(most_files, files);
    CopyTree(scratch.path(), scratch.path("copy" + std::to_string(points.size())));
  };
  ASSERT_FALSE(LoadWithFaults(scratch.path(), file, options, hooks, bulk).failed);
  if (bulk_file_bytes > 0) {
    const bool stored = file.name.starts_with("stored");  // records come one by one
    EXPECT_TRUE(stored ? most_files == 1 : most_files > 1) << most_files;
  }
  for (std::size_t i = 1; i <= points.size(); ++i) {
    SCOPED_TRACE(points[i - 1]);
    auto db = Database::Open(scratch.path("copy" + std::to_string(i)), Create());
    ASSERT_TRUE(db) << db.error().ToString();
    const Sequence found = (*db)->snapshot().sequence();
    if (bulk) {
      EXPECT_TRUE(found == 0 || found == records) << "one step, yet " << found;
    }
    check(**db, found);
    ExpectSound(**db);
  }
}

TEST_P(LoadFaults, EveryPoint) {
  const File file = Written(GetParam(), Lines(400, 60));
  const formats::ImportOptions options = Options(20);
  const std::vector<std::uint64_t> expected = DigestsOf(RecordsOf(file, options));
  for (const bool bulk : {true, false})
    CrashEverywhere(
        file, options, bulk,
        [&](Database& db, Sequence found) {
          ASSERT_EQ(DumpDigest(db.snapshot()), expected.at(found));
        },
        expected.size() - 1);
}

// Records of more than a file: several are written at once and ingested in one step.
TEST_P(LoadFaults, EveryPointOfSeveralFiles) {
  const File file = Written(GetParam(), Lines(20'000, 3'000));
  const formats::ImportOptions options = Options(700);
  const std::vector<Record> records = RecordsOf(file, options);
  CrashEverywhere(
      file, options, true,
      [&](Database& db, Sequence found) {
        std::uint64_t nodes = 0, edges = 0;
        for (Sequence s = 0; s < found; ++s) {
          nodes += records[s].node_kinds.size();
          for (const EdgeChange& e : records[s].edges) edges += e.is_new();
        }
        EXPECT_EQ(db.snapshot().node_count(), nodes);
        EXPECT_EQ(db.snapshot().CountEdges(EdgeKindId{}), edges);
      },
      records.size(), 2'000);
}

// Every state of the past, with the checkpoint, without it, and after a trim.
TEST_P(LoadFaults, HistoryIsThatOfTheBatches) {
  const File file = Written(GetParam(), Lines(400, 60));
  const formats::ImportOptions options = Options(20);
  const std::vector<std::uint64_t> expected = DigestsOf(RecordsOf(file, options));
  const Sequence last = expected.size() - 1;
  for (const bool bulk : {true, false}) {
    ScratchDirectory scratch;
    TestHooks hooks;
    ASSERT_FALSE(LoadWithFaults(scratch.path(), file, options, hooks, bulk).failed);
    auto db = MustOpen(scratch.path());
    EXPECT_EQ(DumpDigest(db->snapshot()), expected.back());
    for (Sequence s = 1; s <= last; ++s) {
      auto past = db->AsOf(s);
      ASSERT_TRUE(past) << past.error().ToString();
      EXPECT_EQ(DumpDigest(*past), expected[s]) << s;
    }
    PLEXUS_OK(db->Backup(scratch.path("backup")));
    PLEXUS_OK(db->Trim(last / 2));
    EXPECT_EQ(DumpDigest(*db->AsOf(last - 1)), expected[last - 1]);
    PLEXUS_OK(db->Close());
    auto backup = MustOpen(scratch.path("backup"));
    EXPECT_EQ(DumpDigest(*backup->AsOf(2)), expected[2]);
    PLEXUS_OK(backup->Purge({{"7"}}, options.now_ms + 1));
    ExpectSound(*backup);
  }
}

// The journal knows the records before readers do: the keeper must not look too early.
TEST(LoadKeeper, WritesACheckpointOfWhatWasLoaded) {
  ScratchDirectory scratch;
  OpenOptions options = Create();
  options.graph.maintenance = Maintenance::kBackground;
  options.checkpoint_log_bytes = 2000;
  auto db = MustOpen(scratch.path(), options);
  ASSERT_TRUE(formats::ImportBytes(db->graph(), "f.el", Lines(4000, 600), Options(20)));
  const Sequence last = db->snapshot().sequence();
  ASSERT_GT(last, 0u);
  while (db->stats().checkpoints.empty()) {
  }
  EXPECT_EQ(db->stats().checkpoints.back(), last);
  PLEXUS_OK(db->Close());
}

}  // namespace
}  // namespace plexus::storage_internal::testing
