// TurnGroups: the turns of each session, file or inscription, in order of time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/memory/turns/turns.h"

namespace plexus::memory::internal {

// Absent times lie before all others.
std::int64_t TurnTime(const Snapshot& snapshot, NodeId turn);
// By time, then id.
bool EarlierTurn(const Snapshot& snapshot, NodeId a, NodeId b);

struct TurnGroups {
  std::vector<NodeId> nodes;                // of the groups, ascending
  std::vector<std::uint64_t> begins = {0};  // in `turns`, one more than groups
  std::vector<NodeId> turns;                // each once in a group
  std::uint64_t more = 0;                   // turns in further groups, with `one_each`

  std::size_t size() const { return nodes.size(); }
  std::span<const NodeId> operator[](std::size_t group) const {
    return std::span(turns).subspan(begins[group], begins[group + 1] - begins[group]);
  }
};

// `one_each`: a turn is only in the group of the smallest id.
TurnGroups ReadTurnGroups(const Snapshot& snapshot, EdgeKindId kind, const NodeSubset& turns,
                          bool one_each, Executor& executor);

// Which nodes and groups what changed may matter to.
class TouchedNodes {
 public:
  // `recipe`'s groups, edges, times, vectors of `space` and properties.
  TouchedNodes(const Snapshot& snapshot, const EdgeRecipe& recipe, const BuildOptions& options);
  bool all() const { return all_; }
  bool any() const { return all_ || any_; }
  bool node(NodeId node) const { return all_ || touched_[node]; }
  // The group itself, or one of its turns.
  bool group(const TurnGroups& groups, std::size_t index) const;

 private:
  bool all_ = false, any_ = false;
  std::vector<std::uint8_t> touched_;  // by node
};

}  // namespace plexus::memory::internal
