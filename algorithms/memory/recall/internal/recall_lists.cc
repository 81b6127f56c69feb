// Three kernels asked, their hits merged by node. Or the plan run, then words and vector looked at
// once more, only of its hits.
#include "algorithms/memory/recall/internal/recall_lists.h"

#include <algorithm>
#include <vector>

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

namespace {

// Others take the place of hits that are left out: four times as many, as far as the plan goes.
std::size_t TopWithSpare(const retrieval::RetrievalPlan& plan) {
  std::size_t most = retrieval::PlanLimits::kMaxTop;
  for (const retrieval::PlanSeeds& seeds : plan.seeds)
    if (seeds.per_hit > 0) most = std::min(most, retrieval::PlanLimits::kMaxTop / seeds.per_hit);
  return std::max(plan.top, std::min(4 * plan.top, most));
}

Result<retrieval::RetrieveResult> Run(const Snapshot& snapshot, const RecallQuery& question,
                                      const RecallOptions& options, const NodeSubset& allowed) {
  retrieval::RetrievalPlan plan = *options.plan.plan;
  if (options.filter.kinds.given()) plan.expand.kinds = options.filter.kinds;
  if (options.exclude_contradicted) plan.top = TopWithSpare(plan);
  retrieval::RetrieveQuery asked{.terms = question.terms,
                                 .phrases = question.phrases,
                                 .vector = question.vector,
                                 .keys = question.keys,
                                 .text = question.text};
  if (!question.vector.empty() || plan.fuse == retrieval::Fusion::kMmr)
    asked.space = question.space;
  retrieval::RetrieveOptions how;
  how.subset = &allowed;
  how.now_ms = snapshot.TimeOr(options.now_ms);
  how.valid_at = ValidTime(snapshot, options);
  how.salience = options.plan.salience;
  how.outcome = options.plan.outcome;
  how.run = options.run;
  return retrieval::Retrieve(snapshot, plan, asked, how);
}

// The walk to the hit, where the path takes part in the score.
void AddWalk(const retrieval::RetrieveHit& hit, RecallEvidence& evidence) {
  if (hit.hops == 0) return;
  for (const retrieval::ScoreTerm& term : hit.terms)
    if (term.name == retrieval::PlanTermName(retrieval::PlanTerm::kPath)) {
      evidence.path = term.value;
      evidence.hops = hit.hops;
      evidence.seed = hit.seed;
    }
}

}  // namespace

Result<RecallPlanned> ByPlan(const Snapshot& snapshot, const RecallQuery& question,
                             const RecallOptions& options, const NodeSubset& allowed) {
  RecallPlanned planned;
  PLEXUS_ASSIGN(planned.found, Run(snapshot, question, options, allowed));
  planned.truncated = planned.found.truncated;
  planned.evidence.resize(planned.found.hits.size());
  std::vector<NodeId> nodes;
  for (const retrieval::RetrieveHit& hit : planned.found.hits) nodes.push_back(hit.node);
  const auto know = [&](NodeId node) -> RecallEvidence& {
    return planned
        .evidence[static_cast<std::size_t>(std::ranges::find(nodes, node) - nodes.begin())];
  };
  // What the plan asked itself is not asked again.
  RecallQuery rest = question;
  rest.keys = {};
  if (const retrieval::Bm25Result& asked = planned.found.words; !asked.terms.empty()) {
    rest.terms = {};
    const std::uint32_t words = WordsAmong(asked, question.phrases);
    planned.asked.words = true;
    planned.asked.word_count = words;
    PLEXUS_ASSIGN(const std::vector<retrieval::Bm25Hit> matches,
                  retrieval::Bm25Of(snapshot, asked, nodes,
                                    {.phrases = question.phrases, .run = options.run}));
    const double bound = retrieval::Bm25Bound(asked.terms);
    for (const retrieval::Bm25Hit& match : matches)
      know(match.node) = EvidenceOf(match, words, bound);
  }
  if (!nodes.empty() && (!rest.terms.empty() || !rest.vector.empty())) {
    std::vector<NodeId> ascending = nodes;
    std::ranges::sort(ascending);
    PLEXUS_ASSIGN(const NodeSubset hits, NodeSubset::Of(snapshot, ascending));
    PLEXUS_ASSIGN(const RecallLists lists, ListsOf(snapshot, rest, options, hits, 0));
    if (lists.asked.words) {
      // What was not read to its end is not known.
      planned.asked.words = !lists.truncated;
      planned.asked.word_count = lists.asked.word_count;
    }
    planned.asked.vector = lists.asked.vector;
    planned.asked.metric = lists.asked.metric;
    planned.truncated |= lists.truncated;
    for (const RecallCandidate& c : lists.candidates) {
      RecallEvidence& known = know(c.node);
      if (!rest.terms.empty())
        known = c.evidence;
      else
        known.similarity = c.evidence.similarity;
    }
  }
  planned.asked.keys = !question.keys.empty();
  for (std::size_t i = 0; i < planned.found.hits.size(); ++i)
    AddWalk(planned.found.hits[i], planned.evidence[i]);
  return planned;
}

}  // namespace plexus::memory::internal
