// Each set of a batch gets what PageRank gives it alone, whatever else is in the batch and
// however little of the graph is reached, and a cancel leaves what was right until then.
#include "algorithms/pagerank/pagerank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"
#include "tests/support/oracle_cache.h"

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
namespace {

using Sets = std::vector<std::vector<NodeWeight>>;

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

// What the oracle gives set `s`.
using Wanted = OracleCache<std::pair<bool, std::size_t>, std::vector<double>>;
const std::vector<double>& WantedOf(Wanted& wanted, const reference::FlatGraph& flat,
                                    const Sets& sets, bool weighted, std::size_t s) {
  return wanted.Of(flat, {weighted, s}, [&] {
    std::vector<double> teleport;
    if (!sets[s].empty()) teleport.assign(flat.node_count(), 0.0);
    for (const NodeWeight& seed : sets[s]) teleport[seed.node] += seed.weight;
    return reference::PageRank(flat, 0.85, weighted, teleport, 100);  // 2 * 0.85^100 < 2e-7
  });
}

// Large graphs: weights in two shapes, none in the other two, and more sets than fit one sweep in
// one.
TEST(PageRankBatch, EachSetGetsItsOwnPageRank) {
  Wanted wanted;
  ForEachGraph([&](const CaseGraph& g, Shape shape) {
    const auto flat = g.Flat();
    const bool large = g.size() > 1000;
    const Sets all = MakeSets(flat, 17);  // more than fit one sweep
    const Sets sets(all.begin(), all.begin() + (large && shape != Shape::kDelta ? 8 : 17));
    for (bool weighted : {true, false}) {
      if (large && weighted != (shape == Shape::kDelta || shape == Shape::kCompacted)) continue;
      PageRankOptions options = Single();
      options.weighted = weighted;
      const auto got = PageRankBatch(g.snapshot(), sets, options);
      ASSERT_TRUE(got) << got.error().ToString();
      ASSERT_EQ(got->scores.size(), flat.node_count() * sets.size());
      EXPECT_TRUE(got->converged);
      for (const std::size_t s : {0, 1, 7, 16}) {
        if (s >= sets.size()) continue;
        const std::vector<double>& want = WantedOf(wanted, flat, all, weighted, s);
        double distance = 0;
        for (NodeId v = 0; v < flat.node_count(); ++v)
          distance += std::abs(static_cast<double>(got->score(v, s)) - want[v]);
        EXPECT_LE(distance, got->errors[s] + 2e-6) << "set " << s;
        EXPECT_LE(got->errors[s], 1e-5);
      }
    }
  });
}

// What seeds have not reached is left out of the first sweeps, unless a set in the company
// reaches everything: the same bits. Sixteen sets alone are computed in the scores' memory.
TEST(PageRankBatch, WhatIsNotReachedYetChangesNoBit) {
  CaseGraph long_way;
  long_way.AddNodes(3000);
  for (NodeId v = 0; v + 1 < 3000; ++v) long_way.Link(v, kLink, v + 1);
  long_way.Commit();
  for (const CaseGraph* g :
       {&std::as_const(long_way), &Large(0, Shape::kDelta), &Large(2, Shape::kClean)}) {
    const Snapshot s = g->snapshot();
    Sets sets = MakeSets(g->Flat(), 17);
    std::rotate(sets.begin(), sets.begin() + 1, sets.end());  // the uniform one is the last
    for (const int iterations : {1, 2, 3, 4, 7, 12}) {
      PageRankOptions options = Single();
      options.iterations = iterations;
      const auto sixteen = PageRankBatch(s, std::span(sets).first(16), options);
      const auto more = PageRankBatch(s, sets, options);
      Sets dense(sets.begin(), sets.begin() + 15);
      dense.emplace_back();
      const auto everywhere = PageRankBatch(s, dense, options);
      ASSERT_TRUE(sixteen && more && everywhere);
      EXPECT_EQ(sixteen->iterations, iterations);
      for (std::size_t k = 0; k < 15; ++k) {
        EXPECT_EQ(sixteen->errors[k], everywhere->errors[k]) << k;
        for (NodeId v = 0; v < s.node_count(); ++v) {
          ASSERT_EQ(sixteen->score(v, k), everywhere->score(v, k))
              << iterations << ", " << v << ", set " << k;
          ASSERT_EQ(sixteen->score(v, k), more->score(v, k))
              << iterations << ", " << v << ", set " << k;
        }
      }
    }
  }
}

// Over a subset of a graph with a delta, weighted or not: each of 16 sets as alone, and the
// same bits in a smaller batch.
TEST(PageRankBatch, AnyNumberOfSetsOverASubset) {
  const CaseGraph& g = Large(0, Shape::kDelta);
  const Snapshot s = g.snapshot();
  std::vector<NodeId> ids;
  for (NodeId v = 0; v < s.node_count(); v += 2)
    if (s.alive(v)) ids.push_back(v);
  const NodeSubset subset = *NodeSubset::Of(s, ids);
  const Sets sets = MakeSets(g.Flat({}, &subset), 16);
  for (const bool weighted : {true, false}) {
    PageRankOptions options = Single();
    options.weighted = weighted;
    options.filter.subset = &subset;
    options.iterations = 12;
    const auto all = PageRankBatch(s, sets, options);
    ASSERT_TRUE(all) << all.error().ToString();
    for (std::size_t i = 0; i < sets.size(); ++i) {
      PageRankOptions single = options;
      single.seeds = sets[i];
      const auto alone = PageRank(s, single);
      ASSERT_TRUE(alone) << alone.error().ToString();
      double distance = 0, sum = 0;
      for (NodeId v = 0; v < s.node_count(); ++v) {
        distance += std::abs(static_cast<double>(all->score(v, i)) - alone->scores[v]);
        sum += static_cast<double>(all->score(v, i));
      }
      EXPECT_LE(distance, 2e-6) << "set " << i;
      EXPECT_NEAR(sum, 1, 2e-6) << "set " << i;
      EXPECT_NEAR(all->errors[i], alone->error, 1e-5) << "set " << i;
    }
    for (std::size_t count = 1; count < sets.size(); ++count) {
      const auto some = PageRankBatch(s, std::span(sets).first(count), options);
      ASSERT_TRUE(some);
      for (NodeId v = 0; v < s.node_count(); ++v)
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(some->score(v, i), all->score(v, i)) << count;
    }
  }
}

// Seeds on nodes without any arc, beside others, and none at all.
TEST(PageRankBatch, NodesWithoutArcsKeepTheirShare) {
  CaseGraph g;
  g.AddNodes(7);
  g.Link(0, kLink, 1);
  g.Link(1, kLink, 4);  // which has no out arc
  g.Commit();
  CaseGraph empty;
  empty.AddNodes(3);
  empty.Commit();
  for (const CaseGraph* graph : {&g, &empty}) {
    const auto flat = graph->Flat();
    const Sets sets = {
        {}, {{2, 1.0}}, {{2, 1.0}, {0, 3.0}}, {{1, 1.0}}, {{0, 1.0}, {2, 1.0}, {1, 2.0}}};
    const auto got = PageRankBatch(graph->snapshot(), sets, Single());
    ASSERT_TRUE(got) << got.error().ToString();
    EXPECT_TRUE(got->converged);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      std::vector<double> teleport;
      if (!sets[s].empty()) teleport.assign(flat.node_count(), 0.0);
      for (const NodeWeight& seed : sets[s]) teleport[seed.node] += seed.weight;
      const auto want = reference::PageRank(flat, 0.85, true, teleport, 0);
      double distance = 0;
      for (NodeId v = 0; v < flat.node_count(); ++v)
        distance += std::abs(static_cast<double>(got->score(v, s)) - want[v]);
      EXPECT_LE(distance, got->errors[s] + 1e-6) << "set " << s;
    }
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
  EXPECT_NE(message({{{7, 1.0}}}, nothing).find("seed node id 7"), std::string::npos);
  EXPECT_NE(message({{{0, std::nan("")}}}, nothing).find("weight"), std::string::npos);
  EXPECT_NE(message(Sets(1), [](auto& o) { o.precision = Precision::kF64; }).find("f32"),
            std::string::npos);
  EXPECT_NE(message(Sets(1), [](auto& o) { o.seeds = {{0, 1.0}}; }).find("sets"),
            std::string::npos);
  EXPECT_NE(message(Sets(1), [](auto& o) { o.tolerance = 3e-6; }).find("tolerance"),
            std::string::npos);
  EXPECT_NE(message(Sets(1), [](auto& o) { o.tolerance = 1e-9; })
                .find("in a batch; at damping 0.85 it must"),
            std::string::npos);
  EXPECT_EQ(message(Sets(1), [](auto& o) { o.tolerance = LeastBatchTolerance(o.damping); }), "");
  EXPECT_NE(message(Sets(1), [](auto& o) { o.damping = 2; }).find("damping"), std::string::npos);
}

// Scores that sum to 1 are never farther apart than 2, however large the last step was.
TEST(PageRankBatch, ErrorsAreTwoAtMost) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1);
  g.Link(1, kLink, 2);
  g.Commit();
  PageRankOptions options = Single();
  options.iterations = 2;
  const auto batch = PageRankBatch(g.snapshot(), Sets{{{0, 1.0}}}, options);
  ASSERT_TRUE(batch) << batch.error().ToString();
  EXPECT_EQ(batch->errors[0], 2);
  options.seeds = {{0, 1.0}};
  const auto one = PageRank(g.snapshot(), options);
  ASSERT_TRUE(one) << one.error().ToString();
  EXPECT_EQ(one->error, 2);
}

TEST(PageRankBatch, StopsWhenTheBudgetIsSpent) {
  const Snapshot s = Large(0, Shape::kDelta).snapshot();
  PageRankOptions options = Single();
  const auto full = PageRankBatch(s, Sets(2), options);
  ASSERT_TRUE(full);
  ASSERT_GT(full->iterations, 3);
  options.run.budget.edges = full->edges * 3;
  const auto three = PageRankBatch(s, Sets(2), options);
  ASSERT_TRUE(three);
  EXPECT_TRUE(three->truncated);
  EXPECT_EQ(three->iterations, 3);
}

// Raises a flag during the n-th loop it runs, and counts those begun later.
class Raising final : public Executor {
 public:
  explicit Raising(int nth) : nth_(nth) {}
  int thread_count() const override { return 1; }
  void Run(std::size_t blocks, BlockTask task) override {
    ++loops_;
    if (loops_ > nth_) ++after_;
    for (std::size_t b = 0; b < blocks; ++b) {
      if (loops_ == nth_ && b == blocks / 2) flag_ = true;
      task(b);
    }
  }
  const std::atomic<bool>& flag() const { return flag_; }
  int after() const { return after_; }

 private:
  const int nth_;
  int loops_ = 0, after_ = 0;
  std::atomic<bool> flag_ = false;
};

// At any loop: what was computed until then is right within the error stated, what was not
// begun is at its seeds, and no set costs more than giving it.
TEST(PageRankBatch, ACancelEndsTheSweepThatIsUnderWay) {
  const CaseGraph& g = Large(0, Shape::kDelta);
  const Snapshot s = g.snapshot();
  const auto flat = g.Flat();
  const Sets sets = MakeSets(flat, 100);
  Wanted wanted;
  PageRankOptions options = Single();
  ASSERT_TRUE(PageRankBatch(s, sets, options));  // prepared
  for (const int iterations : {0, 30})
    for (const int nth : {1, 2, 4, 9, 14}) {
      SCOPED_TRACE(nth);
      Raising executor(nth);
      options.run.executor = &executor;
      options.iterations = iterations;
      options.run.budget.cancel = &executor.flag();
      const auto got = PageRankBatch(s, sets, options);
      ASSERT_TRUE(got);
      EXPECT_TRUE(got->truncated);
      EXPECT_FALSE(got->converged);
      EXPECT_LT(got->iterations, 20);
      EXPECT_LE(executor.after(), 7 + 3);  // seven sixteens are given; two loops each would be 14
      for (const std::size_t k : {0, 7, 16, 99}) {
        double sum = 0, distance = 0;
        const std::vector<double>& want = WantedOf(wanted, flat, sets, true, k);
        for (NodeId v = 0; v < s.node_count(); ++v) {
          sum += static_cast<double>(got->score(v, k));
          distance += std::abs(static_cast<double>(got->score(v, k)) - want[v]);
        }
        EXPECT_NEAR(sum, 1, 2e-6) << k;
        EXPECT_LE(distance, got->errors[k] + 2e-6) << k;
      }
      EXPECT_EQ(got->errors[99], 2.0);
    }
}

}  // namespace
}  // namespace plexus::testing
