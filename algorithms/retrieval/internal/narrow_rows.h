// NarrowRows: the rows of a vector space in 8 bits a value, with a proven bound of what that loses.
//
//   x = scale * codes + e,  codes in [-127, 127],  scale = max |x_i| / 127,  |e| is kept
//
// so for every query q: |q.x - scale * (q.codes)| <= |q| |e| (Cauchy-Schwarz). A quarter of the
// bytes of the f32 rows, and 12 a row. Codes and bounds lie by groups of 16 rows, as
// narrow_kernels.h reads them. Kept with the state and carried: rows never change in place, so
// blocks are shared by what they were made of. Symmetric scalar quantization with one scale a
// row: Jégou, Douze, Schmid, "Product quantization for nearest neighbor search", PAMI 2011, has the
// family; the error norm a row is what makes a bound of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/internal/narrow_kernels.h"
#include "engine/arrays/aligned_array.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::retrieval_internal {

class NarrowRows final : public Carried {
 public:
  static constexpr std::string_view kName = "narrow rows";

  // A row that has no bound (its norm is no f32, or its scale vanishes) has an infinite error.
  struct Bound {
    float scale, norm, error;  // norm = |x|, error >= |e|
  };
  // Blocks made at once lie behind each other in memory.
  struct Memory {
    AlignedArray<std::int8_t> codes;
    AlignedArray<float> bounds;
  };
  // The rows of one block of the space; the last group is filled up with zeros.
  struct Block {
    std::int8_t* codes;
    float* bounds;  // of a group: 16 scales, 16 norms, 16 errors
    std::size_t rows;
    VectorTable::Block source;  // kept alive, so that its address is not used again
    std::shared_ptr<Memory> memory;

    std::size_t groups() const { return (rows + kNarrowGroup - 1) / kNarrowGroup; }
    Bound bound(std::size_t row) const {
      const float* const b = bounds + row / kNarrowGroup * 3 * kNarrowGroup + row % kNarrowGroup;
      return {b[0], b[kNarrowGroup], b[2 * kNarrowGroup]};
    }
  };

  // Computes: the narrow rows of a space. They are kept with the state and carried to later ones,
  //   unless `stopped()` says that the executor left work undone.
  // Complexity: O(1) when they are kept, else O(rows * dimensions).
  // Errors: throws std::bad_alloc. REQUIRES that the space's vectors are loaded.
  // Threads: parallel. The same bits at any thread count.
  template <class Stopped>
  static std::shared_ptr<const NarrowRows> Of(const Snapshot& snapshot, SpaceId space,
                                              Executor& executor, Stopped&& stopped) {
    if (auto known = FindDerived<NarrowRows>(snapshot, space.value())) return known;
    auto made = Make(*snapshot.space(space), space, nullptr, executor);
    return stopped() ? made : KeepDerived<NarrowRows>(snapshot, std::move(made), space.value());
  }
  // `before`: of an earlier view, whose blocks are used where they are the same; may be null.
  static std::shared_ptr<const NarrowRows> Make(const VectorTable::View& view, SpaceId space,
                                                const NarrowRows* before, Executor& executor);

  std::size_t stride() const { return stride_; }  // codes of a row, zeros at their ends
  std::size_t block_count() const { return entries_.size(); }
  const Block& block(std::size_t i) const { return *entries_[i].block; }
  // The row that block i begins with.
  std::uint32_t first_row(std::size_t i) const { return entries_[i].first_row; }
  // The block that holds a row.
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
  std::size_t stride_ = 0;
  std::vector<Entry> entries_;
};

// A query in 16 bits, fewer where many dimensions could overflow a sum; its own loss is in the
// bounds.
class NarrowQuery {
 public:
  NarrowQuery(std::span<const float> query, std::size_t stride, Metric metric, SimdLevel level);

  // upper[16 * i + r] >= the rank that SpaceQuery::Rank gives to row r of group `first` + i of the
  // block; bit r of reach[i]: it is at least `least`. Rows that fill up a group have any.
  void Uppers(const NarrowRows::Block& block, std::size_t first, std::size_t groups, double least,
              double* upper, std::uint16_t* reach) const;
  // At most that rank, of a row with this upper bound.
  double Lower(const NarrowRows::Bound& bound, double upper) const;

 private:
  double Slack(const NarrowRows::Bound& bound) const;

  Metric metric_;
  NarrowUppers uppers_;
  AlignedArray<std::int16_t> codes_;
  double scale_ = 0, norm_ = 0, error_ = 0;  // query = scale_ * codes_ + e, |e| <= error_
};

}  // namespace plexus::retrieval_internal
