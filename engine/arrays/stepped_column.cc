// Making a stepped column: blocks of whole words, first their steps, then their values.
#include "engine/arrays/stepped_column.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace plexus {

namespace {

constexpr std::size_t kStepGrain = std::size_t{1} << 16;  // indices a block; whole words

std::size_t WordsOf(std::size_t size) { return (size + 63) / 64; }

}  // namespace

SteppedColumn::SteppedColumn(std::size_t size, std::int64_t value)
    : size_(size),
      steps_(WordsOf(size), std::uint64_t{0}),
      before_(WordsOf(size), std::uint32_t{1}),
      values_(size > 0 ? 1 : 0, value) {
  if (size == 0) return;
  steps_[0] = 1;
  before_[0] = 0;
}

SteppedColumn::SteppedColumn(std::span<const std::int64_t> values, Executor& executor)
    : size_(values.size()), steps_(WordsOf(values.size())), before_(WordsOf(values.size())) {
  std::vector<std::uint32_t> first((size_ + kStepGrain - 1) / kStepGrain + 1, 0);  // of each block
  ParallelFor(executor, size_, kStepGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t sum = 0;
    for (std::size_t word = begin / 64; word * 64 < end; ++word) {
      std::uint64_t bits = 0;
      for (std::size_t i = word * 64; i < std::min(end, word * 64 + 64); ++i)
        bits |= std::uint64_t{i == 0 || values[i] != values[i - 1]} << i % 64;
      steps_[word] = bits;
      before_[word] = sum;
      sum += static_cast<std::uint32_t>(std::popcount(bits));
    }
    first[begin / kStepGrain + 1] = sum;
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  values_ = AlignedArray<std::int64_t>(first.back());
  ParallelFor(executor, size_, kStepGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t step = first[begin / kStepGrain];
    for (std::size_t word = begin / 64; word * 64 < end; ++word) {
      before_[word] = step;
      for (std::uint64_t bits = steps_[word]; bits != 0; bits &= bits - 1)
        values_[step++] = values[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
    }
  });
}

std::optional<SteppedColumn> SteppedColumn::Of(std::size_t size, AlignedArray<std::uint64_t> steps,
                                               AlignedArray<std::int64_t> values) {
  if (steps.size() != WordsOf(size)) return std::nullopt;
  if (size > 0 && (steps[0] & 1) == 0) return std::nullopt;
  if (size % 64 != 0 && steps[size / 64] >> size % 64 != 0) return std::nullopt;
  AlignedArray<std::uint32_t> before(steps.size());
  std::size_t sum = 0;
  for (std::size_t word = 0; word < steps.size(); ++word) {
    before[word] = static_cast<std::uint32_t>(sum);
    sum += static_cast<std::size_t>(std::popcount(steps[word]));
  }
  if (sum != values.size()) return std::nullopt;
  SteppedColumn column;
  column.size_ = size;
  column.steps_ = std::move(steps);
  column.before_ = std::move(before);
  column.values_ = std::move(values);
  return column;
}

void SteppedColumn::Copy(std::size_t begin, std::size_t end, std::int64_t* to) const {
  if (begin >= end) return;
  std::size_t at = begin, step = Step(begin);
  // The first value is known: of its word only later steps count.
  std::uint64_t bits = steps_[begin / 64] & ~((std::uint64_t{2} << begin % 64) - 1);
  for (std::size_t word = begin / 64;;) {
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t next = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (next >= end) break;
      to = std::fill_n(to, next - at, values_[step++]);
      at = next;
    }
    if (++word * 64 >= end) break;
    bits = steps_[word];
  }
  std::fill_n(to, end - at, values_[step]);
}

}  // namespace plexus
