// GraphBytes: what a graph's parts take in RAM, as `stats` publishes it.
//
// Counted from the arrays themselves, not from the allocator: payload bytes live in
// the PayloadStore and are its own business, and a part that two snapshots share
// counts in both.
#pragma once

#include <cstdint>

#include "engine/snapshot.h"

namespace plexus {

struct GraphBytes {
  std::uint64_t csr = 0;      // offsets and arc arrays of the base, both directions
  std::uint64_t sparse = 0;   // labels, created_by, valid times, property references of arcs
  std::uint64_t delta = 0;    // runs and dirty bits
  std::uint64_t nodes = 0;    // kinds and flags
  std::uint64_t keys = 0;     // node keys with their index
  std::uint64_t strings = 0;  // interned labels, names, scopes with their index
  std::uint64_t columns = 0;  // used node columns
  std::uint64_t payload_refs = 0;
  std::uint64_t vectors = 0;  // those in RAM
  std::uint64_t derived =
      0;  // what questions had computed and kept: visible nodes, text lengths, layouts
  std::uint64_t total = 0;  // the sum of all above

  // Values of vectors that were not read since the graph was opened: not in RAM.
  std::uint64_t vectors_not_loaded = 0;

  double per_edge = 0;  // arc arrays of the base / its directed edges (a symmetric one is two)
  double per_node = 0;  // (offsets + kinds and flags) / nodes
};

// O(runs + columns + spaces). Thread-safe.
GraphBytes MeasureBytes(const Snapshot& snapshot);

// What the process takes, of which the graph is a part; 0 where the system does not report it.
struct ProcessBytes {
  std::uint64_t resident = 0;
  std::uint64_t allocator_free =
      0;  // freed to the C library's allocator and kept by it, resident or not
};
ProcessBytes MeasureProcess();

}  // namespace plexus
