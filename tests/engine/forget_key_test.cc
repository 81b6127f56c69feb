// Forgotten keys: tables against a map, what a batch may do to such nodes, and that all who apply
// its record agree.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/arrays/string_table.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/fakes.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

// A table and what it must say.
struct Model {
  StringTable table;
  std::vector<std::optional<std::string>> texts;  // none: forgotten
  std::map<std::string, std::uint32_t> ids;

  void Insert(const std::string& text) {
    const auto inserted = table.Insert(text);
    const auto known = ids.find(text);
    ASSERT_EQ(inserted.is_new, known == ids.end());
    if (!inserted.is_new) {
      ASSERT_EQ(inserted.id, known->second);
      return;
    }
    ASSERT_EQ(inserted.id, texts.size());
    ids[text] = inserted.id;
    texts.push_back(text);
  }
  void Forget(const std::vector<std::uint32_t>& which) {
    table.Forget(which);
    for (const std::uint32_t id : which) {
      if (texts[id]) ids.erase(*texts[id]);
      texts[id].reset();
    }
  }
  void InsertForgotten() {
    table.InsertForgotten();
    texts.push_back(std::nullopt);
  }
  template <class Table>
  void Check(const Table& t) const {
    ASSERT_EQ(t.size(), texts.size());
    std::uint32_t forgotten = 0;
    for (std::uint32_t id = 0; id < texts.size(); ++id) {
      ASSERT_EQ(t.forgotten(id), !texts[id]) << id;
      ASSERT_EQ(t[id], texts[id].value_or("")) << id;
      forgotten += !texts[id];
    }
    ASSERT_EQ(t.forgotten_count(), forgotten);
  }
  template <class Table>
  void Find(const Table& t, int vocabulary) const {
    for (int i = 0; i < vocabulary; ++i) {
      const std::string text = "text-" + std::to_string(i);
      const auto known = ids.find(text);
      const auto found = t.Find(text);
      ASSERT_EQ(found, known == ids.end() ? std::nullopt : std::optional(known->second)) << text;
    }
  }
};

TEST(ForgetKey, TablesEqualAMap) {
  constexpr int kVocabulary = 400;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    std::mt19937_64 random(seed);
    Model model;
    std::vector<std::pair<Model, StringTable::View>> before;
    for (int step = 0; step < 300; ++step) {
      switch (random() % 12) {
        case 0: {
          std::vector<std::uint32_t> some;
          for (std::uint32_t id = 0; id < model.texts.size(); ++id)
            if (random() % 8 == 0) some.push_back(id);
          model.Forget(some);
          break;
        }
        case 1:
          model.InsertForgotten();
          break;
        case 2: {  // some of them packed
          std::vector<std::uint64_t> pack((model.texts.size() + 63) / 64);
          for (std::uint64_t& word : pack) word = random();
          if (random() % 2)
            model.table = StringTable::Packed(model.table.Publish(), pack);
          else
            model.table = StringTable(StringTable::Packed(model.table.Publish(), pack).Publish());
          EXPECT_EQ(model.table.forgotten_bytes_left(), 0u);
          break;
        }
        case 3:  // another table goes on from a view
          model.table = StringTable(model.table.Publish());
          break;
        case 4: {  // as a checkpoint is read
          std::string bytes;
          std::vector<std::uint64_t> offsets = {0}, forgotten((model.texts.size() + 63) / 64),
                                     pack(random() % 2 ? forgotten.size() : 0);
          for (std::uint64_t& word : pack) word = random();
          for (std::uint32_t id = 0; id < model.texts.size(); ++id) {
            bytes += model.texts[id].value_or("");
            offsets.push_back(bytes.size());
            if (!model.texts[id]) forgotten[id / 64] |= std::uint64_t{1} << id % 64;
          }
          auto read = StringTable::Packed(offsets, bytes, pack, forgotten);
          ASSERT_TRUE(read);
          model.table = *std::move(read);
          break;
        }
        default:
          for (int i = 0; i < 4; ++i)
            model.Insert("text-" + std::to_string(random() % kVocabulary));
      }
      if (HasFatalFailure()) return;
      if (random() % 50 == 0) {
        Model copy;
        copy.texts = model.texts;
        copy.ids = model.ids;
        before.emplace_back(std::move(copy), model.table.Publish());
      }
    }
    model.Check(model.table);
    model.Find(model.table, kVocabulary);
    model.Check(model.table.Publish());
    StringTable::Cursor cursor(model.table.Publish());
    for (std::uint32_t id = 0; id < model.texts.size(); ++id)
      ASSERT_EQ(cursor[id], model.texts[id].value_or(""));
    for (const auto& [then, view] : before) {
      then.Check(view);
      then.Find(view, kVocabulary);
    }
    if (HasFailure()) return;
  }
}

std::string LongKey(int i) {
  std::mt19937_64 random(static_cast<std::uint64_t>(i));
  return "key-" + std::to_string(random()) + std::to_string(random());
}

ApplyReport Must(Graph& graph, const WriteBatch& batch) {
  const auto applied = graph.Apply(batch);
  EXPECT_TRUE(applied) << applied.error().ToString();
  return applied ? *applied : ApplyReport();
}

void Make(Graph& graph, int first, int last) {
  WriteBatch batch(1);
  for (int i = first; i < last; ++i) batch.UpsertNode(LongKey(i), kMemory);
  Must(graph, batch);
}
void RemoveAndForget(Graph& graph, int first, int last) {
  WriteBatch batch(2);
  for (int i = first; i < last; ++i) {
    batch.RemoveNode(batch.Node(LongKey(i)));
    batch.ForgetKey(batch.Node(LongKey(i)));
  }
  Must(graph, batch);
}

TEST(ForgetKey, TheIdStaysAndTheKeyIsFree) {
  auto graph = Graph::InMemory();
  Make(*graph, 0, 3);
  const Snapshot before = graph->snapshot();
  const NodeId node = *before.Find(LongKey(1));
  RemoveAndForget(*graph, 1, 2);
  const Snapshot after = graph->snapshot();
  EXPECT_EQ(after.Find(LongKey(1)), std::nullopt);
  EXPECT_EQ(after.key(node), "");
  EXPECT_TRUE(after.key_forgotten(node));
  EXPECT_FALSE(after.alive(node));
  EXPECT_EQ(before.key(node), LongKey(1)) << "a snapshot of before";
  EXPECT_EQ(before.Find(LongKey(1)), node);
  Make(*graph, 1, 2);
  const auto again = graph->snapshot().Find(LongKey(1));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, 3u);
  EXPECT_EQ(before.Find(LongKey(1)), node);
  EXPECT_EQ(after.Find(LongKey(1)), std::nullopt);
}

TEST(ForgetKey, WhatIsThereKeepsItsKey) {
  auto graph = Graph::InMemory();
  Make(*graph, 0, 6);
  const Snapshot was = graph->snapshot();
  const std::vector<NodeId> ids = [&] {
    std::vector<NodeId> found;
    for (int i = 0; i < 6; ++i) found.push_back(*was.Find(LongKey(i)));
    return found;
  }();
  {
    WriteBatch batch(2);  // an event keeps its member when that is removed
    const NodeRef event = batch.IndexNode(kEvent, "e");
    batch.UpsertNode(event);
    batch.Link(event, kMember, batch.Node(LongKey(0)));
    Must(*graph, batch);
  }
  {
    WriteBatch batch(3);
    batch.RemoveNode(batch.Node(LongKey(0)));
    batch.RemoveNode(batch.Node(LongKey(1)));
    batch.RemoveNode(batch.Node(LongKey(3)));
    Must(*graph, batch);
  }
  const std::string before = Dump(graph->snapshot());
  {
    WriteBatch batch(3);
    batch.ForgetKey(batch.Node(LongKey(0)));  // has an edge
    batch.ForgetKey(batch.Node(LongKey(2)));  // is there
    batch.ForgetKey(batch.Node("never there"));
    const ApplyReport report = Must(*graph, batch);
    EXPECT_EQ(report.nodes.changed, 0u);
  }
  EXPECT_TRUE(SameText(Dump(graph->snapshot()), before));
  {
    WriteBatch batch(4);
    batch.set_links_revive(true);
    batch.ForgetKey(NodeRef::Id(ids[1]));
    batch.UpsertNode(NodeRef::Id(ids[1]));  // comes back
    batch.RemoveNode(batch.Node(LongKey(4)));
    batch.ForgetKey(batch.Node(LongKey(4)));
    batch.Link(batch.Node(LongKey(5)), kRelatesTo, batch.Node(LongKey(4)));  // and so does this
    batch.ForgetKey(batch.Node(LongKey(3)));
    Must(*graph, batch);
  }
  const Snapshot after = graph->snapshot();
  EXPECT_EQ(after.key(ids[0]), LongKey(0));
  EXPECT_TRUE(after.alive(ids[1]));
  EXPECT_EQ(after.key(ids[1]), LongKey(1));
  EXPECT_TRUE(after.alive(ids[4]));
  EXPECT_EQ(after.key(ids[4]), LongKey(4));
  EXPECT_TRUE(after.key_forgotten(ids[3]));
}

TEST(ForgetKey, IdsOfForgottenNodesAreRefused) {
  auto graph = Graph::InMemory();
  Make(*graph, 0, 3);
  const NodeId gone = *graph->snapshot().Find(LongKey(1)),
               here = *graph->snapshot().Find(LongKey(2));
  RemoveAndForget(*graph, 1, 2);
  const auto refused = [&](auto&& fill) {
    WriteBatch batch(3);
    fill(batch);
    const auto applied = graph->Apply(batch);
    return !applied &&
           applied.error().message.find("was removed and its key forgotten") != std::string::npos;
  };
  EXPECT_TRUE(refused([&](WriteBatch& b) { b.UpsertNode(NodeRef::Id(gone)); }));
  EXPECT_TRUE(refused([&](WriteBatch& b) { b.SetF64(NodeRef::Id(gone), kRetention, 1); }));
  EXPECT_TRUE(
      refused([&](WriteBatch& b) { b.Link(NodeRef::Id(here), kRelatesTo, NodeRef::Id(gone)); }));
  EXPECT_TRUE(
      refused([&](WriteBatch& b) { b.Link(NodeRef::Id(gone), kSupersedes, NodeRef::Id(here)); }));
  WriteBatch nothing(3);
  nothing.RemoveNode(NodeRef::Id(gone));
  nothing.PurgeNode(NodeRef::Id(gone));
  nothing.ForgetKey(NodeRef::Id(gone));
  nothing.ClearColumn(NodeRef::Id(gone), kRetention);
  EXPECT_EQ(Must(*graph, nothing).nodes.same, 4u);
}

TEST(ForgetKey, DamagedRecordsAreRefused) {
  auto store = std::make_shared<FakeStore>();
  auto graph = Graph::Open(Snapshot(), store, {}, store);
  Make(*graph, 0, 2);
  RemoveAndForget(*graph, 1, 2);
  const auto records = store->Records();
  const auto refuses = [&](NodeChange change) {
    auto replica = Graph::Open(Snapshot(), nullptr, {}, store);
    EXPECT_TRUE(replica->Replay(records));
    Record record;
    record.sequence = records.size() + 1;
    record.time_ms = 9;
    record.node_changes = {change};
    return !replica->Replay({&record, 1});
  };
  EXPECT_TRUE(refuses({0, NodeChange::kForget, 0})) << "it is there";
  EXPECT_TRUE(refuses({1, NodeChange::kRevive, 0})) << "its key is forgotten";
  EXPECT_FALSE(refuses({1, NodeChange::kForget, 0})) << "once more";
}

TEST(ForgetKey, MemoryGoesWithACompaction) {
  constexpr int kNodes = 40'000;
  auto graph = Graph::InMemory();
  Make(*graph, 0, kNodes);
  WriteBatch batch(2);
  for (int i = 100; i < kNodes; ++i) batch.RemoveNode(batch.Node(LongKey(i)));
  Must(*graph, batch);
  ASSERT_TRUE(graph->Compact());
  const std::uint64_t packed = metrics::MeasureBytes(graph->snapshot()).keys;
  EXPECT_GT(packed, std::uint64_t{40} * kNodes);
  batch.Clear();
  for (NodeId v = 100; v < kNodes; ++v) batch.ForgetKey(NodeRef::Id(v));
  Must(*graph, batch);
  const std::string before = Dump(graph->snapshot());
  ASSERT_TRUE(graph->Compact());
  EXPECT_LT(metrics::MeasureBytes(graph->snapshot()).keys, std::uint64_t{4} * kNodes)
      << "two pages of entries";
  EXPECT_TRUE(SameText(Dump(graph->snapshot()), before));
  Make(*graph, 0, 200);  // half of them are new ones
  EXPECT_EQ(graph->snapshot().node_count(), NodeId{kNodes} + 100);
}

// One that packs at other times, and one that is asked through Preview.
TEST(ForgetKey, ReplicasAgree) {
  auto store = std::make_shared<FakeStore>();
  auto graph = Graph::Open(Snapshot(), store, {}, store);
  auto replica = Graph::Open(Snapshot(), nullptr, {}, store);
  for (int round = 0; round < 8; ++round) {
    Make(*graph, 0, 2000);
    WriteBatch batch(2);
    for (int i = 50 * round; i < 1990; ++i) {
      batch.RemoveNode(batch.Node(LongKey(i)));
      if (i % 3 != round % 3) batch.ForgetKey(batch.Node(LongKey(i)));
    }
    const auto preview = Preview(graph->snapshot(), batch);
    ASSERT_TRUE(preview);
    Must(*graph, batch);
    EXPECT_TRUE(SameText(Dump(preview->snapshot), Dump(graph->snapshot())));
    for (Graph* each : {graph.get(), replica.get()})
      if (each == graph.get() ? round % 2 == 0 : round % 3 != 0) {
        ASSERT_TRUE(each->Compact());
      }
    ASSERT_TRUE(ReplayNew(*replica, *store));
    ASSERT_TRUE(SameText(Dump(replica->snapshot()), Dump(graph->snapshot()))) << round;
  }
}

}  // namespace
}  // namespace plexus
