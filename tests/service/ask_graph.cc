// Walks, conflicts, PageRank and the never-composed frontier, against their references.
#include <algorithm>
#include <array>
#include <cmath>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/traversal/traversal.h"
#include "tests/reference/conflicts.h"
#include "tests/reference/never_composed.h"
#include "tests/reference/oracles.h"
#include "tests/service/check.h"

namespace plexus::service_test {
using namespace builtin;

reference::FlatGraph Checker::Flat(std::int64_t valid_at) const {
  reference::FlatGraph flat;
  flat.selected.resize(snapshot_.node_count());
  for (const auto& [key, id] : ids_) flat.selected[id] = true;
  for (const auto& [edge, value] : world_.edges) {
    if (valid_at != kNoTime && !value.ValidAt(valid_at)) continue;
    const auto a = ids_.find(edge.source), b = ids_.find(edge.target);
    if (a == ids_.end() || b == ids_.end()) continue;
    flat.arcs.push_back({a->second, b->second, edge.kind, value.weight, value.created_at, false});
    if (Symmetric(edge.kind))
      flat.arcs.push_back({b->second, a->second, edge.kind, value.weight, value.created_at, true});
  }
  return flat;
}

std::vector<bool> Checker::Visible(std::int64_t now) const {
  const reference::FlatGraph flat = Flat(now);
  std::vector<reference::FlatArc> active;
  for (const reference::FlatArc& arc : flat.arcs)
    if (arc.kind == kSupersedes) active.push_back(arc);
  // Of few nodes: those that an active edge names. The others stand.
  std::vector<NodeId> nodes;
  for (const reference::FlatArc& arc : active) nodes.insert(nodes.end(), {arc.from, arc.to});
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const auto place = [&](NodeId v) {
    return static_cast<NodeId>(std::ranges::lower_bound(nodes, v) - nodes.begin());
  };
  for (reference::FlatArc& arc : active) arc.from = place(arc.from), arc.to = place(arc.to);
  const auto stands = reference::Standing(std::vector<bool>(nodes.size(), true), active);
  std::vector<bool> visible = flat.selected;
  for (std::size_t i = 0; i < nodes.size(); ++i) visible[nodes[i]] = stands[i];
  return visible;
}

std::string Checker::Traverse(Chance& chance) const {
  if (allowed_.victims == Victims::kIgnored) return "";
  const auto [key, seed] = Draw(chance);
  traversal::TraverseOptions options;
  options.hops = 1 + static_cast<int>(chance.Below(4));
  options.direction =
      std::array{Direction::kOut, Direction::kIn, Direction::kBoth}[chance.Below(3)];
  options.decay = 0.75;
  options.top = chance.OneIn(2) ? 0 : 5;
  options.include_seeds = true;
  if (chance.OneIn(2)) options.filter.valid_at = DrawTime(chance);
  const NodeWeight seeds[] = {{seed, 1.0}};
  const auto found = traversal::Traverse(snapshot_, seeds, options);
  const std::string where = "a walk of " + std::to_string(options.hops) + " from " + key + ": ";
  if (!found) return where + found.error().ToString();
  const reference::FlatGraph flat = Flat(options.filter.valid_at);
  std::vector<double> start(flat.selected.size());
  start[seed] = 1;
  const auto expected =
      reference::BestProduct(flat, start, options.hops, options.decay, options.direction);
  std::vector<double> best;
  for (const auto& score : expected)
    if (score) best.push_back(*score);
  std::sort(best.rbegin(), best.rend());
  const std::size_t most = options.top ? std::min(options.top, best.size()) : best.size();
  if (found->hits.size() != most)
    return where + std::to_string(found->hits.size()) + " hits instead of " + std::to_string(most);
  for (std::size_t i = 0; i < most; ++i) {
    const traversal::TraverseHit& hit = found->hits[i];
    double product = 1;
    NodeId at = seed;
    for (const PathEdge& e : hit.path) {
      product *= static_cast<double>(e.weight) * options.decay;
      if (e.source != at && e.target != at) return where + "the path has a gap";
      at = e.source == at ? e.target : e.source;
      const WorldEdge edge =
          Stored(KeyOf(e.source), e.kind, KeyOf(e.target), std::string(snapshot_.string(e.label)));
      const auto known = world_.edges.find(edge);
      if (known == world_.edges.end() || known->second.weight != e.weight)
        return where + "a step of the path is no edge";
      if (options.filter.valid_at != kNoTime && !known->second.ValidAt(options.filter.valid_at))
        return where + "a step of the path is not valid";
    }
    if (at != hit.node || hit.path.size() != static_cast<std::size_t>(hit.hops))
      return where + "the path does not end there";
    if (!expected[hit.node] || !Near(*expected[hit.node], hit.score) || !Near(best[i], hit.score) ||
        !Near(product, hit.score))
      return where + KeyOf(hit.node) + " has " + std::to_string(hit.score) + ", its path " +
             std::to_string(product);
  }
  return "";
}

std::string Checker::Conflicts(Chance& chance) const {
  if (allowed_.victims == Victims::kIgnored) return "";
  const std::int64_t now = DrawTime(chance);
  const auto visible = Visible(now);
  const auto set = memory::VisibleNodes(snapshot_, now);
  if (!set) return "visible nodes: " + set.error().ToString();
  for (NodeId v = 0; v < visible.size(); ++v)
    if (visible[v] != (*set)->contains(v))
      return KeyOf(v) + (visible[v] ? " is hidden" : " is visible") + " at " + std::to_string(now);
  std::vector<reference::FlatArc> against;
  for (const reference::FlatArc& arc : Flat(now).arcs)
    if (arc.kind == kContradicts) against.push_back(arc);
  const auto expected = reference::OpenPairs(visible, against);
  memory::OpenConflictsOptions options;
  options.now_ms = now;
  const auto open = memory::OpenConflicts(snapshot_, options);
  if (!open) return "conflicts: " + open.error().ToString();
  std::set<std::pair<NodeId, NodeId>> seen;
  for (const memory::Conflict& c : open->conflicts) seen.emplace(c.a, c.b);
  if (seen != expected)
    return std::to_string(seen.size()) + " conflicts instead of " + std::to_string(expected.size());
  return "";
}

std::string Checker::PageRank(Chance& chance) const {
  if (allowed_.victims == Victims::kIgnored) return "";
  pagerank::PageRankOptions options;
  options.tolerance = 1e-11;
  options.weighted = chance.OneIn(2);
  if (chance.OneIn(2)) options.seeds = {{Draw(chance).second, 1.0}};
  const auto found = pagerank::PageRank(snapshot_, options);
  if (!found) return "PageRank: " + found.error().ToString();
  std::vector<double> teleport;
  if (!options.seeds.empty()) {
    teleport.resize(snapshot_.node_count());
    teleport[options.seeds[0].node] = 1;
  }
  const auto expected = reference::PageRank(Flat(), options.damping, options.weighted, teleport, 0);
  for (NodeId v = 0; v < expected.size(); ++v)
    if (std::abs(expected[v] - found->scores[v]) > 1e-9)
      return "PageRank of " + KeyOf(v) + " is " + std::to_string(found->scores[v]) +
             " instead of " + std::to_string(expected[v]);
  return "";
}

// The reference reads the snapshot, which other checks compare with the world, and compares all
// pairs of a part of it. It reads the types of outcomes from their properties: not after a close.
std::string Checker::NeverComposed(Chance& chance) const {
  if (allowed_.unreadable) return "";
  if ((allowed_.victims != Victims::kExact && victims_) || allowed_.no_texts) return "";
  const std::int64_t now = world_.time_ms;
  std::vector<NodeId> pool;
  const auto visible = Visible(now);
  for (NodeId v = 0; v < visible.size(); ++v)
    if (visible[v] && chance.OneIn(5)) pool.push_back(v);
  const auto subset = NodeSubset::Of(snapshot_, pool);
  if (!subset) return subset.error().ToString();
  memory::NeverComposedOptions options;
  options.lens = chance.OneIn(3) ? memory::FrontierLens::kBridge : memory::FrontierLens::kSurface;
  options.now_ms = now;
  options.pool = &*subset;
  const auto found = memory::NeverComposed(snapshot_, options);
  if (!found) return "never composed: " + found.error().ToString();
  const auto expected = reference::NeverComposed(snapshot_, options);
  if (found->sets.size() != std::min(options.top, expected.size()))
    return "never composed: " + std::to_string(found->sets.size()) + " sets of " +
           std::to_string(expected.size());
  for (std::size_t i = 0; i < found->sets.size(); ++i)
    if (found->sets[i].members != expected[i].members ||
        !Near(found->sets[i].score, expected[i].score))
      return "never composed: set " + std::to_string(i) + " has score " +
             std::to_string(found->sets[i].score) + " instead of " +
             std::to_string(expected[i].score);
  return "";
}

}  // namespace plexus::service_test
