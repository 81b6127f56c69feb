// The slow, obvious answers: power iteration, sets of neighbours intersected.
#include <set>

#include "bench/peers/centrality.h"
#include "bench/peers/reference/power_iteration.h"

namespace plexus::peers {
namespace {

Answer Jaccard(const Arcs& arcs) {
  std::vector<std::set<std::uint32_t>> near(arcs.nodes);
  for (std::size_t i = 0; i < arcs.sources.size(); ++i)
    near[arcs.sources[i]].insert(arcs.targets[i]);
  Answer answer;
  for (const auto& [a, b] : SimilarityPairs(arcs)) {
    double shared = 0;
    for (const std::uint32_t w : near[a]) shared += near[b].contains(w);
    const double na = static_cast<double>(near[a].size()), nb = static_cast<double>(near[b].size());
    answer.push_back(shared / (na + nb - shared));
  }
  return answer;
}

}  // namespace

bool Scores(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsScoreWork(work)) return false;
  const Arcs arcs = WeightedArcs(all, false);
  if (work == "weighted-pagerank") peer.Trials([&] { return PowerIteration(arcs, true); });
  if (work == "jaccard") peer.Trials([&] { return Jaccard(arcs); });
  return true;
}

}  // namespace plexus::peers
