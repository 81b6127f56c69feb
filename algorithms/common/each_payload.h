// The payloads of many nodes, read in the order in which they are stored.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

// Computes: calls fn(node, bytes) once for each of `nodes` that has a payload of the field, by
//   rising reference; the bytes are valid during the call. An error of one payload
//   (PayloadStore::Get) is handed to fn. One pass over the store instead of a search a node.
// Complexity: O(nodes log nodes + bytes). Memory: O(nodes).
// Errors: the store's own (closed, I/O): not all were called. kResourceExhausted: no memory.
// Threads: thread-safe; fn is called by the calling thread.
using EachNodePayload = std::function<void(NodeId, Result<std::string_view>)>;
Status ForEachPayload(const Snapshot& snapshot, std::span<const NodeId> nodes, NodeField field,
                      const EachNodePayload& fn);

}  // namespace plexus
