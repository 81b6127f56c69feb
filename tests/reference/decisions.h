// Slow references of the graph of decisions: reachability by closure, rules one after the other.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/reference/flat_graph.h"

namespace plexus::reference {

// The heads of visibility.h over `active` arcs (no loops, sources alive), by NodeId.
std::vector<NodeId> Heads(std::size_t nodes, const std::vector<FlatArc>& active);

struct BlockedNode {
  bool blocked = false, in_cycle = false;
  std::set<NodeId> roots;
  std::uint32_t hops = 0;  // To the nearest root; 0: none.
};
// waits: (x, y): x waits for y, of any state; `unresolved` by NodeId.
std::vector<BlockedNode> Blocked(const std::vector<bool>& unresolved,
                                 const std::vector<std::pair<NodeId, NodeId>>& waits);

struct TierInput {
  bool superseded = false, recorded = false, arrives = false;
  double percentile = 0;
  std::int64_t age_days = -1;  // -1: not known
};
std::string Tier(const TierInput& input);

// Share of the others that score less, ties count half; of `members` alone.
double Percentile(const std::vector<double>& scores, const std::vector<NodeId>& members, NodeId of);

}  // namespace plexus::reference
