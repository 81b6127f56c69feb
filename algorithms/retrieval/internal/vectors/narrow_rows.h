// NarrowRows: the rows of a vector space in 8 bits a value, with a proven bound of what that loses.
//
//   x = scale * codes + e,  codes in [-127, 127],  scale = max |x_i| / 127,  |e| is kept
//
// so for every query q: |q.x - scale * (q.codes)| <= |q| |e| (Cauchy-Schwarz). A quarter of the
// bytes of the f32 rows, and 12 a row. Codes and bounds lie by groups of 16 rows, as
// NarrowUppers reads them. Kept and carried as RowCopies says. Symmetric scalar quantization
// with one scale a row: Jégou, Douze, Schmid, "Product quantization for nearest neighbor search",
// PAMI 2011, has the family; the error norm a row is what makes a bound of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/retrieval/internal/vectors/row_reader.h"
#include "engine/arrays/aligned_array.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/schema.h"
#include "engine/snapshot.h"

namespace plexus::retrieval::internal {

// RowCopies: a small copy of the rows of a vector space, in the blocks in which they lie.
//
// Kept with the state and carried, also when a compaction moves rows. Rows never change in place,
// so a block that lies where it lay is shared, one that grew takes over what was made of it, and
// only new rows are made.

// What the copy of a block begins with.
struct CopiedBlock {
  VectorView::Block source;  // kept alive, so that its address is not used again
  std::size_t rows = 0;
};

// `Copy` derives from RowCopies<Copy, BlockCopy>, `BlockCopy` from CopiedBlock. Copy has a kName
// and Fill(view, made, executor), which makes the rows of the blocks that AddBlocks made.
template <class Copy, class BlockCopy>
class RowCopies : public Carried {
 public:
  using Block = BlockCopy;

  // Computes: the copy of a space. It is kept with the state and carried to later ones, unless
  //   `stopped()` says that the executor left work undone.
  // Complexity: O(1) when it is kept, else O(rows * dimensions).
  // Errors: throws std::bad_alloc. REQUIRES that the space's vectors are loaded.
  // Threads: parallel. The same bits at any thread count.
  template <class Stopped>
  static std::shared_ptr<const Copy> Of(const Snapshot& snapshot, SpaceId space, Executor& executor,
                                        Stopped&& stopped) {
    if (auto known = FindDerived<Copy>(snapshot, space.value())) return known;
    auto made = Make(*snapshot.space(space), space, nullptr, executor);
    return stopped() ? made : KeepDerived<Copy>(snapshot, std::move(made), space.value());
  }
  // `before`: of an earlier view, whose blocks are used where they are the same; may be null.
  static std::shared_ptr<const Copy> Make(const VectorView& view, SpaceId space, const Copy* before,
                                          Executor& executor) {
    auto made = std::make_shared<Copy>();
    made->space_ = space;
    made->Fill(view, made->AddBlocks(view, before), executor);
    return made;
  }

  std::size_t block_count() const { return entries_.size(); }
  const Block& block(std::size_t i) const { return *entries_[i].block; }
  // The row that block i begins with.
  std::uint32_t first_row(std::size_t i) const { return entries_[i].first_row; }
  // The block that holds a row.
  std::size_t BlockOf(std::uint32_t row) const {
    const auto after = std::ranges::upper_bound(entries_, row, {}, &Entry::first_row);
    return static_cast<std::size_t>(after - entries_.begin()) - 1;
  }

  std::shared_ptr<const Carried> Carry(const Snapshot& now, const StateChanges&) const override {
    // Of a large space that was compacted all is made again by its next reader, on all threads,
    // rather than by the writer.
    constexpr std::uint64_t kMostMoved = std::uint64_t{1} << 16;
    const Result<const VectorView*> view = now.vectors(space_);
    if (!view || MovedRows(**view) > kMostMoved) return nullptr;
    return Make(**view, space_, static_cast<const Copy*>(this), SerialExecutor());
  }
  MadeOf made_of() const override { return MadeOf::kVectorRows; }

 protected:
  struct NewBlock {
    Block* block;
    const Block* known;      // whose rows are the first of it, or null
    std::uint64_t rows_end;  // of the rows to make, up to the end of this block
  };

  // Calls write(block, row of it, values) for the rows to make; writer() gives a thread its own
  // `write`.
  template <class Writer>
  static void ForNewRows(const VectorView& view, std::span<const NewBlock> made, Executor& executor,
                         Writer&& writer) {
    const std::uint64_t rows = made.empty() ? 0 : made.back().rows_end;
    ParallelFor(executor, rows, 1024, [&](std::size_t begin, std::size_t end) {
      auto write = writer();
      RowReader reader(view, SimdLevel::kBest);
      auto at = std::ranges::upper_bound(made, std::uint64_t{begin}, {}, &NewBlock::rows_end);
      for (std::size_t r = begin; r < end; ++r) {
        while (r >= at->rows_end) ++at;
        const std::size_t row = at->block->rows - static_cast<std::size_t>(at->rows_end - r);
        write(*at->block, row,
              std::span(reader.Row(at->block->source.rows, row), view.dimensions()));
      }
    });
  }

  std::uint64_t EntryBytes() const {
    return entries_.capacity() * sizeof(Entry) + entries_.size() * sizeof(Block);
  }

 private:
  struct Entry {
    std::uint32_t first_row;
    std::shared_ptr<const Block> block;
  };

  // Rows in blocks that do not begin where those of that number did.
  std::uint64_t MovedRows(const VectorView& view) const {
    std::uint64_t rows = 0;
    const std::size_t blocks = std::min(view.block_count(), entries_.size());
    for (std::size_t i = 0; i < blocks; ++i)
      if (const VectorView::Stretch now = view.block(i).rows;
          now.first != block(i).source.rows.first)
        rows += now.count;
    return rows;
  }

  std::vector<NewBlock> AddBlocks(const VectorView& view, const Copy* before) {
    std::vector<NewBlock> made;
    std::uint64_t new_rows = 0;
    std::uint32_t first = 0;
    entries_.reserve(view.block_count());
    for (std::size_t i = 0; i < view.block_count(); ++i) {
      VectorView::Block source = view.block(i);
      const std::size_t rows = source.rows.count;
      // Compaction moves rows, appending keeps the numbers of blocks.
      const std::shared_ptr<const Block> same =
          before && i < before->entries_.size() &&
                  before->block(i).source.rows.first == source.rows.first
              ? before->entries_[i].block
              : nullptr;
      if (same && same->rows == rows) {
        entries_.push_back({first, same});
      } else {
        auto block = std::make_shared<Block>();
        block->source = std::move(source);
        block->rows = rows;
        const Block* const known = same && same->rows < rows ? same.get() : nullptr;
        new_rows += rows - (known ? known->rows : 0);
        made.push_back({block.get(), known, new_rows});
        entries_.push_back({first, std::move(block)});
      }
      first += static_cast<std::uint32_t>(rows);
    }
    return made;
  }

  SpaceId space_{};
  std::vector<Entry> entries_;
};

// NarrowUppers: upper bounds of the ranks of rows in 8 bits, one function per instruction level.
//
// 16 rows make a group, whose codes lie by steps of 4: a step has the first 4 codes of row 0, of
// row 1 and so on, then come the next 4. So a lane belongs to one row, and neither the sums nor the
// arithmetic of the bounds cross lanes. Codes are widened to 16 bits, and pairs of products are
// added up in 32; with the query in 16 bits that is exact, so every level has the same sums.

inline constexpr std::size_t kNarrowGroup = 16;  // rows
inline constexpr std::size_t kNarrowStep = 4;    // codes

struct NarrowGroups {
  const std::int8_t* codes;  // [count][steps][kNarrowGroup][kNarrowStep]
  const float* bounds;       // [count]{scale, norm, error}[kNarrowGroup]
  std::size_t steps, count;
};

// A query, and what makes a bound of its product with a row of scale s, norm x and error e:
//   product = scale * s * (codes . codes) + of_error * e + of_norm * x
struct NarrowForm {
  Metric metric;
  const std::int16_t* codes;  // REQUIRES that no sum of |code| * 127 exceeds the largest int32
  double scale, of_error, of_norm;
  double norm;               // of the query. REQUIRES > 0.
  double kernel, vanishing;  // what the f32 kernels lose of squares, and what they take for zero
};

// upper[kNarrowGroup * i + r]: of row r of group i. Bit r of reach[i]: it is at least `least`.
using NarrowUppers = void (*)(const NarrowForm& form, const NarrowGroups& groups, double least,
                              double* upper, std::uint16_t* reach);

// The level, or the best one there is.
NarrowUppers PickNarrowUppers(SimdLevel level);

// --- narrow rows

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

// --- a scan of them: the only nodes that can be among the `top` nearest

// Computes: the nodes of `selection` whose upper bound is not below the top-th best lower bound,
//   among the first `rows` rows, in order of row. All nodes of the `top` best are there, ties
//   included. Absent: they would be more than a quarter of the rows, so that measuring all costs
//   less. REQUIRES top > 0.
// Complexity: O(rows * dimensions) of 8-bit values.
// Threads: parallel. The same nodes at any thread count.
std::optional<std::vector<NodeId>> NarrowCandidates(const VectorView& view,
                                                    const NarrowRows& narrow,
                                                    const NarrowQuery& query,
                                                    const common_internal::Selection& selection,
                                                    NodeId skip, std::size_t top,
                                                    std::uint32_t rows, Executor& executor);

}  // namespace plexus::retrieval::internal
