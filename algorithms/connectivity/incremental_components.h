// IncrementalComponents: weak components kept up to date while edges are added.
//
// Union-find, the smaller tree under the larger (Galler, Fischer 1964; Tarjan 1975), so
// that a question walks at most log2(n) steps and needs no writing. Start from what
// Components() found, then hand in the edges of every batch.
//
// Knows additions only. A removed edge, a removed node or an expired one is not seen:
// the answer is then stale, says "together" where it may no longer be so, and the class
// has to be made anew from Components(). It never says "apart" wrongly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/connectivity/components.h"
#include "engine/bulk/topology.h"
#include "engine/error.h"
#include "engine/types.h"

namespace plexus {

// Thread-safe among const members: they may run at once with each other. Not thread-safe with
// the others (constructor, AddNodes, AddEdges), which want the object for themselves.
class IncrementalComponents {
 public:
  IncrementalComponents() = default;
  // Nodes labelled kNoNode were not selected and stay out. O(nodes).
  // REQUIRES labels as Components() gives them: each the smallest id of its component.
  explicit IncrementalComponents(std::span<const NodeId> labels);

  // Nodes up to `node_count` exist from now on, the new ones each alone. With
  // `takes_part` only its members: a batch that makes a tag adds a node that
  // Components() over the fact plane does not look at.
  void AddNodes(NodeId node_count, const NodeSubset* takes_part = nullptr);
  // The ends of every pair are together from now on; hand in edges of the kinds that
  // Components() was asked for. All or nothing;
  // kInvalidArgument names the first pair with an end that is no selected node.
  // O(pairs), almost.
  Status AddEdges(std::span<const NodePair> pairs);

  NodeId node_count() const { return static_cast<NodeId>(parents_.size()); }
  std::uint64_t count() const { return count_; }  // components
  // Smallest id of the node's component, kNoNode when the node takes no part. O(log n).
  NodeId Label(NodeId node) const;
  // False when one of the two takes no part.
  bool Connected(NodeId a, NodeId b) const;
  std::uint64_t Size(NodeId node) const;  // of its component; 0: takes no part

 private:
  NodeId Root(NodeId node) const;
  NodeId RootHalving(NodeId node);

  std::vector<NodeId> parents_;   // kNoNode: takes no part
  std::vector<NodeId> sizes_;     // of roots
  std::vector<NodeId> smallest_;  // of roots
  std::uint64_t count_ = 0;
};

}  // namespace plexus
