// How far a memory is trusted: its retention; without one its trust; else one half.
#pragma once

#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vocabulary.h"

namespace plexus::memory_internal {

inline double TrustOf(const Snapshot& snapshot, NodeId node) {
  if (const auto retention = snapshot.f64(kRetention, node)) return *retention;
  return snapshot.f64(kTrust, node).value_or(0.5);
}

}  // namespace plexus::memory_internal
