// Columns that were built in after graphs had columns of their own of these names: such graphs
// open, keep their ids, names and types, and go on.
#include <memory>
#include <string>

#include "engine/vocabulary.h"
#include "record_generated.h"
#include "storage/database_impl.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/encoding/record_codec.h"
#include "storage/formats/import.h"
#include "tests/support/store_test_util.h"
#include "tests/support/text_support.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

// The record that a program of before wrote for a column of its own, and a node with a value.
Record OldRecord(const Column& column, std::uint64_t bits, std::string_view string = {}) {
  Record record;
  record.sequence = 1;
  record.time_ms = 1000;
  record.first_column = kFirstUserColumn;
  record.column_definitions = {column};
  record.first_node = 0;
  record.node_kinds = {kMemory.value()};
  record.key_bytes = "old";
  record.key_offsets = {0, 3};
  if (!string.empty()) {
    record.first_string = 1;
    record.string_bytes = string;
    record.string_offsets = {0, string.size()};
  }
  record.columns = {{0, kFirstUserColumn, 0, bits}};
  return record;
}

void OpensAndResolves(const Column& column, std::uint64_t bits, CheckpointOnClose checkpoint,
                      std::string_view string = {}) {
  ScratchDirectory scratch;
  OpenOptions options = Create();
  options.checkpoint_on_close = checkpoint;
  std::string dump;
  {
    auto db = MustOpen(scratch.path(), options);
    const Record record = OldRecord(column, bits, string);
    PLEXUS_OK(db->graph().Replay(std::span(&record, 1)));
    dump = Dump(db->snapshot());
    PLEXUS_OK(db->Close());
  }
  for (int round = 0; round < 2; ++round) {
    auto db = MustOpen(scratch.path(), options);
    const Snapshot s = db->snapshot();
    ASSERT_EQ(s.schema().FindColumn(column.name), ColumnId(kFirstUserColumn));
    EXPECT_EQ(s.schema().columns()[kFirstUserColumn], column);
    if (round == 0) {
      EXPECT_EQ(Dump(s), dump);
    }
    ExpectSound(*db);
    // By name it is the graph's own; the built-in one has no name here.
    WriteBatch batch(2000 + round);
    const NodeRef node = batch.UpsertNode("new" + std::to_string(round));
    if (column.type == ColumnType::kString)
      batch.SetString(node, batch.ColumnNamed(column.name), "infra");
    else
      batch.SetF64(node, batch.ColumnNamed(column.name), 0.5);
    PLEXUS_OK(db->graph().Apply(batch));
    const Snapshot now = db->snapshot();
    EXPECT_NE(now.column_bits(kFirstUserColumn, *now.Find("new" + std::to_string(round))),
              AbsentBits(column.type));
    PLEXUS_OK(db->Close());
  }
}

TEST(LaterColumns, AGraphWithAColumnOfThatNameOpens) {
  for (const auto when : {CheckpointOnClose::kAlways, CheckpointOnClose::kNever}) {
    OpensAndResolves({"category", ColumnType::kString}, 1, when, "infra");
    OpensAndResolves({"stakes", ColumnType::kF64}, 0x3FE0'0000'0000'0000, when);
    OpensAndResolves({"confidence", ColumnType::kF64}, 0x3FE0'0000'0000'0000, when);
  }
}

TEST(LaterColumns, TheOneToReadIsFoundByTheBuiltIn) {
  const Schema now;
  EXPECT_EQ(now.ColumnFor(kCategory), kCategory);
  Schema old;
  ASSERT_TRUE(old.Restore({"category", ColumnType::kString}));
  ASSERT_TRUE(old.Restore({"stakes", ColumnType::kF64}));
  EXPECT_EQ(old.ColumnFor(kCategory), ColumnId(kFirstUserColumn));
  EXPECT_EQ(old.ColumnFor(kStakes), std::nullopt) << "it has numbers, not texts";
  EXPECT_EQ(old.ColumnFor(kMemoryType), kMemoryType);
  EXPECT_EQ(old.columns()[kCategory].name, "");
}

// The same definition again is the built-in one; another type takes the name while it is free.
TEST(LaterColumns, DefinitionsOfToday) {
  const auto graph = Graph::InMemory();
  WriteBatch same(1);
  same.DefineColumn({"category", ColumnType::kString});
  same.SetString(same.UpsertNode("a"), same.ColumnNamed("category"), "infra");
  ASSERT_TRUE(graph->Apply(same));
  Snapshot s = graph->snapshot();
  EXPECT_EQ(s.schema().columns().size(), kFirstUserColumn);
  EXPECT_EQ(s.string(*s.string_column(kCategory, 0)), "infra");
  WriteBatch other(2);
  other.DefineColumn({"stakes", ColumnType::kF64});
  other.SetF64(other.Node("a"), other.ColumnNamed("stakes"), 2);
  ASSERT_TRUE(graph->Apply(other));
  s = graph->snapshot();
  EXPECT_EQ(s.f64(*s.schema().FindColumn("stakes"), 0), 2);
  WriteBatch used(3);
  used.DefineColumn({"category", ColumnType::kF64});
  EXPECT_TRUE(FailsWith(graph->Apply(used), ErrorCode::kAlreadyExists));
}

TEST(LaterColumns, RecordsWithSuchValuesCarryTheirVersion) {
  Record record;
  record.sequence = 1;
  record.node_kinds = {kMemory.value()};
  record.key_bytes = "a";
  record.key_offsets = {0, 1};
  const auto version_of = [&](ColumnId column) {
    record.columns = {{0, column, 0, 0}};
    RecordEncoder encoder;
    EXPECT_TRUE(encoder.Encode(record));
    encoder.Seal(0);
    EXPECT_TRUE(DecodeRecord(AsBytes(encoder.bytes()), "a record"));
    return fb::GetRecord(encoder.bytes().data())->format_version();
  };
  EXPECT_EQ(version_of(kTrust), 1);
  EXPECT_EQ(version_of(kConfidence), 3);
  EXPECT_EQ(version_of(kFirstUserColumn), 1);
}

// JSON lines: a node's outcome is a column; a record with "outcome" alone is an outcome.
TEST(LaterColumns, InJsonLinesAndTables) {
  const auto graph = Graph::InMemory();
  const std::string lines =
      R"({"node":"d1","kind":"decision","category":"infra","outcome":"success","confidence":0.5})"
      "\n"
      R"({"event":"e1","confidence":0.25,"created_at":1,"members":[{"id":"d1","role":"primary"}]})"
      "\n"
      R"({"outcome":"e1","type":"helpful","labeled_at":2})"
      "\n";
  formats::ImportOptions options;
  options.now_ms = 1000;
  auto report = Must(formats::ImportBytes(*graph, "f.jsonl", lines, options));
  ASSERT_EQ(report.errors, 0u) << report.kept_errors[0].ToString();
  const Snapshot s = graph->snapshot();
  const NodeId d1 = *s.Find("d1");
  EXPECT_EQ(s.string(*s.string_column(kDecisionOutcome, d1)), "success");
  EXPECT_EQ(s.string(*s.string_column(kCategory, d1)), "infra");
  EXPECT_EQ(s.f64(kConfidence, d1), 0.5);
  EXPECT_FALSE(s.f64(kConfidence, *s.Find(IndexKey("event", "e1")))) << "of an event: its props";
  const std::string first = formats::internal::JsonLines(s);
  const auto copy = Graph::InMemory();
  PLEXUS_OK(formats::ImportBytes(*copy, "g.jsonl", first, options));
  EXPECT_EQ(formats::internal::JsonLines(copy->snapshot()), first);
  // A word where numbers stand now stays the property that it was.
  const auto table = Graph::InMemory();
  PLEXUS_OK(formats::ImportBytes(*table, "t.csv", "key,confidence,category\na,high,ui\nb,0.5,\n",
                                 options));
  const Snapshot t = table->snapshot();
  EXPECT_TRUE(t.payload_ref(*t.Find("a"), NodeField::kProperties));
  EXPECT_FALSE(t.payload_ref(*t.Find("b"), NodeField::kProperties));
  EXPECT_EQ(t.f64(kConfidence, *t.Find("b")), 0.5);
  EXPECT_EQ(t.string(*t.string_column(kCategory, *t.Find("a"))), "ui");
}

}  // namespace
}  // namespace plexus::storage_internal::testing
