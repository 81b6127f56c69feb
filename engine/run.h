// Run: one immutable sorted piece of the delta, and how two become one.
//
// A record's edge changes become a run; neighbouring runs are merged in tiers so
// that at most kMaxRuns exist. A side holds the arcs of one direction grouped by
// row; rows are found through a small bucket index in O(1) expected. Tombstones
// are kept: they hide arcs of older runs and of the base.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/record.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

inline constexpr std::size_t kMaxRuns = 8;

// An arc of the delta, sorted by (kind, neighbor, label) inside its row.
struct DeltaArc {
  NodeId neighbor;
  StringId label;
  float weight;
  KindId kind;
  std::uint16_t tombstone;
};
static_assert(sizeof(DeltaArc) == 16);

// (kind, neighbor) as one comparable number; label breaks the remaining ties.
inline std::uint64_t ArcOrder(KindId kind, NodeId neighbor) {
  return (std::uint64_t{kind} << 32) | neighbor;
}

struct RunSide {
  std::vector<NodeId> rows;            // ascending, distinct
  std::vector<std::uint32_t> offsets;  // rows + 1
  std::vector<DeltaArc> arcs;
  std::vector<std::uint32_t> edges;    // index into Run::edges, parallel to arcs
  std::vector<std::uint32_t> buckets;  // first row index at or after bucket << shift
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
  std::uint64_t size_bytes() const;
};

struct Run {
  Sequence first = 0, last = 0;   // records folded in
  std::vector<EdgeChange> edges;  // sorted by (source, kind, target, label)
  std::vector<EdgeExtra> extras;  // sorted by index
  RunSide out, in;

  const RunSide& side(Direction direction) const {
    return direction == Direction::kIn ? in : out;
  }
  const EdgeExtra* extra(std::uint32_t edge) const;  // null when there is none
  std::uint64_t arc_count() const { return out.arcs.size(); }
  std::uint64_t size_bytes() const;
};

// Strict order of edge identities.
inline bool IdentityLess(const EdgeChange& a, const EdgeChange& b) {
  const std::uint64_t row_a = (std::uint64_t{a.source} << 16) | a.kind;
  const std::uint64_t row_b = (std::uint64_t{b.source} << 16) | b.kind;
  if (row_a != row_b) return row_a < row_b;
  return ((std::uint64_t{a.target} << 32) | a.label) < ((std::uint64_t{b.target} << 32) | b.label);
}

// REQUIRES: edges sorted by identity, each once; extras sorted by index.
// O(edges), radix sorts.
std::shared_ptr<Run> MakeRun(Sequence sequence, std::vector<EdgeChange> edges,
                             std::vector<EdgeExtra> extras, const Schema& schema);

// One run equal to `older` followed by `newer`. Linear.
std::shared_ptr<Run> MergeRuns(const Run& older, const Run& newer);

}  // namespace plexus
