// Conflicts between memories: the queue of open ones, how they are resolved, what may be one.
//
// A conflict is an edge `contradicts` that is valid at the time, between two memories that are both
// visible then (visibility.h). It hides and removes nothing: who decides, a person or a model,
// hands in a verdict, and a verdict becomes a WriteBatch that the caller applies or not. A
// candidate is a pair to review, with its evidence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus::memory {

struct OpenConflictsOptions {
  std::int64_t now_ms = kNoTime;       // kNoTime: the snapshot's time.
  const NodeSubset* subset = nullptr;  // Both sides are inside. Null: all.
  NodeId of = kNoNode;                 // Only conflicts of this node.
  RunOptions run = {};                 // budget: edges are edges contradicts read.
};

struct Conflict {
  NodeId a = kNoNode, b = kNoNode;  // a < b
  std::int64_t since = 0;           // created_at of the edge; of several edges the earliest.
  std::uint32_t edges = 0;
  bool operator==(const Conflict&) const = default;
};

struct OpenConflictsResult {
  std::vector<Conflict> conflicts;  // The oldest first, ties by ids.
  bool truncated = false;           // The budget ran out: those of the nodes looked at until then.
};

// Computes: the open conflicts.
// Complexity: O(nodes + arcs), or O(row of `of`).
// Errors: kInvalidArgument: no such node. kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<OpenConflictsResult> OpenConflicts(const Snapshot& snapshot,
                                          const OpenConflictsOptions& options = {});

// What the caller found out about a pair. The first four judge any pair, the last three resolve an
// open conflict. Of a pair with an open conflict, agrees, refines and unrelated end it, too.
enum class VerdictKind : std::uint8_t {
  kAgrees,       // a supports b
  kContradicts,  // a contradicts b: a conflict is opened
  kRefines,      // a refines b, the older one
  kUnrelated,    // nothing is linked
  kSupersede,    // the other side supersedes `removed`
  kKeepBoth,     // the conflict's edge ends now
  kDrop,         // `removed` is removed
};
// "agrees" ... "supersede", "keep_both", "drop".
std::string_view VerdictName(VerdictKind kind);
std::optional<VerdictKind> VerdictNamed(std::string_view name);

struct Verdict {
  NodeId a = kNoNode, b = kNoNode;
  VerdictKind kind = VerdictKind::kUnrelated;
  NodeId removed = kNoNode;  // kSupersede, kDrop: a or b.
  std::string note = {};     // Stands in the properties of the edge that is ended, or made.
};

struct ResolveOptions {
  std::int64_t now_ms = kNoTime;  // Time of the batch; where validity ends. As above.
  std::string created_by = {};    // Of the edges that are made; "resolved_by" of those that end.
};

struct ResolveResult {
  WriteBatch batch;
  std::uint64_t linked = 0;   // Edges made: supports, contradicts, refines, supersedes.
  std::uint64_t ended = 0;    // Edges `contradicts` whose validity ends.
  std::uint64_t removed = 0;  // Nodes.
};

// Computes: one batch for all verdicts. It expects what it was made of (the nodes, and the edges
//   `contradicts` of the first side as they are), so that it fails whole with kConflict if a writer
//   was faster. Ended edges keep their properties
//   and get "resolution", "resolved_at" and "note".
// Complexity: O(verdicts, log, rows of their nodes).
// Errors, which name the verdict by its number from 1: kInvalidArgument: a node and itself, an
//   index node, `removed` is neither side, a pair judged twice, a node dropped and named elsewhere,
//   verdicts that supersede in a cycle, a note or created_by of one that writes no edge.
//   kNotFound: a side that was removed or purged, or no open
//   conflict between the two. kCorruption: properties that cannot be read.
// Threads: thread-safe.
Result<ResolveResult> Resolve(const Snapshot& snapshot, std::span<const Verdict> verdicts,
                              const ResolveOptions& options = {});

// What speaks for a conflict of two memories.
struct ConflictEvidence {
  enum Kind : std::uint8_t {
    kNumbers,   // both texts have numbers, and they differ
    kNegation,  // one of the texts denies
    kOutcomes,  // the one is a success, the other a failure
  };
  Kind kind = kNumbers;
  std::vector<std::string> a = {},
                           b = {};  // The numbers, the denying words, the outcomes, of each side.
};

struct ConflictCandidatesOptions {
  std::int64_t now_ms = kNoTime;       // kNoTime: the snapshot's time.
  std::size_t top = 20;                // 1 to kMaxConflictCandidates.
  const NodeSubset* subset = nullptr;  // Candidates are inside. Null: all.
  // Pairs with an edge contradicts (of any time), refines, supports, duplicates or of a suppressing
  // kind were judged and are left out.
  bool include_judged = false;
  std::string space = "default";
  double min_cosine = 0.8;  // Vectors that are nearer make a candidate. Above 1: none does.
  RunOptions run = {};      // budget: edges are arcs read, nodes are vectors measured.
};

inline constexpr std::size_t kMaxConflictCandidates = 1000;

struct ConflictCandidate {
  NodeId node = kNoNode;
  double overlap = 0;        // Adamic-Adar over shared tags and terms.
  std::uint64_t shared = 0;  // How many are shared.
  std::optional<double> cosine = {};
  std::vector<NodeId> shared_tags = {};  // Ascending ids.
  std::vector<ConflictEvidence> evidence = {};
};

struct ConflictCandidatesResult {
  std::vector<ConflictCandidate> candidates;  // By overlap, cosine, id.
  bool truncated = false;                     // The budget ran out.
  bool without_terms = false;                 // The node has no terms: only tags and vectors.
};

// Computes: visible memories that may contradict a node, because they share tags and terms, or
//   their vectors are near. Of a memory that is not stored yet, ask of a preview
//   (engine/graph.h).
// Complexity: O(arcs of the node's tags and terms), O(vectors) where there are some, and the texts
//   of the `top`.
// Errors: kInvalidArgument: no such node, an index node, top or min_cosine out of range.
//   kNotFound: the node was removed. kCorruption: a text cannot be read. kResourceExhausted.
// Threads: thread-safe. The list is the same at any thread count.
Result<ConflictCandidatesResult> ConflictCandidates(const Snapshot& snapshot, NodeId node,
                                                    const ConflictCandidatesOptions& options = {});

struct NearDuplicatesOptions {
  std::int64_t now_ms = kNoTime;       // kNoTime: the snapshot's time.
  NodeId of = kNoNode;                 // Only of this superseded memory.
  const NodeSubset* subset = nullptr;  // Both are inside. Null: all.
  double min_jaccard = 0.5;            // Over tags and terms, in (0, 1].
  std::string space = "default";
  double min_cosine = 0.95;  // Above 1: vectors are not compared.
  std::size_t top = 100;     // Pairs; 0: all.
  RunOptions run = {};       // As of ConflictCandidatesOptions.
};

struct NearDuplicate {
  NodeId superseded = kNoNode, visible = kNoNode;
  NodeId superseded_by = kNoNode;  // The head of the superseded one; kNoNode outside of `subset`.
  double jaccard = 0;
  std::uint64_t shared = 0;
  std::optional<double> cosine = {};
};

struct NearDuplicatesResult {
  std::vector<NearDuplicate> pairs;  // By the greater of both measures, ties by ids.
  bool truncated = false;
};

// Computes: visible memories that say nearly what a superseded one said, and were not superseded
//   with it: suggestions, nothing is hidden. What replaced it, directly or step by step, is left
//   out.
// Complexity: O(nodes + tags and terms of all memories, of one superseded memory those of the
//   memories that share a rare one, + pairs that share a rare one), as said below; and for each
//   superseded memory that has a vector those of the space.
// Errors: kInvalidArgument: a measure out of range, no such node. kResourceExhausted: no memory.
// Threads: thread-safe. The list is the same at any thread count.
Result<NearDuplicatesResult> NearDuplicates(const Snapshot& snapshot,
                                            const NearDuplicatesOptions& options = {});

// Computes: the same pairs, of which `nodes` are the visible sides: what a few memories repeat of
//   superseded ones. Time and scope are those of `visible`: `now_ms`, `of` and `subset` are not
//   looked at.
// Complexity: O(arcs of the rarer ones of a node's tags and terms), by prefix filtering (Chaudhuri,
//   Ganti, Kaushik, "A primitive operator for similarity joins in data cleaning", 2006): a set of
//   Jaccard t or more to A has one of any |A| - ceil(t |A|) + 1 elements of A. The budget's edges
//   are those arcs and those of the hidden nodes met. Where vectors are compared, O(nodes / 64 +
//   nodes that are not visible), and a vector measured for each of these that has one; the budget's
//   nodes are these vectors.
// Errors and threads: as NearDuplicates.
Result<NearDuplicatesResult> NearSuperseded(const Snapshot& snapshot, std::span<const NodeId> nodes,
                                            const Visible& visible,
                                            const NearDuplicatesOptions& options = {});

}  // namespace plexus::memory
