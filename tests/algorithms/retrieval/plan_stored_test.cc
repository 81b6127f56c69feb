// Plans in a database: reopened with and without a checkpoint, and of the past, when what they
// would find was changed, removed and linked anew since. The answers are those of the definition.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "storage/database.h"
#include "tests/algorithms/retrieval/plan_check.h"
#include "tests/algorithms/retrieval/plan_world.h"
#include "tests/support/store_test_util.h"

namespace plexus::testing {
using namespace builtin;
using namespace retrieval;
namespace {

std::unique_ptr<Database> Open(const std::string& directory, bool checkpoint) {
  return storage_internal::testing::MustOpen(
      directory,
      {.create = true,
       .checkpoint_on_close = checkpoint ? CheckpointOnClose::kAlways : CheckpointOnClose::kNever});
}

// Half of the facts get another vector, a text of all words, edges and another time; some go.
void ChangeLater(Graph& graph, const PlanGraph& before, std::mt19937_64& random) {
  WriteBatch changes(2000), removals(3000);
  const auto facts = static_cast<NodeId>(before.facts());
  for (NodeId v = 0; v < facts; ++v) {
    if (!before.alive(v) || random() % 2) continue;
    const NodeRef node = NodeRef::Id(v);
    const std::vector<float> vector = SmallVector(random, 3);
    changes.SetVector(node, changes.SpaceNamed(kSpace), vector);
    changes.SetI64(node, kCreatedAt, kPlanNow - 1);
    for (const std::string& term : before.terms())
      if (const auto found = before.snapshot().Find(term))
        changes.Link(node, kHasTerm, NodeRef::Id(*found), 5);
    if (const auto other = static_cast<NodeId>(random() % facts); other != v && before.alive(other))
      changes.Link(node, kSupports, NodeRef::Id(other), 1);
    if (random() % 4 == 0) removals.RemoveNode(node);
  }
  ASSERT_TRUE(graph.Apply(changes));
  ASSERT_TRUE(graph.Apply(removals));
}

void Ask(const PlanGraph& graph, const Snapshot& s, std::uint64_t seed, std::size_t& asked) {
  std::mt19937_64 random(seed);
  for (int round = 0; round < 4; ++round) {
    ExpectByDefinition(graph, s, DrawPlan(graph, random), random, asked);
    if (::testing::Test::HasFatalFailure()) return;
  }
  for (const NamedPlan& named : NamedPlans())
    ExpectByDefinition(graph, s, named.plan, random, asked);
}

TEST(PlanStored, ReopenedAndOfThePast) {
  std::size_t asked = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const Shape shape : kShapes) {
      std::ostringstream what;
      what << "seed " << seed << ", " << shape;
      SCOPED_TRACE(what.str());
      std::mt19937_64 random(seed);
      const storage_internal::testing::ScratchDirectory dir;
      auto database = Open(dir.path(), seed % 2 == 0);
      const PlanGraph graph(seed, shape, &database->graph());
      Ask(graph, database->snapshot(), seed, asked);
      ASSERT_TRUE(database->Close());
      database = Open(dir.path(), seed % 3 == 0);
      Ask(graph, database->snapshot(), seed, asked);
      const Sequence then = database->snapshot().sequence();
      ChangeLater(database->graph(), graph, random);
      if (seed % 4 == 0) {
        ASSERT_TRUE(database->graph().Compact());
      }
      const auto past = database->AsOf(then);
      ASSERT_TRUE(past) << past.error().ToString();
      Ask(graph, *past, seed, asked);
      ASSERT_TRUE(database->Close());
      database = Open(dir.path(), false);
      const auto again = database->AsOf(then);
      ASSERT_TRUE(again) << again.error().ToString();
      Ask(graph, *again, seed, asked);
      ASSERT_TRUE(database->Close());
      if (::testing::Test::HasFailure()) return;
    }
  EXPECT_GT(asked, 300u);
}

}  // namespace
}  // namespace plexus::testing
