// The plan run, then words and vector looked at once more, only of its hits.
#include "algorithms/memory/recall/internal/recall_planned.h"

#include <algorithm>
#include <vector>

#include "algorithms/memory/recall/internal/recall_lists.h"

namespace plexus::memory::internal {
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
