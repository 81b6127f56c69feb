// The rotation, the bits of blocks, and a query's estimates.
#include "algorithms/retrieval/internal/vectors/bit_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace plexus::retrieval_internal {

namespace {

constexpr int kRounds = 2;
constexpr double kLargest = std::numeric_limits<float>::max();

// Changes the signs of values by a fixed pseudo-random sequence (SplitMix64).
void ChangeSigns(std::span<float> values, int round) {
  std::uint64_t state = static_cast<std::uint64_t>(round + 1) << 32, word = 0;
  for (std::size_t i = 0; i < values.size(); ++i, word >>= 1) {
    if (i % 64 == 0) {
      state += 0x9E3779B97F4A7C15u;
      word = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
      word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
      word ^= word >> 31;
    }
    if (word & 1) values[i] = -values[i];
  }
}

// The Walsh-Hadamard transform of a power of two values, which keeps their norm.
void Transform(std::span<float> values) {
  for (std::size_t half = 1; half < values.size(); half *= 2)
    for (std::size_t i = 0; i < values.size(); i += 2 * half)
      for (std::size_t j = i; j < i + half; ++j) {
        const float a = values[j], b = values[j + half];
        values[j] = a + b;
        values[j + half] = a - b;
      }
  const float scale = 1 / std::sqrt(static_cast<float>(values.size()));
  for (float& x : values) x *= scale;
}

float LargestOf(std::span<const float> values) {
  float largest = 0;
  for (const float x : values) largest = std::max(largest, std::abs(x));
  return largest;
}

// Writes the bits of one row: word w at bits[w * kBitGroup]. `rotated`: scratch.
BitFactor Quantize(std::span<const float> row, std::span<float> rotated, std::uint64_t* bits) {
  const float largest = LargestOf(row);
  if (largest == 0) return {0, 0};  // the bits are zeros already
  Rotate(row, largest, rotated);
  constexpr std::size_t kLanes = 4;  // sums that do not wait for one another
  double squares[kLanes] = {}, sums[kLanes] = {};
  for (std::size_t begin = 0; begin < rotated.size(); begin += 64) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 64; i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double y = static_cast<double>(rotated[begin + i + lane]);
        squares[lane] += y * y;
        sums[lane] += std::abs(y);
        word |= static_cast<std::uint64_t>(y > 0) << (i + lane);
      }
    bits[begin / 64 * kBitGroup] = word;
  }
  const double norm = std::sqrt((squares[0] + squares[1]) + (squares[2] + squares[3]));
  const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return {static_cast<float>(norm / sum),
          static_cast<float>(std::min(static_cast<double>(largest) * norm, kLargest))};
}

}  // namespace

std::size_t RotatedSize(std::size_t dimensions) {
  return std::max<std::size_t>(256, (dimensions + 63) / 64 * 64);
}

// Where the size is no power of two, the largest one is transformed at both ends.
void Rotate(std::span<const float> values, float divisor, std::span<float> out) {
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i] / divisor;
  std::ranges::fill(out.subspan(values.size()), 0.0f);
  const std::size_t power = std::bit_floor(out.size());
  for (int round = 0; round < kRounds; ++round) {
    ChangeSigns(out, round);
    Transform(out.first(power));
    if (power < out.size()) Transform(out.last(power));
  }
}

void BitRows::Fill(const VectorTable::View& view, std::span<const NewBlock> made,
                   Executor& executor) {
  const std::size_t words = words_ = RotatedSize(view.dimensions()) / 64;
  for (const NewBlock& w : made) {
    BitBlock& block = *w.block;
    const std::size_t groups = (block.rows + kBitGroup - 1) / kBitGroup;
    block.bits = AlignedArray<std::uint64_t>(groups * words * kBitGroup, std::uint64_t{0});
    block.factors.resize(block.rows);
    if (!w.known) continue;
    std::copy_n(w.known->bits.data(), w.known->bits.size(), block.bits.data());
    std::ranges::copy(w.known->factors, block.factors.begin());
  }
  ForNewRows(view, made, executor, [words] {
    return [words, rotated = std::vector<float>(words * 64)](
               BitBlock& block, std::size_t row, std::span<const float> values) mutable {
      std::uint64_t* const bits =
          block.bits.data() + row / kBitGroup * kBitGroup * words + row % kBitGroup;
      block.factors[row] = Quantize(values, rotated, bits);
    };
  });
}

std::uint64_t BitRows::size_bytes() const {
  std::uint64_t bytes = sizeof(*this) + EntryBytes();
  for (std::size_t i = 0; i < block_count(); ++i)
    bytes += block(i).bits.size() * 8 + block(i).rows * sizeof(BitFactor);
  return bytes;
}

BitQuery::BitQuery(std::span<const float> query, Metric metric, SimdLevel level)
    : metric_(metric),
      distance_(PickBitDistance(level)),
      words_(RotatedSize(query.size()) / 64),
      planes_(kBitPlanes * words_) {
  const float largest = LargestOf(query);
  if (largest == 0) return;
  std::vector<float> rotated(words_ * 64);
  Rotate(query, largest, rotated);
  constexpr double kMost = (1 << kBitPlanes) - 1;
  const double step = static_cast<double>(LargestOf(rotated)) / kMost;
  step_ = step * static_cast<double>(largest);
  for (std::size_t i = 0; i < rotated.size(); ++i) {
    const double code = std::nearbyint((static_cast<double>(rotated[i]) / step + kMost) / 2);
    const auto bits = static_cast<std::uint64_t>(std::clamp(code, 0.0, kMost));
    for (std::size_t p = 0; p < kBitPlanes; ++p)
      planes_[p * words_ + i / 64] |= (bits >> p & 1) << i % 64;
  }
}

void BitQuery::Estimate(const BitBlock& block, std::size_t first, std::size_t count,
                        double* ranks) const {
  constexpr std::size_t kStretch = 256;
  std::uint32_t differences[kStretch];
  // Of values +-1: a product is the places that are equal less those that differ.
  const double most = static_cast<double>(((1 << kBitPlanes) - 1) * 64 * words_);
  for (std::size_t begin = 0; begin < count; begin += kStretch) {
    const std::size_t rows = std::min(kStretch, count - begin);
    distance_(planes_.data(), words_, block.bits.data() + (first + begin) * words_,
              (rows + kBitGroup - 1) / kBitGroup, differences);
    const BitFactor* const factors = block.factors.data() + first + begin;
    for (std::size_t i = 0; i < rows; ++i) {
      const double norm = static_cast<double>(factors[i].norm);
      const double cosine =
          step_ * static_cast<double>(factors[i].ratio) * (most - 2.0 * differences[i]);
      ranks[begin + i] = metric_ == Metric::kInnerProduct ? cosine * norm
                         : metric_ == Metric::kL2         ? 2 * cosine * norm - norm * norm
                                                          : cosine;
    }
  }
}

}  // namespace plexus::retrieval_internal
