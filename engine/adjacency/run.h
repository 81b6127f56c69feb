// Run: one immutable sorted piece of the delta, and how several become one.
//
// A record's edge changes become a run; runs are merged so that at most kMaxRuns
// exist (merge_schedule.cc says when). A side holds the arcs of one direction
// grouped by row; rows are found through a small bucket index in O(1) expected.
// What only an edge's details need (created_at, extras) lies with the out arcs only, so that
// merging moves 40 bytes an edge. Tombstones are kept: they hide arcs of older runs and of the
// base.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/parallel.h"
#include "engine/record.h"
#include "engine/schema.h"
#include "engine/snapshot_tables.h"
#include "engine/types.h"

namespace plexus {

static_assert(std::uint16_t{engine_internal::DeltaArc::kTombstone} ==
              std::uint16_t{EdgeChange::kTombstone});
static_assert(std::uint16_t{engine_internal::DeltaArc::kHasExtra} ==
              std::uint16_t{EdgeChange::kHasExtra});

inline bool ArcLess(const engine_internal::DeltaArc& a, const engine_internal::DeltaArc& b) {
  const std::uint64_t oa = engine_internal::ArcOrder(a.kind, a.neighbor),
                      ob = engine_internal::ArcOrder(b.kind, b.neighbor);
  return oa != ob ? oa < ob : a.label < b.label;
}

struct Run {
  Sequence first = 0, last = 0;  // records folded in
  std::uint32_t depth = 0;       // times its oldest arcs were merged
  engine_internal::RunSide out, in;
  AlignedArray<std::int64_t> created_at;  // parallel to out.arcs
  std::vector<EdgeExtra> extras;          // index = position in out.arcs, ascending
  std::vector<float> heaviest;            // by kind: no arc of it weighs more

  const engine_internal::RunSide& side(Direction direction) const {
    return direction == Direction::kIn ? in : out;
  }
  // Position in out.arcs of the arc that row `row` holds at `position` of a side.
  std::uint32_t OutPosition(Direction direction, NodeId row, std::uint32_t position) const;
  // The same when the row is not at hand: O(log rows) more.
  std::uint32_t OutPosition(Direction direction, std::uint32_t position) const;
  const EdgeExtra* extra(std::uint32_t out_position) const;  // null if it does not exist
  std::uint64_t arc_count() const { return out.arcs.size(); }
  std::uint64_t size_bytes() const;
};

// Strict order of edge identities.
inline bool IdentityLess(const EdgeChange& a, const EdgeChange& b) {
  const std::uint64_t row_a = (std::uint64_t{a.source} << 16) | a.kind.value();
  const std::uint64_t row_b = (std::uint64_t{b.source} << 16) | b.kind.value();
  if (row_a != row_b) return row_a < row_b;
  return ((std::uint64_t{a.target} << 32) | a.label) < ((std::uint64_t{b.target} << 32) | b.label);
}

// REQUIRES: edges sorted by identity, each once; extras sorted by index.
// O(edges), radix sorts. Large ones do both sides at once on `executor`.
std::shared_ptr<Run> MakeRun(Sequence sequence, std::span<const EdgeChange> edges,
                             std::span<const EdgeExtra> extras, const Schema& schema,
                             Executor& executor = SerialExecutor());

// One run equal to all of `runs` applied in turn, oldest first. REQUIRES: at least
// one. One pass over the arcs of each side, O(rows * runs + arcs); both sides at
// once on `executor` when they are large.
std::shared_ptr<Run> MergeRuns(std::span<const std::shared_ptr<const Run>> runs,
                               Executor& executor = SerialExecutor());

// From how many arcs on the two sides of a run are worth two threads.
inline constexpr std::size_t kLargeRun = std::size_t{1} << 15;

}  // namespace plexus
