// TopKThreshold: a value that at least `top` of the nodes found so far reach, updated with every
// node.
//
// Values are counted in 512 steps between the threshold when counting began and the largest value
// there can be. The bits of a double are in the order of the values, so a step is a
// subtraction and a shift, fine where values are close and coarse where they spread over
// many powers of two. The threshold is the lower edge of the highest step that `top` values
// reach: it never falls, is never above the top-th best, and costs nothing but the count
// (comparing values instead was a fifth of a large search, in wrongly guessed branches).
// When as many values came as were counted at the start (512 at least; 64 where there were
// few) the owner counts again, so that the steps get finer as the threshold rises.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace plexus::traversal::internal {

class TopKThreshold {
 public:
  // Without any threshold: value() is below every value.
  void Reset() { threshold_ = -1; }
  double value() const { return threshold_; }

  // Begins to count: `least` (a present one) to `most` (none is larger, ever), all >= 0. The
  // threshold stays; then Add every present value that reaches it, each node's best.
  void Start(std::size_t top, double least, double most) {
    top_ = top;
    lowest_ = Bits(std::max(least, threshold_));
    const std::uint64_t range = Bits(most) > lowest_ ? Bits(most) - lowest_ : 0;
    shift_ = std::max(0, static_cast<int>(std::bit_width(range)) - kStepBits);
    counts_.fill(0);
    step_ = above_ = added_ = 0;
    more_ = static_cast<std::size_t>(-1);
  }
  // From here on as many may come as were added since Start, or 512; a small count says little
  // about the distribution.
  void Started() { more_ = added_ < kMinRecount ? kMinRecount : std::max(added_ * 2, kSteps); }

  // True when it is time to Start again.
  bool Add(double value) {
    const std::size_t step = Step(value);
    if (step < step_ || value < threshold_) return false;
    ++counts_[step];
    ++above_;
    while (above_ - counts_[step_] >= top_) {
      above_ -= counts_[step_++];
      threshold_ = std::bit_cast<double>(lowest_ + (std::uint64_t{step_} << shift_));
    }
    return ++added_ >= more_;
  }
  // A node has a better value, to be added next.
  void Drop(double value) {
    const std::size_t step = Step(value);
    if (step < step_ || value < threshold_) return;
    --counts_[step];
    --above_;
  }

 private:
  static constexpr int kStepBits = 9;
  static constexpr std::size_t kMinRecount = 64;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;

  static std::uint64_t Bits(double value) {
    return std::bit_cast<std::uint64_t>(value + 0.0);
  }  // -0 is 0
  std::size_t Step(double value) const {
    const std::uint64_t bits = Bits(value);
    return bits <= lowest_ ? 0 : std::min<std::size_t>((bits - lowest_) >> shift_, kSteps - 1);
  }

  double threshold_ = -1;
  std::uint64_t lowest_ = 0;
  int shift_ = 0;
  std::size_t top_ = 0, step_ = 0;  // the threshold is the lower edge of this step
  std::size_t above_ = 0;           // values in it and higher ones
  std::size_t added_ = 0, more_ = 0;
  std::array<std::uint32_t, kSteps> counts_;  // right from step_ on; nothing before Start
};

}  // namespace plexus::traversal::internal
