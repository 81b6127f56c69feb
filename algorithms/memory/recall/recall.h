// Recall: the memories that answer a question, with terms of their scores, related memories, and
// what their use changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus::memory {

// --- What is related to a memory, and what contradicts it: its edges within a few hops, in words.
//
// An edge between facts that is valid at the time is listed once, from the end that is nearer to
// the memory (of two equally near ones the smaller id): its hop is 1 + the hops to that end. Loops
// relate nothing to another and are left out. A node that was superseded is listed where a
// suppressing edge leads to it ("k3 supersedes k2"), and nothing beyond it.

inline constexpr int kMaxRelatedHops = 8;
inline constexpr std::size_t kMaxRelated = 1000;

struct RelatedOptions {
  int hops = 1;          // 0 to kMaxRelatedHops.
  std::size_t top = 20;  // 1 to kMaxRelated.
  // Edges, valid at that time (kNoTime: the snapshot's), among nodes that stand (all alive facts).
  GraphFilter filter = {};
  const NodeSubset* scope = nullptr;  // What superseded nodes must be of. Null: all.
  std::uint64_t max_edges = 1'000;    // Arcs read, expired ones included; nearer ones first.
  RunOptions run = {};                // budget: only the deadline and the cancel flag.
};

struct Relation {
  NodeId node = kNoNode;  // The other end.
  NodeId from = kNoNode;  // The end that is nearer: at hop 1 the memory.
  EdgeKindId kind{};
  Direction direction = Direction::kOut;  // As `from` sees it; kBoth of symmetric kinds.
  int hop = 1;
  float weight = 1;
  StringId label = 0;
  std::string text = {};  // "o1 supports k1", in the edge's own direction.
  bool operator==(const Relation&) const = default;
};

struct RelatedResult {
  std::vector<Relation> relations;  // By hop, key, kind, key of `from`, direction and label.
  bool truncated = false;           // There are more than `top`, or the budget ran out.
  std::uint64_t edges = 0;          // Arcs read.
};

// Computes: the relations of a node.
// Complexity: O(arcs read * log), at most the budget's; a hop is not walked when the list is full.
// Errors: kInvalidArgument: no such node, or hops or top out of range. kResourceExhausted.
// Threads: thread-safe, on one thread.
Result<RelatedResult> RelatedTo(const Snapshot& snapshot, NodeId node,
                                const RelatedOptions& options = {});

struct ContradictionsOfNode {
  std::vector<Conflict> conflicts;  // As OpenConflicts returns them: the oldest first, ties by ids.
  bool truncated = false;           // More than `max_edges` edges.
};

// Computes: the open conflicts of a node (conflicts.h) among what is visible, which it must be of.
// Complexity: O(its edges `contradicts`), at most O(max_edges).
// Errors: kInvalidArgument: no such node. kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<ContradictionsOfNode> ContradictionsOf(const Snapshot& snapshot, NodeId node,
                                              const Visible& visible,
                                              std::uint64_t max_edges = 1'000);

// --- Recall: memories that answer words, a vector, keys, or all of them, and what is around them.
//
// A retrieval plan (retrieval/plan.h) finds and ranks; it sees what may be a hit, walks included.
// For questions in words kRecallPlan finds more than the others (retrieval/PLANS.md), so it is the
// default in graphs of kRecallPlanTexts texts and more; else kListsPlan is: the order of BM25, of
// nearest vectors, or of what is near the keys, several fused by reciprocal ranks. A memory that is
// in none of a plan's lists is not ranked, however recent or salient it is, so no question reads
// all nodes. A sum of terms, as Codewhale's #536 has it, is a plan, too:
//
//   RetrievalPlan plan = FindPlan(kListsPlan)->plan;
//   plan.fuse = Fusion::kSum;
//   plan.score.weights = {};
//   plan.score[PlanTerm::kWords] = 0.6, plan.score[PlanTerm::kRecency] = 0.4;
//
// Superseded memories are hidden unless they are asked for. A hit says what replaced it, what it
// is related to, whom it contradicts, and which superseded memory it repeats. Nothing is resolved
// and nothing is written: ProposeReinforcement makes the proposals.
//
// Source of the fusion: Cormack, Clarke, Büttcher, "Reciprocal rank fusion outperforms Condorcet
// and individual rank learning methods", SIGIR 2009.

struct RecallQuery {
  std::string_view text = {};                // Its words count before `terms`, by QueryTerms.
  std::span<const std::string> terms = {};   // As of TermSplitter::Split. None: no others.
  std::span<const retrieval::Bm25Phrase> phrases = {};  // Each counts as one more term.
  std::span<const float> vector = {};        // None: no vector.
  SpaceId space{};                           // Of the vector, and of a plan's fusion by vectors.
  std::span<const NodeWeight> keys = {};     // Start nodes. None: no keys.
};

// The named plan that answers a question in words best (bench/retrieval).
inline constexpr std::string_view kRecallPlan = "recall", kListsPlan = "lists";
// What it is worth was measured on hundreds of texts and more; fewer are ranked by their words.
inline constexpr std::uint64_t kRecallPlanTexts = 100;

// It looks at three times as many texts as hits are asked for.
inline constexpr std::size_t kRecallPlanTop = retrieval::PlanLimits::kMaxTop / 3;

// Computes: whether kRecallPlan answers for `top` hits: 1 to kRecallPlanTop in a graph of so many
//   texts. Counted once for a state, as in Bm25; a budget that runs out says no.
// Threads: thread-safe.
bool HasRecallPlan(const Snapshot& snapshot, std::size_t top, const RunOptions& run = {});

// The columns that salience is read from: "salience" if it is one of numbers, then trust as the
// ledger reads it: retention, trust.
// Complexity: O(columns). Errors: none. Threads: thread-safe.
std::vector<ColumnId> SalienceColumns(const Schema& schema);

struct RecallOptions {
  std::int64_t now_ms = kNoTime;  // kNoTime: the snapshot's time.
  // What is valid at that time (kNoTime: now), of nodes that may be in the answer at all. Kinds are
  // those of relations and paths.
  GraphFilter filter = {};
  // Null: for words kRecallPlan, where HasRecallPlan says so, else kListsPlan. Kinds above are in
  // place of its own.
  const retrieval::RetrievalPlan* plan = nullptr;
  // Where a plan is given and its top is not 0, that. 0: all; of the plans by default, by
  // kListsPlan.
  std::size_t top = 10;
  const NodeSubset* matching = nullptr;  // Of these, what may be a hit. Null: all of them.
  bool include_superseded = false;
  bool exclude_contradicted = false;  // Both sides of an open conflict are left out.
  // What the terms are of. Salience with nothing given: of SalienceColumns, else 0.5.
  retrieval::NodeValues salience = {}, outcome = {};
  retrieval::PreferredNodes preferred = {};
  int related_hops = 1;  // 0: none.
  std::size_t related_top = 20;
  std::uint64_t related_edges = 1'000;  // Arcs read of a hit.
  double near_duplicate = 0.5;          // Least Jaccard, in (0, 1]. Above 1: nothing is flagged.
  // budget: as Bm25, Nearest and Traverse, each by itself; the deadline holds for all.
  RunOptions run = {};
};

// Beyond them NearSuperseded stops for a question.
inline constexpr std::uint64_t kRecallDuplicateArcs = 50'000, kRecallDuplicateVectors = 20'000;

struct RecallHit : retrieval::RetrieveHit {
  std::string why = {};               // A sentence without its full stop.
  std::vector<Relation> related = {};
  bool related_truncated = false;
  std::optional<NodeId> superseded_by = {};           // The head of its chain;
                                                      // kNoNode outside of the filter's.
  std::vector<NodeId> contradicted_by = {};           // The other sides of open conflicts, by key.
  std::vector<NearDuplicate> near_duplicate_of = {};  // As NearDuplicates has them.
};

struct RecallResult {
  std::vector<RecallHit> hits;        // Best first, ties by smaller id.
  std::vector<Conflict> conflicts;    // Of hits and excluded ones; the oldest first, ties by ids.
  std::uint64_t excluded = 0;         // Contradicted ones that would stand among the hits.
  bool truncated = false;             // A list's budget ran out: the best of what was looked at.
  bool conflicts_truncated = false;   // Of a memory with very many edges `contradicts`.
  bool duplicates_truncated = false;  // Not all near-duplicates were looked for.
  std::string_view plan = {};         // kRecallPlan or kListsPlan, if the question had no plan.
  retrieval::RetrieveResult planned;  // Stages and counts. Its hits are those above.
};

// Computes: the best memories for a question.
// Complexity: that of Retrieve with measures; then for each hit the arcs of its relations and its
//   rarest terms, within their bounds.
// Errors: kInvalidArgument: a question without words, vector and keys, or an option out of range.
//   Those of Retrieve; of a text, of QueryTerms (retrieval/terms.h).
// Threads: thread-safe. The same bits at any thread count.
Result<RecallResult> Recall(const Snapshot& snapshot, const RecallQuery& question,
                            const RecallOptions& options = {});

// --- What a recall leaves behind, as proposals next to the answer: the use of the memories that it
// gave, the edges among them made stronger, and the event that records them as evidence.
//
// Use: access_count + 1, and accessed_at = now unless a later use is stored. Reinforcement: an edge
// between two of the memories that is valid now, of any fact kind but `contradicts` and suppressing
// kinds, gets w <- 1 - (1 - w)(1 - a), as the concept graph of Tsuki raises a relation that is seen
// again (there a = 0.2). Weights outside of [0, 1) stay as they are.

struct ReinforcementOptions {
  std::int64_t now_ms = kNoTime;     // kNoTime: the snapshot's time.
  double reinforce = 0.2;            // a, in [0, 1]; 0: no edge is changed.
  std::uint64_t max_edges = 10'000;  // Arcs of a memory that are looked at.
  RunOptions run = {};               // budget: only the deadline and the cancel flag.
};

struct ReinforcementResult {
  // It expects the memories and edges to be there still, so that a writer who removed one makes it
  // fail whole with kConflict. Counts are added, so uses of many writers add up; of two that use a
  // memory or reinforce an edge at once the later one's time and weight stay.
  WriteBatch batch;
  std::uint64_t memories = 0;
  std::uint64_t edges = 0;  // Whose weight rises.
  bool truncated = false;   // A memory has more arcs than were looked at.
  bool stopped = false;     // The time was up: the batch is not all.
};

// Computes: the batch of a use. A memory given twice is used once.
// Complexity: O(arcs of the memories, log).
// Errors: kInvalidArgument: no such node, a removed or index node, or `reinforce` out of range.
//   kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<ReinforcementResult> ProposeReinforcement(const Snapshot& snapshot,
                                                 std::span<const NodeId> memories,
                                                 const ReinforcementOptions& options);

struct EvidenceOptions {
  std::string tool = "recall", mode = std::string(kDefaultEventMode);
  std::string props = {};                    // As NewEvent::props.
  double min_share = 0.5;                    // Of the best score, in [0, 1]: less is no evidence.
  std::span<const std::string> terms = {};   // Of the question, as they are indexed.
  std::uint64_t analyzed = 0, expanded = 0;  // Memories ranked, relations followed; 0: not said.
};

// Computes: the event that records hits as evidence, as vestige's deep_reference does. A hit that
//   is superseded has that role, one that contradicts a hit before it, or a memory outside of the
//   hits, is `contradicting`, as the other side is; of the others the first is primary, the rest
//   supporting. Members have rank, score, trust and preview. The event has confidence (best value
//   + min(0.03 per evidence, 0.2) - 0.1 per contradiction, in [0, 1]; a value is 0.5 of the best
//   score + 0.2 trust + 0.3 share of the question's terms), status (no_evidence,
//   contradictions_found, resolved above 0.7, partial_evidence), and the preview of its first
//   member. For RecordEvent; without hits it has no members, so nothing is recorded.
// Errors: kInvalidArgument: `min_share` out of range. kCorruption: from the payload store, props
//   that are no map.
// Threads: thread-safe.
Result<NewEvent> EventOfRecall(const Snapshot& snapshot, std::span<const RecallHit> hits,
                               std::string_view query, std::int64_t now_ms,
                               const EvidenceOptions& options = {});

// The first 160 bytes of a text, cut at a character, with "..." if there is more; line ends become
// blanks.
std::string PreviewOf(std::string_view text);

}  // namespace plexus::memory
