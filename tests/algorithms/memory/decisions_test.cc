// Salience, compaction, blocked chains, contradictions, suggestions and the queue: MEMORY.md's
// numbers, and random graphs against the slow references.
#include "algorithms/memory/decisions/decisions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/internal/outcome_column.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/graph.h"
#include "tests/algorithms/memory/decision_graph.h"
#include "tests/reference/decisions.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;

Case RandomDecisions(std::uint64_t seed) {
  return {"decisions " + std::to_string(seed), 3, [seed](CaseGraph& g, int step) {
            std::mt19937_64 random(seed * 1000 + static_cast<std::uint64_t>(step));
            constexpr std::size_t kNodes = 24;
            if (step == 0) {
              g.AddNodes(kNodes - 2, kDecision);
              g.AddNode(kMemory);
              g.AddNode(kTurn);
            }
            const EdgeKindId kinds[] = {kDependsOn, kBlocks,     kRefines,     kCauses,
                                        kSupports,  kSupersedes, kContradicts, kDependsOn};
            for (int i = 0; i < 14; ++i) {
              const std::size_t a = random() % kNodes;
              const std::size_t b = random() % 3 == 0 ? 0 : random() % kNodes;  // a hub
              if (a == b || !g.alive(a) || !g.alive(b)) continue;
              const EdgeKindId kind = kinds[random() % std::size(kinds)];
              const auto made = static_cast<std::int64_t>(random() % 3);
              if (random() % 4 == 0)
                g.LinkValid(a, kind, b, static_cast<std::int64_t>(random() % 6),
                            static_cast<std::int64_t>(6 + random() % 6), made);
              else
                g.Link(a, kind, b, static_cast<float>(1 + random() % 3), "", made);
            }
            const char* outcomes[] = {"success", "failure", "pending", "abandoned"};
            for (int i = 0; i < 3; ++i) {
              const std::size_t a = random() % kNodes;
              if (g.alive(a)) g.SetString(a, kDecisionOutcome, outcomes[random() % 4]);
            }
            if (step == 2) g.Remove(1 + random() % (kNodes - 1));
            g.Commit();
          }};
}

namespace {

using Ids = std::vector<NodeId>;

TEST(Decisions, D1Salience) {
  for (const bool turns : {false, true}) {
    CaseGraph g;
    FillDecisions(g, turns);
    const SalienceResult r = Salience(g.snapshot(), {.decisions = At(kDecisionsNow)}).value();
    const std::map<NodeId, std::array<double, 3>> expected = {
        {8, {0.246654745, 1, 0.944444444}},
        {9, {0.246654745, 1, 0.944444444}},
        {0, {0.184806068, 0.74925, 0.777777778}},
        {1, {0.099895172, 0.405, 0.666666667}}};
    for (NodeId d = 0; d < 10; ++d) {
      const auto at = expected.find(d);
      const std::array<double, 3> values =
          at == expected.end() ? std::array<double, 3>{0.036998212, 0.15, 0.277777778} : at->second;
      EXPECT_NEAR(r.scores[d], values[0], 1e-9) << d;
      EXPECT_NEAR(r.scaled[d], values[1], 1e-8) << d;
      EXPECT_NEAR(r.percentiles[d], values[2], 1e-9) << d;
    }
    EXPECT_EQ(r.nodes.count(), 10u);
    EXPECT_EQ(r.cycles, (std::vector<Ids>{{8, 9}}));
    EXPECT_EQ(r.in_arcs[0], 3u);
    EXPECT_EQ(r.in_arcs[6], 0u);
  }
}

TEST(Decisions, D1TurnsChangeNoBit) {
  CaseGraph without, with;
  FillDecisions(without, false);
  FillDecisions(with, true);
  const SalienceResult a = Salience(without.snapshot(), {.decisions = At(kDecisionsNow)}).value();
  const SalienceResult b = Salience(with.snapshot(), {.decisions = At(kDecisionsNow)}).value();
  for (NodeId d = 0; d < 10; ++d) {
    EXPECT_EQ(a.scores[d], b.scores[d]);
    EXPECT_EQ(a.percentiles[d], b.percentiles[d]);
  }
}

TEST(Decisions, D2Blocked) {
  CaseGraph g;
  FillDecisions(g, true);
  const auto ask = [&] {
    return BlockedChains(g.snapshot(), {.decisions = At(kDecisionsNow)}).value();
  };
  BlockedChainsResult r = ask();
  std::map<NodeId, Ids> roots;
  for (const BlockedDecision& b : r.blocked) {
    const auto list = r.RootsOf(b);
    roots[b.node] = Ids(list.begin(), list.end());
  }
  EXPECT_EQ(roots, (std::map<NodeId, Ids>{{2, {7}}, {3, {1}}, {8, {}}, {9, {}}}));
  EXPECT_EQ(r.cycles, (std::vector<Ids>{{8, 9}}));
  EXPECT_EQ(ChainOf(g.snapshot(), r, 2, kDecisionsNow, 9).value(),
            (std::vector<ChainStep>{{2, 7, kBlocks}}));
  EXPECT_EQ(ChainOf(g.snapshot(), r, 3, kDecisionsNow, 9).value(),
            (std::vector<ChainStep>{{3, 1, kDependsOn}}));
  ASSERT_EQ(r.roots.size(), 2u);
  EXPECT_EQ(r.roots[0].kind, kDependsOn);
  EXPECT_EQ(r.roots[1].kind, kBlocks);
  g.SetString(1, kDecisionOutcome, "success");
  g.Commit();
  r = ask();
  EXPECT_EQ(r.Find(3), nullptr);
  EXPECT_NE(r.Find(2), nullptr);
}

TEST(Decisions, D3Contradictions) {
  CaseGraph g;
  FillDecisions(g, false);
  const auto r = DecisionContradictions(g.snapshot(), At(kDecisionsNow)).value().conflicts;
  ASSERT_EQ(r.size(), 1u);
  EXPECT_EQ(std::pair(r[0].a, r[0].b), std::pair(NodeId{0}, NodeId{6}));
  g.Link(7, kSupersedes, 6);
  g.Commit();
  EXPECT_TRUE(DecisionContradictions(g.snapshot(), At(kDecisionsNow)).value().conflicts.empty());
}

TEST(Decisions, D4Compaction) {
  CaseGraph g;
  FillDecisions(g, true);
  const CompactionResult r =
      CompactionTiers(g.snapshot(), {.salience = {.decisions = At(kDecisionsNow)}}).value();
  const char* expected[] = {"summary", "summary", "full", "full", "fold",
                            "full",    "digest",  "full", "keep", "keep"};
  ASSERT_EQ(r.entries.size(), 10u);
  for (std::size_t d = 0; d < 10; ++d)
    EXPECT_EQ(TierName(r.entries[d].tier), expected[d]) << "d" << d + 1;
  EXPECT_EQ(r.entries[4].into, 5u);
  EXPECT_FALSE(r.batch.empty());
  // Ages are inclusive.
  CompactionOptions exactly{.salience = {.decisions = At(kDecisionsNow)}};
  exactly.digest_age_ms = exactly.summary_age_ms = 40 * kDay;
  EXPECT_EQ(CompactionTiers(g.snapshot(), exactly).value().entries[6].tier,
            CompactionTier::kDigest);
  exactly.digest_age_ms = exactly.summary_age_ms = 40 * kDay + 1;
  EXPECT_EQ(CompactionTiers(g.snapshot(), exactly).value().entries[6].tier, CompactionTier::kFull);
}

// Tiers and suggested edges are proposals: what was removed meanwhile does not come back.
TEST(Decisions, AProposalBringsNoRemovedNodeBack) {
  auto graph = Graph::InMemory();
  WriteBatch made(1);
  const NodeRef a = made.UpsertNode("a", kDecision);
  const NodeRef b = made.UpsertNode("b", kDecision);
  for (const char* tag : {"x", "y", "z"})
    for (const NodeRef node : {a, b}) made.Link(node, kHasTag, made.IndexNode(kTag, tag));
  ASSERT_TRUE(graph->Apply(made));
  const Snapshot before = graph->snapshot();
  const CompactionResult tiers =
      CompactionTiers(before, {.salience = {.decisions = At(2)}}).value();
  SuggestOptions options;
  options.decisions = At(2);
  const SuggestResult edges = SuggestEdges(before, *before.Find("a"), options).value();
  ASSERT_FALSE(tiers.batch.empty());
  ASSERT_EQ(edges.edges.size(), 1u);
  WriteBatch gone(2);
  gone.RemoveNode(gone.Node("b"));
  ASSERT_TRUE(graph->Apply(gone));
  for (const WriteBatch* batch : {&tiers.batch, &edges.batch}) {
    const auto applied = graph->Apply(*batch);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().code, ErrorCode::kConflict);
  }
  EXPECT_FALSE(graph->snapshot().alive(*before.Find("b")));
}

TEST(Decisions, D7RootsThroughChains) {
  CaseGraph g;
  g.AddNodes(10, kDecision);  // e0 is not used
  g.Link(1, kDependsOn, 2);
  g.Link(2, kDependsOn, 3);
  g.Link(9, kBlocks, 3);
  g.Link(4, kBlocks, 2);
  g.Link(5, kSupersedes, 4);
  g.Link(6, kDependsOn, 7);
  g.SetString(7, kDecisionOutcome, "abandoned");
  g.Commit();
  const BlockedChainsResult r = BlockedChains(g.snapshot(), {.decisions = At(1)}).value();
  Ids blocked;
  for (const BlockedDecision& b : r.blocked) {
    blocked.push_back(b.node);
    EXPECT_EQ(Ids(r.RootsOf(b).begin(), r.RootsOf(b).end()), Ids{9});
  }
  EXPECT_EQ(blocked, (Ids{1, 2, 3}));
  EXPECT_EQ(r.Find(1)->hops, 3u);
  EXPECT_EQ(ChainOf(g.snapshot(), r, 1, 1, 2).value().size(), 2u);
}

TEST(Decisions, ALongChainNeedsNoRecursion) {
  CaseGraph g;
  constexpr std::size_t kLong = 100'000;
  g.AddNodes(kLong, kDecision);
  for (std::size_t v = 0; v + 1 < kLong; ++v) g.Link(v, kDependsOn, v + 1);
  g.Commit();
  const BlockedChainsResult r = BlockedChains(g.snapshot(), {.decisions = At(1)}).value();
  ASSERT_EQ(r.blocked.size(), kLong - 1);
  EXPECT_EQ(r.blocked[0].hops, kLong - 1);
  EXPECT_EQ(r.blocked[0].root, kLong - 1);
  EXPECT_EQ(r.roots[0].blocked_count, kLong - 1);
  EXPECT_EQ(ChainOf(g.snapshot(), r, 0, 1, kLong).value().size(), kLong - 1);
}

TEST(Decisions, MoreRootsThanAreListed) {
  CaseGraph g;
  g.AddNodes(30, kDecision);
  for (std::size_t v = 1; v < 30; ++v) g.Link(v, kBlocks, 0);
  g.Commit();
  BlockedChainsOptions options{.decisions = At(1), .max_roots = 3};
  const BlockedChainsResult r = BlockedChains(g.snapshot(), options).value();
  ASSERT_EQ(r.blocked.size(), 1u);
  EXPECT_EQ(Ids(r.RootsOf(r.blocked[0]).begin(), r.RootsOf(r.blocked[0]).end()), (Ids{1, 2, 3}));
  EXPECT_TRUE(r.blocked[0].more_roots);
  options.max_roots = 29;
  const BlockedChainsResult all = BlockedChains(g.snapshot(), options).value();
  EXPECT_FALSE(all.blocked[0].more_roots);
  options.max_roots = 0;
  EXPECT_EQ(BlockedChains(g.snapshot(), options).error().code, ErrorCode::kInvalidArgument);
}

// What the reference is told, from the record of what was written.
struct Facts {
  std::vector<bool> superseded, recorded, unresolved;
  std::vector<std::string> outcome;
  Ids members;  // alive decisions
};

Facts Read(const CaseGraph& g, std::int64_t now) {
  Facts facts;
  const std::vector<NodeId> heads =
      reference::Heads(g.size(), g.Flat({kSupersedes}, nullptr, now).arcs);
  for (NodeId v = 0; v < g.size(); ++v) {
    const bool member = g.alive(v) && g.snapshot().node_kind(v) == kDecision;
    if (member) facts.members.push_back(v);
    facts.outcome.emplace_back(memory::internal::OutcomeOf(g.snapshot(), v));
    facts.superseded.push_back(heads[v] != v);
    facts.recorded.push_back(!facts.outcome[v].empty() && facts.outcome[v] != "pending");
    facts.unresolved.push_back(member && !facts.superseded[v] && !facts.recorded[v]);
  }
  return facts;
}

void ExpectActive(const CaseGraph& g, std::int64_t now) {
  const auto visible = VisibleNodes(g.snapshot(), now).value();
  for (NodeId v = 0; v < g.size(); ++v) {
    const NodeId nodes[] = {v};
    const bool active =
        visible->contains(v) && memory::internal::OutcomeOf(g.snapshot(), v) != "abandoned";
    EXPECT_EQ(StatusOf(g.snapshot(), nodes, now).value()[0].active, active) << v;
  }
}

void ExpectBlocked(const CaseGraph& g, std::int64_t now) {
  const Facts facts = Read(g, now);
  std::vector<std::pair<NodeId, NodeId>> waits;
  for (const auto& a : g.Flat({kDependsOn}, nullptr, now).arcs) waits.emplace_back(a.from, a.to);
  for (const auto& a : g.Flat({kBlocks}, nullptr, now).arcs) waits.emplace_back(a.to, a.from);
  const auto expected = reference::Blocked(facts.unresolved, waits);
  const BlockedChainsResult r =
      BlockedChains(g.snapshot(), {.decisions = At(now), .max_roots = 64}).value();
  for (NodeId v = 0; v < g.size(); ++v) {
    const BlockedDecision* found = r.Find(v);
    ASSERT_EQ(found != nullptr, expected[v].blocked) << v;
    if (!found) continue;
    const auto roots = r.RootsOf(*found);
    EXPECT_EQ(std::set<NodeId>(roots.begin(), roots.end()), expected[v].roots) << v;
    EXPECT_EQ(found->in_cycle, expected[v].in_cycle) << v;
    EXPECT_EQ(found->hops, expected[v].hops) << v;
    EXPECT_EQ(ChainOf(g.snapshot(), r, v, now, 100).value().size(), found->hops);
    if (found->root != kNoNode) {
      EXPECT_TRUE(expected[v].roots.contains(found->root));
    }
  }
}

void ExpectSalience(const CaseGraph& g, std::int64_t now) {
  const Facts facts = Read(g, now);
  const NodeSubset members = NodeSubset::Of(g.snapshot(), facts.members).value();
  auto flat = g.Flat({kDependsOn, kRefines, kCauses, kSupports}, &members, now);
  for (auto& a : flat.arcs)
    if (a.kind == kCauses || a.kind == kSupports) std::swap(a.from, a.to);
  const std::vector<double> expected = reference::PageRank(flat, 0.85, true, {}, 0);
  SalienceOptions options{.decisions = At(now)};
  options.decisions.run.executor = NextExecutor();
  const SalienceResult r = Salience(g.snapshot(), options).value();
  for (const NodeId v : facts.members) {
    EXPECT_NEAR(r.scores[v], expected[v], 1e-10) << v;
    EXPECT_EQ(r.percentiles[v], reference::Percentile(r.scores, facts.members, v)) << v;
  }
  EXPECT_EQ(r.nodes.ToList(), facts.members);
  CompactionOptions compaction{.salience = options};
  const CompactionResult tiers = CompactionTiers(g.snapshot(), compaction).value();
  ASSERT_EQ(tiers.entries.size(), facts.members.size());
  for (const CompactionEntry& e : tiers.entries) {
    const bool arrives =
        std::ranges::any_of(flat.arcs, [&](const auto& a) { return a.to == e.node; });
    EXPECT_EQ(TierName(e.tier), reference::Tier({facts.superseded[e.node], facts.recorded[e.node],
                                                 arrives, r.percentiles[e.node], -1}))
        << e.node;
  }
}

TEST(Decisions, EqualTheirReferences) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    ForEachCase({RandomDecisions(seed)}, [](const CaseGraph& g, Shape) {
      for (const std::int64_t now : {0, 4, 8, 20}) {
        SCOPED_TRACE(now);
        ExpectActive(g, now);
        ExpectBlocked(g, now);
        ExpectSalience(g, now);
      }
    });
}

// The same answers by key, however the decisions came.
TEST(Decisions, OrderOfInsertionDoesNotMatter) {
  struct Link {
    int source;
    EdgeKindId kind;
    int target;
  };
  std::map<std::string, std::string> first;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<int> order = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    std::vector<Link> links = {{2, kDependsOn, 1}, {3, kDependsOn, 1},  {4, kDependsOn, 2},
                               {5, kRefines, 2},   {6, kSupersedes, 5}, {8, kBlocks, 3},
                               {1, kCauses, 7},    {9, kDependsOn, 10}, {10, kDependsOn, 9}};
    if (seed > 0) {
      std::ranges::shuffle(order, random);
      std::ranges::shuffle(links, random);
    }
    const auto graph = Graph::InMemory();
    WriteBatch batch(1);
    const auto node = [&](int d) { return batch.UpsertNode("d" + std::to_string(d), kDecision); };
    for (const int d : order) batch.SetString(node(d), kDecisionOutcome, d == 1 ? "success" : "");
    for (const Link& l : links) batch.Link(node(l.source), l.kind, node(l.target));
    ASSERT_TRUE(graph->Apply(batch));
    const Snapshot s = graph->snapshot();
    const SalienceResult salience = Salience(s, {.decisions = At(2)}).value();
    const CompactionResult tiers = CompactionTiers(s, {.salience = {.decisions = At(2)}}).value();
    const BlockedChainsResult blocked = BlockedChains(s, {.decisions = At(2)}).value();
    std::map<std::string, std::string> said;
    for (const CompactionEntry& e : tiers.entries) {
      std::string& text = said[std::string(s.key(e.node))];
      text = std::to_string(salience.percentiles[e.node]) + " " + std::string(TierName(e.tier));
      if (e.into != kNoNode) text += " " + std::string(s.key(e.into));
      if (const BlockedDecision* b = blocked.Find(e.node))
        text += " blocked " + (b->root == kNoNode ? "" : std::string(s.key(b->root)));
    }
    if (seed == 0) first = said;
    EXPECT_EQ(said, first) << "seed " << seed;
  }
}

TEST(Decisions, QueueRanksItsSources) {
  CaseGraph g;
  FillDecisions(g, true);
  const WorkQueueResult r =
      WorkQueue(g.snapshot(), {.decisions = At(kDecisionsNow), .top = 0}).value();
  std::multimap<WorkKind, NodeId> found;
  for (const WorkItem& i : r.items) {
    found.emplace(i.kind, i.node);
    EXPECT_DOUBLE_EQ(i.score, i.value * i.weight);
    EXPECT_FALSE(i.reason.empty());
  }
  EXPECT_TRUE(std::ranges::is_sorted(r.items, std::ranges::greater(), &WorkItem::score));
  const auto nodes = [&](WorkKind kind) {
    std::set<NodeId> set;
    const auto [begin, end] = found.equal_range(kind);
    for (auto at = begin; at != end; ++at) set.insert(at->second);
    return set;
  };
  EXPECT_EQ(nodes(WorkKind::kConflict), (std::set<NodeId>{0}));
  EXPECT_EQ(nodes(WorkKind::kBlockedRoot), (std::set<NodeId>{1, 7}));
  EXPECT_EQ(nodes(WorkKind::kOverdue), (std::set<NodeId>{1, 8, 9}));  // 40 days, none recorded
  EXPECT_EQ(nodes(WorkKind::kStale), (std::set<NodeId>{8, 9}));
  EXPECT_EQ(WorkQueue(g.snapshot(), {.period_ms = 0}).error().code, ErrorCode::kInvalidArgument);

  // Only some sources, and so many of each.
  const WorkQueueResult some =
      WorkQueue(g.snapshot(), {.decisions = At(kDecisionsNow),
                               .kinds = {WorkKind::kOverdue, WorkKind::kStale},
                               .top = 0,
                               .each = 1})
          .value();
  ASSERT_EQ(some.items.size(), 2u);
  EXPECT_EQ(some.items[0].kind, WorkKind::kOverdue);
  EXPECT_EQ(some.items[1].kind, WorkKind::kStale);
  for (const WorkItem& item : some.items)
    for (const WorkItem& other : r.items)
      if (other.kind == item.kind) {
        EXPECT_GE(item.score, other.score);
      }
}

// Ten decisions share tags; what edges link is no news, what no other needs is a cluster.
TEST(Decisions, QueuePassesOverLinkedPairsAndFindsClusters) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(kDecisionsNow - 1);
  std::vector<NodeRef> nodes;
  for (int i = 0; i < 10; ++i) {
    nodes.push_back(batch.UpsertNode("q" + std::to_string(i), kDecision));
    for (const char* tag : {"queue", "oracle", "pause"})
      batch.Link(nodes.back(), kHasTag, batch.IndexNode(kTag, tag));
  }
  for (int i = 1; i < 9; ++i) batch.Link(nodes[0], i % 2 ? kRefines : kRelatesTo, nodes[i]);
  for (int i = 1; i < 8; ++i)
    for (int j = i + 1; j < 9; ++j) batch.Link(nodes[j], kRelatesTo, nodes[i]);
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  WorkQueueOptions options{.decisions = At(kDecisionsNow), .top = 0};
  options.kinds = {WorkKind::kFrontier};
  options.frontier = 20;
  const WorkQueueResult pairs = WorkQueue(s, options).value();
  ASSERT_EQ(pairs.items.size(), 9u);  // each with the one that no edge touches
  for (const WorkItem& item : pairs.items) EXPECT_EQ(item.other, s.Find("q9"));
  options.frontier = 4;  // of 45 pairs the first are linked
  EXPECT_EQ(WorkQueue(s, options).value().items.size(), 4u);

  options.kinds = {WorkKind::kLowCluster};
  EXPECT_TRUE(WorkQueue(s, options).value().items.empty());  // some of them is salient
  options.low_percentile = 1;
  const WorkQueueResult low = WorkQueue(s, options).value();
  ASSERT_EQ(low.items.size(), 1u);  // one decision is no cluster
  EXPECT_EQ(low.items[0].node, s.Find("q0"));
  EXPECT_EQ(low.items[0].reason, "9 decisions hang together, and few others need them");
}

// Fifty events: pairs come by the lens likely, whose scores are logarithms.
TEST(Decisions, QueueOfAnOldLedgerAsksWhatComesNext) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(kDecisionsNow - 1);
  for (int d = 0; d < 6; ++d) batch.UpsertNode("q" + std::to_string(d), kDecision);
  for (int e = 0; e < 50; ++e) {  // each with its neighbor on a ring
    const NodeRef event = batch.IndexNode(kEvent, "e" + std::to_string(e));
    batch.UpsertNode(event);
    for (const int d : {e % 6, (e + 1) % 6})
      batch.Link(event, kMember, batch.Node("q" + std::to_string(d)));
  }
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  WorkQueueOptions options{.decisions = At(kDecisionsNow), .top = 0};
  options.kinds = {WorkKind::kFrontier};
  const WorkQueueResult queue = WorkQueue(s, options).value();
  const NeverComposedPage page =
      NeverComposed(s, {.lens = FrontierLens::kLikely, .top = 5, .now_ms = kDecisionsNow}).value();
  ASSERT_EQ(page.sets.size(), 5u);  // second neighbors; those across have no common partner
  ASSERT_EQ(queue.items.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(queue.items[i].node, page.sets[i].members[0]);
    EXPECT_EQ(queue.items[i].other, page.sets[i].members[1]);
    EXPECT_NEAR(queue.items[i].value, 1 / (1 + std::exp(-page.sets[i].score)), 1e-12);
  }
}

TEST(Decisions, StatusAndQuality) {
  CaseGraph g;
  FillDecisions(g, false);
  const NodeId nodes[] = {4, 1, 0};
  const auto states = StatusOf(g.snapshot(), nodes, kDecisionsNow).value();
  EXPECT_EQ(states[0].superseded_by, 5u);
  EXPECT_TRUE(states[0].resolved && !states[0].active && !states[0].recorded);
  EXPECT_TRUE(!states[1].resolved && states[1].active);
  EXPECT_TRUE(states[2].resolved && states[2].active && states[2].recorded);
  const auto quality = QualityOf(g.snapshot(), nodes, kDecisionsNow).value();
  EXPECT_EQ(quality[2].edges, 4u);  // two depend on it, one contradicts it, it causes one
  EXPECT_EQ(quality[2].kinds, 3u);
  EXPECT_NEAR(quality[2].diversity, 1 - (0.25 + 0.0625 + 0.0625), 1e-12);
  const NodeId none[] = {99};
  EXPECT_FALSE(StatusOf(g.snapshot(), none, 0));
  EXPECT_FALSE(QualityOf(g.snapshot(), none, 0));
}

}  // namespace
}  // namespace plexus::testing
