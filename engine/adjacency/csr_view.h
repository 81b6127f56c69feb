// CsrView: one direction of a compressed sparse row graph as bare spans.
//
// Kernels that need no delta run on this only, so tests and bench/gap can hand
// them plain arrays. Row of node v = positions [offsets[v], offsets[v + 1]),
// sorted by (kind, neighbor, label).
#pragma once

#include <cstdint>
#include <span>

#include "engine/types.h"

namespace plexus {

template <class Weights>
struct BasicCsrView {
  std::span<const std::uint32_t> offsets;    // node_count + 1 entries, or empty
  std::span<const NodeId> neighbors;         // one per arc
  Weights weights;                           // one per arc; empty = all 1
  std::span<const std::uint8_t> kinds;       // low byte of the kind; empty = all 0
  std::span<const std::uint8_t> kinds_high;  // high byte; empty while < 256 kinds

  NodeId node_count() const {
    return offsets.empty() ? 0 : static_cast<NodeId>(offsets.size() - 1);
  }
  std::uint64_t arc_count() const { return neighbors.size(); }
  std::uint32_t degree(NodeId v) const { return offsets[v + 1] - offsets[v]; }
  float weight(std::uint32_t arc) const { return weights.empty() ? 1.0f : weights[arc]; }
  EdgeKindId kind(std::uint32_t arc) const {
    const KindId low = kinds.empty() ? 0 : kinds[arc];
    return EdgeKindId(kinds_high.empty() ? low : low | (kinds_high[arc] << 8));
  }
  // The same without weights.
  BasicCsrView<std::span<const float>> Unweighted() const {
    return {offsets, neighbors, {}, kinds, kinds_high};
  }
};
using CsrView = BasicCsrView<std::span<const float>>;

}  // namespace plexus
