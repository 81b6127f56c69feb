// Sets of expressions that are kept with a graph: after every change they are what is made from
// nothing, and only what changed was tested.
#include <gtest/gtest.h>

#include <string>

#include "algorithms/retrieval/scan.h"
#include "engine/graph.h"
#include "tests/support/memory_world.h"

namespace plexus::testing {
using namespace builtin;
using namespace retrieval;
namespace {

constexpr const char* kExpressions[] = {
    "retention > 0.5",
    "kind = 'memory' and not tag like 'project%'",
    "tag = 'queue' or tag = 'seldom'",
    "scope = 'team'",
    "exists trust or retention < 0.2",
    "valid_from < 50",
    "key like '%1%'",
};

WhereResult Evaluate(const Snapshot& s, const char* text, WhereOptions options, bool kept) {
  options.make_orders = kept;
  auto result = EvaluateWhere(s, text, options);
  EXPECT_TRUE(result) << text << ": " << result.error().ToString();
  return result ? *std::move(result) : WhereResult{};
}

TEST(WhereSet, FollowsEveryChange) {
  constexpr Change kSorts[] = {
      Change::kFact,       Change::kKind,      Change::kTag,       Change::kTag,
      Change::kUntag,      Change::kRetention, Change::kSupersede, Change::kClearTime,
      Change::kRemoveFact, Change::kPurgeFact, Change::kEvent,     Change::kRemoveEvent,
      Change::kDecision,   Change::kConcept,   Change::kEdge,      Change::kUnsupersede};
  std::size_t carried = 0, made = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    MemoryWorld world(seed, {.facts = 40, .now_ms = 50});
    auto graph = Graph::InMemory();
    ASSERT_TRUE(graph->Apply(world.First()));
    for (int step = 0; step < 25; ++step) {
      const Snapshot s = graph->snapshot();
      const NodeSubset subset =
          NodeSubset::InScopes(s, std::vector<std::string_view>{"user"}).value();
      const NodeSubset alive = NodeSubset::Alive(s);
      for (const char* text : kExpressions) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step) + ": " +
                     text);
        for (const WhereOptions& options :
             {WhereOptions{}, WhereOptions{.subset = &subset}, WhereOptions{.subset = &alive},
              WhereOptions{.index_nodes = true}}) {
          const WhereResult kept = Evaluate(s, text, options, true);
          ASSERT_EQ(kept.nodes, Evaluate(s, text, options, false).nodes);
          ASSERT_EQ(kept.nodes.capacity(), s.node_count());
        }
      }
      if (step % 5 == 4) {  // a tag goes, with all its edges
        WriteBatch batch(50);
        batch.RemoveNode(batch.IndexNode(kTag, step % 2 ? "queue" : "project"));
        ASSERT_TRUE(graph->Apply(batch));
      }
      WriteBatch batch = world.Next(kSorts, 1 + world.Below(4));
      batch.set_links_revive(true);  // a tag that went may come again
      const auto applied = graph->Apply(batch);
      ASSERT_TRUE(applied) << applied.error().ToString();
      const Snapshot next = graph->snapshot();
      const bool was_read = Evaluate(next, std::end(kExpressions)[-1], {}, true).looked_at == 0;
      ++(was_read ? carried : made);
    }
  }
  EXPECT_GT(carried, 2 * made);
}

// What is not kept: it hangs on the clock, or on what has to be fetched.
TEST(WhereSet, OnlyWhatStaysTrue) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1'000'000'000);
  batch.SetI64(batch.UpsertNode("a", kMemory), kCreatedAt, 999'000'000);
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  const auto found = [&](const char* text, std::int64_t now) {
    return Evaluate(s, text, {.now_ms = now}, true);
  };
  EXPECT_EQ(found("created_at > '1h'", 1'000'000'000).nodes.count(), 1u);
  EXPECT_EQ(found("created_at > '1h'", 2'000'000'000).nodes.count(), 0u);
  EXPECT_GT(found("exists text", 1).looked_at, 0u);
  EXPECT_GT(found("exists text", 1).looked_at, 0u);
  EXPECT_EQ(found("kind = 'memory'", 1).nodes.count(), 1u);
  EXPECT_EQ(found("kind = 'memory'", 2).looked_at, 0u);
}

// A property that becomes a column.
TEST(WhereSet, ANewColumnEndsIt) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.UpsertNode("a", kMemory);
  ASSERT_TRUE(graph->Apply(batch));
  EXPECT_EQ(Evaluate(graph->snapshot(), "kind = 'memory'", {}, true).nodes.count(), 1u);
  WriteBatch more(2);
  more.DefineColumn({"level", ColumnType::kF64});
  more.SetF64(more.UpsertNode("b", kMemory), more.ColumnNamed("level"), 2);
  ASSERT_TRUE(graph->Apply(more));
  EXPECT_EQ(Evaluate(graph->snapshot(), "kind = 'memory'", {}, true).nodes.count(), 2u);
  EXPECT_EQ(Evaluate(graph->snapshot(), "level > 1", {}, true).nodes.count(), 1u);
}

}  // namespace
}  // namespace plexus::testing
