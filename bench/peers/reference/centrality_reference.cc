// The slow, obvious answers: power iteration to 1e-12, sets of neighbours intersected.
#include <algorithm>
#include <cmath>
#include <set>

#include "bench/peers/centrality.h"

namespace plexus::peers {
namespace {

Answer WeightedPageRank(const Arcs& arcs) {
  const std::uint32_t n = arcs.nodes;
  Answer now(n, 1.0 / n), next(n), strength(n);
  for (std::size_t i = 0; i < arcs.sources.size(); ++i)
    strength[arcs.sources[i]] += static_cast<double>(arcs.weights[i]);
  for (double bound = 1; bound > 1e-12;) {
    double dangling = 0, step = 0;
    for (std::uint32_t u = 0; u < n; ++u)
      if (strength[u] == 0) dangling += now[u];
    std::fill(next.begin(), next.end(), (1 - kDamping + kDamping * dangling) / n);
    for (std::size_t i = 0; i < arcs.sources.size(); ++i)
      next[arcs.targets[i]] += kDamping * now[arcs.sources[i]] *
                               static_cast<double>(arcs.weights[i]) / strength[arcs.sources[i]];
    for (std::uint32_t v = 0; v < n; ++v) step += std::abs(next[v] - now[v]);
    bound = step * kDamping / (1 - kDamping);
    now.swap(next);
  }
  return now;
}

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
  const Arcs arcs = MeasureArcs(all, false);
  if (work == "weighted-pagerank") peer.Trials([&] { return WeightedPageRank(arcs); });
  if (work == "jaccard") peer.Trials([&] { return Jaccard(arcs); });
  return true;
}

}  // namespace plexus::peers
