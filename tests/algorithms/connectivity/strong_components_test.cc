// Strong components against reachability, exhaustively on four nodes.
#include "algorithms/connectivity/connectivity.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace plexus::connectivity::internal {
using namespace connectivity;
namespace {

// Every directed graph of four nodes without loops: 2^12 of them.
TEST(StrongComponents, EveryGraphOfFourNodes) {
  for (std::uint32_t graph = 0; graph < 4096; ++graph) {
    bool reaches[4][4] = {};
    std::vector<std::uint32_t> offsets = {0}, targets;
    std::uint32_t bit = 0;
    for (std::uint32_t u = 0; u < 4; ++u) {
      reaches[u][u] = true;
      for (std::uint32_t v = 0; v < 4; ++v) {
        if (u == v || !((graph >> bit++) & 1)) continue;
        reaches[u][v] = true;
        targets.push_back(v);
      }
      offsets.push_back(static_cast<std::uint32_t>(targets.size()));
    }
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) reaches[i][j] |= reaches[i][k] && reaches[k][j];
    const std::vector<std::uint32_t> got = connectivity::StrongComponents(offsets, targets);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        ASSERT_EQ(got[i] == got[j], reaches[i][j] && reaches[j][i]) << "graph " << graph;
        // What can be reached is numbered first.
        if (reaches[i][j] && !reaches[j][i]) {
          ASSERT_LT(got[j], got[i]) << "graph " << graph;
        }
      }
  }
}

TEST(StrongComponents, NothingAtAll) {
  EXPECT_TRUE(connectivity::StrongComponents(std::span<const std::uint32_t>(), {}).empty());
}

}  // namespace
}  // namespace plexus::connectivity::internal
