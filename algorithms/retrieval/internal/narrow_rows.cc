// Quantizing blocks once, sharing them between views, and the bounds of a query.
#include "algorithms/retrieval/internal/narrow_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plexus::retrieval_internal {

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

float RoundedUp(double value) {  // of one that is not negative
  const float rounded = static_cast<float>(value);
  return static_cast<double>(rounded) < value ? std::nextafter(rounded, kInfinite) : rounded;
}

// Writes the codes of one row.
NarrowRows::Bound Quantize(std::span<const float> row, std::int8_t* codes) {
  float largest = 0;
  double norm = 0;
  for (const float x : row) {
    largest = std::max(largest, std::abs(x));
    norm += static_cast<double>(x) * static_cast<double>(x);
  }
  norm = std::sqrt(norm);
  const float scale = largest / 127;
  if (largest == 0) {
    std::fill_n(codes, row.size(), std::int8_t{0});
    return {0, 0, 0};
  }
  if (!(scale >= std::numeric_limits<float>::min()) ||
      norm >= static_cast<double>(std::numeric_limits<float>::max())) {
    std::fill_n(codes, row.size(), std::int8_t{0});
    return {0, 1, kInfinite};
  }
  const double wide_scale = static_cast<double>(scale), inverse = 1 / wide_scale;
  double squares = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double x = static_cast<double>(row[i]);
    const double code = std::clamp(std::nearbyint(x * inverse), -127.0, 127.0);
    codes[i] = static_cast<std::int8_t>(code);
    const double lost = x - wide_scale * code;
    squares += lost * lost;
  }
  // The sum above is within 1e-12 of the exact one.
  return {scale, RoundedUp(norm * (1 + 1e-12)), RoundedUp(std::sqrt(squares) * (1 + 1e-9))};
}

}  // namespace

std::shared_ptr<const NarrowRows> NarrowRows::Make(const VectorTable::View& view, SpaceId space,
                                                   const NarrowRows* before, Executor& executor) {
  auto made = std::make_shared<NarrowRows>();
  made->space_ = space;
  made->stride_ = (view.dimensions() + kNarrowStep - 1) / kNarrowStep * kNarrowStep;
  struct Work {
    Block* block;
    std::uint32_t known;     // rows that an earlier block has
    std::uint64_t rows_end;  // of the rows to quantize, up to the end of this block
  };
  std::vector<Work> work;
  std::uint64_t rows = 0;
  made->entries_.reserve(view.block_count());
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < view.block_count(); ++i) {
    const float* const source = view.block_rows(i).data();
    const auto count = static_cast<std::uint32_t>(view.block_rows(i).size() / view.stride());
    const Entry* same = nullptr;  // Compaction moves rows, appending keeps the numbers of blocks.
    if (before && i < before->entries_.size() && before->entries_[i].source == source)
      same = &before->entries_[i];
    if (same && same->rows == count) {
      made->entries_.push_back(*same);
      made->entries_.back().first_row = first;
    } else {
      auto block = std::make_shared<Block>();
      block->source = view.block(i);
      block->codes = AlignedArray<std::int8_t>(count * made->stride_);
      block->bounds.resize(count);
      const std::uint32_t known = same && same->rows < count ? same->rows : 0;
      if (known) {
        std::copy_n(same->block->codes.data(), known * made->stride_, block->codes.data());
        std::copy_n(same->block->bounds.data(), known, block->bounds.data());
      }
      rows += count - known;
      work.push_back({block.get(), known, rows});
      made->entries_.push_back({source, first, count, std::move(block)});
    }
    first += count;
  }
  const std::size_t stride = made->stride_;
  ParallelFor(executor, rows, 1024, [&](std::size_t begin, std::size_t end) {
    auto at = std::ranges::upper_bound(work, std::uint64_t{begin}, {}, &Work::rows_end);
    for (std::size_t r = begin; r < end; ++r) {
      while (r >= at->rows_end) ++at;
      const std::size_t row = at->block->bounds.size() - static_cast<std::size_t>(at->rows_end - r);
      std::int8_t* const codes = at->block->codes.data() + row * stride;
      const float* const values = at->block->source.rows.data() + row * view.stride();
      at->block->bounds[row] = Quantize({values, view.dimensions()}, codes);
      std::fill(codes + view.dimensions(), codes + stride, std::int8_t{0});
    }
  });
  return made;
}

std::size_t NarrowRows::BlockOf(std::uint32_t row) const {
  const auto after = std::ranges::upper_bound(entries_, row, {}, &Entry::first_row);
  return static_cast<std::size_t>(after - entries_.begin()) - 1;
}

std::shared_ptr<const Carried> NarrowRows::Carry(const Snapshot& now, const StateChanges&) const {
  const Result<const VectorTable::View*> view = now.vectors(space_);
  if (!view) return nullptr;
  return Make(**view, space_, this, SerialExecutor());
}

std::uint64_t NarrowRows::size_bytes() const {
  std::uint64_t bytes = sizeof(*this) + entries_.capacity() * sizeof(Entry);
  for (const Entry& entry : entries_)
    bytes += sizeof(Block) + entry.rows * (stride_ + sizeof(Bound));
  return bytes;
}

NarrowQuery::NarrowQuery(std::span<const float> query, std::size_t stride, Metric metric,
                         SimdLevel level)
    : metric_(metric), dot_(PickNarrowDot(level)), codes_(stride, std::int16_t{0}) {
  double largest = 0, norm = 0, lost = 0;
  for (const float x : query) {
    largest = std::max(largest, std::abs(static_cast<double>(x)));
    norm += static_cast<double>(x) * static_cast<double>(x);
  }
  norm_ = std::sqrt(norm) * (1 + 1e-12);
  if (largest == 0) return;
  constexpr double kLargestSum = std::numeric_limits<std::int32_t>::max();
  const double most =
      std::min(32767.0, std::floor(kLargestSum / 127 / static_cast<double>(stride)));
  scale_ = largest / most;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const double x = static_cast<double>(query[i]);
    const double code = std::clamp(std::nearbyint(x / scale_), -most, most);
    codes_[i] = static_cast<std::int16_t>(code);
    const double difference = x - scale_ * code;
    lost += difference * difference;
  }
  error_ = std::sqrt(lost) * (1 + 1e-9);
}

namespace {

// What the f32 kernels lose, relative to |q||x| (vector_distance.h: 1e-6; a cosine has two norms
// with it), and what they may take for zero.
constexpr double kKernel = 4e-6, kVanishing = 1e-38;

}  // namespace

double NarrowQuery::Slack(const NarrowRows::Bound& bound) const {
  return (norm_ + error_) * static_cast<double>(bound.error) +
         (error_ + kKernel * norm_) * static_cast<double>(bound.norm);
}

void NarrowQuery::Uppers(const NarrowRows::Block& block, std::size_t stride, std::size_t first,
                         std::size_t count, double* upper) const {
  if (norm_ == 0) {
    std::fill_n(upper, count, std::numeric_limits<double>::infinity());
    return;
  }
  constexpr std::size_t kStretch = 256;
  std::int32_t dots[kStretch];
  for (std::size_t begin = 0; begin < count; begin += kStretch) {
    const std::size_t rows = std::min(kStretch, count - begin);
    dot_(codes_.data(), codes_.size(), block.codes.data() + (first + begin) * stride, stride, rows,
         dots);
    const NarrowRows::Bound* const bounds = block.bounds.data() + first + begin;
    double* const high = upper + begin;
    const auto each = [&](auto&& rank) {
      for (std::size_t i = 0; i < rows; ++i) {
        const double middle = scale_ * static_cast<double>(bounds[i].scale) * dots[i];
        high[i] = rank(middle + Slack(bounds[i]), static_cast<double>(bounds[i].norm));
      }
    };
    switch (metric_) {
      case Metric::kInnerProduct:
        each([](double product, double) { return product + kVanishing; });
        break;
      case Metric::kCosine:
        each([&](double product, double norm) { return norm > 0 ? product / (norm_ * norm) : 0; });
        break;
      case Metric::kL2:
        each([&](double product, double norm) {
          const double both = norm_ * norm_ + norm * norm;
          return 2 * product - both + kKernel * both + kVanishing;
        });
        break;
    }
  }
}

double NarrowQuery::Lower(const NarrowRows::Bound& bound, double upper) const {
  if (norm_ == 0 || std::isinf(bound.error)) return -std::numeric_limits<double>::infinity();
  const double norm = static_cast<double>(bound.norm), slack = Slack(bound);
  switch (metric_) {
    case Metric::kInnerProduct:
      return upper - 2 * (slack + kVanishing);
    case Metric::kCosine:
      return norm > 0 ? upper - 2 * slack / (norm_ * norm) : upper;
    case Metric::kL2:
      break;
  }
  return upper - 4 * slack - 2 * (kKernel * (norm_ * norm_ + norm * norm) + kVanishing);
}

}  // namespace plexus::retrieval_internal
