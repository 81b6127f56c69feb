// Decisions: their status, what is blocked, the work queue, salience, suggestions, guardrails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/memory/conflicts/conflicts.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus::memory {

// --- Decisions: which nodes are decisions, what state each is in, what holds it in the graph.
//
//   recorded   its column `outcome` says anything but "pending"
//   resolved   recorded, or superseded
//   active     visible (visibility.h), and its outcome is not "abandoned"
//
// A graph that had a column `outcome` of its own, of strings, is read by that one.

// What these functions share.
struct DecisionOptions {
  std::int64_t now_ms = kNoTime;       // kNoTime: the snapshot's time.
  const NodeSubset* subset = nullptr;  // The decisions. Null: every alive node of kind decision.
  // What else may be counted or named: ends of edges, heads, members of events. Null: all.
  const NodeSubset* inside = nullptr;
  RunOptions run = {};  // Of a budget only the deadline and the cancel flag.
};

// Computes: the alive nodes of kind decision, inside `within` when there is one.
// Complexity: that of NodeSubset::OfKinds, whose `keep_orders` this is.
// Errors: kResourceExhausted: no memory. Threads: thread-safe.
Result<NodeSubset> Decisions(const Snapshot& snapshot, const NodeSubset* within = nullptr,
                             bool keep_orders = false);

struct DecisionStatus {
  NodeId node = kNoNode;
  NodeId superseded_by = kNoNode;  // The head (visibility.h). kNoNode: it was not superseded.
  std::string_view outcome;        // As stored; valid as long as the snapshot is.
  bool recorded = false, resolved = false, active = false;
  bool operator==(const DecisionStatus&) const = default;
};

// Computes: the state of each node, in the order given.
// Complexity: O(nodes given, edges that lead to what superseded them, log).
// Errors: kInvalidArgument: no such node. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<std::vector<DecisionStatus>> StatusOf(const Snapshot& snapshot,
                                             std::span<const NodeId> nodes, std::int64_t now_ms);

// Computes: the open conflicts (conflicts.h) between active decisions.
// Complexity: O(nodes + arcs). Errors: those of OpenConflicts. Threads: thread-safe.
Result<OpenConflictsResult> DecisionContradictions(const Snapshot& snapshot,
                                                   const DecisionOptions& options = {});

// Edge counts of a decision, to flag unlinked notes.
struct EdgeQuality {
  std::uint64_t edges = 0;  // Fact edges of either direction that are valid at the time.
  std::uint32_t kinds = 0;  // Distinct kinds among them; a direction is a kind of its own.
  double diversity = 0;     // 1 - sum of (share of a kind)^2 (Simpson, 1949): 0 for one kind.
  bool operator==(const EdgeQuality&) const = default;
};

// Computes: the quality of each node, in the order given; of edges to nodes of `inside` only, when
// there is one. O(arcs of the nodes).
// Errors: kInvalidArgument: no such node. Threads: thread-safe.
Result<std::vector<EdgeQuality>> QualityOf(const Snapshot& snapshot, std::span<const NodeId> nodes,
                                           std::int64_t now_ms, const NodeSubset* inside = nullptr);

// --- Blocked decisions: what each waits for, down to the roots that hold everything up.
//
// A decision that is not resolved waits for an unresolved decision that blocks
// it (any kind of edge declared as blocking), or on which it depends. Then it is blocked. A root is
// an unresolved decision that others wait for and that is not blocked itself. A decision that
// waits only for a cycle has no root. Edges count that are valid at the time; loops never do.

struct BlockedDecision {
  NodeId node = kNoNode;
  NodeId next = kNoNode;  // The first step of the shortest chain to a root, ties by ids.
  NodeId root = kNoNode;  // Where that chain ends. kNoNode: only in cycles.
  std::uint32_t hops = 0;
  bool in_cycle = false;
  bool more_roots = false;  // It has more than max_roots: `roots` are those of the smallest ids.
  std::uint32_t first_root = 0, root_count = 0;  // In BlockedChainsResult::root_lists.
};

struct BlockingRoot {
  NodeId node = kNoNode;
  std::uint64_t blocked_count = 0;  // Blocked decisions to which it is the nearest root.
  EdgeKindId kind{};  // By which it holds those that wait for it directly; the least of them.
};

struct BlockedChainsResult {
  std::vector<BlockedDecision> blocked;  // Ascending ids.
  std::vector<NodeId> root_lists;
  std::vector<BlockingRoot> roots;          // By falling `holds`, ties by ids.
  std::vector<std::vector<NodeId>> cycles;  // Of unresolved decisions; as SalienceResult has them.

  std::span<const NodeId> RootsOf(const BlockedDecision& of) const {
    return std::span(root_lists).subspan(of.first_root, of.root_count);
  }
  // nullptr: it is not blocked. O(log).
  const BlockedDecision* Find(NodeId node) const;
};

struct BlockedChainsOptions {
  DecisionOptions decisions = {};
  std::uint32_t max_roots = 16;  // Listed of each decision, 1 to 1024.
};

// Computes: all blocked decisions with their roots, and the cycles.
// Complexity: O(nodes + arcs * max_roots). No recursion: chains may be as long as the graph.
// Errors: kInvalidArgument: max_roots out of range. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<BlockedChainsResult> BlockedChains(const Snapshot& snapshot,
                                          const BlockedChainsOptions& options = {});

// One step of a chain: `node` waits for `next`. The kind says how: a blocking kind (next blocks
// node) or depends_on (node depends on next).
struct ChainStep {
  NodeId node = kNoNode, next = kNoNode;
  EdgeKindId kind{};
  bool operator==(const ChainStep&) const = default;
};

// Computes: the shortest chain from a blocked decision to its nearest root, at most `limit` steps.
//   Empty without a root.
// Complexity: O(steps * (log + row)).
// Errors: kResourceExhausted: no memory. Threads: thread-safe.
Result<std::vector<ChainStep>> ChainOf(const Snapshot& snapshot, const BlockedChainsResult& result,
                                       NodeId node, std::int64_t now_ms, std::size_t limit);

// Computes: the unresolved decisions that `node` waits for directly, ascending ids, each once for
//   each kind. REQUIRES a node of the snapshot.
// Errors: as StatusOf.
Result<std::vector<ChainStep>> BlockersOf(const Snapshot& snapshot, NodeId node,
                                          const DecisionOptions& options);

// --- The work queue: what to review next, from six sources, as one ranked list.
//
//   conflict      an open conflict between active decisions
//   blocked_root  a decision that holds others up
//   overdue       an active decision without an outcome whose time has come
//   stale         an active decision that much depends on, unchanged for long
//   frontier      a pair of decisions that no event has together and no edge links
//                 (frontier.h, kByLedger)
//   low_cluster   active decisions that edges tie together, two or more, none of them salient
//
// score = weight of the source x value; every value is in [0, 1]:
//   conflict      (1 + the larger percentile of salience of both sides) / 2
//   blocked_root  held / (held + 1), of the decisions to which it is the nearest root
//   overdue       (1 + late / (late + period)) / 2
//   stale         percentile x age / (age + period)
//   frontier      of the score s of the pair: s / (s + 2), of the lens kLikely, whose scores are
//                 logarithms, e^s / (e^s + 1)
//   low_cluster   (1 - the largest percentile) x size / (size + 2)

enum class WorkKind : std::uint8_t {
  kConflict,
  kBlockedRoot,
  kOverdue,
  kStale,
  kFrontier,
  kLowCluster,
};
inline constexpr std::size_t kWorkKinds = 6;
std::string_view WorkName(WorkKind kind);  // "conflict" ...

struct WorkQueueOptions {
  DecisionOptions decisions = {};
  std::vector<WorkKind> kinds = {};  // Only of these sources. None: all.
  std::size_t top = 20;              // 0: all.
  std::size_t each = 0;              // At most so many of a source, the best. 0: no limit.
  double conflict_weight = 1, blocked_weight = 0.9, overdue_weight = 0.8, stale_weight = 0.6;
  double frontier_weight = 0.4, cluster_weight = 0.3;
  // An integer column with the time in ms when a decision is due; a graph may have none of the
  // name. Without a value it is due `period_ms` after created_at.
  std::string due_column = "review_at";
  std::int64_t period_ms = std::int64_t{30} * 86'400'000;
  double stale_percentile = 0.8;  // From here on a decision can be stale.
  double low_percentile = 0.5;    // A cluster is low where no decision is above it.
  std::size_t frontier = 5;       // Pairs of the frontier, at most 1000; 0: none, and no cost.
};

struct WorkItem {
  WorkKind kind = WorkKind::kConflict;
  NodeId node = kNoNode, other = kNoNode;  // other: of a pair. A cluster by its smallest key.
  double score = 0, value = 0, weight = 0;
  std::string reason = {};  // A sentence.
};

struct WorkQueueResult {
  std::vector<WorkItem> items;  // By falling score, ties by kind and ids.
  std::uint64_t total = 0;      // Before the list was cut.
  bool truncated = false;       // The budget ended salience, the conflicts or the frontier.
};

// Computes: the queue.
// Complexity: that of Salience, BlockedChains and NeverComposed, plus O(nodes + arcs).
// Errors: kInvalidArgument: a weight or percentile outside of [0, 1], a period that is not
//   positive, too many pairs. Those of Salience, BlockedChains, StatusOf and NeverComposed.
// Threads: thread-safe. The bits are the same at any thread count.
Result<WorkQueueResult> WorkQueue(const Snapshot& snapshot, const WorkQueueOptions& options = {});

// --- Salience of decisions: how many decisions depend on one, weighted (PageRank); and what may be
// compacted by it.
//
// The scores are PageRank's (pagerank.h), over decisions only. Rank flows to what is
// needed:
//   depends_on, refines   source to target
//   causes                effect to cause        (reversed)
//   supports              claim to evidence      (reversed)
// by weight, along edges that are valid at the time. Raw scores sum to 1 and shrink as the graph
// grows, so thresholds read the percentile. Cycles cannot be ordered by dependence; they
// are listed with the scores.

struct SalienceOptions {
  DecisionOptions decisions = {};
  double damping = 0.85;     // In [0, 1).
  double tolerance = 1e-12;  // Of the L1 distance to the fixed point.
};

struct SalienceResult {
  NodeSubset nodes;                         // The decisions.
  std::vector<double> scores;               // By NodeId: sum 1. 0 for all other nodes.
  std::vector<double> scaled;               // Divided by the largest.
  std::vector<double> percentiles;          // Share of the others that score less, ties count half.
  std::vector<std::uint32_t> in_arcs;       // By NodeId: arcs of salience that arrive.
  std::vector<std::vector<NodeId>> cycles;  // Strong components of two and more, ascending ids.
  bool truncated = false;                   // The budget ended the iteration.
};

// Computes: the salience of every decision.
// Complexity: O(nodes + arcs) once where decisions need each other without cycles, whatever the
//   damping; each cycle is iterated by itself. So nothing of an earlier ranking is needed after a
//   change. No recursion.
// Errors: kInvalidArgument: damping outside of [0, 1), a tolerance that is not above 0.
//   kResourceExhausted: no memory.
// Threads: thread-safe, and one thread but to gather the arcs. The bits are the same at any thread
//   count. Which decisions tie does not depend on the order in which they were added, but in cycles
//   of more than 4,096, or where weights of a decision's edges differ by more than 2^28.
Result<SalienceResult> Salience(const Snapshot& snapshot, const SalienceOptions& options = {});

enum class CompactionTier : std::uint8_t { kFold, kKeep, kDigest, kSummary, kFull };
std::string_view TierName(CompactionTier tier);  // "fold" ...

// The first rule that holds decides; ages are inclusive:
//   fold     superseded: into its successor, when that is in `inside`
//   keep     percentile >= keep_percentile
//   digest   no arc of salience arrives, the outcome is recorded, and digest_age_ms old
//   summary  an arc arrives, and summary_age_ms old
//   full     all others
struct CompactionOptions {
  SalienceOptions salience = {};
  double keep_percentile = 0.8;
  std::int64_t digest_age_ms = std::int64_t{14} * 86'400'000;
  std::int64_t summary_age_ms = std::int64_t{30} * 86'400'000;
};

struct CompactionEntry {
  NodeId node = kNoNode;
  CompactionTier tier = CompactionTier::kFull;
  NodeId into = kNoNode;  // kFold: the head of its chain.
  double percentile = 0;
  std::optional<std::int64_t> age_ms;  // Absent: created_at is not known, and it counts as new.
};

struct CompactionResult {
  std::vector<CompactionEntry> entries;  // Every decision, ascending ids.
  // Writes each tier that differs from the stored one into the column `compaction_tier`; empty when
  // nothing does. Expects its nodes: a removed one is a conflict. Tiers are of the snapshot; of two
  // that write them at once the later one's stay.
  WriteBatch batch;
  bool truncated = false;
};

// Computes: the tier of each decision, as a proposal.
// Complexity: that of Salience, and O(nodes + suppressing edges).
// Errors: those of Salience. kInvalidArgument: a percentile outside of [0, 1], a negative age.
//   kAlreadyExists: a column `compaction_tier` of another type.
// Threads: thread-safe.
Result<CompactionResult> CompactionTiers(const Snapshot& snapshot,
                                         const CompactionOptions& options = {});

// --- Edges that a decision may be missing, each with its reason and evidence; nothing is written.
//
//   contradicts  an active decision of the same category has the opposing outcome
//   caused_by    the text names the key of a decision whose outcome is recorded
//   relates_to   it names one without; or an active decision shares tags and terms with it, has a
//                vector near its own, or the same value of a property that is asked for
//   refines      the same, but for the name, of an older active decision of its category
//
// Of a pair the first that holds is suggested, but contradicts and caused_by may stand together.
// A key is named by a word of the text between blanks, without the punctuation around it.

struct SuggestOptions {
  DecisionOptions decisions = {};
  std::size_t top = 20;     // Of each relation, 1 to 1000.
  double min_shared = 0.5;  // Jaccard over tags and terms, in (0, 1].
  std::string space = "default";
  double min_cosine = 0.8;                   // Of vectors; above 1: they do not count.
  std::vector<std::string> properties = {};  // Of texts, such as "pattern"; or columns of texts.
  std::string created_by = "suggest";
};

struct SuggestedEdge {
  NodeId node = kNoNode, other = kNoNode;  // Read as "node relation other".
  std::string_view relation = {};          // The kind's name; caused_by is stored as causes.
  std::string reason = {};                 // A sentence.
  std::vector<std::pair<std::string, std::string>> evidence = {};  // What was found where.
};

struct SuggestResult {
  std::vector<SuggestedEdge> edges;  // By relation as above, then as found: newest or most shared.
  // Links them all, with the reason as a property. Expects their ends, and that they are not there
  // yet: else kConflict.
  WriteBatch batch;
  bool truncated = false;  // More than `top`, or the budget ran out.
};

// Computes: the edges that are not there yet.
// Complexity: O(nodes + the words of the text + arcs of its tags and terms), the vectors of the
//   space once, and the properties of all decisions where some are asked for.
// Errors: kInvalidArgument: no such node, not one of the decisions, an option out of range.
//   kNotFound: the node was removed. kCorruption: its text cannot be read. kResourceExhausted.
// Threads: thread-safe. The list is the same at any thread count.
Result<SuggestResult> SuggestEdges(const Snapshot& snapshot, NodeId node,
                                   const SuggestOptions& options = {});

// --- Guardrails: rules over what a proposal would do to the graph, before it is written.
//
// The proposal is a preview (engine/graph.h): a rule looks at what is linked, unlinked or removed
// between the stored graph and the preview, and at the node that this meets, the target. Rules are
// data. Seed 4's rule:
//
//   {.name = "no-contradict-high-salience", .does = kLinks, .kinds = {builtin::kContradicts},
//    .target = {.active = true, .salience_above = 0.7}, .action = kBlock,
//    .message = "This contradicts {target}. Supersede it first."}
//
// Salience is the percentile of the stored graph, which a proposal cannot raise or lower; a target
// that is not stored has none. A removed node is judged as it is stored. All other conditions are
// read from the preview, so a proposal that supersedes a decision may contradict it. Edges count
// whenever they are valid, before or after now; a condition holds when it does now or in the end,
// after all times that edges give.

enum class ProposalDoes : std::uint8_t {
  kLinks,    // an edge is at some time valid in the preview that is not in the stored graph
  kUnlinks,  // the other way round
  kRemoves,  // a stored node is removed or purged, also where the proposal states it again
  kCloses,   // it links an edge that is on a cycle of the rule's kinds, all of it valid at once
};

// Which end of the edge is the target. Of symmetric kinds each end is, but a new node where the
// other end is stored.
enum class TargetSide : std::uint8_t { kTarget, kSource, kEither };

// All that are given must hold.
struct TargetCondition {
  std::optional<bool> active = {}, blocked = {}, resolved = {};
  std::optional<double> salience_above = {};                             // Percentile, in [0, 1].
  NodeKinds node_kinds = {};                                             // It is of one of them.
  std::vector<std::string> tags = {};                                    // It carries one of them.
  std::vector<std::string> categories = {}, stakes = {}, outcomes = {};  // It has one of them.
};

enum class RuleAction : std::uint8_t { kBlock, kWarn };

struct GuardrailRule {
  std::string name = {};
  ProposalDoes does = ProposalDoes::kLinks;
  std::vector<EdgeKindId> kinds = {};  // kLinks, kUnlinks, kCloses: of the edge. At least one.
  // kCloses: those of `kinds` that are followed from target to source; and whether each kind is
  // looked at without the others.
  std::vector<EdgeKindId> backward = {};
  bool each_kind = false;
  TargetSide side = TargetSide::kTarget;
  TargetCondition target = {};
  RuleAction action = RuleAction::kBlock;
  // {target} (or {conflicting_decision}, as seed 4 has it), {other} and {rule} stand for keys and
  // the rule's name.
  std::string message = {};
};

inline constexpr std::size_t kMaxGuardrailRules = 1000;
// Of a rule's message, as written and as filled; what is longer when filled ends with "...".
inline constexpr std::size_t kMaxGuardrailMessage = 4096;

struct GuardrailHit {
  std::size_t rule = 0;     // Index of the rule.
  NodeId target = kNoNode;  // Of the preview.
  NodeId other = kNoNode;   // The other end; kNoNode: kRemoves.
  EdgeKindId kind = kNoEdgeKind;
  std::optional<double> salience;  // Where the rule asks for it.
  std::string message;
};

struct GuardrailResult {
  bool allowed = true;             // No rule blocks, and all was judged.
  bool truncated = false;          // Not all was judged before the deadline: nothing is allowed.
  std::vector<GuardrailHit> hits;  // By rule, target, other, kind: the first `top`.
  std::uint64_t total = 0;         // Hits.
  std::uint64_t changes = 0;       // Edges linked and unlinked, nodes removed, of what rules ask.
};

struct GuardrailOptions {
  DecisionOptions decisions = {};  // `subset`: of the stored graph, for salience.
  // That of the stored graph, with the same decisions. Null: computed when a rule asks for it.
  const SalienceResult* salience = nullptr;
  std::uint64_t top = 1000;  // Hits kept; 0: all.
};

// Computes: which rules the proposal meets: Preview() of the snapshot. Writes nothing.
// Complexity: O(change) where both snapshots share their base, as a preview and what it is made of
//   do, else O(nodes + arcs); Salience and BlockedChains once where rules ask for them and they are
//   not given.
//   Rules times changes besides. For kCloses O(arcs that the changes reach), once a rule, and again
//   for each time at which an edge of a cycle begins, where some are not always valid. The deadline
//   and the cancel flag hold for all of it.
// Errors: kInvalidArgument: a rule without a name or message or with a long one, without kinds,
// with a kind that the
//   preview's schema does not have or a number out of range, or too many rules. Those of Salience,
//   BlockedChains and StatusOf.
// Threads: thread-safe.
Result<GuardrailResult> CheckGuardrails(const Snapshot& snapshot, const PreviewResult& proposal,
                                        std::span<const GuardrailRule> rules,
                                        const GuardrailOptions& options = {});

}  // namespace plexus::memory
