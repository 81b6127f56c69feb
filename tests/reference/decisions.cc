// By definition, over a closure matrix; never for production.
#include "tests/reference/decisions.h"

#include <algorithm>

namespace plexus::reference {
namespace {

using Matrix = std::vector<std::vector<bool>>;

Matrix Closure(std::size_t n, const std::vector<std::pair<NodeId, NodeId>>& arcs) {
  Matrix reaches(n, std::vector<bool>(n));
  for (std::size_t v = 0; v < n; ++v) reaches[v][v] = true;
  for (const auto& [from, to] : arcs) reaches[from][to] = true;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
  return reaches;
}

NodeId Head(NodeId v, const Matrix& reaches, const std::vector<FlatArc>& active) {
  const auto together = [&](NodeId a, NodeId b) { return reaches[a][b] && reaches[b][a]; };
  const FlatArc *entering = nullptr, *inner = nullptr;
  for (const FlatArc& a : active) {
    if (!together(a.to, v)) continue;
    const FlatArc*& kept = together(a.from, v) ? inner : entering;
    if (!kept || a.created_at > kept->created_at ||
        (a.created_at == kept->created_at && a.from < kept->from))
      kept = &a;
  }
  if (entering) return Head(entering->from, reaches, active);
  return inner ? inner->from : v;
}

}  // namespace

std::vector<NodeId> Heads(std::size_t nodes, const std::vector<FlatArc>& active) {
  std::vector<std::pair<NodeId, NodeId>> arcs;
  for (const FlatArc& a : active) arcs.emplace_back(a.from, a.to);
  const Matrix reaches = Closure(nodes, arcs);
  std::vector<NodeId> heads(nodes);
  for (NodeId v = 0; v < nodes; ++v) heads[v] = Head(v, reaches, active);
  return heads;
}

std::vector<BlockedNode> Blocked(const std::vector<bool>& unresolved,
                                 const std::vector<std::pair<NodeId, NodeId>>& waits) {
  const std::size_t n = unresolved.size();
  std::vector<std::pair<NodeId, NodeId>> open;
  for (const auto& [x, y] : waits)
    if (x != y && unresolved[x] && unresolved[y]) open.emplace_back(x, y);
  const Matrix reaches = Closure(n, open);
  std::vector<BlockedNode> nodes(n);
  for (const auto& [x, y] : open) nodes[x].blocked = true;
  for (NodeId x = 0; x < n; ++x) {
    if (!nodes[x].blocked) continue;
    for (NodeId y = 0; y < n; ++y) {
      if (y == x || !reaches[x][y]) continue;
      if (reaches[y][x]) nodes[x].in_cycle = true;
      if (!nodes[y].blocked) nodes[x].roots.insert(y);
    }
    // Hops: widen a set until it holds a root.
    if (nodes[x].roots.empty()) continue;
    std::set<NodeId> reached = {x};
    while (std::ranges::none_of(reached, [&](NodeId y) { return nodes[x].roots.contains(y); })) {
      ++nodes[x].hops;
      std::set<NodeId> wider = reached;
      for (const auto& [a, b] : open)
        if (reached.contains(a)) wider.insert(b);
      reached = std::move(wider);
    }
  }
  return nodes;
}

std::string Tier(const TierInput& input) {
  if (input.superseded) return "fold";
  if (input.percentile >= 0.8) return "keep";
  if (!input.arrives && input.recorded && input.age_days >= 14) return "digest";
  if (input.arrives && input.age_days >= 30) return "summary";
  return "full";
}

double Percentile(const std::vector<double>& scores, const std::vector<NodeId>& members,
                  NodeId of) {
  if (members.size() == 1) return 1;
  double less = 0;
  for (const NodeId other : members) {
    if (other == of) continue;
    if (scores[other] < scores[of]) less += 1;
    if (scores[other] == scores[of]) less += 0.5;
  }
  return less / static_cast<double>(members.size() - 1);
}

}  // namespace plexus::reference
