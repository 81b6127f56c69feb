// What is said where index nodes and their edges are left out of an answer about the past.
#pragma once

#include <cstdint>

#include "tools/operations/framework/request.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply.h"

namespace plexus::tools {

// REQUIRES a row with the flag `all`.
inline Note HiddenNote(const Request& request, std::uint64_t count, const char* what) {
  return {Grouped(count) + " " + what + " about tags, terms and other index nodes are hidden; " +
              request.Name("all") + " shows them",
          Note::kForPeople};
}

}  // namespace plexus::tools
