// Another look at some nodes and edges: dirty cycles, new cycles, then the hidden nodes.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "algorithms/memory/visibility/internal/visible_set.h"

namespace plexus::memory::internal {

namespace {

template <class T>
void SortOnce(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

class VisibleSet::Recheck {
 public:
  Recheck(const VisibleSet& before, const Snapshot& snapshot, std::int64_t now)
      : before_(before), suppression_(snapshot, now), cycles_(before.cycles_) {}

  // False: too much to do.
  bool FindCyclesAnew(const std::vector<Arc>& arcs) {
    for (const Arc& arc : arcs) {
      const NodeId cycle = CycleOf(*before_.cycles_, arc.source);
      if (cycle != kNoNode && cycle == CycleOf(*before_.cycles_, arc.target))
        AddMembers(*before_.cycles_, cycle, dirty_);
      else if (IsActive(arc) && !AddCycleThrough(arc))
        return false;
    }
    if (dirty_.empty()) return work_ <= kMaxWork;
    SortOnce(dirty_);
    std::vector<SuppressingEdge> edges;
    for (const NodeId v : dirty_)
      suppression_.ForEach(Direction::kOut, v, [&](NodeId target, std::int64_t created_at) {
        if (IsDirty(target)) edges.push_back({v, target, created_at});
        return ++work_ <= kMaxWork;
      });
    Cycles cycles = FindCycles(edges);
    for (const CycleNode& c : *before_.cycles_)
      if (!IsDirty(c.node)) cycles.push_back(c);
    std::sort(cycles.begin(), cycles.end());
    cycles_ = std::make_shared<const Cycles>(std::move(cycles));
    return work_ <= kMaxWork;
  }

  // Everything whose bit may be another one: `nodes`, what the edges enter, and dirty cycles.
  std::vector<NodeId> Suspects(std::vector<NodeId> nodes, const std::vector<Arc>& arcs) const {
    nodes.insert(nodes.end(), dirty_.begin(), dirty_.end());
    for (const Arc& arc : arcs) {
      const NodeId cycle = CycleOf(*cycles_, arc.target);
      if (cycle == kNoNode)
        nodes.push_back(arc.target);
      else
        AddMembers(*cycles_, cycle, nodes);
    }
    SortOnce(nodes);
    return nodes;
  }

  bool IsHidden(NodeId node) {
    const NodeId cycle = CycleOf(*cycles_, node);
    if (cycle != kNoNode) return HeadOf(cycle) != node;
    bool hidden = false;
    suppression_.ForEach(Direction::kIn, node, [&](NodeId, std::int64_t) {
      hidden = true;
      return false;
    });
    return hidden;
  }

  const Suppression& suppression() const { return suppression_; }
  const std::shared_ptr<const Cycles>& cycles() const { return cycles_; }

 private:
  static constexpr std::size_t kMaxWork = 1 << 14;  // edges looked at

  // One end of a search: what it has reached, and how far of that it has followed.
  struct End {
    Direction direction;
    std::vector<NodeId> reached;
    std::unordered_set<NodeId> known;
    std::size_t next = 0;

    End(Direction d, NodeId first) : direction(d), reached{first}, known{first} {}
    bool done() const { return next == reached.size(); }
  };

  bool IsDirty(NodeId node) const { return std::binary_search(dirty_.begin(), dirty_.end(), node); }

  static void AddMembers(const Cycles& cycles, NodeId cycle, std::vector<NodeId>& to) {
    for (const CycleNode& c : cycles)
      if (c.cycle == cycle) to.push_back(c.node);
  }

  bool IsActive(const Arc& arc) {
    bool active = false;
    suppression_.ForEach(Direction::kOut, arc.source, [&](NodeId target, std::int64_t) {
      active |= target == arc.target;
      return !active && ++work_ <= kMaxWork;
    });
    return active;
  }

  // Follows one more node of an end; true when it reaches the other.
  bool Step(End& end, const End& other) {
    bool met = false;
    suppression_.ForEach(end.direction, end.reached[end.next++], [&](NodeId v, std::int64_t) {
      if (end.known.insert(v).second) end.reached.push_back(v);
      met |= other.known.contains(v);
      return ++work_ <= kMaxWork;
    });
    return met;
  }

  // The component of both ends, if the arc is part of a cycle, is dirty. False: too much to do.
  bool AddCycleThrough(const Arc& arc) {
    End from(Direction::kOut, arc.target), to(Direction::kIn, arc.source);
    bool met = false;
    while (!met && !from.done() && !to.done() && work_ <= kMaxWork)
      met = Step(to, from) || Step(from, to);
    while (met && !from.done() && work_ <= kMaxWork) Step(from, to);
    while (met && !to.done() && work_ <= kMaxWork) Step(to, from);
    if (met)
      for (const NodeId v : from.reached)
        if (to.known.contains(v)) dirty_.push_back(v);
    return work_ <= kMaxWork;
  }

  // Who stays of a cycle: the source of its newest edge, ties by the smaller id; kNoNode: an edge
  // from outside supersedes all.
  NodeId HeadOf(NodeId cycle) {
    if (const auto known = heads_.find(cycle); known != heads_.end()) return known->second;
    std::vector<NodeId> members;
    AddMembers(*cycles_, cycle, members);
    bool superseded = false;
    NodeId head = kNoNode;
    std::int64_t newest = 0;
    for (const NodeId v : members)
      suppression_.ForEach(Direction::kIn, v, [&](NodeId source, std::int64_t created_at) {
        if (CycleOf(*cycles_, source) != cycle) superseded = true;
        if (head == kNoNode || created_at > newest || (created_at == newest && source < head)) {
          head = source;
          newest = created_at;
        }
        return !superseded;
      });
    return heads_[cycle] = superseded ? kNoNode : head;
  }

  const VisibleSet& before_;
  Suppression suppression_;
  std::shared_ptr<const Cycles> cycles_;  // those of now
  std::vector<NodeId> dirty_;             // nodes whose component may be another
  std::unordered_map<NodeId, NodeId> heads_;
  std::size_t work_ = 0;
};

std::shared_ptr<const VisibleSet> VisibleSet::Rechecked(const Snapshot& snapshot, std::int64_t now,
                                                        std::vector<NodeId> nodes,
                                                        std::vector<Arc> arcs) const {
  const NodeId n = snapshot.node_count();
  if (nodes.size() + arcs.size() > 1024 + n / 16) return nullptr;
  SortOnce(arcs);
  std::erase_if(arcs, [](const Arc& arc) { return arc.source == arc.target; });
  SortOnce(nodes);
  Recheck recheck(*this, snapshot, now);
  if (!recheck.FindCyclesAnew(arcs)) return nullptr;

  auto set = std::make_shared<VisibleSet>();
  set->include_superseded_ = include_superseded_;
  set->follows_clock_ = now >= snapshot.time_ms();
  set->at_ = now;
  set->floor_ = floor_;
  set->horizon_ = horizon_;
  set->cycles_ = recheck.cycles();
  Moments moments;
  auto note = [&](std::int64_t time, NodeId node, NodeId target) {
    moments.push_back({time, node, target});
  };
  std::vector<NodeSubset::Change> changed;
  for (const NodeId v : recheck.Suspects(std::move(nodes), arcs)) {
    const bool valid =
        recheck.suppression().IsValid(v, [&](std::int64_t time) { note(time, v, kNoNode); });
    const bool visible = valid && (include_superseded_ || !recheck.IsHidden(v));
    if (visible != nodes_->contains(v)) changed.push_back({v, visible});
  }
  NodeId looked_at = kNoNode;  // arcs ascend by source
  for (const Arc& arc : arcs) {
    if (arc.source == looked_at) continue;
    looked_at = arc.source;
    recheck.suppression().ForEach(
        Direction::kOut, arc.source, [](NodeId, std::int64_t) { return true; },
        [&](NodeId target, std::int64_t time) { note(time, arc.source, target); });
  }
  set->nodes_ = changed.empty() && n == nodes_->capacity()
                    ? nodes_
                    : std::make_shared<const NodeSubset>(nodes_->With(n, changed));
  set->KeepMoments(std::move(moments), moments_);
  return set;
}

}  // namespace plexus::memory::internal
