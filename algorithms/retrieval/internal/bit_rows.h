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
// as narrow_rows.h does. 8 bytes a row beside the bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/internal/bit_kernels.h"
#include "engine/arrays/aligned_array.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::retrieval_internal {

// Values of a rotated vector: a multiple of 64, at least 256, so that short vectors get more bits
// than they have values.
std::size_t RotatedSize(std::size_t dimensions);
// out = R values / divisor, of RotatedSize values. REQUIRES divisor > 0, |values[i]| <= divisor.
void Rotate(std::span<const float> values, float divisor, std::span<float> out);

class BitRows final : public Carried {
 public:
  static constexpr std::string_view kName = "bit rows";

  struct Factor {
    float ratio, norm;  // |y| / |y|_1 and |x|
  };
  // Rows that lie behind each other in memory.
  struct Block {
    AlignedArray<std::uint64_t> bits;  // as bit_kernels.h has them, zeros behind the last row
    std::vector<Factor> factors;       // by row
    VectorTable::Block source;         // kept alive, so that its address is not used again
  };

  // As NarrowRows::Of and NarrowRows::Make.
  template <class Stopped>
  static std::shared_ptr<const BitRows> Of(const Snapshot& snapshot, SpaceId space,
                                           Executor& executor, Stopped&& stopped) {
    if (auto known = FindDerived<BitRows>(snapshot, space.value())) return known;
    auto made = Make(*snapshot.space(space), space, nullptr, executor);
    return stopped() ? made : KeepDerived<BitRows>(snapshot, std::move(made), space.value());
  }
  static std::shared_ptr<const BitRows> Make(const VectorTable::View& view, SpaceId space,
                                             const BitRows* before, Executor& executor);

  std::size_t words() const { return words_; }  // of a row
  std::size_t block_count() const { return entries_.size(); }
  const Block& block(std::size_t i) const { return *entries_[i].block; }
  std::uint32_t first_row(std::size_t i) const { return entries_[i].first_row; }
  std::size_t BlockOf(std::uint32_t row) const;

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  std::uint64_t size_bytes() const override;

 private:
  struct Entry {
    const float* source;
    std::uint32_t first_row, rows;
    std::shared_ptr<const Block> block;
  };

  SpaceId space_{};
  std::size_t words_ = 0;
  std::vector<Entry> entries_;
};

// A rotated query, its values rounded to the odd multiples from -15 to 15 of a step.
class BitQuery {
 public:
  BitQuery(std::span<const float> query, Metric metric, SimdLevel level);

  // ranks[i] ~ the rank that SpaceQuery::Rank gives to row first + i of the block, up to a constant
  // and a positive factor of the query. REQUIRES first is a multiple of kBitGroup.
  void Estimate(const BitRows::Block& block, std::size_t first, std::size_t count,
                double* ranks) const;

 private:
  Metric metric_;
  BitDistance distance_;
  std::size_t words_;
  std::vector<std::uint64_t> planes_;
  double step_ = 0;
};

}  // namespace plexus::retrieval_internal
