// The largest of what is known of the csr and the runs.
#include "algorithms/traversal/internal/max_weight.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/adjacency/heaviest_arcs.h"
#include "engine/state.h"

namespace plexus::traversal::internal {

std::optional<float> MaxWeight(const Snapshot& snapshot, const ArcFilter& filter,
                               const Budget& budget, Executor& executor) {
  float most = 0;
  auto add = [&](const std::vector<float>& by_kind) {
    for (std::size_t kind = 0; kind < by_kind.size(); ++kind)
      if (filter.allows(static_cast<EdgeKindId>(kind))) most = std::max(most, by_kind[kind]);
  };
  const Csr& base = snapshot.base();
  std::shared_ptr<const HeaviestArcs> of_base = base.derived.Find<HeaviestArcs>();
  if (!of_base) {
    of_base = FindHeaviestArcs(base, executor, [&budget] { return budget.Interrupted(); });
    if (!of_base) return std::nullopt;
    of_base = base.derived.Keep(std::move(of_base));
  }
  add(of_base->by_kind);
  for (const auto& run : snapshot.state().runs) add(run->heaviest);
  return most;
}

}  // namespace plexus::traversal::internal
