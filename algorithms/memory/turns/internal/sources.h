// Sources: where the pairs of a recipe come from, one function each; the groups that they read, and
// the writer that they hand edges to.
//
// Each reads the writer's snapshot, hands edges to the writer in a fixed order and counts what it
// leaves out. `turns` are the turns of the run.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/memory/turns/turns.h"

namespace plexus::memory::internal {

// --- the turns of each session, file or inscription, in order of time

// Absent times lie before all others.
std::int64_t TurnTime(const Snapshot& snapshot, NodeId turn);
// By time, then id.
bool EarlierTurn(const Snapshot& snapshot, NodeId a, NodeId b);

struct TurnGroups {
  std::vector<NodeId> nodes;                // of the groups, ascending
  std::vector<std::uint64_t> begins = {0};  // in `turns`, one more than groups
  std::vector<NodeId> turns;                // each once in a group
  std::uint64_t more = 0;                   // turns in further groups, with `one_each`

  std::size_t size() const { return nodes.size(); }
  std::span<const NodeId> operator[](std::size_t group) const {
    return std::span(turns).subspan(begins[group], begins[group + 1] - begins[group]);
  }
};

// `one_each`: a turn is only in the group of the smallest id.
TurnGroups ReadTurnGroups(const Snapshot& snapshot, EdgeKindId kind, const NodeSubset& turns,
                          bool one_each, Executor& executor);

// Which nodes and groups what changed may matter to.
class TouchedNodes {
 public:
  // `recipe`'s groups, edges, times, vectors of `space` and properties.
  TouchedNodes(const Snapshot& snapshot, const EdgeRecipe& recipe, const BuildOptions& options);
  bool all() const { return all_; }
  bool any() const { return all_ || any_; }
  bool node(NodeId node) const { return all_ || touched_[node]; }
  // The group itself, or one of its turns.
  bool group(const TurnGroups& groups, std::size_t index) const;

 private:
  bool all_ = false, any_ = false;
  std::vector<std::uint8_t> touched_;  // by node
};

// --- EdgeWriter: pairs become operations of batches where the graph lacks them.
//
// What is stored already is compared on all threads; batches are filled in order by one. Not
// thread-safe.

struct BuiltEdge {
  NodeId source = kNoNode, target = kNoNode;
  float weight = 0;
  std::string_view label;
  std::string properties;  // "": what is stored stays
};

class EdgeWriter {
 public:
  EdgeWriter(const Snapshot& snapshot, const EdgeRecipe& recipe, const BuildOptions& options,
             const ApplyBatch& apply, BuildReport& report);

  // Any number of edges, each identity once in a run; the list is empty then.
  Status Add(std::vector<BuiltEdge>& edges);
  Status Unlink(NodeId source, NodeId target, std::string_view label);
  // Made of the stored ones, which the batch expects to be there still.
  Status SetProperties(NodeId node, std::string_view bytes);
  // Hands over what is left.
  Status Finish();

  // Stored by this recipe.
  bool Owns(const Edge& edge) const { return owner_ && edge.created_by == *owner_; }
  // True: stop, the report says truncated.
  bool Stopped();
  void Expect(std::uint64_t total) { total_ = total; }
  void Done(std::uint64_t steps) { done_ += steps; }

  const Snapshot& snapshot() const { return snapshot_; }
  const EdgeRecipe& recipe() const { return recipe_; }
  const BuildOptions& options() const { return options_; }
  BuildReport& report() { return report_; }
  Executor& executor() const { return executor_; }

 private:
  enum class State : std::uint8_t { kNew, kChanged, kSame };
  Result<State> StateOf(const BuiltEdge& edge) const;
  Status FinishWhenFull();

  const Snapshot& snapshot_;
  const EdgeRecipe& recipe_;
  const BuildOptions& options_;
  const ApplyBatch& apply_;
  BuildReport& report_;
  Executor& executor_;
  std::string created_by_;
  std::optional<StringId> owner_;  // of created_by_, if the graph has it
  WriteBatch batch_;
  std::size_t in_batch_ = 0;
  std::uint64_t done_ = 0, total_ = 0;
};

// The first error, by index, of work on many threads.
class FirstError {
 public:
  void Note(std::size_t index, Error error);
  Status Take();

 private:
  std::mutex mutex_;
  std::size_t index_ = 0;
  std::optional<Error> error_;
};

// --- sources

// Edges are handed to the writer in pieces of about so many.
inline constexpr std::size_t kPiece = 65'536;
// Groups or nodes between two looks at the budget, however few edges they make.
inline constexpr std::size_t kLook = 1024;

Status BuildChains(EdgeWriter& writer, const NodeSubset& turns);       // chain_source.cc
Status BuildSharing(EdgeWriter& writer, const NodeSubset& turns);      // sharing_source.cc
Status BuildCorrections(EdgeWriter& writer, const NodeSubset& turns);  // trajectory_source.cc
Status BuildNearest(EdgeWriter& writer, const NodeSubset& turns);      // composed_source.cc
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

// Nothing that matters to the recipe changed: its stored edges are counted, and that is all.
bool CountUntouched(EdgeWriter& writer);

}  // namespace plexus::memory::internal
