// Concept recall by definition: hops by relaxing all edges until nothing moves, then every edge
// from either end.
#include "tests/reference/concepts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace plexus::reference {

namespace {

const char* const kNames[] = {"is-a", "part-of", "evokes"};

// One way to walk an edge.
struct Way {
  const ConceptWorld::Edge* edge;
  bool forward;
  std::string at, other;
};

std::vector<Way> WaysOf(const ConceptWorld& world, const ConceptQuestion& question) {
  std::vector<Way> ways;
  for (const auto& edge : world.edges) {
    if (edge.kind == ConceptWorld::kAnother) continue;
    if (!world.nodes.at(edge.from).alive || !world.nodes.at(edge.to).alive) continue;
    if (edge.valid_from != kNoTime && question.now_ms < edge.valid_from) continue;
    if (edge.valid_until != kNoTime && question.now_ms >= edge.valid_until) continue;
    if (question.along[edge.kind] != 0) ways.push_back({&edge, true, edge.from, edge.to});
    if (question.against[edge.kind] != 0) ways.push_back({&edge, false, edge.to, edge.from});
  }
  return ways;
}

bool IsConcept(const ConceptWorld& world, const std::string& name) {
  const auto at = world.nodes.find(name);
  return at != world.nodes.end() && at->second.alive && at->second.kind == ConceptWorld::kConcept;
}

}  // namespace

double ArousalOf(const ConceptWorld::Node& node, std::int64_t now_ms, std::int64_t tau_ms) {
  const double level = node.level.value_or(0);
  const std::int64_t accessed = node.accessed_at.value_or(0) <= 0 ? now_ms : *node.accessed_at;
  const std::int64_t age = std::max<std::int64_t>(0, now_ms - accessed);
  return level * std::exp(-static_cast<double>(age) / static_cast<double>(tau_ms));
}

ConceptAnswer RecallByDefinition(const ConceptWorld& world, const ConceptQuestion& question) {
  ConceptAnswer answer;
  std::map<std::string, int> hop_of;
  for (const std::string& seed : question.seeds) {
    if (IsConcept(world, seed))
      hop_of[seed] = 0;
    else if (std::ranges::find(answer.unknown, seed) == answer.unknown.end())
      answer.unknown.push_back(seed);
  }
  const std::vector<Way> ways = WaysOf(world, question);
  for (bool moved = true; moved;) {
    moved = false;
    for (const Way& way : ways) {
      if (!IsConcept(world, way.at) || !IsConcept(world, way.other) || !hop_of.contains(way.at))
        continue;
      const int hop = hop_of[way.at] + 1;
      if (hop > question.hops || (hop_of.contains(way.other) && hop_of[way.other] <= hop)) continue;
      hop_of[way.other] = hop;
      moved = true;
    }
  }
  std::map<std::string, double> rise;
  std::map<std::string, SlowProposition> best;
  for (const Way& way : ways) {
    if (!IsConcept(world, way.at) || !hop_of.contains(way.at)) continue;
    const int hop = hop_of[way.at] + 1;
    if (hop > question.hops) continue;
    const auto& other = world.nodes.at(way.other);
    const bool episode = other.kind == ConceptWorld::kEpisode && way.forward &&
                         way.edge->kind == ConceptWorld::kEvokes;
    if (!episode && other.kind != ConceptWorld::kConcept) continue;
    double decay = 1;
    for (int n = 1; n < hop; ++n) decay *= question.hop_decay;
    decay *= way.forward ? question.along[way.edge->kind] : question.against[way.edge->kind];
    if (question.weighted) decay *= std::min(1.0, static_cast<double>(way.edge->weight));
    const auto& warm = episode ? world.nodes.at(way.at) : other;
    const double score = ArousalOf(warm, question.now_ms, question.tau_ms) * decay;
    if (!episode) rise[way.other] = std::max(rise.emplace(way.other, 0).first->second, decay);
    const std::string text = way.edge->from + " " + kNames[way.edge->kind] + " " +
                             (episode && !other.text.empty() ? other.text : way.edge->to);
    const SlowProposition found{text, score, other.valence.value_or(0), hop, way.forward};
    const auto rank = [](const SlowProposition& p) {
      return std::tuple(-p.score, p.hop, !p.forward, -p.valence);
    };
    const auto [at, added] = best.emplace(text, found);
    if (!added && rank(found) < rank(at->second)) at->second = found;
  }
  for (const auto& [text, proposition] : best) answer.propositions.push_back(proposition);
  std::ranges::stable_sort(answer.propositions, std::ranges::greater(), &SlowProposition::score);
  for (const auto& [name, level] : rise) {
    const auto& node = world.nodes.at(name);
    if (level < ArousalOf(node, question.now_ms, question.tau_ms)) continue;
    if (node.level != level || node.accessed_at != question.now_ms) answer.raised[name] = level;
  }
  return answer;
}

void ApplyRaised(ConceptWorld& world, const ConceptAnswer& answer, std::int64_t now_ms) {
  for (const auto& [name, level] : answer.raised) {
    world.nodes.at(name).level = level;
    world.nodes.at(name).accessed_at = now_ms;
  }
}

}  // namespace plexus::reference
