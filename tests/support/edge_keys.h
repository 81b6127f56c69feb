// What an edge is known by in tests, whoever lists it.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/types.h"
#include "tests/reference/oracles.h"

namespace plexus::testing {

// (smaller end, larger end, kind, weight): what a FlatArc and a PathEdge have in common.
using Key = std::tuple<NodeId, NodeId, EdgeKindId, float>;
template <class E>
Key KeyOf(NodeId a, NodeId b, const E& e) {
  return {std::min(a, b), std::max(a, b), e.kind, e.weight};
}
inline std::vector<Key> Keys(const std::vector<PathEdge>& edges) {
  std::vector<Key> keys;
  for (const PathEdge& e : edges) keys.push_back(KeyOf(e.source, e.target, e));
  std::sort(keys.begin(), keys.end());
  return keys;
}
inline std::vector<Key> Keys(const std::vector<reference::FlatArc>& arcs) {
  std::vector<Key> keys;
  for (const auto& a : arcs) keys.push_back(KeyOf(a.from, a.to, a));
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace plexus::testing
