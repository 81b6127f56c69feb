// From nothing: collect the active suppressing edges, find their cycles, hide what is superseded.
// Then what keeps a set up to date without that.
#include "algorithms/memory/visibility/internal/visible_set.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "algorithms/common/internal/stop_flag.h"
#include "algorithms/memory/internal/edge_components.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

constexpr std::size_t kGrain = 4096;
constexpr std::size_t kMaxMoments = 2048;  // ahead
constexpr std::size_t kMaxPassed = 256;

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

}  // namespace plexus::memory::internal
