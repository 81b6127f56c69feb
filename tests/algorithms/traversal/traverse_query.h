// A traversal that has to succeed, and how a list of the best is compared with the whole.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/traversal/traversal.h"

namespace plexus::testing {

inline traversal::TraverseResult Query(const Snapshot& s, const std::vector<NodeWeight>& seeds,
                                       const traversal::TraverseOptions& options) {
  auto result = traversal::Traverse(s, seeds, options);
  if (!result) ADD_FAILURE() << result.error().ToString();
  return result ? *std::move(result) : traversal::TraverseResult{};
}

// The first `top` of `all`, with their proofs.
inline void ExpectPrefix(const traversal::TraverseResult& some,
                         const traversal::TraverseResult& all, std::size_t top) {
  ASSERT_EQ(some.hits.size(), std::min(top, all.hits.size()));
  for (std::size_t i = 0; i < some.hits.size(); ++i) {
    ASSERT_EQ(some.hits[i].node, all.hits[i].node) << i;
    ASSERT_EQ(some.hits[i].score, all.hits[i].score) << i;
    ASSERT_EQ(some.hits[i].hops, all.hits[i].hops) << i;
    ASSERT_EQ(some.hits[i].seed, all.hits[i].seed) << i;
    ASSERT_EQ(some.hits[i].path, all.hits[i].path) << i;
  }
}

}  // namespace plexus::testing
