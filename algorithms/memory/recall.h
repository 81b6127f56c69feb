// Recall: memories that answer words, a vector, keys, or all of them, and what is around them.
//
// Each part of a question makes a list, best first:
//   words    BM25 (retrieval/bm25.h)
//   vector   nearest vectors (retrieval/nearest_neighbors.h)
//   keys     what is near them by typed relations, both ways: the best product of weights and
//            decays on a path (traversal/traverse.h); the keys themselves are not in it
// Ranking:
//   one list           its own score
//   several            reciprocal rank fusion: score = sum of 1 / (60 + rank), rank from 1
//   with weights       score = sum of value * weight over the terms of recall/recall_terms.h
// The candidates of several lists, and of any question with weights or without contradicted
// memories, are the union of the lists' first max(100, 4 top), all for top = 0. A memory that is
// in none of them is not ranked, however recent or salient it is, so no question reads all nodes.
//
// With a plan (retrieval/plan.h) the plan finds and ranks in place of the lists: its score, its
// terms, its number of hits. It sees what may be a hit, walks included. What surrounds a hit is
// the same. For questions in words kRecallPlan finds more than the lists (retrieval/PLANS.md), so
// it is their default in graphs of kRecallPlanTexts texts and more.
//
// Superseded memories are hidden unless they are asked for. A hit says what replaced it, what it
// is related to, whom it contradicts, and which superseded memory it repeats. Nothing is resolved
// and nothing is written: recall/recall_use.h makes the proposals.
//
// Source of the fusion: Cormack, Clarke, Büttcher, "Reciprocal rank fusion outperforms Condorcet
// and individual rank learning methods", SIGIR 2009.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/node_weight.h"
#include "algorithms/common/run_options.h"
#include "algorithms/memory/conflicts.h"
#include "algorithms/memory/recall/recall_relations.h"
#include "algorithms/memory/recall/recall_terms.h"
#include "algorithms/retrieval/bm25.h"
#include "algorithms/retrieval/plan.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct RecallQuestion {
  std::string_view text = {};                // Its words count before `terms`, by QueryTerms.
  std::span<const std::string> terms = {};   // As of TermSplitter::Split. None: no others.
  std::span<const Bm25Phrase> phrases = {};  // Each counts as one more term.
  std::span<const float> vector = {};        // None: no vector.
  SpaceId space{};                           // Of the vector, and of a plan's fusion by vectors.
  std::span<const NodeWeight> keys = {};     // Start nodes. None: no keys.
};

// How nearness to the keys is measured.
struct RecallPaths {
  int hops = 2;  // As TraverseOptions has them.
  double decay = 0.5;
  std::uint64_t max_edges = 100'000;  // Arcs followed.
};

// The named plan that answers a question in words best (bench/retrieval).
inline constexpr std::string_view kRecallPlan = "recall";
// What it is worth was measured on hundreds of texts and more; fewer are ranked by their words.
inline constexpr std::uint64_t kRecallPlanTexts = 100;

// Computes: whether the graph has so many texts. Counted once for a state, as in Bm25; a budget
//   that runs out says no. Threads: thread-safe.
bool HasRecallPlan(const Snapshot& snapshot, const RunOptions& run = {});

// A plan and the values that its terms salience and outcome are of.
struct RecallPlan {
  const RetrievalPlan* plan = nullptr;  // Null: the default, or the lists.
  NodeValues salience = {}, outcome = {};
};

struct RecallOptions {
  std::int64_t now_ms = kNoTime;         // kNoTime: the snapshot's time.
  std::int64_t valid_at = kNoTime;       // What is valid then. kNoTime: now.
  std::size_t top = 10;                  // 0: all.
  const NodeSubset* subset = nullptr;    // Nodes that may be in the answer at all. Null: all facts.
  const NodeSubset* matching = nullptr;  // Of these, what may be a hit. Null: all of them.
  bool include_superseded = false;
  bool exclude_contradicted = false;  // Both sides of an open conflict are left out.
  std::optional<RecallWeights> weights = {};
  RecallTermOptions terms = {};
  RecallPaths paths = {};
  RecallPlan plan = {};     // With it top, weights and paths are not read.
  // No plan. Without it, a question with words and without weights is answered by kRecallPlan with
  // `top` hits (1 to PlanLimits::kMaxTop) where HasRecallPlan says so; paths are not read then.
  bool lists = false;
  int related_hops = 1;     // 0: none.
  std::size_t related_top = 20;
  std::uint64_t related_edges = 1'000;  // Arcs read of a hit.
  EdgeKinds kinds = {};                 // Of relations and paths. No list: the fact plane.
  double near_duplicate = 0.5;          // Least Jaccard, in (0, 1]. Above 1: nothing is flagged.
  // budget: as Bm25, Nearest and Traverse, each by itself; the deadline holds for all.
  RunOptions run = {};
};

// Beyond them NearSuperseded stops for a question.
inline constexpr std::uint64_t kRecallDuplicateArcs = 50'000, kRecallDuplicateVectors = 20'000;

struct RecallHit {
  NodeId node = kNoNode;
  double score = 0;
  RecallEvidence evidence = {};       // Of the lists that have it.
  std::vector<ScoreTerm> terms = {};  // In the order of RecallTerm, or of PlanTerm.
  std::string why = {};               // A sentence without its full stop.
  std::vector<Relation> related = {};
  bool related_truncated = false;
  std::optional<NodeId> superseded_by = {};           // The head of its chain;
                                                      // kNoNode outside of `subset`.
  std::vector<NodeId> contradicted_by = {};           // The other sides of open conflicts, by key.
  std::vector<NearDuplicate> near_duplicate_of = {};  // As NearDuplicates has them.
  std::optional<RetrieveHit> planned = {};            // Of a plan; its terms are those above.
};

struct RecallResult {
  std::vector<RecallHit> hits;        // Best first, ties by smaller id.
  std::vector<Conflict> conflicts;    // Of hits and excluded ones; the oldest first, ties by ids.
  std::uint64_t excluded = 0;         // Contradicted ones that would stand among the hits.
  std::uint64_t candidates = 0;       // What was ranked.
  bool truncated = false;             // A list's budget ran out: the best of what was looked at.
  bool conflicts_truncated = false;   // Of a memory with very many edges `contradicts`.
  bool duplicates_truncated = false;  // Not all near-duplicates were looked for.
  RetrieveResult planned;             // Of a plan: stages and counts. Its hits are those above.
};

// Computes: the best memories for a question.
// Complexity: that of Bm25, Nearest and Traverse, or of Retrieve and once more Bm25 and Nearest of
//   only its hits; then O(candidates * log) and for each hit the
//   arcs of its relations and of its rarest terms, within their bounds.
// Errors: kInvalidArgument: a question without words, vector and keys, or an option out of range.
//   kNotFound: a start node that was removed, no such column. Those of Bm25, Nearest, Traverse,
//   Retrieve; of a text, of QueryTerms (retrieval/query_terms.h).
// Threads: thread-safe. The same bits at any thread count.
Result<RecallResult> Recall(const Snapshot& snapshot, const RecallQuestion& question,
                            const RecallOptions& options = {});

}  // namespace plexus
