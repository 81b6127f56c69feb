// Trajectories: what is known of sessions, and which of them corrects which.
#include <algorithm>
#include <cmath>
#include <map>

#include "algorithms/memory/internal/property_patch.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/turns/internal/sources.h"

namespace plexus::memory::internal {
namespace {

constexpr double kDefaultReward = 0.5;
constexpr std::size_t kNamedUnknown = 10;

// The first of them by time; those without a time only when none has one.
NodeId FirstTurn(const Snapshot& snapshot, const MeantTurns& meant, const NodeSubset& turns) {
  if (meant.session == kNoNode) return turns.contains(meant.turn) ? meant.turn : kNoNode;
  NodeId first = kNoNode;
  const auto untimed = [&](NodeId turn) { return TurnTime(snapshot, turn) == kNoTime; };
  snapshot.ForEachArc(
      Direction::kIn, meant.session, ArcFilter::Kind(snapshot.schema(), builtin::kInSession),
      [&](const Arc& arc) {
        const NodeId turn = arc.neighbor;
        if (!turns.contains(turn) || SessionOf(snapshot, turn) != meant.session) return;
        if (first == kNoNode ||
            (untimed(turn) == untimed(first) ? EarlierTurn(snapshot, turn, first) : untimed(first)))
          first = turn;
      });
  return first;
}

class Corrections {
 public:
  Corrections(EdgeWriter& writer, const NodeSubset& turns)
      : writer_(writer), snapshot_(writer.snapshot()), turns_(turns) {}

  Status Run() {
    PLEXUS_ASSIGN(const Lines lines, KeepRewards(writer_));
    PLEXUS_TRY(FromSessions(lines));
    for (const TurnTrajectory& line : writer_.options().trajectories) {
      if (line.correction_of.empty()) continue;
      const MeantTurns of = FindTurns(snapshot_, line.of);
      if (of.none()) continue;  // noted by KeepRewards
      std::optional<double> reward = line.reward;
      std::string skill = line.skill;
      if (of.session != kNoNode && (!reward || skill.empty())) {
        PLEXUS_ASSIGN(const SessionKnowledge known, ReadSession(snapshot_, of.session));
        if (!reward) reward = known.reward;
        if (skill.empty()) skill = known.skill;
      }
      PLEXUS_TRY(Take(of, line.correction_of, reward, skill));
    }
    std::vector<BuiltEdge> edges;
    for (auto& [pair, edge] : edges_) edges.push_back(std::move(edge));
    return writer_.Add(edges);
  }

 private:
  // What the sessions' own properties say, of those that no line is about.
  Status FromSessions(const Lines& lines) {
    for (NodeId node = 0; node < snapshot_.node_count(); ++node) {
      if (snapshot_.node_kind(node) != builtin::kSession || !snapshot_.alive(node) ||
          !snapshot_.payload_ref(node, NodeField::kProperties) ||
          std::ranges::binary_search(lines, node, {}, &Lines::value_type::first))
        continue;
      PLEXUS_ASSIGN(const SessionKnowledge known, ReadSession(snapshot_, node));
      if (!known.correction_of.empty())
        PLEXUS_TRY(Take({node, kNoNode}, known.correction_of, known.reward, known.skill));
    }
    return {};
  }

  Status Take(const MeantTurns& of, std::string_view correction_of, std::optional<double> reward,
              std::string_view skill) {
    ++writer_.report().groups;
    const MeantTurns original = FindTurns(snapshot_, correction_of);
    if (original.none()) return NoteUnknown(writer_, correction_of);
    const NodeId from = FirstTurn(snapshot_, of, turns_);
    const NodeId to = FirstTurn(snapshot_, original, turns_);
    if (from == kNoNode || to == kNoNode || from == to) {
      ++writer_.report().skipped;
      return {};
    }
    PropertyMapBuilder made;
    made.String("correction_type", "redo");
    if (!skill.empty()) made.String("skill", skill);
    PLEXUS_ASSIGN(std::string properties, made.Finish());
    edges_[{from, to}] = {from, to, static_cast<float>(reward.value_or(kDefaultReward)),
                          writer_.recipe().label, std::move(properties)};
    return {};
  }

  EdgeWriter& writer_;
  const Snapshot& snapshot_;
  const NodeSubset& turns_;
  std::map<std::pair<NodeId, NodeId>, BuiltEdge> edges_;  // the last line of a pair counts
};

}  // namespace

NodeId SessionOf(const Snapshot& snapshot, NodeId turn) {
  NodeId session = kNoNode;
  snapshot.ForEachArc(Direction::kOut, turn,
                      ArcFilter::Kind(snapshot.schema(), builtin::kInSession), [&](const Arc& arc) {
                        session = arc.neighbor;
                        return false;
                      });
  return session;
}

MeantTurns FindTurns(const Snapshot& snapshot, std::string_view name) {
  MeantTurns meant;
  const std::string& kind = snapshot.schema().node_kind(builtin::kSession).name;
  const auto session = snapshot.Find(IndexKey(kind, name));
  if (session && snapshot.alive(*session)) {
    meant.session = *session;
    return meant;
  }
  const auto turn = snapshot.Find(name);
  if (turn && snapshot.alive(*turn) && snapshot.is_fact(*turn)) meant.turn = *turn;
  return meant;
}

Status NoteUnknown(EdgeWriter& writer, std::string_view name) {
  if (writer.options().refuse_unknown) return NotFound("no session and no turn '", name, "'");
  ++writer.report().skipped;
  if (writer.report().unknown.size() < kNamedUnknown) writer.report().unknown.emplace_back(name);
  return {};
}

Result<SessionKnowledge> ReadSession(const Snapshot& snapshot, NodeId session) {
  SessionKnowledge known;
  PLEXUS_ASSIGN(const PropertyMap map, PropertiesOf(snapshot, session));
  const PropertyView root = map.root();
  if (const auto reward = root.Find("reward"))
    if (const auto number = reward->AsDouble();
        number && *number >= 0 && std::isfinite(static_cast<float>(*number)))
      known.reward = number;
  known.skill = TextOf(root, "skill");
  known.domain = TextOf(root, "domain");
  known.correction_of = TextOf(root, "correction_of");
  return known;
}

Result<Lines> KeepRewards(EdgeWriter& writer) {
  const Snapshot& snapshot = writer.snapshot();
  Lines lines;
  for (const TurnTrajectory& line : writer.options().trajectories) {
    const MeantTurns meant = FindTurns(snapshot, line.of);
    if (meant.none()) {
      PLEXUS_TRY(NoteUnknown(writer, line.of));
      continue;
    }
    const NodeId session =
        meant.session != kNoNode ? meant.session : SessionOf(snapshot, meant.turn);
    if (session != kNoNode) lines.emplace_back(session, &line);
  }
  std::ranges::stable_sort(lines, {}, &Lines::value_type::first);
  Lines last;
  for (const auto& line : lines) {
    if (!last.empty() && last.back().first == line.first) last.pop_back();
    last.push_back(line);
  }
  for (const auto& [session, line] : last) {
    PropertyPatch patch;
    if (line->reward) patch.doubles.emplace_back("reward", *line->reward);
    if (!line->skill.empty()) patch.strings.emplace_back("skill", line->skill);
    if (!line->domain.empty()) patch.strings.emplace_back("domain", line->domain);
    PLEXUS_ASSIGN(const std::string before,
                  snapshot.PayloadOrEmpty(session, NodeField::kProperties));
    PLEXUS_ASSIGN(const std::string after, Patched(before, patch));
    if (before == after) continue;
    ++writer.report().rewards;
    PLEXUS_TRY(writer.SetProperties(session, after));
  }
  return last;
}

Status BuildCorrections(EdgeWriter& writer, const NodeSubset& turns) {
  return Corrections(writer, turns).Run();
}

}  // namespace plexus::memory::internal
