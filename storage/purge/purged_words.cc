// Candidates from the graph of now, exceptions from the history.
#include "storage/purge/purged_words.h"

#include "engine/vocabulary.h"
#include "storage/purge/each_arc.h"

namespace plexus::storage_internal {

PurgedWords::PurgedWords(const Snapshot& now, const std::map<NodeId, Sequence>& purged,
                         Sequence floor)
    : purged_(purged) {
  for (NodeId v = 0; v < now.node_count(); ++v) {
    const NodeKindId kind = now.node_kind(v);
    if ((kind != builtin::kTerm && kind != builtin::kTag) || now.purged(v))
      continue;  // purged: rewritten already
    bool has_arc = false;
    now.ForEachArc(Direction::kBoth, v, ArcFilter::All(), [&](const Arc&) {
      has_arc = true;
      return false;
    });
    if (has_arc) continue;
    if (nodes_.empty()) nodes_.resize(now.node_count());
    nodes_[v] = {true, kind == builtin::kTerm && floor > 0};
    ++left_;
  }
}

void PurgedWords::CheckCandidate(NodeId word, NodeId other, Sequence at) {
  if (word >= nodes_.size() || !nodes_[word].is_candidate) return;
  const auto purge = purged_.find(other);
  if (purge != purged_.end() && at <= purge->second) {
    nodes_[word].of_purged = true;
  } else {
    nodes_[word].is_candidate = false;
    --left_;
  }
}

void PurgedWords::Add(const std::vector<EdgeChange>& edges, Sequence at) {
  if (left_ == 0) return;
  for (const EdgeChange& e : edges) {
    CheckCandidate(e.target, e.source, at);
    CheckCandidate(e.source, e.target, at);
  }
}

void PurgedWords::Add(const Csr& state, Sequence at) {
  if (left_ == 0) return;
  ForEachArcOf(state, [&](NodeId source, KindId, NodeId target) {
    CheckCandidate(target, source, at);
    CheckCandidate(source, target, at);
  });
}

std::set<NodeId> PurgedWords::Take() const {
  std::set<NodeId> words;
  for (NodeId v = 0; v < nodes_.size(); ++v)
    if (nodes_[v].is_candidate && nodes_[v].of_purged) words.insert(v);
  return words;
}

}  // namespace plexus::storage_internal
