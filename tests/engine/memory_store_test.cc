// A graph in RAM keeps what a snapshot can ask for, and no more.
#include "engine/internal/memory_store.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "engine/state.h"
#include "tests/support/property_map.h"

namespace plexus {
namespace {

using plexus::testing::PropertyBytes;

constexpr int kNodes = 200;

std::string Key(int i) { return "n" + std::to_string(i); }
std::string RoundText(int node, int round) {
  return std::string(1000, 'a' + round % 26) + Key(node);
}

void Write(Graph& graph, int round) {
  WriteBatch batch(round + 1);
  for (int i = 0; i < kNodes; ++i)
    batch.SetPayload(batch.Node(Key(i)), NodeField::kText, RoundText(i, round));
  ASSERT_TRUE(graph.Apply(batch));
}

Result<std::string> TextOf(const Snapshot& snapshot, int node) {
  return snapshot.Payload(*snapshot.Find(Key(node)), NodeField::kText);
}

void ExpectRound(const Snapshot& snapshot, int round) {
  for (int i = 0; i < kNodes; ++i) {
    const auto text = TextOf(snapshot, i);
    ASSERT_TRUE(text) << text.error().message;
    ASSERT_EQ(*text, RoundText(i, round));
  }
}

const MemoryStore& StoreOf(const Graph& graph) {
  return static_cast<const MemoryStore&>(*graph.snapshot().state().payload_store);
}

TEST(MemoryStore, ReplacedTextsGoWithTheLastSnapshotThatHasThem) {
  auto graph = Graph::InMemory();
  for (int round = 0; round < 40; ++round) Write(*graph, round);
  // One text of each node, and at most the replaced ones of two epochs.
  EXPECT_LT(StoreOf(*graph).size_bytes(), std::uint64_t{5} << 20);
  std::optional<Snapshot> old = graph->snapshot();
  for (int round = 40; round < 80; ++round) Write(*graph, round);
  ExpectRound(*old, 39);
  ExpectRound(graph->snapshot(), 79);
  const std::uint64_t held = StoreOf(*graph).size_bytes();
  EXPECT_GT(held, std::uint64_t{40} * kNodes * 1000);  // all that came after, too
  old.reset();
  for (int round = 80; round < 90; ++round) Write(*graph, round);
  EXPECT_LT(StoreOf(*graph).size_bytes(), std::uint64_t{5} << 20);
  ExpectRound(graph->snapshot(), 89);
}

TEST(MemoryStore, OneNodeReplacedManyTimes) {
  auto graph = Graph::InMemory();
  for (int round = 0; round < 30'000; ++round) {
    WriteBatch batch(1);
    batch.SetPayload(batch.Node("n"), NodeField::kText, std::to_string(round));
    ASSERT_TRUE(graph->Apply(batch));
  }
  EXPECT_LT(StoreOf(*graph).size_bytes(), std::uint64_t{4} << 20);
  EXPECT_EQ(*graph->snapshot().Payload(0, NodeField::kText), "29999");
}

TEST(MemoryStore, RemovedNodesLeaveNothing) {
  auto graph = Graph::InMemory();
  constexpr int kMany = 20'000, kKept = 10;
  WriteBatch batch(1), removal(2), purge(3);
  for (int i = 0; i < kMany; ++i)
    batch.SetPayload(batch.Node(Key(i)), NodeField::kText, RoundText(i, 0));
  for (int i = kKept; i < kMany; ++i) removal.RemoveNode(removal.Node(Key(i)));
  ASSERT_TRUE(graph->Apply(batch));
  std::optional<Snapshot> old = graph->snapshot();
  ASSERT_TRUE(graph->Apply(removal));
  EXPECT_EQ(StoreOf(*graph).node_count(), kKept);
  EXPECT_EQ(*TextOf(*old, kMany - 1), RoundText(kMany - 1, 0));
  purge.PurgeNode(purge.Node(Key(kMany - 1)));  // is found though the node is forgotten
  ASSERT_TRUE(graph->Apply(purge));
  EXPECT_FALSE(TextOf(*old, kMany - 1));
  EXPECT_EQ(*TextOf(*old, kMany - 2), RoundText(kMany - 2, 0));
  old.reset();
  Write(*graph, 3);
  Write(*graph, 4);
  EXPECT_LT(StoreOf(*graph).size_bytes(), std::uint64_t{3} << 20);
  ExpectRound(graph->snapshot(), 4);
}

TEST(MemoryStore, APurgeErasesEveryVersion) {
  auto graph = Graph::InMemory();
  std::vector<Snapshot> old;
  for (int round = 0; round < 20; ++round) {
    Write(*graph, round);
    old.push_back(graph->snapshot());
  }
  const std::uint64_t before = StoreOf(*graph).size_bytes();
  WriteBatch purge(100);
  for (int i = 0; i < kNodes / 2; ++i) purge.PurgeNode(purge.Node(Key(i)));
  ASSERT_TRUE(graph->Apply(purge));
  EXPECT_LT(StoreOf(*graph).size_bytes(), before * 6 / 10);
  for (const Snapshot& s : old) {
    EXPECT_FALSE(TextOf(s, 1));
    EXPECT_TRUE(TextOf(s, kNodes - 1));
  }
  // Written anew by another batch, and replaced again.
  for (int round = 0; round < 3; ++round) {
    WriteBatch anew(200 + round);
    anew.SetPayload(anew.Node(Key(1)), NodeField::kText, RoundText(1, round));
    ASSERT_TRUE(graph->Apply(anew));
    const Snapshot now = graph->snapshot();
    EXPECT_EQ(*TextOf(now, 1), RoundText(1, round));
  }
}

// --- properties of edges

struct Version {  // of a graph, as it must be read for ever, less what is purged
  Snapshot snapshot;
  std::map<std::pair<int, int>, std::int64_t> edges;  // with their property; 0: none
};

void Link(WriteBatch& batch, NodeRef source, NodeRef target, std::string_view properties) {
  batch.Link({.source = source,
              .target = target,
              .kind = batch.EdgeKindNamed("of"),
              .properties = properties});
}

void Expect(const Version& version) {
  const Snapshot& s = version.snapshot;
  for (const auto& [ends, value] : version.edges) {
    const auto edge = s.FindEdge(*s.Find(Key(ends.first)), s.schema().FindEdgeKind("of")->kind,
                                 *s.Find(Key(ends.second)));
    ASSERT_TRUE(edge);
    if (value == 0) {
      EXPECT_FALSE(edge->properties && s.Payload(edge->properties));
      continue;
    }
    const auto bytes = s.Payload(edge->properties);
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(*bytes, PropertyBytes("value", value));
  }
}

// Random links, weights, unlinks, removals and purges; some snapshots are kept for a while.
TEST(MemoryStore, ReplacedPropertiesOfEdgesGoWithTheLastSnapshotThatHasThem) {
  constexpr int kEnds = 12, kRounds = 60'000;
  auto graph = Graph::InMemory();
  std::mt19937 random(5);
  std::map<std::pair<int, int>, std::int64_t> edges;
  std::vector<Version> kept;
  for (int round = 1; round <= kRounds; ++round) {
    WriteBatch batch(round);
    batch.set_links_revive(true);
    const std::pair ends(static_cast<int>(random() % kEnds), static_cast<int>(random() % kEnds));
    const NodeRef source = batch.Node(Key(ends.first)), target = batch.Node(Key(ends.second));
    const EdgeKindRef of = batch.EdgeKindNamed("of");
    const std::uint32_t what = random() % 500;
    const auto drop = [&](std::map<std::pair<int, int>, std::int64_t>& from, bool value_only) {
      for (auto at = from.begin(); at != from.end();) {
        const bool at_end = at->first.first == ends.first || at->first.second == ends.first;
        if (at_end && value_only) at->second = 0;
        at = at_end && !value_only ? from.erase(at) : std::next(at);
      }
    };
    if (what == 0) {
      batch.PurgeNode(source);
      drop(edges, false);
      for (Version& v : kept) drop(v.edges, true);
    } else if (what < 4) {
      batch.RemoveNode(source);
      drop(edges, false);
    } else if (what < 40) {
      batch.Unlink(source, of, target);
      edges.erase(ends);
    } else if (what < 140) {
      batch.Link(source, of, target, static_cast<float>(round));  // keeps the properties
      edges.try_emplace(ends, 0);
    } else {
      const std::string value = what < 180 ? "" : PropertyBytes("value", round);
      Link(batch, source, target, value);
      edges[ends] = value.empty() ? 0 : round;
    }
    ASSERT_TRUE(graph->Apply(batch));
    if (round % 97 == 0) kept.push_back({graph->snapshot(), edges});
    if (kept.size() > 8) kept.erase(kept.begin() + static_cast<int>(random() % kept.size()));
    if (round % 1000 == 0) {
      Expect({graph->snapshot(), edges});
      for (const Version& v : kept) Expect(v);
    }
  }
  std::size_t with_value = 0;
  for (const auto& [ends, value] : edges) with_value += value != 0;
  EXPECT_EQ(StoreOf(*graph).edge_count(), with_value);
  kept.clear();
  for (int round = 0; round < 20'000; ++round) {  // two epochs
    WriteBatch batch(kRounds + round + 1);
    Link(batch, batch.Node(Key(0)), batch.Node(Key(1)), PropertyBytes("value", round + 1));
    ASSERT_TRUE(graph->Apply(batch));
  }
  EXPECT_LT(StoreOf(*graph).size_bytes(), std::uint64_t{3} << 20);
}

// What changes would do: neither graph sees what the other writes after they part.
TEST(MemoryStore, AGraphThatGoesOnFromAnother) {
  const auto graph = Graph::InMemory();
  Write(*graph, 0);
  const Snapshot start = graph->snapshot();
  const auto scratch = Graph::InMemory({}, start);
  ExpectRound(scratch->snapshot(), 0);
  Write(*graph, 1);  // the same sequence in both
  const PayloadRef theirs =
      graph->snapshot().payload_ref(*graph->snapshot().Find(Key(0)), NodeField::kText);
  EXPECT_EQ(scratch->snapshot().Payload(theirs).error().code, ErrorCode::kNotFound);
  Write(*scratch, 2);
  EXPECT_EQ(scratch->snapshot().sequence(), graph->snapshot().sequence());
  ExpectRound(graph->snapshot(), 1);
  ExpectRound(scratch->snapshot(), 2);
  ExpectRound(start, 0);
  WriteBatch purge(9);
  purge.PurgeNode(purge.Node(Key(0)));
  ASSERT_TRUE(scratch->Apply(purge));
  EXPECT_EQ(TextOf(scratch->snapshot(), 0).error().code, ErrorCode::kNotFound);
  ExpectRound(graph->snapshot(), 1);
  ExpectRound(start, 0);
  EXPECT_EQ(*TextOf(scratch->snapshot(), 1), RoundText(1, 2));
}

}  // namespace
}  // namespace plexus
