// Near-duplicates of thousands of memories: every pair of a brute force, at every number of threads
// and at every end of a budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "algorithms/memory/conflicts/conflicts.h"
#include "engine/parallel.h"
#include "engine/vocabulary.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

using Pair = std::tuple<NodeId, NodeId, std::uint64_t>;  // superseded, visible, shared

// Every tenth memory is superseded by the one after it. One in four repeats most tags of another.
struct World {
  static constexpr std::size_t kMemories = 2'600, kTags = 90;
  explicit World(std::uint64_t seed) : tags(kMemories) {
    std::mt19937_64 random(seed);
    g.AddNodes(kMemories);
    g.AddNodes(kTags, kTag);
    for (std::size_t v = 0; v < kMemories; ++v) {
      if (v > 0 && random() % 4 == 0) tags[v] = tags[random() % v];
      for (std::size_t n = random() % 9; n > 0; --n) {
        const std::size_t tag =
            random() % kTags * (random() % kTags) / kTags;  // small ones are common
        if (!tags[v].erase(tag)) tags[v].insert(tag);
      }
      for (const std::size_t tag : tags[v]) g.Link(v, kHasTag, kMemories + tag);
      if (v % 10 == 1) g.Link(v, kSupersedes, v - 1);
    }
    g.Commit();
  }
  static bool Old(std::size_t v) { return v % 10 == 0 && v + 1 < kMemories; }

  std::vector<Pair> Expected(double least) const {
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < kMemories; ++a)
      for (std::size_t b = 0; Old(a) && b < kMemories; ++b) {
        if (Old(b) || b == a + 1) continue;
        std::vector<std::size_t> both;
        std::ranges::set_intersection(tags[a], tags[b], std::back_inserter(both));
        const std::size_t all = tags[a].size() + tags[b].size() - both.size();
        if (all > 0 && static_cast<double>(both.size()) / static_cast<double>(all) >= least)
          pairs.emplace_back(a, b, both.size());
      }
    return pairs;
  }

  std::vector<std::set<std::size_t>> tags;
  CaseGraph g;
};

std::vector<Pair> PairsOf(const NearDuplicatesResult& found) {
  std::vector<Pair> pairs;
  for (const NearDuplicate& one : found.pairs)
    pairs.emplace_back(one.superseded, one.visible, one.shared);
  std::ranges::sort(pairs);
  return pairs;
}

TEST(NearDuplicates, AreThoseOfABruteForce) {
  const auto two = MakeTbbExecutor(2), three = MakeThreadExecutor(3);
  for (const bool compacted : {false, true}) {
    World world(compacted + 1u);
    if (compacted) world.g.Compact();
    for (const double least : {0.3, 0.5, 0.8, 1.0}) {
      SCOPED_TRACE(least);
      const auto want = world.Expected(least);
      EXPECT_GT(want.size(), 30u);
      for (Executor* executor : {&SerialExecutor(), two.get(), three.get()}) {
        NearDuplicatesOptions options{.min_jaccard = least, .top = 0};
        options.run.executor = executor;
        const auto found = NearDuplicates(world.g.snapshot(), options).value();
        EXPECT_FALSE(found.truncated);
        EXPECT_EQ(PairsOf(found), want);
      }
    }
  }
}

TEST(NearDuplicates, ABudgetEndsAtTheSamePair) {
  const auto two = MakeTbbExecutor(2);
  World world(3);
  const auto all = world.Expected(0.5);
  std::size_t partly = 0;
  for (std::uint64_t edges = 500; edges < 300'000; edges = edges * 5 / 4) {
    NearDuplicatesOptions options{.top = 0};
    options.run.budget.edges = edges;
    options.run.executor = &SerialExecutor();
    const auto one = NearDuplicates(world.g.snapshot(), options).value();
    options.run.executor = two.get();
    const auto other = NearDuplicates(world.g.snapshot(), options).value();
    EXPECT_EQ(one.truncated, other.truncated) << edges;
    EXPECT_EQ(PairsOf(one), PairsOf(other)) << edges;
    EXPECT_TRUE(std::ranges::includes(all, PairsOf(one))) << edges;
    partly += one.truncated && !one.pairs.empty();
  }
  EXPECT_GT(partly, 3u);
}

}  // namespace
}  // namespace plexus::testing
