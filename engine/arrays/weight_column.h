// WeightColumn: the weights of arcs, of which most graphs have few that differ.
//
// Kept is one value when all are the same, up to 256 values and a byte an arc when there are no
// more, else a float an arc. Nothing is rounded. A column that is made of weights has a form that
// follows from them and not from how they came: two of the same weights hold the same bits.
// Immutable once filled; freely shared.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/parallel.h"

namespace plexus {

class WeightColumn {
 public:
  static constexpr std::size_t kMaxCodes = 256;

  WeightColumn() = default;
  // One value everywhere.
  WeightColumn(std::size_t size, float value) : size_(size), values_(size > 0 ? 1 : 0, value) {}
  // These, fewer than 2^32, of which none is NaN. O(size); the same bits at any number of threads.
  WeightColumn(AlignedArray<float> weights, Executor& executor);
  // What values() and codes() of a column of this size were; none when they cannot have been.
  // REQUIRES codes below the number of values.
  static std::optional<WeightColumn> Of(std::size_t size, AlignedArray<float> values,
                                        AlignedArray<std::uint8_t> codes);
  // Room for the weights of `other` in another order, to be filled by SetBits.
  static WeightColumn ToPermute(const WeightColumn& other);

  std::size_t size() const { return size_; }
  float operator[](std::size_t i) const { return view()[i]; }
  WeightView view() const {
    return {values_.data(), codes_.empty() ? nullptr : codes_.data(), size_, one_value()};
  }
  bool one_value() const { return codes_.empty() && values_.size() == 1; }

  // An arc's part of the column, as its form has it.
  std::uint32_t Bits(std::size_t i) const {
    if (!codes_.empty()) return codes_[i];
    return one_value() ? 0 : std::bit_cast<std::uint32_t>(values_[i]);
  }
  void SetBits(std::size_t i, std::uint32_t bits) {
    if (!codes_.empty())
      codes_[i] = static_cast<std::uint8_t>(bits);
    else if (!one_value())
      values_[i] = std::bit_cast<float>(bits);
  }

  friend bool operator==(const WeightColumn& a, const WeightColumn& b);

  std::span<const float> values() const { return values_.span(); }
  std::span<const std::uint8_t> codes() const { return codes_.span(); }
  std::uint64_t size_bytes() const { return values_.size_bytes() + codes_.size_bytes(); }

 private:
  std::size_t size_ = 0;
  AlignedArray<float> values_;        // ascending as bits when there are codes
  AlignedArray<std::uint8_t> codes_;  // indices of values, one an arc
};

}  // namespace plexus
