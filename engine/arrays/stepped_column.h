// SteppedColumn: a time for each index, of a column that holds the same over stretches.
//
// Arcs that were made together stand side by side and have one time. Kept are the values where the
// column steps (differs from the index before), a bit for each index that says whether it does, and
// for each word of bits the steps before it: 1.5 bits an index and 8 bytes a step. A value is found
// in three reads. Immutable; freely shared.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/arrays/aligned_array.h"
#include "engine/parallel.h"

namespace plexus {

class SteppedColumn {
 public:
  SteppedColumn() = default;
  // One value everywhere.
  SteppedColumn(std::size_t size, std::int64_t value);
  // These values, fewer than 2^32. The same bits at any number of threads.
  SteppedColumn(std::span<const std::int64_t> values, Executor& executor);
  // What steps() and values() of a column of this size were; none when they cannot have been.
  static std::optional<SteppedColumn> Of(std::size_t size, AlignedArray<std::uint64_t> steps,
                                         AlignedArray<std::int64_t> values);

  std::size_t size() const { return size_; }
  std::int64_t operator[](std::size_t i) const { return values_[Step(i)]; }
  // The values of [begin, end) to `to`, faster than one by one.
  void Copy(std::size_t begin, std::size_t end, std::int64_t* to) const;

  std::span<const std::uint64_t> steps() const { return steps_.span(); }
  std::span<const std::int64_t> values() const { return values_.span(); }
  std::uint64_t size_bytes() const {
    return steps_.size_bytes() + before_.size_bytes() + values_.size_bytes();
  }

 private:
  // Which value index `i` has: as many as step up to it, less one.
  std::size_t Step(std::size_t i) const {
    return before_[i / 64] +
           static_cast<std::size_t>(std::popcount(steps_[i / 64] << (63 - i % 64))) - 1;
  }

  std::size_t size_ = 0;
  AlignedArray<std::uint64_t> steps_;   // bit i % 64 of word i / 64; the first is set
  AlignedArray<std::uint32_t> before_;  // steps before each word
  AlignedArray<std::int64_t> values_;   // one a step
};

}  // namespace plexus
