// Building the tiles: order the nodes, cut rows into blocks of like work, then sort each
// block's arcs.
#include "algorithms/pagerank/internal/tile_layout.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "algorithms/common/internal/degree_order.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/pagerank/internal/tile_builder.h"

namespace plexus::pagerank::internal {

namespace {

// Nodes by bucket of falling out-degree, ties by id: few enough buckets for the rows of a
// block to write their contributions in ascending order, a few dozen at a time. Empty on an
// even graph.
AlignedArray<std::uint32_t> ByDegree(const CsrView& out, Executor& executor) {
  constexpr std::uint32_t kBuckets = common_internal::kDegreeBuckets;
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  const std::uint32_t n = out.node_count();
  const std::size_t parts = (n + kGrain - 1) / kGrain;
  auto bucket = [&](std::size_t v) {
    return common_internal::DegreeBucket(out.degree(static_cast<NodeId>(v)));
  };
  std::vector<std::uint32_t> starts(parts * kBuckets);  // by part, bucket
  std::vector<std::uint64_t> arcs(parts * kBuckets);
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const counts = &starts[begin / kGrain * kBuckets];
    std::uint64_t* const degrees = &arcs[begin / kGrain * kBuckets];
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t b = bucket(v);
      ++counts[b];
      degrees[b] += out.degree(static_cast<NodeId>(v));
    }
  });
  // The bucket in which the first sixteenth ends counts by its share.
  std::uint32_t at = 0, hubs = n / 16;
  double of_hubs = 0;
  for (std::uint32_t b = 0; b < kBuckets; ++b) {
    const std::uint32_t begin = at;
    std::uint64_t inside = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      inside += arcs[part * kBuckets + b];
      at += std::exchange(starts[part * kBuckets + b], at);
    }
    if (at > begin && begin < hubs)
      of_hubs += static_cast<double>(inside) * std::min(hubs - begin, at - begin) / (at - begin);
  }
  if (!common_internal::IsSkewed(of_hubs, static_cast<double>(out.arc_count()))) return {};
  AlignedArray<std::uint32_t> positions(n);
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const next = &starts[begin / kGrain * kBuckets];
    for (std::size_t v = begin; v < end; ++v) positions[v] = next[bucket(v)]++;
  });
  return positions;
}

// Rows in blocks of at most kSegment and about a 32nd of the arcs, or a 64th of the rows.
std::vector<PageRankTiles::Block> CutBlocks(const CsrView& in, PageRankTiles::Cut cut) {
  const std::uint32_t n = in.node_count();
  const bool by_arcs = cut == PageRankTiles::kEvenArcs;
  const std::uint64_t enough =
      by_arcs ? std::max<std::uint64_t>(in.arc_count() / 32, std::uint64_t{1} << 18)
              : std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kAlign = PageRankTiles::kEvenRowAlign, kSegment = PageRankTiles::kSegment;
  const std::uint64_t most =
      by_arcs ? kSegment
              : std::min(kSegment, ((std::uint64_t{n} + 63) / 64 + kAlign - 1) / kAlign * kAlign);
  std::vector<PageRankTiles::Block> blocks;
  for (std::uint64_t begin = 0; begin < n;) {
    std::uint64_t end = begin;
    do end += PageRankTiles::kRowAlign;
    while (end < n && end - begin < most && in.offsets[end] - in.offsets[begin] < enough);
    end = std::min<std::uint64_t>(end, n);
    PageRankTiles::Block& block = blocks.emplace_back();
    block.begin = static_cast<NodeId>(begin);
    block.end = static_cast<NodeId>(end);
    block.first_arc = in.offsets[begin];
    begin = end;
  }
  return blocks;
}

// Sampled arcs that a sweep over the rows as they are finds in cache: near the row, or
// beside the arc before; true from three quarters on. `far`: what is not near any more.
bool RowsAreLocal(const CsrView& in, NodeId far) {
  constexpr std::uint32_t kSamples = 2048, kArcs = 32;
  std::uint32_t near = 0, seen = 0;
  for (std::uint32_t i = 0; i < kSamples; ++i) {
    const NodeId v = static_cast<NodeId>(std::uint64_t{in.node_count()} * i / kSamples);
    const std::uint32_t end = std::min(in.offsets[v + 1], in.offsets[v] + kArcs);
    for (std::uint32_t a = in.offsets[v]; a < end; ++a, ++seen) {
      const NodeId u = in.neighbors[a];
      near += (u > v ? u - v : v - u) < far ||
              (a > in.offsets[v] && in.neighbors[a - 1] / 16 == u / 16);
    }
  }
  return std::uint64_t{near} * 4 >= std::uint64_t{seen} * 3;
}

std::uint64_t SegmentCount(std::uint32_t nodes) {
  return (std::uint64_t{nodes} + PageRankTiles::kSegment - 1) >> PageRankTiles::kSegmentBits;
}

}  // namespace

int PageRankTiles::BreakEvenIterations(const CsrView& in, const CsrView& out) {
  const std::uint32_t n = in.node_count();
  const std::uint64_t segments = SegmentCount(n), arcs = in.arc_count();
  // Two segments, at most 1 MiB of f64 or half of it in f32, stay in cache as they are.
  if (segments <= 2 || arcs < std::uint64_t{1} << 21) return 0;
  if (arcs / (segments * segments) < 4096 || RowsAreLocal(in, kSegment / 2)) return 0;
  // Arcs of the first sixteenth, by degree.
  constexpr std::uint32_t kSamples = 2048;
  std::vector<std::uint32_t> degrees(kSamples);
  for (std::uint32_t i = 0; i < kSamples; ++i)
    degrees[i] = out.degree(static_cast<NodeId>(std::uint64_t{n} * i / kSamples));
  std::sort(degrees.begin(), degrees.end(), std::greater<>());
  const auto hubs = degrees.begin() + kSamples / 16;
  const std::uint64_t of_hubs = std::accumulate(degrees.begin(), hubs, std::uint64_t{0}),
                      of_all = std::accumulate(hubs, degrees.end(), of_hubs);
  if (common_internal::IsSkewed(of_hubs, of_all)) return kBreakEvenSkewed;
  // From here on pull gathers from beyond the caches that are near (8 MiB of f32).
  constexpr std::uint64_t kLarge = 33;
  return segments >= kLarge ? kBreakEvenLarge : kBreakEvenEven;
}

PageRankTiles PageRankTiles::Make(const CsrView& in, const CsrView& out, Executor& executor,
                                  Cut cut) {
  PageRankTiles made;
  made.node_count_ = in.node_count();
  made.positions_ = ByDegree(out, executor);
  made.blocks_ = CutBlocks(in, cut);
  made.arc_count_ = in.arc_count();
  made.longest_row_ = ParallelReduce(
      executor, in.node_count(), std::size_t{1} << 16, std::uint32_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::uint32_t longest = 0;
        for (std::size_t v = begin; v < end; ++v)
          longest = std::max(longest, in.degree(static_cast<NodeId>(v)));
        return longest;
      },
      [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  if (!in.weights.empty()) made.weights_ = AlignedArray<float>(in.arc_count());
  made.sources_ = AlignedArray<std::uint16_t>(in.arc_count());
  const TileSorter sorter(in, made.positions(),
                          static_cast<std::uint32_t>(SegmentCount(made.node_count_)),
                          made.sources_.data(), made.weights_.data());
  common_internal::ObjectPool<TileSorter::Scratch> pool;
  pool.Reserve(executor, made.blocks_.size());
  ParallelFor(executor, made.blocks_.size(), 1, [&](std::size_t b, std::size_t) {
    const std::uint64_t end =
        b + 1 < made.blocks_.size() ? made.blocks_[b + 1].first_arc : in.arc_count();
    sorter.Sort(made.blocks_[b], end - made.blocks_[b].first_arc, *pool.Acquire());
  });
  return made;
}

std::uint64_t PageRankTiles::size_bytes() const {
  std::uint64_t bytes = positions_.size_bytes() + sources_.size_bytes() + weights_.size_bytes();
  for (const Block& block : blocks_)
    bytes += sizeof block + block.tiles.size() * sizeof(Tile) + block.rows.size_bytes();
  return bytes;
}

}  // namespace plexus::pagerank::internal
