// Rows of what is asked of memories: supersession, conflicts, decisions, concepts, recall.
#include <optional>
#include <string>
#include <vector>

#include "algorithms/memory/concepts/concepts.h"
#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/decisions/decisions.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/memory/recall/recall.h"
#include "algorithms/memory/visibility/visibility.h"
#include "tests/support/kernels/kernel.h"
#include "tests/support/kernels/kernel_graph.h"
#include "tests/support/kernels/proposed.h"

namespace plexus::testing {

namespace {

const std::vector<NodeId> kDecisions = {0, 3, 6, 9}, kChain = {5, 8, 11, 14, 17, 20};
const std::vector<NodeId> kFew = {1, 3, 5, 6, 8, 11, 14, 20, 21, 30, 33, 40};

DecisionOptions At(const RunOptions& run) { return {.now_ms = kKernelNow, .run = run}; }

void AddSupersession(KernelRows& rows) {
  for (const bool all : {false, true})
    rows.Add(
        all ? "VisibleNodes, superseded ones too" : "VisibleNodes", ASK {
          return VisibleNodes(
              s, kKernelNow,
              {.include_superseded = all, .executor = run.executor, .budget = run.budget});
        });
  rows.Add("AllHeads", ASK { return AllHeads(s, kKernelNow); });
  rows.Add("HeadsOf", ASK { return HeadsOf(s, kKernelNow, kChain); });
  rows.Add("SupersededBy", ASK { return SupersededBy(s, 8, kKernelNow); });
  rows.Add(
      "WalkSupersession", ASK { return WalkSupersession(s, 11, kKernelNow, 10'000, run.budget); });
}

void AddConflicts(KernelRows& rows) {
  rows.Add("OpenConflicts", ASK { return OpenConflicts(s, {.now_ms = kKernelNow, .run = run}); });
  rows.Add("DecisionContradictions", ASK { return DecisionContradictions(s, At(run)); });
  rows.Add(
      "ContradictionsOf", ASK->Result<ContradictionsOfNode> {
        PLEXUS_ASSIGN(const NodeSubset standing, NodeSubset::Of(s, kChain));
        return ContradictionsOf(s, 8, kKernelNow, standing);
      });
  rows.Add(
      "ConflictCandidates",
      ASK { return ConflictCandidates(s, 8, {.now_ms = kKernelNow, .run = run}); });
  rows.Add(
      "NearDuplicates",
      ASK { return NearDuplicates(s, {.now_ms = kKernelNow, .of = 5, .least = 0.1, .run = run}); });
  rows.Add(
      "NearSuperseded",
      ASK { return NearSuperseded(s, kChain, {.now_ms = kKernelNow, .least = 0.1, .run = run}); });
  static const Verdict verdicts[] = {{1, 4, VerdictKind::kAgrees, kNoNode, "said"},
                                     {2, 3, VerdictKind::kContradicts, kNoNode, ""}};
  AddProposal(rows, "Resolve", ASK { return Resolve(s, verdicts, {.now_ms = kKernelNow}); });
}

void AddDecisions(KernelRows& rows) {
  rows.Add("StatusOf", ASK { return StatusOf(s, kDecisions, kKernelNow); });
  rows.Add("QualityOf", ASK { return QualityOf(s, kDecisions, kKernelNow); });
  rows.Add("Salience", ASK { return Salience(s, {.decisions = At(run)}); });
  AddProposal(
      rows, "CompactionTiers",
      ASK { return CompactionTiers(s, {.salience = {.decisions = At(run)}}); });
  rows.Add("BlockedChains", ASK { return BlockedChains(s, {.decisions = At(run)}); });
  rows.Add("BlockersOf", ASK { return BlockersOf(s, 9, At(run)); });
  rows.Add(
      "ChainOf", ASK->Result<std::vector<ChainStep>> {
        PLEXUS_ASSIGN(const BlockedChainsResult blocked, BlockedChains(s, {.decisions = At(run)}));
        return ChainOf(s, blocked, 15, kKernelNow, 10);
      });
  AddProposal(
      rows, "SuggestEdges",
      ASK { return SuggestEdges(s, 9, {.decisions = At(run), .min_shared = 0.1}); });
  rows.Add(
      "WorkQueue",
      ASK { return WorkQueue(s, {.decisions = At(run), .period_ms = 100, .frontier = 2}); });
  static const std::vector<GuardrailRule> rules = {
      {.name = "a",
       .kinds = {kContradicts, kDependsOn},
       .target = {.active = true, .blocked = false, .salience_above = 0.1},
       .message = "{target} {other}"},
      {.name = "b", .does = ProposalDoes::kRemoves, .message = "{target}"}};
  static const WriteBatch proposed = [] {
    WriteBatch batch(kKernelNow);
    const NodeRef made = batch.UpsertNode("new", kDecision);
    batch.Link(made, kContradicts, NodeRef::Id(3));
    batch.Link(made, kDependsOn, NodeRef::Id(9));
    batch.RemoveNode(NodeRef::Id(12));
    return batch;
  }();
  rows.Add(
      "CheckGuardrails", ASK->Result<GuardrailResult> {
        PLEXUS_ASSIGN(const PreviewResult preview,
                      Preview(s, proposed, {.executor = run.executor}));
        return CheckGuardrails(s, preview, rules, {.decisions = At(run)});
      });
}

void AddConcepts(KernelRows& rows) {
  static const std::vector<std::string> seeds = {"m1", "m13", "nobody"}, made = {"m1", "a new one"};
  static const std::vector<float> query(kKernelDimensions, 0.5f);
  AddProposal(
      rows, "RecallConcepts",
      ASK { return RecallConcepts(s, seeds, kKernelNow, {.hops = 4, .run = run}); });
  AddProposal(
      rows, "ActivateRelated",
      ASK { return ActivateRelated(s, seeds, kKernelNow, {.budget = run.budget}); });
  rows.Add(
      "SearchConcepts", ASK {
        const std::optional<SpaceId> space = s.schema().FindSpace("default");
        return SearchConcepts(s, kKernelNow,
                              {.space = space.value_or(SpaceId{0}), .query = query, .run = run});
      });
  AddProposal(rows, "UpsertConcept", ASK { return UpsertConcept(s, "apple", kKernelNow); });
  AddProposal(rows, "UpdateAffect", ASK { return UpdateAffect(s, "m1", 0.9, kKernelNow); });
  AddProposal(
      rows, "AddEpisode", ASK { return AddEpisode(s, "it rained", made, 0.5, kKernelNow); });
  AddProposal(rows, "Relate", ASK { return Relate(s, "m1", "is-a", "a new one", kKernelNow); });
  AddProposal(rows, "DampenConcept", ASK { return DampenConcept(s, "m1", 0.5, kKernelNow); });
}

// Words, a vector and keys at once, by fusion and by weights, with all that a hit says.
void AddRecall(KernelRows& rows) {
  static const std::vector<std::string> words = {"payouts", "restarts"};
  static const std::vector<float> vector(kKernelDimensions, 0.5f);
  static const std::vector<NodeWeight> keys = {{40, 1.0}, {17, 0.5}};
  const auto ask = [](const Snapshot& s, const RunOptions& run, bool weighted) {
    RecallOptions options{.now_ms = kKernelNow};
    options.related_hops = 2;
    options.near_duplicate = 0.1;
    options.run = run;
    options.exclude_contradicted = weighted;
    if (weighted) options.weights = {0.4, 0.2, 0.1, 0.1, 0.1, 0.1, 0};
    const SpaceId space = s.schema().FindSpace("default").value_or(SpaceId{0});
    return Recall(s, {.terms = words, .vector = vector, .space = space, .keys = keys}, options);
  };
  rows.Add("Recall", ASK { return ask(s, run, false); });
  rows.Add("Recall with weights", ASK { return ask(s, run, true); });
  rows.Add(
      "RelatedTo",
      ASK { return RelatedTo(s, 8, {.now_ms = kKernelNow, .hops = 2, .budget = run.budget}); });
  AddProposal(
      rows, "ProposeReinforcement",
      ASK { return ProposeReinforcement(s, kFew, {.now_ms = kKernelNow, .budget = run.budget}); });
  AddProposal(
      rows, "EventOfRecall", ASK->Result<RecordedEvent> {
        PLEXUS_ASSIGN(const RecallResult recalled, ask(s, {.executor = run.executor}, false));
        PLEXUS_ASSIGN(const NewEvent event,
                      EventOfRecall(s, recalled.hits, "payouts restarts", kKernelNow));
        return RecordEvent(s, event);
      });
  static const RecallTermOptions missing = {.salience_column = "a column that is not there"};
  rows.Add(
      "RecallScorer", ASK->Result<bool> {
        const auto refused = RecallScorer::Make(s, kKernelNow, missing, {}, {});
        if (refused || refused.error().code != ErrorCode::kNotFound)
          return refused ? Result<bool>(false) : std::unexpected(refused.error());
        PLEXUS_TRY(RecallScorer::Make(s, kKernelNow, {}, {}, {}));
        return true;
      });
}

void AddFrontier(KernelRows& rows) {
  for (const FrontierLens lens : {FrontierLens::kSurface, FrontierLens::kBridge,
                                  FrontierLens::kDivergent, FrontierLens::kLikely})
    rows.Add(
        "NeverComposed " + std::to_string(static_cast<int>(lens)),
        ASK->Result<NeverComposedPage> {
          PLEXUS_ASSIGN(const NodeSubset pool, NodeSubset::Of(s, kFew));
          NeverComposedOptions options{.lens = lens, .top = 5, .now_ms = kKernelNow, .pool = &pool};
          options.structural_fit = true;
          options.run = run;
          return NeverComposed(s, options);
        },
        [](const NeverComposedPage& page) { return page.sets; });
}

}  // namespace

void AddMemoryKernels(KernelRows& rows) {
  AddSupersession(rows);
  AddConflicts(rows);
  AddDecisions(rows);
  AddConcepts(rows);
  AddRecall(rows);
  AddFrontier(rows);
}

}  // namespace plexus::testing
