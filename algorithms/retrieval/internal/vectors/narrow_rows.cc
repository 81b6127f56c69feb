// Quantizing blocks once, sharing them between views, and the bounds of a query.
//
// A scan: each part keeps its best lower bounds; who is below the worst of them is out. Parts tell
// each other how far they are: that leaves less to look at and changes nothing of what is found, as
// what is below the worst of some rows' bounds is below that of all rows, too.
#include "algorithms/retrieval/internal/vectors/narrow_rows.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace plexus::retrieval::internal {

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
// What the f32 kernels lose, relative to |q||x| (vectors.h: 1e-6; a cosine has two norms
// with it), and what they may take for zero.
constexpr double kKernel = 4e-6, kVanishing = 1e-38;

float RoundedUp(double value) {  // of one that is not negative
  const float rounded = static_cast<float>(value);
  return static_cast<double>(rounded) < value ? std::nextafter(rounded, kInfinite) : rounded;
}

// To the nearest integer, ties to even. REQUIRES |x| < 2^51. nearbyint is a call on plain x86-64.
double Nearest(double x) {
  constexpr double kShift = 0x1.8p52;
  return (x + kShift) - kShift;
}

// Where the codes and the bound of one row go.
class RowPlace {
 public:
  RowPlace(const NarrowBlock& block, std::size_t stride, std::size_t row)
      : codes_(block.codes + row / kNarrowGroup * kNarrowGroup * stride +
               row % kNarrowGroup * kNarrowStep),
        bounds_(block.bounds + row / kNarrowGroup * 3 * kNarrowGroup + row % kNarrowGroup) {}
  // kNarrowStep codes.
  std::int8_t* codes(std::size_t step) const { return codes_ + step * kNarrowGroup * kNarrowStep; }
  void SetBound(NarrowBound bound) const {
    bounds_[0] = bound.scale;
    bounds_[kNarrowGroup] = bound.norm;
    bounds_[2 * kNarrowGroup] = bound.error;
  }

 private:
  std::int8_t* codes_;
  float* bounds_;
};

// fn(step, kNarrowStep values of it), the last ones filled up with zeros.
template <class Fn>
void ForEachStep(std::span<const float> row, Fn&& fn) {
  const std::size_t whole = row.size() / kNarrowStep, rest = row.size() % kNarrowStep;
  for (std::size_t step = 0; step < whole; ++step) fn(step, row.data() + step * kNarrowStep);
  if (rest == 0) return;
  float last[kNarrowStep] = {};
  std::copy_n(row.data() + whole * kNarrowStep, rest, last);
  fn(whole, last);
}

// A sum for each lane, so that additions need not wait for one another.
double Sum(const double (&lanes)[kNarrowStep]) {
  static_assert(kNarrowStep == 4);
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

// Writes all codes of one row.
NarrowBound Quantize(std::span<const float> row, const RowPlace& place) {
  float largest_of[kNarrowStep] = {};
  double squares_of[kNarrowStep] = {};
  ForEachStep(row, [&](std::size_t, const float* values) {
    for (std::size_t i = 0; i < kNarrowStep; ++i) {
      const double x = static_cast<double>(values[i]);
      largest_of[i] = std::max(largest_of[i], std::abs(values[i]));
      squares_of[i] += x * x;
    }
  });
  const float largest = *std::ranges::max_element(largest_of), scale = largest / 127;
  const double norm = std::sqrt(Sum(squares_of));
  if (!(scale >= std::numeric_limits<float>::min()) ||
      norm >= static_cast<double>(std::numeric_limits<float>::max())) {
    ForEachStep(row, [&](std::size_t step, const float*) {
      std::fill_n(place.codes(step), kNarrowStep, std::int8_t{0});
    });
    return largest == 0 ? NarrowBound{0, 0, 0} : NarrowBound{0, 1, kInfinite};
  }
  const double wide_scale = static_cast<double>(scale), inverse = 1 / wide_scale;
  double lost_of[kNarrowStep] = {};
  ForEachStep(row, [&](std::size_t step, const float* values) {
    std::int8_t* const codes = place.codes(step);
    for (std::size_t i = 0; i < kNarrowStep; ++i) {
      const double x = static_cast<double>(values[i]);
      const double code = std::clamp(Nearest(x * inverse), -127.0, 127.0);
      const double lost = x - wide_scale * code;
      codes[i] = static_cast<std::int8_t>(code);
      lost_of[i] += lost * lost;
    }
  });
  // The sums are within 1e-12 of the exact ones.
  return {scale, RoundedUp(norm * (1 + 1e-12)), RoundedUp(std::sqrt(Sum(lost_of)) * (1 + 1e-9))};
}

}  // namespace

void NarrowRows::Fill(const VectorView& view, std::span<const NewBlock> made, Executor& executor) {
  const std::size_t stride = stride_ =
      (view.dimensions() + kNarrowStep - 1) / kNarrowStep * kNarrowStep;
  const std::size_t group_codes = kNarrowGroup * stride;
  std::size_t groups = 0;
  for (const NewBlock& w : made) groups += w.block->groups();
  const auto memory = std::make_shared<NarrowMemory>();
  memory->codes = AlignedArray<std::int8_t>(groups * group_codes);
  memory->bounds = AlignedArray<float>(groups * 3 * kNarrowGroup);
  std::size_t group = 0;
  for (const NewBlock& w : made) {
    NarrowBlock& block = *w.block;
    block.codes = memory->codes.data() + group * group_codes;
    block.bounds = memory->bounds.data() + group * 3 * kNarrowGroup;
    block.memory = memory;
    const std::size_t known = w.known ? w.known->groups() : 0, all = block.groups();
    if (known) {
      std::copy_n(w.known->codes, known * group_codes, block.codes);
      std::copy_n(w.known->bounds, known * 3 * kNarrowGroup, block.bounds);
    }
    if (all > known) {  // rows that fill up the last group; the threads write all others
      std::fill_n(block.codes + (all - 1) * group_codes, group_codes, std::int8_t{0});
      std::fill_n(block.bounds + (all - 1) * 3 * kNarrowGroup, 3 * kNarrowGroup, 0.0f);
    }
    group += all;
  }
  ForNewRows(view, made, executor, [stride] {
    return [stride](NarrowBlock& block, std::size_t row, std::span<const float> values) {
      const RowPlace place(block, stride, row);
      place.SetBound(Quantize(values, place));
    };
  });
}

std::uint64_t NarrowRows::size_bytes() const {
  std::uint64_t bytes = sizeof(*this) + EntryBytes();
  for (std::size_t i = 0; i < block_count(); ++i)
    bytes += block(i).groups() * kNarrowGroup * (stride_ + sizeof(NarrowBound));
  return bytes;
}

NarrowQuery::NarrowQuery(std::span<const float> query, std::size_t stride, Metric metric,
                         SimdLevel level)
    : metric_(metric), uppers_(PickNarrowUppers(level)), codes_(stride, std::int16_t{0}) {
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

double NarrowQuery::Slack(const NarrowBound& bound) const {
  return (norm_ + error_) * static_cast<double>(bound.error) +
         (error_ + kKernel * norm_) * static_cast<double>(bound.norm);
}

void NarrowQuery::Uppers(const NarrowBlock& block, std::size_t first, std::size_t groups,
                         double least, double* upper, std::uint16_t* reach) const {
  if (norm_ == 0) {
    std::fill_n(upper, groups * kNarrowGroup, std::numeric_limits<double>::infinity());
    std::fill_n(reach, groups, std::numeric_limits<std::uint16_t>::max());
    return;
  }
  uppers_({.metric = metric_,
           .codes = codes_.data(),
           .scale = scale_,
           .of_error = norm_ + error_,
           .of_norm = error_ + kKernel * norm_,
           .norm = norm_,
           .kernel = kKernel,
           .vanishing = kVanishing},
          {.codes = block.codes + first * kNarrowGroup * codes_.size(),
           .bounds = block.bounds + first * 3 * kNarrowGroup,
           .steps = codes_.size() / kNarrowStep,
           .count = groups},
          least, upper, reach);
}

double NarrowQuery::Lower(const NarrowBound& bound, double upper) const {
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

namespace {

// The `top` largest lower bounds so far. No upper bound below their least can win.
class LowerBounds {
 public:
  explicit LowerBounds(std::size_t top) : top_(top) {}
  double least() const { return least_; }
  void Add(double bound) {
    if (best_.size() == top_) {
      if (bound <= best_.front()) return;
      std::ranges::pop_heap(best_, std::greater<>());
      best_.back() = bound;
    } else {
      best_.push_back(bound);
    }
    std::ranges::push_heap(best_, std::greater<>());
    if (best_.size() == top_) least_ = best_.front();
  }
  const std::vector<double>& all() const { return best_; }

 private:
  std::size_t top_;
  double least_ = -std::numeric_limits<double>::infinity();
  std::vector<double> best_;
};

struct Candidate {
  NodeId node;
  double upper;
};
struct Part {
  std::vector<Candidate> candidates;
  std::vector<double> lower;
};

constexpr std::size_t kStretch = 16;  // groups whose bounds are computed before any is looked at

// The largest of what was raised to.
void Raise(std::atomic<double>& least, double to) {
  double now = least.load(std::memory_order_relaxed);
  while (now < to && !least.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
  }
}

}  // namespace

std::optional<std::vector<NodeId>> NarrowCandidates(const VectorView& view,
                                                    const NarrowRows& narrow,
                                                    const NarrowQuery& query,
                                                    const common_internal::Selection& selection,
                                                    NodeId skip, std::size_t top,
                                                    std::uint32_t rows, Executor& executor) {
  const std::size_t grain = std::max<std::size_t>(4096, 16 * top);
  std::vector<Part> parts((rows + grain - 1) / grain);
  std::atomic<double> shared = -std::numeric_limits<double>::infinity();
  ParallelFor(executor, rows, grain, [&](std::size_t begin, std::size_t end) {
    Part& part = parts[begin / grain];
    LowerBounds best(top);
    const auto least = [&] {
      return std::max(best.least(), shared.load(std::memory_order_relaxed));
    };
    double upper[kStretch * kNarrowGroup];
    std::uint16_t reach[kStretch];
    // Row first + i * 16 + r is row r of group i of the block that begins with `first`.
    const auto look = [&](const NarrowBlock& block, std::size_t first, std::size_t group,
                          std::size_t count) {
      query.Uppers(block, group, count, least(), upper, reach);
      for (std::size_t g = 0; g < count; ++g)
        for (unsigned bits = reach[g]; bits != 0; bits &= bits - 1) {
          const auto r = static_cast<std::size_t>(std::countr_zero(bits));
          const std::size_t in_block = (group + g) * kNarrowGroup + r, row = first + in_block;
          const double high = upper[g * kNarrowGroup + r];
          if (row < begin || row >= end || in_block >= block.rows || high < best.least()) continue;
          const NodeId node = view.node_of_row(static_cast<std::uint32_t>(row));
          if (node == kNoNode || node == skip || !selection.contains(node)) continue;
          best.Add(query.Lower(block.bound(in_block), high));
          part.candidates.push_back({node, high});
        }
      Raise(shared, best.least());
    };
    for (std::size_t b = narrow.BlockOf(static_cast<std::uint32_t>(begin)), row = begin; row < end;
         ++b) {
      const NarrowBlock& block = narrow.block(b);
      const std::size_t first = narrow.first_row(b);
      const std::size_t stop = std::min(end, first + block.rows);
      const std::size_t groups = (stop - first + kNarrowGroup - 1) / kNarrowGroup;
      for (std::size_t group = (row - first) / kNarrowGroup; group < groups; group += kStretch)
        look(block, first, group, std::min(kStretch, groups - group));
      row = stop;
    }
    std::erase_if(part.candidates, [&](const Candidate& c) { return c.upper < least(); });
    part.lower = best.all();
  });
  LowerBounds best(top);
  std::size_t left = 0;
  for (const Part& part : parts)
    for (const double bound : part.lower) best.Add(bound);
  std::vector<NodeId> nodes;
  for (const Part& part : parts)
    for (const Candidate& c : part.candidates)
      if (c.upper >= best.least()) {
        if (++left > std::max<std::size_t>(rows / 4, top)) return std::nullopt;
        nodes.push_back(c.node);
      }
  return nodes;
}

}  // namespace plexus::retrieval::internal
