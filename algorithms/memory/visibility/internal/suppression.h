// The active suppressing edges of a snapshot at a time (visibility.h), read from its rows.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "engine/arrays/views.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

struct SuppressingEdge {
  NodeId source, target;
  std::int64_t created_at;
};

class Suppression {
 public:
  Suppression(const Snapshot& snapshot, std::int64_t now)
      : snapshot_(snapshot),
        now_(snapshot.TimeOr(now)),
        kinds_(Kinds(snapshot)),
        filter_(ArcFilter::Kinds(snapshot.schema(), kinds_)) {}

  bool none() const { return kinds_.empty(); }
  const std::vector<EdgeKindId>& kinds() const { return kinds_; }  // ascending; with alive edges

  // valid_from <= now < valid_until; calls note(time) for the times when that changes.
  template <class Note>
  static bool InForce(std::optional<std::int64_t> from, std::optional<std::int64_t> until,
                      std::int64_t now, Note&& note) {
    if (from) note(*from);
    if (until) note(*until);
    return (!from || *from <= now) && (!until || now < *until);
  }
  // An alive fact that is valid now.
  template <class Note>
  bool IsValid(NodeId node, Note&& note) const {
    return snapshot_.alive(node) && snapshot_.is_fact(node) &&
           InForce(snapshot_.i64(builtin::kValidFrom, node),
                   snapshot_.i64(builtin::kValidUntil, node), now_, note);
  }

  // Calls fn(neighbor, created_at) for the active edges of a row but loops; false from fn stops.
  // Calls note(neighbor, time) for the valid times of active and other edges.
  template <class Fn, class Note>
  void ForEach(Direction direction, NodeId node, Fn&& fn, Note&& note) const {
    if (none() || (direction == Direction::kOut && !snapshot_.alive(node)) ||
        !MayHave(direction, node))
      return;
    snapshot_.ForEachArc(direction, node, filter_, [&](const plexus::Arc& arc) {
      if (arc.neighbor == node) return true;
      const NodeId source = direction == Direction::kOut ? node : arc.neighbor;
      if (!snapshot_.alive(source)) return true;
      const Edge e = snapshot_.edge(arc, node);
      if (!InForce(Maybe(e.valid_from), Maybe(e.valid_until), now_,
                   [&](std::int64_t time) { note(arc.neighbor, time); }))
        return true;
      return static_cast<bool>(fn(arc.neighbor, e.created_at));
    });
  }
  template <class Fn>
  void ForEach(Direction direction, NodeId node, Fn&& fn) const {
    ForEach(direction, node, fn, [](NodeId, std::int64_t) {});
  }

 private:
  static std::vector<EdgeKindId> Kinds(const Snapshot& snapshot) {
    std::vector<EdgeKindId> kinds;
    for (EdgeKindId kind{}; kind < snapshot.schema().edge_kinds().size(); ++kind)
      if (snapshot.schema().edge_kind(kind).suppresses && snapshot.CountEdges(kind) != 0)
        kinds.push_back(kind);
    return kinds;
  }
  static std::optional<std::int64_t> Maybe(std::int64_t time) {
    return time == kNoTime ? std::nullopt : std::optional(time);
  }
  // Rows are sorted by kind: the ends of a clean one show whether it can have any.
  bool MayHave(Direction direction, NodeId node) const {
    if (!snapshot_.clean(direction, node)) return true;
    const StoredCsrView& rows = snapshot_.base_rows(direction);
    const std::uint32_t begin = rows.offsets[node], end = rows.offsets[node + 1];
    return begin != end && rows.kind(end - 1) >= kinds_.front() &&
           rows.kind(begin) <= kinds_.back();
  }

  const Snapshot& snapshot_;
  std::int64_t now_;
  std::vector<EdgeKindId> kinds_;
  ArcFilter filter_;
};

// What replaced a node, directly or step by step; O(rows of those).
inline std::unordered_set<NodeId> ReplacedBy(const Suppression& active, NodeId node) {
  std::unordered_set<NodeId> newer = {node};
  std::vector<NodeId> stack = {node};
  while (!stack.empty()) {
    const NodeId older = stack.back();
    stack.pop_back();
    active.ForEach(Direction::kIn, older, [&](NodeId source, std::int64_t) {
      if (newer.insert(source).second) stack.push_back(source);
      return true;
    });
  }
  newer.erase(node);
  return newer;
}

}  // namespace plexus::memory::internal
