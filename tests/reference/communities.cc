// Modularity and communities straight from the definitions (algorithms/community/community.h).
#include <set>

#include "tests/reference/oracles.h"

namespace plexus::reference {

std::vector<std::vector<double>> UndirectedWeights(const FlatGraph& graph, bool weighted) {
  std::vector<std::vector<double>> a(graph.node_count(),
                                     std::vector<double>(graph.node_count(), 0.0));
  for (const FlatArc& arc : graph.arcs) {
    if (arc.mirrored) continue;  // a symmetric edge is one edge
    const double weight = weighted ? static_cast<double>(arc.weight) : 1.0;
    a[arc.from][arc.to] += weight;
    a[arc.to][arc.from] += weight;  // a loop: twice
  }
  return a;
}

double Modularity(const std::vector<std::vector<double>>& a,
                  const std::vector<std::uint32_t>& communities, double resolution) {
  const std::size_t n = a.size();
  std::vector<double> k(n, 0.0);
  double total = 0;
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v) {
      k[u] += a[u][v];
      total += a[u][v];
    }
  if (total == 0) return 0;
  double q = 0;
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v)
      if (communities[u] == communities[v]) q += a[u][v] - resolution * k[u] * k[v] / total;
  return q / total;
}

bool Connected(const std::vector<std::vector<double>>& a,
               const std::vector<std::uint32_t>& communities, const std::vector<bool>& selected) {
  std::set<std::uint32_t> begun;
  std::vector<bool> reached(a.size(), false);
  for (std::size_t s = 0; s < a.size(); ++s) {
    if (!selected[s] || !begun.insert(communities[s]).second) continue;
    std::vector<std::size_t> stack{s};
    reached[s] = true;
    while (!stack.empty()) {
      const std::size_t u = stack.back();
      stack.pop_back();
      for (std::size_t v = 0; v < a.size(); ++v)
        if (a[u][v] > 0 && communities[v] == communities[s] && selected[v] && !reached[v]) {
          reached[v] = true;
          stack.push_back(v);
        }
    }
  }
  return reached == selected;
}

}  // namespace plexus::reference
