// The edges of each recipe between turns by their definition: every pair is looked at.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "algorithms/memory/turns/turns.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/graph.h"
#include "engine/properties/properties.h"
#include "tests/support/vector_values.h"

namespace plexus::testing {

// source, target, label -> weight's bits. Keys, as ids are the graph's matter.
using TurnEdges = std::map<std::array<std::string, 3>, std::uint32_t>;

inline TurnEdges EdgesOf(const Snapshot& s, EdgeKindId kind) {
  TurnEdges edges;
  const EdgeKindId kinds[] = {kind};
  s.ForEachEdge(ArcFilter::Kinds(s.schema(), kinds), [&](const Edge& e) {
    edges[{std::string(s.key(e.source)), std::string(s.key(e.target)),
           std::string(s.string(e.label))}] = std::bit_cast<std::uint32_t>(e.weight);
  });
  return edges;
}

// --- by definition

inline std::vector<NodeId> TurnsBySlowScan(const Snapshot& s) {
  std::vector<NodeId> turns;
  for (NodeId v = 0; v < s.node_count(); ++v)
    if (s.alive(v) && s.node_kind(v) == builtin::kTurn) turns.push_back(v);
  std::ranges::sort(turns, {}, [&](NodeId v) {
    return std::pair(s.i64(builtin::kCreatedAt, v).value_or(kNoTime), v);
  });
  return turns;
}

inline std::set<NodeId> GroupsOf(const Snapshot& s, NodeId turn, EdgeKindId kind) {
  std::set<NodeId> groups;
  s.ForEachArc(Direction::kOut, turn, ArcFilter::All(), [&](const Arc& arc) {
    if (arc.kind == kind) groups.insert(arc.neighbor);
  });
  return groups;
}

inline std::set<std::string> UsesOf(const Snapshot& s, NodeId turn, NodeId file) {
  std::set<std::string> uses;
  s.ForEachArc(Direction::kOut, turn, ArcFilter::All(), [&](const Arc& arc) {
    if (arc.kind != builtin::kMentions || arc.neighbor != file) return;
    const Edge edge = s.edge(arc, turn);
    uses.insert(std::string(s.string(edge.label)));
    if (!edge.properties) return;
    const std::string bytes = *s.Payload(edge.properties);
    const PropertyMap map = *PropertyMap::Read(bytes);
    if (const auto operation = map.root().Find("operation"))
      uses.insert(std::string(*operation->AsString()));
  });
  return uses;
}

inline TurnEdges ReferenceTemporal(const Snapshot& s) {
  TurnEdges edges;
  const std::vector<NodeId> turns = TurnsBySlowScan(s);
  const auto session = [&](NodeId v) {
    const auto groups = GroupsOf(s, v, builtin::kInSession);
    return groups.empty() ? kNoNode : *groups.begin();
  };
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto at = s.i64(builtin::kCreatedAt, turns[i]);
    if (!at || session(turns[i]) == kNoNode) continue;
    for (std::size_t j = i + 1; j < turns.size(); ++j) {
      if (session(turns[j]) != session(turns[i])) continue;
      const double gap = static_cast<double>(*s.i64(builtin::kCreatedAt, turns[j]) - *at) / 1000;
      edges[{std::string(s.key(turns[i])), std::string(s.key(turns[j])), ""}] =
          std::bit_cast<std::uint32_t>(static_cast<float>(1 / (1 + gap / 3600)));
      break;
    }
  }
  return edges;
}

struct ReferenceShared {
  TurnEdges edges;
  std::uint64_t dropped = 0, skipped = 0, capped = 0;
};

inline ReferenceShared ReferenceSharing(const Snapshot& s, const memory::EdgeRecipe& recipe) {
  ReferenceShared result;
  const std::vector<NodeId> turns = TurnsBySlowScan(s);
  const VectorView* space = *s.vectors(SpaceId{});
  for (std::size_t i = 0; i < turns.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (const NodeId group : GroupsOf(s, turns[i], recipe.groups)) {
        if (!GroupsOf(s, turns[j], recipe.groups).contains(group)) continue;
        std::size_t between = 0;
        for (std::size_t k = j + 1; k < i; ++k)
          between += GroupsOf(s, turns[k], recipe.groups).contains(group);
        if (between >= recipe.window) {
          ++result.capped;
          continue;
        }
        if (!space->has(turns[i]) || !space->has(turns[j])) {
          ++result.skipped;
          continue;
        }
        const double cosine =
            retrieval::Cosine(VectorOf(*space, turns[i]), VectorOf(*space, turns[j]));
        if (!(cosine > recipe.above)) {
          ++result.dropped;
          continue;
        }
        NodeId from = turns[i], to = turns[j];
        if (recipe.direction == memory::PairDirection::kReaderToWriter) {
          const auto later = UsesOf(s, from, group), earlier = UsesOf(s, to, group);
          const bool to_later = earlier.contains("read") && later.contains("write");
          const bool to_earlier = later.contains("read") && earlier.contains("write");
          if (to_later && !to_earlier)  // where both are right, or none, the later one first
            std::swap(from, to);
        } else if (from > to) {
          std::swap(from, to);  // symmetric kinds are stored so
        }
        result.edges[{std::string(s.key(from)), std::string(s.key(to)),
                      std::string(DisplayName(s.key(group)))}] =
            std::bit_cast<std::uint32_t>(static_cast<float>(cosine));
      }
  return result;
}

}  // namespace plexus::testing
