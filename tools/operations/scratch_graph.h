// A graph in RAM that continues from a snapshot: what a change would do, without doing it.
//
// It shares the snapshot's arrays and reads payloads from its store; what is written stays in
// memory and goes with the graph. The snapshot's own graph is not touched and learns nothing.
#pragma once

#include <memory>

#include "engine/graph.h"
#include "engine/snapshot.h"

namespace plexus::tools {

// Null without memory. O(runs); then as Graph::InMemory, and all payloads that are written are
// kept.
std::unique_ptr<Graph> ScratchGraph(const Snapshot& snapshot, const GraphOptions& options = {});

}  // namespace plexus::tools
