// VectorCompaction: the live rows of a vector space, rewritten while they are read.
//
// Replacing a vector appends a row and leaves a dead one. A compaction copies the live rows of
// a view in the order of their nodes, as opening does, and is then brought up to later views
// of the same table, so the writer waits for what changed in between only. Internal.
#pragma once

#include <optional>

#include "engine/vectors/vector_table.h"

namespace plexus {

class VectorCompaction {
 public:
  // O(live rows). None when a row cannot be copied without loss: a stored row that was
  // purged or is damaged.
  static std::optional<VectorCompaction> Make(const VectorView& from);
  // `now` is a later view of the table. O(changed pages of nodes). Returns the vectors copied.
  std::uint64_t CatchUp(const VectorView& now);
  // The table that continues from the last view.
  VectorTable Take() && { return std::move(table_); }

 private:
  VectorCompaction(VectorTable table, const VectorView& from)
      : table_(std::move(table)), from_(from) {}
  VectorTable table_;
  VectorView from_;  // whose rows table_ has
};

}  // namespace plexus
