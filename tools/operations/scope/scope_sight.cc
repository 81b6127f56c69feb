// A row is left where it is decided: a word at the first fact of the scopes, others at the first
// that is not. Words that no fact of them has are decided by events.
#include "tools/operations/scope/scope_sight.h"

#include <algorithm>

#include "engine/vocabulary.h"

namespace plexus::tools {

bool ScopeSight::IsShared(NodeKindId kind) {
  return kind == builtin::kTag || kind == builtin::kTerm || kind == builtin::kFile ||
         kind == builtin::kSession;
}

bool ScopeSight::InScopes(NodeId node) const {
  return std::ranges::find(scopes_, snapshot_.scope(node)) != scopes_.end();
}

Seen ScopeSight::Of(NodeId node, bool has_fact) const {
  if (!snapshot_.alive(node)) return Seen::kNot;
  if (snapshot_.is_fact(node)) return InScopes(node) ? Seen::kAll : Seen::kNot;
  const bool shared = IsShared(snapshot_.node_kind(node));
  bool other = false;
  std::vector<NodeId> index;
  if (!shared || !has_fact)
    snapshot_.ForEachArc(Direction::kBoth, node, ArcFilter::All(), [&](const Arc& arc) {
      if (!snapshot_.is_fact(arc.neighbor))
        index.push_back(arc.neighbor);
      else  // the scope of a removed one is not known
        (snapshot_.alive(arc.neighbor) && InScopes(arc.neighbor) ? has_fact : other) = true;
      return !(shared ? has_fact : other);
    });
  if (!shared && other) return Seen::kNot;
  if (has_fact) return shared ? Seen::kShared : Seen::kAll;
  const auto names_facts = [&](NodeId v) {
    bool fact = false;
    snapshot_.ForEachArc(Direction::kBoth, v, ArcFilter::All(), [&](const Arc& arc) {
      fact = snapshot_.is_fact(arc.neighbor);
      return !fact;
    });
    return fact && Of(v, false) == Seen::kAll;
  };
  if (shared) return std::ranges::any_of(index, names_facts) ? Seen::kShared : Seen::kNot;
  return !index.empty() && std::ranges::all_of(index, names_facts) ? Seen::kAll : Seen::kNot;
}

std::vector<Seen> ScopeSight::All() const {
  std::vector<Seen> seen(snapshot_.node_count(), Seen::kNot);
  std::vector<bool> met(seen.size());
  std::vector<NodeId> ring, outer;
  const auto meet = [&](NodeId from, std::vector<NodeId>& into) {
    snapshot_.ForEachArc(Direction::kBoth, from, ArcFilter::All(), [&](const Arc& arc) {
      if (snapshot_.is_fact(arc.neighbor) || met[arc.neighbor]) return;
      met[arc.neighbor] = true;
      into.push_back(arc.neighbor);
    });
  };
  for (NodeId v = 0; v < snapshot_.node_count(); ++v) {
    if (!snapshot_.is_fact(v) || Of(v) == Seen::kNot) continue;
    seen[v] = Seen::kAll;
    meet(v, ring);
  }
  for (const NodeId v : ring) seen[v] = Of(v, true);
  for (const NodeId v : ring)
    if (seen[v] == Seen::kAll) meet(v, outer);
  for (const NodeId v : outer)
    seen[v] = IsShared(snapshot_.node_kind(v)) ? Seen::kShared : Of(v);  // of an event
  return seen;
}

}  // namespace plexus::tools
