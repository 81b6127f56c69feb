// Chains: edges along a session, from turn to turn or from its first to its last.
//
// A later turn can take the reason of such an edge; those that this recipe made are unlinked then.
#include <algorithm>

#include "algorithms/memory/turns/internal/sources.h"
#include "engine/properties/properties.h"

namespace plexus::memory::internal {
namespace {

class Chains {
 public:
  Chains(EdgeWriter& writer, const NodeSubset& turns)
      : writer_(writer), snapshot_(writer.snapshot()), recipe_(writer.recipe()), turns_(turns) {
    filter_ = ArcFilter::Kind(snapshot_.schema(), recipe_.kind);
  }

  Status Run() {
    if (recipe_.source == PairSource::kFirstAndLast) PLEXUS_SET(lines_, KeepRewards(writer_));
    const TurnGroups sessions =
        ReadTurnGroups(snapshot_, recipe_.groups, turns_, true, writer_.executor());
    const TouchedNodes touched(snapshot_, recipe_, writer_.options());
    writer_.report().skipped += sessions.more;
    writer_.Expect(sessions.size());
    in_session_.resize(snapshot_.node_count(), 0);
    for (std::size_t s = 0; s < sessions.size(); ++s) {
      for (const NodeId turn : sessions[s]) in_session_[turn] = 1;
      PLEXUS_TRY(Take(sessions.nodes[s], sessions[s], touched.group(sessions, s)));
      writer_.Done(1);
      if (edges_.size() < kPiece && s % kLook != 0) continue;
      PLEXUS_TRY(writer_.Add(edges_));
      if (writer_.Stopped()) return {};
    }
    PLEXUS_TRY(writer_.Add(edges_));
    // Turns that are in no session any more.
    for (NodeId turn = 0; turn < snapshot_.node_count(); ++turn)
      if (!in_session_[turn] && turns_.contains(turn) && touched.node(turn))
        PLEXUS_TRY(DropStale(turn, kNoNode));
    return {};
  }

 private:
  Status Take(NodeId session, std::span<const NodeId> turns, bool touched) {
    const auto timed = std::ranges::find_if(
        turns, [&](NodeId turn) { return TurnTime(snapshot_, turn) != kNoTime; });
    const std::span with_time(timed, turns.end());
    if (recipe_.source == PairSource::kConsecutive)
      return Consecutive(session, turns, with_time, touched);
    return FirstAndLast(session, turns, with_time.empty() ? turns : with_time, touched);
  }

  Status Consecutive(NodeId session, std::span<const NodeId> turns,
                     std::span<const NodeId> with_time, bool touched) {
    BuildReport& report = writer_.report();
    report.skipped += turns.size() - with_time.size();
    if (!touched) {
      report.same += with_time.empty() ? 0 : with_time.size() - 1;
      return {};
    }
    ++report.groups;
    const std::string_view name = DisplayName(snapshot_.key(session));
    for (std::size_t i = 0; i + 1 < with_time.size(); ++i) {
      const NodeId from = with_time[i], to = with_time[i + 1];
      // In doubles, as times may lie as far apart as they like.
      const double gap_s = (static_cast<double>(TurnTime(snapshot_, to)) -
                            static_cast<double>(TurnTime(snapshot_, from))) /
                           1000;
      PropertyMapBuilder made;
      made.String("session_id", name).Double("gap_seconds", gap_s);
      PLEXUS_ASSIGN(std::string properties, made.Finish());
      edges_.push_back({from, to, static_cast<float>(1 / (1 + gap_s / 3600)), recipe_.label,
                        std::move(properties)});
    }
    for (const NodeId turn : turns.first(turns.size() - with_time.size()))
      PLEXUS_TRY(DropStale(turn, kNoNode));
    for (std::size_t i = 0; i < with_time.size(); ++i)
      PLEXUS_TRY(DropStale(with_time[i], i + 1 < with_time.size() ? with_time[i + 1] : kNoNode));
    return {};
  }

  Status FirstAndLast(NodeId session, std::span<const NodeId> turns,
                      std::span<const NodeId> ordered, bool touched) {
    BuildReport& report = writer_.report();
    PLEXUS_ASSIGN(SessionKnowledge known, ReadSession(snapshot_, session));
    const auto at = std::ranges::lower_bound(lines_, session, {}, &Lines::value_type::first);
    if (at != lines_.end() && at->first == session) {
      const TurnTrajectory& line = *at->second;
      touched = true;
      if (line.reward) known.reward = line.reward;
      if (!line.skill.empty()) known.skill = line.skill;
      if (!line.domain.empty()) known.domain = line.domain;
    }
    const bool whole = known.reward && ordered.size() > 1;
    report.skipped += known.reward && ordered.size() < 2;
    if (!touched) {
      report.same += whole;
      return {};
    }
    report.groups += known.reward.has_value();
    if (whole) {
      PropertyMapBuilder made;
      if (!known.skill.empty()) made.String("skill", known.skill);
      if (!known.domain.empty()) made.String("domain", known.domain);
      PLEXUS_ASSIGN(std::string properties, made.Finish());
      edges_.push_back({ordered.front(), ordered.back(), static_cast<float>(*known.reward),
                        recipe_.label, std::move(properties)});
    }
    for (const NodeId turn : turns)
      PLEXUS_TRY(DropStale(turn, whole && turn == ordered.front() ? ordered.back() : kNoNode));
    return {};
  }

  // Unlinks what this recipe made from `turn` to others than `to`.
  Status DropStale(NodeId turn, NodeId to) {
    stale_.clear();
    snapshot_.ForEachArc(Direction::kOut, turn, filter_, [&](const Arc& arc) {
      if (arc.neighbor == to) return;
      const Edge edge = snapshot_.edge(arc, turn);
      if (writer_.Owns(edge)) stale_.push_back(edge);
    });
    for (const Edge& edge : stale_)
      PLEXUS_TRY(writer_.Unlink(turn, edge.target, snapshot_.string(edge.label)));
    return {};
  }

  EdgeWriter& writer_;
  const Snapshot& snapshot_;
  const EdgeRecipe& recipe_;
  const NodeSubset& turns_;
  ArcFilter filter_ = ArcFilter::All();
  Lines lines_;
  std::vector<std::uint8_t> in_session_;  // by node
  std::vector<BuiltEdge> edges_;
  std::vector<Edge> stale_;
};

}  // namespace

Status BuildChains(EdgeWriter& writer, const NodeSubset& turns) {
  return Chains(writer, turns).Run();
}

}  // namespace plexus::memory::internal
