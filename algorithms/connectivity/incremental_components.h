// IncrementalComponents: weak components, maintained while edges are added.
//
// Union-find that links the smaller tree under the larger one (Galler, Fischer, 1964; Tarjan,
// 1975), so a query follows at most log2(n) links and writes nothing. Start from the labels of
// Components(), then add the edges of every batch.
//
// Removed or expired edges and removed nodes are not seen. Connected() may then be true for nodes
// that are no longer connected, and the object must be rebuilt from Components(). A false answer is
// always right.
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

// Threads: const members may run at once. The others (constructor, AddNodes, AddEdges) need
//   exclusive access.
class IncrementalComponents {
 public:
  IncrementalComponents() = default;
  // Starts from labels. Nodes labelled kNoNode take no part. O(nodes). REQUIRES the labels of
  // Components(), each the smallest id of its component.
  explicit IncrementalComponents(std::span<const NodeId> labels);

  // Adds the nodes up to `node_count`, each a component of its own. With `takes_part`, only its
  // members: a batch that makes a tag adds a node that Components() over the fact plane leaves out.
  void AddNodes(NodeId node_count, const NodeSubset* takes_part = nullptr);
  // Computes: the components with these edges, all or none. Pass edges of the kinds that
  //   Components() followed.
  // Complexity: almost O(pairs).
  // Errors: kInvalidArgument: an end that is no selected node (names the first such pair).
  //   kResourceExhausted: no memory.
  Status AddEdges(std::span<const NodePair> pairs);

  NodeId node_count() const { return static_cast<NodeId>(parents_.size()); }
  std::uint64_t count() const { return count_; }  // Components.
  // The smallest id of the node's component. kNoNode when it takes no part. O(log n).
  NodeId Label(NodeId node) const;
  // False when one of the two takes no part. O(log n).
  bool Connected(NodeId a, NodeId b) const;
  std::uint64_t Size(NodeId node) const;  // Nodes of its component. 0: it takes no part.

 private:
  NodeId Root(NodeId node) const;

  std::vector<NodeId> parents_;   // kNoNode: takes no part
  std::vector<NodeId> sizes_;     // of roots
  std::vector<NodeId> smallest_;  // of roots
  std::uint64_t count_ = 0;
};

}  // namespace plexus
