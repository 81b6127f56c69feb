// Maps and vectors of vectors; no cleverness.
#include "bench/peers/reference/louvain.h"

#include <map>
#include <numeric>

namespace plexus::peers {

namespace {

struct Weighted {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> rows;
  std::vector<double> strengths;  // inside included
};

// One level; the communities, numbered from 0, and whether anybody moved.
bool Move(const Weighted& graph, double total, std::vector<std::uint32_t>& home) {
  const std::size_t n = graph.rows.size();
  home.resize(n);
  std::iota(home.begin(), home.end(), 0u);
  std::vector<double> totals = graph.strengths, links(n);
  bool ever = false;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t v = 0; v < n; ++v) {
      for (const auto& [u, weight] : graph.rows[v]) links[home[u]] += weight;
      totals[home[v]] -= graph.strengths[v];
      auto worth = [&](std::uint32_t c) {
        return links[c] - graph.strengths[v] * totals[c] / total;
      };
      std::uint32_t best = home[v];
      for (const auto& [u, weight] : graph.rows[v])
        if (worth(home[u]) > worth(best) + 1e-9) best = home[u];
      for (const auto& [u, weight] : graph.rows[v]) links[home[u]] = 0;
      moved |= best != home[v];
      home[v] = best;
      totals[best] += graph.strengths[v];
    }
    ever |= moved;
  }
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t& c : home)
    c = numbers.try_emplace(c, static_cast<std::uint32_t>(numbers.size())).first->second;
  return ever;
}

}  // namespace

Answer Louvain(const Arcs& pairs) {
  Weighted graph{std::vector<std::vector<std::pair<std::uint32_t, double>>>(pairs.nodes),
                 std::vector<double>(pairs.nodes)};
  double total = 0;
  for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
    const std::uint32_t a = pairs.sources[i], b = pairs.targets[i];
    const double weight = static_cast<double>(pairs.weight(i));
    graph.rows[a].push_back({b, weight});
    graph.rows[b].push_back({a, weight});
    graph.strengths[a] += weight;
    graph.strengths[b] += weight;
    total += 2 * weight;
  }
  std::vector<std::uint32_t> labels(pairs.nodes), home;
  std::iota(labels.begin(), labels.end(), 0u);
  while (Move(graph, total, home)) {
    for (std::uint32_t& label : labels) label = home[label];
    std::uint32_t count = 0;
    for (std::uint32_t c : home) count = std::max(count, c + 1);
    Weighted coarse{std::vector<std::vector<std::pair<std::uint32_t, double>>>(count),
                    std::vector<double>(count)};
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
    for (std::uint32_t v = 0; v < home.size(); ++v) {
      coarse.strengths[home[v]] += graph.strengths[v];
      for (const auto& [u, weight] : graph.rows[v])
        if (home[u] != home[v]) sums[{home[v], home[u]}] += weight;
    }
    for (const auto& [pair, weight] : sums)
      coarse.rows[pair.first].push_back({pair.second, weight});
    graph = std::move(coarse);
  }
  return Answer(labels.begin(), labels.end());
}

}  // namespace plexus::peers
