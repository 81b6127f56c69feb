// Trust and type of a memory, read from its columns.
#include "algorithms/memory/ledger/internal/trust.h"

#include "engine/vocabulary.h"

namespace plexus::memory::internal {

double TrustOf(const Snapshot& snapshot, NodeId node) {
  if (const auto retention = snapshot.f64(builtin::kRetention, node)) return *retention;
  return snapshot.f64(builtin::kTrust, node).value_or(kUnknownTrust);
}

NodeTypes::NodeTypes(const Snapshot& snapshot)
    : snapshot_(&snapshot), column_(snapshot.schema().ColumnFor(builtin::kMemoryType)) {}

std::string_view NodeTypes::operator()(NodeId node) const {
  if (column_)
    if (const auto type = snapshot_->string_column(*column_, node))
      if (const std::string_view name = snapshot_->string(*type); !name.empty()) return name;
  return snapshot_->schema().node_kind(snapshot_->node_kind(node)).name;
}

}  // namespace plexus::memory::internal
