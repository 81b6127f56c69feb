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
using namespace builtin;

namespace {

const std::vector<NodeId> kDecisions = {0, 3, 6, 9}, kChain = {5, 8, 11, 14, 17, 20};

memory::DecisionOptions At(const RunOptions& run) { return {.now_ms = kKernelNow, .run = run}; }

void AddSupersession(KernelRows& rows) {
  for (const bool all : {false, true})
    rows.Add(
        all ? "VisibleNodes, superseded ones too" : "VisibleNodes", ASK {
          return memory::VisibleNodes(s, kKernelNow, {.include_superseded = all, .run = run});
        });
  rows.Add("AllHeads", ASK { return memory::AllHeads(s, kKernelNow); });
  rows.Add("HeadsOf", ASK { return memory::HeadsOf(s, kKernelNow, kChain); });
  rows.Add("SupersededBy", ASK { return memory::SupersededBy(s, 8, kKernelNow); });
  rows.Add(
      "WalkSupersession",
      ASK { return memory::WalkSupersession(s, 11, kKernelNow, 10'000, run.budget); });
}

void AddConflicts(KernelRows& rows) {
  rows.Add(
      "OpenConflicts",
      ASK { return memory::OpenConflicts(s, {.now_ms = kKernelNow, .run = run}); });
  rows.Add("DecisionContradictions", ASK { return memory::DecisionContradictions(s, At(run)); });
  rows.Add(
      "ContradictionsOf", ASK->Result<memory::ContradictionsOfNode> {
        PLEXUS_ASSIGN(NodeSubset standing, NodeSubset::Of(s, kChain));
        return memory::ContradictionsOf(s, 8, {std::move(standing), nullptr, kKernelNow});
      });
  rows.Add(
      "ConflictCandidates",
      ASK { return memory::ConflictCandidates(s, 8, {.now_ms = kKernelNow, .run = run}); });
  rows.Add(
      "NearDuplicates", ASK {
        return memory::NearDuplicates(
            s, {.now_ms = kKernelNow, .of = 5, .min_jaccard = 0.1, .run = run});
      });
  rows.Add(
      "NearSuperseded", ASK->Result<memory::NearDuplicatesResult> {
        PLEXUS_ASSIGN(const memory::Visible visible,
                      memory::VisibleIn(s, kKernelNow, nullptr, {.run = run}));
        return memory::NearSuperseded(s, kChain, visible, {.min_jaccard = 0.1, .run = run});
      });
  static const memory::Verdict verdicts[] = {
      {1, 4, memory::VerdictKind::kAgrees, kNoNode, "said"},
      {2, 3, memory::VerdictKind::kContradicts, kNoNode, ""}};
  AddProposal(
      rows, "Resolve", ASK { return memory::Resolve(s, verdicts, {.now_ms = kKernelNow}); });
}

void AddDecisions(KernelRows& rows) {
  rows.Add("StatusOf", ASK { return memory::StatusOf(s, kDecisions, kKernelNow); });
  rows.Add("QualityOf", ASK { return memory::QualityOf(s, kDecisions, kKernelNow); });
  rows.Add("Salience", ASK { return memory::Salience(s, {.decisions = At(run)}); });
  AddProposal(
      rows, "CompactionTiers",
      ASK { return memory::CompactionTiers(s, {.salience = {.decisions = At(run)}}); });
  rows.Add("BlockedChains", ASK { return memory::BlockedChains(s, {.decisions = At(run)}); });
  rows.Add("BlockersOf", ASK { return memory::BlockersOf(s, 9, At(run)); });
  rows.Add(
      "ChainOf", ASK->Result<std::vector<memory::ChainStep>> {
        PLEXUS_ASSIGN(const memory::BlockedChainsResult blocked,
                      memory::BlockedChains(s, {.decisions = At(run)}));
        return memory::ChainOf(s, blocked, 15, kKernelNow, 10);
      });
  AddProposal(
      rows, "SuggestEdges",
      ASK { return memory::SuggestEdges(s, 9, {.decisions = At(run), .min_shared = 0.1}); });
  rows.Add(
      "WorkQueue", ASK {
        return memory::WorkQueue(s, {.decisions = At(run), .period_ms = 100, .frontier = 2});
      });
  static const std::vector<memory::GuardrailRule> rules = {
      {.name = "a",
       .kinds = {kContradicts, kDependsOn},
       .target = {.active = true, .blocked = false, .salience_above = 0.1},
       .message = "{target} {other}"},
      {.name = "b", .does = memory::ProposalDoes::kRemoves, .message = "{target}"}};
  static const WriteBatch proposed = [] {
    WriteBatch batch(kKernelNow);
    const NodeRef made = batch.UpsertNode("new", kDecision);
    batch.Link(made, kContradicts, NodeRef::Id(3));
    batch.Link(made, kDependsOn, NodeRef::Id(9));
    batch.RemoveNode(NodeRef::Id(12));
    return batch;
  }();
  rows.Add(
      "CheckGuardrails", ASK->Result<memory::GuardrailResult> {
        PLEXUS_ASSIGN(const PreviewResult preview,
                      Preview(s, proposed, {.executor = run.executor}));
        return memory::CheckGuardrails(s, preview, rules, {.decisions = At(run)});
      });
}

void AddConcepts(KernelRows& rows) {
  static const std::vector<std::string> seeds = {"m1", "m13", "nobody"}, made = {"m1", "a new one"};
  static const std::vector<float> query(kKernelDimensions, 0.5f);
  AddProposal(
      rows, "RecallConcepts",
      ASK { return memory::RecallConcepts(s, seeds, kKernelNow, {.hops = 4, .run = run}); });
  AddProposal(
      rows, "ActivateRelated",
      ASK { return memory::ActivateRelated(s, seeds, kKernelNow, {.run = run}); });
  rows.Add(
      "SearchConcepts", ASK {
        const std::optional<SpaceId> space = s.schema().FindSpace("default");
        return memory::SearchConcepts(
            s, kKernelNow, {.space = space.value_or(SpaceId{0}), .query = query, .run = run});
      });
  AddProposal(rows, "UpsertConcept", ASK { return memory::UpsertConcept(s, "apple", kKernelNow); });
  AddProposal(rows, "UpdateAffect", ASK { return memory::UpdateAffect(s, "m1", 0.9, kKernelNow); });
  AddProposal(
      rows, "AddEpisode",
      ASK { return memory::AddEpisode(s, "it rained", made, 0.5, kKernelNow); });
  AddProposal(
      rows, "Relate", ASK { return memory::Relate(s, "m1", "is-a", "a new one", kKernelNow); });
  AddProposal(
      rows, "DampenConcept", ASK { return memory::DampenConcept(s, "m1", 0.5, kKernelNow); });
}

// Words, a vector and keys at once, by fusion and by weights, with all that a hit says.
void AddRecall(KernelRows& rows) {
  static const std::vector<std::string> words = {"payouts", "restarts"};
  static const std::vector<float> vector(kKernelDimensions, 0.5f);
  static const std::vector<NodeWeight> keys = {{40, 1.0}, {17, 0.5}};
  static const retrieval::RetrievalPlan by_weights = [] {
    retrieval::RetrievalPlan plan = retrieval::FindPlan(memory::kListsPlan)->plan;
    plan.fuse = retrieval::Fusion::kSum;
    plan.score[retrieval::PlanTerm::kRecency] = plan.score[retrieval::PlanTerm::kFrequency] = 0.1;
    return plan;
  }();
  const auto ask = [](const Snapshot& s, const RunOptions& run, bool weighted) {
    memory::RecallOptions options{.now_ms = kKernelNow};
    options.related_hops = 2;
    options.near_duplicate = 0.1;
    options.run = run;
    options.exclude_contradicted = weighted;
    if (weighted) options.plan = &by_weights;
    const SpaceId space = s.schema().FindSpace("default").value_or(SpaceId{0});
    return memory::Recall(s, {.terms = words, .vector = vector, .space = space, .keys = keys},
                          options);
  };
  rows.Add("Recall", ASK { return ask(s, run, false); });
  rows.Add("Recall with weights", ASK { return ask(s, run, true); });
  rows.Add(
      "RelatedTo", ASK {
        return memory::RelatedTo(s, 8, {.hops = 2, .filter = {.valid_at = kKernelNow}, .run = run});
      });
  AddProposal(
      rows, "ProposeReinforcement",
      ASK { return memory::ProposeReinforcement(s, kFew, {.now_ms = kKernelNow, .run = run}); });
  AddProposal(
      rows, "EventOfRecall", ASK->Result<memory::RecordedEvent> {
        PLEXUS_ASSIGN(const memory::RecallResult recalled,
                      ask(s, {.executor = run.executor}, false));
        PLEXUS_ASSIGN(const memory::NewEvent event,
                      memory::EventOfRecall(s, recalled.hits, "payouts restarts", kKernelNow));
        return memory::RecordEvent(s, event);
      });
}

void AddFrontier(KernelRows& rows) {
  for (const memory::FrontierLens lens :
       {memory::FrontierLens::kSurface, memory::FrontierLens::kBridge,
        memory::FrontierLens::kDivergent, memory::FrontierLens::kLikely})
    rows.Add(
        "NeverComposed " + std::to_string(static_cast<int>(lens)),
        ASK->Result<memory::NeverComposedPage> {
          PLEXUS_ASSIGN(const NodeSubset pool, NodeSubset::Of(s, kFew));
          memory::NeverComposedOptions options{
              .lens = lens, .top = 5, .now_ms = kKernelNow, .pool = &pool};
          options.structural_fit = true;
          options.run = run;
          return memory::NeverComposed(s, options);
        },
        [](const memory::NeverComposedPage& page) { return page.sets; });
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
