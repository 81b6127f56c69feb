// What the lens likely reads of a snapshot, by its formula: ties of pairs, activity of members.
//
// Formulas: algorithms/memory/frontier/internal/likely_rows.h. Every event and every pair is looked
// at. Never use it in production.
#pragma once

#include <map>
#include <utility>

#include "algorithms/memory/frontier/frontier.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::reference {

struct LikelyTies {
  std::map<std::pair<NodeId, NodeId>, double> ties;  // link + w, both orders; absent: 0
  std::map<NodeId, double> activity;                 // act; absent: 0

  double tie(NodeId a, NodeId b) const {
    const auto at = ties.find({a, b});
    return at == ties.end() ? 0 : at->second;
  }
  double act(NodeId v) const {
    const auto at = activity.find(v);
    return at == activity.end() ? 0 : at->second;
  }
};

LikelyTies ReadLikely(const Snapshot& snapshot, const memory::NeverComposedOptions& options);

}  // namespace plexus::reference
