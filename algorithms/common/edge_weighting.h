// EdgeWeighting: what a stored weight counts for when some kinds matter more than others and
// old edges less.
//
//   w'(e) = w(e) * m(kind of e) * 2^(-age(e) / h(kind of e)),   age = max(0, now - created_at)
//
// m is 1 for kinds not named. h is the kind's own half-life (EdgeKind::half_life_ms) or, where
// it has none, the one given here. Computed in f64 when rows are read, then rounded to f32 as
// stored weights are (at most the largest f32): nothing is stored, and the same snapshot may be
// asked with any factors at any time.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/types.h"

namespace plexus {

struct KindFactor {
  EdgeKindId kind = kNoEdgeKind;
  double factor = 1;
  bool operator==(const KindFactor&) const = default;
};

struct EdgeWeighting {
  std::vector<KindFactor> factors;  // finite, >= 0, a kind once; 0 leaves the arcs without weight
  std::int64_t now_ms = kNoTime;    // ages are counted up to here; kNoTime = nothing ages
  std::int64_t half_life_ms = 0;    // of kinds without one of their own; 0 = these do not age

  bool as_stored() const { return factors.empty() && now_ms == kNoTime && half_life_ms == 0; }
  bool operator==(const EdgeWeighting&) const = default;
};

}  // namespace plexus
