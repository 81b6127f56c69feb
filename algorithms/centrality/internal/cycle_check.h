// HasCycle: do arcs of weight above 0 form a cycle?
//
// What decides whether a matrix of weights has an eigenvalue other than 0. A walk from row to
// row, each time to the neighbour of the largest share, closes quickly where heavy cycles exist;
// where it ends at an empty row, rows without arriving arcs are removed until none is left (Kahn,
// "Topological sorting of large networks", 1962).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/arrays/views.h"
#include "engine/types.h"

namespace plexus::centrality::internal {

// `x`: one number a node, 0 or more; where the walk begins and where it continues. One thread, no
// recursion. O(nodes + arcs); 8 bytes a node where the walk ends.
inline bool HasCycle(const CsrView& rows, const std::vector<double>& x) {
  const NodeId n = rows.node_count();
  NodeId at = kNoNode;
  for (NodeId v = 0; v < n; ++v)
    if (at == kNoNode || x[v] > x[at]) at = v;
  // Brent: the walk is a function of only the node, so it is in a cycle when it is again where it
  // was some power of two steps ago.
  NodeId marked = at;
  for (std::uint64_t step = 0, power = 1; at != kNoNode;) {
    NodeId best = kNoNode;
    for (std::uint32_t a = rows.offsets[at]; a < rows.offsets[at + 1]; ++a) {
      const NodeId u = rows.neighbors[a];
      if (rows.weight(a) > 0 && (best == kNoNode || x[u] > x[best])) best = u;
    }
    at = best;
    if (at != kNoNode && at == marked) return true;
    if (++step == power) {
      marked = at;
      power *= 2;
      step = 0;
    }
  }
  std::vector<std::uint32_t> pointing(n, 0);  // rows left that have an arc to the node
  for (NodeId v = 0; v < n; ++v)
    for (std::uint32_t a = rows.offsets[v]; a < rows.offsets[v + 1]; ++a)
      if (rows.weight(a) > 0) ++pointing[rows.neighbors[a]];
  std::vector<NodeId> taken;
  taken.reserve(n);
  for (NodeId v = 0; v < n; ++v)
    if (pointing[v] == 0) taken.push_back(v);
  for (std::size_t i = 0; i < taken.size(); ++i)
    for (std::uint32_t a = rows.offsets[taken[i]]; a < rows.offsets[taken[i] + 1]; ++a)
      if (rows.weight(a) > 0 && --pointing[rows.neighbors[a]] == 0)
        taken.push_back(rows.neighbors[a]);
  return taken.size() < n;
}

}  // namespace plexus::centrality::internal
