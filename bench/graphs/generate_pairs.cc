// The GAP suite's generators, written from their published definition.
#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <random>

#include "bench/graphs/pairs.h"
#include "bench/graphs/uniform_draw.h"

namespace plexus::bench {

namespace {

constexpr std::uint64_t kBlock = 1 << 18;  // edges that share a seed

// make(random, e) gives pair e; blocks are seeded one by one.
template <class Make>
PairList Generate(int scale, int degree, Executor& executor, Make make) {
  PairList list;
  list.node_count = NodeId{1} << scale;
  list.pairs = AlignedArray<NodePair>(std::size_t{list.node_count} * degree);
  ParallelFor(executor, list.pairs.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    std::mt19937 random(static_cast<std::uint32_t>(kGapSeed + begin / kBlock));
    for (std::size_t e = begin; e < end; ++e) list.pairs[e] = make(random);
  });
  return list;
}

// std::shuffle's order is the library's own; libstdc++'s is what the suite prints on
// Linux, so the same call is used here.
void PermuteIds(PairList& list, Executor& executor) {
  std::vector<std::int32_t> permutation(list.node_count);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::mt19937 random(static_cast<std::uint32_t>(kGapSeed));
  std::shuffle(permutation.begin(), permutation.end(), random);
  ParallelFor(executor, list.pairs.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e)
      list.pairs[e] = {static_cast<NodeId>(permutation[list.pairs[e].source]),
                       static_cast<NodeId>(permutation[list.pairs[e].target])};
  });
}

}  // namespace

PairList UniformPairs(int scale, int degree, Executor& executor) {
  const std::uint32_t max = (std::uint32_t{1} << scale) - 1;
  return Generate(scale, degree, executor, [max](std::mt19937& random) {
    UniformDraw<std::mt19937> draw(max, random);
    // Which of the two draws is the source is up to the suite's compiler; generated
    // graphs are always symmetrized, so the graph is the same.
    const NodeId source = draw();
    const NodeId target = draw();
    return NodePair{source, target};
  });
}

PairList KroneckerPairs(int scale, int degree, Executor& executor) {
  const std::uint32_t max = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t a = static_cast<std::uint32_t>(0.57 * max);
  const std::uint32_t b = static_cast<std::uint32_t>(0.19 * max);
  const std::uint32_t c = b;
  PairList list = Generate(scale, degree, executor, [=](std::mt19937& random) {
    NodePair pair{0, 0};
    for (int depth = 0; depth < scale; ++depth) {
      const std::uint32_t point = static_cast<std::uint32_t>(random());
      const bool lower = point >= a + b;                         // which half of the rows
      const bool right = lower ? point > a + b + c : point > a;  // and of the columns
      pair.source = pair.source << 1 | static_cast<NodeId>(lower);
      pair.target = pair.target << 1 | static_cast<NodeId>(right);
    }
    return pair;
  });
  PermuteIds(list, executor);
  return list;
}

AlignedArray<float> GeneratedWeights(const PairList& list, const Topology& graph,
                                     Executor& executor) {
  const CsrView out = graph.out();
  AlignedArray<float> weights(out.arc_count());
  std::fill(weights.begin(), weights.end(), std::numeric_limits<float>::max());
  const auto lower = [&](NodeId source, NodeId target, float weight) {
    const auto row = out.neighbors.subspan(out.offsets[source], out.degree(source));
    const auto at = std::lower_bound(row.begin(), row.end(), target);
    if (at == row.end() || *at != target) return;  // a loop, which was dropped
    std::atomic_ref<float> here(
        weights[out.offsets[source] + static_cast<std::size_t>(at - row.begin())]);
    for (float old = here.load(); weight < old && !here.compare_exchange_weak(old, weight);) {
    }
  };
  ParallelFor(executor, list.pairs.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    std::mt19937 random(static_cast<std::uint32_t>(kGapSeed + begin / kBlock));
    UniformDraw<std::mt19937> draw(254, random);
    for (std::size_t e = begin; e < end; ++e) {
      const auto weight = static_cast<float>(draw() + 1);
      lower(list.pairs[e].source, list.pairs[e].target, weight);
      lower(list.pairs[e].target, list.pairs[e].source, weight);
    }
  });
  return weights;
}

}  // namespace plexus::bench
