// The interval of 95 % of what a bootstrap resampled.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plexus::bench {

struct Interval {
  double low = 0, high = 0;
};

// Of at least one value.
inline Interval Middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t tail = values.size() / 40;  // 2.5 %
  return {values[tail], values[values.size() - 1 - tail]};
}

}  // namespace plexus::bench
