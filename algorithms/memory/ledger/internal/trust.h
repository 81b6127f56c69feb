// How far a memory is trusted, and what type it is of: what every lens reads of a member.
//
// Trust = retention, else the column trust, else kUnknownTrust. Type = the column memory_type, else
// the name of the node's kind. Private to algorithms/memory.
#pragma once

#include <optional>
#include <string_view>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

// As stored: it may lie outside of [0, 1].
inline double TrustOf(const Snapshot& snapshot, NodeId node) {
  if (const auto retention = snapshot.f64(builtin::kRetention, node)) return *retention;
  return snapshot.f64(builtin::kTrust, node).value_or(kUnknownTrust);
}

class NodeTypes {
 public:
  // Keeps the snapshot's address.
  explicit NodeTypes(const Snapshot& snapshot)
      : snapshot_(&snapshot), column_(snapshot.schema().ColumnFor(builtin::kMemoryType)) {}
  // Valid as long as the snapshot.
  std::string_view operator()(NodeId node) const {
    if (column_)
      if (const auto type = snapshot_->string_column(*column_, node))
        if (const std::string_view name = snapshot_->string(*type); !name.empty()) return name;
    return snapshot_->schema().node_kind(snapshot_->node_kind(node)).name;
  }

 private:
  const Snapshot* snapshot_;
  std::optional<ColumnId> column_;  // memory_type, when the graph has it as a string
};

}  // namespace plexus::memory::internal
