// A small memory with everything in it, and a request of every operation on it.
#pragma once

#include <string>
#include <vector>

namespace plexus::testing {

// JSON lines of memories, decisions, concepts, turns, events and edges; `size` is about a tenth of
// the nodes.
std::string EverythingLines(int size);

struct RowRequest {
  std::string operation;
  std::string json;  // its parameters; DIR stands for a scratch directory of the call
};
// One or more of each row, in an order in which they may be asked one after the other.
std::vector<RowRequest> EveryRow();

}  // namespace plexus::testing
