// The first thing that is missing, in the order in which a recipe reads.
#include "tools/operations/memory/build_reason.h"

#include <algorithm>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"

namespace plexus::tools {
namespace {

std::vector<NodeId> NodesOfKind(const Snapshot& snapshot, NodeKindId kind) {
  return NodeSubset::OfKinds(snapshot, {&kind, 1}).ToList();
}

// How many arcs of the kind a node has that has the most.
std::size_t MostArcs(const Snapshot& snapshot, std::span<const NodeId> nodes, Direction direction,
                     EdgeKindId kind) {
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), kind);
  std::size_t most = 0;
  for (const NodeId node : nodes)
    most = std::max<std::size_t>(most, snapshot.Degree(direction, node, filter));
  return most;
}

std::string OfSessions(const Snapshot& snapshot, std::span<const NodeId> turns) {
  const std::vector<NodeId> sessions = NodesOfKind(snapshot, builtin::kSession);
  const std::size_t most = MostArcs(snapshot, sessions, Direction::kIn, builtin::kInSession);
  if (most == 0) return "no turn is in a session (edge in_session)";
  if (most == 1) return "no session has two turns";
  const bool times = std::ranges::any_of(
      turns, [&](NodeId turn) { return snapshot.i64(builtin::kCreatedAt, turn).has_value(); });
  return times ? "" : "no turn has a time (created_at)";
}

std::string OfGroups(const Snapshot& snapshot, std::span<const NodeId> turns, EdgeKindId groups) {
  const EdgeKind& kind = snapshot.schema().edge_kind(groups);
  if (MostArcs(snapshot, turns, Direction::kOut, groups) == 0)
    return "no turn has an edge " + kind.name;
  const std::vector<NodeId> named = NodesOfKind(snapshot, kind.target_kind);
  if (MostArcs(snapshot, named, Direction::kIn, groups) < 2)
    return "no two turns share one by an edge " + kind.name;
  return "";
}

std::string OfVectors(const Snapshot& snapshot, std::span<const NodeId> turns,
                      std::optional<SpaceId> space) {
  if (!space) return "the graph has no vectors: `import` and `embed` bring them";
  const VectorView* vectors = snapshot.space(*space);
  const auto with = std::ranges::count_if(
      turns, [&](NodeId turn) { return vectors && vectors->has(turn); });
  const std::string& name = snapshot.schema().spaces()[*space].name;
  return with < 2 ? "fewer than two turns have a vector in space '" + name + "'" : "";
}

}  // namespace

std::string WhyNoPairs(const Snapshot& snapshot, const memory::EdgeRecipe& recipe,
                       std::span<const memory::TurnTrajectory> lines,
                       std::optional<SpaceId> space) {
  if (recipe.source == memory::PairSource::kComposed) {
    const std::vector<NodeId> events = NodesOfKind(snapshot, builtin::kEvent);
    return MostArcs(snapshot, events, Direction::kOut, builtin::kMember) < 2
               ? "no event of the ledger has two members"
               : "";
  }
  const std::vector<NodeId> turns = NodesOfKind(snapshot, builtin::kTurn);
  if (turns.empty()) return "the graph has no node of kind turn";
  std::string why;
  switch (recipe.source) {
    case memory::PairSource::kCorrections:
      why = std::ranges::none_of(lines, [](const auto& l) { return !l.correction_of.empty(); })
                ? "no trajectory says what it corrects (correction_of in --from, or a session's "
                  "property)"
                : "";
      break;
    case memory::PairSource::kConsecutive:
    case memory::PairSource::kFirstAndLast:
      why = OfSessions(snapshot, turns);
      if (why.empty() && recipe.source == memory::PairSource::kFirstAndLast)
        why = "no session with two turns has a reward (--from, or its property)";
      break;
    case memory::PairSource::kSharing:
      why = OfGroups(snapshot, turns, recipe.groups);
      break;
    default:
      break;
  }
  if (why.empty() && recipe.weight == memory::PairWeight::kCosine)
    why = OfVectors(snapshot, turns, space);
  return why;
}

}  // namespace plexus::tools
