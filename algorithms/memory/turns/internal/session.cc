// Session: the neighbourhood of a turn in time.
#include <algorithm>
#include <unordered_set>

#include "algorithms/memory/turns/internal/sources.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {

using namespace internal;

namespace {

// `turn`: kNoNode is the first one.
void InSession(const Snapshot& snapshot, NodeId turn, std::uint64_t back, std::uint64_t forward,
               const NodeSubset* subset, SessionResult& result) {
  struct Place {
    bool untimed;  // behind the others: such a turn need not be the first
    std::int64_t time;
    NodeId turn;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> turns;
  snapshot.ForEachArc(Direction::kIn, result.session,
                      ArcFilter::Kind(snapshot.schema(), builtin::kInSession), [&](const Arc& arc) {
                        const NodeId v = arc.neighbor;
                        if (v != turn && (snapshot.node_kind(v) != builtin::kTurn ||
                                          (subset && !subset->contains(v)) ||
                                          SessionOf(snapshot, v) != result.session))
                          return;
                        const std::int64_t time = TurnTime(snapshot, v);
                        turns.push_back({time == kNoTime, time, v});
                      });
  std::ranges::sort(turns);
  const auto rest = std::ranges::unique(turns);  // labels tell edges apart, not turns
  turns.erase(rest.begin(), rest.end());
  if (turns.empty()) return;
  const auto asked = turn == kNoNode ? turns.begin() : std::ranges::find(turns, turn, &Place::turn);
  const auto at = static_cast<std::uint64_t>(asked - turns.begin());
  const std::uint64_t first = at - std::min(at, back);
  const std::uint64_t last = at + std::min<std::uint64_t>(turns.size() - 1 - at, forward);
  for (std::uint64_t i = first; i <= last; ++i)
    result.turns.push_back(
        {turns[i].turn, static_cast<std::int64_t>(i) - static_cast<std::int64_t>(at)});
  result.more_before = first;
  result.more_after = turns.size() - 1 - last;
}

// Up to `steps` turns along temporal edges; the next one after them, or kNoNode.
NodeId Walk(const Snapshot& snapshot, NodeId turn, Direction direction, std::uint64_t steps,
            const NodeSubset* subset, std::unordered_set<NodeId>& met, std::vector<NodeId>& found) {
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), builtin::kTemporal);
  for (NodeId at = turn;;) {
    NodeId next = kNoNode;
    float heaviest = -1;
    snapshot.ForEachArc(direction, at, filter, [&](const Arc& arc) {
      if (arc.weight <= heaviest || met.contains(arc.neighbor)) return;
      if (subset && !subset->contains(arc.neighbor)) return;
      heaviest = arc.weight;
      next = arc.neighbor;
    });
    if (next == kNoNode || found.size() == steps) return next;
    met.insert(next);
    found.push_back(next);
    at = next;
  }
}

}  // namespace

Result<SessionResult> Session(const Snapshot& snapshot, NodeId turn, std::uint64_t back,
                              std::uint64_t forward, const NodeSubset* subset) try {
  if (turn >= snapshot.node_count()) return Invalid("no node ", turn);
  if (!snapshot.alive(turn)) return NotFound("'", DisplayName(snapshot.key(turn)), "' was removed");
  SessionResult result;
  const bool session = snapshot.node_kind(turn) == builtin::kSession;
  if (session || snapshot.is_fact(turn))
    result.session = session ? turn : SessionOf(snapshot, turn);
  if (result.session != kNoNode) {
    InSession(snapshot, session ? kNoNode : turn, back, forward, subset, result);
    if (!result.turns.empty()) return result;
    return NotFound("session '", DisplayName(snapshot.key(turn)), "' has no turns");
  }
  std::unordered_set<NodeId> met = {turn};
  std::vector<NodeId> before, after;
  result.more_before = Walk(snapshot, turn, Direction::kIn, back, subset, met, before) != kNoNode;
  result.more_after = Walk(snapshot, turn, Direction::kOut, forward, subset, met, after) != kNoNode;
  std::int64_t position = -static_cast<std::int64_t>(before.size());
  std::ranges::reverse(before);
  before.push_back(turn);
  before.insert(before.end(), after.begin(), after.end());
  for (const NodeId node : before) result.turns.push_back({node, position++});
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
