// What is in flight is a batch of rows, or a block, while it is split, and a block while it is cut
// into pieces.
#include "algorithms/pagerank/internal/tile_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace plexus::pagerank::internal {

namespace {

constexpr std::uint32_t kBits = PageRankTiles::kSegmentBits, kSegment = PageRankTiles::kSegment,
                        kPiece = PageRankTiles::kPiece;

}  // namespace

// Arcs of one row from one segment.
struct TileSorter::Run {
  std::uint32_t count;
  std::uint16_t row;  // of the block
};

// Of one segment: runs row by row, and their arcs.
struct TileSorter::Stream {
  Buffer<std::uint16_t> sources;
  Buffer<float> weights;
  Buffer<Run> runs;
  std::size_t arcs = 0, run_count = 0;
  const std::uint16_t* first_source = nullptr;  // once all are there
  const float* first_weight = nullptr;

  void ReserveArcs(std::size_t more, bool weighted) {
    sources.Reserve(arcs + more + kPiece, arcs);  // pieces are copied kPiece long
    if (weighted) weights.Reserve(arcs + more + kPiece, arcs);
  }
  void ReserveRuns(std::size_t more) { runs.Reserve(run_count + more, run_count); }
};

TileSorter::Scratch::Scratch() = default;
TileSorter::Scratch::~Scratch() = default;

void TileSorter::Sort(PageRankTiles::Block& block, std::uint64_t arcs, Scratch& scratch) const {
  scratch.streams_.resize(segments_);
  for (Stream& stream : scratch.streams_) stream.arcs = stream.run_count = 0;
  scratch.counts_.assign(std::size_t{2} * segments_, 0);
  scratch.touched_.assign((segments_ + 63) / 64, 0);
  scratch.next_.assign(std::size_t{2} * segments_, 0);
  auto sort = [&]<bool kWeighted>() {
    if (positions_)
      Split<kWeighted>(block, scratch);
    else
      SplitEvenly<kWeighted>(block, arcs, scratch);
    CutRuns<kWeighted>(block, arcs, scratch);
  };
  if (weights_)
    sort.operator()<true>();
  else
    sort.operator()<false>();
}

// Arc by arc, which is best where a row has an arc or two in a segment: counted, put into
// its segment's place, and runs end where the row changes.
template <bool kWeighted>
void TileSorter::SplitEvenly(const PageRankTiles::Block& block, std::uint64_t arcs,
                             Scratch& scratch) const {
  const NodeId* const neighbors = in_.neighbors.data() + block.first_arc;
  std::uint64_t* const next = scratch.next_.data();  // by segment
  for (std::uint64_t a = 0; a < arcs; ++a) ++next[neighbors[a] >> kBits];
  std::uint64_t before = 0;
  for (std::uint32_t s = 0; s < segments_; ++s) {
    scratch.streams_[s].arcs = next[s];
    before += std::exchange(next[s], before);
  }
  scratch.all_rows_.Reserve(arcs, 0);
  scratch.all_sources_.Reserve(arcs + kPiece, 0);  // pieces are copied kPiece long
  if constexpr (kWeighted) scratch.all_weights_.Reserve(arcs + kPiece, 0);
  std::uint16_t* const rows = scratch.all_rows_.data();
  std::uint16_t* const sources = scratch.all_sources_.data();
  float* const weights = scratch.all_weights_.data();
  std::uint64_t a = 0;
  for (NodeId v = block.begin; v < block.end; ++v)
    for (const std::uint64_t end = in_.offsets[v + 1] - block.first_arc; a < end; ++a) {
      const NodeId source = neighbors[a];
      const std::uint64_t to = next[source >> kBits]++;
      rows[to] = static_cast<std::uint16_t>(v - block.begin);
      sources[to] = static_cast<std::uint16_t>(source);
      if constexpr (kWeighted) weights[to] = in_.weights[block.first_arc + a];
    }
  std::uint64_t first = 0;
  for (Stream& stream : scratch.streams_) {
    stream.first_source = sources + first;
    if constexpr (kWeighted) stream.first_weight = weights + first;
    stream.ReserveRuns(std::min<std::size_t>(stream.arcs, block.end - block.begin));
    // No branch on where a row ends, as every second one would be guessed wrong.
    Run* const runs = stream.runs.data();
    std::uint32_t row = ~0u, count = 0;
    for (std::size_t i = 0; i < stream.arcs; ++i) {
      const std::uint16_t now = rows[first + i];
      const bool another = now != row;
      stream.run_count += another;
      count = (another ? 0 : count) + 1;
      row = now;
      runs[stream.run_count - 1] = {count, now};
    }
    first += stream.arcs;
  }
}

template <bool kWeighted>
void TileSorter::Split(const PageRankTiles::Block& block, Scratch& scratch) const {
  for (NodeId v = block.begin; v < block.end;) {
    const NodeId begin = v;
    v = SplitRows<kWeighted>(block, begin, scratch);
    const std::uint32_t* positions = scratch.others_.data();
    const float* weights = scratch.other_weights_.data();
    for (NodeId row = begin; row < v; ++row) {
      const std::uint32_t count = scratch.other_counts_[row - begin];
      if (count > 0)
        Others<kWeighted>(static_cast<std::uint16_t>(row - block.begin), positions, weights, count,
                          scratch);
      positions += count;
      if constexpr (kWeighted) weights += count;
    }
  }
  for (Stream& stream : scratch.streams_) {
    stream.first_source = stream.sources.data();
    stream.first_weight = stream.weights.data();
  }
}

// The rows from `v` on, until there are enough arcs or the block ends; returns the row
// after them. Apart from counting: that branch depends on a gathered value, and a misprediction
// would wait for it, row after row. There is none here.
template <bool kWeighted>
NodeId TileSorter::SplitRows(const PageRankTiles::Block& block, NodeId v, Scratch& scratch) const {
  constexpr std::uint32_t kBatchArcs = 4096, kAhead = 512;
  Stream& first = scratch.streams_[0];
  const std::uint32_t begin = in_.offsets[v];
  NodeId end = v + 1;
  while (end < block.end && in_.offsets[end + 1] - begin <= kBatchArcs) ++end;
  const std::uint32_t arcs = in_.offsets[end] - begin;
  first.ReserveArcs(arcs, kWeighted);
  first.ReserveRuns(end - v);
  scratch.others_.Reserve(arcs, 0);
  if constexpr (kWeighted) scratch.other_weights_.Reserve(arcs, 0);
  scratch.other_counts_.resize(end - v);
  std::uint16_t* to_first = first.sources.data() + first.arcs;
  float* to_first_weights = kWeighted ? first.weights.data() + first.arcs : nullptr;
  std::uint32_t* to_others = scratch.others_.data();
  float* to_other_weights = scratch.other_weights_.data();
  Run* run = first.runs.data() + first.run_count;
  for (NodeId row = v; row < end; ++row) {
    const std::uint32_t from = in_.offsets[row], degree = in_.degree(row);
    const NodeId* const sources = in_.neighbors.data() + from;
    std::size_t in_first = 0;
    for (std::uint32_t i = 0; i < degree; ++i) {
      if (i % 16 == 0) __builtin_prefetch(sources + i + kAhead);
      const std::uint32_t source = positions_[sources[i]];
      const bool here = source < kSegment;
      to_first[in_first] = static_cast<std::uint16_t>(source);
      to_others[i - in_first] = source;
      if constexpr (kWeighted) {
        to_first_weights[in_first] = in_.weights[from + i];
        to_other_weights[i - in_first] = in_.weights[from + i];
      }
      in_first += here;
    }
    const std::size_t others = degree - in_first;
    *run = {static_cast<std::uint32_t>(in_first), static_cast<std::uint16_t>(row - block.begin)};
    run += in_first > 0;
    scratch.other_counts_[row - v] = static_cast<std::uint32_t>(others);
    to_first += in_first;
    to_others += others;
    if constexpr (kWeighted) {
      to_first_weights += in_first;
      to_other_weights += others;
    }
  }
  first.run_count = static_cast<std::size_t>(run - first.runs.data());
  first.arcs = static_cast<std::size_t>(to_first - first.sources.data());
  return end;
}

// A row's arcs from all segments but the first.
template <bool kWeighted>
void TileSorter::Others(std::uint16_t row, const std::uint32_t* positions, const float* weights,
                        std::uint32_t count, Scratch& scratch) const {
  std::uint32_t* const counts = scratch.counts_.data();
  if (segments_ <= 64) {  // the set in a register
    std::uint64_t touched = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t segment = positions[i] >> kBits;
      touched |= std::uint64_t{1} << segment;
      ++counts[2 * segment + (i & 1)];
    }
    scratch.touched_[0] = touched;
  } else {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t segment = positions[i] >> kBits;
      scratch.touched_[segment / 64] |= std::uint64_t{1} << (segment % 64);
      ++counts[2 * segment + (i & 1)];
    }
  }
  std::uint64_t* const next = scratch.next_.data();
  for (std::size_t w = 0; w < scratch.touched_.size(); ++w)
    for (std::uint64_t left = std::exchange(scratch.touched_[w], 0); left != 0; left &= left - 1) {
      const std::size_t segment = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
      const std::uint32_t here =
          std::exchange(counts[2 * segment], 0) + std::exchange(counts[2 * segment + 1], 0);
      Stream& stream = scratch.streams_[segment];
      stream.ReserveArcs(here, kWeighted);
      stream.ReserveRuns(1);
      stream.runs.data()[stream.run_count++] = {here, row};
      next[2 * segment] = stream.arcs;
      stream.arcs += here;
      next[2 * segment + 1] = stream.arcs - 1;
    }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t odd = i & 1;
    Stream& stream = scratch.streams_[positions[i] >> kBits];
    std::uint64_t& at = next[2 * (positions[i] >> kBits) + odd];
    const std::uint64_t to = at;
    at += odd ? ~std::uint64_t{0} : 1;
    stream.sources.data()[to] = static_cast<std::uint16_t>(positions[i]);
    if constexpr (kWeighted) stream.weights.data()[to] = weights[i];
  }
}

template <bool kWeighted>
void TileSorter::CutRuns(PageRankTiles::Block& block, std::uint64_t arcs, Scratch& scratch) const {
  block.tiles.assign(segments_, {});
  std::size_t pieces = 0, most = 0;
  for (std::uint32_t s = 0; s < segments_; ++s) {
    Stream& stream = scratch.streams_[s];
    std::array<std::uint32_t, kPiece>& counts = block.tiles[s].pieces;
    for (std::size_t i = 0; i < stream.run_count; ++i) {
      const std::uint32_t count = stream.runs.data()[i].count;
      counts[kPiece - 1] += count / kPiece;
      if (count % kPiece != 0) ++counts[count % kPiece - 1];
    }
    const std::size_t here = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    pieces += here;
    most = std::max(most, here);
  }
  block.rows = AlignedArray<std::uint16_t>(pieces);
  scratch.placed_.Reserve(most, 0);
  auto* const placed = scratch.placed_.data();
  std::uint16_t* row_out = block.rows.data();
  std::uint64_t to = block.first_arc;
  const std::uint64_t end = block.first_arc + arcs;
  for (std::uint32_t s = 0; s < segments_; ++s) {
    Stream& stream = scratch.streams_[s];
    const std::array<std::uint32_t, kPiece>& counts = block.tiles[s].pieces;
    std::array<std::uint32_t, kPiece> next;
    std::uint32_t at = 0;
    for (std::uint32_t length = 1; length <= kPiece; ++length)
      next[length - 1] = std::exchange(at, at + counts[length - 1]);
    std::uint32_t from = 0;
    for (std::size_t i = 0; i < stream.run_count; ++i) {
      const Run run = stream.runs.data()[i];
      for (std::uint32_t whole = run.count / kPiece; whole > 0; --whole, from += kPiece)
        placed[next[kPiece - 1]++] = {from, run.row};
      if (const std::uint32_t left = run.count % kPiece; left != 0) {
        placed[next[left - 1]++] = {from, run.row};
        from += left;
      }
    }
    const auto* piece = placed;
    // Always kCopied arcs, of which the next piece overwrites what is too much; but not beyond
    // the block, where someone else writes.
    auto put = [&]<std::uint32_t kCopied>(std::uint32_t length) {
      for (std::uint32_t left = counts[length - 1]; left > 0; --left, ++piece) {
        const bool fits = to + kCopied <= end;
        auto copy = [&](auto* into, const auto* stream_begin) {
          if (fits) [[likely]]
            std::memcpy(into + to, stream_begin + piece->from, kCopied * sizeof *into);
          else
            std::copy_n(stream_begin + piece->from, length, into + to);
        };
        copy(sources_, stream.first_source);
        if constexpr (kWeighted) copy(weights_, stream.first_weight);
        to += length;
        *row_out++ = piece->row;
      }
    };
    for (std::uint32_t length = 1; length <= 4; ++length) put.template operator()<4>(length);
    for (std::uint32_t length = 5; length <= kPiece; ++length)
      put.template operator()<kPiece>(length);
  }
}

}  // namespace plexus::pagerank::internal
