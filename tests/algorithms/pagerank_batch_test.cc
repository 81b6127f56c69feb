// Each set of a batch gets what PageRank gives it alone.
#include "algorithms/pagerank_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/algorithms/each_case.h"
#include "tests/reference/oracles.h"

namespace plexus::testing {
namespace {

using Sets = std::vector<std::vector<PageRankSeed>>;

PageRankOptions Single() {
  PageRankOptions options;
  options.precision = Precision::kF32;
  options.tolerance = 1e-5;
  return options;
}

// `count` sets over the selected nodes of `flat`: uniform, one node, several, repeated.
Sets MakeSets(const reference::FlatGraph& flat, std::size_t count) {
  std::vector<NodeId> selected;
  for (NodeId v = 0; v < flat.node_count(); ++v)
    if (flat.selected[v]) selected.push_back(v);
  Sets sets(count);
  std::mt19937 random(5);
  for (std::size_t s = 1; s < count && !selected.empty(); ++s)
    for (std::size_t i = 0; i < s % 4 + 1; ++i)
      sets[s].push_back({selected[random() % selected.size()], 0.5 + static_cast<double>(i)});
  return sets;
}

TEST(PageRankBatch, EachSetGetsItsOwnPageRank) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    const auto flat = g.Flat();
    const Sets sets = MakeSets(flat, 17);  // more than fit one sweep
    for (bool weighted : {true, false}) {
      PageRankOptions options = Single();
      options.weighted = weighted;
      const auto got = PageRankBatch(g.snapshot(), sets, options);
      ASSERT_TRUE(got) << got.error().ToString();
      ASSERT_EQ(got->scores.size(), flat.node_count() * sets.size());
      EXPECT_TRUE(got->converged);
      for (const std::size_t s : {0, 1, 7, 16}) {
        std::vector<double> teleport;
        if (!sets[s].empty()) teleport.assign(flat.node_count(), 0.0);
        for (const PageRankSeed& seed : sets[s]) teleport[seed.node] += seed.weight;
        const auto want = reference::PageRank(flat, 0.85, weighted, teleport, 0);
        double distance = 0;
        for (NodeId v = 0; v < flat.node_count(); ++v)
          distance += std::abs(static_cast<double>(got->score(v, s)) - want[v]);
        EXPECT_LE(distance, got->errors[s] + 2e-6) << "set " << s;
        EXPECT_LE(got->errors[s], 1e-5);
      }
    }
  });
}

TEST(PageRankBatch, SameBitsAtAnyThreadCountShapeAndCompany) {
  const auto executors = Executors();
  for (std::size_t which = 0; which < kLargeCases; ++which) {
    SCOPED_TRACE(which);
    const Sets sets = MakeSets(Large(which, Shape::kClean).Flat(), 5);
    PageRankOptions options = Single();
    options.iterations = 9;
    std::vector<float> first;
    for (Shape shape : kShapes)
      for (const auto& e : executors) {
        options.executor = e.executor.get();
        const auto got = PageRankBatch(Large(which, shape).snapshot(), sets, options);
        ASSERT_TRUE(got);
        if (first.empty()) first.assign(got->scores.begin(), got->scores.end());
        EXPECT_TRUE(std::ranges::equal(got->scores, first)) << shape << ", " << e.name;
      }
    const Snapshot s = Large(which, Shape::kClean).snapshot();
    const auto alone = PageRankBatch(s, std::span(sets).subspan(3, 1), options);
    ASSERT_TRUE(alone);
    for (NodeId v = 0; v < s.node_count(); ++v) ASSERT_EQ(alone->score(v, 0), first[v * sets.size() + 3]);
  }
}

TEST(PageRankBatch, RefusesWhatItCannotDo) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1);
  g.Commit();
  auto message = [&](const Sets& sets, auto change) {
    PageRankOptions options = Single();
    change(options);
    const auto result = PageRankBatch(g.snapshot(), sets, options);
    return result ? std::string() : result.error().message;
  };
  auto nothing = [](PageRankOptions&) {};
  EXPECT_EQ(message(Sets(1), nothing), "");
  EXPECT_NE(message({}, nothing).find("0 seed sets"), std::string::npos);
  EXPECT_NE(message(Sets(5000), nothing).find("5000"), std::string::npos);
  EXPECT_NE(message({{{7, 1.0}}}, nothing).find("seed node 7"), std::string::npos);
  EXPECT_NE(message({{{0, std::nan("")}}}, nothing).find("weight"), std::string::npos);
  EXPECT_NE(message(Sets(1), [](auto& o) { o.precision = Precision::kF64; }).find("f32"), std::string::npos);
  EXPECT_NE(message(Sets(1), [](auto& o) { o.seeds = {{0, 1.0}}; }).find("sets"), std::string::npos);
  const std::vector<double> start(3, 1.0);
  EXPECT_NE(message(Sets(1), [&](auto& o) { o.start = start; }).find("first scores"), std::string::npos);
  EXPECT_NE(message(Sets(1), [](auto& o) { o.tolerance = 3e-6; }).find("tolerance"), std::string::npos);
  EXPECT_NE(message(Sets(1), [](auto& o) { o.damping = 2; }).find("damping"), std::string::npos);
}

TEST(PageRankBatch, StopsWhenTheBudgetIsSpent) {
  const Snapshot s = Large(0, Shape::kDelta).snapshot();
  PageRankOptions options = Single();
  const auto full = PageRankBatch(s, Sets(2), options);
  ASSERT_TRUE(full);
  ASSERT_GT(full->iterations, 3);
  options.budget.edges = full->edges * 3;
  const auto three = PageRankBatch(s, Sets(2), options);
  ASSERT_TRUE(three);
  EXPECT_TRUE(three->truncated);
  EXPECT_EQ(three->iterations, 3);
}

}  // namespace
}  // namespace plexus::testing
