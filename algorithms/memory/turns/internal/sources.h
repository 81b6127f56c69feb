// Sources: where the pairs of a recipe come from, one function each.
//
// Each reads the writer's snapshot, hands edges to the writer in a fixed order and counts what it
// leaves out. `turns` are the turns of the run.
#pragma once

#include "algorithms/memory/turns/internal/edge_writer.h"
#include "algorithms/memory/turns/internal/turn_groups.h"

namespace plexus::memory::internal {

// Edges are handed to the writer in pieces of about so many.
inline constexpr std::size_t kPiece = 65'536;
// Groups or nodes between two looks at the budget, however few edges they make.
inline constexpr std::size_t kLook = 1024;

Status BuildChains(EdgeWriter& writer, const NodeSubset& turns);       // chain_source.cc
Status BuildSharing(EdgeWriter& writer, const NodeSubset& turns);      // sharing_source.cc
Status BuildCorrections(EdgeWriter& writer, const NodeSubset& turns);  // trajectory_source.cc
Status BuildNearest(EdgeWriter& writer, const NodeSubset& turns);      // nearest_source.cc
Status BuildComposed(EdgeWriter& writer);                              // composed_source.cc

// What is known of a session: the properties of its node, and over them a line.
struct SessionKnowledge {
  std::optional<double> reward;
  std::string skill, domain, correction_of;
};
Result<SessionKnowledge> ReadSession(const Snapshot& snapshot, NodeId session);

// The session that a name means, or the turn. kNoNode: neither is there.
struct MeantTurns {
  NodeId session = kNoNode, turn = kNoNode;
  bool none() const { return session == kNoNode && turn == kNoNode; }
};
MeantTurns FindTurns(const Snapshot& snapshot, std::string_view name);
// kNoNode: the turn is in none.
NodeId SessionOf(const Snapshot& snapshot, NodeId turn);

// Counts a name that means nothing, or refuses it. kNotFound.
Status NoteUnknown(EdgeWriter& writer, std::string_view name);

// The lines of the options by session, the last one of each; rewards are written to the sessions.
using Lines = std::vector<std::pair<NodeId, const TurnTrajectory*>>;  // by session
Result<Lines> KeepRewards(EdgeWriter& writer);

// Stored edges of the recipe, of that label.
std::uint64_t CountStored(const EdgeWriter& writer, std::string_view label);

}  // namespace plexus::memory::internal
