// Lists, a ranking, and what is around the best.
#include "algorithms/memory/recall/recall.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "algorithms/memory/recall/internal/recall_lists.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/terms.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {

namespace {

using internal::RecallCandidate;
using internal::RecallLists;
using internal::RecallPlanned;
using internal::ValidTime;

// How far down each list the ranking looks: what is lower in all cannot rise far.
std::size_t PoolLength(std::size_t top) {
  constexpr std::size_t kLeast = 100;
  return top == 0 ? 0 : std::max(kLeast, 4 * top);
}

// Whether the ranking needs more of a list than its `top`.
bool NeedsPool(const RecallQuery& question, const RecallOptions& options) {
  const int lists = !question.terms.empty() + !question.vector.empty() + !question.keys.empty();
  return lists > 1 || options.weights || options.exclude_contradicted;
}

struct Ranked {
  NodeId node;
  double score;
  const RecallEvidence* evidence;
  retrieval::RetrieveHit* planned = nullptr;
};

std::vector<Ranked> Rank(RecallPlanned& planned) {
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < planned.found.hits.size(); ++i) {
    retrieval::RetrieveHit& hit = planned.found.hits[i];
    ranked.push_back({hit.node, hit.score, &planned.evidence[i], &hit});
  }
  return ranked;
}

// All candidates, best first, ties by smaller id.
std::vector<Ranked> Rank(const RecallLists& lists, const RecallScorer& scorer, bool weighted) {
  const auto at = [&](NodeId node) -> const RecallCandidate& {
    return *std::ranges::lower_bound(lists.candidates, node, {}, &RecallCandidate::node);
  };
  std::vector<Ranked> ranked;
  ranked.reserve(lists.candidates.size());
  if (weighted) {
    for (const RecallCandidate& c : lists.candidates)
      ranked.push_back(
          {c.node, retrieval::ScoreOf(scorer.TermsOf(c.node, c.evidence)), &c.evidence});
    std::ranges::stable_sort(ranked, std::greater<>(), &Ranked::score);
  } else if (lists.lists.size() == 1) {
    for (const NodeId node : lists.lists.front())
      ranked.push_back({node, at(node).score, &at(node).evidence});
  } else {
    for (const retrieval::FusedNode& fused : retrieval::FuseRanks(lists.lists))
      ranked.push_back({fused.node, fused.score, &at(fused.node).evidence});
  }
  return ranked;
}

// What a question may show.
struct ShownNodes {
  Visible allowed;      // of the answer
  Visible standing;     // of them, those that nothing superseded
  NodeSubset matching;  // of the allowed ones those that may be hits
};

Result<ShownNodes> ShownBy(const Snapshot& snapshot, const RecallOptions& options) {
  const auto select = [&](bool superseded) {
    return VisibleIn(snapshot, ValidTime(snapshot, options), options.filter.subset,
                     {.include_superseded = superseded, .run = options.run});
  };
  ShownNodes shown;
  PLEXUS_ASSIGN(shown.standing, select(false));
  if (options.include_superseded)
    PLEXUS_SET(shown.allowed, select(true));
  else
    shown.allowed = shown.standing;
  shown.matching =
      options.matching ? shown.allowed.nodes.Intersect(*options.matching) : shown.allowed.nodes;
  return shown;
}

class Answer {
 public:
  Answer(const Snapshot& snapshot, const RecallOptions& options, const ShownNodes& shown)
      : snapshot_(snapshot), options_(options), shown_(shown) {}

  // The first `top` of the ranking, 0: all, without contradicted ones if they are excluded.
  Status Take(const std::vector<Ranked>& ranked, std::size_t top) {
    constexpr std::uint64_t kEvery = 256;
    std::uint64_t looked = 0;
    for (const Ranked& one : ranked) {
      if (top != 0 && result.hits.size() == top) break;
      if (++looked % kEvery == 0 && options_.run.budget.Interrupted()) {
        result.truncated = true;
        break;
      }
      PLEXUS_ASSIGN(const ContradictionsOfNode against,
                    ContradictionsOf(snapshot_, one.node, shown_.standing));
      result.conflicts_truncated |= against.truncated;
      result.conflicts.insert(result.conflicts.end(), against.conflicts.begin(),
                              against.conflicts.end());
      if (options_.exclude_contradicted && !against.conflicts.empty()) {
        ++result.excluded;
        continue;
      }
      RecallHit hit{.node = one.node, .score = one.score, .evidence = *one.evidence};
      for (const Conflict& c : against.conflicts)
        hit.contradicted_by.push_back(c.a == one.node ? c.b : c.a);
      std::ranges::sort(hit.contradicted_by, {}, [&](NodeId node) { return snapshot_.key(node); });
      if (one.planned) hit.planned = std::move(*one.planned);
      result.hits.push_back(std::move(hit));
    }
    const auto order = [](const Conflict& c) { return std::tuple(c.since, c.a, c.b); };
    std::ranges::sort(result.conflicts, {}, order);
    const auto [first, last] = std::ranges::unique(result.conflicts);
    result.conflicts.erase(first, last);
    return {};
  }

  Status AddRelations() {
    if (options_.related_hops == 0) return {};
    RelatedOptions related;
    related.filter.valid_at = shown_.allowed.now_ms;
    related.hops = options_.related_hops;
    related.top = options_.related_top;
    related.filter.kinds = options_.filter.kinds;
    related.filter.subset = &shown_.allowed.nodes;
    related.scope = shown_.allowed.scope;
    related.max_edges = options_.related_edges;
    related.run.budget = options_.run.budget;
    for (RecallHit& hit : result.hits) {
      PLEXUS_ASSIGN(RelatedResult found, RelatedTo(snapshot_, hit.node, related));
      hit.related = std::move(found.relations);
      hit.related_truncated = found.truncated;
    }
    return {};
  }

  Status AddHeads() {
    if (!options_.include_superseded) return {};
    std::vector<NodeId> nodes;
    for (const RecallHit& hit : result.hits) nodes.push_back(hit.node);
    PLEXUS_ASSIGN(const SupersessionHeads heads, HeadsOf(snapshot_, shown_.standing.now_ms, nodes));
    for (RecallHit& hit : result.hits)
      if (const NodeId head = heads.HeadOf(hit.node); head != hit.node)
        hit.superseded_by = shown_.standing.in_scope(head) ? head : kNoNode;
    return {};
  }

  // Vectors are compared where the question has one, as they are loaded then.
  Status AddDuplicates(const RecallQuery& question) {
    if (options_.near_duplicate > 1) return {};
    std::unordered_map<NodeId, RecallHit*> by_node;
    std::vector<NodeId> nodes;
    for (RecallHit& hit : result.hits) {
      nodes.push_back(hit.node);
      by_node[hit.node] = &hit;
    }
    NearDuplicatesOptions near;
    near.min_jaccard = options_.near_duplicate;
    near.top = 0;
    near.run = options_.run;
    near.run.budget.edges = std::min(near.run.budget.edges, kRecallDuplicateArcs);
    near.run.budget.nodes = std::min(near.run.budget.nodes, kRecallDuplicateVectors);
    if (question.vector.empty())
      near.min_cosine = 2;
    else
      near.space = snapshot_.schema().spaces()[question.space].name;
    PLEXUS_ASSIGN(const NearDuplicatesResult found,
                  NearSuperseded(snapshot_, nodes, shown_.standing, near));
    result.duplicates_truncated = found.truncated;
    for (const NearDuplicate& pair : found.pairs)
      by_node[pair.visible]->near_duplicate_of.push_back(pair);
    return {};
  }

  void Explain(const RecallScorer& scorer) {
    const auto name = [&](NodeId node) { return std::string(DisplayName(snapshot_.key(node))); };
    for (RecallHit& hit : result.hits) {
      hit.terms =
          hit.planned ? std::move(hit.planned->terms) : scorer.TermsOf(hit.node, hit.evidence);
      hit.why = scorer.Explain(hit.node, hit.evidence);
      if (hit.superseded_by)
        hit.why += *hit.superseded_by == kNoNode ? "; superseded"
                                                 : "; superseded by " + name(*hit.superseded_by);
      if (!hit.contradicted_by.empty()) {
        hit.why += "; contradicted by " + name(hit.contradicted_by.front());
        if (const std::size_t more = hit.contradicted_by.size() - 1; more > 0)
          hit.why += " and " + std::to_string(more) + " more";
      }
      if (!hit.near_duplicate_of.empty()) {
        const NearDuplicate& pair = hit.near_duplicate_of.front();
        hit.why += "; says nearly what " + name(pair.superseded) + " said, which " +
                   (pair.superseded_by == kNoNode ? "was superseded"
                                                  : name(pair.superseded_by) + " superseded");
      }
    }
  }

  RecallResult result;

 private:
  const Snapshot& snapshot_;
  const RecallOptions& options_;
  const ShownNodes& shown_;
};

// The plan of a question that names none, if one is the default.
std::optional<retrieval::RetrievalPlan> DefaultPlan(const Snapshot& snapshot,
                                                    const RecallQuery& question,
                                                    const RecallOptions& options) {
  if (options.plan.plan || options.lists || options.weights || question.terms.empty() ||
      !HasRecallPlan(snapshot, options.run))
    return std::nullopt;
  retrieval::RetrievalPlan plan = retrieval::FindPlan(kRecallPlan)->plan;
  plan.top = options.top;
  if (!retrieval::CheckPlan(plan)) return std::nullopt;  // another number of hits than a plan ranks
  return plan;
}

}  // namespace

bool HasRecallPlan(const Snapshot& snapshot, const RunOptions& run) {
  return retrieval::CountTexts(snapshot, run) >= kRecallPlanTexts;
}

Result<RecallResult> Recall(const Snapshot& snapshot, const RecallQuery& asked,
                            const RecallOptions& given) try {
  RecallQuery question = asked;
  RecallOptions options = given;
  std::vector<std::string> words;
  if (!asked.text.empty()) {
    PLEXUS_ASSIGN(words, retrieval::QueryTerms(snapshot, asked.text));
    words.insert(words.end(), asked.terms.begin(), asked.terms.end());
    question.terms = words;
  }
  if (options.related_hops < 0 || options.related_hops > kMaxRelatedHops ||
      options.related_top == 0 || options.related_top > kMaxRelated)
    return Invalid("relations are of 0 to ", kMaxRelatedHops, " hops, 1 to ", kMaxRelated,
                   " a memory");
  const Result<ShownNodes> visible = ShownBy(snapshot, options);
  if (!visible && visible.error().code == ErrorCode::kCancelled) {
    RecallResult late;
    late.truncated = true;
    return late;
  }
  PLEXUS_ASSIGN(const ShownNodes shown, visible);
  Answer answer(snapshot, options, shown);
  const std::optional<retrieval::RetrievalPlan> by_default =
      DefaultPlan(snapshot, question, options);
  if (by_default) options.plan.plan = &*by_default;
  const bool by_plan = options.plan.plan != nullptr;
  RecallLists lists;
  RecallPlanned planned;
  if (by_plan) {
    PLEXUS_ASSIGN(planned, internal::ByPlan(snapshot, question, options, shown.matching));
    answer.result.truncated = planned.truncated;
    answer.result.candidates = planned.found.candidates;
  } else {
    const std::size_t length = NeedsPool(question, options) ? PoolLength(options.top) : options.top;
    PLEXUS_ASSIGN(lists, internal::ListsOf(snapshot, question, options, shown.matching, length));
    answer.result.truncated = lists.truncated;
    answer.result.candidates = lists.candidates.size();
  }
  PLEXUS_ASSIGN(const RecallScorer scorer,
                RecallScorer::Make(snapshot, snapshot.TimeOr(options.now_ms), options.terms,
                                   by_plan ? planned.asked : lists.asked,
                                   by_plan ? std::nullopt : options.weights));
  if (by_plan)
    PLEXUS_TRY(answer.Take(Rank(planned), options.plan.plan->top));
  else
    PLEXUS_TRY(answer.Take(Rank(lists, scorer, options.weights.has_value()), options.top));
  PLEXUS_TRY(answer.AddRelations());
  PLEXUS_TRY(answer.AddHeads());
  PLEXUS_TRY(answer.AddDuplicates(question));
  answer.Explain(scorer);
  planned.found.hits.clear();
  answer.result.planned = std::move(planned.found);
  return std::move(answer.result);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
