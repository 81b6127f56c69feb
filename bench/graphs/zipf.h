// Zipf: ranks by Zipf's law, or Mandelbrot's with a shift, from a table of the sums of their
// weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace plexus::bench {

// Draws ranks 0..n-1 with probability proportional to 1 / (rank + shift).
class Zipf {
 public:
  explicit Zipf(std::size_t n, double shift = 1) : cumulative_(n) {
    double sum = 0;
    for (std::size_t r = 0; r < n; ++r)
      cumulative_[r] = sum += 1.0 / (static_cast<double>(r) + shift);
  }
  std::uint32_t operator()(std::mt19937_64& random) const {
    const double at = static_cast<double>(random() >> 11) * 0x1p-53 * cumulative_.back();
    return static_cast<std::uint32_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), at) -
                                      cumulative_.begin());
  }
  // So many different ranks, ascending.
  std::vector<std::uint32_t> Draw(std::size_t count, std::mt19937_64& random) const {
    std::vector<std::uint32_t> ranks;
    while (ranks.size() < count) {
      const std::uint32_t rank = (*this)(random);
      if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

 private:
  std::vector<double> cumulative_;
};

}  // namespace plexus::bench
