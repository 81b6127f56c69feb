// The 16-lane kernel. It walks the tiles as the kernel of one PageRank does; the loops
// over lanes have a fixed length and become a few vector instructions each.
#include "algorithms/internal/pagerank_lanes.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace plexus::internal {

namespace {

constexpr std::uint32_t kAhead = 24;  // arcs: how early a source's line is asked for

// Four (or fewer) arcs of a row as pairs of pairs in f32, then f64: long chains in f32
// lose more than is allowed.
template <bool kWeighted, std::uint32_t kCount>
void AddArcs(const std::uint16_t* sources, const float* weights, const Lanes* segment,
             LaneSums& sum) {
  const Lanes* from[kCount];
  for (std::uint32_t i = 0; i < kCount; ++i) {
    __builtin_prefetch(&segment[sources[i + kAhead]]);
    from[i] = &segment[sources[i]];
  }
  auto term = [&](std::uint32_t i, std::uint32_t k) {
    return kWeighted ? from[i]->at[k] * weights[i] : from[i]->at[k];
  };
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    float part = term(0, k);
    if constexpr (kCount > 1) part += term(1, k);
    if constexpr (kCount == 3) part += term(2, k);
    if constexpr (kCount == 4) part += term(2, k) + term(3, k);
    sum.at[k] += static_cast<double>(part);
  }
}

template <bool kWeighted>
void AddRow(const std::uint16_t* sources, const float* weights, std::uint32_t count,
            const Lanes* segment, LaneSums& sum) {
  for (; count >= 4; count -= 4, sources += 4) {
    AddArcs<kWeighted, 4>(sources, weights, segment, sum);
    if (kWeighted) weights += 4;
  }
  switch (count) {
    case 3: return AddArcs<kWeighted, 3>(sources, weights, segment, sum);
    case 2: return AddArcs<kWeighted, 2>(sources, weights, segment, sum);
    case 1: return AddArcs<kWeighted, 1>(sources, weights, segment, sum);
    default: return;
  }
}

template <bool kWeighted>
LanesPartial StepBlock(const PageRankTiles& tiles, const PageRankTiles::Block& block,
                       const LanesStep& step, LaneSums* sums) {
  std::fill_n(sums, block.end - block.begin, LaneSums{});
  const std::uint16_t* rows = block.rows.data();
  const std::uint16_t* sources = tiles.sources() + block.first_arc;
  const float* weights = kWeighted ? tiles.weights() + block.first_arc : nullptr;
  const std::uint32_t* long_counts = block.long_counts.data();
  for (std::size_t s = 0; s < block.tiles.size(); ++s) {
    const Lanes* const segment = step.now + s * PageRankTiles::kSegment;
    for (std::uint32_t group = 0; group <= PageRankTiles::kShort; ++group)
      for (std::uint32_t left = block.tiles[s].rows[group]; left > 0; --left) {
        const std::uint32_t count = group < PageRankTiles::kShort ? group + 1 : *long_counts++;
        AddRow<kWeighted>(sources, weights, count, segment, sums[*rows++]);
        sources += count;
        if (kWeighted) weights += count;
      }
  }

  LanesPartial partial;
  auto seed = std::lower_bound(step.seeds->begin(), step.seeds->end(), block.begin,
                               [](const LaneSeed& a, std::uint32_t p) { return a.position < p; });
  for (std::uint32_t row = block.begin; row < block.end; ++row) {
    Lanes score;
    for (std::uint32_t k = 0; k < kLanes; ++k)
      score.at[k] = static_cast<float>(sums[row - block.begin].at[k] * step.damping) +
                    step.base[k] * step.uniform[k];
    for (; seed != step.seeds->end() && seed->position == row; ++seed)
      score.at[seed->lane] += step.base[seed->lane] * seed->share;
    const float strength = step.strength[row];
    const Lanes& now = step.now[row];
    Lanes& next = step.next[row];
    for (std::uint32_t k = 0; k < kLanes; ++k)
      partial.step[k] += static_cast<double>(std::abs(score.at[k] - ScoreOf(now.at[k], strength)));
    if (strength > 0) {
      const float reciprocal = 1 / strength;
      for (std::uint32_t k = 0; k < kLanes; ++k) next.at[k] = score.at[k] * reciprocal;
    } else {
      for (std::uint32_t k = 0; k < kLanes; ++k) partial.dangling[k] += static_cast<double>(score.at[k]);
      next = score;
    }
  }
  return partial;
}

}  // namespace

LanesPartial Add(LanesPartial a, const LanesPartial& b) {
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    a.step[k] += b.step[k];
    a.dangling[k] += b.dangling[k];
  }
  return a;
}

LanesPartial LanesStepper::Step(const PageRankTiles& tiles, const LanesStep& step, Executor& executor) {
  pool_.Reserve(executor, tiles.blocks().size());
  return ParallelReduce(
      executor, tiles.blocks().size(), 1, LanesPartial{},
      [&](std::size_t b, std::size_t) {
        std::unique_ptr<Sums> sums = pool_.Take();
        const PageRankTiles::Block& block = tiles.blocks()[b];
        const LanesPartial partial = tiles.weights()
                                         ? StepBlock<true>(tiles, block, step, sums->rows.data())
                                         : StepBlock<false>(tiles, block, step, sums->rows.data());
        pool_.Give(std::move(sums));
        return partial;
      },
      Add);
}

}  // namespace plexus::internal
