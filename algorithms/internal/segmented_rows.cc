// A block at a time: arcs go to the room of their segment, then, one segment after the
// other, to where the block's rows lie anyway.
#include "algorithms/internal/segmented_rows.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "algorithms/internal/pool.h"

namespace plexus::internal {

namespace {

std::uint32_t SegmentsOf(std::uint32_t nodes, int bits) {
  return static_cast<std::uint32_t>((std::uint64_t{nodes} + (std::uint64_t{1} << bits) - 1) >> bits);
}

// A block's arcs on their way to their segments: room for all of them in each.
struct Scratch {
  std::unique_ptr<NodeId[]> neighbors;
  std::unique_ptr<float[]> weights;
  std::uint64_t room = 0;
  std::vector<std::uint32_t> counts;  // by segment

  void Reserve(std::uint64_t arcs, std::uint32_t segments, bool weighted) {
    counts.assign(segments, 0);
    if (room >= arcs) return;
    neighbors.reset();
    weights.reset();
    neighbors = std::make_unique_for_overwrite<NodeId[]>(arcs * segments);
    if (weighted) weights = std::make_unique_for_overwrite<float[]>(arcs * segments);
    room = arcs;
  }
};

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
  Pool<Scratch> pool;
  pool.Reserve(executor, blocks);
  std::atomic<bool> out_of_memory = false;  // tasks must not throw
  auto sort = [&](std::size_t block) {
    const NodeId begin = static_cast<NodeId>(block * kBlock), end = std::min(n, begin + kBlock);
    const std::uint64_t room = in.offsets[end] - in.offsets[begin];
    std::unique_ptr<Scratch> scratch = pool.Take();
    scratch->Reserve(room, segments, weighted);
    std::uint32_t* const counts = scratch->counts.data();
    const std::uint64_t stride = scratch->room;
    std::uint32_t* const ends = made.ends_.data() + block * segments * kBlock;
    for (NodeId v = begin; v < end; ++v) {
      for (std::uint32_t a = in.offsets[v]; a < in.offsets[v + 1]; ++a) {
        const NodeId u = in.neighbors[a];
        const std::uint64_t to = (u >> bits) * stride + counts[u >> bits]++;
        scratch->neighbors[to] = u;
        if (weighted) scratch->weights[to] = in.weights[a];
      }
      for (std::uint32_t s = 0; s < segments; ++s) ends[s * std::size_t{kBlock} + (v - begin)] = counts[s];
    }
    std::uint64_t at = in.offsets[begin];
    for (std::uint32_t s = 0; s < segments; ++s) {
      made.starts_[block * segments + s] = at;
      std::copy_n(scratch->neighbors.get() + s * stride, counts[s], made.neighbors_.data() + at);
      if (weighted) std::copy_n(scratch->weights.get() + s * stride, counts[s], made.weights_.data() + at);
      at += counts[s];
    }
    pool.Give(std::move(scratch));
  };
  ParallelFor(executor, blocks, 1, [&](std::size_t block, std::size_t) {
    try {
      sort(block);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  });
  if (out_of_memory) throw std::bad_alloc();
  return made;
}

}  // namespace plexus::internal
