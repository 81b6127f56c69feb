// One look at every edge a hop; one formula a term.
#include "tests/reference/recall.h"

#include <algorithm>
#include <cmath>

namespace plexus::reference {

std::vector<RelatedRow> RelatedByDefinition(const RelatedWorld& world, NodeId start, int hops) {
  constexpr int kFar = 1'000;
  std::vector<int> distance(world.keys.size(), kFar);
  distance[start] = 0;
  for (int round = 0; round < hops; ++round) {
    const std::vector<int> before = distance;
    for (const RelatedEdge& e : world.edges) {
      const auto relax = [&](NodeId from, NodeId to) {
        if (world.stands[to]) distance[to] = std::min(distance[to], before[from] + 1);
      };
      relax(e.source, e.target);
      relax(e.target, e.source);
    }
  }
  std::vector<RelatedRow> rows;
  for (const RelatedEdge& e : world.edges) {
    if (e.source == e.target) continue;
    const bool from_source = distance[e.source] != distance[e.target]
                                 ? distance[e.source] < distance[e.target]
                                 : e.source < e.target;
    const NodeId near = from_source ? e.source : e.target,
                 other = from_source ? e.target : e.source;
    if (distance[near] >= hops) continue;
    const bool replaced = e.suppresses && from_source && world.may_be_replaced[other];
    if (!world.stands[other] && !replaced) continue;
    std::string first = world.keys[e.source], second = world.keys[e.target];
    if (e.symmetric && second < first) std::swap(first, second);
    rows.emplace_back(distance[near] + 1, world.keys[other], e.kind, world.keys[near],
                      e.symmetric   ? 2
                      : from_source ? 0
                                    : 1,
                      e.label, first + " " + e.kind + " " + second);
  }
  std::ranges::sort(rows);
  return rows;
}

std::map<std::string, double> RecallTermsByDefinition(const RecallMemory& memory,
                                                      std::int64_t now_ms,
                                                      std::int64_t half_life_ms,
                                                      std::int64_t full_count) {
  std::map<std::string, double> terms;
  const auto last = memory.accessed_at ? memory.accessed_at : memory.created_at;
  const double age = last ? static_cast<double>(now_ms - *last) : 0;
  terms["recency"] = !last      ? 0
                     : age <= 0 ? 1
                                : std::pow(0.5, age / static_cast<double>(half_life_ms));
  const double salience = memory.salience    ? *memory.salience
                          : memory.retention ? *memory.retention
                          : memory.trust     ? *memory.trust
                                             : 0.5;
  terms["salience"] = std::clamp(salience, 0.0, 1.0);
  const double uses = static_cast<double>(std::max<std::int64_t>(0, memory.access_count));
  terms["frequency"] = std::min(1.0, std::log(1 + uses) / std::log(1.0 + full_count));
  terms["scope"] = memory.preferred ? 1 : 0;
  return terms;
}

}  // namespace plexus::reference
