// Both searches and the spelling out of the path they meet on.
#include "algorithms/internal/point_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "algorithms/internal/heard_arcs.h"

namespace plexus::internal {

PointSearch::PointSearch(const Selection& selection, const ShortestPathOptions& options,
                         NodeId from, NodeId to, const Bans& bans, std::uint64_t edges_before)
    : selection_(selection),
      options_(options),
      from_(from),
      to_(to),
      bans_(bans),
      forward_(selection.snapshot->node_count()),
      backward_(selection.snapshot->node_count()),
      edges_(edges_before),
      looked_(edges_before) {
  forward_.direction = options.direction;
  backward_.direction = options.direction == Direction::kOut  ? Direction::kIn
                        : options.direction == Direction::kIn ? Direction::kOut
                                                              : Direction::kBoth;
  backward_.backward = true;
}

Result<std::optional<FoundPath>> PointSearch::Run() {
  for (Side* side : {&forward_, &backward_}) {
    const NodeId start = side->backward ? to_ : from_;
    side->places.at(start) = 0;
    side->reached.push_back({start, NodeMap::kAbsent, {}, false, {}});
    side->heap.push_back({{}, start, 0});
  }
  if (from_ == to_) best_ = Meeting{{}, 0, 0};
  if (!best_) {
    if (options_.cost == PathCost::kHops)
      PLEXUS_TRY(ByHops());
    else
      PLEXUS_TRY(ByCost());
  }
  if (!best_ || truncated_) return std::nullopt;
  return Spell();
}

bool PointSearch::Spend() {
  if (edges_ >= options_.budget.edges ||
      forward_.reached.size() + backward_.reached.size() >= options_.budget.nodes) {
    truncated_ = true;
    return false;
  }
  ++edges_;
  return true;
}

// Before every arc, hidden ones too: now and then a look at the clock.
bool PointSearch::Look() {
  if ((++looked_ & 4095) == 0 && options_.budget.Interrupted()) truncated_ = true;
  return !truncated_;
}

bool PointSearch::MayEnter(const Side& side, NodeId from, NodeId to) const {
  const NodeId walked_from = side.backward ? to : from, walked_to = side.backward ? from : to;
  if (walked_from == from_ &&
      std::find(bans_.next.begin(), bans_.next.end(), walked_to) != bans_.next.end())
    return false;
  if (to == from_ || to == to_) return true;
  if (bans_.nodes && bans_.nodes->get(to) != NodeMap::kAbsent) return false;
  return selection_.contains(to);
}

// Notes that `node` was reached and whether the other side knows it.
void PointSearch::Reached(Side& side, Side& other, NodeId node, std::uint32_t parent, Length length,
                          const Arc& arc) {
  std::uint32_t& place = side.places.at(node);
  if (place == NodeMap::kAbsent) {
    place = static_cast<std::uint32_t>(side.reached.size());
    side.reached.push_back({node, parent, length, false, arc});
  } else {
    Reach& reach = side.reached[place];
    if (reach.settled || length >= reach.length) return;
    reach.parent = parent;
    reach.length = length;
    reach.arc = arc;
  }
  if (options_.cost != PathCost::kHops) {
    side.heap.push_back({length, node, place});
    std::push_heap(side.heap.begin(), side.heap.end(), std::greater<>());
  }
  const std::uint32_t mine = place, met = other.places.get(node);
  if (met == NodeMap::kAbsent) return;
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
    // expanded have all their neighbors there, so one of them would have met before.
    go_on = ForEachArcHeard(
        *selection_.snapshot, side.direction, from, selection_.filter, [&] { return Look(); },
        [&](const Arc& arc) {
          if (!Spend()) return false;
          if (side.places.get(arc.neighbor) == NodeMap::kAbsent && MayEnter(side, from, arc.neighbor))
            Reached(side, other, arc.neighbor, static_cast<std::uint32_t>(i), length, arc);
          return !best_;
        });
  }
}

Status PointSearch::ByHops() {
  while (!best_ && !truncated_) {
    const std::size_t ahead = forward_.reached.size() - forward_.level;
    const std::size_t behind = backward_.reached.size() - backward_.level;
    if (ahead == 0 || behind == 0) break;
    if (ahead <= behind)
      GrowLevel(forward_, backward_);
    else
      GrowLevel(backward_, forward_);
  }
  return {};
}

// ---- by cost

Result<std::optional<double>> PointSearch::Cost(const Arc& arc, NodeId from, NodeId to) const {
  const Snapshot& snapshot = *selection_.snapshot;
  const double weight = static_cast<double>(arc.weight);
  switch (options_.cost) {
    case PathCost::kHops:
      return 1.0;
    case PathCost::kWeight:
      return weight;
    case PathCost::kLogWeight:
      if (weight == 0) return std::nullopt;
      if (weight > 1)
        return Fail(ErrorCode::kInvalidArgument,
                    "the edge between '" + std::string(snapshot.key(from)) + "' and '" +
                        std::string(snapshot.key(to)) + "' has weight " + std::to_string(weight) +
                        "; -ln(weight) needs weights in [0, 1]");
      return -std::log(weight);
    case PathCost::kColumn: {
      const std::optional<double> value = snapshot.f64(options_.column, to);
      if (value && !(*value >= 0))
        return Fail(ErrorCode::kInvalidArgument, "node '" + std::string(snapshot.key(to)) +
                                                     "' has " + std::to_string(*value) +
                                                     " in the cost column; costs must be >= 0");
      return value;
    }
  }
  return std::nullopt;
}

// Settles the nearest open node of a side and looks along its row.
Status PointSearch::Settle(Side& side, Side& other) {
  std::pop_heap(side.heap.begin(), side.heap.end(), std::greater<>());
  const Open open = side.heap.back();
  side.heap.pop_back();
  if (side.reached[open.place].settled) return {};
  side.reached[open.place].settled = true;
  Status status;
  ForEachArcHeard(
      *selection_.snapshot, side.direction, open.node, selection_.filter, [&] { return Look(); }, [&](const Arc& arc) {
        if (!Spend()) return false;
        if (!MayEnter(side, open.node, arc.neighbor)) return true;
        const NodeId from = side.backward ? arc.neighbor : open.node;
        const NodeId to = side.backward ? open.node : arc.neighbor;
        auto cost = Cost(arc, from, to);
        if (!cost) {
          status = std::unexpected(cost.error());
          return false;
        }
        if (*cost)
          Reached(side, other, arc.neighbor, open.place, open.length + Length{**cost, 1}, arc);
        return true;
      });
  return status;
}

Status PointSearch::ByCost() {
  while (!truncated_ && !forward_.heap.empty() && !backward_.heap.empty()) {
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
  const Snapshot& snapshot = *selection_.snapshot;
  FoundPath path;
  auto step = [&](const Side& side, std::uint32_t place) {
    const Reach& reach = side.reached[place];
    const Edge e = snapshot.edge(reach.arc, side.reached[reach.parent].node);
    path.edges.push_back({e.source, e.target, e.kind, e.label, e.weight});
  };
  for (std::uint32_t at = best_->forward; at != NodeMap::kAbsent;
       at = forward_.reached[at].parent) {
    path.nodes.push_back(forward_.reached[at].node);
    if (forward_.reached[at].parent != NodeMap::kAbsent) step(forward_, at);
  }
  std::reverse(path.nodes.begin(), path.nodes.end());
  std::reverse(path.edges.begin(), path.edges.end());
  for (std::uint32_t at = best_->backward; backward_.reached[at].parent != NodeMap::kAbsent;) {
    step(backward_, at);
    at = backward_.reached[at].parent;
    path.nodes.push_back(backward_.reached[at].node);
  }
  return path;
}

}  // namespace plexus::internal
