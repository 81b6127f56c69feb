// The queue: edges `contradicts` between visible nodes, one entry a pair.
// Candidates: shared tags and terms by the similarity kernel, near vectors by the exact scan; then
// what the texts of the best say.
#include "algorithms/memory/conflicts/conflicts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <unordered_map>

#include "algorithms/common/internal/interruptible_arcs.h"
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

constexpr std::array<std::string_view, 7> kVerdictNames = {
    "agrees", "contradicts", "refines", "unrelated", "supersede", "keep_both", "drop"};
constexpr std::uint32_t kPollEvery = 1024;  // arcs between two polls of the deadline
constexpr NodeId kRowsAtOnce = 1 << 16;

using internal::OpposingOutcomes;
using internal::OutcomeOf;

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
  PLEXUS_ASSIGN(const std::string text, snapshot.PayloadOrEmpty(node, NodeField::kText));
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

std::string_view VerdictName(VerdictKind kind) {
  return kVerdictNames[static_cast<std::size_t>(kind)];
}

std::optional<VerdictKind> VerdictNamed(std::string_view name) {
  const auto at = std::ranges::find(kVerdictNames, name);
  if (at == kVerdictNames.end()) return std::nullopt;
  return static_cast<VerdictKind>(at - kVerdictNames.begin());
}

Result<OpenConflictsResult> OpenConflicts(const Snapshot& snapshot,
                                          const OpenConflictsOptions& options) try {
  const bool one = options.of != kNoNode;
  if (one && options.of >= snapshot.node_count()) return Invalid("no node ", options.of);
  OpenConflictsResult result;
  const auto found_visible =
      VisibleIn(snapshot, options.now_ms, options.subset, {.run = options.run});
  result.truncated = RanOut(found_visible);
  if (result.truncated) return result;
  PLEXUS_ASSIGN(const Visible visible, found_visible);
  const ArcFilter filter =
      ArcFilter::Kind(snapshot.schema(), builtin::kContradicts).ValidAt(visible.now_ms);
  std::vector<Conflict> found;
  const Budget& budget = options.run.budget;
  std::uint64_t read = 0, polled = 0;
  const auto poll = [&] {
    if (polled++ % kPollEvery == 0 && budget.Interrupted()) result.truncated = true;
    return !result.truncated;
  };
  const auto take = [&](NodeId row, const Arc& arc) {
    if (!visible.contains(row) || !visible.contains(arc.neighbor)) return true;
    if (read++ >= budget.edges) {
      result.truncated = true;
      return false;
    }
    found.push_back({std::min(row, arc.neighbor), std::max(row, arc.neighbor),
                     snapshot.created_at(arc.ref), 1});
    return true;
  };
  if (budget.Interrupted()) result.truncated = true;
  if (one && !result.truncated) {
    common_internal::ForEachArcInterruptible(snapshot, Direction::kOut, options.of, filter, poll,
                                             [&](const Arc& arc) { return take(options.of, arc); });
  }
  for (NodeId first = 0; !one && first < snapshot.node_count() && !result.truncated;) {
    const NodeId last = std::min(snapshot.node_count(), first + kRowsAtOnce);
    snapshot.ScanArcs(Direction::kOut, first, last, filter, [&](NodeId row, const Arc& arc) {
      // A symmetric edge is in both rows.
      if (row < arc.neighbor && !result.truncated) take(row, arc);
    });
    first = last;
    if (budget.Interrupted()) result.truncated = first < snapshot.node_count();
  }
  std::ranges::sort(found, {}, [](const Conflict& c) { return std::tuple(c.a, c.b, c.since); });
  std::vector<Conflict>& conflicts = result.conflicts;
  for (const Conflict& c : found) {
    if (!conflicts.empty() && conflicts.back().a == c.a && conflicts.back().b == c.b)
      ++conflicts.back().edges;
    else
      conflicts.push_back(c);
  }
  std::ranges::sort(conflicts, {}, [](const Conflict& c) { return std::tuple(c.since, c.a, c.b); });
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<ConflictCandidatesResult> ConflictCandidates(const Snapshot& snapshot, NodeId node,
                                                    const ConflictCandidatesOptions& options) try {
  PLEXUS_TRY(CheckNode(snapshot, node));
  if (options.top == 0 || options.top > kMaxConflictCandidates)
    return Invalid("top is 1 to ", kMaxConflictCandidates);
  if (!(options.min_cosine > 0 && std::isfinite(options.min_cosine)))
    return Invalid("min_cosine is a finite number above 0");
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
  similarity::SimilarityOptions shared;
  shared.measure = similarity::SimilarityMeasure::kAdamicAdar;
  shared.direction = Direction::kOut;
  shared.filter.kinds = {builtin::kHasTag, builtin::kHasTerm};
  shared.top = 0;
  shared.run = options.run;
  PLEXUS_ASSIGN(const similarity::SimilarNodesResult sharing,
                similarity::SimilarNodes(snapshot, node, shared));
  result.truncated = sharing.truncated;
  // Judged ones may stand before others, so as many more are asked for.
  PLEXUS_ASSIGN(const retrieval::NearestResult nearest,
                internal::NearVectors(snapshot, node, options.space, options.min_cosine,
                                      visible.nodes, options.top + judged.size(), options.run));
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

}  // namespace plexus::memory
