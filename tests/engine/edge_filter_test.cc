// The edge filter: never a false negative, few false positives, kinds and labels count.
#include "engine/internal/edge_filter.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace plexus {
namespace {

TEST(EdgeFilter, EmptyKnowsNothing) {
  EdgeFilter filter;
  for (NodeId v = 0; v < 100; ++v)
    EXPECT_FALSE(filter.MayContain(EdgeFilter::Hash(v, 0, v + 1, 0)));
}

TEST(EdgeFilter, FindsAllAndLittleElse) {
  for (std::uint64_t count : {1u, 500u, 40'000u}) {
    std::mt19937_64 random(count);
    EdgeFilter filter;
    filter.Reset(count);
    EXPECT_GE(filter.capacity(), count);
    std::vector<std::uint64_t> in;
    // Few sources, as hubs have it, and ids that differ in low bits only.
    for (std::uint64_t i = 0; i < count; ++i)
      in.push_back(EdgeFilter::Hash(static_cast<NodeId>(i % 3), static_cast<EdgeKindId>(i % 2),
                                    static_cast<NodeId>(i), 0));
    for (std::uint64_t hash : in) filter.Insert(hash);
    EXPECT_EQ(filter.count(), count);
    for (std::uint64_t hash : in) ASSERT_TRUE(filter.MayContain(hash));
    int wrong = 0;
    for (int i = 0; i < 20'000; ++i)
      wrong += filter.MayContain(
          EdgeFilter::Hash(static_cast<NodeId>(random()), 7, static_cast<NodeId>(random()), 0));
    EXPECT_LT(wrong, 20'000 / 12) << count;
    filter.Reset(count);
    EXPECT_EQ(filter.count(), 0u);
    EXPECT_FALSE(filter.MayContain(in[0]));
  }
}

TEST(EdgeFilter, EveryPartOfTheIdentityCounts) {
  const std::uint64_t hash = EdgeFilter::Hash(1, 2, 3, 4);
  EXPECT_NE(hash, EdgeFilter::Hash(3, 2, 1, 4));
  EXPECT_NE(hash, EdgeFilter::Hash(1, 3, 3, 4));
  EXPECT_NE(hash, EdgeFilter::Hash(1, 2, 3, 5));
  EXPECT_NE(EdgeFilter::Hash(1, 1, 3, 0), EdgeFilter::Hash(1, 0, 3, 1));
}

}  // namespace
}  // namespace plexus
