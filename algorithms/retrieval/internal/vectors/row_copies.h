// RowCopies: a small copy of the rows of a vector space, in the blocks in which they lie.
//
// Kept with the state and carried, also when a compaction moves rows. Rows never change in place,
// so a block that lies where it lay is shared, one that grew takes over what was made of it, and
// only new rows are made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/retrieval/internal/vectors/row_reader.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::retrieval::internal {

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

}  // namespace plexus::retrieval::internal
