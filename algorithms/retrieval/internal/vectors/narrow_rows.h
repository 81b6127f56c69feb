// NarrowRows: the rows of a vector space in 8 bits a value, with a proven bound of what that loses.
//
//   x = scale * codes + e,  codes in [-127, 127],  scale = max |x_i| / 127,  |e| is kept
//
// so for every query q: |q.x - scale * (q.codes)| <= |q| |e| (Cauchy-Schwarz). A quarter of the
// bytes of the f32 rows, and 12 a row. Codes and bounds lie by groups of 16 rows, as
// narrow_kernels.h reads them. Kept and carried as row_copies.h says. Symmetric scalar quantization
// with one scale a row: Jégou, Douze, Schmid, "Product quantization for nearest neighbor search",
// PAMI 2011, has the family; the error norm a row is what makes a bound of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "algorithms/retrieval/internal/vectors/narrow_kernels.h"
#include "algorithms/retrieval/internal/vectors/row_copies.h"
#include "engine/arrays/aligned_array.h"

namespace plexus::retrieval::internal {

// A row that has no bound (its norm is no f32, or its scale vanishes) has an infinite error.
struct NarrowBound {
  float scale, norm, error;  // norm = |x|, error >= |e|
};
// Blocks made at once lie behind each other in memory.
struct NarrowMemory {
  AlignedArray<std::int8_t> codes;
  AlignedArray<float> bounds;
};
// The last group is filled up with zeros.
struct NarrowBlock : CopiedBlock {
  std::int8_t* codes;
  float* bounds;  // of a group: 16 scales, 16 norms, 16 errors
  std::shared_ptr<NarrowMemory> memory;

  std::size_t groups() const { return (rows + kNarrowGroup - 1) / kNarrowGroup; }
  NarrowBound bound(std::size_t row) const {
    const float* const b = bounds + row / kNarrowGroup * 3 * kNarrowGroup + row % kNarrowGroup;
    return {b[0], b[kNarrowGroup], b[2 * kNarrowGroup]};
  }
};

class NarrowRows final : public RowCopies<NarrowRows, NarrowBlock> {
 public:
  static constexpr std::string_view kName = "narrow rows";

  std::size_t stride() const { return stride_; }  // codes of a row, zeros at their ends
  std::uint64_t size_bytes() const override;

 private:
  friend RowCopies;
  void Fill(const VectorView& view, std::span<const NewBlock> made, Executor& executor);

  std::size_t stride_ = 0;
};

// A query in 16 bits, fewer where many dimensions could overflow a sum; its own loss is in the
// bounds.
class NarrowQuery {
 public:
  NarrowQuery(std::span<const float> query, std::size_t stride, Metric metric, SimdLevel level);

  // upper[16 * i + r] >= the rank of SpaceQuery::Rank for row r of group `first` + i of the
  // block; bit r of reach[i]: it is at least `least`. Rows that fill up a group have any.
  void Uppers(const NarrowBlock& block, std::size_t first, std::size_t groups, double least,
              double* upper, std::uint16_t* reach) const;
  // At most that rank, of a row with this upper bound.
  double Lower(const NarrowBound& bound, double upper) const;

 private:
  double Slack(const NarrowBound& bound) const;

  Metric metric_;
  NarrowUppers uppers_;
  AlignedArray<std::int16_t> codes_;
  double scale_ = 0, norm_ = 0, error_ = 0;  // query = scale_ * codes_ + e, |e| <= error_
};

}  // namespace plexus::retrieval::internal
