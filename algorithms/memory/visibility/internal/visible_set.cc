// From nothing: collect the active suppressing edges, find their cycles, hide what is superseded.
// Then what keeps a set up to date without that.
// Another look at some nodes and edges: dirty cycles, new cycles, then the hidden nodes.
#include "algorithms/memory/visibility/internal/visible_set.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "algorithms/common/internal/stop_flag.h"
#include "algorithms/memory/internal/edge_components.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

constexpr std::size_t kGrain = 4096;
constexpr std::size_t kMaxMoments = 2048;  // ahead
constexpr std::size_t kMaxPassed = 256;

template <class T>
void SortOnce(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

VisibleSet::Cycles VisibleSet::FindCycles(const std::vector<SuppressingEdge>& edges) {
  std::vector<std::pair<NodeId, NodeId>> arcs;
  arcs.reserve(edges.size());
  for (const SuppressingEdge& e : edges) arcs.emplace_back(e.source, e.target);
  const EdgeComponents g = ComponentsOf(std::move(arcs));
  const std::vector<std::uint32_t>& component = g.components;
  std::vector<NodeId> smallest(g.nodes.size(), kNoNode);  // of each component
  std::vector<std::uint32_t> size(g.nodes.size(), 0);
  for (std::size_t u = 0; u < g.nodes.size(); ++u) {
    smallest[component[u]] = std::min(smallest[component[u]], g.nodes[u]);
    ++size[component[u]];
  }
  Cycles cycles;
  for (std::size_t u = 0; u < g.nodes.size(); ++u)
    if (size[component[u]] > 1) cycles.push_back({g.nodes[u], smallest[component[u]]});
  return cycles;
}

NodeId VisibleSet::CycleOf(const Cycles& cycles, NodeId node) {
  const auto at = std::lower_bound(cycles.begin(), cycles.end(), CycleNode{node, 0});
  return at != cycles.end() && at->node == node ? at->cycle : kNoNode;
}

std::shared_ptr<const VisibleSet> VisibleSet::Make(const Snapshot& snapshot, std::int64_t now,
                                                   bool include_superseded, Executor& executor,
                                                   const Budget& budget) {
  const NodeId n = snapshot.node_count();
  const Suppression suppression(snapshot, now);
  std::vector<std::uint64_t> bits((std::size_t{n} + 63) / 64);
  struct Found {
    std::vector<SuppressingEdge> edges;
    Moments moments;
    std::int64_t since = std::numeric_limits<std::int64_t>::min();
    void Note(std::int64_t time, NodeId node, NodeId target, std::int64_t at) {
      if (time <= at)
        since = std::max(since, time);
      else
        moments.push_back({time, node, target});
    }
  };
  common_internal::StopFlag stop(&budget);
  Found found = ParallelReduce(
      executor, n, kGrain, Found{},
      [&](std::size_t begin, std::size_t end) {
        Found mine;
        if (begin > 0 && stop.Poll()) return mine;
        for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
          if (suppression.IsValid(v, [&](std::int64_t time) { mine.Note(time, v, kNoNode, now); }))
            bits[v / 64] |= std::uint64_t{1} << (v % 64);
          if (include_superseded) continue;
          suppression.ForEach(
              Direction::kOut, v,
              [&](NodeId target, std::int64_t created_at) {
                mine.edges.push_back({v, target, created_at});
                return true;
              },
              [&](NodeId target, std::int64_t time) { mine.Note(time, v, target, now); });
        }
        return mine;
      },
      [](Found a, const Found& b) {
        a.edges.insert(a.edges.end(), b.edges.begin(), b.edges.end());
        a.moments.insert(a.moments.end(), b.moments.begin(), b.moments.end());
        a.since = std::max(a.since, b.since);
        return a;
      });
  if (n > kGrain && stop.Poll()) return nullptr;

  // A node outside cycles is hidden by any edge; a cycle by one from outside, else all but its head
  // are.
  const Cycles cycles = FindCycles(found.edges);
  struct Head {
    bool superseded = false, known = false;
    std::int64_t newest = 0;
    NodeId node = kNoNode;
  };
  std::vector<Head> heads(cycles.size());  // at the place of the node the cycle goes by
  auto head_of = [&](NodeId cycle) -> Head& {
    return heads[static_cast<std::size_t>(
        std::lower_bound(cycles.begin(), cycles.end(), CycleNode{cycle, 0}) - cycles.begin())];
  };
  auto hide = [&](NodeId v) { bits[v / 64] &= ~(std::uint64_t{1} << (v % 64)); };
  for (const SuppressingEdge& e : found.edges) {
    const NodeId cycle = CycleOf(cycles, e.target);
    if (cycle == kNoNode) {
      hide(e.target);
    } else if (Head& head = head_of(cycle); CycleOf(cycles, e.source) != cycle) {
      head.superseded = true;
    } else if (!head.known ||
               e.created_at > head.newest) {  // sources ascend: ties keep the smaller id
      head = {head.superseded, true, e.created_at, e.source};
    }
  }
  for (const CycleNode& c : cycles)
    if (const Head& head = head_of(c.cycle); head.superseded || head.node != c.node) hide(c.node);

  auto set = std::make_shared<VisibleSet>();
  set->include_superseded_ = include_superseded;
  set->at_ = now;
  set->floor_ = found.since;
  set->cycles_ = std::make_shared<const Cycles>(cycles);
  set->nodes_ = std::make_shared<const NodeSubset>(n, std::move(bits));
  set->follows_clock_ = now >= snapshot.time_ms();
  set->KeepMoments(std::move(found.moments), nullptr);
  return set;
}

void VisibleSet::KeepMoments(Moments found, const std::shared_ptr<const Moments>& known) {
  std::erase_if(found, [&](const Moment& m) {
    return m.time <= floor_ || (horizon_ && m.time >= *horizon_);
  });
  if (found.size() > kMaxMoments) {  // from nothing: all lie ahead
    const auto most = found.begin() + kMaxMoments;
    std::nth_element(found.begin(), most, found.end());
    horizon_ = most->time;
    found.erase(most, found.end());
  }
  std::sort(found.begin(), found.end());
  if (known && std::ranges::includes(*known, found)) {
    moments_ = known;
    return;
  }
  auto all = std::make_shared<Moments>();
  if (known)
    std::set_union(found.begin(), found.end(), known->begin(), known->end(),
                   std::back_inserter(*all));
  else
    *all = std::move(found);
  const auto ahead = static_cast<std::size_t>(
      std::ranges::upper_bound(*all, at_, {}, &Moment::time) - all->begin());
  if (all->size() > ahead + 2 * kMaxMoments) horizon_ = (*all)[ahead + kMaxMoments].time;
  if (ahead > 2 * kMaxPassed) floor_ = (*all)[ahead - kMaxPassed - 1].time;
  if (horizon_)
    all->erase(std::ranges::lower_bound(*all, *horizon_, {}, &Moment::time), all->end());
  all->erase(all->begin(), std::ranges::upper_bound(*all, floor_, {}, &Moment::time));
  moments_ = std::move(all);
}

std::span<const VisibleSet::Moment> VisibleSet::Between(std::int64_t now) const {
  const auto first = std::ranges::upper_bound(*moments_, std::min(at_, now), {}, &Moment::time);
  const auto last = std::ranges::upper_bound(*moments_, std::max(at_, now), {}, &Moment::time);
  return {first, last};
}

void VisibleSet::AddTo(std::span<const Moment> moments, std::vector<NodeId>& nodes,
                       std::vector<Arc>& arcs) {
  for (const Moment& m : moments) {
    if (m.target == kNoNode)
      nodes.push_back(m.node);
    else
      arcs.push_back({m.node, m.target});
  }
}

bool VisibleSet::Holds(std::int64_t now) const { return Knows(now) && Between(now).empty(); }

std::shared_ptr<const VisibleSet> VisibleSet::AtTime(const Snapshot& snapshot,
                                                     std::int64_t now) const {
  if (!Knows(now)) return nullptr;
  std::vector<NodeId> nodes;
  std::vector<Arc> arcs;
  AddTo(Between(now), nodes, arcs);
  return Rechecked(snapshot, now, std::move(nodes), std::move(arcs));
}

std::shared_ptr<const Carried> VisibleSet::Carry(const Snapshot& now,
                                                 const StateChanges& changes) const {
  std::vector<NodeId> nodes = changes.nodes;
  for (const StateChanges::Column& c : changes.columns)
    if (c.column == builtin::kValidFrom || c.column == builtin::kValidUntil)
      nodes.push_back(c.node);
  for (NodeId v = changes.first_new; v < now.node_count(); ++v) nodes.push_back(v);
  std::vector<Arc> arcs;
  if (!include_superseded_) {
    const Schema& schema = now.schema();
    for (const StateChanges::Edge& e : changes.edges) {
      if (!schema.edge_kind(e.kind).suppresses) continue;
      arcs.push_back({e.source, e.target});
      if (schema.edge_kind(e.kind).symmetric) arcs.push_back({e.target, e.source});
    }
    // A source that came or went switches its edges.
    if (const Suppression suppression(now, at_); !suppression.none()) {
      const ArcFilter filter = ArcFilter::Kinds(schema, suppression.kinds());
      for (const NodeId v : changes.nodes)
        now.ForEachArc(Direction::kOut, v, filter,
                       [&](const plexus::Arc& arc) { arcs.push_back({v, arc.neighbor}); });
    }
  }
  std::int64_t at = at_;
  if (follows_clock_ && now.time_ms() > at_ && Knows(now.time_ms())) {
    at = now.time_ms();
    AddTo(Between(at), nodes, arcs);
  }
  auto set = Rechecked(now, at, std::move(nodes), std::move(arcs));
  if (set) set->recent = recent.load();
  return set;
}

std::uint64_t VisibleSet::size_bytes() const {
  return sizeof(*this) + nodes_->size_bytes() + moments_->capacity() * sizeof(Moment) +
         cycles_->capacity() * sizeof(CycleNode);
}

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
