// The writer's delta: when runs are merged, pinned for compaction and dropped, and
// what is derived from them (dirty bits, the edge filter).
#include <algorithm>

#include "engine/compaction/vector_compaction.h"
#include "engine/writer/working_state.h"

namespace plexus {

void StateWriter::Working::GrowDirty() {
  if (keys.size() <= dirty->capacity()) return;
  dirty = std::make_shared<DirtyBits>(std::max<std::size_t>(keys.size(), 2 * dirty->capacity()));
  for (const auto& run : runs) MarkDirty(*run);
}

void StateWriter::Working::MarkDirty(const Run& run) {
  for (Direction d : {Direction::kOut, Direction::kIn})
    for (NodeId row : run.side(d).rows) dirty->set(d, row);
}

// Four times the room that is needed now; what is too large shrinks step by step.
EdgeFilter StateWriter::Working::MakeFilter(std::size_t first_run, std::uint64_t more) const {
  std::uint64_t arcs = more;
  for (std::size_t n = first_run; n < runs.size(); ++n) arcs += runs[n]->arc_count();
  EdgeFilter made;
  made.Reset(std::max(4 * arcs, filter.capacity() / 2));
  for (std::size_t n = first_run; n < runs.size(); ++n) {
    const engine_internal::RunSide& out = runs[n]->out;
    for (std::uint32_t r = 0; r < out.rows.size(); ++r)
      for (std::uint32_t i = out.offsets[r]; i < out.offsets[r + 1]; ++i) {
        const engine_internal::DeltaArc& arc = out.arcs[i];
        made.Insert(EdgeFilter::Hash(out.rows[r], arc.kind, arc.neighbor, arc.label));
      }
  }
  return made;
}

void StateWriter::Working::RemakeFilter(std::uint64_t more) {
  const std::size_t first = pinned_filter.count() > 0 ? pinned_runs : 0;
  filter = MakeFilter(first, more);
  filter_used = true;
  if (first == 0) pinned_filter = EdgeFilter();
}

// The schedule is the binomial one of merge compaction with a bounded number of
// runs: a new run takes a free place; when none is left it is merged with the top
// runs that were merged least often. An arc is then merged d times, where the
// (kMaxRuns + d choose d) covers the number of batches: 3 times in 165 batches, 5 in
// 1,287 (Mathieu, Staelin, Young, Yousefi: Bigtable merge compaction, 2014). A run
// much larger than all above it is left out until they have grown. Pinned runs
// (being compacted) stay as they are.
void StateWriter::Working::AddRun(std::shared_ptr<const Run> run,
                                  std::span<const EdgeChange> edges) {
  MarkDirty(*run);
  if (filter_used) {
    if (filter.count() + edges.size() > filter.capacity()) RemakeFilter(edges.size());
    for (const EdgeChange& e : edges)
      filter.Insert(EdgeFilter::Hash(e.source, e.kind, e.target, e.label));
  }
  runs.push_back(std::move(run));
  if (runs.size() <= engine_internal::kMaxRuns) return;
  constexpr std::uint64_t kMuchLarger = 16;
  std::size_t from = runs.size() - 1;
  const std::uint32_t depth = runs[from - 1]->depth;
  for (std::uint64_t above = runs[from]->arc_count(); from > pinned_runs; --from) {
    const Run& below = *runs[from - 1];
    if (below.depth > depth || below.arc_count() > kMuchLarger * above) break;
    above += below.arc_count();
  }
  if (from + 1 < runs.size()) return MergeRange(from, runs.size());
  auto cost = [&](std::size_t i) { return runs[i]->arc_count() + runs[i + 1]->arc_count(); };
  std::size_t best = pinned_runs;
  for (std::size_t i = pinned_runs; i + 1 < runs.size(); ++i)
    if (cost(i) < cost(best)) best = i;
  MergeRange(best, best + 2);
}

void StateWriter::Working::MergeRange(std::size_t from, std::size_t to) {
  current = nullptr;
  runs[from] = MergeRuns(std::span(runs).subspan(from, to - from), *executor);
  runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(from) + 1,
             runs.begin() + static_cast<std::ptrdiff_t>(to));
}

std::size_t StateWriter::PinRuns() {
  Working& w = *working_;
  constexpr std::size_t kMaxRunsLeft =
      engine_internal::kMaxRuns - 2;  // room for the runs that come meanwhile
  if (w.runs.size() > kMaxRunsLeft) w.MergeRange(kMaxRunsLeft - 1, w.runs.size());
  if (w.filter_used && !w.runs.empty()) {
    if (w.pinned_filter.count() > 0) w.RemakeFilter(0);  // an earlier compaction failed
    EdgeFilter next = w.MakeFilter(w.runs.size(), 0);
    w.pinned_filter = std::move(w.filter);
    w.filter = std::move(next);
  }
  return w.pinned_runs = w.runs.size();
}

void StateWriter::ReplacePinned(std::shared_ptr<const Run> merged) {
  Working& w = *working_;
  w.runs.erase(w.runs.begin() + 1, w.runs.begin() + static_cast<std::ptrdiff_t>(w.pinned_runs));
  w.runs.front() = std::move(merged);
  w.pinned_runs = 1;
  w.current = nullptr;
}

void StateWriter::UnpinRuns() { working_->pinned_runs = 0; }

void StateWriter::InstallBase(std::shared_ptr<const Csr> base, std::size_t folded_runs) {
  Working& w = *working_;
  auto dirty = std::make_shared<DirtyBits>(std::max<std::size_t>(64, w.keys.size()));
  const bool apart = w.pinned_runs > 0;  // the filter of what was folded
  w.current = nullptr;
  w.base = std::move(base);
  w.runs.erase(w.runs.begin(), w.runs.begin() + static_cast<std::ptrdiff_t>(folded_runs));
  w.pinned_runs = 0;
  w.dirty = std::move(dirty);
  for (const auto& run : w.runs) w.MarkDirty(*run);
  if (!w.filter_used) return;  // if what follows fails the filter holds too much, never too little
  if (apart)
    w.pinned_filter = EdgeFilter();
  else
    w.RemakeFilter(0);
}

SpaceId StateWriter::space_count() const { return static_cast<SpaceId>(working_->spaces.size()); }

SpaceId StateWriter::SpaceToCompact(SpaceId from, std::uint64_t except, std::uint64_t least,
                                    std::uint64_t divisor) const {
  static_assert(Limits::kMaxSpaces <= 64, "a bit for each");
  const auto& spaces = working_->spaces;
  while (from < spaces.size() &&
         (except >> from.value() & 1 || !spaces[from].WorthCompacting(least, divisor)))
    ++from;
  return from;
}

void StateWriter::InstallVectors(SpaceId space, VectorTable table) {
  working_->current = nullptr;
  working_->rows_moved = true;
  working_->spaces[space] = std::move(table);
}

void StateWriter::DropDeadVectors() {
  constexpr std::uint64_t kFewBytes = 1 << 16, kPart = 8;
  for (SpaceId space{}; space < space_count(); ++space) {
    VectorTable& table = working_->spaces[space];
    if (!table.WorthDropping(kFewBytes, kPart)) continue;
    if (auto compaction = VectorCompaction::Make(table.Publish()))
      InstallVectors(space, std::move(*compaction).Take());
  }
}

void StateWriter::SetPayloadStore(std::shared_ptr<const PayloadStore> store) {
  working_->current = nullptr;
  working_->payload_store = std::move(store);
}

}  // namespace plexus
