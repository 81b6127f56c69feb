// Candidates and near-duplicates: shared tags and terms by the similarity kernel or a join, near
// vectors by the exact scan; then what the texts of the best say.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <unordered_map>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/conflicts/internal/near_vectors.h"
#include "algorithms/memory/conflicts/internal/near_words.h"
#include "algorithms/memory/conflicts/internal/text_evidence.h"
#include "algorithms/memory/internal/outcome_column.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/visibility/internal/suppression.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/similarity/similarity.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

using internal::JoinByWords;
using internal::NearVectors;
using internal::OpposingOutcomes;
using internal::OutcomeOf;
using internal::WordPairs;

constexpr EdgeKindId kShared[] = {builtin::kHasTag, builtin::kHasTerm};

similarity::SimilarityOptions SharedOptions(similarity::SimilarityMeasure measure,
                                            const RunOptions& run) {
  similarity::SimilarityOptions options;
  options.measure = measure;
  options.direction = Direction::kOut;
  options.filter.kinds = kShared;
  options.top = 0;
  options.run = run;
  return options;
}

Status CheckMeasure(double value, const char* name) {
  if (value > 0 && std::isfinite(value)) return {};
  return Invalid(name, " is a finite number above 0");
}

Status CheckNode(const Snapshot& snapshot, NodeId node) {
  if (node >= snapshot.node_count()) return Invalid("no node ", node);
  const std::string name = "'" + std::string(DisplayName(snapshot.key(node))) + "'";
  if (!snapshot.alive(node))
    return NotFound(name, (snapshot.purged(node) ? " was purged" : " was removed"));
  if (!snapshot.is_fact(node)) return Invalid(name, " is an index node");
  return {};
}

// Other ends of edges that say that the pair was judged; ascending.
std::vector<NodeId> Judged(const Snapshot& snapshot, NodeId node) {
  std::vector<EdgeKindId> kinds = {builtin::kContradicts, builtin::kRefines, builtin::kSupports,
                                   builtin::kDuplicates};
  const auto& all = snapshot.schema().edge_kinds();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].suppresses) kinds.push_back(EdgeKindId(k));
  std::vector<NodeId> others;
  snapshot.ForEachArc(Direction::kBoth, node, ArcFilter::Kinds(snapshot.schema(), kinds),
                      [&](const Arc& arc) { others.push_back(arc.neighbor); });
  std::ranges::sort(others);
  return others;
}

// What one side of a pair says.
struct Stated {
  std::vector<std::string> numbers, negations;
  std::string_view outcome;
};

Result<Stated> StatedBy(const Snapshot& snapshot, NodeId node) {
  PLEXUS_ASSIGN(const std::string text,
                snapshot.PayloadOrEmpty(snapshot.payload_ref(node, NodeField::kText)));
  return Stated{internal::NumbersIn(text), internal::NegationsIn(text), OutcomeOf(snapshot, node)};
}

std::vector<ConflictEvidence> Compare(const Stated& a, const Stated& b) {
  std::vector<ConflictEvidence> evidence;
  if (!a.numbers.empty() && !b.numbers.empty() && a.numbers != b.numbers)
    evidence.push_back({ConflictEvidence::kNumbers, a.numbers, b.numbers});
  if (a.negations.empty() != b.negations.empty())
    evidence.push_back({ConflictEvidence::kNegation, a.negations, b.negations});
  if (OpposingOutcomes(a.outcome, b.outcome))
    evidence.push_back(
        {ConflictEvidence::kOutcomes, {std::string(a.outcome)}, {std::string(b.outcome)}});
  return evidence;
}

std::vector<NodeId> TagsOf(const Snapshot& snapshot, NodeId node) {
  std::vector<NodeId> tags;
  snapshot.ForEachArc(Direction::kOut, node, ArcFilter::Kind(snapshot.schema(), builtin::kHasTag),
                      [&](const Arc& arc) { tags.push_back(arc.neighbor); });
  std::ranges::sort(tags);
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

Status Explain(const Snapshot& snapshot, NodeId node, std::vector<ConflictCandidate>& candidates) {
  PLEXUS_ASSIGN(const Stated own, StatedBy(snapshot, node));
  const std::vector<NodeId> tags = TagsOf(snapshot, node);
  for (ConflictCandidate& candidate : candidates) {
    PLEXUS_ASSIGN(const Stated other, StatedBy(snapshot, candidate.node));
    candidate.evidence = Compare(own, other);
    const std::vector<NodeId> theirs = TagsOf(snapshot, candidate.node);
    std::ranges::set_intersection(tags, theirs, std::back_inserter(candidate.shared_tags));
  }
  return {};
}

}  // namespace

Result<ConflictCandidatesResult> ConflictCandidates(const Snapshot& snapshot, NodeId node,
                                                    const ConflictCandidatesOptions& options) try {
  PLEXUS_TRY(CheckNode(snapshot, node));
  if (options.top == 0 || options.top > kMaxConflictCandidates)
    return Invalid("top is 1 to ", kMaxConflictCandidates);
  PLEXUS_TRY(CheckMeasure(options.min_cosine, "min_cosine"));
  PLEXUS_ASSIGN(const Visible visible, VisibleIn(snapshot, options.now_ms, options.subset,
                                                 {.run = {.executor = options.run.executor}}));
  const std::vector<NodeId> judged =
      options.include_judged ? std::vector<NodeId>() : Judged(snapshot, node);
  const auto counts = [&](NodeId other) {
    return other != node && visible.contains(other) && !std::ranges::binary_search(judged, other);
  };
  ConflictCandidatesResult result;
  result.without_terms =
      snapshot.Degree(Direction::kOut, node,
                      ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm)) == 0;
  std::unordered_map<NodeId, ConflictCandidate> found;
  PLEXUS_ASSIGN(
      const similarity::SimilarNodesResult sharing,
      similarity::SimilarNodes(
          snapshot, node, SharedOptions(similarity::SimilarityMeasure::kAdamicAdar, options.run)));
  result.truncated = sharing.truncated;
  // Judged ones may stand before others, so as many more are asked for.
  PLEXUS_ASSIGN(const retrieval::NearestResult nearest,
                NearVectors(snapshot, node, options.space, options.min_cosine, visible.nodes,
                            options.top + judged.size(), options.run));
  result.truncated = result.truncated || nearest.truncated;
  for (const retrieval::NearestHit& hit : nearest.hits) {
    if (!counts(hit.node)) continue;
    ConflictCandidate& candidate = found[hit.node];
    candidate.node = hit.node;
    candidate.cosine = hit.measure;
  }
  for (std::size_t listed = 0; const similarity::SimilarNeighbor& near : sharing.hits) {
    if (!counts(near.node)) continue;
    if (++listed > options.top && !found.contains(near.node)) continue;  // best come first
    ConflictCandidate& candidate = found[near.node];
    candidate.node = near.node;
    candidate.overlap = near.score;
    candidate.shared = near.shared;
  }
  for (auto& [other, candidate] : found) result.candidates.push_back(std::move(candidate));
  std::ranges::sort(result.candidates, {}, [](const ConflictCandidate& c) {
    return std::tuple(-c.overlap, -c.cosine.value_or(-1), c.node);
  });
  if (result.candidates.size() > options.top) result.candidates.resize(options.top);
  PLEXUS_TRY(Explain(snapshot, node, result.candidates));
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<NearDuplicatesResult> NearDuplicates(const Snapshot& snapshot,
                                            const NearDuplicatesOptions& options) try {
  if (!(options.min_jaccard > 0 && options.min_jaccard <= 1))
    return Invalid("the least Jaccard index is above 0 and at most 1");
  PLEXUS_TRY(CheckMeasure(options.min_cosine, "min_cosine"));
  if (options.of != kNoNode && options.of >= snapshot.node_count())
    return Invalid("no node ", options.of);
  PLEXUS_ASSIGN(const Visible visible, VisibleIn(snapshot, options.now_ms, options.subset,
                                                 {.run = {.executor = options.run.executor}}));
  const NodeId of[] = {options.of};
  const std::int64_t at = visible.now_ms;
  PLEXUS_ASSIGN(const SupersessionHeads heads,
                options.of == kNoNode ? AllHeads(snapshot, at) : HeadsOf(snapshot, at, of));
  const internal::Suppression active(snapshot, at);
  std::vector<NodeId> old, head;
  for (std::size_t i = 0; i < heads.nodes.size(); ++i) {
    const NodeId node = heads.nodes[i];
    if (heads.heads[i] == node || !snapshot.alive(node) || !snapshot.is_fact(node)) continue;
    if (options.of != kNoNode && options.of != node) continue;
    if (!visible.in_scope(node)) continue;
    old.push_back(node);
    head.push_back(heads.heads[i]);
  }
  NearDuplicatesResult result;
  RunOptions run = options.run;
  const WordPairs words = JoinByWords(snapshot, old, visible.nodes, options.min_jaccard, run);
  result.truncated = words.truncated;
  if (run.budget.edges != Budget::kUnlimited)
    run.budget.edges -= std::min(run.budget.edges, words.edges);
  auto by_words = words.pairs.begin();
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (run.budget.Interrupted()) {
      result.truncated = true;
      break;
    }
    std::unordered_map<NodeId, NearDuplicate> found;
    const auto pair = [&](NodeId other) -> NearDuplicate& {
      NearDuplicate& made = found[other];
      made.superseded = old[i];
      made.visible = other;
      made.superseded_by = head[i];
      return made;
    };
    for (; by_words != words.pairs.end() && by_words->old == i; ++by_words) {
      NearDuplicate& made = pair(by_words->other);
      made.jaccard = by_words->words.jaccard;
      made.shared = by_words->words.shared;
    }
    const auto newer = ReplacedBy(active, old[i]);
    PLEXUS_ASSIGN(const retrieval::NearestResult nearest,
                  NearVectors(snapshot, old[i], options.space, options.min_cosine, visible.nodes,
                              options.top == 0 ? 0 : options.top + 1 + newer.size(), run));
    if (run.budget.nodes != Budget::kUnlimited)
      run.budget.nodes -= std::min(run.budget.nodes, nearest.measured);
    result.truncated = result.truncated || nearest.truncated;
    for (const retrieval::NearestHit& hit : nearest.hits) pair(hit.node).cosine = hit.measure;
    for (auto& [other, made] : found) {
      if (other == old[i] || other == head[i] || !visible.contains(other) || newer.contains(other))
        continue;
      if (!visible.in_scope(made.superseded_by)) made.superseded_by = kNoNode;
      result.pairs.push_back(made);
    }
  }
  std::ranges::sort(result.pairs, {}, [](const NearDuplicate& p) {
    return std::tuple(-std::max(p.jaccard, p.cosine.value_or(0)), p.superseded, p.visible);
  });
  if (options.top != 0 && result.pairs.size() > options.top) result.pairs.resize(options.top);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
