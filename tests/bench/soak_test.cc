// The soak's model is what its batches make of a graph, and the same wherever it begins.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "algorithms/retrieval/terms.h"
#include "bench/soak/board.h"
#include "bench/soak/check.h"
#include "engine/graph.h"

namespace plexus::bench::soak {
using namespace builtin;
namespace {

Scenario SmallScenario() {
  Scenario s;
  s.seed = 5;
  s.life = 40;
  s.dimensions = 8;
  s.fresh_part = 8;
  s.purge_every = 50;
  return s;
}

class SoakTest : public ::testing::Test {
 protected:
  SoakTest() : path_(::testing::TempDir() + "soak-board-" + std::to_string(getpid())) {
    MapBoard(path_, true);
  }
  ~SoakTest() override { std::filesystem::remove(path_); }

 private:
  std::string path_;
};

// Purges in RAM, as the writer does after its batch.
void Purge(Graph& graph, const Model& model) {
  WriteBatch batch(kFirstTimeMs + static_cast<std::int64_t>(model.step()));
  for (const Number n : model.due()) batch.PurgeNode(batch.Node(model.Key(n)));
  ASSERT_TRUE(graph.Apply(batch));
}

TEST_F(SoakTest, TheGraphIsWhatTheModelSays) {
  const Scenario scenario = SmallScenario();
  Model model(scenario);
  const auto graph = Graph::InMemory();
  Checker checker(scenario, "test", 1);
  std::size_t purged = 0;
  for (Step s = 1; s <= 400; ++s) {
    WriteBatch batch = BatchOf(model, model.Next());
    ASSERT_TRUE(retrieval::AddTerms(graph->snapshot(), {}, batch));
    const auto applied = graph->Apply(batch);
    ASSERT_TRUE(applied) << applied.error().ToString();
    ASSERT_TRUE(checker.Look(graph->snapshot())) << s;
    ASSERT_TRUE(checker.Full(graph->snapshot())) << s;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(checker.Ask(graph->snapshot())) << s;
    if (model.due().empty()) continue;
    purged += model.due().size();
    Purge(*graph, model);
    ASSERT_TRUE(checker.Look(graph->snapshot())) << s;
    ASSERT_TRUE(checker.model().purged());
    ASSERT_TRUE(checker.Full(graph->snapshot())) << s;
    model.FinishPurge();
  }
  EXPECT_GT(purged, 10u);
  EXPECT_LE(model.memories().size(), scenario.per_step * scenario.horizon());
  EXPECT_GT(model.edge_count(), 20u);
}

TEST_F(SoakTest, AModelBegunLaterIsTheSame) {
  const Scenario scenario = SmallScenario();
  Model whole(scenario);
  for (Step s = 1; s <= 600; ++s) {
    whole.Next();
    if (s % 7 != 0 && !scenario.PurgesAt(s)) continue;
    const Model late = Model::At(scenario, s, whole.purged());
    ASSERT_EQ(late.step(), s);
    ASSERT_EQ(late.edge_count(), whole.edge_count()) << s;
    ASSERT_EQ(late.count_sum(), whole.count_sum()) << s;
    ASSERT_EQ(late.memories().size(), whole.memories().size()) << s;
    ASSERT_EQ(late.due().size(), whole.due().size()) << s;
    for (const auto& [n, m] : whole.memories()) {
      const Memory* other = late.Find(n);
      ASSERT_TRUE(other);
      ASSERT_EQ(late.Text(n, *other), whole.Text(n, m));
      ASSERT_EQ(late.Vector(n, *other), whole.Vector(n, m));
      ASSERT_EQ(late.Tags(n, *other), whole.Tags(n, m));
      ASSERT_EQ(other->trust, m.trust);
      for (int slot = 0; slot < kSlots; ++slot) {
        const ModelEdge &a = other->edges[static_cast<std::size_t>(slot)],
                        &b = m.edges[static_cast<std::size_t>(slot)];
        ASSERT_EQ(a.present, b.present) << n;
        if (!a.present) continue;
        ASSERT_EQ(a.target, b.target);
        ASSERT_EQ(a.weight, b.weight);
      }
    }
  }
}

// The checks find what they are for.
TEST_F(SoakTest, AWrongGraphIsFound) {
  const Scenario scenario = SmallScenario();
  const auto seen = [&](auto&& change) {
    Model model(scenario);
    const auto graph = Graph::InMemory();
    for (Step s = 1; s <= 30; ++s) {
      WriteBatch batch = BatchOf(model, model.Next());
      EXPECT_TRUE(retrieval::AddTerms(graph->snapshot(), {}, batch));
      EXPECT_TRUE(graph->Apply(batch));
    }
    const Number n = model.memories().rbegin()->first;
    WriteBatch batch(kFirstTimeMs + 30);
    change(batch, batch.Node(model.Key(n)), batch.Node(model.Key(n - 1)));
    EXPECT_TRUE(graph->Apply(batch));
    Checker checker(scenario, "on purpose", 1);
    return !checker.Look(graph->snapshot()) || !checker.Full(graph->snapshot());
  };
  EXPECT_FALSE(seen([](WriteBatch&, NodeRef, NodeRef) {}));
  EXPECT_TRUE(seen([](WriteBatch& b, NodeRef n, NodeRef) { b.RemoveNode(n); }));
  EXPECT_TRUE(seen([](WriteBatch& b, NodeRef n, NodeRef) { b.AddI64(n, kAccessCount, 1); }));
  EXPECT_TRUE(seen([](WriteBatch& b, NodeRef n, NodeRef) { b.SetF64(n, kTrust, 0.5); }));
  EXPECT_TRUE(
      seen([](WriteBatch& b, NodeRef n, NodeRef) { b.SetPayload(n, NodeField::kText, "else"); }));
  EXPECT_TRUE(
      seen([](WriteBatch& b, NodeRef n, NodeRef) { b.ClearVector(n, b.SpaceNamed(kSpace)); }));
  EXPECT_TRUE(seen([](WriteBatch& b, NodeRef n, NodeRef m) { b.Link(n, kLink, m); }));
  EXPECT_TRUE(seen(
      [](WriteBatch& b, NodeRef n, NodeRef) { b.Link(n, kHasTag, b.IndexNode(kTag, "other")); }));
}

}  // namespace
}  // namespace plexus::bench::soak
