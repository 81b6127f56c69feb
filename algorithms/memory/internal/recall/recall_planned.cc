// The plan run, then words and vector looked at once more, only of its hits.
#include "algorithms/memory/internal/recall/recall_planned.h"

#include <algorithm>

#include "algorithms/memory/internal/recall/recall_lists.h"

namespace plexus::memory_internal {
namespace {

Result<RetrieveResult> Run(const Snapshot& snapshot, const RecallQuestion& question,
                           const RecallOptions& options, const NodeSubset& allowed) {
  RetrievalPlan plan = *options.plan.plan;
  if (options.kinds.given()) plan.expand.kinds = options.kinds;
  RetrieveQuestion asked{.terms = question.terms,
                         .phrases = question.phrases,
                         .vector = question.vector,
                         .keys = question.keys};
  if (!question.vector.empty() || plan.fuse == Fusion::kMmr) asked.space = question.space;
  RetrieveOptions how;
  how.subset = &allowed;
  how.now_ms = snapshot.TimeOr(options.now_ms);
  how.valid_at = ValidTime(snapshot, options);
  how.salience = options.plan.salience;
  how.outcome = options.plan.outcome;
  how.run = options.run;
  return Retrieve(snapshot, plan, asked, how);
}

// The walk to the hit, where the path takes part in the score.
void AddWalk(const RetrieveHit& hit, RecallEvidence& evidence) {
  if (hit.hops == 0) return;
  for (const ScoreTerm& term : hit.terms)
    if (term.name == PlanTermName(PlanTerm::kPath)) {
      evidence.path = term.value;
      evidence.hops = hit.hops;
      evidence.seed = hit.seed;
    }
}

}  // namespace

Result<RecallPlanned> ByPlan(const Snapshot& snapshot, const RecallQuestion& question,
                             const RecallOptions& options, const NodeSubset& allowed) {
  RecallPlanned planned;
  PLEXUS_ASSIGN(planned.found, Run(snapshot, question, options, allowed));
  planned.truncated = planned.found.truncated;
  planned.evidence.resize(planned.found.hits.size());
  RecallQuestion words_and_vector = question;
  words_and_vector.keys = {};
  if (!planned.found.hits.empty() && (!question.terms.empty() || !question.vector.empty())) {
    std::vector<NodeId> nodes;
    for (const RetrieveHit& hit : planned.found.hits) nodes.push_back(hit.node);
    std::ranges::sort(nodes);
    PLEXUS_ASSIGN(const NodeSubset hits, NodeSubset::Of(snapshot, nodes));
    PLEXUS_ASSIGN(const RecallLists lists, ListsOf(snapshot, words_and_vector, options, hits, 0));
    planned.asked = lists.asked;
    // What was not read to its end is not known.
    planned.asked.words &= !lists.truncated;
    planned.truncated |= lists.truncated;
    for (std::size_t i = 0; i < planned.found.hits.size(); ++i) {
      const auto at = std::ranges::lower_bound(lists.candidates, planned.found.hits[i].node, {},
                                               &RecallCandidate::node);
      if (at != lists.candidates.end() && at->node == planned.found.hits[i].node)
        planned.evidence[i] = at->evidence;
    }
  }
  planned.asked.keys = !question.keys.empty();
  for (std::size_t i = 0; i < planned.found.hits.size(); ++i)
    AddWalk(planned.found.hits[i], planned.evidence[i]);
  return planned;
}

}  // namespace plexus::memory_internal
