// The arcs of a snapshot's base for kernels over bare arrays, with a float an arc.
#pragma once

#include <memory>

#include "algorithms/common/internal/base_weights.h"
#include "engine/snapshot.h"

namespace plexus::testing {

inline CsrView WeightedRows(const Snapshot& s, Direction direction) {
  std::shared_ptr<const void> weights;  // the base keeps them, too
  return common_internal::BaseRowsOf(s.base(), direction, true, SerialExecutor(), weights);
}
inline CsrView OutRows(const Snapshot& s) { return WeightedRows(s, Direction::kOut); }
inline CsrView InRows(const Snapshot& s) { return WeightedRows(s, Direction::kIn); }

}  // namespace plexus::testing
