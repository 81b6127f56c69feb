// Merging runs: one pass over the rows of all, newest version of an arc wins.
//
// Rows are chosen by the smallest head among the runs. Most rows are in one run
// only and are copied as they are; a row of several is merged arc by arc. Arrays
// are made at the largest possible size, never cleared, and cut at the end.
#include <algorithm>
#include <array>
#include <bit>

#include "engine/adjacency/heaviest_arcs.h"
#include "engine/adjacency/run.h"

namespace plexus {

namespace {

using Runs = std::span<const std::shared_ptr<const Run>>;

// The runs there are, and the one that comes.
constexpr std::size_t kMaxMergedRuns = engine_internal::kMaxRuns + 4;

// One run's next arcs in the row being merged.
struct Part {
  std::uint32_t at, end;
  std::uint32_t run;  // newest first
};

// Merges one direction; emit_stretch(run, begin, end) takes arcs in their new order.
template <class Stretch>
class SideMerger {
 public:
  SideMerger(Runs runs, Direction direction, engine_internal::RunSide& to, Stretch&& stretch)
      : to_(to), stretch_(std::forward<Stretch>(stretch)) {
    heads_.fill(kNoNode);
    std::size_t rows = 0, arcs = 0;
    for (std::size_t r = runs.size(); r-- > 0;) {
      const engine_internal::RunSide& side = runs[r]->side(direction);
      const std::size_t s = count_++;
      heads_[s] = side.rows.empty() ? kNoNode : side.rows[0];
      sides_[s] = {side.rows.data(), side.rows.data() + side.rows.size(), side.offsets.data(),
                   side.arcs.data()};
      rows += side.rows.size();
      arcs += side.arcs.size();
    }
    to.rows = AlignedArray<NodeId>(rows);
    to.offsets = AlignedArray<std::uint32_t>(rows + 1);
    to.arcs = AlignedArray<engine_internal::DeltaArc>(arcs);
  }

  void Merge() {
    if (count_ <= 4) return MergeHeads<4>();
    count_ <= 8 ? MergeHeads<8>() : MergeHeads<kMaxMergedRuns>();
  }

 private:
  // With at most kHeads runs.
  template <std::size_t kHeads>
  void MergeHeads() {
    std::array<Part, kMaxMergedRuns> parts;
    std::size_t rows = 0;
    while (true) {
      NodeId row = kNoNode;
      for (std::size_t s = 0; s < kHeads; ++s) row = std::min(row, heads_[s]);
      if (row == kNoNode) break;
      to_.rows[rows] = row;
      to_.offsets[rows++] = size_;
      std::size_t in_row = 0;
      std::uint32_t with_row = 0;  // a bit for each run that has it
      for (std::uint32_t s = 0; s < kHeads; ++s) with_row |= std::uint32_t{heads_[s] == row} << s;
      for (; with_row != 0; with_row &= with_row - 1) {
        const auto s = static_cast<std::uint32_t>(std::countr_zero(with_row));
        Cursor& side = sides_[s];
        heads_[s] = ++side.row < side.rows_end ? *side.row : kNoNode;
        parts[in_row++] = {side.offset[0], side.offset[1], s};
        ++side.offset;
      }
      MergeRow(parts.data(), in_row);
    }
    to_.offsets[rows] = size_;
    to_.rows.Truncate(rows);
    to_.offsets.Truncate(rows + 1);
    to_.arcs.Truncate(size_);
    to_.IndexRows();
  }

  void Copy(std::uint32_t side, std::uint32_t begin, std::uint32_t end) {
    const engine_internal::DeltaArc* from = sides_[side].arcs;
    engine_internal::DeltaArc* to = to_.arcs.data() + size_;
    for (std::uint32_t i = begin; i < end; ++i) to[i - begin] = from[i];
    stretch_(side, begin, end, size_);
    size_ += end - begin;
  }

  // Parts are newest first, so of equal arcs the first part's is kept.
  void MergeRow(Part* parts, std::size_t count) {
    while (count > 1) {
      std::size_t best = 0;
      const engine_internal::DeltaArc* least = &Arc(parts[0]);
      for (std::size_t p = 1; p < count; ++p)
        if (const engine_internal::DeltaArc& arc = Arc(parts[p]); ArcLess(arc, *least))
          best = p, least = &arc;
      Copy(parts[best].run, parts[best].at, parts[best].at + 1);
      for (std::size_t p = best + 1; p < count; ++p)
        if (!ArcLess(*least, Arc(parts[p]))) ++parts[p].at;  // an older version
      ++parts[best].at;
      std::size_t kept = 0;
      for (std::size_t p = 0; p < count; ++p)
        if (parts[p].at < parts[p].end) parts[kept++] = parts[p];
      count = kept;
    }
    if (count == 1) Copy(parts[0].run, parts[0].at, parts[0].end);
  }
  const engine_internal::DeltaArc& Arc(const Part& part) const {
    return sides_[part.run].arcs[part.at];
  }

  struct Cursor {
    const NodeId* row;  // the next one
    const NodeId* rows_end;
    const std::uint32_t* offset;  // of it
    const engine_internal::DeltaArc* arcs;
  };
  std::array<Cursor, kMaxMergedRuns> sides_;  // newest first
  std::array<NodeId, kMaxMergedRuns> heads_;  // next row of each, kNoNode beyond the last
  std::uint32_t count_ = 0;
  engine_internal::RunSide& to_;
  std::uint32_t size_ = 0;
  Stretch stretch_;
};

template <class Stretch>
void MergeSide(Runs runs, Direction direction, engine_internal::RunSide& to, Stretch&& stretch) {
  SideMerger<Stretch>(runs, direction, to, std::forward<Stretch>(stretch)).Merge();
}

}  // namespace

std::shared_ptr<Run> MergeRuns(Runs runs, Executor& executor) {
  if (runs.size() > kMaxMergedRuns) {  // never by the schedule
    const std::shared_ptr<const Run> parts[] = {MergeRuns(runs.first(kMaxMergedRuns), executor),
                                                MergeRuns(runs.subspan(kMaxMergedRuns), executor)};
    return MergeRuns(parts, executor);
  }
  auto run = std::make_shared<Run>();
  run->first = runs.front()->first;
  run->last = runs.back()->last;
  std::size_t arcs = 0;
  bool extras = false;
  for (const auto& from : runs) {
    run->depth = std::max(run->depth, from->depth + 1);
    arcs += from->arc_count();
    extras |= !from->extras.empty();
    for (std::size_t kind = 0; kind < from->heaviest.size(); ++kind)
      RaiseHeaviest(run->heaviest, static_cast<KindId>(kind), from->heaviest[kind]);
  }
  run->created_at = AlignedArray<std::int64_t>(arcs);
  auto details = [&](std::uint32_t side, std::uint32_t begin, std::uint32_t end, std::uint32_t to) {
    const Run& from = *runs[runs.size() - 1 - side];
    for (std::uint32_t i = begin; i < end; ++i, ++to) {
      run->created_at[to] = from.created_at[i];
      if (!extras) continue;
      if (const EdgeExtra* x = from.extra(i)) {
        run->extras.push_back(*x);
        run->extras.back().index = to;
      }
    }
  };
  ParallelInvoke(
      arcs < kLargeRun ? SerialExecutor() : executor,
      [&] { MergeSide(runs, Direction::kOut, run->out, details); },
      [&] { MergeSide(runs, Direction::kIn, run->in, [](auto...) {}); });
  run->created_at.Truncate(run->arc_count());
  return run;
}

}  // namespace plexus
