// NodeHistory: the records that name a node, one after the other, as what happened to it.
//
// Of what a purge erased only the number is given, of the node itself and of those that it was
// linked with. Records that do not name the node may be left out. Internal.
#pragma once

#include <map>
#include <vector>

#include "storage/database.h"
#include "storage/purge/purge_mask.h"

namespace plexus::storage_internal {

class NodeHistory {
 public:
  // `purged`: node -> sequence of its last purge; it outlives this.
  NodeHistory(NodeId node, const std::map<NodeId, Sequence>& purged)
      : node_(node), purged_(purged), mask_(purged, 0) {}

  // REQUIRES a later record than the last; what is hidden is taken from it.
  void Add(Record& record);
  std::vector<HistoryEntry> Take() { return std::move(entries_); }

 private:
  const NodeId node_;
  const std::map<NodeId, Sequence>& purged_;
  PurgeMask mask_;
  std::uint64_t erased_ = 0;
  std::vector<HistoryEntry> entries_;
};

}  // namespace plexus::storage_internal
