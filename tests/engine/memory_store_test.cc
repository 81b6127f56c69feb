// A graph in RAM keeps what a snapshot can ask for, and no more.
#include "engine/internal/memory_store.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/graph.h"

namespace plexus {
namespace {

constexpr int kNodes = 200;

std::string Key(int i) { return "n" + std::to_string(i); }
std::string Text(int node, int round) { return std::string(1000, 'a' + round % 26) + Key(node); }

void Write(Graph& graph, int round) {
  WriteBatch batch(round + 1);
  for (int i = 0; i < kNodes; ++i)
    batch.SetPayload(batch.Node(Key(i)), NodeField::kText, Text(i, round));
  ASSERT_TRUE(graph.Apply(batch));
}

Result<std::string> TextOf(const Snapshot& snapshot, int node) {
  return snapshot.Payload(*snapshot.Find(Key(node)), NodeField::kText);
}

void ExpectRound(const Snapshot& snapshot, int round) {
  for (int i = 0; i < kNodes; ++i) {
    const auto text = TextOf(snapshot, i);
    ASSERT_TRUE(text) << text.error().message;
    ASSERT_EQ(*text, Text(i, round));
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
    batch.SetPayload(batch.Node(Key(i)), NodeField::kText, Text(i, 0));
  for (int i = kKept; i < kMany; ++i) removal.RemoveNode(removal.Node(Key(i)));
  ASSERT_TRUE(graph->Apply(batch));
  std::optional<Snapshot> old = graph->snapshot();
  ASSERT_TRUE(graph->Apply(removal));
  EXPECT_EQ(StoreOf(*graph).node_count(), kKept);
  EXPECT_EQ(*TextOf(*old, kMany - 1), Text(kMany - 1, 0));
  purge.PurgeNode(purge.Node(Key(kMany - 1)));  // is found though the node is forgotten
  ASSERT_TRUE(graph->Apply(purge));
  EXPECT_FALSE(TextOf(*old, kMany - 1));
  EXPECT_EQ(*TextOf(*old, kMany - 2), Text(kMany - 2, 0));
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
    anew.SetPayload(anew.Node(Key(1)), NodeField::kText, Text(1, round));
    ASSERT_TRUE(graph->Apply(anew));
    const Snapshot now = graph->snapshot();
    EXPECT_EQ(*TextOf(now, 1), Text(1, round));
  }
}

}  // namespace
}  // namespace plexus
