// A block at a time, whose arcs stay in the second-level cache: counted by segment, then put
// where the block's rows lie anyway, one segment after the other.
#include "algorithms/internal/segmented_rows.h"

#include <algorithm>
#include <utility>

namespace plexus::internal {

namespace {

std::uint32_t SegmentsOf(std::uint32_t nodes, int bits) {
  return static_cast<std::uint32_t>((std::uint64_t{nodes} + (std::uint64_t{1} << bits) - 1) >> bits);
}

}  // namespace

bool RowsAreLocal(const CsrView& in, NodeId far) {
  constexpr std::uint32_t kSamples = 2048, kArcs = 32;
  std::uint32_t near = 0, seen = 0;
  for (std::uint32_t i = 0; i < kSamples; ++i) {
    const NodeId v = static_cast<NodeId>(std::uint64_t{in.node_count()} * i / kSamples);
    const std::uint32_t end = std::min(in.offsets[v + 1], in.offsets[v] + kArcs);
    for (std::uint32_t a = in.offsets[v]; a < end; ++a, ++seen) {
      const NodeId u = in.neighbors[a];
      near += (u > v ? u - v : v - u) < far || (a > in.offsets[v] && in.neighbors[a - 1] / 16 == u / 16);
    }
  }
  return std::uint64_t{near} * 4 >= std::uint64_t{seen} * 3;
}

bool SegmentedRows::Pay(const CsrView& in) {
  constexpr std::uint64_t kThin = 3;  // arcs a row and segment
  const std::uint64_t n = in.node_count(), segments = SegmentsOf(in.node_count(), kSegmentBits);
  return segments > 2 && in.arc_count() >= kThin * n * segments &&
         !RowsAreLocal(in, NodeId{1} << (kSegmentBits - 1));
}

SegmentedRows SegmentedRows::Make(const CsrView& in, Executor& executor, int bits) {
  SegmentedRows made;
  const std::uint32_t n = made.node_count_ = in.node_count();
  const std::uint32_t segments = made.segments_ = SegmentsOf(n, bits);
  const std::size_t blocks = made.block_count();
  const bool weighted = !in.weights.empty();
  made.starts_ = AlignedArray<std::uint64_t>(blocks * segments);
  made.ends_ = AlignedArray<std::uint32_t>(blocks * segments * kBlock);
  made.neighbors_ = AlignedArray<NodeId>(in.arc_count());
  if (weighted) made.weights_ = AlignedArray<float>(in.arc_count());
  // Where each segment's next arc goes, by block.
  AlignedArray<std::uint64_t> next(blocks * segments);
  ParallelFor(executor, n, kBlock, [&](std::size_t begin, std::size_t end) {
    const std::size_t first = begin / kBlock * segments;
    std::uint64_t* const at = &next[first];
    std::fill_n(at, segments, std::uint64_t{0});
    const std::uint32_t from = in.offsets[begin], to = in.offsets[end];
    for (std::uint32_t a = from; a < to; ++a) ++at[in.neighbors[a] >> bits];
    std::uint64_t before = from;
    for (std::uint32_t s = 0; s < segments; ++s) {
      made.starts_[first + s] = before;
      before += std::exchange(at[s], before);
    }
    std::uint32_t* const ends = made.ends_.data() + first * kBlock;
    for (std::size_t v = begin; v < end; ++v) {
      for (std::uint32_t a = in.offsets[v]; a < in.offsets[v + 1]; ++a) {
        const NodeId u = in.neighbors[a];
        const std::uint64_t place = at[u >> bits]++;
        made.neighbors_[place] = u;
        if (weighted) made.weights_[place] = in.weights[a];
      }
      for (std::uint32_t s = 0; s < segments; ++s)
        ends[s * std::size_t{kBlock} + (v - begin)] = static_cast<std::uint32_t>(at[s] - made.starts_[first + s]);
    }
  });
  return made;
}

}  // namespace plexus::internal
