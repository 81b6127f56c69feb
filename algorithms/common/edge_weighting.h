// EdgeWeighting: the effective weight of an edge, by kind and by age.
//
//   w'(e) = w(e) * m(kind of e) * 2^(-age(e) / h(kind of e)),   age = max(0, now - created_at)
//
// m is 1 for kinds without a factor. h is the half-life of the kind (EdgeKind::half_life_ms) or,
// where it has none, the one given here. Weights are computed in f64 when rows are read, then
// rounded to f32 as stored weights are (at most the largest f32). Nothing is stored.
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
  std::vector<KindFactor> factors = {};  // Finite, >= 0, a kind once. At 0 the arcs have no weight.
  std::int64_t now_ms = kNoTime;    // Ages end here. kNoTime: nothing ages.
  std::int64_t half_life_ms = 0;    // For kinds without their own. 0: these do not age.

  // True when every edge keeps its stored weight.
  bool as_stored() const { return factors.empty() && now_ms == kNoTime && half_life_ms == 0; }
  bool operator==(const EdgeWeighting&) const = default;
};

}  // namespace plexus
