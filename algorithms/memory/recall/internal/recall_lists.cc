// Three kernels asked, their hits merged by node.
#include "algorithms/memory/recall/internal/recall_lists.h"

#include <algorithm>

#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/vectors.h"
#include "algorithms/traversal/traversal.h"

namespace plexus::memory::internal {
namespace {

struct Source {
  const Snapshot& snapshot;
  const RecallQuery& question;
  const RecallOptions& options;
  const NodeSubset& allowed;
  std::size_t length;
};

Status AddWords(const Source& source, RecallLists& lists) {
  retrieval::Bm25Options bm25;
  bm25.top = source.length;
  bm25.subset = &source.allowed;
  bm25.phrases = source.question.phrases;
  bm25.run = source.options.run;
  PLEXUS_ASSIGN(const retrieval::Bm25Result found,
                retrieval::Bm25(source.snapshot, source.question.terms, bm25));
  lists.truncated |= found.truncated;
  const std::uint32_t words = WordsAmong(found, source.question.phrases);
  lists.asked.words = true;
  lists.asked.word_count = words;
  const double bound = retrieval::Bm25Bound(found.terms);
  std::vector<NodeId>& list = lists.lists.emplace_back();
  for (const retrieval::Bm25Hit& match : found.hits) {
    list.push_back(match.node);
    lists.candidates.push_back({match.node, match.score, EvidenceOf(match, words, bound)});
  }
  return {};
}

Status AddVector(const Source& source, RecallLists& lists) {
  retrieval::NearestOptions nearest;
  nearest.top = source.length;
  nearest.subset = &source.allowed;
  nearest.run = source.options.run;
  PLEXUS_ASSIGN(
      const retrieval::NearestResult found,
      retrieval::Nearest(source.snapshot, source.question.space, source.question.vector, nearest));
  lists.truncated |= found.truncated;
  lists.asked.vector = true;
  lists.asked.metric = source.snapshot.schema().spaces()[source.question.space].metric;
  std::vector<NodeId>& list = lists.lists.emplace_back();
  for (const retrieval::NearestHit& hit : found.hits) {
    RecallEvidence evidence;
    evidence.similarity = hit.similarity;
    list.push_back(hit.node);
    lists.candidates.push_back({hit.node, hit.similarity, evidence});
  }
  return {};
}

Status AddKeys(const Source& source, RecallLists& lists) {
  traversal::TraverseOptions traverse;
  traverse.hops = source.options.paths.hops;
  traverse.decay = source.options.paths.decay;
  traverse.direction = Direction::kBoth;
  traverse.top = source.length;
  traverse.paths = false;
  traverse.filter.kinds = source.options.filter.kinds;
  traverse.filter.valid_at = ValidTime(source.snapshot, source.options);
  traverse.filter.subset = &source.allowed;
  traverse.run = source.options.run;
  traverse.run.budget.edges = std::min(traverse.run.budget.edges, source.options.paths.max_edges);
  PLEXUS_ASSIGN(const traversal::TraverseResult found,
                traversal::Traverse(source.snapshot, source.question.keys, traverse));
  lists.truncated |= found.truncated;
  lists.asked.keys = true;
  std::vector<NodeId>& list = lists.lists.emplace_back();
  for (const traversal::TraverseHit& hit : found.hits) {
    RecallEvidence evidence;
    evidence.path = hit.score;
    evidence.hops = hit.hops;
    evidence.seed = hit.seed;
    list.push_back(hit.node);
    lists.candidates.push_back({hit.node, hit.score, evidence});
  }
  return {};
}

// One candidate a node, with what every list knows of it.
void Merge(std::vector<RecallCandidate>& candidates) {
  std::ranges::stable_sort(candidates, {}, &RecallCandidate::node);
  std::size_t kept = 0;
  for (RecallCandidate& next : candidates) {
    if (kept == 0 || candidates[kept - 1].node != next.node) {
      candidates[kept++] = next;
      continue;
    }
    RecallEvidence& into = candidates[kept - 1].evidence;
    const RecallEvidence& from = next.evidence;
    if (from.similarity) into.similarity = from.similarity;
    if (from.path) {
      into.path = from.path;
      into.hops = from.hops;
      into.seed = from.seed;
    }
  }
  candidates.resize(kept);
}

}  // namespace

std::uint32_t WordsAmong(const retrieval::Bm25Result& found,
                         std::span<const retrieval::Bm25Phrase> phrases) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(found.terms, [&](const retrieval::QueryTerm& term) {
        return std::ranges::find(phrases, term.term, &retrieval::Bm25Phrase::name) == phrases.end();
      }));
}

RecallEvidence EvidenceOf(const retrieval::Bm25Hit& match, std::uint32_t words, double bound) {
  RecallEvidence evidence;
  evidence.words = match.score;
  evidence.text = retrieval::TextTerm(match.score, bound);
  for (const retrieval::TermShare& share : match.shares) {
    if (share.term < words)
      ++evidence.words_matched;
    else
      evidence.phrase_matched = true;
  }
  return evidence;
}

Result<RecallLists> ListsOf(const Snapshot& snapshot, const RecallQuery& question,
                            const RecallOptions& options, const NodeSubset& allowed,
                            std::size_t length) {
  const Source source{snapshot, question, options, allowed, length};
  RecallLists lists;
  if (!question.terms.empty()) PLEXUS_TRY(AddWords(source, lists));
  if (!question.vector.empty()) PLEXUS_TRY(AddVector(source, lists));
  if (!question.keys.empty()) PLEXUS_TRY(AddKeys(source, lists));
  if (lists.lists.empty()) return Invalid("recall by what? it has no words, no vector and no keys");
  Merge(lists.candidates);
  return lists;
}

}  // namespace plexus::memory::internal
