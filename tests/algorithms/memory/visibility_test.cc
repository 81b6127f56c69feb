// Visible nodes against their definition, at many moments.
#include "algorithms/memory/visibility/visibility.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

std::vector<NodeId> Visible(const CaseGraph& g, std::int64_t now, VisibleOptions options = {}) {
  return VisibleNodes(g.snapshot(), now, options).value()->ToList();
}

using Ids = std::vector<NodeId>;

TEST(Visible, AChainShowsItsHead) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(1, kSupersedes, 0);
  g.Link(2, kSupersedes, 1);
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{2, 3}));
  VisibleOptions all;
  all.include_superseded = true;
  EXPECT_EQ(Visible(g, 0, all), (Ids{0, 1, 2, 3}));
  g.Unlink(2, kSupersedes, 1);
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{1, 2, 3}));
  g.Remove(1);
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{0, 2, 3}));
}

TEST(Visible, ACycleShowsTheSourceOfItsNewestEdge) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(0, kSupersedes, 1, 1, "", 10);
  g.Link(1, kSupersedes, 2, 1, "", 30);
  g.Link(2, kSupersedes, 0, 1, "", 20);
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{1, 3}));
  g.Link(2, kSupersedes, 0, 1, "", 30);  // a tie: the smaller id
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{1, 3}));
  g.Link(0, kSupersedes, 1, 1, "", 30);
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{0, 3}));
  g.Link(3, kSupersedes, 2, 1, "", 1);  // from outside: the whole cycle goes
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{3}));
}

TEST(Visible, TimesOfNodesAndEdges) {
  CaseGraph g;
  g.AddNodes(3);
  g.LinkValid(1, kSupersedes, 0, 100, 200);
  g.SetI64(2, kValidFrom, 50);
  g.SetI64(2, kValidUntil, 150);
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{0, 1}));
  EXPECT_EQ(Visible(g, 50), (Ids{0, 1, 2}));
  EXPECT_EQ(Visible(g, 99), (Ids{0, 1, 2}));
  EXPECT_EQ(Visible(g, 100), (Ids{1, 2}));
  EXPECT_EQ(Visible(g, 149), (Ids{1, 2}));
  EXPECT_EQ(Visible(g, 150), (Ids{1}));
  EXPECT_EQ(Visible(g, 200), (Ids{0, 1}));
  // An expired head still hides what it replaced.
  g.SetI64(1, kValidUntil, 120);
  g.Commit();
  EXPECT_EQ(Visible(g, 130), (Ids{2}));
}

TEST(Visible, OtherKindsHideNothing) {
  CaseGraph g;
  EdgeKind replaces;
  replaces.name = "replaces";
  replaces.suppresses = true;
  const EdgeKindId kind = g.DefineKind(replaces);
  g.AddNodes(3);
  const std::size_t tag = g.AddNode(kTag);
  g.Link(0, kContradicts, 1);
  g.Link(1, kRefines, 0);
  g.Link(0, kHasTag, tag);
  g.Link(2, kind, 2);  // a loop never counts
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{0, 1, 2}));
  g.Link(2, kind, 1);
  g.Commit();
  EXPECT_EQ(Visible(g, 0), (Ids{0, 2}));
}

TEST(Visible, CachedUntilAMomentPasses) {
  CaseGraph g;
  g.AddNodes(2);
  g.SetI64(0, kValidUntil, 1000);
  g.Commit();
  const Snapshot s = g.snapshot();
  const auto a = VisibleNodes(s, 10).value(), b = VisibleNodes(s, 999).value(),
             c = VisibleNodes(s, 1000).value();
  EXPECT_EQ(a, b);  // the very same set
  EXPECT_NE(a, c);
  EXPECT_EQ(VisibleNodes(s, 5).value(), a);
  EXPECT_EQ(VisibleNodes(s, 2000).value(), c);
  EXPECT_EQ(c->count(), 1u);
}

// Random supersession with cycles, times, removals; every shape, cache or not.
TEST(Visible, EqualsItsDefinition) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Case c{"supersession", 2, [seed](CaseGraph& g, int step) {
                   std::mt19937_64 random(seed * 10 + static_cast<std::uint64_t>(step));
                   if (step == 0) g.AddNodes(30);
                   for (int i = 0; i < 18; ++i) {
                     const std::size_t a = random() % 30, b = random() % 30;
                     if (a == b || !g.alive(a) || !g.alive(b)) continue;
                     const auto made = static_cast<std::int64_t>(random() % 4);
                     if (random() % 3 == 0)
                       g.LinkValid(a, kSupersedes, b, static_cast<std::int64_t>(random() % 50),
                                   static_cast<std::int64_t>(50 + random() % 50), made);
                     else
                       g.Link(a, random() % 8 ? kSupersedes : kSupports, b, 1.0f, "", made);
                   }
                   if (step == 1) {
                     g.Remove(random() % 10);
                     g.Remove(10 + random() % 10);
                   }
                 }};
    for (Shape shape : kShapes) {
      const CaseGraph g = Build(c, shape);
      for (std::int64_t now : {0, 25, 49, 50, 75, 99, 100}) {
        const auto flat = g.Flat({kSupersedes}, nullptr, now);
        const auto standing = reference::Standing(flat.selected, flat.arcs);
        Ids want;
        for (NodeId v = 0; v < standing.size(); ++v)
          if (standing[v]) want.push_back(v);
        EXPECT_EQ(Visible(g, now), want) << seed << " " << shape << " at " << now;
        EXPECT_EQ(Visible(g, now, {false, false}), want);
      }
    }
  }
}

}  // namespace
}  // namespace plexus::testing
