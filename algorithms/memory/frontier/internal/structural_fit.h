// Structural fit: whether two memories play the same part among recorded edges, whatever they say.
//
// The profile of a memory counts walked edges by (kind, direction, hop): at hop 1 its own, at hop 2
// those of each distinct neighbour but the ones that lead back. Loops count nowhere. A symmetric
// edge has one direction of its own. Fit of a pair = cosine of the profiles, 0 when either is
// empty; of a set the mean over its pairs.
// Private to algorithms/memory.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/common/internal/selection.h"
#include "algorithms/memory/frontier/frontier.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

inline bool WantsFit(const NeverComposedOptions& o) {
  return o.structural_fit || o.structural_fit_weight != 0 || o.min_structural_fit > -1;
}

// The edges that a lens over structure walks: `kinds`, or all fact kinds but suppressing ones and
// contradicts, valid at `now_ms`, between nodes of `inside` when there is one, whose address is
// kept. kInvalidArgument: a kind that the schema does not have.
Result<common_internal::Selection> SelectWalked(const Snapshot& snapshot, const EdgeKinds& kinds,
                                                std::int64_t now_ms, const NodeSubset* inside);

// Distinct neighbours over walked edges in either direction, ascending, without the node itself.
std::vector<NodeId> WalkedNeighbors(const common_internal::Selection& walked, NodeId node);

struct StructuralProfile {
  std::vector<std::pair<std::uint32_t, double>> counts;  // ascending (kind, direction, hop)
  double squares = 0;                                    // their sum
};

// O(arcs of the node and its neighbours).
StructuralProfile ProfileOf(const common_internal::Selection& walked, NodeId node);
double FitOf(const StructuralProfile& a, const StructuralProfile& b);

// Fits of sets, with the profiles of the nodes that were asked for last. One thread.
class StructuralFit {
 public:
  // Keeps the address of `walked`.
  explicit StructuralFit(const common_internal::Selection& walked) : walked_(&walked) {}
  // REQUIRES two members or more.
  double operator()(std::span<const NodeId> members);

 private:
  static constexpr std::size_t kMaxKept = 65'536;
  const common_internal::Selection* walked_;
  std::unordered_map<NodeId, StructuralProfile> kept_;
};

}  // namespace plexus::memory::internal
