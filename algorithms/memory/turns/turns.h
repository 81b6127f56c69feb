// Turns: batch builders of typed edges between turns, and the walk through a session.
//
// A turn is a node of kind turn. It is in a session (edge in_session), mentions files (mentions;
// label or property "operation": read or write), is inscribed with categories (inscribed), has a
// time (created_at) and a vector. A recipe is a row of a table: where pairs of turns come from, and
// what edge a pair becomes. To build is a pure function of a snapshot that returns batches; a batch
// holds only what the graph lacks or has otherwise, so building again writes nothing, and after a
// stop at any batch it continues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus::memory {

// Where the pairs of a recipe come from. In a group turns are ordered by time, then id.
enum class PairSource : std::uint8_t {
  kConsecutive,   // neighbours in a session, each turn with a time
  kFirstAndLast,  // of a session with a reward
  kSharing,       // turns of one group; each with the `window` turns before it
  kCorrections,   // of trajectories: who corrects, and what
  kNearest,       // the `top` nearest vectors of each turn, or all above a threshold
  kComposed,      // members of one event of the ledger, any facts
};

enum class PairDirection : std::uint8_t {
  kForward,         // as the source has them: earlier to later, first to last, who corrects to what
  kReaderToWriter,  // of the group; else later to earlier, ties from the larger id
  kNone,            // a symmetric kind
};

enum class PairWeight : std::uint8_t {
  kGap,         // 1 / (1 + gap in seconds / 3600)
  kCosine,      // of the two vectors
  kReward,      // of the trajectory, 0.5 without one
  kEventShare,  // events with both, of those with either
};

// A row. The edge of a pair has the label of its group's name (kSharing), else `label`.
struct EdgeRecipe {
  std::string_view name = {};  // The edges have "build:NAME" as created_by.
  std::string_view summary = {};
  PairSource source = PairSource::kSharing;
  EdgeKindId groups = kNoEdgeKind;  // of the index plane, from turn to group
  EdgeKindId kind{};                // that is written
  PairDirection direction = PairDirection::kForward;
  PairWeight weight = PairWeight::kCosine;
  std::string_view label = {};
  double above = 0;         // A cosine is kept when it is greater.
  std::size_t window = 64;  // kSharing: 1 to kMaxWindow. kComposed: members taken of an event.
  std::size_t top = 10;     // kNearest: 0 to 1000; 0: all that are above.
  static constexpr std::size_t kMaxWindow = 1 << 20;
};

// temporal, referential, causal, categorical, trajectory, similar, co-retrieval.
std::span<const EdgeRecipe> BuiltinRecipes();
const EdgeRecipe* FindRecipe(std::string_view name);  // Null: none exists.

// What was learned of a session. Names are those of sessions, or keys of turns.
struct TurnTrajectory {
  std::string of = {};
  std::string correction_of = {};       // "": it corrects nothing
  std::optional<double> reward = {};    // finite, >= 0
  std::string skill = {}, domain = {};  // "": unknown
};

struct BuildOptions {
  std::span<const TurnTrajectory> trajectories = {};  // Beside what the sessions' properties say.
  bool refuse_unknown = false;        // An unknown session is an error, not skipped.
  SpaceId space{};                    // Of kCosine.
  const NodeSubset* turns = nullptr;  // Null: the alive nodes of kind turn.
  // What changed since the recipe was built to its end, with the same options. Only groups that it
  // touches are looked at; the counts of the others are those of their stored edges. Null: all.
  const StateChanges* changes = nullptr;
  std::size_t batch_edges = 65'536;  // of a batch, 1 to 2^20
  std::int64_t now_ms = kNoTime;     // of the batches; as of a WriteBatch
  Progress* progress = nullptr;      // Stops between batches: truncated.
  RunOptions run = {};               // budget: only deadline and cancel flag.
};

struct BuildReport {
  std::uint64_t added = 0, changed = 0, same = 0;  // edges
  std::uint64_t removed = 0;  // edges of this recipe that no longer qualify
  std::uint64_t dropped = 0;  // pairs whose cosine is too small
  std::uint64_t skipped = 0;  // pairs, turns and trajectories that lack something, or are unknown
  std::uint64_t capped = 0;   // pairs that a window or a cap on members left out
  std::uint64_t rewards = 0;  // sessions whose reward was written
  std::uint64_t groups = 0;   // groups, trajectories or events looked at
  std::uint64_t batches = 0;
  bool truncated = false;            // Stopped before its end; the same again continues.
  std::vector<std::string> unknown;  // The first ten names that are no session and no turn.
};

// Applies a batch. An error ends the building.
using ApplyBatch = std::function<Status(const WriteBatch&)>;

// Computes: the recipe's edges. Those that `snapshot` lacks, or has with another weight or other
//   properties, are handed to `apply`, at most batch_edges at a time, in an order that is that of
//   the groups' and turns' ids. Batches expect that their nodes are there, and properties that they
//   change to be those that were read (kConflict). An empty `apply` counts.
//   Of sessions (kConsecutive, kFirstAndLast) an edge of this recipe between turns that are no
//   longer neighbours, or first and last, is unlinked. All other edges stay.
// Complexity: O(turns + index edges + pairs * dimensions); pairs of a group of n turns are at most
//   n * window. kNearest: O(turns^2 * dimensions). Memory: O(turns + index edges + batch_edges),
//   kNearest with a top O(turns * top).
// Errors: kInvalidArgument: a recipe or an option that makes no sense, a reward out of range.
//   kNotFound: refuse_unknown. kCorruption: properties that cannot be read. kResourceExhausted.
//   The errors of `apply`.
// Threads: thread-safe; `apply` is called in the caller's thread. The batches are the same at any
//   thread count.
Result<BuildReport> BuildEdges(const Snapshot& snapshot, const EdgeRecipe& recipe,
                               const BuildOptions& options, const ApplyBatch& apply);

struct SessionTurn {
  NodeId node = kNoNode;
  std::int64_t position = 0;  // 0 is the turn itself, before it they are negative.
};

struct SessionResult {
  NodeId session = kNoNode;                       // kNoNode: walked along temporal edges.
  std::vector<SessionTurn> turns;                 // By position.
  std::uint64_t more_before = 0, more_after = 0;  // Of the session; of a walk 1 when it continues.
};

// Computes: the turns before and after `turn` in its session (the one with the smallest id), by
//   time, then id; turns without a time come last, so that the first turn is the one that builders
//   take a session for. A session in place of `turn` means its first one. Without a session the
//   walk follows temporal edges: of several the heaviest, then the smaller id; a turn is met once.
//   Of `subset`, and `turn`; null is all.
// Complexity: O(turns of the session), or the rows along the walk.
// Errors: kInvalidArgument: no such node. kNotFound: it was removed, or is a session without turns.
//   kResourceExhausted.
// Threads: thread-safe.
Result<SessionResult> Session(const Snapshot& snapshot, NodeId turn, std::uint64_t back = 20,
                              std::uint64_t forward = 20, const NodeSubset* subset = nullptr);

}  // namespace plexus::memory
