// Union by size; halving only on the writing side.
#include "algorithms/connectivity/incremental_components.h"

#include <algorithm>
#include <string>
#include <utility>

#include "algorithms/connectivity/internal/union_find.h"
#include "engine/out_of_memory.h"

namespace plexus {

IncrementalComponents::IncrementalComponents(std::span<const NodeId> labels)
    : parents_(labels.begin(), labels.end()), sizes_(labels.size()), smallest_(labels.size()) {
  for (NodeId v = 0; v < labels.size(); ++v) {
    if (labels[v] == kNoNode) continue;
    if (labels[v] == v) ++count_;
    smallest_[v] = labels[v];
    ++sizes_[labels[v]];
  }
}

void IncrementalComponents::AddNodes(NodeId node_count, const NodeSubset* takes_part) {
  parents_.reserve(node_count);
  sizes_.reserve(node_count);
  smallest_.reserve(node_count);
  for (NodeId v = this->node_count(); v < node_count; ++v) {
    const bool member = !takes_part || takes_part->contains(v);
    parents_.push_back(member ? v : kNoNode);
    sizes_.push_back(member);
    smallest_.push_back(v);
    count_ += member;
  }
}

Status IncrementalComponents::AddEdges(std::span<const NodePair> pairs) try {
  for (const NodePair& pair : pairs)
    for (NodeId end : {pair.source, pair.target})
      if (end >= node_count() || parents_[end] == kNoNode)
        return Fail(ErrorCode::kInvalidArgument,
                    "edge " + std::to_string(pair.source) + " to " + std::to_string(pair.target) +
                        ": node id " + std::to_string(end) + " is not among the nodes looked at");
  for (const NodePair& pair : pairs) {
    NodeId large = connectivity_internal::RootHalving(parents_, pair.source),
           small = connectivity_internal::RootHalving(parents_, pair.target);
    if (large == small) continue;
    if (sizes_[large] < sizes_[small]) std::swap(large, small);
    parents_[small] = large;
    sizes_[large] += sizes_[small];
    smallest_[large] = std::min(smallest_[large], smallest_[small]);
    --count_;
  }
  return {};
}
PLEXUS_CATCH_NO_MEMORY

NodeId IncrementalComponents::Root(NodeId node) const {
  while (parents_[node] != node) node = parents_[node];
  return node;
}

NodeId IncrementalComponents::Label(NodeId node) const {
  return node < node_count() && parents_[node] != kNoNode ? smallest_[Root(node)] : kNoNode;
}

bool IncrementalComponents::Connected(NodeId a, NodeId b) const {
  const NodeId label = Label(a);
  return label != kNoNode && label == Label(b);
}

std::uint64_t IncrementalComponents::Size(NodeId node) const {
  return Label(node) == kNoNode ? 0 : sizes_[Root(node)];
}

}  // namespace plexus
