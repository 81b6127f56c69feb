// A small memory with everything in it, and a request of every operation on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plexus::testing {

// JSON lines of memories, decisions, concepts, turns, events and edges; `size` is about a tenth of
// the nodes.
std::string EverythingLines(int size);

// A time of requests: 90 days after the first of those lines.
inline constexpr std::int64_t kEveryRowNow = 1'700'000'000'000 + 90 * std::int64_t{86'400'000};

struct RowRequest {
  std::string operation;
  std::string json;  // its parameters; DIR stands for a scratch directory of the call
};
// One or more of each row, in an order in which they may be asked one after the other.
std::vector<RowRequest> EveryRow();

}  // namespace plexus::testing
