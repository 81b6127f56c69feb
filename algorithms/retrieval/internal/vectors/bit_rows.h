// BitRows: the rows of a vector space in one bit a value, and what estimates a measure from them.
//
// A row is padded with zeros to at least 256 values and rotated by a fixed product of sign changes
// and Walsh-Hadamard transforms; b are the signs of the result y, as +-1. Then
//
//   q.x  ~  (|y|^2 / |y|_1) (Rq.b)
//
// is exact for q = x and unbiased over random rotations R (Gao, Long, "RaBitQ", SIGMOD 2024). No
// bound is proven: what the estimates rank first has to be measured. The rotation depends on the
// number of dimensions alone, and a row's bits on that row alone, so blocks are shared and carried
// as row_copies.h says. 8 bytes a row beside the bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/internal/vectors/bit_kernels.h"
#include "algorithms/retrieval/internal/vectors/row_copies.h"
#include "engine/arrays/aligned_array.h"

namespace plexus::retrieval_internal {

// Values of a rotated vector: a multiple of 64, at least 256, so that short vectors get more bits
// than they have values.
std::size_t RotatedSize(std::size_t dimensions);
// out = R values / divisor, of RotatedSize values. REQUIRES divisor > 0, |values[i]| <= divisor.
void Rotate(std::span<const float> values, float divisor, std::span<float> out);

struct BitFactor {
  float ratio, norm;  // |y| / |y|_1 and |x|
};
struct BitBlock : CopiedBlock {
  AlignedArray<std::uint64_t> bits;  // as bit_kernels.h has them, zeros behind the last row
  std::vector<BitFactor> factors;    // by row
};

class BitRows final : public RowCopies<BitRows, BitBlock> {
 public:
  static constexpr std::string_view kName = "bit rows";

  std::size_t words() const { return words_; }  // of a row
  std::uint64_t size_bytes() const override;

 private:
  friend RowCopies;
  void Fill(const VectorTable::View& view, std::span<const NewBlock> made, Executor& executor);

  std::size_t words_ = 0;
};

// A rotated query, its values rounded to the odd multiples from -15 to 15 of a step.
class BitQuery {
 public:
  BitQuery(std::span<const float> query, Metric metric, SimdLevel level);

  // ranks[i] ~ the rank that SpaceQuery::Rank gives to row first + i of the block, up to a constant
  // and a positive factor of the query. REQUIRES first is a multiple of kBitGroup.
  void Estimate(const BitBlock& block, std::size_t first, std::size_t count, double* ranks) const;

 private:
  Metric metric_;
  BitDistance distance_;
  std::size_t words_;
  std::vector<std::uint64_t> planes_;
  double step_ = 0;
};

}  // namespace plexus::retrieval_internal
