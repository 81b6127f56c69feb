// Both searches and the spelling out of the path they meet on.
#include "algorithms/paths/internal/bidirectional_search.h"

#include <algorithm>
#include <functional>

namespace plexus::paths::internal {

PointSearch::PointSearch(PathWalk& walk)
    : walk_(walk), forward_(walk.snapshot().node_count()), backward_(walk.snapshot().node_count()) {
  backward_.backward = true;
}

Result<std::optional<FoundPath>> PointSearch::Run() {
  for (Side* side : {&forward_, &backward_}) {
    const NodeId start = side->backward ? walk_.to() : walk_.from();
    side->places.at(start) = 0;
    side->reached.push_back({start, common_internal::NodeMap::kAbsent, {}, false, {}});
    side->heap.push_back({{}, start, 0});
  }
  if (walk_.from() == walk_.to()) best_ = Meeting{{}, 0, 0};
  if (!best_) {
    if (walk_.by_hops())
      ByHops();
    else
      PLEXUS_TRY(ByCost());
  }
  if (!best_ || walk_.truncated()) return std::nullopt;
  return Spell();
}

std::size_t PointSearch::Held() const { return forward_.reached.size() + backward_.reached.size(); }

// Notes that `node` was reached and whether the other side knows it.
void PointSearch::Reached(Side& side, Side& other, NodeId node, std::uint32_t parent, Length length,
                          const Arc& arc) {
  std::uint32_t& place = side.places.at(node);
  if (place == common_internal::NodeMap::kAbsent) {
    place = static_cast<std::uint32_t>(side.reached.size());
    side.reached.push_back({node, parent, length, false, arc});
  } else {
    Reach& reach = side.reached[place];
    if (reach.settled || length >= reach.length) return;
    reach.parent = parent;
    reach.length = length;
    reach.arc = arc;
  }
  if (!walk_.by_hops()) {
    side.heap.push_back({length, node, place});
    std::push_heap(side.heap.begin(), side.heap.end(), std::greater<>());
  }
  const std::uint32_t mine = place, met = other.places.get(node);
  if (met == common_internal::NodeMap::kAbsent) return;
  const Length whole = length + other.reached[met].length;
  if (best_ && whole >= best_->length) return;
  best_ = side.backward ? Meeting{whole, met, mine} : Meeting{whole, mine, met};
}

// ---- by hops

void PointSearch::GrowLevel(Side& side, Side& other) {
  const std::size_t begin = side.level, end = side.reached.size();
  side.level = end;
  bool go_on = true;
  for (std::size_t i = begin; i < end && go_on; ++i) {
    const NodeId from = side.reached[i].node;
    const Length length = side.reached[i].length + Length{1.0, 1};
    // No meeting of this level is shorter than its first: nodes that the other side has
    // expanded have all their neighbors there, so one of them would have been a meeting before.
    go_on = walk_.ForEachArc(
        side.backward, from, [&] { return Held(); },
        [&](const Arc& arc) {
          if (side.places.get(arc.neighbor) == common_internal::NodeMap::kAbsent &&
              walk_.MayEnter(arc.neighbor))
            Reached(side, other, arc.neighbor, static_cast<std::uint32_t>(i), length, arc);
          return !best_;
        });
  }
}

void PointSearch::ByHops() {
  // A meeting in the n-th level that is grown is n edges long.
  for (std::uint32_t hops = 0; !best_ && !walk_.truncated(); ++hops) {
    if (hops == walk_.options().max_hops) break;
    const std::size_t ahead = forward_.reached.size() - forward_.level;
    const std::size_t behind = backward_.reached.size() - backward_.level;
    if (ahead == 0 || behind == 0) break;
    if (ahead <= behind)
      GrowLevel(forward_, backward_);
    else
      GrowLevel(backward_, forward_);
  }
}

// ---- by cost

// Settles the nearest open node of a side and looks along its row.
Status PointSearch::Settle(Side& side, Side& other) {
  std::pop_heap(side.heap.begin(), side.heap.end(), std::greater<>());
  const Open open = side.heap.back();
  side.heap.pop_back();
  if (side.reached[open.place].settled) return {};
  side.reached[open.place].settled = true;
  return walk_.ForEachStep(
      side.backward, open.node, [&] { return Held(); },
      [&](const Arc& arc, Length step) {
        Reached(side, other, arc.neighbor, open.place, open.length + step, arc);
        return true;
      });
}

Status PointSearch::ByCost() {
  while (!walk_.truncated() && !forward_.heap.empty() && !backward_.heap.empty()) {
    const Length ahead = forward_.heap.front().length, behind = backward_.heap.front().length;
    if (best_ && ahead + behind >= best_->length) break;
    if (forward_.heap.size() <= backward_.heap.size())
      PLEXUS_TRY(Settle(forward_, backward_));
    else
      PLEXUS_TRY(Settle(backward_, forward_));
  }
  return {};
}

// ---- the answer

FoundPath PointSearch::Spell() const {
  FoundPath path;
  auto step = [&](const Side& side, std::uint32_t place) {
    const Reach& reach = side.reached[place];
    path.edges.push_back(walk_.Stored(reach.arc, side.reached[reach.parent].node));
  };
  for (std::uint32_t at = best_->forward; at != common_internal::NodeMap::kAbsent;
       at = forward_.reached[at].parent) {
    path.nodes.push_back(forward_.reached[at].node);
    if (forward_.reached[at].parent != common_internal::NodeMap::kAbsent) step(forward_, at);
  }
  std::reverse(path.nodes.begin(), path.nodes.end());
  std::reverse(path.edges.begin(), path.edges.end());
  for (std::uint32_t at = best_->backward;
       backward_.reached[at].parent != common_internal::NodeMap::kAbsent;) {
    step(backward_, at);
    at = backward_.reached[at].parent;
    path.nodes.push_back(backward_.reached[at].node);
  }
  path.cost = walk_.CostOf(path);
  return path;
}

}  // namespace plexus::paths::internal
