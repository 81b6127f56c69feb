// Building the rows: order the nodes, cut rows into blocks of like work, then sort each
// block's arcs by (segment, arcs of the row there, row) in two passes.
#include "algorithms/pagerank/internal/batch_layout.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/common/internal/degree_order.h"
#include "algorithms/common/internal/object_pool.h"

namespace plexus::pagerank::internal {

namespace {

constexpr std::uint32_t kShort = BatchLayout::kShort;

// Position of every node, and the reverse.
struct Numbering {
  AlignedArray<NodeId> order;
  AlignedArray<std::uint32_t> position;
  std::uint32_t linked = 0;   // nodes with arcs
  std::uint32_t sources = 0;  // positions from here on are no sources, when ordered by degree
};

// Nodes by rising bucket of `bucket(v)`, ties by id. The last bucket: nodes without arcs.
template <std::uint32_t kBuckets, class Bucket>
Numbering ByBucket(std::uint32_t n, const Bucket& bucket, Executor& executor) {
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  const std::size_t parts = (n + kGrain - 1) / kGrain;
  std::vector<std::uint32_t> starts(parts * kBuckets);  // by part, bucket
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const counts = &starts[begin / kGrain * kBuckets];
    for (std::size_t v = begin; v < end; ++v) ++counts[bucket(static_cast<NodeId>(v))];
  });
  Numbering made{AlignedArray<NodeId>(n), AlignedArray<std::uint32_t>(n)};
  std::uint32_t at = 0;
  for (std::uint32_t b = 0; b < kBuckets; ++b) {
    if (b == kBuckets - 1) made.linked = at;
    for (std::size_t part = 0; part < parts; ++part)
      at += std::exchange(starts[part * kBuckets + b], at);
  }
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const next = &starts[begin / kGrain * kBuckets];
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t to = next[bucket(static_cast<NodeId>(v))]++;
      made.order[to] = static_cast<NodeId>(v);
      made.position[v] = to;
    }
  });
  return made;
}

// By falling out-degree where few nodes hold most arcs, else in their own order.
Numbering Number(const CsrView& in, const CsrView& out, Executor& executor) {
  constexpr std::uint32_t kBuckets = common_internal::kDegreeBuckets + 1;
  const std::uint32_t n = in.node_count();
  auto isolated = [&](NodeId v) { return out.degree(v) == 0 && in.degree(v) == 0; };
  Numbering made = ByBucket<kBuckets>(
      n,
      [&](NodeId v) -> std::uint32_t {
        return isolated(v) ? kBuckets - 1 : common_internal::DegreeBucket(out.degree(v));
      },
      executor);
  std::uint64_t first = 0;
  for (std::uint32_t i = 0; i < n / 16; ++i) first += out.degree(made.order[i]);
  if (common_internal::IsSkewed(first, out.arc_count())) {
    const auto end = made.order.begin() + made.linked;
    made.sources = static_cast<std::uint32_t>(
        std::partition_point(made.order.begin(), end, [&](NodeId v) { return out.degree(v) > 0; }) -
        made.order.begin());
    return made;
  }
  made = ByBucket<2>(n, [&](NodeId v) { return isolated(v) ? 1u : 0u; }, executor);
  made.sources = made.linked;
  return made;
}

// Rows with arcs, in blocks of at most kMaxRows rows and about arcs / 256 arcs.
std::vector<BatchLayout::Block> CutBlocks(const CsrView& in, const Numbering& numbering) {
  const std::uint64_t enough =
      std::max<std::uint64_t>(in.arc_count() / 256, std::uint64_t{1} << 14);
  std::vector<BatchLayout::Block> blocks;
  std::uint64_t before = 0, inside = 0;
  std::uint32_t begin = 0;
  for (std::uint32_t p = 0; p < numbering.linked; ++p) {
    inside += in.degree(numbering.order[p]);
    if (inside < enough && p + 1 - begin < BatchLayout::kMaxRows && p + 1 < numbering.linked)
      continue;
    BatchLayout::Block& block = blocks.emplace_back();
    block.begin = std::exchange(begin, p + 1);
    block.end = begin;
    block.first_arc = before;
    before += std::exchange(inside, 0);
  }
  return blocks;
}

// What one block needs while it is sorted; handed on from block to block.
struct Scratch {
  struct Run {  // arcs of one row from one segment
    std::uint32_t segment, count;
  };
  std::vector<std::uint32_t> sources;   // positions, row by row
  std::vector<Run> runs;                // row by row, by segment
  std::vector<std::uint32_t> row_runs;  // how many, by row
  // By segment and by whether the arc's place in its row is even or odd: two counters side
  // by side, because a counter cannot be raised again before its last value is stored.
  std::array<std::uint32_t, 2 * BatchLayout::kMaxSegments> counts{};  // all 0 between rows
};

class BlockSorter {
 public:
  // Segments are equal, to a multiple of kChunk sources.
  static constexpr std::uint32_t kChunk = 4096;

  BlockSorter(const CsrView& in, const Numbering& numbering, std::uint32_t segments,
              std::uint32_t* sources, float* weights)
      : in_(in),
        numbering_(numbering),
        segments_(segments),
        sources_(sources),
        weights_(weights),
        segment_of_((std::size_t{numbering.sources} + kChunk - 1) / kChunk) {
    for (std::size_t c = 0; c < segment_of_.size(); ++c)
      segment_of_[c] = static_cast<std::uint8_t>(c * segments / segment_of_.size());
  }

  void Sort(BatchLayout::Block& block, std::uint64_t arcs, Scratch& scratch) const {
    scratch.sources.resize(arcs);
    scratch.runs.clear();
    scratch.row_runs.clear();
    block.tiles.assign(segments_, {});
    Count(block, scratch);
    Place(block, scratch);
  }

 private:
  // Group of a row with `count` arcs in a tile.
  static constexpr std::uint32_t Group(std::uint32_t count) {
    return std::min(count, kShort + 1) - 1;
  }

  std::uint32_t SegmentOf(std::uint32_t source) const { return segment_of_[source / kChunk]; }

  // Renumbered rows lie anywhere: prefetch where they begin early, then the rows.
  void PrefetchRows(std::uint32_t p, std::uint32_t end) const {
    constexpr std::uint32_t kFar = 24, kNear = 12, kLines = 6;
    if (p + kFar < end) __builtin_prefetch(&in_.offsets[numbering_.order[p + kFar]]);
    if (p + kNear >= end) return;
    const NodeId v = numbering_.order[p + kNear];
    const NodeId* const row = in_.neighbors.data() + in_.offsets[v];
    const std::uint32_t lines = std::min(in_.degree(v) / 16 + 1, kLines);
    for (std::uint32_t line = 0; line < lines; ++line) __builtin_prefetch(row + 16 * line);
  }

  // First pass: all positions, apart from counting them, because a branch that depends on a
  // gathered value would wait for it; then the runs of every row, and how many rows each group has.
  void Count(BatchLayout::Block& block, Scratch& scratch) const {
    std::uint32_t* to = scratch.sources.data();
    for (std::uint32_t p = block.begin; p < block.end; ++p) {
      PrefetchRows(p, block.end);
      const NodeId v = numbering_.order[p];
      for (const NodeId u : in_.neighbors.subspan(in_.offsets[v], in_.degree(v)))
        *to++ = numbering_.position[u];
    }
    const std::uint32_t* source = scratch.sources.data();
    for (std::uint32_t p = block.begin; p < block.end; ++p) {
      std::uint64_t touched = 0;  // segments
      static_assert(BatchLayout::kMaxSegments <= 64);
      const std::uint32_t degree = in_.degree(numbering_.order[p]);
      for (std::uint32_t i = 0; i < degree; ++i) {
        const std::uint32_t segment = SegmentOf(source[i]);
        touched |= std::uint64_t{1} << segment;
        ++scratch.counts[2 * segment + (i & 1)];
      }
      source += degree;
      scratch.row_runs.push_back(static_cast<std::uint32_t>(std::popcount(touched)));
      for (; touched != 0; touched &= touched - 1) {
        const auto segment = static_cast<std::uint32_t>(std::countr_zero(touched));
        std::uint32_t* const counts = &scratch.counts[2 * segment];
        const std::uint32_t count = std::exchange(counts[0], 0) + std::exchange(counts[1], 0);
        scratch.runs.push_back({segment, count});
        ++block.tiles[segment].rows[Group(count)];
      }
    }
  }

  // Where the next row of a group goes.
  struct Cursor {
    std::uint32_t row, length;  // `length` of the next long row
    std::uint64_t arc;
  };
  using Cursors = std::array<Cursor, kShort + 1>;

  // Tiles one behind the other; returns where their groups begin. Sizes the block's lists.
  std::vector<Cursors> Begin(BatchLayout::Block& block, const Scratch& scratch) const {
    std::vector<std::uint64_t> long_arcs(segments_);
    for (const Scratch::Run& run : scratch.runs)
      if (run.count > kShort) long_arcs[run.segment] += run.count;
    std::vector<Cursors> cursors(segments_);
    std::uint32_t row = 0, longs = 0;
    std::uint64_t arc = block.first_arc;
    for (std::uint32_t s = 0; s < segments_; ++s) {
      BatchLayout::Tile& tile = block.tiles[s];
      tile.first_row = row;
      tile.first_long = longs;
      tile.first_arc = arc;
      for (std::uint32_t g = 0; g <= kShort; ++g) {
        cursors[s][g] = {row, longs, arc};
        row += tile.rows[g];
        arc += g < kShort ? std::uint64_t{tile.rows[g]} * (g + 1) : long_arcs[s];
      }
      longs += tile.rows[kShort];
    }
    block.rows = AlignedArray<std::uint32_t>(std::size_t{row} + BatchLayout::kRowsAhead);
    std::fill(block.rows.begin() + row, block.rows.end(), block.begin);
    block.long_counts.resize(longs);
    return cursors;
  }

  // Second pass: rows to their groups, arcs to their rows, in the order they have there.
  void Place(BatchLayout::Block& block, const Scratch& scratch) const {
    std::vector<Cursors> cursors = Begin(block, scratch);
    std::array<std::uint64_t, BatchLayout::kMaxSegments> next;
    const Scratch::Run* run = scratch.runs.data();
    const std::uint32_t* source = scratch.sources.data();
    for (std::uint32_t p = block.begin; p < block.end; ++p) {
      for (std::uint32_t left = scratch.row_runs[p - block.begin]; left > 0; --left, ++run) {
        Cursor& cursor = cursors[run->segment][Group(run->count)];
        if (run->count > kShort) block.long_counts[cursor.length++] = run->count;
        block.rows[cursor.row++] = p;
        next[run->segment] = cursor.arc;
        cursor.arc += run->count;
      }
      const NodeId v = numbering_.order[p];
      const std::uint32_t degree = in_.degree(v);
      for (std::uint32_t i = 0; i < degree; ++i) {
        const std::uint64_t to = next[SegmentOf(source[i])]++;
        sources_[to] = source[i];
        if (weights_) weights_[to] = in_.weights[in_.offsets[v] + i];
      }
      source += degree;
    }
  }

  const CsrView& in_;
  const Numbering& numbering_;
  const std::uint32_t segments_;
  std::uint32_t* const sources_;
  float* const weights_;
  std::vector<std::uint8_t> segment_of_;
};

}  // namespace

BatchLayout BatchLayout::Make(const CsrView& in, const CsrView& out, Executor& executor) {
  BatchLayout made;
  Numbering numbering = Number(in, out, executor);
  made.linked_count_ = numbering.linked;
  made.blocks_ = CutBlocks(in, numbering);
  made.sources_ = AlignedArray<std::uint32_t>(in.arc_count() + kSourcesAhead);
  std::fill_n(made.sources_.end() - kSourcesAhead, kSourcesAhead, 0u);
  if (!in.weights.empty()) made.weights_ = AlignedArray<float>(in.arc_count());
  made.segment_count_ = std::clamp(
      numbering.sources / kMaxSources + (numbering.sources % kMaxSources != 0), 1u, kMaxSegments);
  const BlockSorter sorter(in, numbering, made.segment_count_, made.sources_.data(),
                           made.weights_.data());
  common_internal::ObjectPool<Scratch> pool;
  pool.Reserve(executor, made.blocks_.size());
  ParallelFor(executor, made.blocks_.size(), 1, [&](std::size_t b, std::size_t) {
    const std::uint64_t end =
        b + 1 < made.blocks_.size() ? made.blocks_[b + 1].first_arc : in.arc_count();
    sorter.Sort(made.blocks_[b], end - made.blocks_[b].first_arc, *pool.Acquire());
  });
  made.order_ = std::move(numbering.order);
  return made;
}

std::uint64_t BatchLayout::size_bytes() const {
  std::uint64_t bytes = order_.size_bytes() + sources_.size_bytes() + weights_.size_bytes();
  for (const Block& block : blocks_)
    bytes += sizeof(Block) + block.tiles.capacity() * sizeof(Tile) + block.rows.size_bytes() +
             block.long_counts.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace plexus::pagerank::internal
