// Topology: bare adjacency from pairs of ids.
//
// For kernels, benches and tests that have plain (source, target) pairs and want
// rows as fast as memory allows: no kinds, no weights, no identities (Csr has
// those). Rows come out sorted by neighbor, each neighbor once.
//
// How: one pass partitions the arcs by the high bits of their source through
// write-combined buffers, an arc packed into as few bits as the ids need; then each
// partition, small enough for the L2 cache, is radix sorted, deduplicated and cut
// into rows. No atomics; the result depends only on the set of pairs, not on their
// order nor on the number of threads. Malicevic, Lepers, Zwaenepoel (2017): "Everything You Always
// Wanted to Know About Multicore Graph Processing".
#pragma once

#include <cstdint>
#include <span>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus {

// Immutable once built.
struct Topology {
  NodeId node_count = 0;
  bool symmetric = false;  // then in() is out() and the in arrays are empty
  AlignedArray<std::uint32_t> out_offsets, in_offsets;  // node_count + 1
  AlignedArray<NodeId> out_neighbors, in_neighbors;

  std::uint64_t arc_count() const { return out_neighbors.size(); }
  CsrView out() const { return View(out_offsets, out_neighbors); }
  CsrView in() const { return symmetric ? out() : View(in_offsets, in_neighbors); }

 private:
  static CsrView View(const AlignedArray<std::uint32_t>& offsets,
                      const AlignedArray<NodeId>& neighbors) {
    CsrView view;
    view.offsets = offsets.span();
    view.neighbors = neighbors.span();
    return view;
  }
};

struct TopologyOptions {
  bool symmetrize = false;       // every pair in both directions
  bool self_loops = false;       // keep pairs whose ends are the same
  bool inverse = true;           // directed graphs: build the in arrays too
  Executor* executor = nullptr;  // null: DefaultExecutor()
};

// O(pairs) time; peak memory 4 bytes (8 above 2^22 nodes or so) per arc beside the
// result. Thread-safe. Errors: kInvalidArgument for an id >= node_count (names the
// pair); kResourceExhausted above Limits::kMaxArcs arcs or when memory runs out.
Result<Topology> BuildTopology(NodeId node_count, std::span<const NodePair> pairs,
                               const TopologyOptions& options = {});

}  // namespace plexus
