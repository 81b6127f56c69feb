// How far a memory is trusted, and what type it is of: what every lens reads of a member.
//
// Trust = retention, else the column trust, else 0.5. Type = the column memory_type, else the name
// of the node's kind.
// Private to algorithms/memory.
#pragma once

#include <optional>
#include <string_view>

#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

inline constexpr double kUnknownTrust = 0.5;

// As stored: it may lie outside of [0, 1].
double TrustOf(const Snapshot& snapshot, NodeId node);

class NodeTypes {
 public:
  // Keeps the snapshot's address.
  explicit NodeTypes(const Snapshot& snapshot);
  // Valid as long as the snapshot.
  std::string_view operator()(NodeId node) const;

 private:
  const Snapshot* snapshot_;
  std::optional<ColumnId> column_;  // memory_type, when the graph has it as a string
};

}  // namespace plexus::memory::internal
