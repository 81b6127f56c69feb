// UnusedStrings: interned strings that nothing refers to but what a rewrite of the log leaves out.
//
// Values of string columns, labels and created_by of edges, of nodes that were purged, of the past
// below the history floor, or of batches that took them back. Internal.
#pragma once

#include <utility>
#include <vector>

#include "engine/record.h"
#include "engine/snapshot.h"
#include "engine/state.h"
#include "storage/purge/forgotten_nodes.h"

namespace plexus::storage_internal {

class UnusedStrings {
 public:
  // Those that `now` does not refer to without `gone`; both must outlive this. O(nodes + strings).
  UnusedStrings(const Snapshot& now, const ForgottenNodes& gone);

  // No candidate is left.
  bool empty() const { return left_ == 0; }
  // What a record or the state at the floor refers to is used. O(record), O(nodes + labels).
  void Keep(const Record& record);
  void Keep(const GraphState& state);
  std::vector<bool> Take() && { return std::move(unused_); }  // by id

 private:
  void Keep(StringId id);

  const Schema& schema_;
  const ForgottenNodes& gone_;
  std::vector<bool> unused_;
  std::size_t left_;
};

}  // namespace plexus::storage_internal
