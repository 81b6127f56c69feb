// SnapshotTables: what a Snapshot reads rows and flags from, as plain arrays.
//
// Rows are read inline, so a compiler has to see them; no host names them. The engine fills them
// in when a state is done (engine/state.h), which owns all that they point to.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

struct Csr;

namespace engine_internal {

enum NodeFlag : std::uint8_t { kAlive = 1, kPurged = 2 };

inline constexpr std::size_t kMaxRuns = 8;

// An arc of the delta, sorted by (kind, neighbor, label) inside its row.
struct DeltaArc {
  NodeId neighbor;
  StringId label;
  float weight;
  EdgeKindId kind;
  enum Flags : std::uint16_t { kTombstone = 1, kHasExtra = 4 };
  std::uint16_t flags;

  bool tombstone() const { return flags & kTombstone; }
  bool has_extra() const { return flags & kHasExtra; }
};
static_assert(sizeof(DeltaArc) == 16);

// (kind, neighbor) as one comparable number; label breaks the remaining ties.
inline std::uint64_t ArcOrder(KindId kind, NodeId neighbor) {
  return (std::uint64_t{kind} << 32) | neighbor;
}

// The delta arcs of one direction, grouped by row.
struct RunSide {
  AlignedArray<NodeId> rows;            // ascending, distinct
  AlignedArray<std::uint32_t> offsets;  // rows + 1
  AlignedArray<DeltaArc> arcs;
  AlignedArray<std::uint32_t> buckets;  // first row index at or after bucket << shift
  std::uint32_t shift = 0;

  // [begin, end) into arcs; empty when the row is not in this run.
  std::pair<std::uint32_t, std::uint32_t> Row(NodeId node) const {
    const std::size_t b = node >> shift;
    if (b + 1 >= buckets.size()) return {0, 0};
    std::uint32_t at = buckets[b], end = buckets[b + 1];
    while (end - at > 8) {  // crowded buckets only
      const std::uint32_t mid = at + (end - at) / 2;
      if (rows[mid] <= node)
        at = mid;
      else
        end = mid;
    }
    for (; at < end; ++at)
      if (rows[at] == node) return {offsets[at], offsets[at + 1]};
    return {0, 0};
  }
  // Brings the row's look-up path towards the cache: the bucket (near = false),
  // then, a little later, the row entry and its arcs' offsets.
  void Prefetch(NodeId node, bool near) const {
    const std::size_t b = node >> shift;
    if (b + 1 >= buckets.size()) return;
    if (!near) return __builtin_prefetch(&buckets[b]);
    if (const std::uint32_t at = buckets[b]; at < rows.size()) {
      __builtin_prefetch(&rows[at]);
      __builtin_prefetch(&offsets[at]);
    }
  }
  // Position in [begin, end) (part of a row) of the first arc not below (kind,
  // neighbor, label). Rows are short as a rule: a scan that stops at the first arc
  // not below beats a binary search; long rows are halved first.
  std::uint32_t LowerBound(std::uint32_t begin, std::uint32_t end, EdgeKindId kind, NodeId neighbor,
                           StringId label) const;
  // Fills buckets and shift from rows.
  void IndexRows();
  std::uint64_t size_bytes() const;
};

struct SnapshotTables {
  Sequence sequence = 0;     // last record applied
  std::int64_t time_ms = 0;  // its time
  std::shared_ptr<const Schema> schema;
  PagedView<KindId> node_kinds;
  PagedView<std::uint8_t> node_flags;
  std::shared_ptr<const Csr> base;

  // What follows is filled in by FrozenState.
  NodeId node_count = 0;
  std::array<StoredCsrView, 2> base_rows;                   // by Direction
  std::vector<std::array<const RunSide*, 2>> runs_rows;     // oldest first, by Direction
  const std::atomic<std::uint64_t>* dirty_words = nullptr;  // of DirtyBits
  std::size_t dirty_capacity = 0;

  const StoredCsrView& rows(Direction direction) const {
    return base_rows[direction == Direction::kIn];
  }
  const RunSide& run_rows(std::size_t run, Direction direction) const {
    return *runs_rows[run][direction == Direction::kIn];
  }
  // The row has arcs in some run, or had.
  bool is_dirty(Direction direction, NodeId node) const {
    if (node >= dirty_capacity) return false;
    const std::size_t word = (direction == Direction::kIn ? dirty_capacity / 64 : 0) + node / 64;
    return (dirty_words[word].load(std::memory_order_relaxed) >> (node & 63)) & 1;
  }
};

}  // namespace engine_internal

}  // namespace plexus
