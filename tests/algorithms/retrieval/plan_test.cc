// Retrieve against its definition: random plans and all named ones, on random graphs in every
// shape, at any number of threads; worked examples; budgets; what is refused.
#include "algorithms/retrieval/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <sstream>

#include "algorithms/retrieval/vectors.h"
#include "tests/algorithms/retrieval/plan_check.h"
#include "tests/algorithms/retrieval/plan_world.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace retrieval;
namespace {

TEST(Plan, RandomPlansEqualTheirDefinition) {
  std::size_t asked = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (const Shape shape : kShapes) {
      std::ostringstream what;
      what << "seed " << seed << ", " << shape;
      SCOPED_TRACE(what.str());
      const PlanGraph graph(seed, shape);
      std::mt19937_64 random(seed);
      for (int round = 0; round < 12; ++round) {
        const RetrievalPlan plan = DrawPlan(graph, random);
        ASSERT_TRUE(CheckPlan(plan));
        ExpectByDefinition(graph, graph.snapshot(), plan, random, asked);
        if (::testing::Test::HasFailure()) return;
      }
    }
  EXPECT_GT(asked, 1000u);
}

TEST(Plan, NamedPlansEqualTheirDefinition) {
  for (const NamedPlan& named : NamedPlans()) {
    std::size_t asked = 0;
    for (std::uint64_t seed = 101; seed <= 130; ++seed)
      for (const Shape shape : kShapes) {
        SCOPED_TRACE(std::string(named.name) + ", seed " + std::to_string(seed));
        const PlanGraph graph(seed, shape);
        std::mt19937_64 random(seed);
        RetrievalPlan plan = named.plan;
        for (int round = 0; round < 6; ++round) {
          plan.top = 1 + random() % 10;
          plan.expand.hops = round % 2 ? static_cast<int>(random() % 4) : named.plan.expand.hops;
          ExpectByDefinition(graph, graph.snapshot(), plan, random, asked);
          if (::testing::Test::HasFailure()) return;
        }
      }
    EXPECT_GT(asked, 100u) << named.name;
  }
}

// Turns with the edges that builders of turns make of them.
struct Turns {
  CaseGraph g;
  SpaceId space;
  Turns() {
    const auto t = [](std::size_t number) { return number - 1; };
    g.AddNodes(7, kTurn);
    g.SetVector(t(1), kSpace, {1, 0});
    g.Commit();
    g.SetVector(t(2), kSpace, {.6f, .8f});
    g.SetVector(t(3), kSpace, {0, 1});
    g.SetVector(t(5), kSpace, {.8f, .6f});
    g.SetVector(t(6), kSpace, {0, 1});
    g.Link(t(1), kTemporal, t(2), 0.983606557f);
    g.Link(t(2), kTemporal, t(3), 0.5f);
    g.Link(t(3), kTemporal, t(4), 0.090909091f);
    g.Link(t(5), kTemporal, t(6), 1);
    g.Link(t(2), kReferential, t(1), 0.6f);
    g.Link(t(5), kReferential, t(1), 0.8f);
    g.Link(t(5), kReferential, t(2), 0.96f);
    g.Link(t(6), kReferential, t(2), 0.8f);
    g.Link(t(6), kReferential, t(5), 0.6f);
    g.Link(t(1), kCategorical, t(5), 0.8f);
    g.Link(t(3), kCategorical, t(5), 0.6f);
    g.Link(t(5), kCausal, t(1), 0.7f);
    g.Link(t(5), kTrajectory, t(6), 0.7f);
    g.Commit();
    space = *g.snapshot().schema().FindSpace(kSpace);
  }
};

TEST(Plan, RerankOfTurns) {
  const Turns turns;
  RetrievalPlan plan = FindPlan("rerank")->plan;
  plan.top = 2;
  const float query[] = {1, 0};
  const auto got = Retrieve(turns.g.snapshot(), plan, {.vector = query, .space = turns.space});
  ASSERT_TRUE(got) << got.error().ToString();
  ASSERT_EQ(got->hits.size(), 2u);
  EXPECT_EQ(got->candidates, 5u);
  EXPECT_EQ(got->hits[0].node, 0u);
  EXPECT_NEAR(got->hits[0].score, 0.889137, 1e-6);
  EXPECT_EQ(got->hits[1].node, 4u);
  EXPECT_NEAR(got->hits[1].score, 0.86, 1e-6);
  // The kernel of that name says the same where no cosine is below 0.
  const auto rerank = Rerank(turns.g.snapshot(), turns.space, query, {.k = 6, .top = 2});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(got->hits[i].node, rerank->hits[i].node);
    EXPECT_DOUBLE_EQ(got->hits[i].score, rerank->hits[i].score);
  }
}

TEST(Plan, MultiHopOverTurns) {
  const Turns turns;
  RetrievalPlan plan = FindPlan("multi-hop")->plan;
  plan.expand.kinds = {kTemporal};
  plan.expand.hops = 3;
  const float query[] = {0, 1};
  const NodeWeight from{0, 1};
  const auto got = Retrieve(turns.g.snapshot(), plan,
                            {.vector = query, .space = turns.space, .keys = {&from, 1}});
  ASSERT_TRUE(got) << got.error().ToString();
  ASSERT_EQ(got->hits.size(), 2u);
  EXPECT_EQ(got->hits[0].node, 1u);
  EXPECT_NEAR(got->hits[0].score, 0.873442631, 1e-6);
  EXPECT_EQ(got->hits[1].node, 2u);
  EXPECT_NEAR(got->hits[1].score, 0.796721315, 1e-6);
  EXPECT_EQ(got->hits[1].hops, 2);
  EXPECT_EQ(got->hits[1].seed, 0u);
  ASSERT_EQ(got->hits[1].path.size(), 2u);
  EXPECT_EQ(got->hits[1].path[0].target, 1u);
  EXPECT_EQ(got->without_vector, 1u);
  EXPECT_EQ(got->left_out, 1u);
}

// Words say a, b, c in this order, vectors b and d.
TEST(Plan, ReciprocalRanks) {
  CaseGraph g;
  g.AddNodes(4);
  const std::size_t term = g.AddNode(kTerm);
  g.SetVector(1, kSpace, {1, 0});
  g.Commit();
  g.SetVector(3, kSpace, {1, 1});
  g.Link(0, kHasTerm, term, 9);
  g.Link(1, kHasTerm, term, 4);
  g.Link(2, kHasTerm, term, 1);
  g.Commit();
  const Snapshot s = g.snapshot();
  const std::string words[] = {"n" + std::to_string(term)};
  const float query[] = {1, 0};
  RetrievalPlan plan;
  plan.seeds = {{.by = SeedBy::kWords}, {.by = SeedBy::kVector}};
  plan.score[PlanTerm::kSimilarity] = plan.score[PlanTerm::kWords] = 1;
  plan.fuse = Fusion::kRrf;
  const auto got =
      Retrieve(s, plan, {.terms = words, .vector = query, .space = s.schema().FindSpace(kSpace)});
  ASSERT_TRUE(got) << got.error().ToString();
  const NodeId order[] = {1, 0, 3, 2};
  const double scores[] = {0.032522475, 0.016393443, 0.016129032, 0.015873016};
  ASSERT_EQ(got->hits.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(got->hits[i].node, order[i]);
    EXPECT_NEAR(got->hits[i].score, scores[i], 1e-9);
  }
  EXPECT_EQ(got->hits[0].ranks, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(got->hits[0].found_by, 3u);
}

TEST(FuseRanks, WeighsItsLists) {
  const std::vector<NodeId> lists[] = {{0, 1}, {1}};
  const double weights[] = {1, 0.5};
  const auto fused = FuseRanks(lists, 60, weights);
  ASSERT_EQ(fused.size(), 2u);
  EXPECT_EQ(fused[0].node, 1u);
  EXPECT_EQ(fused[0].score, 1 / 62.0 + 0.5 / 61.0);
  EXPECT_EQ(fused[1].score, 1 / 61.0);
}

TEST(Plan, StagesSayWhatTheyDid) {
  const Turns turns;
  RetrievalPlan plan = FindPlan("dual")->plan;
  plan.filter.where = "kind = 'turn'";
  const float query[] = {1, 0};
  const auto got = Retrieve(turns.g.snapshot(), plan, {.vector = query, .space = turns.space});
  ASSERT_TRUE(got);
  ASSERT_EQ(got->stages.size(), 7u);
  const std::string_view names[] = {"filter", "words", "vector", "keys", "expand", "score", "fuse"};
  const std::uint64_t kept[] = {7, 0, 5, 0, 6, 6, 6};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(got->stages[i].name, names[i]);
    EXPECT_EQ(got->stages[i].kept, kept[i]) << names[i];
    EXPECT_EQ(got->stages[i].skipped, i == 1 || i == 3);
    EXPECT_FALSE(got->stages[i].truncated);
  }
  EXPECT_EQ(got->stages[2].read, 5u);
}

TEST(Plan, BudgetsAndCancelsAreTold) {
  const Turns turns;
  const Snapshot s = turns.g.snapshot();
  RetrievalPlan plan = FindPlan("dual")->plan;
  const float query[] = {1, 0};
  const RetrieveQuery question{.vector = query, .space = turns.space};
  for (std::uint64_t limit = 0; limit < 7; ++limit) {
    RetrieveOptions options;
    (limit % 2 ? options.run.budget.nodes : options.run.budget.edges) = limit;
    const auto got = Retrieve(s, plan, question, options);
    ASSERT_TRUE(got) << got.error().ToString();
    EXPECT_TRUE(got->truncated) << limit;
  }
  const std::atomic<bool> stop = true;
  for (const NamedPlan& named : NamedPlans())
    for (const char* where : {"", "kind = 'turn'"}) {
      RetrievalPlan stopped = named.plan;
      stopped.filter.where = where;
      const NodeWeight from{0, 1};
      RetrieveQuery all = question;
      all.keys = {&from, 1};
      RetrieveOptions options;
      options.run.budget.cancel = &stop;
      const auto cancelled = Retrieve(s, stopped, all, options);
      ASSERT_TRUE(cancelled) << named.name;
      EXPECT_TRUE(cancelled->truncated);
      options.run.budget = {.deadline = std::chrono::steady_clock::now()};
      const auto late = Retrieve(s, stopped, all, options);
      ASSERT_TRUE(late);
      EXPECT_TRUE(late->truncated);
    }
}

TEST(Plan, AnEmptyGraph) {
  CaseGraph g;
  g.Commit();
  const std::string words[] = {"a"};
  for (const NamedPlan& named : NamedPlans()) {
    const auto got = Retrieve(g.snapshot(), named.plan, {.terms = words});
    if (!HasSeeds(named.plan, SeedBy::kWords)) {
      EXPECT_FALSE(got);
      continue;
    }
    ASSERT_TRUE(got) << got.error().ToString();
    EXPECT_TRUE(got->hits.empty());
  }
}

// Of two that say the same, the one that says something else comes second.
TEST(Plan, MarginalRelevanceTakesWhatIsNew) {
  CaseGraph g;
  g.AddNodes(3);
  g.SetVector(0, kSpace, {4, 1});
  g.Commit();
  g.SetVector(1, kSpace, {4, 1});
  g.SetVector(2, kSpace, {1, 1});
  g.Commit();
  const Snapshot s = g.snapshot();
  RetrievalPlan plan = FindPlan("rerank")->plan;
  plan.fuse = Fusion::kMmr;
  const float query[] = {1, 0};
  const RetrieveQuery question{.vector = query, .space = s.schema().FindSpace(kSpace)};
  plan.lambda = 0.25;
  const auto mixed = Retrieve(s, plan, question);
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->hits[1].node, 2u);
  for (std::size_t i = 1; i < 3; ++i) EXPECT_LE(mixed->hits[i].score, mixed->hits[i - 1].score);
  plan.lambda = 1;
  EXPECT_EQ(Retrieve(s, plan, question)->hits[1].node, 1u);
}

void ExpectRefused(const Result<RetrieveResult>& got, const std::string& why) {
  ASSERT_FALSE(got) << why;
  EXPECT_NE(got.error().message.find(why), std::string::npos) << got.error().message;
}

TEST(Plan, BadPlansNameThePlace) {
  const Turns turns;
  const float query[] = {1, 0};
  const RetrieveQuery question{.vector = query, .space = turns.space};
  const auto refused = [&](auto&& change, const std::string& why) {
    RetrievalPlan plan = FindPlan("dual")->plan;
    change(plan);
    const auto got = Retrieve(turns.g.snapshot(), plan, question);
    ExpectRefused(got, why);
    EXPECT_TRUE(got || got.error().code == ErrorCode::kInvalidArgument);
  };
  const double nan = std::nan("");
  refused([](auto& p) { p.seeds.clear(); }, "seeds: ");
  refused([](auto& p) { p.seeds.resize(17); }, "seeds: 17");
  refused([](auto& p) { p.seeds[1].top = 0; }, "seeds[1].top: 0");
  refused([](auto& p) { p.seeds[0].top = 10'001; }, "seeds[0].top: ");
  refused([](auto& p) { p.seeds[0].per_hit = 1'001; }, "seeds[0].per_hit: ");
  refused([](auto& p) { p.seeds[0].per_hit = ~std::size_t{0}; }, "seeds[0].per_hit: ");
  refused([](auto& p) { p.seeds[0].per_hit = ~std::size_t{0}, p.seeds[0].least = 1; },
          "seeds[0].per_hit: ");
  refused([](auto& p) { p.expand.per_hit = 10'001; }, "expand.per_hit: ");
  refused([](auto& p) { p.seeds[0].starts = 0; }, "seeds[0].starts: 0");
  refused([](auto& p) { p.seeds[1].space = SpaceId{7}; }, "seeds[1].space: ");
  refused([](auto& p) { p.top = 0, p.fuse = Fusion::kMmr; }, "top: 0");
  refused([](auto& p) { p.top = 10'001; }, "top: 10001");
  refused([](auto& p) { p.expand.hops = 17; }, "expand.hops: ");
  refused([](auto& p) { p.expand.hops = -1; }, "expand.hops: ");
  refused([](auto& p) { p.expand.decay = 0; }, "expand.decay: ");
  refused([&](auto& p) { p.expand.decay = nan; }, "expand.decay: ");
  refused([](auto& p) { p.expand.top = 0; }, "expand.top: ");
  refused([](auto& p) { p.expand.kinds = {EdgeKindId{60'000}}; }, "edge kind 60000");
  refused([](auto& p) { p.filter.node_kinds = {NodeKindId{250}}; }, "filter.node_kinds[0]: ");
  refused([](auto& p) { p.filter.where = "trust >"; }, "filter.where: ");
  refused([](auto& p) { p.filter.where = "trust > 1) or (trust < 2"; }, "filter.where: ");
  refused([](auto& p) { p.score.weights = {}; }, "score: ");
  refused([](auto& p) { p.score[PlanTerm::kAge] = -1; }, "score.age: ");
  refused([&](auto& p) { p.score[PlanTerm::kWords] = nan; }, "score.words: ");
  refused([](auto& p) { p.score[PlanTerm::kPageRank] = 1; }, "score.pagerank: ");
  refused([](auto& p) { p.score.half_life_ms = 0; }, "score.half_life_days: ");
  refused([](auto& p) { p.score.full_count = 0; }, "score.full_count: ");
  refused([](auto& p) { p.seeds[0].per_hit = 1, p.seeds[0].least = 10'001; }, "seeds[0].least: ");
  refused([](auto& p) { p.score[PlanTerm::kAge] = 1, p.fuse = Fusion::kLists; }, "score.age: ");
  refused([](auto& p) { p.score.required[1] = true; }, "score.require: words");
  refused([&](auto& p) { p.lambda = nan; }, "lambda: ");
}

TEST(Plan, BadQuestions) {
  Turns turns;
  turns.g.Remove(3);
  turns.g.Commit();
  const Snapshot s = turns.g.snapshot();
  const RetrievalPlan& dual = FindPlan("dual")->plan;
  const RetrievalPlan& multi_hop = FindPlan("multi-hop")->plan;
  const float query[] = {1, 0}, long_one[] = {1, 0, 0}, bad[] = {1, std::nanf("")};
  const auto ask = [&](const RetrievalPlan& plan, std::span<const float> vector, NodeWeight key) {
    return Retrieve(s, plan, {.vector = vector, .space = turns.space, .keys = {&key, 1}});
  };
  ExpectRefused(Retrieve(s, dual, {}), "nothing for the plan's seeds: words, vector, keys");
  ExpectRefused(Retrieve(s, dual, {.vector = query}), "of no space");
  ExpectRefused(Retrieve(s, dual, {.vector = query, .space = SpaceId{9}}), "space");
  ExpectRefused(ask(dual, long_one, {0, 1}), "");
  ExpectRefused(ask(dual, bad, {0, 1}), "");
  ExpectRefused(ask(multi_hop, {}, {0, 1}), "score.require: similarity");
  ExpectRefused(ask(multi_hop, query, {3, 1}), "removed");
  ExpectRefused(ask(multi_hop, query, {99, 1}), "99");
  ExpectRefused(ask(multi_hop, query, {0, 0}), "weight of key");
  ExpectRefused(ask(multi_hop, query, {0, 1.5}), "weight of key");
  ExpectRefused(ask(multi_hop, query, {0, std::nan("")}), "weight of key");
  const ColumnId created[] = {kCreatedAt};
  ExpectRefused(Retrieve(s, dual, {.vector = query, .space = turns.space},
                         {.salience = {.columns = created}}),
                "a column of salience");
}

}  // namespace
}  // namespace plexus::testing
