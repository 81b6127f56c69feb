// Checks of EdgeWeighting, and its factors by kind.
#include "algorithms/common/internal/edge_weigher.h"

namespace plexus::common_internal {

Result<EdgeWeigher> EdgeWeigher::Make(const Snapshot& snapshot, const EdgeWeighting& weights) {
  const auto& kinds = snapshot.schema().edge_kinds();
  EdgeWeigher weigher;
  weigher.snapshot_ = &snapshot;
  weigher.now_ = weights.now_ms;
  weigher.kinds_.resize(kinds.size());
  if (weights.half_life_ms < 0)
    return Invalid("half-life ", weights.half_life_ms, " ms is below 0");
  if (weights.half_life_ms > 0 && weights.now_ms == kNoTime)
    return Invalid("a half-life needs the time up to which edges have aged");
  std::vector<bool> named(kinds.size());
  for (const KindFactor& f : weights.factors) {
    if (f.kind >= kinds.size() || kinds[f.kind].name.empty())
      return Invalid("a factor for edge kind ", f.kind, ", which does not exist");
    if (named[f.kind]) return Invalid("two factors for edge kind '", kinds[f.kind].name, "'");
    if (!(f.factor >= 0) || !std::isfinite(f.factor))
      return Invalid("factor ", f.factor, " of edge kind '", kinds[f.kind].name,
                     "' is not a finite number >= 0");
    named[f.kind] = true;
    weigher.kinds_[f.kind].factor = f.factor;
  }
  if (weights.now_ms != kNoTime)
    for (std::size_t id = 0; id < kinds.size(); ++id) {
      const std::int64_t half_life =
          kinds[id].half_life_ms > 0 ? kinds[id].half_life_ms : weights.half_life_ms;
      if (half_life > 0) weigher.kinds_[id].rate = -1.0 / static_cast<double>(half_life);
    }
  return weigher;
}

Result<std::optional<EdgeWeigher>> EdgeWeigher::MakeIfAny(const Snapshot& snapshot,
                                                          const EdgeWeighting& weights,
                                                          bool weighted) {
  if (weights.as_stored()) return std::nullopt;
  PLEXUS_ASSIGN(EdgeWeigher weigher, Make(snapshot, weights));
  if (!weighted) return Invalid("factors and half-lives of weights where weights do not count");
  return weigher;
}

}  // namespace plexus::common_internal
