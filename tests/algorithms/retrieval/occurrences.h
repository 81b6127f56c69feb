// The terms that a graph holds, to compare with those that indexing anew makes.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "engine/snapshot.h"
#include "engine/vocabulary.h"

namespace plexus {

// (node, term, frequency) of all has_term edges.
using Occurrences = std::vector<std::tuple<std::string, std::string, float>>;
inline Occurrences OccurrencesOf(const Snapshot& s) {
  const EdgeKindId kind[] = {builtin::kHasTerm};
  Occurrences all;
  s.ForEachEdge(ArcFilter::Kinds(s.schema(), kind), [&](const Edge& e) {
    all.emplace_back(s.key(e.source), DisplayName(s.key(e.target)), e.weight);
  });
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace plexus
