// For tests of centralities: the directions, and scores beside those of a reference.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/types.h"

namespace plexus::testing {

constexpr Direction kDirections[] = {Direction::kBoth, Direction::kOut, Direction::kIn};

inline void ExpectNear(const std::vector<double>& got, const std::vector<double>& want,
                       double relative) {
  ASSERT_EQ(got.size(), want.size());
  for (NodeId v = 0; v < want.size(); ++v)
    ASSERT_NEAR(got[v], want[v], relative * (1 + std::abs(want[v]))) << v;
}

}  // namespace plexus::testing
