// Heads and walks against their definition: chains, cycles, diamonds, expired edges, removed ends.
#include "algorithms/memory/visibility/visibility.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/reference/decisions.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

TEST(Supersession, AChainWithItsDates) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(1, kSupersedes, 0, 1, "", 10);
  g.Link(2, kSupersedes, 1, 1, "", 20);
  g.Link(2, kSupersedes, 3, 1, "", 30);
  g.Commit();
  const Snapshot s = g.snapshot();
  EXPECT_EQ(*SupersededBy(s, 0, 0).value(), 2u);
  EXPECT_EQ(SupersededBy(s, 2, 0).value(), std::nullopt);
  const SupersessionWalk walk = WalkSupersession(s, 1, 0).value();
  EXPECT_EQ(walk.head, 2u);
  EXPECT_EQ(walk.newer, (std::vector<SupersessionStep>{{2, 1, 20, false, 1}}));
  EXPECT_EQ(walk.older, (std::vector<SupersessionStep>{{1, 0, 10, false, 1}}));
  EXPECT_FALSE(walk.truncated);
  const SupersessionWalk from_head = WalkSupersession(s, 2, 0, 2).value();
  EXPECT_EQ(from_head.older,
            (std::vector<SupersessionStep>{{2, 1, 20, false, 1}, {2, 3, 30, false, 1}}));
  EXPECT_TRUE(from_head.truncated);
  EXPECT_EQ(WalkSupersession(s, 9, 0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(WalkSupersession(s, 0, 0, 0).error().code, ErrorCode::kInvalidArgument);
}

TEST(Supersession, ACycleEndsAndIsMarked) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(0, kSupersedes, 1, 1, "", 10);
  g.Link(1, kSupersedes, 2, 1, "", 30);
  g.Link(2, kSupersedes, 0, 1, "", 20);
  g.Link(2, kSupersedes, 3, 1, "", 5);
  g.Commit();
  const SupersessionWalk walk = WalkSupersession(g.snapshot(), 3, 0).value();
  EXPECT_EQ(walk.head, 1u);
  EXPECT_EQ(
      walk.newer,
      (std::vector<SupersessionStep>{
          {2, 3, 5, false, 1}, {1, 2, 30, true, 2}, {0, 1, 10, true, 3}, {2, 0, 20, true, 4}}));
}

TEST(Supersession, ALongChainNeedsNoRecursion) {
  CaseGraph g;
  constexpr std::size_t kLong = 20'000;
  g.AddNodes(kLong);
  for (std::size_t v = 1; v < kLong; ++v) g.Link(v, kSupersedes, v - 1);
  g.Commit();
  EXPECT_EQ(*SupersededBy(g.snapshot(), 0, 0).value(), kLong - 1);
  const SupersessionHeads heads = AllHeads(g.snapshot(), 0).value();
  for (NodeId v = 0; v < kLong; ++v) ASSERT_EQ(heads.HeadOf(v), kLong - 1);
  const SupersessionWalk walk = WalkSupersession(g.snapshot(), 0, 0, 100'000).value();
  EXPECT_EQ(walk.newer.size(), kLong - 1);
}

TEST(Supersession, EqualsItsDefinition) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Case c{"heads", 3, [seed](CaseGraph& g, int step) {
                   std::mt19937_64 random(seed * 100 + static_cast<std::uint64_t>(step));
                   if (step == 0) g.AddNodes(20);
                   for (int i = 0; i < 9; ++i) {
                     const std::size_t a = random() % 20, b = random() % 20;
                     if (a == b || !g.alive(a) || !g.alive(b)) continue;
                     const auto made = static_cast<std::int64_t>(random() % 4);
                     if (random() % 3 == 0)
                       g.LinkValid(a, kSupersedes, b, static_cast<std::int64_t>(random() % 6),
                                   static_cast<std::int64_t>(6 + random() % 6), made);
                     else
                       g.Link(a, kSupersedes, b, 1, "", made);
                   }
                   if (step == 2) g.Remove(random() % 20);
                   g.Commit();
                 }};
    ForEachCase({c}, [](const CaseGraph& g, Shape) {
      for (const std::int64_t now : {0, 4, 8, 20}) {
        SCOPED_TRACE(now);
        const auto flat = g.Flat({kSupersedes}, nullptr, now);
        const std::vector<NodeId> expected = reference::Heads(g.size(), flat.arcs);
        const SupersessionHeads heads = AllHeads(g.snapshot(), now).value();
        const auto visible = VisibleNodes(g.snapshot(), now).value();
        for (NodeId v = 0; v < g.size(); ++v) {
          ASSERT_EQ(heads.HeadOf(v), expected[v]) << v;
          const NodeId one[] = {v};
          ASSERT_EQ(HeadsOf(g.snapshot(), now, one).value().HeadOf(v), expected[v]) << v;
          if (g.alive(v)) {
            ASSERT_EQ(visible->contains(v), expected[v] == v) << v;
          }
          const SupersessionWalk walk = WalkSupersession(g.snapshot(), v, now).value();
          ASSERT_EQ(walk.head, expected[v]);
        }
      }
    });
  }
}

}  // namespace
}  // namespace plexus::testing
