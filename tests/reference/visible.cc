// Supersession by definition: who reaches whom, then the three rules in order.
#include "tests/reference/oracles.h"

namespace plexus::reference {

std::vector<bool> Standing(const std::vector<bool>& alive, const std::vector<FlatArc>& active) {
  const std::size_t n = alive.size();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
  for (std::size_t v = 0; v < n; ++v) reaches[v][v] = true;
  for (const FlatArc& a : active) reaches[a.from][a.to] = true;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
  auto together = [&](NodeId a, NodeId b) { return reaches[a][b] && reaches[b][a]; };

  std::vector<bool> standing(n);
  for (NodeId v = 0; v < n; ++v) {
    if (!alive[v]) continue;
    bool superseded = false, alone = true;
    const FlatArc* newest = nullptr;
    for (NodeId u = 0; u < n; ++u)
      if (u != v && together(u, v)) alone = false;
    for (const FlatArc& a : active) {
      if (!together(a.to, v)) continue;
      if (!together(a.from, v)) {
        superseded = true;  // an edge arrives from outside the cycle (or node)
      } else if (a.from != a.to &&
                 (!newest || a.created_at > newest->created_at ||
                  (a.created_at == newest->created_at && a.from < newest->from))) {
        newest = &a;
      }
    }
    standing[v] = !superseded && (alone || newest->from == v);
  }
  return standing;
}

}  // namespace plexus::reference
