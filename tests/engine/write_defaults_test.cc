// What a host leaves out, and what is refused: the time of a batch, the weight of a link, the mode
// of maintenance; links to removed nodes, times and trust out of range.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus {
using namespace builtin;
namespace {

void Do(Graph& graph, auto&& fill) {
  WriteBatch batch(1000);
  fill(batch);
  const auto report = graph.Apply(batch);
  ASSERT_TRUE(report) << report.error().ToString();
}

// The message of the refusal; "" when the batch was applied.
std::string Refusal(Graph& graph, auto&& fill) {
  WriteBatch batch(1000);
  fill(batch);
  const Sequence before = graph.snapshot().sequence();
  const auto report = graph.Apply(batch);
  if (report) return "";
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(graph.snapshot().sequence(), before);
  return report.error().message;
}

bool Says(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

// It was in the background for databases and manual for all other ways to make the options.
TEST(WriteDefaults, MaintenanceIsInTheBackgroundHoweverOptionsAreMade) {
  EXPECT_EQ(GraphOptions().maintenance, Maintenance::kBackground);
  const GraphOptions named{.max_ahead_ms = 1};
  EXPECT_EQ(named.maintenance, Maintenance::kBackground);
  EXPECT_EQ(Graph::InMemory()->options().maintenance, Maintenance::kBackground);
}

// A batch without a time was of 1970, also beside a clock.
TEST(WriteDefaults, ABatchWithoutATimeTakesTheClocks) {
  GraphOptions options;
  options.now_ms = [] { return std::int64_t{5000}; };
  const auto graph = Graph::InMemory(options);
  WriteBatch batch;
  const NodeRef a = batch.UpsertNode("a"), b = batch.UpsertNode("b");
  batch.Link(a, kSupports, b);
  EXPECT_EQ(batch.time_ms(), kNoTime);
  const auto report = graph->Apply(batch);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->time_ms, 5000);
  EXPECT_FALSE(report->time_moved);
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(s.time_ms(), 5000);
  EXPECT_EQ(s.i64(kCreatedAt, *s.Find("a")), 5000);
  EXPECT_EQ(s.FindEdge(0, kSupports, 1)->created_at, 5000);
  // A time of 0 is one: it moves to the graph's, as before.
  WriteBatch zero(0);
  zero.UpsertNode("c");
  EXPECT_TRUE(graph->Apply(zero)->time_moved);
  // Preview says the same.
  WriteBatch next;
  next.UpsertNode("d");
  const auto preview = Preview(s, next, {.now_ms = 6000});
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->report.time_ms, 6000);
}

TEST(WriteDefaults, WithoutAClockItIsTheGraphsLastTime) {
  const auto graph = Graph::InMemory();
  WriteBatch first;
  first.UpsertNode("a");
  EXPECT_EQ(graph->Apply(first)->time_ms, 0);
  Do(*graph, [](WriteBatch& b) { b.UpsertNode("b"); });
  WriteBatch batch;
  batch.UpsertNode("c");
  const auto report = graph->Apply(batch);
  EXPECT_EQ(report->time_ms, 1000);
  EXPECT_FALSE(report->time_moved);
}

// Link without a weight set it to 1.
TEST(WriteDefaults, ALinkWithoutAWeightKeepsTheStoredOne) {
  const auto graph = Graph::InMemory();
  const auto weight = [&] { return graph->snapshot().FindEdge(0, kLink, 1)->weight; };
  const auto link = [&](std::optional<float> w) {
    Do(*graph, [&](WriteBatch& b) { b.Link(b.Node("a"), kLink, b.Node("b"), w); });
  };
  Do(*graph, [](WriteBatch& b) {
    b.UpsertNode("a");
    b.UpsertNode("b");
  });
  link({});
  EXPECT_EQ(weight(), 1);
  link(0.25f);
  link({});
  EXPECT_EQ(weight(), 0.25f);
  Do(*graph, [](WriteBatch& b) { b.Link(b.Node("a"), kLink, b.Node("b")); });
  EXPECT_EQ(weight(), 0.25f);
  link(0);
  EXPECT_EQ(weight(), 0);
}

// A memory that somebody deleted came back empty when anything was linked to it.
TEST(WriteDefaults, ALinkDoesNotReviveWhatWasRemoved) {
  for (const bool purge : {false, true}) {
    const auto graph = Graph::InMemory();
    Do(*graph, [](WriteBatch& b) {
      b.UpsertNode("a");
      b.Link(b.Node("a"), kSupports, b.UpsertNode("b"));
      b.Link(b.Node("a"), kHasTag, b.IndexNode(kTag, "t"));
    });
    Do(*graph, [&](WriteBatch& b) {
      if (purge)
        b.PurgeNode(b.Node("b"));
      else
        b.RemoveNode(b.Node("b"));
      b.RemoveNode(b.IndexNode(kTag, "t"));
    });
    const auto link = [](WriteBatch& b) { b.Link(b.Node("a"), kSupports, b.Node("b")); };
    const auto back = [](WriteBatch& b) { b.Link(NodeRef::Id(1), kSupports, NodeRef::Id(0)); };
    EXPECT_TRUE(Says(Refusal(*graph, link), "node 'b' was removed"));
    EXPECT_TRUE(Says(Refusal(*graph, back), "node 'b' was removed"));
    EXPECT_FALSE(graph->snapshot().FindAlive("b"));
    // Removed by the batch itself.
    EXPECT_TRUE(Says(Refusal(*graph,
                             [](WriteBatch& b) {
                               b.RemoveNode(b.Node("a"));
                               b.Link(b.Node("a"), kSupports, b.Node("new"));
                             }),
                     "node 'a' was removed"));
    Do(*graph, [](WriteBatch& b) { b.Link(b.Node("a"), kHasTag, b.IndexNode(kTag, "t")); });
    EXPECT_TRUE(graph->snapshot().alive(2)) << "an index node holds nothing of its own";
    Do(*graph, [&](WriteBatch& b) { b.Unlink(b.Node("a"), kSupports, b.Node("b")); });
    Do(*graph, [&](WriteBatch& b) {
      b.UpsertNode("b");
      link(b);
    });
    EXPECT_TRUE(graph->snapshot().FindAlive("b"));
    Do(*graph, [](WriteBatch& b) { b.RemoveNode(b.Node("b")); });
    Do(*graph, [&](WriteBatch& b) {  // as an import
      WriteBatch imported;
      imported.set_links_revive(true);
      link(imported);
      b.Append(imported);
    });
    EXPECT_EQ(graph->snapshot().FindAlive("b"), 1u);
  }
}

TEST(WriteDefaults, TimesOfEdgesAndColumnsAreBounded) {
  const auto graph = Graph::InMemory();
  const auto link = [&](auto&& set) {
    return Refusal(*graph, [&](WriteBatch& b) {
      WriteBatch::EdgeInput input{.source = b.Node("a"), .target = b.Node("b"), .kind = kSupports};
      set(input);
      b.Link(input);
    });
  };
  for (const std::int64_t bad : {kMaxTimeMs + 1, -kMaxTimeMs - 1, INT64_MAX, INT64_MIN + 1}) {
    EXPECT_TRUE(Says(link([&](auto& e) { e.created_at = bad; }), "created_at")) << bad;
    EXPECT_TRUE(Says(link([&](auto& e) { e.valid_from = bad; }), "valid_from")) << bad;
    EXPECT_TRUE(Says(link([&](auto& e) { e.valid_until = bad; }), "valid_until")) << bad;
    for (const ColumnId column : {kCreatedAt, kAccessedAt, kValidFrom, kValidUntil})
      EXPECT_TRUE(
          Says(Refusal(*graph, [&](WriteBatch& b) { b.SetI64(b.UpsertNode("a"), column, bad); }),
               "9999"))
          << bad;
  }
  EXPECT_EQ(link([&](auto& e) { e.created_at = -kMaxTimeMs, e.valid_until = kMaxTimeMs; }), "");
}

TEST(WriteDefaults, TrustAndValidityMakeSense) {
  const auto graph = Graph::InMemory();
  Do(*graph, [](WriteBatch& b) {
    b.SetF64(b.UpsertNode("a"), kTrust, 1);
    b.SetI64(b.Node("a"), kValidUntil, 50);
    b.Link({.source = b.Node("a"), .target = b.Node("b"), .kind = kSupports, .valid_until = 50});
  });
  const auto on_a = [&](auto&& set) {
    return Refusal(*graph, [&](WriteBatch& b) { set(b, b.Node("a")); });
  };
  for (const double bad : {7.5, -0.1, 1.0001})
    EXPECT_TRUE(Says(on_a([&](auto& b, NodeRef a) { b.SetF64(a, kTrust, bad); }), "[0, 1]"));
  EXPECT_TRUE(Says(on_a([&](auto& b, NodeRef a) { b.AddF64(a, kTrust, 0.5); }), "[0, 1]"));
  EXPECT_TRUE(Says(on_a([&](auto& b, NodeRef a) { b.SetI64(a, kValidFrom, 51); }),
                   "valid_from 51 lies after valid_until 50"));
  EXPECT_TRUE(Says(Refusal(*graph,
                           [](WriteBatch& b) {
                             b.Link({.source = b.Node("a"),
                                     .target = b.Node("b"),
                                     .kind = kSupports,
                                     .valid_from = 51});
                           }),
                   "valid_from 51 lies after valid_until 50"));
  EXPECT_EQ(on_a([&](auto& b, NodeRef a) {
              b.SetI64(a, kValidFrom, 51);
              b.ClearColumn(a, kValidUntil);
            }),
            "");
}

}  // namespace
}  // namespace plexus
