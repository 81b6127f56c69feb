// Values of outcomes against the adjustment by its table, on random ledgers.
#include "algorithms/memory/frontier/frontier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/algorithms/memory/ledger_world.h"

namespace plexus::testing {
using namespace memory;
namespace {

const std::map<std::string_view, double> kChanges = {
    {"accepted", 0.35},       {"helpful", 0.25},
    {"user_promoted", 0.20},  {"submitted", 0.15},
    {"needs_poc", -0.05},     {"user_demoted", -0.20},
    {"duplicate_risk", -.35}, {"closed_by_duplicate", -0.40},
    {"success", 0.25},        {"unhelpful", -0.20}};

TEST(OutcomeValues, EqualTheirDefinition) {
  std::size_t with_outcomes = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryWorld world = LedgerWorld(seed, 6 + seed % 20);
    const auto graph = Graph::InMemory();
    for (std::size_t step = 0; step < 60; ++step)
      (void)graph->Apply(NextOfLedger(world, graph->snapshot()));
    const Snapshot s = graph->snapshot();
    const auto ledger = LedgerIndex::Of(s);
    ASSERT_TRUE(ledger);
    std::map<NodeId, double> want;
    for (NodeId v = 0; v < s.node_count(); ++v) {
      double change = 0;
      const OutcomeSet outcomes = (*ledger)->member_outcomes(v);
      if (outcomes == 0) continue;
      for (std::size_t i = 0; i < BuiltinOutcomeTypes().size(); ++i) {
        if (!(outcomes >> i & 1)) continue;
        const auto at = kChanges.find(BuiltinOutcomeTypes()[i]);
        change += at == kChanges.end() ? -0.45 : at->second;
      }
      want[v] = (std::clamp(change, -0.8, 0.5) + 0.8) / 1.3;
    }
    with_outcomes += want.size();
    const auto got = OutcomeValues(s);
    ASSERT_TRUE(got) << got.error().ToString();
    ASSERT_EQ(got->size(), want.size());
    auto at = want.begin();
    for (const NodeWeight& value : *got) {
      EXPECT_EQ(value.node, at->first);
      EXPECT_NEAR(value.weight, at->second, 1e-12);
      EXPECT_TRUE(value.weight >= 0 && value.weight <= 1);
      ++at;
    }
  }
  EXPECT_GT(with_outcomes, 20u);
}

TEST(OutcomeValues, NoLedger) {
  const auto graph = Graph::InMemory();
  EXPECT_TRUE(OutcomeValues(graph->snapshot())->empty());
}

}  // namespace
}  // namespace plexus::testing
