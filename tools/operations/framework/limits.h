// What bounds an operation: how long it takes, how long its reply is, what memory it takes besides
// the graph, and what scope means to it. The reference lists it of all rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/operations/framework/operation.h"

namespace plexus::tools {

// Bytes of memory for each byte that is read, at most: of files that are imported, with the graph
// that they make, and of what a request carries (the request itself, plans, rules, proposals).
inline constexpr std::uint64_t kMemoryOfImport = 64, kMemoryOfContent = 64;

struct Limits {
  std::string time, reply, memory, scope;
};
Limits LimitsOf(const Operation& operation);

// What an operation reads that looks at no clock, as it is so little; "" of those that look.
std::string_view ShortWork(std::string_view operation);

}  // namespace plexus::tools
