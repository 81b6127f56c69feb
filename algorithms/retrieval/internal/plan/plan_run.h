// PlanRun: a plan on its way through the stages, and the stages (plan.h).
//
// Each stage reads what the ones before it left here and adds a line to result.stages. Lists of
// nodes are kept ascending, so that nothing depends on the order in which they were found.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/traversal/traversal.h"

namespace plexus::retrieval::internal {

struct Seed {
  NodeId node = kNoNode;
  double own = 0;              // Of its own walk, of no hops; 0: it has none.
  double start = 0;            // Walks leave it with that, at most `own`; 0: none does.
  std::uint32_t found_by = 0;  // Bit i: by the plan's seeds[i].
  bool keep = false;           // One of these keeps its nodes.
};

struct Candidate {
  NodeId node = kNoNode;
  std::uint32_t found_by = 0;
  std::size_t walk = kNoWalk;             // Of PlanRun::walks.hits.
  std::optional<double> similarity = {};  // As vectors.h has it.
  std::array<std::optional<double>, kPlanTerms> values = {};
  static constexpr std::size_t kNoWalk = static_cast<std::size_t>(-1);

  std::optional<double>& operator[](PlanTerm term) {
    return values[static_cast<std::size_t>(term)];
  }
};

struct PlanRun {
  const Snapshot& snapshot;
  const RetrievalPlan& plan;
  const RetrieveQuery& question;
  const RetrieveOptions& options;

  // What may be found: the caller's subset, or `filtered`, a part of it.
  std::optional<NodeSubset> filtered = {};
  common_internal::Selection findable = {};
  std::vector<Seed> seeds = {};
  // The question's words, asked once for all who look at them: AskWords.
  std::optional<Bm25Result> words = {};
  std::vector<Bm25Hit> matches = {};  // What is known of texts, ascending: MatchWords.
  // Of plans of lists, by PlanTerm: what seeds by vector and by words found, in their order.
  std::array<std::vector<NodeWeight>, 2> found = {};
  std::vector<NodeWeight> pagerank = {};  // Shares of the largest, ascending.
  traversal::TraverseResult walks = {};
  std::vector<Candidate> candidates = {};  // Ascending.
  RetrieveResult result = {};

  const NodeSubset* found_subset() const { return filtered ? &*filtered : options.subset; }
  // The question has something for the term.
  bool Asked(PlanTerm term) const {
    switch (term) {
      case PlanTerm::kSimilarity:
        return !question.vector.empty();
      case PlanTerm::kWords:
        return !question.terms.empty();
      case PlanTerm::kPath:
        return plan.expand.from != ExpandFrom::kKeys || !question.keys.empty();
      case PlanTerm::kScope:
        return options.preferred.given();
      default:
        return true;
    }
  }
  // The term has a weight; of lists only one that the question has something for.
  bool Weighs(PlanTerm term) const {
    return plan.score[term] != 0 && (plan.fuse != Fusion::kLists || Asked(term));
  }
  // Hits have the term.
  bool Shows(PlanTerm term) const {
    return Weighs(term) || (plan.score.shown[static_cast<std::size_t>(term)] && Asked(term));
  }
  // All candidates have the term: it ranks, or those that lack it are left out, or it is a share of
  // the largest.
  bool Uses(PlanTerm term) const {
    return Weighs(term) || plan.score.required[static_cast<std::size_t>(term)] ||
           (term == PlanTerm::kGraph && Shows(term));
  }
  bool hits_only = false;  // The candidates are the hits, and lack what these only show.
  bool Computes(PlanTerm term) const { return hits_only ? Shows(term) && !Uses(term) : Uses(term); }
  // The term whose list is all that a plan of lists has: nothing that is lower in it rises.
  std::optional<PlanTerm> OnlyList() const;
  // The hits that are wanted; 0: all.
  std::size_t top() const { return plan.top == 0 ? 0 : std::max(plan.top, options.hits); }
  // How many of what a plan finds by `seeds`, or reaches; 0: all.
  std::size_t CountOf(const PlanSeeds& seeds) const;
  std::size_t CountReached() const;
};

// Takes the time from its making to Done, which adds the stage.
class StageClock {
 public:
  StageClock(RetrieveResult& result, std::string_view name) : result_(result) { stage.name = name; }
  RetrieveStage stage;
  void Done() {
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - started_;
    result_.truncated |= stage.truncated;
    result_.stages.push_back(stage);
    result_.stats.stage_ms.push_back(took.count());
  }

 private:
  RetrieveResult& result_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// False: the budget ended it, and nothing can be found.
Result<bool> FilterStage(PlanRun& run);
Status SeedStages(PlanRun& run);
// The best hits by words, as many as any of the plan's seeds looks at.
Status AskWords(PlanRun& run, RetrieveStage& stage);
// What the words know of `nodes`, besides what they found. Ends the use of run.words->hits.
Status MatchWords(PlanRun& run, std::span<const NodeId> nodes, RetrieveStage& stage);
const Bm25Hit* FindMatch(const PlanRun& run, NodeId node);
// Of `nodes` those that the question names, by weight. REQUIRES run.words.
Result<std::vector<NodeWeight>> NamedNodes(const PlanRun& run, std::span<const NodeId> nodes);
// Walks from run.seeds; candidates are the kept ones and what is reached, findable all.
Status ExpandStage(PlanRun& run, int hops);
// The values of the terms that run.Uses; candidates without a required one are taken out.
Status ScoreStage(PlanRun& run);
// run.result.hits, the best `most` (0: all), without paths, terms and measures.
Status FuseStage(PlanRun& run, std::size_t most);
// The terms of the hits, and what is measured of them. Leaves only their candidates.
Status DescribeHits(PlanRun& run);

}  // namespace plexus::retrieval::internal
