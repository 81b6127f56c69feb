// Making a weight column: which values there are, then the code of each arc.
#include "engine/arrays/weight_column.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

namespace plexus {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 18;  // arcs a block

// Up to kMaxCodes values, each with a number: a hash table that is at most a quarter full.
class CodeTable {
 public:
  // The number of a value; that of a new one is `next`. kNone when that would be one too many.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t Add(std::uint32_t bits, std::uint32_t next) {
    std::size_t at = Place(bits);
    while (numbers_[at] != kNone) {
      if (values_[at] == bits) return numbers_[at];
      at = (at + 1) % kSlots;
    }
    if (next >= WeightColumn::kMaxCodes) return kNone;
    values_[at] = bits;
    return numbers_[at] = next;
  }
  // REQUIRES that it was added.
  std::uint8_t Find(std::uint32_t bits) const {
    std::size_t at = Place(bits);
    while (values_[at] != bits || numbers_[at] == kNone) at = (at + 1) % kSlots;
    return static_cast<std::uint8_t>(numbers_[at]);
  }
  CodeTable() { std::fill_n(numbers_, kSlots, kNone); }

 private:
  static constexpr std::size_t kSlots = 4 * WeightColumn::kMaxCodes;
  static std::size_t Place(std::uint32_t bits) { return (bits * 0x9e3779b1u) >> 22; }
  static_assert(kSlots == std::size_t{1} << (32 - 22));
  std::uint32_t values_[kSlots] = {};
  std::uint32_t numbers_[kSlots];
};

using Values = std::vector<std::uint32_t>;  // ascending

// The values of a block; more than kMaxCodes when there are more.
Values ValuesOf(std::span<const float> weights) {
  CodeTable table;
  Values found;
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(weights[i]);
    if (i > 0 && bits == last) continue;
    last = bits;
    const std::uint32_t number = table.Add(bits, static_cast<std::uint32_t>(found.size()));
    if (number == found.size() || number == CodeTable::kNone) found.push_back(bits);
    if (number == CodeTable::kNone) break;
  }
  std::ranges::sort(found);
  return found;
}

// The values of all; more than kMaxCodes when there are more.
Values ValuesOf(std::span<const float> weights, Executor& executor) {
  std::atomic<bool> many = false;
  return ParallelReduce(
      executor, weights.size(), kGrain, Values(),
      [&](std::size_t begin, std::size_t end) {
        if (many.load(std::memory_order_relaxed)) return Values(WeightColumn::kMaxCodes + 1);
        Values found = ValuesOf(weights.subspan(begin, end - begin));
        if (found.size() > WeightColumn::kMaxCodes) many.store(true, std::memory_order_relaxed);
        return found;
      },
      [](const Values& a, const Values& b) {
        Values both;
        if (a.size() > WeightColumn::kMaxCodes) return a;
        if (b.size() > WeightColumn::kMaxCodes) return b;
        std::ranges::set_union(a, b, std::back_inserter(both));
        return both;
      });
}

}  // namespace

WeightColumn::WeightColumn(AlignedArray<float> weights, Executor& executor)
    : size_(weights.size()), values_(std::move(weights)) {
  const Values found = ValuesOf(std::as_const(values_).span(), executor);
  if (found.empty() || found.size() > kMaxCodes) return;
  AlignedArray<float> of_codes(found.size());
  CodeTable table;
  for (std::uint32_t code = 0; code < found.size(); ++code) {
    of_codes[code] = std::bit_cast<float>(found[code]);
    table.Add(found[code], code);
  }
  if (found.size() > 1) {
    codes_ = AlignedArray<std::uint8_t>(size_);
    ParallelForEach(executor, size_, kGrain, [&](std::size_t i) {
      codes_[i] = table.Find(std::bit_cast<std::uint32_t>(values_[i]));
    });
  }
  values_ = std::move(of_codes);
}

std::optional<WeightColumn> WeightColumn::Of(std::size_t size, AlignedArray<float> values,
                                             AlignedArray<std::uint8_t> codes) {
  const bool one = size > 0 && values.size() == 1;
  const bool coded = values.size() > 0 && values.size() <= kMaxCodes && codes.size() == size;
  if (codes.empty() ? values.size() != size && !one : !coded) return std::nullopt;
  WeightColumn made;
  made.size_ = size;
  made.values_ = std::move(values);
  made.codes_ = std::move(codes);
  return made;
}

WeightColumn WeightColumn::ToPermute(const WeightColumn& other) {
  WeightColumn made;
  made.size_ = other.size_;
  made.codes_ = AlignedArray<std::uint8_t>(other.codes_.size());
  const bool few = !other.codes_.empty() || other.one_value();
  made.values_ = few ? AlignedArray<float>(other.values_.span()) : AlignedArray<float>(other.size_);
  return made;
}

void WeightView::Copy(std::size_t begin, std::size_t end, float* to) const {
  if (begin >= end) return;
  if (codes_) {
    const float* const values = values_;
    std::transform(codes_ + begin, codes_ + end, to, [=](std::uint8_t c) { return values[c]; });
  } else if (one_value()) {
    std::fill_n(to, end - begin, float{values_[0]});
  } else {
    std::memcpy(to, values_ + begin, (end - begin) * sizeof(float));
  }
}

bool operator==(const WeightColumn& a, const WeightColumn& b) {
  return a.size_ == b.size_ && std::ranges::equal(a.values(), b.values()) &&
         std::ranges::equal(a.codes(), b.codes());
}

}  // namespace plexus
