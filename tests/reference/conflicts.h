// Slow references of conflicts: every pair is looked at.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "tests/reference/flat_graph.h"

namespace plexus::reference {

// Pairs (a < b) that an arc of `contradicts` (valid ones alone) joins and of which both stand.
std::set<std::pair<NodeId, NodeId>> OpenPairs(const std::vector<bool>& visible,
                                              const std::vector<FlatArc>& contradicts);

// Adamic-Adar of two nodes by their sets of index nodes; `carriers`: nodes by index node.
double AdamicAdar(const std::vector<std::set<NodeId>>& carriers, NodeId a, NodeId b);
// |A and B| / |A or B| of the same sets; 0 when both are empty.
double Jaccard(const std::vector<std::set<NodeId>>& carriers, NodeId a, NodeId b);

}  // namespace plexus::reference
