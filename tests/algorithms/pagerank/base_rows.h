// The arcs of a snapshot's base for kernels over bare arrays, with a float an arc.
#pragma once

#include "algorithms/common/internal/base_weights.h"
#include "engine/snapshot.h"

namespace plexus::testing {

inline CsrView OutRows(const Snapshot& s) {
  return internal::WeightedRowsOf(s.base(), Direction::kOut, SerialExecutor()).rows;
}
inline CsrView InRows(const Snapshot& s) {
  return internal::WeightedRowsOf(s.base(), Direction::kIn, SerialExecutor()).rows;
}

}  // namespace plexus::testing
