// PageRank by power iteration until the bound on the L1 error is 1e-12.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/peers/peer.h"

namespace plexus::peers {

// `seed`: who is jumped to; else all.
inline Answer PowerIteration(const Arcs& arcs, bool weighted,
                             std::optional<std::uint32_t> seed = {}) {
  const auto weight = [&](std::size_t i) {
    return weighted ? static_cast<double>(arcs.weights[i]) : 1.0;
  };
  const std::uint32_t n = arcs.nodes;
  Answer jumps(n, seed ? 0.0 : 1.0 / n), strength(n), next(n);
  if (seed) jumps[*seed] = 1;
  for (std::size_t i = 0; i < arcs.sources.size(); ++i) strength[arcs.sources[i]] += weight(i);
  Answer now = jumps;
  for (double bound = 1; bound > 1e-12;) {
    double dangling = 0, step = 0;
    for (std::uint32_t u = 0; u < n; ++u)
      if (strength[u] == 0) dangling += now[u];
    for (std::uint32_t v = 0; v < n; ++v) next[v] = (1 - kDamping + kDamping * dangling) * jumps[v];
    for (std::size_t i = 0; i < arcs.sources.size(); ++i)
      next[arcs.targets[i]] +=
          kDamping * now[arcs.sources[i]] * weight(i) / strength[arcs.sources[i]];
    for (std::uint32_t v = 0; v < n; ++v) step += std::abs(next[v] - now[v]);
    bound = step * kDamping / (1 - kDamping);
    now.swap(next);
  }
  return now;
}

}  // namespace plexus::peers
