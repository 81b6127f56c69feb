// Frontier against brute force on random graphs, and its corners one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>

#include "algorithms/similarity/similarity.h"
#include "tests/algorithms/similarity/ledger_case.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace similarity;
namespace {

using reference::FrontierInput;
using reference::FrontierRow;

const EdgeKinds kSharedKinds = {kHasTag, kHasTerm, kMentions, kInSession, kInscribed};

// What the record says, in the oracle's words.
FrontierInput Input(const CaseGraph& g, EdgeKinds kinds, const FrontierOptions& options) {
  FrontierInput input;
  input.facts = g.Flat().selected;
  input.candidates = input.facts;
  for (NodeId v = 0; v < input.facts.size(); ++v) {
    if (options.filter.subset)
      input.candidates[v] = input.facts[v] && options.filter.subset->contains(v);
    if (options.anchors) input.anchors.push_back(options.anchors->contains(v));
  }
  if (options.anchors && input.anchors.empty()) input.anchors.push_back(false);
  for (const auto& arc : g.Flat(kinds, nullptr, options.filter.valid_at).arcs) {
    const bool out = input.facts[arc.from];
    if (input.facts[arc.from] != input.facts[arc.to])
      input.has.emplace_back(out ? arc.from : arc.to, out ? arc.to : arc.from);
  }
  std::map<NodeId, std::vector<NodeId>> events;
  for (const auto& arc : g.Flat({kMember}).arcs) events[arc.from].push_back(arc.to);
  for (const auto& [event, members] : events) input.events.push_back(members);
  if (options.mask == FrontierMask::kLinked)
    for (const auto& arc : g.Flat().arcs) input.links.emplace_back(arc.from, arc.to);
  return input;
}

void ExpectSame(const FrontierResult& got, const std::vector<FrontierRow>& want, std::size_t top) {
  ASSERT_EQ(got.sets.size(), std::min(top, want.size()));
  EXPECT_FALSE(got.truncated);
  for (std::size_t i = 0; i < got.sets.size(); ++i) {
    const FrontierSet& set = got.sets[i];
    EXPECT_EQ(set.members, want[i].members) << "place " << i;
    EXPECT_NEAR(set.score, want[i].score, 1e-9);
    double sum = 0;
    ASSERT_EQ(set.shared.size(), want[i].shares.size());
    for (std::size_t k = 0; k < set.shared.size(); ++k) {
      EXPECT_NEAR(set.shared[k].share, want[i].shares.at(set.shared[k].node), 1e-9);
      if (k > 0) {
        EXPECT_GE(set.shared[k - 1].share, set.shared[k].share);
      }
      sum += set.shared[k].share;
    }
    EXPECT_NEAR(sum, set.score, 1e-9);
    if (::testing::Test::HasFailure()) return;
  }
}

void ExpectEqual(const FrontierResult& a, const FrontierResult& b) {
  ASSERT_EQ(a.sets.size(), b.sets.size());
  for (std::size_t i = 0; i < a.sets.size(); ++i) {
    EXPECT_EQ(a.sets[i].members, b.sets[i].members);
    EXPECT_EQ(a.sets[i].score, b.sets[i].score);  // the same bits
    EXPECT_EQ(a.sets[i].shared, b.sets[i].shared);
  }
  EXPECT_EQ(a.truncated, b.truncated);
  EXPECT_EQ(a.wedges, b.wedges);
  EXPECT_EQ(a.compared, b.compared);
  EXPECT_EQ(a.scored, b.scored);
}

FrontierResult Ask(const Snapshot& snapshot, const FrontierOptions& options) {
  auto result = Frontier(snapshot, options);
  if (!result) {
    ADD_FAILURE() << result.error().ToString();
    return {};
  }
  return *std::move(result);
}

std::vector<FrontierOptions> Questions(std::mt19937_64& random) {
  std::vector<FrontierOptions> list;
  for (int arity : {2, 3}) {
    FrontierOptions o;
    o.arity = arity;
    o.top = 1 + random() % 12;
    list.push_back(o);
    o.top = 0;
    list.push_back(o);
    o.top = 5;
    o.mask = FrontierMask::kLinked;
    list.push_back(o);
    o.filter.valid_at = 50;
    list.push_back(o);
  }
  return list;
}

NodeSubset RandomSubset(const Snapshot& snapshot, std::mt19937_64& random, unsigned one_in) {
  std::vector<NodeId> nodes;
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    if (random() % one_in == 0) nodes.push_back(v);
  return *NodeSubset::Of(snapshot, nodes);
}

TEST(Frontier, EqualsBruteForceOnRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t facts = 4 + random() % 26, tags = 1 + random() % 20;
    const Case c = RandomLedger(seed, facts, tags, 1 + random() % 6);
    for (Shape shape : kShapes) {
      const CaseGraph g = Build(c, shape);
      const Snapshot s = g.snapshot();
      const NodeSubset subset = RandomSubset(s, random, 2), anchors = RandomSubset(s, random, 5);
      for (FrontierOptions o : Questions(random)) {
        for (int narrowed = 0; narrowed < 3; ++narrowed) {
          if (narrowed == 1) o.filter.subset = &subset;
          if (narrowed == 2) o.anchors = &anchors;
          const auto want = reference::Frontier(Input(g, kSharedKinds, o), o.arity);
          SCOPED_TRACE(c.name + " arity " + std::to_string(o.arity) + " top " +
                       std::to_string(o.top));
          ExpectSame(Ask(s, o), want, o.top == 0 ? kMaxFrontierTop : o.top);
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

// The answer of every executor: what is wanted, and equal with all counters.
FrontierResult AskEverywhere(const Snapshot& snapshot, FrontierOptions options,
                             const std::vector<reference::FrontierRow>& want) {
  FrontierResult first;
  for (const auto& e : Executors()) {
    options.run.executor = e.executor.get();
    const FrontierResult got = Ask(snapshot, options);
    ExpectSame(got, want, options.top);
    if (first.sets.empty()) first = got;
    ExpectEqual(got, first);
  }
  return first;
}

// Enough rows for lists to be cut, for several rounds, and for two tasks in one.
TEST(Frontier, EqualsBruteForceOnLargerGraphs) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Case c = RandomLedger(seed, 1500, seed < 3 ? 60 : 400, seed % 2 ? 12 : 25);
    const CaseGraph g = Build(c, seed % 2 ? Shape::kDelta : Shape::kCompacted);
    FrontierOptions o;
    o.top = 40;
    o.mask = seed % 2 ? FrontierMask::kLinked : FrontierMask::kEvents;
    const auto want = reference::Frontier(Input(g, kSharedKinds, o), 2, o.top);
    SCOPED_TRACE(c.name);
    const FrontierResult got = AskEverywhere(g.snapshot(), o, want);
    EXPECT_LT(got.scored, got.wedges);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Frontier, TriplesEqualBruteForceOnLargerGraphs) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const CaseGraph g = Build(RandomLedger(seed, 150, 60, 8), Shape::kDelta);
    FrontierOptions o;
    o.arity = 3;
    o.top = 50;
    const auto want = reference::Frontier(Input(g, kSharedKinds, o), 3, o.top);
    AskEverywhere(g.snapshot(), o, want);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Frontier, ThePastAnswersAsItDid) {
  for (std::uint64_t seed = 70; seed < 90; ++seed) {
    const Case c = RandomLedger(seed, 30, 12, 4);
    CaseGraph g;
    std::vector<Snapshot> then;
    std::vector<std::vector<FrontierRow>> want[2];
    for (int step = 0; step < c.steps; ++step) {
      c.fill(g, step);
      g.Commit();
      then.push_back(g.snapshot());
      for (int arity : {2, 3})
        want[arity - 2].push_back(reference::Frontier(Input(g, kSharedKinds, {}), arity));
      if (step == 1) g.Compact();
    }
    for (std::size_t step = 0; step < then.size(); ++step)
      for (int arity : {2, 3}) {
        FrontierOptions o;
        o.arity = arity;
        o.top = 20;
        ExpectSame(Ask(then[step], o), want[arity - 2][step], o.top);
      }
    if (HasFailure()) return;
  }
}

TEST(Frontier, WorkedExample) {
  CaseGraph g;
  g.AddNodes(4);
  const std::size_t rare = g.AddNode(kTag), common = g.AddNode(kTag), alone = g.AddNode(kTag);
  const std::size_t event = g.AddNode(kEvent);
  for (std::size_t v : {0, 1}) g.Link(v, kHasTag, rare);
  for (std::size_t v : {0, 1, 2, 3}) g.Link(v, kHasTag, common);
  g.Link(0, kHasTag, alone);
  g.Link(event, kMember, 0, 1.0f, "primary");
  g.Link(event, kMember, 2, 1.0f, "supporting");
  g.Link(event, kMember, 3, 1.0f, "supporting");
  g.Link(1, kSupports, 2);
  g.Commit();
  FrontierOptions o;
  FrontierResult got = Ask(g.snapshot(), o);
  ASSERT_EQ(got.sets.size(), 3u);  // 01, then 12 and 13; 02, 03 and 23 share the event
  EXPECT_EQ(got.sets[0].members, (std::vector<NodeId>{0, 1}));
  EXPECT_NEAR(got.sets[0].score, 1 / std::log(3.0) + 1 / std::log(5.0), 1e-12);
  ASSERT_EQ(got.sets[0].shared.size(), 2u);
  EXPECT_EQ(got.sets[0].shared[0].node, g.id(rare));
  EXPECT_EQ(got.sets[0].shared[1].node, g.id(common));
  EXPECT_EQ(got.sets[1].members, (std::vector<NodeId>{1, 2}));
  EXPECT_EQ(got.sets[2].members, (std::vector<NodeId>{1, 3}));
  o.mask = FrontierMask::kLinked;
  EXPECT_EQ(Ask(g.snapshot(), o).sets.size(), 2u);  // 12 is linked
  o.mask = FrontierMask::kEvents;
  o.arity = 3;
  got = Ask(g.snapshot(), o);
  ASSERT_EQ(got.sets.size(), 3u);  // 012 013 123; 023 is the event
  EXPECT_EQ(got.sets[0].members, (std::vector<NodeId>{0, 1, 2}));
  EXPECT_NEAR(got.sets[0].score, (1 / std::log(3.0) + 3 / std::log(5.0)) / 3, 1e-12);
}

// All ties: the k-th best is known at once and must not cost all pairs.
TEST(Frontier, ATieOfEverythingIsCutShort) {
  constexpr std::size_t kFacts = 20000;
  CaseGraph g;
  g.AddNodes(kFacts);
  const std::size_t tag = g.AddNode(kTag), other = g.AddNode(kTag);
  for (std::size_t v = 0; v < kFacts; ++v) {
    g.Link(v, kHasTag, tag);
    g.Link(v, kHasTag, other);
  }
  g.Commit();
  for (int arity : {2, 3}) {
    FrontierOptions o;
    o.arity = arity;
    o.top = 10;
    const FrontierResult got = Ask(g.snapshot(), o);
    ASSERT_EQ(got.sets.size(), 10u);
    for (NodeId i = 0; i < 10; ++i) {
      EXPECT_EQ(got.sets[i].members[0], 0u);
      EXPECT_EQ(got.sets[i].members.back(), i + static_cast<NodeId>(arity) - 1);
    }
    EXPECT_LT(got.compared, 200 * kFacts);
    EXPECT_EQ(got.wedges, kFacts * (kFacts - 1));
  }
}

TEST(Frontier, ABudgetBoundsWhatIsCompared) {
  const CaseGraph g = Build(RandomLedger(5, 600, 40, 10), Shape::kClean);
  FrontierOptions o;
  o.top = 20;
  for (const std::uint64_t edges : {0u, 1000u}) {
    o.run.budget.edges = edges;
    const FrontierResult got = Ask(g.snapshot(), o);
    EXPECT_TRUE(got.truncated) << edges;
    EXPECT_LE(got.compared, edges);
  }
}

TEST(Frontier, KindsOfTheCaller) {
  CaseGraph g;
  EdgeKind about;
  about.name = "about";
  about.plane = Plane::kIndex;
  const EdgeKindId kind = g.DefineKind(about);
  g.AddNodes(3);
  const std::size_t tag = g.AddNode(kTag), file = g.AddNode(kFile);
  g.Link(0, kHasTag, tag);
  g.Link(1, kHasTag, tag);
  g.Link(file, kind, 1);  // from the index node to the fact
  g.Link(file, kind, 2);
  g.Commit();
  FrontierOptions o;
  EXPECT_EQ(Ask(g.snapshot(), o).sets.size(), 2u);
  o.filter.kinds = {kind};
  const FrontierResult got = Ask(g.snapshot(), o);
  ASSERT_EQ(got.sets.size(), 1u);
  EXPECT_EQ(got.sets[0].members, (std::vector<NodeId>{1, 2}));
}

TEST(Frontier, EmptyAndWrong) {
  CaseGraph g;
  EXPECT_TRUE(Ask(g.snapshot(), {}).sets.empty());
  g.AddNodes(2);
  g.Commit();
  FrontierOptions o;
  o.arity = 3;
  EXPECT_TRUE(Ask(g.snapshot(), o).sets.empty());
  for (int arity : {0, 1, 4}) {
    o.arity = arity;
    EXPECT_EQ(Frontier(g.snapshot(), o).error().code, ErrorCode::kInvalidArgument);
  }
  o.arity = 2;
  o.top = kMaxFrontierTop + 1;
  EXPECT_EQ(Frontier(g.snapshot(), o).error().code, ErrorCode::kInvalidArgument);
  o.top = 1;
  o.filter.kinds = {kSupports};
  EXPECT_EQ(Frontier(g.snapshot(), o).error().code, ErrorCode::kInvalidArgument);
  o.filter.kinds = {EdgeKindId{999}};
  EXPECT_EQ(Frontier(g.snapshot(), o).error().code, ErrorCode::kInvalidArgument);
}

// The cases of all kernels: no events, tags as noise; a hub that all share.
TEST(Frontier, EveryCaseInEveryShape) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    for (int arity : {2, 3}) {
      FrontierOptions o;
      o.arity = arity;
      ExpectSame(Ask(g.snapshot(), o), reference::Frontier(Input(g, kSharedKinds, o), arity),
                 o.top);
    }
  });
}

}  // namespace
}  // namespace plexus::testing
