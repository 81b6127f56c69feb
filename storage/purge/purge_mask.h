// Masks: what a purge hides from every point in time before it.
//
// A soft purge erases payload bytes and leaves the log as it is (it chains
// digests). So a rebuilt past state drops, for every node purged later:
// its text, properties and vectors, its edges to tags and terms, and the
// properties (previews, tag snapshots) of edges that touch it.
//
// The checkpoint of the history floor is written masked. What is replayed over it must be
// masked, too: up to the purge, and of its record what removes what is not there any more.
// What a batch says of a node after purging it belongs to the node's next life.
//
// A member's rank in an event is left by its purge. A past state has the one that was left, where
// it is known what is left. The floor's checkpoint has none, as what was left is of a later record;
// who reads it adds it.
//
// A follower may have read, before the purge, what a hidden change replaced. So in its feed
// such a change is an end: the payload is cleared, the vector removed, the tags and terms are
// dropped, whichever they are.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "engine/parallel.h"
#include "engine/record.h"
#include "engine/snapshot.h"
#include "engine/state.h"

namespace plexus::storage_internal {

class PurgeMask {
 public:
  // Of `purged` (node -> sequence of its last purge) those purged after `at`.
  PurgeMask(const std::map<NodeId, Sequence>& purged, Sequence at);
  explicit PurgeMask(std::vector<NodeId> nodes);

  // From now on only those purged after `at`, which is not less than what this was made with.
  void MoveTo(Sequence at) { at_ = at; }
  // Where ranks of purged members are found: a state behind all of the purges.
  void TakeRanksFrom(const Snapshot& present) { present_ = present; }
  bool empty() const { return last_ <= at_; }
  bool hides(NodeId node) const;
  // Of the purge's own record it hides what that takes away; what it adds is new.
  void Apply(Record& record) const { Hide(record, false); }
  // The same for a follower of any past.
  void ApplyForFeed(Record& record) const { Hide(record, true); }
  Result<GraphState> Apply(GraphState state, Executor& executor) const;

 private:
  void Hide(Record& record, bool feed) const;
  Sequence PurgeOf(NodeId node) const;                // 0: never
  PayloadRef RankLeft(const EdgeChange& edge) const;  // none: nothing was left
  bool AddRanks(EdgeList& list) const;                // whether there were any
  struct Purge {
    NodeId node;
    Sequence sequence;
  };
  std::vector<Purge> purges_;   // by node
  Sequence at_ = 0, last_ = 0;  // of all purges
  std::optional<Snapshot> present_;
};

// Drops edges[i] where drop(edge, extra or null) is true, keeping extras in step;
// drop may change the extra.
template <class Drop>
void FilterEdges(std::vector<EdgeChange>& edges, std::vector<EdgeExtra>& extras, Drop&& drop) {
  std::size_t kept = 0, kept_extras = 0, x = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    EdgeExtra* extra = nullptr;
    if (x < extras.size() && extras[x].index == i) extra = &extras[x++];
    if (drop(edges[i], extra)) continue;
    if (extra) {
      EdgeExtra copy = *extra;
      copy.index = static_cast<std::uint32_t>(kept);
      extras[kept_extras++] = copy;
    }
    edges[kept++] = edges[i];
  }
  edges.resize(kept);
  extras.resize(kept_extras);
}

}  // namespace plexus::storage_internal
