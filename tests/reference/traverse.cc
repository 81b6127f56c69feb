// Traversal by enumerating walks, by Bellman-Ford rounds, and noisy-or by layers.
#include <algorithm>

#include "tests/reference/oracles.h"

namespace plexus::reference {

namespace {

using Scores = std::vector<std::optional<double>>;

void Walk(const std::vector<std::vector<FlatArc>>& rows, NodeId at, double value, int hops_left,
          double decay, Fold fold, Scores& scores) {
  auto& score = scores[at];
  if (!score)
    score = value;
  else if (fold == Fold::kMax)
    score = std::max(*score, value);
  else if (fold == Fold::kMin)
    score = std::min(*score, value);
  else
    score = *score + value;
  if (hops_left == 0) return;
  for (const FlatArc& a : rows[at])
    Walk(rows, a.to, value * static_cast<double>(a.weight) * decay, hops_left - 1, decay, fold,
         scores);
}

void SimplePaths(const std::vector<std::vector<FlatArc>>& rows, NodeId at, double value,
                 int hops_left, std::vector<bool>& used, Scores& scores) {
  if (!scores[at] || value > *scores[at]) scores[at] = value;
  if (hops_left == 0) return;
  used[at] = true;
  for (const FlatArc& a : rows[at])
    if (!used[a.to])
      SimplePaths(rows, a.to, value * static_cast<double>(a.weight), hops_left - 1, used, scores);
  used[at] = false;
}

Scores NoisyOr(const FlatGraph& graph, const std::vector<FlatArc>& arcs,
               const std::vector<double>& seeds, int hops, double decay) {
  Scores scores(graph.node_count()), layer(graph.node_count());
  for (NodeId v = 0; v < graph.node_count(); ++v)
    if (seeds[v] > 0) layer[v] = scores[v] = seeds[v];
  for (int k = 1; k <= hops; ++k) {
    Scores next(graph.node_count());
    for (const FlatArc& a : arcs) {
      if (!layer[a.from]) continue;
      const double p = std::min(1.0, *layer[a.from] * static_cast<double>(a.weight) * decay);
      next[a.to] = 1.0 - (1.0 - next[a.to].value_or(0.0)) * (1.0 - p);
    }
    for (NodeId v = 0; v < graph.node_count(); ++v)
      if (next[v]) scores[v] = 1.0 - (1.0 - scores[v].value_or(0.0)) * (1.0 - *next[v]);
    layer = std::move(next);
  }
  return scores;
}

}  // namespace

Scores Traverse(const FlatGraph& graph, const std::vector<double>& seeds, int hops, double decay,
                Direction direction, Fold fold) {
  const std::vector<FlatArc> arcs = Walkable(graph, direction);
  if (fold == Fold::kNoisyOr) return NoisyOr(graph, arcs, seeds, hops, decay);
  std::vector<std::vector<FlatArc>> rows(graph.node_count());
  for (const FlatArc& a : arcs) rows[a.from].push_back(a);
  Scores scores(graph.node_count());
  for (NodeId v = 0; v < graph.node_count(); ++v)
    if (seeds[v] > 0) Walk(rows, v, seeds[v], hops, decay, fold, scores);
  return scores;
}

Scores BestSimplePath(const FlatGraph& graph, NodeId from, int hops, Direction direction) {
  std::vector<std::vector<FlatArc>> rows(graph.node_count());
  for (const FlatArc& a : Walkable(graph, direction)) rows[a.from].push_back(a);
  Scores scores(graph.node_count());
  std::vector<bool> used(graph.node_count());
  SimplePaths(rows, from, 1.0, hops, used, scores);
  return scores;
}

Scores BestProduct(const FlatGraph& graph, const std::vector<double>& seeds, int hops, double decay,
                   Direction direction) {
  const std::vector<FlatArc> arcs = Walkable(graph, direction);
  Scores best(graph.node_count());
  for (NodeId v = 0; v < graph.node_count(); ++v)
    if (seeds[v] > 0) best[v] = seeds[v];
  for (int k = 0; k < hops; ++k) {
    Scores next = best;
    for (const FlatArc& a : arcs) {
      if (!best[a.from]) continue;
      const double value = *best[a.from] * decay * static_cast<double>(a.weight);
      if (!next[a.to] || value > *next[a.to]) next[a.to] = value;
    }
    best = std::move(next);
  }
  return best;
}

std::map<std::pair<NodeId, std::string>, double> WalkWords(
    const FlatGraph& graph, NodeId from, int hops, const std::map<EdgeKindId, char>& letters) {
  std::map<std::pair<NodeId, std::string>, double> words = {{{from, ""}, 1.0}}, layer = words;
  std::map<EdgeKindId, bool> symmetric;
  for (const FlatArc& a : graph.arcs) symmetric[a.kind] = symmetric[a.kind] || a.mirrored;
  for (int k = 0; k < hops; ++k) {
    std::map<std::pair<NodeId, std::string>, double> next;
    auto add = [&](NodeId to, std::string word, char letter, double value) {
      word += letter;
      double& best = next[{to, std::move(word)}];
      best = std::max(best, value);
    };
    for (const auto& [at, value] : layer)
      for (const FlatArc& a : graph.arcs) {
        const char letter = letters.at(a.kind);
        const double on = value * static_cast<double>(a.weight);
        if (a.from == at.first) add(a.to, at.second, letter, on);
        if (a.to == at.first && !symmetric[a.kind])
          add(a.from, at.second, static_cast<char>(letter - 'a' + 'A'), on);
      }
    for (const auto& [at, value] : next) words[at] = value;
    layer = std::move(next);
  }
  return words;
}

}  // namespace plexus::reference
