// Retrieve against its definition: one plan, one random question.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "tests/algorithms/retrieval/plan_world.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {

inline bool HasSeeds(const retrieval::RetrievalPlan& plan, retrieval::SeedBy by) {
  return std::ranges::any_of(plan.seeds,
                             [&](const retrieval::PlanSeeds& seeds) { return seeds.by == by; });
}

inline bool CanBeAsked(const retrieval::RetrievalPlan& plan, const PlanQuestion& question) {
  const auto required = [&](retrieval::PlanTerm term) {
    return plan.score.required[static_cast<std::size_t>(term)];
  };
  if (required(retrieval::PlanTerm::kSimilarity) && question.vector.empty()) return false;
  if (required(retrieval::PlanTerm::kWords) && question.terms.empty()) return false;
  if (required(retrieval::PlanTerm::kPath) && question.keys.empty() &&
      plan.expand.from == retrieval::ExpandFrom::kKeys)
    return false;
  return (HasSeeds(plan, retrieval::SeedBy::kVector) && !question.vector.empty()) ||
         ((HasSeeds(plan, retrieval::SeedBy::kWords) ||
           HasSeeds(plan, retrieval::SeedBy::kNames)) &&
          !question.terms.empty()) ||
         (HasSeeds(plan, retrieval::SeedBy::kKeys) && !question.keys.empty()) ||
         (HasSeeds(plan, retrieval::SeedBy::kPageRank) && !question.keys.empty());
}

inline void ExpectSameAnswer(const retrieval::RetrieveResult& got,
                             const reference::PlanAnswer& want) {
  ASSERT_EQ(got.candidates, want.candidates);
  EXPECT_EQ(got.left_out, want.left_out);
  EXPECT_FALSE(got.truncated);
  ASSERT_EQ(got.hits.size(), want.hits.size());
  EXPECT_EQ(got.stats.stage_ms.size(), got.stages.size());
  for (std::size_t i = 0; i < want.hits.size(); ++i) {
    const retrieval::RetrieveHit& hit = got.hits[i];
    ASSERT_EQ(hit.node, want.hits[i].node) << i;
    ASSERT_EQ(hit.score, want.hits[i].score) << i;
    EXPECT_EQ(hit.relevance, want.hits[i].relevance);
    EXPECT_EQ(hit.relevance, retrieval::ScoreOf(hit.terms));
    EXPECT_EQ(hit.found_by, want.hits[i].found_by);
    EXPECT_EQ(hit.ranks, want.hits[i].ranks);
    ASSERT_EQ(hit.terms.size(), want.hits[i].values.size());
    for (std::size_t t = 0; t < hit.terms.size(); ++t) {
      EXPECT_EQ(hit.terms[t].value, want.hits[i].values[t]) << hit.terms[t].name;
      const double least =
          hit.terms[t].name == retrieval::PlanTermName(retrieval::PlanTerm::kSimilarity) ? -1 : 0;
      EXPECT_TRUE(hit.terms[t].value >= least && hit.terms[t].value <= 1);
    }
    EXPECT_EQ(hit.path.size(), static_cast<std::size_t>(hit.hops));
  }
}

// A random question of `s`, which says what `graph` does, at any number of threads.
inline void ExpectByDefinition(const PlanGraph& graph, const Snapshot& s,
                               const retrieval::RetrievalPlan& plan, std::mt19937_64& random,
                               std::size_t& asked) {
  const PlanQuestion question = DrawQuestion(graph, random);
  const auto visible = memory::VisibleNodes(s, kPlanNow);
  ASSERT_TRUE(visible);
  retrieval::RetrieveOptions options;
  if (random() % 4 != 0) options.subset = visible->get();
  options.now_ms = kPlanNow;
  if (random() % 2) options.valid_at = kPlanNow;
  const std::vector<NodeWeight> salience = DrawValues(graph, random);
  const std::vector<NodeWeight> outcome = DrawValues(graph, random);
  const ColumnId trust[] = {builtin::kTrust};
  options.salience.list = salience;
  if (random() % 2) options.salience.columns = trust;
  options.outcome.list = outcome;
  if (random() % 2) options.outcome.otherwise = 0.625;
  const std::string scopes[] = {"other"};
  const NodeId tags[] = {graph.tag_node(0)};
  if (random() % 2) options.preferred.scopes = scopes;
  if (random() % 2) options.preferred.tags = tags;
  options.measure_hits = random() % 2;
  if (random() % 3 == 0) options.hits = random() % 12;
  options.run.executor = NextExecutor();
  const auto got = retrieval::Retrieve(s, plan, question.Get(), options);
  if (!CanBeAsked(plan, question)) {
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
    return;
  }
  ASSERT_TRUE(got) << got.error().ToString();
  reference::PlanWorld world = graph.World(s, plan, options.subset, options.valid_at);
  for (reference::PlanNode& node : world.nodes)
    node.preferred = (!options.preferred.scopes.empty() && node.scope == "other") ||
                     (!options.preferred.tags.empty() && node.tags.contains(graph.tags()[0]));
  const reference::PlanAnswer want = reference::RunPlan(world, plan, question.Get(), options);
  ExpectSameAnswer(*got, want);
  for (std::size_t i = 0; options.measure_hits && i < want.hits.size(); ++i) {
    EXPECT_EQ(got->hits[i].measured.words, want.hits[i].bm25);
    EXPECT_EQ(got->hits[i].measured.similarity, want.hits[i].likeness);
  }
  const bool measured = plan.score[retrieval::PlanTerm::kSimilarity] > 0 &&
                        plan.fuse != retrieval::Fusion::kLists;
  EXPECT_EQ(measured ? got->without_vector : want.without_vector, want.without_vector);
  ++asked;
}

}  // namespace plexus::testing
