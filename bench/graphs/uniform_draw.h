// UniformDraw: unbiased 32-bit draws from [0, max] by rejection, number for number as
// the GAP suite draws them (generators and the choice of BFS sources alike): numbers
// at or above a cutoff are thrown away, the rest is taken modulo the range.
#pragma once

#include <cstdint>

namespace plexus::bench {

// Random is std::mt19937 or std::mt19937_64; of the latter the low 32 bits count.
template <class Random>
class UniformDraw {
 public:
  UniformDraw(std::uint32_t max, Random& random)
      : random_(random), range_(max + 1), whole_(Random::max() == max) {
    if (whole_) return;
    const auto rest = static_cast<std::uint32_t>(Random::max() % range_);
    cutoff_ = rest == range_ - 1 ? 0 : static_cast<std::uint32_t>(Random::max() - rest);
  }
  std::uint32_t operator()() {
    auto draw = static_cast<std::uint32_t>(random_());
    if (whole_) return draw;
    while (cutoff_ != 0 && draw >= cutoff_) draw = static_cast<std::uint32_t>(random_());
    return draw % range_;
  }

 private:
  Random& random_;
  std::uint32_t range_, cutoff_ = 0;
  bool whole_;
};

}  // namespace plexus::bench
