// Visiting the arcs of a csr in place, where a list of its edges would take 32 bytes for each.
#pragma once

#include <algorithm>

#include "engine/adjacency/csr.h"

namespace plexus::storage_internal {

// fn(source, kind, target) of every out arc; an edge of a symmetric kind is two.
template <class Fn>
void ForEachArcOf(const Csr& csr, Fn&& fn) {
  const StoredCsrView out = csr.out();
  for (NodeId row = 0; row < csr.node_count; ++row)
    for (std::uint32_t i = csr.out_offsets[row]; i < csr.out_offsets[row + 1]; ++i)
      fn(row, out.kind(i), csr.out_neighbors[i]);
}

// fn(source, target, properties) of every out arc that has properties.
template <class Fn>
void ForEachPropertyOf(const Csr& csr, Fn&& fn) {
  for (std::size_t i = 0; i < csr.properties.slots.size(); ++i) {
    const EdgeSlot slot = csr.properties.slots[i];
    const auto offsets = csr.out_offsets.span();
    const auto row = std::upper_bound(offsets.begin(), offsets.end(), slot) - offsets.begin() - 1;
    fn(static_cast<NodeId>(row), csr.out_neighbors[slot], PayloadRef{csr.properties.values[i]});
  }
}

}  // namespace plexus::storage_internal
