// Which graph a directory holds, and which directory that is.
#pragma once

#include <cstdint>
#include <string>

#include "engine/error.h"

namespace plexus {

struct GraphIdentity {
  std::uint64_t high = 0, low = 0;          // of the graph, in its copies as well
  std::uint64_t device = 0, directory = 0;  // of the folder, links followed; moves keep it
  bool operator==(const GraphIdentity&) const = default;
};

// Takes no lock, writes nothing. kNotFound: there is no graph.
Result<GraphIdentity> IdentifyGraph(const std::string& directory);

}  // namespace plexus
