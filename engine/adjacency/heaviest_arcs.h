// HeaviestArcs: the largest weight of each kind of arcs in a part of the graph.
//
// Runs know theirs from the start (Run::heaviest): merging takes the larger, so arcs that were
// replaced still count. A csr gets it when a question first needs a bound, and hands it on to the
// csr that compaction makes of it. So a bound for a snapshot costs O(runs + kinds).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/lineage.h"
#include "engine/parallel.h"

namespace plexus {

struct HeaviestArcs final : Derived {
  static constexpr std::string_view kName = "heaviest arcs";
  std::vector<float> by_kind;  // 0 or absent: no arcs
  std::uint64_t size_bytes() const override { return by_kind.capacity() * sizeof(float); }
};

inline void RaiseHeaviest(std::vector<float>& by_kind, KindId kind, float weight) {
  if (kind >= by_kind.size()) by_kind.resize(kind + std::size_t{1}, 0.0f);
  by_kind[kind] = std::max(by_kind[kind], weight);
}

// O(arcs), in parallel. Null when `stop()`, polled now and then by any thread, returns true.
std::shared_ptr<const HeaviestArcs> FindHeaviestArcs(const Csr& csr, Executor& executor,
                                                     const std::function<bool()>& stop = {});

}  // namespace plexus
