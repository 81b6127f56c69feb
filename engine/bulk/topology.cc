// The radix builder behind BuildTopology: partition, sort in cache, compact.
#include "engine/bulk/topology.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

#include "engine/bulk/radix_sort.h"
#include "engine/bulk/scratch_pool.h"
#include "engine/out_of_memory.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plexus {

namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::uint64_t kPartitionArcs = 1 << 16;  // about: two copies fit an L2 cache
constexpr std::uint64_t kMaxPartitions = 4096;     // as many buffers must fit it as well

// Writes one full cache line past the caches.
inline void StreamLine(void* to, const void* from) {
#ifdef __SSE2__
  auto* out = static_cast<__m128i*>(to);
  auto* in = static_cast<const __m128i*>(from);
  for (int i = 0; i < 4; ++i) _mm_stream_si128(out + i, _mm_load_si128(in + i));
#else
  std::memcpy(to, from, kLineBytes);
#endif
}

inline void StreamFence() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

// How arcs are cut up: partition = source >> low_bits; inside one an arc is the
// number (source & low) << target_bits | target.
struct Plan {
  int target_bits = 0, low_bits = 0;
  std::size_t partitions = 1;
  std::size_t chunks = 1;  // of the pair list

  int key_bits() const { return target_bits + low_bits; }
};

Plan MakePlan(NodeId node_count, std::uint64_t arcs, std::size_t pairs) {
  Plan plan;
  const int node_bits = std::bit_width(node_count > 1 ? node_count - 1 : 1u);
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>(std::bit_ceil(arcs / kPartitionArcs + 1), 1, kMaxPartitions);
  plan.target_bits = node_bits;
  plan.low_bits = std::clamp(node_bits - static_cast<int>(std::bit_width(wanted) - 1), 0, 31);
  // 32-bit keys halve the traffic: take more partitions when that is all it needs.
  const int fitting = 32 - node_bits;
  if (fitting >= 0 && fitting < plan.low_bits && (node_bits - fitting) <= 12)
    plan.low_bits = fitting;
  plan.partitions = (std::size_t{node_count} >> plan.low_bits) + 1;
  plan.chunks = std::clamp<std::size_t>(pairs >> 16, 1, 64);
  return plan;
}

// One direction. Emit calls put(row, neighbor) for the arcs of one pair.
template <class Key, class Emit>
void BuildSide(NodeId node_count, std::span<const NodePair> pairs, const Plan& plan, Emit emit,
               Executor& executor, AlignedArray<std::uint32_t>& offsets,
               AlignedArray<NodeId>& neighbors) {
  const std::size_t parts = plan.partitions;
  const std::size_t threads = static_cast<std::size_t>(std::max(1, executor.thread_count()));
  const std::size_t chunk_size = (pairs.size() + plan.chunks - 1) / plan.chunks;
  auto chunk = [&](std::size_t c) {
    const std::size_t begin = std::min(c * chunk_size, pairs.size());
    return pairs.subspan(begin, std::min(chunk_size, pairs.size() - begin));
  };

  // Count, then place[c][p] = where chunk c writes its arcs of partition p.
  std::vector<std::uint64_t> place(plan.chunks * parts, 0);
  auto count = [&](std::size_t c) {
    std::uint64_t* counts = &place[c * parts];
    for (const NodePair& pair : chunk(c))
      emit(pair, [&](NodeId row, NodeId) { ++counts[row >> plan.low_bits]; });
  };
  RunBlocks(executor, plan.chunks, count);
  const std::vector<std::uint64_t> part_begin = PlaceParts(place, parts);
  std::uint64_t largest = 0;
  for (std::size_t p = 0; p < parts; ++p)
    largest = std::max(largest, part_begin[p + 1] - part_begin[p]);

  // Scatter through one cache line per partition.
  constexpr std::size_t kPerLine = kLineBytes / sizeof(Key);
  AlignedArray<Key> arcs(part_begin.back());
  const std::vector<std::uint64_t> chunk_begin = place;
  ScratchPool<Key> line_pool(std::min(threads, plan.chunks), parts * kPerLine);
  auto scatter = [&](std::size_t c) {
    AlignedArray<Key> lines = line_pool.Take();
    std::uint64_t* at = &place[c * parts];
    const std::uint64_t* begin = &chunk_begin[c * parts];
    const NodeId low = (NodeId{1} << plan.low_bits) - 1;
    for (const NodePair& pair : chunk(c)) {
      emit(pair, [&](NodeId row, NodeId neighbor) {
        const std::size_t p = row >> plan.low_bits;
        Key* line = &lines[p * kPerLine];
        const std::uint64_t i = at[p]++;
        line[i % kPerLine] = (static_cast<Key>(row & low) << plan.target_bits) | neighbor;
        if (i % kPerLine != kPerLine - 1) return;
        const std::uint64_t first = i - (kPerLine - 1);
        if (first >= begin[p])
          StreamLine(&arcs[first], line);
        else  // the line is shared with the chunk before: write our part only
          std::memcpy(&arcs[begin[p]], line + begin[p] % kPerLine,
                      (i + 1 - begin[p]) * sizeof(Key));
      });
    }
    for (std::size_t p = 0; p < parts; ++p) {
      const std::uint64_t line_begin = at[p] / kPerLine * kPerLine;
      const std::uint64_t first = std::max(begin[p], line_begin);
      if (first < at[p])
        std::memcpy(&arcs[first], &lines[p * kPerLine + first % kPerLine],
                    (at[p] - first) * sizeof(Key));
    }
    StreamFence();
    line_pool.Give(std::move(lines));
  };
  RunBlocks(executor, plan.chunks, scatter);

  // Sort each partition, keep each arc once, count its rows. The neighbors that
  // stay are left at the front of the partition's own place.
  offsets = AlignedArray<std::uint32_t>(std::size_t{node_count} + 1);
  std::vector<std::uint64_t> kept(parts + 1, 0);
  ScratchPool<Key> pool(std::min(threads, parts), largest);
  auto sort = [&](std::size_t p) {
    AlignedArray<Key> scratch = pool.Take();
    const std::uint64_t n = part_begin[p + 1] - part_begin[p];
    Key* own = arcs.data() + part_begin[p];
    const Key* keys =
        RadixSort(own, scratch.data(), n, plan.key_bits(), [](Key key) { return key; });
    const std::size_t first_row = p << plan.low_bits;
    const std::size_t end_row = std::min<std::size_t>((p + 1) << plan.low_bits, node_count);
    for (std::size_t row = first_row; row < end_row; ++row) offsets[row] = 0;
    const Key target_mask = static_cast<Key>((Key{1} << plan.target_bits) - 1);
    char* out = reinterpret_cast<char*>(own);  // 4 bytes an arc, never past the reader
    std::uint64_t stay = 0;
    Key previous = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const Key key = keys[i];
      if (i != 0 && key == previous) continue;
      previous = key;
      ++offsets[first_row + static_cast<std::size_t>(key >> plan.target_bits)];
      const NodeId neighbor = static_cast<NodeId>(key & target_mask);
      std::memcpy(out + stay * sizeof(NodeId), &neighbor, sizeof(NodeId));
      ++stay;
    }
    kept[p] = stay;
    pool.Give(std::move(scratch));
  };
  RunBlocks(executor, parts, sort);

  // Offsets and the closed-up neighbors.
  std::uint64_t unique = 0;
  for (std::size_t p = 0; p <= parts; ++p) unique += std::exchange(kept[p], unique);
  neighbors = AlignedArray<NodeId>(unique);
  offsets[node_count] = static_cast<std::uint32_t>(unique);
  auto close_up = [&](std::size_t p) {
    if (kept[p + 1] != kept[p])
      std::memcpy(neighbors.data() + kept[p], arcs.data() + part_begin[p],
                  (kept[p + 1] - kept[p]) * sizeof(NodeId));
    const std::size_t end_row = std::min<std::size_t>((p + 1) << plan.low_bits, node_count);
    std::uint32_t sum = static_cast<std::uint32_t>(kept[p]);
    for (std::size_t row = p << plan.low_bits; row < end_row; ++row)
      sum += std::exchange(offsets[row], sum);
  };
  RunBlocks(executor, parts, close_up);
}

template <class Emit>
void BuildSideOfAnyWidth(NodeId node_count, std::span<const NodePair> pairs, std::uint64_t arcs,
                         Emit emit, Executor& executor, AlignedArray<std::uint32_t>& offsets,
                         AlignedArray<NodeId>& neighbors) {
  const Plan plan = MakePlan(node_count, arcs, pairs.size());
  if (plan.key_bits() <= 32)
    BuildSide<std::uint32_t>(node_count, pairs, plan, emit, executor, offsets, neighbors);
  else
    BuildSide<std::uint64_t>(node_count, pairs, plan, emit, executor, offsets, neighbors);
}

Status CheckIds(NodeId node_count, std::span<const NodePair> pairs, Executor& executor) {
  const std::size_t none = pairs.size();
  const std::size_t bad = ParallelReduce<std::size_t>(
      executor, pairs.size(), 1 << 18, none,
      [&](std::size_t begin, std::size_t end) {
        NodeId largest = 0;
        for (std::size_t i = begin; i < end; ++i)
          largest = std::max({largest, pairs[i].source, pairs[i].target});
        if (largest < node_count) return none;
        for (std::size_t i = begin; i < end; ++i)
          if (std::max(pairs[i].source, pairs[i].target) >= node_count) return i;
        return none;
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
  if (bad == none) return {};
  return Invalid("pair ", bad, " (", pairs[bad].source, ", ", pairs[bad].target,
                 "): ids must be below ", node_count);
}

}  // namespace

Result<Topology> BuildTopology(NodeId node_count, std::span<const NodePair> pairs,
                               const TopologyOptions& options) try {
  Executor& executor = options.executor ? *options.executor : DefaultExecutor();
  const std::uint64_t arcs = pairs.size() * (options.symmetrize ? 2ull : 1ull);
  if (arcs > Limits::kMaxArcs) return Exhausted(arcs, " arcs, at most ", Limits::kMaxArcs);
  PLEXUS_TRY(CheckIds(node_count, pairs, executor));
  const bool loops = options.self_loops;
  auto forward = [loops](const NodePair& pair, auto&& put) {
    if (loops || pair.source != pair.target) put(pair.source, pair.target);
  };
  auto backward = [loops](const NodePair& pair, auto&& put) {
    if (loops || pair.source != pair.target) put(pair.target, pair.source);
  };
  auto both = [&](const NodePair& pair, auto&& put) {
    forward(pair, put);
    backward(pair, put);
  };
  try {
    Topology topology;
    topology.node_count = node_count;
    topology.symmetric = options.symmetrize;
    if (options.symmetrize) {
      BuildSideOfAnyWidth(node_count, pairs, arcs, both, executor, topology.out_offsets,
                          topology.out_neighbors);
    } else {
      BuildSideOfAnyWidth(node_count, pairs, arcs, forward, executor, topology.out_offsets,
                          topology.out_neighbors);
      if (options.inverse)
        BuildSideOfAnyWidth(node_count, pairs, arcs, backward, executor, topology.in_offsets,
                            topology.in_neighbors);
    }
    return topology;
  } catch (const std::bad_alloc&) {
    return Exhausted("no memory for the adjacency of ", arcs, " arcs");
  }
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
