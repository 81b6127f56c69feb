// PageRank for tests: the result or a failure, and how far apart two are.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "algorithms/pagerank/pagerank.h"

namespace plexus::testing {

inline double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

inline pagerank::PageRankResult Rank(const Snapshot& snapshot,
                                     const pagerank::PageRankOptions& options = {}) {
  auto result = pagerank::PageRank(snapshot, options);
  if (!result) ADD_FAILURE() << result.error().ToString();
  return result ? *std::move(result) : pagerank::PageRankResult{};
}

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : state_(seed) {}
  std::uint32_t operator()(std::uint32_t below) {
    return (state_ = state_ * 1664525u + 1013904223u) / 65536u % below;
  }

 private:
  std::uint32_t state_;
};

// PageRankOptions and what a refresh begins with.
struct RefreshQuery : pagerank::PageRankOptions {
  std::span<const double> start = {};
  const Snapshot* start_snapshot = nullptr;
};

inline Result<pagerank::PageRankResult> Refresh(const Snapshot& snapshot,
                                                const RefreshQuery& query) {
  return pagerank::RefreshPageRank(snapshot, {query.start, query.start_snapshot}, query);
}

inline pagerank::PageRankResult Rank(const Snapshot& snapshot, const RefreshQuery& query) {
  auto result = Refresh(snapshot, query);
  if (!result) ADD_FAILURE() << result.error().ToString();
  return result ? *std::move(result) : pagerank::PageRankResult{};
}

}  // namespace plexus::testing
