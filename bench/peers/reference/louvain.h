// Louvain, slow and plain: what answers about communities are compared with.
#pragma once

#include "bench/peers/peer.h"

namespace plexus::peers {

// A label a node. Blondel, Guillaume, Lambiotte, Lefebvre (2008): nodes in order of id move to the
// neighbouring community that gains most modularity until none wants to, communities
// become nodes, again until nothing changes. Communities may be unconnected.
Answer Louvain(const Arcs& pairs);

}  // namespace plexus::peers
