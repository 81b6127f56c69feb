// Counting sort by group, then each group by time.
#include "algorithms/memory/turns/internal/turn_groups.h"

#include <algorithm>

namespace plexus::memory::internal {
namespace {

struct Membership {
  NodeId group, turn;
};

std::vector<Membership> ReadMemberships(const Snapshot& snapshot, EdgeKindId kind,
                                        const NodeSubset& turns, bool one_each,
                                        std::uint64_t& more) {
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), kind);
  std::vector<Membership> list;
  snapshot.ScanArcs(Direction::kOut, 0, std::min(turns.capacity(), snapshot.node_count()), filter,
                    [&](NodeId turn, const Arc& arc) {
                      if (!turns.contains(turn)) return;
                      if (!list.empty() && list.back().turn == turn) {
                        if (list.back().group == arc.neighbor) return;  // another label
                        if (one_each) {
                          ++more;
                          return;
                        }
                      }
                      list.push_back({arc.neighbor, turn});
                    });
  return list;
}

}  // namespace

std::int64_t TurnTime(const Snapshot& snapshot, NodeId turn) {
  return snapshot.i64(builtin::kCreatedAt, turn).value_or(kNoTime);
}

bool EarlierTurn(const Snapshot& snapshot, NodeId a, NodeId b) {
  const std::int64_t at = TurnTime(snapshot, a), bt = TurnTime(snapshot, b);
  return at != bt ? at < bt : a < b;
}

TurnGroups ReadTurnGroups(const Snapshot& snapshot, EdgeKindId kind, const NodeSubset& turns,
                          bool one_each, Executor& executor) {
  TurnGroups groups;
  const std::vector<Membership> list =
      ReadMemberships(snapshot, kind, turns, one_each, groups.more);
  std::vector<std::uint64_t> count(snapshot.node_count(), 0);
  for (const Membership& m : list) ++count[m.group];
  for (NodeId node = 0; node < snapshot.node_count(); ++node) {
    if (count[node] == 0) continue;
    groups.nodes.push_back(node);
    groups.begins.push_back(groups.begins.back() + count[node]);
    count[node] = groups.begins.end()[-2];  // where the next of its turns goes
  }
  groups.turns.resize(list.size());
  for (const Membership& m : list) groups.turns[count[m.group]++] = m.turn;
  ParallelFor(executor, groups.size(), 256, [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<std::int64_t, NodeId>> timed;
    for (std::size_t g = begin; g < end; ++g) {
      const std::span own = std::span(groups.turns)
                                .subspan(groups.begins[g], groups.begins[g + 1] - groups.begins[g]);
      timed.clear();
      for (const NodeId turn : own) timed.emplace_back(TurnTime(snapshot, turn), turn);
      std::ranges::sort(timed);
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = timed[i].second;
    }
  });
  return groups;
}

TouchedNodes::TouchedNodes(const Snapshot& snapshot, const EdgeRecipe& recipe,
                           const BuildOptions& options)
    : all_(options.changes == nullptr) {
  if (all_) return;
  touched_.resize(snapshot.node_count(), 0);
  const auto touch = [&](NodeId node) {
    if (node >= touched_.size()) return;
    touched_[node] = 1;
    any_ = true;
  };
  // A turn that is another one, or in another session, may have left any that it has an edge to.
  const auto touch_groups = [&](NodeId turn) {
    if (recipe.groups == kNoEdgeKind || turn >= touched_.size()) return;
    snapshot.ForEachArc(Direction::kOut, turn, ArcFilter::Kind(snapshot.schema(), recipe.groups),
                        [&](const Arc& arc) { touch(arc.neighbor); });
  };
  const bool events = recipe.source == PairSource::kComposed;
  for (const StateChanges::Edge& edge : options.changes->edges)
    if (edge.kind == recipe.kind || edge.kind == recipe.groups ||
        (events && (edge.kind == builtin::kMember || edge.kind == builtin::kLabels))) {
      touch(edge.source);
      touch(edge.target);
      if (edge.kind == recipe.groups) touch_groups(edge.source);
    }
  for (const NodeId node : options.changes->nodes) {
    touch(node);
    touch_groups(node);
  }
  for (const StateChanges::Column& change : options.changes->columns)
    if (change.column == builtin::kCreatedAt) touch(change.node);
  if (recipe.weight == PairWeight::kCosine)
    for (const StateChanges::Vector& change : options.changes->vectors)
      if (change.space == options.space) touch(change.node);
  if (recipe.weight == PairWeight::kReward)
    for (const StateChanges::Payload& change : options.changes->payloads)
      if (change.field == NodeField::kProperties) touch(change.node);
}

bool TouchedNodes::group(const TurnGroups& groups, std::size_t index) const {
  if (all_ || touched_[groups.nodes[index]]) return true;
  return any_ && std::ranges::any_of(groups[index], [&](NodeId turn) { return touched_[turn]; });
}

}  // namespace plexus::memory::internal
