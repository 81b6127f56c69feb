// Building the tiles: order the nodes, cut rows into blocks of like work, then sort
// each block's arcs by (segment, arcs of the row there, row) in two passes.
#include "algorithms/internal/pagerank_tiles.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "algorithms/internal/pool.h"

namespace plexus::internal {

namespace {

constexpr std::uint32_t kBits = PageRankTiles::kSegmentBits, kSegment = PageRankTiles::kSegment,
                        kShort = PageRankTiles::kShort;

// Position of every node, and the reverse.
struct Numbering {
  AlignedArray<NodeId> order;  // both empty: every node stays in its place
  AlignedArray<std::uint32_t> position;
};

// Nodes by falling out-degree, to a quarter of an octave, ties by id: coarse enough to
// leave rows that were near each other so. Kept only where the first sixteenth of the nodes has two fifths of the arcs or
// more; on an even graph the order would cost locality and bring nothing.
Numbering ByDegree(const CsrView& out, Executor& executor) {
  constexpr std::uint32_t kBuckets = 4 * 33;
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  const std::uint32_t n = out.node_count();
  const std::size_t parts = (n + kGrain - 1) / kGrain;
  auto bucket = [&](std::size_t v) {
    const std::uint32_t degree = out.degree(static_cast<NodeId>(v));
    const std::uint32_t octave = static_cast<std::uint32_t>(std::bit_width(degree));
    const std::uint32_t quarter = octave >= 3 ? degree >> (octave - 3) & 3 : 0;
    return kBuckets - 1 - (4 * octave + quarter);
  };
  std::vector<std::uint32_t> starts(parts * kBuckets);  // by part, bucket
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const counts = &starts[begin / kGrain * kBuckets];
    for (std::size_t v = begin; v < end; ++v) ++counts[bucket(v)];
  });
  std::uint32_t at = 0;
  for (std::uint32_t b = 0; b < kBuckets; ++b)
    for (std::size_t part = 0; part < parts; ++part)
      at += std::exchange(starts[part * kBuckets + b], at);
  Numbering made{AlignedArray<NodeId>(n), AlignedArray<std::uint32_t>(n)};
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const next = &starts[begin / kGrain * kBuckets];
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t to = next[bucket(v)]++;
      made.order[to] = static_cast<NodeId>(v);
      made.position[v] = to;
    }
  });
  std::uint64_t first = 0;
  for (std::uint32_t i = 0; i < n / 16; ++i) first += out.degree(made.order[i]);
  if (first * 5 < out.arc_count() * 2) return {};
  return made;
}

// Rows in blocks of at most kSegment rows and about arcs / 64 arcs.
std::vector<PageRankTiles::Block> CutBlocks(const CsrView& in, const Numbering& numbering,
                                            Executor& executor) {
  constexpr std::uint32_t kChunk = PageRankTiles::kRowsTogether;
  const std::uint32_t n = in.node_count();
  std::vector<std::uint32_t> arcs((n + kChunk - 1) / kChunk);
  ParallelFor(executor, n, std::size_t{kChunk} << 10, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      arcs[i / kChunk] += in.degree(numbering.order.empty() ? static_cast<NodeId>(i) : numbering.order[i]);
  });
  const std::uint64_t enough = std::max<std::uint64_t>(in.arc_count() / 64, std::uint64_t{1} << 18);
  std::vector<PageRankTiles::Block> blocks;
  std::uint64_t before = 0, inside = 0;
  std::uint32_t begin = 0;
  for (std::size_t c = 0; c < arcs.size(); ++c) {
    inside += arcs[c];
    const std::uint32_t end = std::min(n, static_cast<std::uint32_t>(c + 1) * kChunk);
    if (inside < enough && end - begin + kChunk <= kSegment && end < n) continue;
    PageRankTiles::Block& block = blocks.emplace_back();
    block.begin = begin;
    block.end = end;
    block.first_arc = before;
    before += std::exchange(inside, 0);
    begin = end;
  }
  return blocks;
}

// What one block needs while it is sorted; handed on from block to block.
struct Scratch {
  std::unique_ptr<std::uint32_t[]> sources;  // positions, row by row; where nodes are renumbered
  std::uint64_t capacity = 0, translated = 0;
  struct Run {  // arcs of one row from one segment
    std::uint32_t segment, count;
  };
  std::vector<Run> runs;                // row by row
  std::vector<std::uint32_t> row_runs;  // how many, by row
  // By segment and by whether the arc's place in its row is even or odd: two counters
  // side by side, because most arcs of a row come from the same segment and a counter
  // cannot be raised again before its last value is stored.
  std::vector<std::uint32_t> counts;   // all 0 between rows
  std::vector<std::uint64_t> touched;  // segments of the row, as bits
  std::vector<std::uint64_t> next;     // where the row's sources go: evens up, odds down

  void Reserve(std::uint64_t arcs, std::uint32_t segments) {
    if (capacity < arcs) {
      sources.reset();
      sources = std::make_unique_for_overwrite<std::uint32_t[]>(arcs);
      capacity = arcs;
    }
    translated = 0;
    runs.clear();
    row_runs.clear();
    counts.assign(std::size_t{2} * segments, 0);
    touched.assign((segments + 63) / 64, 0);
    next.assign(std::size_t{2} * segments, 0);
  }
};

// Group of a row with `count` arcs in a tile.
constexpr std::uint32_t Group(std::uint32_t count) { return std::min(count, kShort + 1) - 1; }

class BlockSorter {
 public:
  BlockSorter(const CsrView& in, const Numbering& numbering, std::uint32_t segments,
              std::uint16_t* sources, float* weights)
      : in_(in), numbering_(numbering), segments_(segments), sources_(sources), weights_(weights) {}

  // `arcs` of the block.
  void Sort(PageRankTiles::Block& block, std::uint64_t arcs, Scratch& scratch) const {
    Count(block, arcs, scratch);
    Place(block, scratch);
  }

 private:
  NodeId RowNode(std::uint32_t position) const {
    return numbering_.order.empty() ? position : numbering_.order[position];
  }

  // Renumbered rows lie anywhere: ask early for where they begin, then for the rows.
  void PrefetchRows(std::uint32_t p, std::uint32_t end) const {
    constexpr std::uint32_t kFar = 24, kNear = 12, kLines = 6;
    if (numbering_.order.empty()) return;
    if (p + kFar < end) __builtin_prefetch(&in_.offsets[numbering_.order[p + kFar]]);
    if (p + kNear < end) {
      const NodeId v = numbering_.order[p + kNear];
      const NodeId* const row = in_.neighbors.data() + in_.offsets[v];
      const std::uint32_t lines = std::min(in_.degree(v) / 16 + 1, kLines);
      for (std::uint32_t line = 0; line < lines; ++line) __builtin_prefetch(row + 16 * line);
    }
  }

  // The sources of the rows from `p` on, until there are kTogether or the block ends, as
  // positions. Apart from counting them: which branch that takes hangs on what is fetched
  // here from anywhere, and a wrong guess would wait for it, row after row.
  struct Batch {
    const std::uint32_t* sources;
    std::uint32_t end;  // row
  };
  Batch Translate(std::uint32_t p, std::uint32_t end, Scratch& scratch) const {
    constexpr std::uint64_t kTogether = 4096;
    if (numbering_.order.empty()) return {in_.neighbors.data() + in_.offsets[p], end};
    std::uint32_t* const first = scratch.sources.get() + scratch.translated;
    std::uint32_t* to = first;
    for (; p < end && static_cast<std::uint64_t>(to - first) < kTogether; ++p) {
      PrefetchRows(p, end);
      const NodeId v = numbering_.order[p];
      for (const NodeId u : in_.neighbors.subspan(in_.offsets[v], in_.degree(v)))
        *to++ = numbering_.position[u];
    }
    scratch.translated += static_cast<std::uint64_t>(to - first);
    return {first, p};
  }

  // First pass: the runs of every row, and how many rows each group has.
  void Count(PageRankTiles::Block& block, std::uint64_t arcs, Scratch& scratch) const {
    block.tiles.assign(segments_, {});
    scratch.Reserve(numbering_.order.empty() ? 0 : arcs, segments_);
    for (std::uint32_t p = block.begin; p < block.end;) {
      const Batch batch = Translate(p, block.end, scratch);
      const std::uint32_t* sources = batch.sources;
      for (; p < batch.end; ++p) {
        const std::uint32_t degree = in_.degree(RowNode(p));
        CountRow(sources, degree, scratch);
        sources += degree;
        const std::size_t before = scratch.runs.size();
        for (std::size_t w = 0; w < scratch.touched.size(); ++w)
          for (std::uint64_t left = std::exchange(scratch.touched[w], 0); left != 0; left &= left - 1) {
            const std::uint32_t segment = static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
            std::uint32_t* const counts = &scratch.counts[2 * std::size_t{segment}];
            const std::uint32_t count = std::exchange(counts[0], 0) + std::exchange(counts[1], 0);
            scratch.runs.push_back({segment, count});
            ++block.tiles[segment].rows[Group(count)];
          }
        scratch.row_runs.push_back(static_cast<std::uint32_t>(scratch.runs.size() - before));
      }
    }
  }

  void CountRow(const std::uint32_t* sources, std::uint32_t degree, Scratch& scratch) const {
    std::uint32_t* const counts = scratch.counts.data();
    if (segments_ <= 64) {  // the set in a register
      std::uint64_t touched = 0;
      for (std::uint32_t i = 0; i < degree; ++i) {
        const std::uint32_t segment = sources[i] >> kBits;
        touched |= std::uint64_t{1} << segment;
        ++counts[2 * segment + (i & 1)];
      }
      scratch.touched[0] = touched;
      return;
    }
    for (std::uint32_t i = 0; i < degree; ++i) {
      const std::uint32_t segment = sources[i] >> kBits;
      scratch.touched[segment / 64] |= std::uint64_t{1} << (segment % 64);
      ++counts[2 * segment + (i & 1)];
    }
  }

  // Second pass: rows to their groups, arcs to their rows.
  void Place(PageRankTiles::Block& block, Scratch& scratch) const {
    struct Cursor {
      std::uint64_t row, arc;
    };
    // Of each group; a long row's arcs follow those of the row before, so one will do.
    std::vector<std::array<Cursor, kShort + 1>> cursors(segments_);
    std::vector<std::uint64_t> first_long(segments_);  // row of the first long one
    std::vector<std::uint64_t> long_before(segments_);
    std::uint64_t row = 0, arc = block.first_arc, longs = 0;
    std::vector<std::uint64_t> long_arcs(segments_);
    for (const Scratch::Run& run : scratch.runs)
      if (run.count > kShort) long_arcs[run.segment] += run.count;
    for (std::uint32_t s = 0; s < segments_; ++s) {
      const PageRankTiles::Tile& tile = block.tiles[s];
      for (std::uint32_t g = 0; g < kShort; ++g) {
        cursors[s][g] = {row, arc};
        row += tile.rows[g];
        arc += std::uint64_t{tile.rows[g]} * (g + 1);
      }
      cursors[s][kShort] = {row, arc};
      first_long[s] = row;
      long_before[s] = longs;
      row += tile.rows[kShort];
      longs += tile.rows[kShort];
      arc += long_arcs[s];
    }
    block.rows = AlignedArray<std::uint16_t>(row);
    block.long_counts.resize(longs);

    const Scratch::Run* run = scratch.runs.data();
    const std::uint32_t* source = numbering_.order.empty() ? in_.neighbors.data() + in_.offsets[block.begin]
                                                           : scratch.sources.get();
    for (std::uint32_t p = block.begin; p < block.end; ++p) {
      const auto local = static_cast<std::uint16_t>(p - block.begin);
      for (std::uint32_t left = scratch.row_runs[local]; left > 0; --left, ++run) {
        const std::uint32_t group = Group(run->count);
        Cursor& cursor = cursors[run->segment][group];
        if (group == kShort)
          block.long_counts[long_before[run->segment] + (cursor.row - first_long[run->segment])] = run->count;
        std::uint64_t* const next = &scratch.next[2 * std::size_t{run->segment}];
        next[0] = cursor.arc;
        cursor.arc += run->count;
        next[1] = cursor.arc - 1;
        block.rows[cursor.row++] = local;
      }
      const NodeId v = RowNode(p);
      const std::uint32_t degree = in_.degree(v);
      std::uint64_t* const next = scratch.next.data();
      for (std::uint32_t i = 0; i < degree; ++i) {
        const std::uint32_t odd = i & 1;
        std::uint64_t& at = next[2 * (source[i] >> kBits) + odd];
        const std::uint64_t to = at;
        at += odd ? ~std::uint64_t{0} : 1;
        sources_[to] = static_cast<std::uint16_t>(source[i]);
        if (weights_) weights_[to] = in_.weights[in_.offsets[v] + i];
      }
      source += degree;
    }
  }

  const CsrView& in_;
  const Numbering& numbering_;
  const std::uint32_t segments_;
  std::uint16_t* const sources_;
  float* const weights_;
};

}  // namespace

bool PageRankTiles::Pay(const CsrView& in) {
  const std::uint32_t n = in.node_count();
  const std::uint64_t segments = (std::uint64_t{n} + kSegment - 1) / kSegment;
  // Two segments, at most 1 MiB of f64 or half of it in f32, stay in cache as they are.
  if (segments <= 2 || in.arc_count() < std::uint64_t{1} << 21) return false;
  if (in.arc_count() / (segments * segments) < 4096) return false;
  // Sampled arcs that pull finds in cache: near the row, or beside the arc before.
  constexpr std::uint32_t kSamples = 2048, kArcs = 32;
  std::uint32_t near = 0, seen = 0;
  for (std::uint32_t i = 0; i < kSamples; ++i) {
    const NodeId v = static_cast<NodeId>(std::uint64_t{n} * i / kSamples);
    const std::uint32_t end = std::min(in.offsets[v + 1], in.offsets[v] + kArcs);
    for (std::uint32_t a = in.offsets[v]; a < end; ++a, ++seen) {
      const NodeId u = in.neighbors[a];
      const NodeId distance = u > v ? u - v : v - u;
      near += distance < kSegment / 2 ||
              (a > in.offsets[v] && in.neighbors[a - 1] / 16 == u / 16);
    }
  }
  return std::uint64_t{near} * 4 < std::uint64_t{seen} * 3;
}

PageRankTiles PageRankTiles::Make(const CsrView& in, const CsrView& out, Executor& executor) {
  PageRankTiles made;
  made.node_count_ = in.node_count();
  Numbering numbering = ByDegree(out, executor);
  made.blocks_ = CutBlocks(in, numbering, executor);
  made.arc_count_ = in.arc_count();
  made.sources_ = AlignedArray<std::uint16_t>(in.arc_count() + kPadding);
  std::fill_n(made.sources_.end() - kPadding, kPadding, std::uint16_t{0});
  if (!in.weights.empty()) made.weights_ = AlignedArray<float>(in.arc_count());
  const auto segments =
      static_cast<std::uint32_t>((std::uint64_t{made.node_count_} + kSegment - 1) / kSegment);
  const BlockSorter sorter(in, numbering, segments, made.sources_.data(), made.weights_.data());
  Pool<Scratch> pool;
  pool.Reserve(executor, made.blocks_.size());
  std::atomic<bool> out_of_memory = false;  // tasks must not throw
  ParallelFor(executor, made.blocks_.size(), 1, [&](std::size_t b, std::size_t) {
    const std::uint64_t end =
        b + 1 < made.blocks_.size() ? made.blocks_[b + 1].first_arc : in.arc_count();
    try {
      std::unique_ptr<Scratch> scratch = pool.Take();
      sorter.Sort(made.blocks_[b], end - made.blocks_[b].first_arc, *scratch);
      pool.Give(std::move(scratch));
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  });
  if (out_of_memory) throw std::bad_alloc();
  made.order_ = std::move(numbering.order);
  return made;
}

std::uint64_t PageRankTiles::size_bytes() const {
  std::uint64_t bytes = order_.size_bytes() + sources_.size_bytes() + weights_.size_bytes();
  for (const Block& block : blocks_)
    bytes += sizeof block + block.tiles.size() * sizeof(Tile) + block.rows.size_bytes() +
             block.long_counts.size() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace plexus::internal
