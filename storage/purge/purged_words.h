// PurgedWords: which terms and tags only purged nodes ever had.
//
// Their keys are words of a purged text, or names that no other node uses. One pass over all edges
// of the history decides: a candidate is a term or tag that no node has now; an edge to a node that
// was not purged afterwards keeps it. Internal.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "engine/record.h"
#include "engine/snapshot.h"

namespace plexus::storage_internal {

class PurgedWords {
 public:
  // `purged`: node -> sequence of its last purge; it must outlive this. Below `floor` the owners of
  // a term are unknown: one without an edge goes, too, as it may be a purged node's.
  PurgedWords(const Snapshot& now, const std::map<NodeId, Sequence>& purged, Sequence floor);

  // No candidate is left.
  bool empty() const { return left_ == 0; }
  // Edges of the record `at`, or of the state at the floor.
  void Add(const std::vector<EdgeChange>& edges, Sequence at);
  void Add(const Csr& state, Sequence at);
  std::set<NodeId> Take() const;

 private:
  struct Candidate {
    bool is_candidate = false, of_purged = false;
  };
  void CheckCandidate(NodeId word, NodeId other, Sequence at);

  const std::map<NodeId, Sequence>& purged_;
  std::vector<Candidate> nodes_;  // empty when there are none
  std::size_t left_ = 0;
};

}  // namespace plexus::storage_internal
