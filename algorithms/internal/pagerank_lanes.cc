// The 16-lane kernel, compiled for three instruction levels and picked at run time. Lanes
// never meet, so all add the same numbers in the same order; this file is compiled without
// fused multiply-add, which some of them lack.
#include "algorithms/internal/pagerank_lanes.h"

#include <algorithm>
#include <utility>

namespace plexus::internal {

namespace {

constexpr std::uint32_t kShort = LaneRows::kShort;

using Line = float __attribute__((vector_size(64), may_alias));
using Half = float __attribute__((vector_size(32)));
using Eight = double __attribute__((vector_size(64), may_alias));

#define PLEXUS_INLINE [[gnu::always_inline]] inline

// Sixteen sums of f64.
struct Sums {
  Eight low{}, high{};

  PLEXUS_INLINE void Add(const Line& line) {
    low += __builtin_convertvector(__builtin_shufflevector(line, line, 0, 1, 2, 3, 4, 5, 6, 7), Eight);
    high += __builtin_convertvector(__builtin_shufflevector(line, line, 8, 9, 10, 11, 12, 13, 14, 15), Eight);
  }
  PLEXUS_INLINE void Round(Line& line) const {
    const Half a = __builtin_convertvector(low, Half), b = __builtin_convertvector(high, Half);
    line = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
};

PLEXUS_INLINE Line& At(Lanes* lines, std::size_t i) { return *reinterpret_cast<Line*>(&lines[i]); }
PLEXUS_INLINE const Line& At(const Lanes* lines, std::size_t i) { return *reinterpret_cast<const Line*>(&lines[i]); }

// What is left of a tile's lists.
struct Cursor {
  const std::uint32_t* rows;
  const std::uint32_t* sources;
  const float* weights;
};

// Terms [kFrom, kFrom + kCount) as a balanced tree.
template <bool kWeighted, std::uint32_t kFrom, std::uint32_t kCount>
PLEXUS_INLINE void Tree(const Lanes* now, const Cursor& at, Line& sum) {
  if constexpr (kCount == 1) {
    sum = At(now, at.sources[kFrom]);
    if constexpr (kWeighted) sum *= at.weights[kFrom];
  } else {
    Line right;
    Tree<kWeighted, kFrom, kCount / 2>(now, at, sum);
    Tree<kWeighted, kFrom + kCount / 2, kCount - kCount / 2>(now, at, right);
    sum += right;
  }
}

PLEXUS_INLINE void PrefetchSources(const Lanes* now, const Cursor& at, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    __builtin_prefetch(&now[at.sources[LaneRows::kSourcesAhead + i]]);
}
// Once a segment: not to be kept in the third-level cache, which the sources need.
PLEXUS_INLINE void PrefetchRow(const Lanes* next, const Cursor& at) {
  __builtin_prefetch(&next[at.rows[LaneRows::kRowsAhead]], 0, 0);
}

template <bool kWeighted, std::uint32_t kCount>
PLEXUS_INLINE void AddGroup(const Lanes* now, Lanes* next, std::uint32_t rows, Cursor& at) {
  for (; rows > 0; --rows) {
    PrefetchSources(now, at, kCount);
    PrefetchRow(next, at);
    Line sum;
    Tree<kWeighted, 0, kCount>(now, at, sum);
    At(next, *at.rows++) += sum;
    at.sources += kCount;
    if constexpr (kWeighted) at.weights += kCount;
  }
}

// A row of any length: eights as trees in f32, added up in f64. A longer chain in f32 could
// round the same way at every term of a hub, and the iterations would end in a cycle
// instead of at a point.
template <bool kWeighted>
PLEXUS_INLINE void AddLong(const Lanes* now, Lanes* next, std::uint32_t count, Cursor& at) {
  Sums sums;
  Line part;
  for (; count >= 8; count -= 8) {
    PrefetchSources(now, at, 8);
    Tree<kWeighted, 0, 8>(now, at, part);
    sums.Add(part);
    at.sources += 8;
    if constexpr (kWeighted) at.weights += 8;
  }
  for (; count > 0; --count) {
    PrefetchSources(now, at, 1);
    Tree<kWeighted, 0, 1>(now, at, part);
    sums.Add(part);
    ++at.sources;
    if constexpr (kWeighted) ++at.weights;
  }
  sums.Round(part);
  PrefetchRow(next, at);
  At(next, *at.rows++) += part;
}

template <bool kWeighted>
PLEXUS_INLINE void AddTile(const LaneRows& rows, const LaneRows::Block& block, std::size_t segment,
                           const LanesStep& step) {
  const LaneRows::Tile& tile = block.tiles[segment];
  Cursor at{block.rows.data() + tile.first_row, rows.sources() + tile.first_arc,
            kWeighted ? rows.weights() + tile.first_arc : nullptr};
  const Lanes* const now = step.now;
  Lanes* const next = step.next;
  AddGroup<kWeighted, 1>(now, next, tile.rows[0], at);
  AddGroup<kWeighted, 2>(now, next, tile.rows[1], at);
  AddGroup<kWeighted, 3>(now, next, tile.rows[2], at);
  AddGroup<kWeighted, 4>(now, next, tile.rows[3], at);
  AddGroup<kWeighted, 5>(now, next, tile.rows[4], at);
  AddGroup<kWeighted, 6>(now, next, tile.rows[5], at);
  AddGroup<kWeighted, 7>(now, next, tile.rows[6], at);
  AddGroup<kWeighted, 8>(now, next, tile.rows[7], at);
  AddGroup<kWeighted, 9>(now, next, tile.rows[8], at);
  AddGroup<kWeighted, 10>(now, next, tile.rows[9], at);
  AddGroup<kWeighted, 11>(now, next, tile.rows[10], at);
  AddGroup<kWeighted, 12>(now, next, tile.rows[11], at);
  AddGroup<kWeighted, 13>(now, next, tile.rows[12], at);
  AddGroup<kWeighted, 14>(now, next, tile.rows[13], at);
  AddGroup<kWeighted, 15>(now, next, tile.rows[14], at);
  AddGroup<kWeighted, 16>(now, next, tile.rows[15], at);
  static_assert(kShort == 16);
  const std::uint32_t* long_counts = block.long_counts.data() + tile.first_long;
  for (std::uint32_t left = tile.rows[kShort]; left > 0; --left) AddLong<kWeighted>(now, next, *long_counts++, at);
}

// Sums to scores, and to the lines that the next iteration reads.
PLEXUS_INLINE void FinishRows(const LaneRows::Block& block, const LanesStep& step, LanesPartial& partial) {
  Lanes home_lanes;
  for (std::uint32_t k = 0; k < kLanes; ++k) home_lanes.at[k] = step.base[k] * step.uniform[k];
  const Line home = At(&home_lanes, 0);
  Sums change, dangling;
  auto seed = std::lower_bound(step.seeds->begin(), step.seeds->end(), block.begin,
                               [](const LaneSeed& a, std::uint32_t p) { return a.position < p; });
  for (std::uint32_t row = block.begin; row < block.end; ++row) {
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
    const Line difference = score - At(step.now, row) * (linked ? strength : 1.0f);
    change.Add(difference < 0 ? -difference : difference);
    if (!linked) dangling.Add(score);
    At(step.next, row) = score * (linked ? 1 / strength : 1.0f);
  }
  auto store = [](const Sums& sums, std::array<double, kLanes>& to) {
    for (std::uint32_t k = 0; k < kLanes / 2; ++k) {
      to[k] = sums.low[k];
      to[k + kLanes / 2] = sums.high[k];
    }
  };
  store(change, partial.step);
  store(dangling, partial.dangling);
}

struct Task {
  const LaneRows* rows;
  const LanesStep* step;
  std::size_t block, segment;
  LanesPartial* partial;
};

PLEXUS_INLINE void Work(const Task& task) {
  const LaneRows::Block& block = task.rows->blocks()[task.block];
  if (task.segment == 0) std::fill(task.step->next + block.begin, task.step->next + block.end, Lanes{});
  if (task.rows->weights())
    AddTile<true>(*task.rows, block, task.segment, *task.step);
  else
    AddTile<false>(*task.rows, block, task.segment, *task.step);
  if (task.segment + 1 == task.rows->segment_count()) FinishRows(block, *task.step, *task.partial);
}

using WorkFn = void (*)(const Task&);

void WorkBaseline(const Task& task) { Work(task); }

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) void WorkAvx2(const Task& task) { Work(task); }
__attribute__((target("avx512f,avx512dq"))) void WorkAvx512(const Task& task) { Work(task); }

WorkFn PickBest() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return WorkAvx512;
  return __builtin_cpu_supports("avx2") ? WorkAvx2 : WorkBaseline;
}
#else
WorkFn PickBest() { return WorkBaseline; }
#endif

}  // namespace

LanesPartial Add(LanesPartial a, const LanesPartial& b) {
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    a.step[k] += b.step[k];
    a.dangling[k] += b.dangling[k];
  }
  return a;
}

// All blocks of a segment before the next one: the threads share the third-level cache.
LanesPartial LanesStepper::Step(const LanesStep& step, Executor& executor, LanesLevel level) {
  static const WorkFn best = PickBest();
  const WorkFn work = level == LanesLevel::kBest ? best : WorkBaseline;
  for (std::size_t s = 0; s < rows_.segment_count(); ++s)
    ParallelFor(executor, partials_.size(), 1, [&](std::size_t b, std::size_t) {
      work({&rows_, &step, b, s, &partials_[b]});
    });
  LanesPartial total;
  for (const LanesPartial& p : partials_) total = Add(total, p);
  return total;
}

}  // namespace plexus::internal
