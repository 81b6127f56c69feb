// The exact scan, then those that are too far are dropped.
#include "algorithms/memory/conflicts/internal/near_vectors.h"

#include <vector>

#include "engine/vectors/vector_view.h"

namespace plexus::memory::internal {

Result<retrieval::NearestResult> NearVectors(const Snapshot& snapshot, NodeId node,
                                             std::string_view space, double least,
                                             const NodeSubset& allowed, std::size_t top,
                                             const RunOptions& run) {
  retrieval::NearestResult none;
  const auto id = snapshot.schema().FindSpace(space);
  if (!id || !(least <= 1)) return none;
  PLEXUS_ASSIGN(const VectorView* vectors, snapshot.vectors(*id));
  if (!vectors->has(node)) return none;
  retrieval::NearestOptions options;
  options.metric = Metric::kCosine;
  options.subset = &allowed;
  options.skip = node;
  options.top = top;
  options.run = run;
  VectorBuffer values;
  PLEXUS_ASSIGN(retrieval::NearestResult result,
                retrieval::Nearest(snapshot, *id, vectors->vector(node, values), options));
  std::erase_if(result.hits, [&](const retrieval::NearestHit& hit) { return hit.measure < least; });
  return result;
}

}  // namespace plexus::memory::internal
