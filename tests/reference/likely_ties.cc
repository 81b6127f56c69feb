// Events from the newest on, partners by maps, tags and terms by who has them.
#include "tests/reference/likely_ties.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "engine/vocabulary.h"

namespace plexus::reference {
using namespace builtin;

namespace {

using Weights = std::map<NodeId, std::map<NodeId, double>>;

void AddPartners(const Weights& w, LikelyTies& read) {
  for (const auto& [z, partners] : w) {
    double s = 0;
    for (const auto& [x, weight] : partners) s += std::sqrt(weight);
    for (const auto& [a, of_a] : partners)
      for (const auto& [b, of_b] : partners)
        if (a != b) read.ties[{a, b}] += std::sqrt(of_a * of_b) / std::log(2 + s);
    for (const auto& [x, weight] : partners) read.ties[{z, x}] += weight;
  }
}

// 1 / ln(1 + df) for each index node that two facts have.
void AddShared(const Snapshot& s, std::int64_t now_ms, double weight, LikelyTies& read) {
  std::map<NodeId, std::set<NodeId>> holders;
  s.ForEachEdge(ArcFilter::All(), [&](const Edge& e) {
    const bool index = s.schema().edge_kind(e.kind).plane == Plane::kIndex;
    const bool valid = (e.valid_from == kNoTime || e.valid_from <= now_ms) &&
                       (e.valid_until == kNoTime || now_ms < e.valid_until);
    if (!index || !valid || e.kind == kMember || e.kind == kLabels) return;
    if (s.is_fact(e.source) && !s.is_fact(e.target)) holders[e.target].insert(e.source);
    if (s.is_fact(e.target) && !s.is_fact(e.source)) holders[e.source].insert(e.target);
  });
  for (const auto& [t, facts] : holders)
    for (const NodeId a : facts)
      for (const NodeId b : facts)
        if (a != b) read.ties[{a, b}] += weight / std::log(1 + static_cast<double>(facts.size()));
}

}  // namespace

LikelyTies ReadLikely(const Snapshot& s, const memory::NeverComposedOptions& options) {
  const memory::LikelyOptions& o = options.likely;
  std::map<NodeId, std::set<NodeId>> members;
  for (NodeId v = 0; v < s.node_count(); ++v)
    if (s.alive(v) && s.node_kind(v) == kEvent) members[v];
  s.ForEachEdge(ArcFilter::All(), [&](const Edge& e) {
    if (e.kind == kMember && members.contains(e.source)) members[e.source].insert(e.target);
  });
  std::vector<NodeId> newest;
  for (const auto& [event, list] : members) newest.push_back(event);
  std::sort(newest.begin(), newest.end(), [&](NodeId a, NodeId b) {
    const auto at = s.i64(kCreatedAt, a).value_or(kNoTime),
               bt = s.i64(kCreatedAt, b).value_or(kNoTime);
    return at != bt ? at > bt : a > b;
  });
  const double events = static_cast<double>(newest.size());
  const double half_life = o.half_life > 0 ? o.half_life : std::max(1.0, events / 10);
  LikelyTies read;
  Weights w;
  for (std::size_t age = 0; age < newest.size(); ++age) {
    const double decay = std::pow(0.5, static_cast<double>(age) / half_life);
    const std::set<NodeId>& list = members[newest[age]];
    for (const NodeId a : list) {
      read.activity[a] += decay;
      if (list.size() > 100) continue;
      for (const NodeId z : list)
        if (a != z) w[a][z] += decay / static_cast<double>(list.size() - 1);
    }
  }
  AddPartners(w, read);
  if (o.shared_weight > 0) AddShared(s, options.now_ms, o.shared_weight / (events + 50), read);
  return read;
}

}  // namespace plexus::reference
