// The layout of a batch of PageRanks holds its arcs, and a sweep over it gives the plain
// sums, with the same bits at any instruction level.
#include "algorithms/pagerank/internal/batch_iteration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "algorithms/pagerank/internal/batch_layout.h"
#include "engine/parallel.h"

namespace plexus::testing {
namespace {

// LaneRows of (row, column, weight) by rising row, in the order given.
struct LaneRows {
  std::vector<std::uint32_t> offsets;
  std::vector<NodeId> neighbors;
  std::vector<float> weights;

  LaneRows(NodeId n, const std::vector<std::pair<NodeId, NodeId>>& arcs)
      : offsets(n + 1), neighbors(arcs.size()), weights(arcs.size()) {
    for (const auto& [row, column] : arcs) ++offsets[row + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (const auto& [row, column] : arcs) {
      weights[next[row]] = static_cast<float>(1 + (row ^ column) % 7) / 4;
      neighbors[next[row]++] = column;
    }
  }
  CsrView view(bool weighted) const {
    return {offsets,
            neighbors,
            weighted ? std::span<const float>(weights) : std::span<const float>(),
            {},
            {}};
  }
};

// More sources than fit a segment; rows of all lengths, hubs, a third of the nodes without
// arcs; skewed: few sources for most arcs.
class LaneSweep {
 public:
  static constexpr NodeId kNodes = 2 * pagerank::internal::BatchLayout::kMaxSources + 1234;

  explicit LaneSweep(bool skewed, bool weighted) : in_(0, {}), out_(0, {}), weighted_(weighted) {
    std::mt19937_64 random(11);
    auto pick = [&](bool power) {
      const double u = std::uniform_real_distribution<double>(0, 1)(random);
      const auto v =
          static_cast<std::uint64_t>((power ? u * u * u * u * u : u) * kNodes) * 7919 % kNodes;
      return static_cast<NodeId>(v % 3 == 0 ? v + 1 : v);
    };
    std::vector<std::pair<NodeId, NodeId>> arcs;  // target, source
    for (int i = 0; i < 900'000; ++i)
      arcs.emplace_back(i % 20 == 0 ? 7 + i % 3 * 30'000 : pick(false), pick(skewed));
    in_ = LaneRows(kNodes, arcs);
    for (auto& [target, source] : arcs) std::swap(target, source);
    out_ = LaneRows(kNodes, arcs);
    rows_ = pagerank::internal::BatchLayout::Make(in_.view(weighted), out_.view(weighted),
                                                  DefaultExecutor());
    for (std::uint32_t p = 0; p < rows_.linked_count(); ++p) {
      const NodeId v = rows_.node(p);
      double strength = 0;
      for (std::uint32_t a = out_.offsets[v]; a < out_.offsets[v + 1]; ++a)
        strength += weighted ? static_cast<double>(out_.weights[a]) : 1.0;
      strength_.push_back(static_cast<float>(strength));
      pagerank::internal::Batch16 line;
      for (std::uint32_t k = 0; k < pagerank::internal::kBatchWidth; ++k)
        line.at[k] =
            std::uniform_real_distribution<float>(0, 1)(random) / static_cast<float>(k + 1);
      now_.push_back(line);
    }
  }

  std::vector<pagerank::internal::Batch16> Step(Executor& executor, SimdLevel level,
                                                pagerank::internal::BatchPartial& partial) const {
    std::vector<pagerank::internal::Batch16> next(now_.size());
    pagerank::internal::BatchStep step = options_;
    step.strength = strength_.data();
    step.seeds = &seeds_;
    step.now = now_.data();
    step.next = next.data();
    partial = *pagerank::internal::BatchStepper(rows_).Step(step, executor, level);
    return next;
  }

  void CheckNumbering(bool skewed) const {
    EXPECT_GE(rows_.segment_count(), skewed ? 1u : 2u);
    EXPECT_EQ(rows_.arc_count(), in_.neighbors.size());
    std::vector<char> named(kNodes, 0);
    for (std::uint32_t p = 0; p < kNodes; ++p) {
      const NodeId v = rows_.node(p);
      ++named[v];
      const auto degree = [&](const LaneRows& rows, NodeId u) {
        return rows.offsets[u + 1] - rows.offsets[u];
      };
      ASSERT_EQ(p >= rows_.linked_count(), degree(in_, v) + degree(out_, v) == 0) << p;
      if (skewed && p > 0 && p < rows_.linked_count()) {
        ASSERT_LE(degree(out_, v), degree(out_, rows_.node(p - 1)) * 1.3 + 1) << p;
      }
    }
    EXPECT_EQ(std::count(named.begin(), named.end(), 1), std::ptrdiff_t{kNodes});
    EXPECT_LT(rows_.linked_count(), kNodes);
  }

  // Against sums in f64 over the rows as they were.
  void CheckSums(const std::vector<pagerank::internal::Batch16>& next,
                 const pagerank::internal::BatchPartial& partial) const {
    std::vector<std::uint32_t> position(kNodes);
    for (std::uint32_t p = 0; p < kNodes; ++p) position[rows_.node(p)] = p;
    for (const std::uint32_t k : {0u, 7u, 15u}) {
      double change = 0, dangling = 0;
      for (std::uint32_t p = 0; p < rows_.linked_count(); ++p) {
        const NodeId v = rows_.node(p);
        double sum = 0;
        for (std::uint32_t a = in_.offsets[v]; a < in_.offsets[v + 1]; ++a)
          sum += static_cast<double>(now_[position[in_.neighbors[a]]].at[k]) *
                 (weighted_ ? static_cast<double>(in_.weights[a]) : 1.0);
        double score = sum * options_.damping + static_cast<double>(options_.base[k]) *
                                                    static_cast<double>(options_.uniform[k]);
        for (const pagerank::internal::BatchSeed& s : seeds_)
          if (s.position == p && s.lane == k)
            score += static_cast<double>(options_.base[k]) * static_cast<double>(s.share);
        const double strength = strength_[p] > 0 ? static_cast<double>(strength_[p]) : 1.0;
        if (!(strength_[p] > 0)) dangling += score;
        change += std::abs(score - static_cast<double>(now_[p].at[k]) * strength);
        ASSERT_NEAR(static_cast<double>(next[p].at[k]) * strength, score, score * 1e-6)
            << p << ", lane " << k;
      }
      EXPECT_NEAR(partial.step[k], change, change * 1e-6);
      EXPECT_NEAR(partial.dangling[k], dangling, dangling * 1e-6);
    }
  }

 private:
  static pagerank::internal::BatchStep Options() {
    pagerank::internal::BatchStep step;
    step.damping = 0.85;
    for (std::uint32_t k = 0; k < pagerank::internal::kBatchWidth; ++k) {
      step.base[k] = 0.5f + static_cast<float>(k);
      step.uniform[k] = k % 2 == 0 ? 0.25f : 0.0f;
    }
    return step;
  }

  LaneRows in_, out_;
  const bool weighted_;
  pagerank::internal::BatchLayout rows_;
  std::vector<float> strength_;
  std::vector<pagerank::internal::Batch16> now_;
  const pagerank::internal::BatchStep options_ = Options();
  const std::vector<pagerank::internal::BatchSeed> seeds_ = {
      {0, 7, 1.0f}, {0, 15, 0.5f}, {77'000, 15, 0.5f}};
};

TEST(PageRankLanes, ASweepGivesThePlainSumsAtAnyLevel) {
  const auto two = MakeTbbExecutor(2);
  for (const bool skewed : {false, true}) {
    SCOPED_TRACE(skewed);
    const LaneSweep sweep(skewed, skewed);  // with weights once
    sweep.CheckNumbering(skewed);
    pagerank::internal::BatchPartial best, baseline;
    const auto got = sweep.Step(*two, SimdLevel::kBest, best);
    sweep.CheckSums(got, best);
    const auto same = sweep.Step(SerialExecutor(), SimdLevel::kScalar, baseline);
    EXPECT_EQ(best.step, baseline.step);
    EXPECT_EQ(best.dangling, baseline.dangling);
    EXPECT_TRUE(std::ranges::equal(got, same, {}, &pagerank::internal::Batch16::at,
                                   &pagerank::internal::Batch16::at));
  }
}

}  // namespace
}  // namespace plexus::testing
