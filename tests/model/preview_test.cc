// Preview shows what Apply makes, bit for bit, and leaves nothing behind.
#include "engine/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "engine/vocabulary.h"
#include "tests/model/random_batch.h"
#include "tests/support/dump.h"
#include "tests/support/property_map.h"
#include "tests/support/row_totals.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

std::string Shown(const ApplyReport& report) {
  std::string text = std::to_string(report.sequence) + " at " + std::to_string(report.time_ms);
  for (const ChangeCounts* counts : {&report.nodes, &report.edges, &report.events, &report.outcomes,
                                     &report.index, &report.vectors})
    text += " " + Text(*counts);
  for (const NodeId id : report.ids) text += " " + std::to_string(id);
  return text;
}

// Nodes that are otherwise, and their payloads.
void LeavesNothingOut(const Snapshot& before, const PreviewResult& preview) {
  const Snapshot& after = preview.snapshot;
  const StateChanges& changes = preview.changes;
  ASSERT_EQ(changes.first_new, before.node_count());
  for (NodeId v = 0; v < before.node_count(); ++v) {
    const bool named = std::ranges::binary_search(changes.nodes, v);
    const bool same =
        before.alive(v) == after.alive(v) && before.node_kind(v) == after.node_kind(v);
    EXPECT_TRUE(same || named) << v;
    for (const NodeField field : {NodeField::kText, NodeField::kProperties}) {
      const StateChanges::Payload payload{field, v};
      EXPECT_TRUE(before.payload_ref(v, field) == after.payload_ref(v, field) || named ||
                  std::ranges::binary_search(changes.payloads, payload))
          << v;
    }
  }
}

// Random batches: each is previewed twice, then applied.
void ShowsWhatApplyMakes(std::uint64_t seed, std::uint64_t compact_every) {
  std::mt19937_64 random(seed);
  const auto graph = Graph::InMemory();
  model::Model model;
  for (int step = 0; step < 30; ++step) {
    const std::int64_t time = 1000 + step;
    WriteBatch batch(time);
    batch.set_links_revive(true);
    model::Batch twin(model, time);
    if (step == 0)
      model::FirstBatch(batch, twin);
    else
      model::FillRandom(random, {}, batch, twin);
    const Snapshot before = graph->snapshot();
    const std::string before_text = Dump(before);
    const auto preview = Preview(before, batch);
    const auto again = Preview(before, batch, {.executor = &DefaultExecutor()});
    // Before Apply: a purge erases from older snapshots, too.
    ASSERT_TRUE(SameText(Dump(before), before_text)) << "the snapshot itself";
    const auto applied = graph->Apply(batch);
    ASSERT_EQ(preview.has_value(), applied.has_value()) << seed << " " << step;
    if (!applied) {
      EXPECT_EQ(preview.error().code, applied.error().code);
      EXPECT_EQ(preview.error().message, applied.error().message);
      continue;
    }
    EXPECT_EQ(Shown(preview->report), Shown(*applied)) << seed << " " << step;
    const std::string after = Dump(graph->snapshot());
    ASSERT_TRUE(SameText(Dump(preview->snapshot), after)) << seed << " " << step;
    ASSERT_TRUE(SameText(Dump(again->snapshot), after)) << seed << " " << step;
    LeavesNothingOut(before, *preview);
    if (compact_every && step % compact_every == 0) {
      ASSERT_TRUE(graph->Compact());
    }
  }
}

TEST(Preview, EqualsApplyOnRandomBatches) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) ShowsWhatApplyMakes(seed, 0);
}
TEST(Preview, EqualsApplyWhereBatchesAreCompacted) {
  for (std::uint64_t seed = 101; seed <= 120; ++seed) ShowsWhatApplyMakes(seed, 3);
}

TEST(Preview, PayloadsOfTheBatchAreReadAndThoseBelowToo) {
  const auto graph = Graph::InMemory();
  WriteBatch first(1);
  first.SetPayload(first.UpsertNode("a"), NodeField::kText, "below");
  ASSERT_TRUE(graph->Apply(first));
  WriteBatch batch(2);
  batch.SetPayload(batch.UpsertNode("b"), NodeField::kText, "above");
  WriteBatch::EdgeInput edge;
  edge.source = batch.Node("a");
  edge.target = batch.Node("b");
  edge.kind = kSupports;
  const std::string properties = PropertyBytes("n", 7);
  edge.properties = properties;
  batch.Link(edge);
  const auto preview = Preview(graph->snapshot(), batch);
  ASSERT_TRUE(preview) << preview.error().ToString();
  const Snapshot& s = preview->snapshot;
  EXPECT_EQ(*s.Payload(0, NodeField::kText), "below");
  EXPECT_EQ(*s.Payload(1, NodeField::kText), "above");
  EXPECT_EQ(*s.Payload(s.FindEdge(0, kSupports, 1)->properties), properties);
  EXPECT_EQ(graph->snapshot().sequence(), 1u);
  EXPECT_FALSE(graph->snapshot().Find("b"));
}

// What is stated again further down was removed all the same.
TEST(Preview, NamesWhatIsRemoved) {
  const auto graph = Graph::InMemory();
  WriteBatch first(1);
  for (const char* key : {"a", "b", "c", "d", "e"}) first.UpsertNode(key);
  ASSERT_TRUE(graph->Apply(first));
  WriteBatch gone(2);
  gone.RemoveNode(gone.Node("e"));
  ASSERT_TRUE(graph->Apply(gone));
  WriteBatch batch(3);
  batch.PurgeNode(batch.Node("d"));
  batch.UpsertNode("d", kConcept);
  batch.RemoveNode(batch.Node("b"));
  batch.UpsertNode("b");
  batch.UpsertNode("c");
  batch.RemoveNode(batch.Node("a"));
  batch.RemoveNode(batch.Node("e"));                  // gone already
  batch.RemoveNode(batch.UpsertNode("made", kNode));  // never there
  batch.RemoveNode(batch.Node("nobody"));
  const auto preview = Preview(graph->snapshot(), batch);
  ASSERT_TRUE(preview) << preview.error().ToString();
  EXPECT_EQ(preview->removed, (std::vector<NodeId>{0, 1, 3}));
  EXPECT_TRUE(Preview(graph->snapshot(), WriteBatch(4))->removed.empty());
}

TEST(Preview, OfAPreviewShowsBothBatches) {
  const auto graph = Graph::InMemory();
  Snapshot shown = graph->snapshot();
  for (int i = 0; i < 12; ++i) {
    WriteBatch batch(1 + i);
    const std::string key = "n" + std::to_string(i);
    batch.SetPayload(batch.UpsertNode(key), NodeField::kText, "text " + key);
    batch.Link(batch.Node("n0"), kLink, batch.Node(key), static_cast<float>(i));
    const auto next = Preview(shown, batch);
    ASSERT_TRUE(next) << next.error().ToString();
    ASSERT_TRUE(graph->Apply(batch));
    shown = next->snapshot;
    ASSERT_TRUE(SameText(Dump(shown), Dump(graph->snapshot()))) << i;
  }
}

// Two previews of one snapshot write to the same places: neither sees the other, nor does the
// graph that goes on meanwhile.
TEST(Preview, ManyOfOneSnapshotAreStrangers) {
  const auto graph = Graph::InMemory();
  WriteBatch first(1);
  first.DefineSpace({"default", 3});
  for (int i = 0; i < 100; ++i) first.UpsertNode("n" + std::to_string(i));
  ASSERT_TRUE(graph->Apply(first));
  const Snapshot base = graph->snapshot();
  const auto batch_of = [](int number) {
    WriteBatch batch(2);
    for (int i = 0; i < 50; ++i) {
      const NodeRef node = batch.UpsertNode("x" + std::to_string(i) + "." +
                                            std::to_string(number % 3 == 0 ? 0 : number));
      batch.SetF64(node, kStability, number);
      batch.SetPayload(node, NodeField::kText, "of " + std::to_string(number));
      const float values[] = {static_cast<float>(number), 1, 2};
      batch.SetVector(node, batch.SpaceNamed("default"), values);
      batch.Link(node, kSupports, batch.Node("n" + std::to_string(i)));
    }
    return batch;
  };
  std::vector<Snapshot> previews;
  for (int number = 0; number < 6; ++number) {
    const auto preview = Preview(base, batch_of(number));
    ASSERT_TRUE(preview);
    previews.push_back(preview->snapshot);
    if (number == 3) {
      ASSERT_TRUE(graph->Apply(batch_of(77)));
    }
  }
  for (int number = 0; number < 6; ++number) {
    const auto alone = Graph::InMemory();
    ASSERT_TRUE(alone->Apply(first));
    ASSERT_TRUE(alone->Apply(batch_of(number)));
    EXPECT_TRUE(SameText(Dump(previews[number]), Dump(alone->snapshot()))) << number;
  }
}

TEST(Preview, TheSameChecksAsApply) {
  const auto graph = Graph::InMemory();
  WriteBatch first(1000);
  first.UpsertNode("a");
  ASSERT_TRUE(graph->Apply(first));
  const auto refused = [&](auto&& fill, const PreviewOptions& options = {}) {
    WriteBatch batch(2000);
    fill(batch);
    const auto preview = Preview(graph->snapshot(), batch, options);
    return preview ? ErrorCode::kInternal : preview.error().code;
  };
  EXPECT_EQ(refused([](WriteBatch& b) { b.SetF64(b.Node("a"), kTrust, 1.0 / 0.0); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused([](WriteBatch& b) { b.ExpectSequence(7); }), ErrorCode::kConflict);
  EXPECT_EQ(refused([](WriteBatch& b) { b.ExpectNoNode("a"); }), ErrorCode::kConflict);
  EXPECT_EQ(refused([](WriteBatch& b) { b.set_time_ms(kMaxTimeMs + 1); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      refused([](WriteBatch& b) { b.set_time_ms(5000); }, {.now_ms = 1000, .max_ahead_ms = 3999}),
      ErrorCode::kInvalidArgument);
}

TEST(Preview, WhatChangesNothingIsTheSnapshotItself) {
  const auto graph = Graph::InMemory();
  WriteBatch first(1000);
  first.UpsertNode("a", kMemory);
  ASSERT_TRUE(graph->Apply(first));
  const Snapshot now = graph->snapshot();
  const auto preview = Preview(now, first);
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->snapshot.shared_state(), now.shared_state());
  EXPECT_EQ(preview->report.sequence, 1u);
  EXPECT_EQ(preview->report.nodes.same, 1u);
}

// Values that were computed of the snapshot follow to the preview, and the graph's lineage learns
// nothing of it.
TEST(Preview, KeptValuesAreCarried) {
  const auto graph = Graph::InMemory();
  WriteBatch first(1);
  for (int i = 0; i < 20; ++i)
    first.Link(first.UpsertNode("n" + std::to_string(i)), kLink, first.UpsertNode("n0"));
  ASSERT_TRUE(graph->Apply(first));
  const Snapshot now = graph->snapshot();
  KeepDerived<RowTotals>(now, RowTotals::Make(now));
  WriteBatch batch(2);
  batch.Link(batch.Node("n3"), kLink, batch.Node("n4"), 2.5f);
  const auto preview = Preview(now, batch);
  ASSERT_TRUE(preview);
  const auto carried = FindDerived<RowTotals>(preview->snapshot);
  ASSERT_TRUE(carried);
  EXPECT_EQ(carried->carried, 1);
  EXPECT_EQ(carried->totals, RowTotals::Make(preview->snapshot)->totals);
  EXPECT_EQ(FindDerived<RowTotals>(now)->totals, RowTotals::Make(now)->totals);
}

}  // namespace
}  // namespace plexus
