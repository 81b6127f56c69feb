// StateWriter::Apply trusts nothing: every value of a record that does not fit is
// kCorruption, before an array is touched by it.
#include "engine/writer/state_writer.h"

#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/fails_with.h"
#include "tests/support/property_map.h"
#include "tests/support/vector_values.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

// A first record and a second one that uses every part of Record.
struct TwoRecords {
  TwoRecords() {
    WriterHarness live;
    EXPECT_TRUE(live.Do([](WriteBatch& b) {
      for (const char* key : {"a", "b", "c", "d"}) b.UpsertNode(key, kMemory);
      b.Link(b.Node("a"), kLink, b.Node("b"));
      b.Link(b.Node("a"), kLink, b.Node("c"));
    }));
    first = live.record;
    EXPECT_TRUE(live.Do(
        [](WriteBatch& b) {
          b.DefineNodeKind({"robot", Plane::kFact});
          b.DefineEdgeKind({.name = "likes", .inverse = "liked_by"});
          b.DefineColumn({"stakes", ColumnType::kF64});
          b.DefineColumn({"place", ColumnType::kString});
          b.DefineSpace({"s", 2, Metric::kL2});
          NodeRef e = b.UpsertNode("e", b.NodeKindNamed("robot"));
          NodeRef f = b.UpsertNode("f");
          b.SetF64(e, b.ColumnNamed("stakes"), 0.5);
          b.SetI64(e, kAccessCount, 5);
          b.SetString(f, b.ColumnNamed("place"), "home");
          b.SetPayload(e, NodeField::kText, "text");
          b.SetVector(e, b.SpaceNamed("s"), std::vector<float>{1, 2});
          b.UpsertNode("b", kConcept);
          b.RemoveNode(b.Node("c"));
          b.Link(b.Node("a"), kContradicts, b.Node("b"), 0.5f);
          b.Link({.source = b.Node("a"),
                  .target = e,
                  .kind = b.EdgeKindNamed("likes"),
                  .label = "label",
                  .created_by = "me",
                  .valid_from = 3});
        },
        2000));
    second = live.record;
    good = Dump(live.snapshot());
  }
  Record first, second;
  std::string good;
};

TEST(StateWriter, TheGoodRecordApplies) {
  TwoRecords records;
  StateWriter writer(EmptyState());
  EXPECT_EQ(writer.sequence(), 0u);
  ASSERT_TRUE(writer.Apply(records.first));
  ASSERT_TRUE(writer.Apply(records.second));
  EXPECT_EQ(writer.sequence(), 2u);
  EXPECT_GT(writer.delta_arcs(), 0u);
  Snapshot s(writer.Publish());
  EXPECT_EQ(writer.Publish(), s.shared_state()) << "nothing changed: the same state";
  EXPECT_EQ(testing::VectorOf(*s.space(SpaceId{}), *s.Find("e"))[1], 2.0f)
      << "from the record's own payloads";
}

TEST(StateWriter, EveryBadValueIsCorruption) {
  TwoRecords records;
  ASSERT_EQ(records.second.node_kinds.size(), 2u);
  ASSERT_EQ(records.second.edges.size(), 3u);
  ASSERT_EQ(records.second.edge_extras.size(), 1u);
  ASSERT_FALSE(records.second.node_changes.empty());
  const std::uint64_t nan = std::bit_cast<std::uint64_t>(std::nan(""));
  struct Bad {
    const char* what;
    std::function<void(Record&)> spoil;
  };
  auto column = [](Record& r, ColumnType type) -> ColumnChange& {
    for (ColumnChange& c : r.columns) {
      const bool is = type == ColumnType::kI64   ? c.column == kAccessCount
                      : type == ColumnType::kF64 ? c.column == kFirstUserColumn
                                                 : c.column == kFirstUserColumn.value() + 1;
      if (is) return c;
    }
    ADD_FAILURE() << "no such column";
    return r.columns[0];
  };
  auto last_edge = [](Record& r) -> EdgeChange& { return r.edges.back(); };
  const std::vector<Bad> bad = {
      {"sequence repeats", [](Record& r) { r.sequence = 1; }},
      {"sequence skips", [](Record& r) { r.sequence = 3; }},
      {"time runs backward", [](Record& r) { r.time_ms = 999; }},
      {"node kinds skip", [](Record& r) { ++r.first_node_kind; }},
      {"edge kinds skip", [](Record& r) { ++r.first_edge_kind; }},
      {"columns skip", [](Record& r) { ++r.first_column; }},
      {"spaces skip", [](Record& r) { ++r.first_space; }},
      {"a kind defined twice", [](Record& r) { r.node_kind_definitions[0].name = "memory"; }},
      {"a kind without a name", [](Record& r) { r.edge_kind_definitions[0].name = ""; }},
      {"an inverse that exists",
       [](Record& r) { r.edge_kind_definitions[0].inverse = "supports"; }},
      {"a space of no dimensions", [](Record& r) { r.space_definitions[0].dimensions = 0; }},
      {"strings skip", [](Record& r) { ++r.first_string; }},
      {"string offsets too few", [](Record& r) { r.string_offsets.pop_back(); }},
      {"string offsets past the end", [](Record& r) { ++r.string_offsets.back(); }},
      {"string offsets fall",
       [](Record& r) { std::swap(r.string_offsets[1], r.string_offsets[2]); }},
      {"first string offset", [](Record& r) { r.string_offsets[0] = 1; }},
      {"a string twice",
       [](Record& r) {
         r.string_bytes.replace(0, r.string_offsets[1], "");
         r.string_offsets.assign(2, 0);
       }},
      {"nodes skip", [](Record& r) { ++r.first_node; }},
      {"more kinds than keys", [](Record& r) { r.node_kinds.push_back(0); }},
      {"fewer kinds than keys", [](Record& r) { r.node_kinds.pop_back(); }},
      {"key offsets past the end", [](Record& r) { r.key_offsets.back() += 5; }},
      {"key offsets fall", [](Record& r) { r.key_offsets[1] = 100; }},
      {"an empty key", [](Record& r) { r.key_offsets[1] = 0; }},
      {"a known key", [](Record& r) { r.key_bytes[0] = 'a'; }},
      {"a key twice", [](Record& r) { r.key_bytes = "ee"; }},
      {"a key with NUL", [](Record& r) { r.key_bytes[0] = '\0'; }},
      {"a key not UTF-8", [](Record& r) { r.key_bytes[0] = '\xff'; }},
      {"a node of a reserved kind", [](Record& r) { r.node_kinds[0] = 20; }},
      {"a node of an unknown kind", [](Record& r) { r.node_kinds[0] = 5000; }},
      {"an index kind without its key", [](Record& r) { r.node_kinds[0] = kTag; }},
      {"a node change out of range", [](Record& r) { r.node_changes[0].node = 6; }},
      {"a node change of no sort", [](Record& r) { r.node_changes[0].what = 4; }},
      {"a node changes to no kind",
       [](Record& r) { r.node_changes[0] = {1, NodeChange::kSetKind, 5000}; }},
      {"source out of range", [&](Record& r) { last_edge(r).source = 6; }},
      {"target out of range", [&](Record& r) { last_edge(r).target = kNoNode; }},
      {"edge of a reserved kind", [&](Record& r) { last_edge(r).kind = EdgeKindId{50}; }},
      {"edge of an unknown kind", [&](Record& r) { last_edge(r).kind = EdgeKindId{5000}; }},
      {"unknown label", [&](Record& r) { last_edge(r).label = 1000; }},
      {"weight nan", [&](Record& r) { last_edge(r).weight = std::nanf(""); }},
      {"weight infinite", [&](Record& r) { last_edge(r).weight = HUGE_VALF; }},
      {"weight negative", [&](Record& r) { last_edge(r).weight = -1; }},
      {"edges out of order", [](Record& r) { std::swap(r.edges[0], r.edges[1]); }},
      {"an edge twice", [](Record& r) { r.edges[1] = r.edges[0]; }},
      {"symmetric, larger first",
       [](Record& r) { std::swap(r.edges[1].source, r.edges[1].target); }},
      {"attributes of no edge", [](Record& r) { r.edge_extras[0].index = 77; }},
      {"attributes missing", [](Record& r) { r.edge_extras.clear(); }},
      {"attributes without the flag",
       [](Record& r) {
         r.edges.back().flags &= static_cast<std::uint16_t>(~EdgeChange::kHasExtra);
       }},
      {"created_by unknown", [](Record& r) { r.edge_extras[0].created_by = 1000; }},
      {"removes an edge kind that has none",
       [](Record& r) {
         EdgeChange gone;
         gone.source = 5, gone.target = 5, gone.kind = kEvokes, gone.flags = EdgeChange::kTombstone,
         gone.weight = 0;
         r.edges.push_back(gone);
       }},
      {"column of no node", [&](Record& r) { r.columns.back().node = 6; }},
      {"column of no number", [&](Record& r) { r.columns.back().column = ColumnId{5000}; }},
      {"reserved column", [&](Record& r) { r.columns = {{0, ColumnId{20}, 0, 0}}; }},
      {"columns out of order", [](Record& r) { std::swap(r.columns[0], r.columns[1]); }},
      {"a column twice", [](Record& r) { r.columns[1] = r.columns[0]; }},
      {"f64 nan", [&](Record& r) { column(r, ColumnType::kF64).bits = nan; }},
      {"f64 absent", [&](Record& r) { column(r, ColumnType::kF64).bits = kAbsentF64; }},
      {"i64 absent", [&](Record& r) { column(r, ColumnType::kI64).bits = kAbsentI64; }},
      {"string unknown", [&](Record& r) { column(r, ColumnType::kString).bits = 1000; }},
      {"payload of no node", [](Record& r) { r.payload_changes[0].node = 6; }},
      {"payload of no field", [](Record& r) { r.payload_changes[0].field = 2; }},
      {"vector of no node", [](Record& r) { r.vectors[0].node = 6; }},
      {"vector of no space", [](Record& r) { r.vectors[0].space = 1; }},
      {"vector of the wrong size",
       [](Record& r) { r.payloads[r.vectors[0].ref.ordinal()].bytes += "1234"; }},
      {"vector not finite",
       [](Record& r) {
         const float inf = HUGE_VALF;
         r.payloads[r.vectors[0].ref.ordinal()].bytes.replace(
             0, 4, reinterpret_cast<const char*>(&inf), 4);
       }},
  };
  for (const Bad& b : bad) {
    SCOPED_TRACE(b.what);
    StateWriter writer(EmptyState());
    ASSERT_TRUE(writer.Apply(records.first));
    Snapshot before(writer.Publish());
    const std::string text = Dump(before);
    Record record = records.second;
    b.spoil(record);
    auto applied = writer.Apply(record);
    EXPECT_FALSE(applied);
    if (!applied) {
      EXPECT_TRUE(FailsWith(applied, ErrorCode::kCorruption, "record "));
    }
    EXPECT_TRUE(SameText(text, Dump(before))) << "a published snapshot saw the damage";
  }
}

// A record whose every field is random must never crash the writer.
TEST(StateWriter, RandomDamageNeverCrashes) {
  TwoRecords records;
  std::mt19937_64 rng(9);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    Record r = records.second;
    auto spoil = [&](auto& items) {
      if (items.empty()) return;
      auto* bytes = reinterpret_cast<unsigned char*>(items.data());
      bytes[rng() % (items.size() * sizeof(items[0]))] ^=
          static_cast<unsigned char>(1u << rng() % 8);
    };
    for (std::uint64_t n = 1 + rng() % 3; n > 0; --n) {
      const std::function<void()> spoilers[] = {
          [&] { spoil(r.string_offsets); }, [&] { spoil(r.key_offsets); },
          [&] { spoil(r.node_kinds); },     [&] { spoil(r.node_changes); },
          [&] { spoil(r.edges); },          [&] { spoil(r.edge_extras); },
          [&] { spoil(r.columns); },        [&] { spoil(r.payload_changes); },
          [&] { spoil(r.vectors); }};
      spoilers[rng() % std::size(spoilers)]();
    }
    StateWriter writer(EmptyState());
    ASSERT_TRUE(writer.Apply(records.first));
    if (!writer.Apply(r)) {
      ++refused;
      continue;
    }
    Snapshot s(writer.Publish());
    ASSERT_FALSE(Dump(s).empty());  // whatever was accepted can be read
  }
  EXPECT_GT(refused, 10'000);
}

// A vector whose bytes were purged since is simply not there.
TEST(StateWriter, PurgedVectorsAreAbsentAfterReplay) {
  TwoRecords records;
  StateWriter writer(EmptyState());
  ASSERT_TRUE(writer.Apply(records.first));
  Record record = records.second;
  record.payloads.clear();
  ASSERT_TRUE(writer.Apply(record));
  Snapshot s(writer.Publish());
  EXPECT_FALSE(s.space(SpaceId{})->has(*s.Find("e")));
}

// The schedule of run merging: never more than kMaxRuns, and an arc is merged no more
// often than the binomial bound says, also after a batch much larger than the rest.
TEST(StateWriter, RunsStayFewAndAreMergedSeldom) {
  for (const bool one_giant : {false, true}) {
    StateWriter writer(EmptyState());
    std::uint64_t merged_arcs = 0;  // arcs of runs that came from merges
    for (int i = 0; i < 1286; ++i) {
      WriteBatch b(1000 + i);
      const int edges = one_giant && i == 3 ? 20'000 : 1;
      for (int e = 0; e < edges; ++e)
        b.Link(b.Node("a" + std::to_string(i)), kLink, b.Node("b" + std::to_string(e)));
      ApplyReport report;
      auto record = writer.Resolve(b, &report);
      ASSERT_TRUE(record);
      ASSERT_TRUE(writer.Apply(*record));
      const auto state = writer.Publish();
      ASSERT_LE(state->runs.size(), engine_internal::kMaxRuns);
      for (const auto& run : state->runs) {
        ASSERT_TRUE(one_giant || run->depth <= 5u) << run->depth;
        ASSERT_EQ(run->last - run->first + 1 > 1, run->depth > 0);
      }
      if (const auto& last = state->runs.back(); last->depth > 0) merged_arcs += last->arc_count();
    }
    EXPECT_LE(merged_arcs, one_giant ? 200'000u : 1286u * 5);
    EXPECT_EQ(writer.delta_arcs(), one_giant ? 1285u + 20'000u : 1286u);
  }
}

// One state continued twice: neither disturbs the other, nor the state.
TEST(StateWriter, AStateMayBeContinuedTwice) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](WriteBatch& b) {
    b.DefineSpace({"s", 3, Metric::kL2});
    for (int i = 0; i < 50; ++i) {
      NodeRef n = b.UpsertNode("n" + std::to_string(i));
      b.SetF64(n, kStability, i);
      b.SetVector(n, b.SpaceNamed("s"), std::vector<float>(3, static_cast<float>(i)));
      b.Link(n, kLink, b.Node("n0"));
    }
  }));
  Snapshot middle = live.snapshot();
  const std::string text = Dump(middle);
  StateWriter left(middle.state()), right(middle.state());
  for (int round = 0; round < 30; ++round) {
    int side = 0;
    for (StateWriter* writer : {&left, &right}) {
      WriteBatch b(2000);
      const std::string name = (side ? "right" : "left") + std::to_string(round);
      NodeRef n = b.UpsertNode(name);
      b.SetF64(n, kStability, side);
      b.SetF64(b.Node("n3"), kStability, 100 + side);
      b.SetVector(n, b.SpaceNamed("s"),
                  std::vector<float>(3, static_cast<float>(1000 * side + round)));
      b.SetString(n, kScope, name);
      b.Link(n, kLink, b.Node("n0"), static_cast<float>(side));
      auto record = writer->Resolve(b, nullptr);
      ASSERT_TRUE(record);
      ASSERT_TRUE(writer->Apply(*record));
      ++side;
    }
  }
  int side = 0;
  for (StateWriter* writer : {&left, &right}) {
    Snapshot s(writer->Publish());
    for (int round = 0; round < 30; ++round) {
      const std::string name = (side ? "right" : "left") + std::to_string(round);
      NodeId id = *s.Find(name);
      EXPECT_EQ(s.scope(id), name);
      EXPECT_EQ(s.f64(kStability, id), side);
      EXPECT_EQ(testing::VectorOf(*s.space(SpaceId{}), id)[0],
                static_cast<float>(1000 * side + round));
      EXPECT_FALSE(s.Find((side ? "left" : "right") + std::to_string(round)));
    }
    EXPECT_EQ(s.f64(kStability, 3), 100 + side);
    ++side;
  }
  EXPECT_TRUE(SameText(text, Dump(middle)));
}

}  // namespace
}  // namespace plexus
