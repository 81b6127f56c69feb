// Places against what a drawing needs of them: discs apart, members inside theirs around its
// centre, every node a place of its own, edges short.
#include "algorithms/community/community.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace community;
namespace {

double Distance(double ax, double ay, double bx, double by) { return std::hypot(ax - bx, ay - by); }

// Nodes of one community, each with its neighbours there.
void CheckCentre(const reference::FlatGraph& flat, const CommunityLayoutResult& got) {
  std::vector<std::set<NodeId>> inside(got.places.size());
  for (const auto& arc : flat.arcs)
    if (arc.from != arc.to && got.communities[arc.from] == got.communities[arc.to]) {
      inside[arc.from].insert(arc.to);
      inside[arc.to].insert(arc.from);
    }
  std::vector<NodeId> centre(got.discs.size(), kNoNode);
  for (NodeId v = 0; v < got.places.size(); ++v) {
    if (!flat.selected[v]) continue;
    NodeId& best = centre[got.communities[v]];
    if (best == kNoNode || inside[v].size() > inside[best].size()) best = v;
  }
  for (std::size_t c = 0; c < centre.size(); ++c) {
    EXPECT_EQ(got.places[centre[c]].x, got.discs[c].x) << c;
    EXPECT_EQ(got.places[centre[c]].y, got.discs[c].y) << c;
  }
}

void CheckLayout(const CaseGraph& g, CommunityLayoutOptions options) {
  options.run.executor = NextExecutor();
  const auto got = CommunityLayout(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  EXPECT_FALSE(got->truncated);
  const auto leiden = Leiden(g.snapshot(), {.seed = options.seed, .filter = options.filter});
  EXPECT_EQ(got->communities, leiden->communities);
  ASSERT_EQ(got->discs.size(), leiden->count);
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
  for (std::size_t a = 0; a < got->discs.size(); ++a) {
    const auto& disc = got->discs[a];
    EXPECT_FLOAT_EQ(disc.radius, static_cast<float>(options.spacing * std::sqrt(leiden->sizes[a])));
    for (std::size_t b = 0; b < a; ++b) {
      const auto& other = got->discs[b];
      ASSERT_GE(Distance(disc.x, disc.y, other.x, other.y),
                (disc.radius + other.radius) * (1 - 1e-5))
          << a << " and " << b;
    }
  }
  std::set<std::pair<float, float>> seen;
  for (NodeId v = 0; v < got->places.size(); ++v) {
    const auto [x, y] = got->places[v];
    ASSERT_EQ(std::isfinite(x) && std::isfinite(y), flat.selected[v]) << v;
    if (!flat.selected[v]) continue;
    const auto& disc = got->discs[got->communities[v]];
    ASSERT_LT(Distance(x, y, disc.x, disc.y), disc.radius) << v;
    ASSERT_TRUE(seen.insert({x, y}).second) << v << " has the place of another";
  }
  CheckCentre(flat, *got);
}

TEST(CommunityLayout, DiscsApartAndMembersInside) {
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    CheckLayout(g, {});
    CheckLayout(g, {.spacing = 0.5, .seed = 7, .filter = {.kinds = {kHasTag, kLink}}});
    const NodeSubset subset = SubsetOf(g.snapshot(), [](NodeId v) { return v % 3 != 1; });
    CheckLayout(g, {.filter = {.valid_at = 15, .subset = &subset}});
  });
}

// Groups of 20 to 60 with many edges inside and a few between: an edge is far shorter than the way
// between two nodes drawn by lot. Random places would have a ratio of 1.
TEST(CommunityLayout, EdgesAreShort) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    CaseGraph g;
    std::vector<std::pair<NodeId, NodeId>> links;
    for (int group = 0; group < 40; ++group) {
      const auto first = static_cast<NodeId>(g.size());
      const NodeId size = 20 + random() % 41;
      g.AddNodes(size);
      for (NodeId i = 1; i < size; ++i) {
        links.emplace_back(first + i, first + random() % i);
        links.emplace_back(first + i, first + random() % size);
      }
      if (first > 0) links.emplace_back(first, random() % first);
    }
    for (const auto& [a, b] : links)
      if (a != b) g.Link(a, kLink, b);
    g.Commit();
    CheckLayout(g, {.seed = seed});
    const auto got = CommunityLayout(g.snapshot(), {.seed = seed});
    const auto way = [&](NodeId a, NodeId b) {
      const auto &p = got->places[a], &q = got->places[b];
      return Distance(p.x, p.y, q.x, q.y);
    };
    double edges = 0, pairs = 0;
    for (const auto& [a, b] : links) {
      edges += way(a, b);
      pairs += way(random() % g.size(), random() % g.size());
    }
    EXPECT_LT(edges, 0.25 * pairs);
  }
}

// In a ring a disc is turned to what it shares edges with: cliques around one, and as many around
// those, each joined to one of them in another order.
TEST(CommunityLayout, RingsTurnTowardsNeighbours) {
  constexpr std::size_t kCliques = 7;  // as many fill a ring
  CaseGraph g;
  const auto clique = [&](std::size_t size) {
    const std::size_t first = g.AddNodes(size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < i; ++j) g.Link(first + i, kLink, first + j);
    return first;
  };
  clique(30);
  std::vector<std::size_t> inner, outer;
  for (std::size_t i = 0; i < kCliques; ++i) inner.push_back(clique(12));
  for (std::size_t i = 0; i < kCliques; ++i) outer.push_back(clique(10));
  const auto joined = [&](std::size_t i) { return inner[(i * 5 + 2) % kCliques]; };
  for (std::size_t i = 0; i < kCliques; ++i) g.Link(outer[i], kLink, joined(i));
  g.Commit();
  const auto got = CommunityLayout(g.snapshot());
  ASSERT_EQ(got->discs.size(), 2 * kCliques + 1);
  const auto disc = [&](std::size_t node) { return got->discs[got->communities[node]]; };
  const auto angle = [&](std::size_t node) { return std::atan2(disc(node).y, disc(node).x); };
  for (std::size_t i = 0; i < kCliques; ++i)  // by lot: a quarter of a turn
    EXPECT_NEAR(std::remainder(angle(outer[i]) - angle(joined(i)), 2 * M_PI), 0, 0.2) << i;
}

TEST(CommunityLayout, RefusesAndStops) {
  CaseGraph g;
  g.AddNodes(100);
  for (NodeId v = 1; v < 100; ++v) g.Link(v, kLink, v / 2);
  g.Commit();
  for (const double spacing : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(CommunityLayout(g.snapshot(), {.spacing = spacing}).error().code,
              ErrorCode::kInvalidArgument);
  const std::atomic<bool> cancel = true;
  const auto cut = CommunityLayout(g.snapshot(), {.run = {.budget = {.cancel = &cancel}}});
  ASSERT_TRUE(cut.has_value());
  EXPECT_TRUE(cut->truncated);
  EXPECT_TRUE(cut->places.empty());
}

}  // namespace
}  // namespace plexus::testing
