// A live graph in RAM from arcs with weights: write batches, compacted.
#pragma once

#include "bench/peers/peer.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::peers {

// Nodes by string key, edges of kind link by id.
Snapshot LoadLinks(const Arcs& arcs, Executor& executor);

}  // namespace plexus::peers
