// One map of the candidates, one pass over their rows.
#include "algorithms/retrieval/internal/plan/candidate_degrees.h"

#include <atomic>

#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/selection.h"
#include "engine/parallel.h"

namespace plexus::retrieval::internal {

namespace {

// How many of the candidates, in their order, may have their rows walked.
std::size_t Affordable(const Snapshot& snapshot, const ArcFilter& filter,
                       std::span<const NodeId> candidates, std::uint64_t edges) {
  if (edges == Budget::kUnlimited) return candidates.size();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::uint64_t row = snapshot.Degree(Direction::kBoth, candidates[i], filter);
    if (row > edges) return i;
    edges -= row;
  }
  return candidates.size();
}

}  // namespace

CandidateDegrees DegreesAmong(const Snapshot& snapshot, const ArcFilter& filter,
                              std::span<const NodeId> candidates, const RunOptions& run) {
  common_internal::NodeMap places(snapshot.node_count());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    places.at(candidates[i]) = static_cast<std::uint32_t>(i);
  const std::size_t walked = Affordable(snapshot, filter, candidates, run.budget.edges);
  CandidateDegrees result;
  result.walked = walked;
  result.degrees.assign(candidates.size(), 0.0);
  std::atomic<bool> interrupted = false;
  ParallelFor(common_internal::Pick(run.executor), walked, 16,
              [&](std::size_t begin, std::size_t end) {
                if (run.budget.Interrupted()) {
                  interrupted = true;
                  return;
                }
                for (std::size_t i = begin; i < end; ++i) {
                  const NodeId self = candidates[i];
                  double sum = 0;
                  snapshot.ForEachArc(Direction::kBoth, self, filter, [&](const Arc& arc) {
                    if (arc.neighbor != self &&
                        places.get(arc.neighbor) != common_internal::NodeMap::kAbsent)
                      sum += static_cast<double>(arc.weight);
                  });
                  result.degrees[i] = sum;
                }
              });
  result.truncated = walked < candidates.size() || interrupted;
  return result;
}

}  // namespace plexus::retrieval::internal
