// What the host is told: of each kind of maintenance that it began and ended, without a lock held;
// and what a metrics system reads.
#include <gtest/gtest.h>

#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "storage/database.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal {
using namespace builtin;
namespace {

using testing::ScratchDirectory;

struct Told {
  std::mutex mutex;
  std::vector<std::string> events;
  LogCallback Callback() {
    return [this](const LogEntry& entry) {
      const std::lock_guard guard(mutex);
      events.emplace_back(entry.event);
      EXPECT_FALSE(entry.message.empty()) << entry.event;
      EXPECT_EQ(entry.ToString().find(LogLevelName(entry.level)), 0u);
    };
  }
  std::vector<std::string> Take() {
    const std::lock_guard guard(mutex);
    return std::exchange(events, {});
  }
};

WriteBatch SomeBatch(int number) {
  WriteBatch batch(1000 * number);
  const NodeRef hub = batch.UpsertNode("hub", NameRef(kMemory));
  for (int i = 0; i < 10; ++i)
    batch.Link(
        hub, kSupports,
        batch.UpsertNode(std::to_string(number) + "/" + std::to_string(i), NameRef(kMemory)));
  return batch;
}

using Events = std::vector<std::string>;

TEST(Log, TellsOfEachKindOfWork) {
  ScratchDirectory scratch;
  Told told;
  OpenOptions options;
  options.create = true;
  options.graph.maintenance = Maintenance::kManual;
  options.graph.on_log = told.Callback();
  auto opened = Database::Open(scratch.path("db"), options);
  ASSERT_TRUE(opened) << opened.error().message;
  Database& database = **opened;
  EXPECT_EQ(told.Take(), Events{"open.ended"});
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(database.graph().Apply(SomeBatch(i)));
  EXPECT_EQ(told.Take(), Events{});
  ASSERT_TRUE(database.graph().Compact());
  EXPECT_EQ(told.Take(), (Events{"compaction.began", "compaction.ended", "packing.ended"}));
  ASSERT_TRUE(database.Checkpoint());
  EXPECT_EQ(told.Take(), (Events{"checkpoint.began", "checkpoint.ended"}));
  ASSERT_TRUE(database.Backup(scratch.path("copy")));
  EXPECT_EQ(told.Take(), (Events{"backup.began", "backup.ended"}));
  ASSERT_FALSE(database.Backup(scratch.path("copy")));
  EXPECT_EQ(told.Take(), (Events{"backup.began", "backup.failed"}));
  ASSERT_TRUE(database.Trim(2));
  EXPECT_EQ(told.Take(), (Events{"trim.began", "trim.ended"}));
  const std::string_view key = "1/3";
  ASSERT_TRUE(database.Purge({&key, 1}, 9000));
  EXPECT_EQ(told.Take(), (Events{"purge.began", "scrub.began", "scrub.ended", "purge.ended"}));
  const NodeId node = *database.snapshot().Find("2/3");
  ASSERT_TRUE(database.HardPurge({&node, 1}));
  EXPECT_EQ(told.Take(), (Events{"hard_purge.began", "hard_purge.ended"}));

  options.read_only = true;
  options.create = false;
  auto view = Database::Open(scratch.path("db"), options);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(told.Take(), Events{"open.ended"});
  ASSERT_TRUE(database.graph().Apply(SomeBatch(9)));
  ASSERT_TRUE((*view)->Refresh());
  EXPECT_EQ(told.Take(), Events{});
  const NodeId other = *database.snapshot().Find("2/4");
  ASSERT_TRUE(database.HardPurge({&other, 1}));
  (void)told.Take();
  ASSERT_TRUE((*view)->Refresh());
  EXPECT_EQ(told.Take(), (Events{"open.ended", "refresh.reopened"}));
  ASSERT_TRUE(database.Close());
  EXPECT_EQ(told.Take(), (Events{"close.began", "close.ended"}));
  ASSERT_TRUE(database.Close());
  EXPECT_EQ(told.Take(), Events{});
}

// The callback may ask what needs no answer of the one who waits: no lock is held.
TEST(Log, HoldsNoLock) {
  ScratchDirectory scratch;
  Database* asked = nullptr;
  int calls = 0;
  OpenOptions options;
  options.create = true;
  options.graph.maintenance = Maintenance::kManual;
  options.graph.delta_hard_arcs = 1;
  options.graph.on_log = [&](const LogEntry&) {
    if (!asked) return;
    (void)asked->graph().stats();  // takes the writer's lock
    (void)asked->stats();
    ++calls;
  };
  auto opened = Database::Open(scratch.path("db"), options);
  ASSERT_TRUE(opened);
  asked = opened->get();
  for (int i = 1; i <= 4; ++i) ASSERT_TRUE(asked->graph().Apply(SomeBatch(i)));
  EXPECT_GT(asked->graph().stats().stalls, 0u);
  EXPECT_GE(calls, 3);  // began, ended, stall
  const int before = calls;
  ASSERT_TRUE(asked->Checkpoint());
  EXPECT_EQ(calls, before + 2);
  asked = nullptr;
}

TEST(Log, WhatACallbackThrowsIsDropped) {
  GraphOptions options;
  options.on_log = [](const LogEntry&) { throw std::runtime_error("no"); };
  const auto graph = Graph::InMemory(options);
  ASSERT_TRUE(graph->Apply(SomeBatch(1)));
  EXPECT_TRUE(graph->Compact());
}

double Value(const std::vector<metrics::MetricRow>& rows, std::string_view name,
             std::string_view label = {}) {
  double sum = 0;
  bool found = false;
  for (const metrics::MetricRow& row : rows)
    if (row.name == name &&
        (label.empty() || (!row.labels.empty() && row.labels[0].second == label)))
      sum += row.value, found = true;
  EXPECT_TRUE(found) << name << " " << label;
  return sum;
}

TEST(Metrics, AreWhatTheStatsSay) {
  ScratchDirectory scratch;
  OpenOptions options;
  options.create = true;
  options.graph.maintenance = Maintenance::kManual;
  auto opened = Database::Open(scratch.path("db"), options);
  ASSERT_TRUE(opened);
  Database& database = **opened;
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(database.graph().Apply(SomeBatch(i)));
  auto rows = metrics::DatabaseMetrics(database);
  ASSERT_TRUE(rows);
  EXPECT_EQ(Value(*rows, "plexus_batches_total"), 3);
  EXPECT_EQ(Value(*rows, "plexus_sequence"), 3);
  EXPECT_EQ(Value(*rows, "plexus_time_seconds"), 3);
  EXPECT_EQ(Value(*rows, "plexus_nodes", "memory"), 31);
  EXPECT_EQ(Value(*rows, "plexus_edges", "supports"), 30);
  EXPECT_EQ(Value(*rows, "plexus_delta_arcs"), 30);
  EXPECT_EQ(Value(*rows, "plexus_compactions_total"), 0);
  EXPECT_GT(Value(*rows, "plexus_memory_bytes", "keys"), 0);
  EXPECT_GT(Value(*rows, "plexus_disk_bytes"), 0);
  EXPECT_EQ(Value(*rows, "plexus_checkpoints"), 0);
  ASSERT_TRUE(database.graph().Compact());
  ASSERT_TRUE(database.Checkpoint());
  rows = metrics::DatabaseMetrics(database);
  ASSERT_TRUE(rows);
  EXPECT_EQ(Value(*rows, "plexus_compactions_total"), 1);
  EXPECT_EQ(Value(*rows, "plexus_base_arcs"), 30);
  EXPECT_EQ(Value(*rows, "plexus_delta_arcs"), 0);
  EXPECT_EQ(Value(*rows, "plexus_checkpoint_sequence"), 3);
  EXPECT_EQ(Value(*rows, "plexus_synced_sequence"), 3);
}

TEST(Metrics, AsOpenMetrics) {
  const std::vector<metrics::MetricRow> rows = {
      {"plexus_a_total", "Says \"a\\b\".", metrics::MetricType::kCounter, {}, 12},
      {"plexus_b", "Two rows.", metrics::MetricType::kGauge, {{"kind", "x\"\\\n"}}, 0.25},
      {"plexus_b",
       "Two rows.",
       metrics::MetricType::kGauge,
       {{"kind", "y"}, {"plane", "fact"}},
       -1},
  };
  std::ostringstream out;
  ASSERT_TRUE(metrics::WriteOpenMetrics(rows, out));
  EXPECT_EQ(
      out.str(),
      "# HELP plexus_a Says \\\"a\\\\b\\\".\n# TYPE plexus_a counter\nplexus_a_total 12\n"
      "# HELP plexus_b Two rows.\n# TYPE plexus_b gauge\n"
      "plexus_b{kind=\"x\\\"\\\\\\n\"} 0.25\nplexus_b{kind=\"y\",plane=\"fact\"} -1\n# EOF\n");
  const std::vector<metrics::MetricRow> apart = {rows[1], rows[0], rows[2]};
  EXPECT_EQ(metrics::WriteOpenMetrics(apart, out).error().code, ErrorCode::kInvalidArgument);
  std::ostringstream broken;
  broken.setstate(std::ios::badbit);
  EXPECT_EQ(metrics::WriteOpenMetrics(rows, broken).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace plexus::storage_internal
