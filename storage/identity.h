// Which graph a directory holds, up to which record, and which directory that is.
#pragma once

#include <cstdint>
#include <string>

#include "engine/error.h"
#include "engine/types.h"

namespace plexus {

struct GraphIdentity {
  std::uint64_t high = 0, low = 0;          // of the graph, in its copies as well
  std::uint64_t device = 0, directory = 0;  // of the folder, links followed; moves keep it
  bool operator==(const GraphIdentity&) const = default;
};

// Takes no lock, writes nothing. kNotFound: there is no graph.
Result<GraphIdentity> IdentifyGraph(const std::string& directory);

// The number of the last record of a graph that was closed; the same. kFailedPrecondition: it is
// open, or its last writer did not end.
Result<Sequence> ClosedSequence(const std::string& directory);

}  // namespace plexus
