// Union-find in an array of parents: the steps that the connectivity kernels share.
//
// A root is its own parent. The concurrent ones keep every parent smaller than its child, so a
// root is the smallest id of its tree whatever the order of the links; they read and write through
// std::atomic_ref, relaxed. Paths are halved: a visited node is re-pointed to its grandparent
// (Tarjan, van Leeuwen, "Worst-case analysis of set union algorithms", 1984).
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <utility>

#include "engine/types.h"

namespace plexus::connectivity::internal {

using Labels = std::span<NodeId>;

inline NodeId Load(Labels labels, NodeId v) {
  return std::atomic_ref<NodeId>(labels[v]).load(std::memory_order_relaxed);
}
inline void Store(Labels labels, NodeId v, NodeId label) {
  std::atomic_ref<NodeId>(labels[v]).store(label, std::memory_order_relaxed);
}

// Only nodes at or above `own` are written: a delayed store to another thread's node could undo a
// newer link.
inline NodeId Root(Labels labels, NodeId v, std::size_t own = 0) {
  for (;;) {
    const NodeId up = Load(labels, v), above = Load(labels, up);
    if (above == up) return up;
    if (v >= own) Store(labels, v, above);
    v = above;
  }
}

// The root of both, which are joined when they were not.
inline NodeId Join(Labels labels, NodeId u, NodeId v) {
  for (;;) {
    u = Root(labels, u), v = Root(labels, v);
    if (u == v) return u;
    if (u > v) std::swap(u, v);
    NodeId expected = v;
    if (std::atomic_ref<NodeId>(labels[v]).compare_exchange_strong(expected, u,
                                                                   std::memory_order_relaxed))
      return u;
  }
}

// The root, halving the path, for one thread.
inline NodeId RootHalving(std::span<NodeId> parents, NodeId v) {
  while (parents[v] != v) v = parents[v] = parents[parents[v]];
  return v;
}

}  // namespace plexus::connectivity::internal
