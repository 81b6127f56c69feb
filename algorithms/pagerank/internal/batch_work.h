// The work of one block and segment of a batched iteration: 16 lanes, written once and compiled
// for each instruction level in a source of its own. Included by these sources only.
//
// Lanes are independent, so all levels add the same numbers in the same order; these sources are
// compiled without fused multiply-add, which some levels lack.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "algorithms/pagerank/internal/batch_iteration.h"

namespace plexus::pagerank::internal {

namespace {

constexpr std::uint32_t kShort = BatchLayout::kShort;

using Line = float __attribute__((vector_size(64), may_alias));
using Half = float __attribute__((vector_size(32)));
using Eight = double __attribute__((vector_size(64), may_alias));

#define PLEXUS_INLINE [[gnu::always_inline]] inline

// Sixteen sums of f64.
struct Sums {
  Eight low{}, high{};

  PLEXUS_INLINE void Add(const Line& line) {
    low +=
        __builtin_convertvector(__builtin_shufflevector(line, line, 0, 1, 2, 3, 4, 5, 6, 7), Eight);
    high += __builtin_convertvector(
        __builtin_shufflevector(line, line, 8, 9, 10, 11, 12, 13, 14, 15), Eight);
  }
  PLEXUS_INLINE void Round(Line& line) const {
    const Half a = __builtin_convertvector(low, Half), b = __builtin_convertvector(high, Half);
    line = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
};

PLEXUS_INLINE Line& At(Batch16* lines, std::size_t i) {
  return *reinterpret_cast<Line*>(&lines[i]);
}
PLEXUS_INLINE const Line& At(const Batch16* lines, std::size_t i) {
  return *reinterpret_cast<const Line*>(&lines[i]);
}

auto FirstSeed(const BatchLayout::Block& block, const BatchStep& step) {
  return std::lower_bound(step.seeds->begin(), step.seeds->end(), block.begin,
                          [](const BatchSeed& a, std::uint32_t p) { return a.position < p; });
}

// What is left of a tile's lists.
struct Cursor {
  const std::uint32_t* rows;
  const std::uint32_t* sources;
  const float* weights;
};

// Where a sweep reads and writes. kSparse: lines whose bit in `live` is 0 count as zero, and
// rows that nothing reaches are not written.
template <bool kIsWeighted, bool kIsSparse>
struct Arrays {
  static constexpr bool kWeighted = kIsWeighted, kSparse = kIsSparse;
  const Batch16* now;
  Batch16* next;
  const std::uint64_t* live;
  std::uint64_t* live_next;

  PLEXUS_INLINE std::uint64_t Live(std::uint32_t p) const { return live[p / 64] >> (p % 64) & 1; }
  PLEXUS_INLINE const Line& Source(std::uint32_t p) const {
    static constexpr Batch16 kNothing;
    if constexpr (kSparse) return At(Live(p) ? now + p : &kNothing, 0);
    return At(now, p);
  }
  // Sets the row's bit; its first value in this sweep is stored, not added. Neighbouring
  // blocks may have rows in one word.
  PLEXUS_INLINE bool Reach(std::uint32_t row) const {
    const std::atomic_ref word(live_next[row / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (row % 64);
    if (word.load(std::memory_order_relaxed) & bit) return false;
    word.fetch_or(bit, std::memory_order_relaxed);
    return true;
  }
  PLEXUS_INLINE void Add(std::uint32_t row, const Line& sum) const {
    if constexpr (kSparse)
      if (Reach(row)) {
        At(next, row) = sum;
        return;
      }
    At(next, row) += sum;
  }
  // Whether any of the next `count` sources is live.
  PLEXUS_INLINE bool Any(const Cursor& at, std::uint32_t count) const {
    std::uint64_t any = 0;
    for (std::uint32_t i = 0; i < count; ++i) any |= Live(at.sources[i]);
    return any != 0;
  }
  // What is used once a segment is not to be kept in the third-level cache, which the sources need.
  PLEXUS_INLINE void Prefetch(const Cursor& at, std::uint32_t sources, bool row) const {
    if constexpr (kSparse) return;
    for (std::uint32_t i = 0; i < sources; ++i)
      __builtin_prefetch(&now[at.sources[BatchLayout::kSourcesAhead + i]]);
    if (row) __builtin_prefetch(&next[at.rows[BatchLayout::kRowsAhead]], 0, 0);
  }
};

// Terms [kFrom, kFrom + kCount) as a balanced tree.
template <std::uint32_t kFrom, std::uint32_t kCount, class A>
PLEXUS_INLINE void Tree(const A& arrays, const Cursor& at, Line& sum) {
  if constexpr (kCount == 1) {
    sum = arrays.Source(at.sources[kFrom]);
    if constexpr (A::kWeighted) sum *= at.weights[kFrom];
  } else {
    Line right;
    Tree<kFrom, kCount / 2>(arrays, at, sum);
    Tree<kFrom + kCount / 2, kCount - kCount / 2>(arrays, at, right);
    sum += right;
  }
}

template <class A>
PLEXUS_INLINE void Pass(Cursor& at, std::uint32_t sources) {
  at.sources += sources;
  if constexpr (A::kWeighted) at.weights += sources;
}

template <std::uint32_t kCount, class A>
PLEXUS_INLINE void AddGroup(const A& arrays, std::uint32_t rows, Cursor& at) {
  for (; rows > 0; --rows, ++at.rows, Pass<A>(at, kCount)) {
    arrays.Prefetch(at, kCount, true);
    if (A::kSparse && !arrays.Any(at, kCount)) continue;
    Line sum;
    Tree<0, kCount>(arrays, at, sum);
    arrays.Add(*at.rows, sum);
  }
}

template <class A, std::size_t... kGroup>
PLEXUS_INLINE void AddGroups(const A& arrays, const BatchLayout::Tile& tile, Cursor& at,
                             std::index_sequence<kGroup...>) {
  (AddGroup<kGroup + 1>(arrays, tile.rows[kGroup], at), ...);
}

// A row of any length: eights as trees in f32, added up in f64. A longer chain in f32 could
// round the same way at every term of a hub, and the iterations would end in a cycle
// instead of at a point.
template <class A>
PLEXUS_INLINE void AddLong(const A& arrays, std::uint32_t count, Cursor& at) {
  if (A::kSparse && !arrays.Any(at, count)) {
    Pass<A>(at, count);
    ++at.rows;
    return;
  }
  Sums sums;
  Line part;
  for (; count >= 8; count -= 8, Pass<A>(at, 8)) {
    arrays.Prefetch(at, 8, false);
    Tree<0, 8>(arrays, at, part);
    sums.Add(part);
  }
  for (; count > 0; --count, Pass<A>(at, 1)) {
    arrays.Prefetch(at, 1, false);
    Tree<0, 1>(arrays, at, part);
    sums.Add(part);
  }
  sums.Round(part);
  arrays.Prefetch(at, 0, true);
  arrays.Add(*at.rows++, part);
}

template <bool kWeighted, bool kSparse>
PLEXUS_INLINE void AddTile(const BatchLayout& rows, const BatchLayout::Block& block,
                           std::size_t segment, const BatchStep& step) {
  const BatchLayout::Tile& tile = block.tiles[segment];
  Cursor at{block.rows.data() + tile.first_row, rows.sources() + tile.first_arc,
            kWeighted ? rows.weights() + tile.first_arc : nullptr};
  const Arrays<kWeighted, kSparse> arrays{step.now, step.next, step.live, step.live_next};
  AddGroups(arrays, tile, at, std::make_index_sequence<kShort>());
  const std::uint32_t* long_counts = block.long_counts.data() + tile.first_long;
  for (std::uint32_t left = tile.rows[kShort]; left > 0; --left)
    AddLong(arrays, *long_counts++, at);
}

// Sums to scores, and to the lines that the next iteration reads, by rising row.
template <bool kMeasured, bool kSparse>
struct Finisher {
  const BatchStep& step;
  const Line home;
  std::vector<BatchSeed>::const_iterator seed;
  Sums change{}, dangling{};
  double reached = 0;

  PLEXUS_INLINE void Finish(std::uint32_t row) {
    Line score;
    Sums sums;
    sums.Add(At(step.next, row));
    sums.low *= step.damping;
    sums.high *= step.damping;
    sums.Round(score);
    score += home;
    for (; seed != step.seeds->end() && seed->position == row; ++seed)
      score[seed->lane] += step.base[seed->lane] * seed->share;
    const float strength = step.strength[row];
    const bool linked = strength > 0;
    if constexpr (kMeasured) {
      const Arrays<false, kSparse> arrays{step.now, nullptr, step.live, nullptr};
      const Line difference = score - arrays.Source(row) * (linked ? strength : 1.0f);
      change.Add(difference < 0 ? -difference : difference);
    }
    if (!linked) dangling.Add(score);
    if (kSparse && linked) reached += static_cast<double>(strength);
    At(step.next, row) = score * (linked ? 1 / strength : 1.0f);
  }
};

template <bool kMeasured, bool kSparse>
PLEXUS_INLINE void FinishRows(const BatchLayout::Block& block, const BatchStep& step,
                              BatchPartial& partial) {
  Batch16 home;
  for (std::uint32_t k = 0; k < kBatchWidth; ++k) home.at[k] = step.base[k] * step.uniform[k];
  Finisher<kMeasured, kSparse> finisher{step, At(&home, 0), FirstSeed(block, step)};
  if constexpr (kSparse) {
    for (std::uint32_t word = block.begin / 64; word * 64 < block.end; ++word) {
      std::uint64_t bits = std::atomic_ref(step.live_next[word]).load(std::memory_order_relaxed);
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t row = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        if (row >= block.begin && row < block.end) finisher.Finish(row);
      }
    }
  } else {
    for (std::uint32_t row = block.begin; row < block.end; ++row) finisher.Finish(row);
  }
  auto store = [](const Sums& sums, std::array<double, kBatchWidth>& to) {
    for (std::uint32_t k = 0; k < kBatchWidth / 2; ++k) {
      to[k] = sums.low[k];
      to[k + kBatchWidth / 2] = sums.high[k];
    }
  };
  store(finisher.change, partial.step);
  store(finisher.dangling, partial.dangling);
  partial.reached = finisher.reached;
}

// What the rows' sums begin with: zeros, or, of a sparse step, zeros where seeds are.
PLEXUS_INLINE void BeginRows(const BatchLayout::Block& block, const BatchStep& step) {
  if (!step.live) {
    std::fill(step.next + block.begin, step.next + block.end, Batch16{});
    return;
  }
  const Arrays<false, true> arrays{step.now, step.next, step.live, step.live_next};
  for (auto seed = FirstSeed(block, step); seed != step.seeds->end() && seed->position < block.end;
       ++seed)
    arrays.Add(seed->position, Line{});
}

template <bool kWeighted, bool kSparse>
PLEXUS_INLINE void WorkAs(const BatchTask& task) {
  const BatchLayout::Block& block = task.rows->blocks()[task.block];
  if (task.segment == 0) BeginRows(block, *task.step);
  AddTile<kWeighted, kSparse>(*task.rows, block, task.segment, *task.step);
  if (task.segment + 1 < task.rows->segment_count()) return;
  if (task.step->measured)
    FinishRows<true, kSparse>(block, *task.step, *task.partial);
  else
    FinishRows<false, kSparse>(block, *task.step, *task.partial);
}

PLEXUS_INLINE void Work(const BatchTask& task) {
  const bool sparse = task.step->live != nullptr;
  if (task.rows->weights())
    sparse ? WorkAs<true, true>(task) : WorkAs<true, false>(task);
  else
    sparse ? WorkAs<false, true>(task) : WorkAs<false, false>(task);
}

#undef PLEXUS_INLINE

}  // namespace
}  // namespace plexus::pagerank::internal
