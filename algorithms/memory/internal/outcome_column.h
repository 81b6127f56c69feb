// What a decision's outcome says, read from columns of strings. Private to algorithms/memory.
#pragma once

#include <optional>
#include <string_view>

#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

// A string column that was built in: its values, "" where none exists. Looked up once; values are
// valid as long as the snapshot is. REQUIRES that the snapshot outlives it.
class StringColumn {
 public:
  StringColumn(const Snapshot& snapshot, ColumnId builtin)
      : snapshot_(&snapshot), column_(snapshot.schema().ColumnFor(builtin)) {}
  std::string_view operator[](NodeId node) const {
    const auto value = column_ ? snapshot_->string_column(*column_, node) : std::nullopt;
    return value ? snapshot_->string(*value) : std::string_view();
  }

 private:
  const Snapshot* snapshot_;
  std::optional<ColumnId> column_;
};
inline std::string_view StringOf(const Snapshot& snapshot, ColumnId builtin, NodeId node) {
  return StringColumn(snapshot, builtin)[node];
}
inline std::string_view OutcomeOf(const Snapshot& snapshot, NodeId node) {
  return StringOf(snapshot, builtin::kDecisionOutcome, node);
}
// Anything but "" and "pending".
inline bool IsRecorded(std::string_view outcome) {
  return !outcome.empty() && outcome != "pending";
}
// The one is "success", the other "failure".
inline bool OpposingOutcomes(std::string_view a, std::string_view b) {
  return (a == "success" && b == "failure") || (a == "failure" && b == "success");
}

}  // namespace plexus::memory::internal
